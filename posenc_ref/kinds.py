"""What a scheme can produce, named by where it enters attention.

Schemes share no base class. Two schemes can replace each other when they give
the same kind.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = NDArray[np.floating]
"""Added to the token vectors. Shape `(..., d_model)`."""

Bias: TypeAlias = NDArray[np.floating]
"""Added to the scores before the mask. Shape `(n_heads, n_queries, n_keys)`."""


Floats: TypeAlias = NDArray[np.floating]
"""Queries, keys, values and scores: float32 or float64, as the caller's are."""


class Rotation(NamedTuple):
    """Turns queries and keys, pair by pair. Both shapes `(..., T, rotary_dim // 2)`."""

    cos: NDArray[np.floating]
    """Cosine of position times frequency."""

    sin: NDArray[np.floating]
    """Sine of position times frequency."""


class Frequencies(NamedTuple):
    """How fast each pair of a rotation turns, and how much its cosines and sines are stretched."""

    inv_freq: NDArray[np.float64]
    """Radians per token, shape `(rotary_dim // 2,)`."""

    attention_factor: float
    """Multiplies cosines and sines, so that scores grow by its square."""
