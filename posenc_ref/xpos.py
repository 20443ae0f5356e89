"""xPos. Result: scales of a rotation, for queries and for keys.

A rotated score swings as the distance grows. xPos makes it fade too: queries
shrink and keys grow along the text, so that their product depends on the
distance alone, and the slower pairs keep more of it. For pair i of rotary_dim / 2 a
query at m and a key at n get

    query scale = zeta ** (m / scale_base)       zeta = (2 i / rotary_dim + gamma) / (1 + gamma)
    key scale   = zeta ** (-n / scale_base)

Their product is zeta ** ((m - n) / scale_base), at most 1 for the past. It is
not meant for attention to the future, where it grows.

Source: Sun et al. (2022), arXiv:2212.10554, section 3.2 and algorithm 1.
Released code counts positions from the middle of the sequence here (not in the
rotation), so that no scale grows past what its floats hold. Scores are the same.
The paper adds block-wise attention for texts longer than those of the training,
which is no part of the positions.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks

LARGEST_EXPONENT = 700.0  # e^700 and e^-700 are both ordinary float64 numbers


def xpos_scales(
    positions: ArrayLike, rotary_dim: int, *, scale_base: float = 512.0, gamma: float = 0.4
) -> NDArray[np.float64]:
    """How much a query is shrunk at each position; keys are stretched by as much.

    Multiply cosines and sines for the queries, divide them for the keys:

        scales[..., t, i] = zeta[i] ** (positions[..., t] / scale_base)
        zeta[i] = (2 i / rotary_dim + gamma) / (1 + gamma)

    Args:
        positions: Whole or real numbers, finite and less than 2**53 in size, in
            tokens, shape `(..., T)`. Count them from the middle of long texts, as
            released code does: scores stay the same, and scales near 1.
        rotary_dim: Number of features that turn, even and at least 2.
        scale_base: Tokens over which a pair fades by zeta, above 0.
        gamma: How much even the fastest pair keeps, above 0.

    Returns:
        Factors without unit, above 0, float64, shape
        `(..., T, rotary_dim // 2)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it, or a position
            lies so far out that a scale or its inverse leaves the floats.

    Examples:
        >>> from posenc_ref import Rotation, rotary_cos_sin, rotary_inv_freq, xpos_scales
        >>> xpos_scales([0, 512], 2, gamma=0.25)  # zeta = 0.25 / 1.25
        array([[1. ],
               [0.2]])
        >>> scales = xpos_scales([0, 512, 1024], 2, gamma=0.25)
        >>> (scales[:, None] / scales).round(6)[..., 0]  # query at row, key at column
        array([[ 1.  ,  5.  , 25.  ],
               [ 0.2 ,  1.  ,  5.  ],
               [ 0.04,  0.2 ,  1.  ]])
        >>> cos, sin = rotary_cos_sin([0, 512, 1024], rotary_inv_freq(2))
        >>> for_queries = Rotation(cos * scales, sin * scales)
        >>> for_keys = Rotation(cos / scales, sin / scales)
    """
    exact = checks.exact_positions("positions", positions)
    if exact.ndim == 0:
        raise ValueError(f"positions must have shape (..., T), got a single number, {exact}")
    rotary_dim = checks.even_width("rotary_dim", rotary_dim)
    checks.result_fits(positions=exact.size, rotary_dim=rotary_dim)
    scale_base = checks.positive_number("scale_base", scale_base)
    gamma = checks.positive_number("gamma", gamma)
    n_pairs = rotary_dim // 2
    zeta = (np.arange(n_pairs) / n_pairs + gamma) / (1 + gamma)
    exponents = exact[..., None] / scale_base * np.log(zeta)
    if (np.abs(exponents) > LARGEST_EXPONENT).any():
        furthest = exact.flat[np.abs(exact).argmax()]
        raise ValueError(
            "positions must be near enough to 0 for scales between e**-700 and e**700, "
            f"got {furthest} with scale_base {scale_base}"
        )
    return np.power(zeta, exact[..., None] / scale_base)
