"""ALiBi, attention with linear biases. Result: a bias, for models that extrapolate.

Every token of distance costs a score a fixed amount, which differs from head to
head: steep heads look near, flat heads look far. Nothing is learned, and
nothing is added to the token vectors. For key n and query m

    bias[h, m, n] = -slope[h] * |m - n|

is added to the scores after they are divided by sqrt(head_dim), before the mask
and the softmax.

Source: Press et al. (2021), arXiv:2108.12409, section 3, where attention is
causal. The symmetric form, for encoders too, is the one of x-transformers.
Released decoders write the bias in another way:

- BLOOM adds slope * key position, and MPT slope * (key - last key), the same in
  every row. Either differs from the bias above by a constant in each row, which
  a softmax does not see, as long as a causal mask hides the future. Without one
  it is wrong: it favours the last key.
- Falcon (where its config asks for ALiBi) does so as well, but divides the bias
  by sqrt(head_dim) along with the scores, and rounds slopes and products to
  bfloat16, so that distant keys tie.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from posenc_ref import checks
from posenc_ref.diagonals import by_distance, checked_shape, distances
from posenc_ref.kinds import Bias
from posenc_ref.operands import check_leading_axes


def alibi_slopes(n_heads: int, *, max_bias: float = 8.0) -> NDArray[np.float64]:
    """What a token of distance costs, one number a head.

    With a power of two of heads, H, the slopes fall by one factor from head to
    head, down to 2 ** -max_bias:

        slope[h] = 2 ** (-max_bias * (h + 1) / H)

    Any other number of heads takes the slopes of the largest power of two below
    it, and then every second slope of twice that power, from its first. So the
    list is not in falling order, and must not be sorted: a trained head belongs
    to its slope.

    Args:
        n_heads: Number of attention heads, at least 1.
        max_bias: Exponent of the smallest slope, above 0; 8 in the paper. MPT's
            configs name it `alibi_bias_max`; the MPT class of transformers
            reads that name but always computes with 8.

    Returns:
        Slopes between 0 and 1, in score units per token, float64, shape
        `(n_heads,)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import alibi_slopes
        >>> alibi_slopes(4)
        array([0.25      , 0.0625    , 0.015625  , 0.00390625])
        >>> alibi_slopes(3, max_bias=4)  # 1/4 and 1/16 of two heads, 1/2 of four
        array([0.25  , 0.0625, 0.5   ])
    """
    n_heads = checks.whole_number("n_heads", n_heads, at_least=1)
    max_bias = checks.positive_number("max_bias", max_bias)
    checks.result_fits(n_heads=n_heads)
    power = 1 << (n_heads.bit_length() - 1)  # the largest power of two up to n_heads
    own = np.arange(2, 2 * power + 1, 2)  # in half steps, so that those between have odd numbers
    between = np.arange(1, 2 * power, 2)
    half_steps = np.concatenate([own, between])[:n_heads]
    slopes: NDArray[np.float64] = np.exp2(-max_bias / (2 * power) * half_steps)
    return slopes


def alibi_bias(
    n_heads: int,
    n_queries: int,
    n_keys: int,
    *,
    max_bias: float = 8.0,
    dtype: DTypeLike = np.float64,
) -> Bias:
    """The bias for consecutive tokens, without padding.

        bias[h, i, j] = -slope[h] * |key j - query i|

    Add it to scores that are already divided by sqrt(head_dim); a decoder adds
    its causal mask besides. While decoding with a cache, ask for the new queries
    only: the last query stands on the last key, so they get the last rows of the
    full bias. A row with padding, or several documents in a row, takes
    `alibi_bias_at`.

    The result is a read-only view that holds one number for each distance: it
    takes no more memory for 4096 x 4096 entries than for 2 x 4096. Adding it to
    scores costs what adding a full array costs. Call `.copy()` to write to it
    or to hand it to a library that wants memory of its own (`torch.from_numpy`
    does); that takes the full memory, as `astype` does.

    Args:
        n_heads: Number of attention heads, at least 1.
        n_queries: Number of query tokens, from 1 to `n_keys`; the last query
            stands on the last key.
        n_keys: Number of key tokens, at least 1.
        max_bias: Exponent of the smallest slope, above 0, as in `alibi_slopes`.
        dtype: float32 or float64.

    Returns:
        Zero where a query meets its own token, negative elsewhere, in score
        units, rounded once, shape `(n_heads, n_queries, n_keys)`, read-only.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import alibi_bias
        >>> alibi_bias(4, 3, 3)[0]
        array([[ 0.  , -0.25, -0.5 ],
               [-0.25,  0.  , -0.25],
               [-0.5 , -0.25,  0.  ]])
        >>> alibi_bias(4, 1, 3)[0]  # one new token, two cached ones: the last row
        array([[-0.5 , -0.25,  0.  ]])
    """
    slopes = alibi_slopes(n_heads, max_bias=max_bias)
    n_queries, n_keys = checked_shape(len(slopes), n_queries, n_keys)
    float_type = checks.float_dtype("dtype", dtype)
    # The sign goes to the whole numbers: -0.0 would stand on the diagonal otherwise.
    values = slopes[:, None] * -np.abs(distances(n_queries, n_keys))
    return by_distance(values.astype(float_type, copy=False), n_keys)


def alibi_bias_at(slopes: ArrayLike, query_positions: ArrayLike, key_positions: ArrayLike) -> Bias:
    """The bias for tokens that stand anywhere, as in padded or packed rows.

        bias[..., h, i, j] = -slope[h] * |key_positions[..., j] - query_positions[..., i]|

    Padding must not count: number the real tokens of each row from 0, wherever
    the row starts. Documents packed into one row number their tokens from 0
    each. Which tokens may see each other is the mask's business; entries that
    the mask hides, as those of padding, have no meaning.

    Args:
        slopes: Cost of a token of distance for each head, finite and at least 0,
            shape `(n_heads,)`: those of `alibi_slopes`, or learned ones.
        query_positions: Whole numbers up to 2**53 in size, in tokens, shape
            `(..., n_queries)`.
        key_positions: Whole numbers up to 2**53 in size, in tokens, shape
            `(..., n_keys)`. The leading axes of the two broadcast.

    Returns:
        Zero or negative, in score units, in the type of `slopes` (float32 or
        float64), shape `(..., n_heads, n_queries, n_keys)`. No tokens give an
        empty bias.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it, or the leading
            axes do not broadcast.

    Examples:
        >>> from posenc_ref import alibi_bias_at
        >>> alibi_bias_at([0.5], [2], [0, 1, 2])
        array([[[-1. , -0.5,  0. ]]])
        >>> padded = [[0, 0, 0, 1], [0, 1, 2, 3]]  # two tokens of padding in the first row
        >>> alibi_bias_at([0.5], padded, padded)[:, 0, -1]  # the last query of each row
        array([[-0.5, -0.5, -0.5,  0. ],
               [-1.5, -1. , -0.5,  0. ]])
    """
    costs = checks.real_array("slopes", slopes, "n_heads", finite=True)
    if costs.size and costs.min() < 0:
        raise ValueError(f"slopes must be at least 0 everywhere, got {costs.min()}")
    queries = _positions("query_positions", query_positions, "n_queries")
    keys = _positions("key_positions", key_positions, "n_keys")
    check_leading_axes(query_positions=queries.shape[:-1], key_positions=keys.shape[:-1])
    rows = np.broadcast_shapes(queries.shape[:-1], keys.shape[:-1])
    checks.result_fits(
        slopes=len(costs),
        query_positions=queries.shape[-1],
        key_positions=keys.shape[-1],
        rows=math.prod(rows),
    )
    distance = np.abs(keys[..., None, :] - queries[..., :, None])  # (..., n_queries, n_keys)
    bias: Bias = (costs[:, None, None] * -distance[..., None, :, :]).astype(costs.dtype, copy=False)
    return bias


def _positions(name: str, value: ArrayLike, axis: str) -> NDArray[np.int64]:
    bound = checks.EXACT_INTEGERS
    return checks.whole_array(name, value, axis, leading=True, at_least=-bound, at_most=bound)
