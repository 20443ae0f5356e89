"""The three things a scheme can produce, named by where they enter attention.

Schemes share no base class. Two schemes can replace each other when they give
the same kind.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = NDArray[np.floating]
"""Added to the token vectors. Shape `(n_positions, d_model)`."""

Bias: TypeAlias = NDArray[np.floating]
"""Added to the scores before the mask. Shape `(n_heads, n_queries, n_keys)`."""


class Rotation(NamedTuple):
    """Turns queries and keys, pair by pair. Both shapes `(n_positions, rotary_dim // 2)`."""

    cos: NDArray[np.floating]
    """Cosine of position times frequency."""

    sin: NDArray[np.floating]
    """Sine of position times frequency."""
