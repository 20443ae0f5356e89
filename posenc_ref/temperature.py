"""Query temperature. Result: factors on the queries, that grow with the position.

The more keys a query sees, the flatter its softmax becomes. A factor that grows
with the logarithm of the position works against that.

    1 + beta * ln(1 + floor((position + count_from) / length))

It is 1 for the first `length` positions or so, then rises in steps.

Source: the released code of Llama 4, which names Nakanishi (2025),
arXiv:2501.19399, for the idea. (That paper's factor has no steps and is learned.)
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks

LARGEST_BETA = 1e300  # times the logarithm of any position this is still a float


def query_temperature(
    positions: ArrayLike, *, beta: float, length: int, count_from: int
) -> NDArray[np.float64]:
    """What queries are multiplied by before they meet the keys.

        1 + beta * ln(1 + floor((position + count_from) / length))

    Multiply after rotation or before, which is the same:
    `queries * query_temperature(...)[..., None]`. Keys are left as they are, so
    cached keys stay valid.

    The models that use steps differ in two ways. Llama 4 (beta 0.1, length 8192) counts from
    1 and scales only its layers without rotation. Ministral 3 and Mistral 4 count
    from 0, take the trained length before scaling for `length`, and scale all
    layers. So with one length, the factor of Llama 4 rises one token earlier.
    Inkling and Beam have factors that rise without steps, which are not given here.

    Args:
        positions: Positions of the queries in tokens, from 0 to 2**53 - 1, shape
            `(..., T)`.
        beta: Weight of the logarithm, from 0 to 1e300.
        length: Number of tokens after which the factor rises, from 1 to 2**53.
        count_from: Number that the first position counts as: 0 or 1.

    Returns:
        Factors without unit, at least 1, float64, of the shape of `positions`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import query_temperature
        >>> query_temperature([0, 3, 4, 8], beta=1, length=4, count_from=0).round(3)
        array([1.   , 1.   , 1.693, 2.099])
        >>> query_temperature([0, 3, 4, 8], beta=1, length=4, count_from=1).round(3)
        array([1.   , 1.693, 1.693, 2.099])
    """
    tokens = checks.whole_array(
        "positions", positions, "T", leading=True, at_least=0, at_most=checks.EXACT_INTEGERS - 1
    )
    weight = checks.finite_number("beta", beta)
    if weight < 0:
        raise ValueError(f"beta must be at least 0, got {beta}")
    step = checks.whole_number("length", length, at_least=1, at_most=checks.EXACT_INTEGERS)
    first = checks.whole_number("count_from", count_from, at_least=0, at_most=1)
    if weight > LARGEST_BETA:
        raise ValueError(f"beta must be at most {LARGEST_BETA:g}, got {beta}")
    return 1 + weight * np.log1p((tokens + first) // step)
