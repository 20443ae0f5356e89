"""Attention on plain arrays. Result: the weights, or the values that they mix.

It knows no scheme. A scheme enters through what it produces: a table was added
to the tokens before q, k and v were made, a rotation has turned q and k, a bias
comes as an argument.

Source: Vaswani et al. (2017), arXiv:1706.03762, section 3.2.1, equation 1.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Floats
from posenc_ref.operands import check_leading_axes, score_scale
from posenc_ref.positions import relative_positions


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[np.floating]:
    """Mix the values, weighted by how well each key fits the query.

    Args:
        q: Queries, shape `(..., n_queries, head_dim)`.
        k: Keys, shape `(..., n_keys, head_dim)`.
        v: Values, shape `(..., n_keys, d_v)`.
        bias: As in `attention_weights`.
        mask: As in `attention_weights`.
        scale: As in `attention_weights`.

    Returns:
        For each query the weighted mean of the values, in the unit of the
        values, shape `(..., n_queries, d_v)`. A query that may attend to no key
        at all gets zeros.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or `scale` is not finite.

    Examples:
        >>> from posenc_ref import attention
        >>> value = [[0.0, 8.0], [4.0, 0.0]]
        >>> attention([[1.0]], [[1.0], [1.0]], value)  # equal scores: the mean
        array([[2., 4.]])
        >>> attention([[1.0]], [[1.0], [1.0]], value, mask=[[False, True]])
        array([[4., 0.]])
    """
    scored = _checked(q, k, bias, mask, scale)
    values = checks.real_array("v", v, "tokens", "features", leading=True)
    n_keys = scored.k.shape[-2]
    if values.shape[-2] != n_keys:
        raise ValueError(f"v must have one row for each of {n_keys} keys, got shape {values.shape}")
    _check_leading_axes(q=scored.q, k=scored.k, bias=scored.bias, mask=scored.mask, v=values)
    return _weights(scored) @ values


def attention_weights(
    q: ArrayLike,
    k: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[np.floating]:
    """How much each query attends to each key.

    The weights are softmax(scale * q @ k.T + bias) over the keys that the mask
    leaves.

    Args:
        q: Queries, shape `(..., n_queries, head_dim)`. All leading axes of all
            arguments broadcast, as in NumPy.
        k: Keys, shape `(..., n_keys, head_dim)`.
        bias: Added to the scaled scores, shape `(..., n_queries, n_keys)`; either
            of the last two axes may be 1. An entry of -inf masks its key.
        mask: Booleans of such a shape, `True` where the query may attend.
        scale: Factor on the scores, finite; 1 / sqrt(head_dim) if not given.

    Returns:
        Shares between 0 and 1, shape `(..., n_queries, n_keys)`, in the type of
        the arguments, at least float32 (whole numbers count as float64). A row
        sums to 1, except that a row whose keys are all masked is all 0: a query
        that may attend to nothing gets nothing. (Padding at the left makes such
        rows, and softmax alone would fill them with NaN.)

    Raises:
        TypeError: If an argument has the wrong type; a mask of 0 and 1 is one.
        ValueError: If shapes do not fit, or `scale` is not finite.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import attention_weights, causal_mask
        >>> attention_weights([[1.0], [1.0]], [[0.0], [0.0]], mask=causal_mask(2, 2))
        array([[1. , 0. ],
               [0.5, 0.5]])
        >>> bias = np.log([[1, 3]])  # three times the weight for the second key
        >>> attention_weights([[1.0]], [[0.0], [0.0]], bias=bias)
        array([[0.25, 0.75]])
    """
    return _weights(_checked(q, k, bias, mask, scale))


def causal_mask(n_queries: int, n_keys: int) -> NDArray[np.bool_]:
    """Each query may attend to itself and to the past.

    Args:
        n_queries: Number of query tokens, from 1 to `n_keys`; the last query
            stands on the last key.
        n_keys: Number of key tokens, at least 1.

    Returns:
        `True` where the query may attend, shape `(n_queries, n_keys)`.

    Raises:
        TypeError: If a count is not a whole number.
        ValueError: If `n_keys` is below 1 or `n_queries` is not in 1..`n_keys`.

    Examples:
        >>> from posenc_ref import causal_mask
        >>> causal_mask(3, 3).astype(int)
        array([[1, 0, 0],
               [1, 1, 0],
               [1, 1, 1]])
        >>> causal_mask(1, 3).astype(int)  # one new token sees the cache too
        array([[1, 1, 1]])
    """
    return relative_positions(n_queries, n_keys) <= 0


def segment_mask(segments: ArrayLike) -> NDArray[np.bool_]:
    """Tokens attend within their own document, when several are packed in one row.

    Combine it with the causal mask by `&`.

    Args:
        segments: Number of the document that each token belongs to, whole
            numbers in any order, shape `(..., T)`.

    Returns:
        `True` where query and key are of one document, shape `(..., T, T)`. No
        tokens give an empty mask.

    Raises:
        TypeError: If `segments` does not hold whole numbers.
        ValueError: If `segments` has no axis.

    Examples:
        >>> from posenc_ref import segment_mask
        >>> segment_mask([0, 0, 1]).astype(int)
        array([[1, 1, 0],
               [1, 1, 0],
               [0, 0, 1]])
    """
    numbers = checks.array_of("segments", segments, "iu", "whole numbers")
    if numbers.ndim == 0:
        raise ValueError(f"segments must have shape (..., T), got a single number, {numbers}")
    same: NDArray[np.bool_] = numbers[..., :, None] == numbers[..., None, :]
    return same


class _Scored(NamedTuple):
    """What the weights are made from: checked, and fitting each other."""

    q: Floats
    k: Floats
    bias: Floats | None
    mask: NDArray[np.bool_] | None
    scale: float


def _checked(
    q: ArrayLike,
    k: ArrayLike,
    bias: ArrayLike | None,
    mask: ArrayLike | None,
    scale: float | None,
) -> _Scored:
    queries, keys = (
        checks.real_array(name, value, "tokens", "features", leading=True)
        for name, value in (("q", q), ("k", k))
    )
    head_dim = queries.shape[-1]
    if head_dim == 0 or keys.shape[-1] != head_dim:
        raise ValueError(
            "q and k must have the same head_dim, at least 1, in their last axis, "
            f"got shapes {queries.shape} and {keys.shape}"
        )
    biases = None if bias is None else checks.real_array("bias", bias, leading=True)
    allowed = None if mask is None else checks.array_of("mask", mask, "b", "boolean")
    shape = (queries.shape[-2], keys.shape[-2])
    _check_last_axes("bias", biases, shape)
    _check_last_axes("mask", allowed, shape)
    _check_leading_axes(q=queries, k=keys, bias=biases, mask=allowed)
    factor = score_scale(scale, head_dim)
    return _Scored(queries, keys, biases, allowed, factor)


def _check_last_axes(name: str, array: NDArray[Any] | None, wanted: tuple[int, int]) -> None:
    """The array must fit the scores axis by axis.

    A key mask of shape `(batch, n_keys)` is refused: with batch equal to
    n_queries NumPy would take it for one row a query, without a word.
    """
    if array is None:
        return
    fits = array.ndim >= 2 and all(
        size in (1, needed) for size, needed in zip(array.shape[-2:], wanted, strict=True)
    )
    if not fits:
        raise ValueError(
            f"{name} must end in the axes (n_queries, n_keys) = {wanted}, got shape {array.shape}"
        )


def _check_leading_axes(**arrays: NDArray[Any] | None) -> None:
    """A bias and a mask may each fit q and k, but not each other."""
    given = {name: array.shape[:-2] for name, array in arrays.items() if array is not None}
    check_leading_axes(**given)


def _weights(scored: _Scored) -> Floats:
    q, k, bias, mask, scale = scored
    scores = scale * (q @ k.swapaxes(-1, -2))
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return _softmax(scores)


def _softmax(scores: Floats) -> Floats:
    """Softmax over the last axis; a row of -inf alone gives zeros."""
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    peak[np.isneginf(peak)] = 0  # no key: exp(-inf - 0) is 0, exp(-inf + inf) would be NaN
    weights: Floats = np.exp(scores - peak)
    total = weights.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    weights /= total
    return weights
