"""Reference token embeddings and positional encodings in NumPy.

One short function for each thing a scheme produces, grouped here by where the
position enters a transformer: as a table added to the token vectors, as a
rotation of queries and keys, or as a bias on the scores. Numbers in, arrays
out: no state, no cache.
"""

from posenc_ref.attention import attention, attention_weights, causal_mask, segment_mask
from posenc_ref.kinds import Bias, Rotation, Table
from posenc_ref.positions import relative_positions
from posenc_ref.sinusoidal import (
    sinusoidal_at,
    sinusoidal_inv_freq,
    sinusoidal_shift,
    sinusoidal_table,
)

__version__ = "0.1.0"

# The kinds of result
__all__ = ["Bias", "Rotation", "Table"]
# Positions
__all__ += ["relative_positions"]
# Tables, added to the token vectors
__all__ += ["sinusoidal_at", "sinusoidal_inv_freq", "sinusoidal_shift", "sinusoidal_table"]
# Attention, which takes arrays and knows no scheme
__all__ += ["attention", "attention_weights", "causal_mask", "segment_mask"]
