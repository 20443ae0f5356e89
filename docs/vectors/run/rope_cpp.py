"""The function of rope.cpp, held to the published vectors."""

import ctypes

import numpy as np

from posenc_ref import check

library = ctypes.CDLL("./rope.so")
floats = np.ctypeslib.ndpointer(np.float64, flags="C")
wholes = np.ctypeslib.ndpointer(np.int64, flags="C")
sizes = [ctypes.c_int, ctypes.c_int]
types = [floats, wholes, ctypes.c_double, *sizes, floats]
library.rope_half.argtypes = types
library.rope_half.restype = None


def rope(x, positions, base):
    y = np.empty_like(x)
    library.rope_half(x, positions, base, *x.shape, y)
    return y


print(check("rope-half", rope))
