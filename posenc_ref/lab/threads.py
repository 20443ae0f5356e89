"""One thread: what makes a run the same each time, since a sum depends on its order."""

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)
"""Settings of the environment, for the libraries that NumPy may compute with.

They are read once, when NumPy is loaded.
"""
