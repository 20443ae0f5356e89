"""Rotary scores at any distances. Result: score terms, made from queries and keys.

Turning queries and keys by their positions gives each score the distance of its
two tokens. Some schemes want another distance there, such as one that stops
growing (ReRoPE) or one that is shared by groups of tokens (Self-Extend). No
positions of queries and keys have such distances, so here the angle belongs to
the pair of tokens:

    score = sum over pairs i of  q_i . (k_i turned by distance * inv_freq[i])

It costs an angle for every score in place of one for every token. Released code
of those schemes computes a few sets of scores with turned vectors instead and
selects among them, which gives the same numbers.

Source: Su et al. (2021), arXiv:2104.09864, section 3.2.2: the score of two turned
vectors, written as that of a query and a key turned by the distance.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks, pairs
from posenc_ref.kinds import Floats
from posenc_ref.operands import check_leading_axes
from posenc_ref.pairs import Layout, Where
from posenc_ref.turns import ExactFrequencies, turn


def rotary_scores(
    q: ArrayLike,
    k: ArrayLike,
    relative: ArrayLike,
    inv_freq: ArrayLike,
    *,
    layout: Layout,
    where: Where = "leading",
) -> Floats:
    """The score of each query with each key, at a distance of its own.

    With a pair written as one complex number, x1 + i x2, a score is

        real part of  sum over pairs of  conj(q) k e^(i distance inv_freq)

    plus the products of the features that do not turn. With distances from
    `relative_positions` these are the scores of vectors turned by `apply_rotary`.

    Args:
        q: Queries that no position has turned, shape `(..., n_queries, head_dim)`.
        k: Such keys, shape `(..., n_keys, head_dim)`.
        relative: Distances, key minus query, in tokens: whole or real numbers,
            finite and less than 2**53 in size, shape `(n_queries, n_keys)`.
        inv_freq: Radians per token, finite and less than 2**53 in size, shape
            `(rotary_dim // 2,)`, with `rotary_dim` at most `head_dim`.
        layout: As in `apply_rotary`. `"interleaved"` and `"interleaved_to_half"`
            have the same scores.
        where: `"leading"` or `"trailing"`: which features turn, as in
            `apply_rotary`.

    Returns:
        Scores before any scale, shape `(..., n_queries, n_keys)`, float32 if
        both `q` and `k` are, else float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import relative_positions, rotary_scores
        >>> one = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]  # three tokens, one pair
        >>> relative = relative_positions(3, 3)
        >>> rotary_scores(one, one, relative, [1.0], layout="half").round(2)
        array([[ 1.  ,  0.54, -0.42],
               [ 0.54,  1.  ,  0.54],
               [-0.42,  0.54,  1.  ]])
        >>> no_further = np.clip(relative, -1, 1)  # all distances above 1 read as 1
        >>> rotary_scores(one, one, no_further, [1.0], layout="half").round(2)
        array([[1.  , 0.54, 0.54],
               [0.54, 1.  , 0.54],
               [0.54, 0.54, 1.  ]])
    """
    q = checks.real_array("q", q, "n_queries", "head_dim", leading=True)
    k = checks.real_array("k", k, "n_keys", q.shape[-1], leading=True)
    check_leading_axes(q=q.shape[:-2], k=k.shape[:-2])
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    distances = checks.exact_positions("relative", relative)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    if distances.shape != (n_queries, n_keys):
        raise ValueError(
            f"relative must have shape (n_queries, n_keys) = ({n_queries}, {n_keys}), "
            f"got {distances.shape}"
        )
    frequencies = pairs.inverse_frequencies(inv_freq)
    rotary_dim, head_dim = 2 * len(frequencies), q.shape[-1]
    if rotary_dim > head_dim:
        raise ValueError(
            f"inv_freq must turn at most head_dim = {head_dim} features, two an entry, "
            f"got {len(frequencies)} entries"
        )
    pairs.check_layout(layout)
    pairs.check_where(where)

    turning, passing = pairs.split_features(head_dim, rotary_dim, where)
    columns = pairs.pair_columns(rotary_dim, pairs.read_pairing(layout))
    q_pairs, k_pairs = (_complex_pairs(x[..., turning], columns) for x in (q, k))
    scores = q[..., passing].astype(np.float64) @ k[..., passing].swapaxes(-1, -2)
    for i, frequency in enumerate(frequencies):  # one by one, or all angles would be held at once
        turned = turn(distances[..., None], ExactFrequencies(np.array([frequency]), np.zeros(1)))
        product = q_pairs[..., :, None, i].conj() * k_pairs[..., None, :, i]
        scores = scores + (product * turned[..., 0]).real
    return scores.astype(np.result_type(q, k)).reshape(*leading, n_queries, n_keys)


def _complex_pairs(x: Floats, columns: tuple[slice, slice]) -> NDArray[np.complex128]:
    first, second = columns
    numbers: NDArray[np.complex128] = x[..., first] + 1j * x[..., second].astype(np.float64)
    return numbers
