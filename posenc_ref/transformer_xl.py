"""Transformer-XL's relative attention. Result: score terms, of content and distance.

The product of two token vectors that each hold a content and a position has
four parts. Transformer-XL keeps the four, but takes the distance for the
position of the key, and a learned vector for that of the query, since where a
query stands must not matter.

    score[m, n] = ((q[m] + u) · k[n] + (q[m] + v) · r[m - n]) / sqrt(head_dim)

r[m - n] is the sinusoidal row of the distance m - n, projected by a matrix of
its own into each head; u and v are one vector a head.

Source: Dai et al. (2019), arXiv:1901.02860, section 3.3; appendix B for the
shift. Released code (transformers 5.24.0): XLNet and the conformers (such as
Wav2Vec2-Conformer) attend both ways, so distances go below 0. XLNet has one
more term, for segments, which is left out here, and one more row, which it
never reads.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Floats
from posenc_ref.operands import check_leading_axes, queries_and_keys, score_scale
from posenc_ref.positions import relative_positions


def transformer_xl_distances(n_queries: int, n_keys: int, *, causal: bool) -> NDArray[np.int64]:
    """The distances that need a row of r, in the order of its rows.

        n_keys - 1, n_keys - 2, ..., 0                  causal
        n_keys - 1, n_keys - 2, ..., -(n_queries - 1)   otherwise

    A distance here is query - key, as in the paper, so the past is positive:
    the rows of r are the sines and cosines of these very numbers.

    Args:
        n_queries: Number of query tokens, from 1 to `n_keys`.
        n_keys: Number of key tokens, at least 1.
        causal: `True` for the past alone (Transformer-XL), `False` for both
            ways (XLNet, conformers).

    Returns:
        Distances in tokens, int64, shape `(n_keys,)` if causal, else
        `(n_keys + n_queries - 1,)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `n_keys` is below 1 or `n_queries` is not in 1..`n_keys`.

    Examples:
        >>> from posenc_ref import sinusoidal_at, transformer_xl_distances
        >>> transformer_xl_distances(3, 3, causal=False)
        array([ 2,  1,  0, -1, -2])
        >>> transformer_xl_distances(2, 4, causal=True)  # two tokens are cached
        array([3, 2, 1, 0])
        >>> distances = transformer_xl_distances(3, 3, causal=False)
        >>> sinusoidal_at(distances, 8, layout="concatenated").shape  # then project it
        (5, 8)
    """
    n_keys = checks.whole_number("n_keys", n_keys, at_least=1)
    n_queries = checks.whole_number("n_queries", n_queries, at_least=1, at_most=n_keys)
    below_zero = 0 if checks.flag("causal", causal) else n_queries - 1
    checks.result_fits(n_keys=n_keys + below_zero)
    return np.arange(n_keys - 1, -below_zero - 1, -1, dtype=np.int64)


def relative_shift(scores: ArrayLike) -> NDArray[np.floating]:
    """Turn a column for each distance into a column for each key, by one reshape.

    Row m holds the scores of query m for distances that fall by one from column
    to column, the same distances in each row. The last query stays as it is;
    each query before it moves one column further left:

        result[m, n] = scores[m, n + (n_queries - 1 - m)]

    Where that column does not exist, the entry is junk: a 0, then the beginning
    of the next row. With `n_keys` columns (the past alone) these are the keys
    after the query, and a mask must hide them; with `n_keys + n_queries - 1`
    columns, the first `n_keys` are sound and the rest is cut off.

    The trick: put a zero before each row, and read the same numbers as rows one
    shorter. Each row then begins one entry later in its own numbers.

    Args:
        scores: Any numbers, shape `(..., n_queries, n_distances)` with at least
            as many distances as queries.

    Returns:
        The same numbers moved, in their unit, shape
        `(..., n_queries, n_distances)`.

    Raises:
        TypeError: If `scores` does not hold numbers.
        ValueError: If there are fewer distances than queries, or not two axes.

    Examples:
        >>> from posenc_ref import relative_shift
        >>> relative_shift([[2.0, 1.0, 0.0], [5.0, 4.0, 3.0], [8.0, 7.0, 6.0]])
        array([[0., 0., 5.],
               [4., 3., 0.],
               [8., 7., 6.]])
    """
    by_distance = checks.real_array("scores", scores, "n_queries", "n_distances", leading=True)
    *leading, n_queries, n_distances = by_distance.shape
    if n_distances < n_queries:
        raise ValueError(
            f"scores must have at least as many distances as queries, got shape {by_distance.shape}"
        )
    padding = np.zeros((*leading, n_queries, 1), by_distance.dtype)
    padded = np.concatenate([padding, by_distance], axis=-1)
    turned = padded.reshape(*leading, n_distances + 1, n_queries)
    return turned[..., 1:, :].reshape(by_distance.shape)


def transformer_xl_scores(
    q: ArrayLike,
    k: ArrayLike,
    r: ArrayLike,
    u_bias: ArrayLike,
    v_bias: ArrayLike,
    *,
    scale: float | None = None,
) -> NDArray[np.floating]:
    """Scores of content and distance, before mask and softmax.

        scores[m, n] = scale * ((q[m] + u_bias) · k[n] + (q[m] + v_bias) · r[row])
        row          = n_keys - 1 - (m - n)

    m and n are positions, and the last query stands on the last key. For the
    outputs, `attention(q, k, v, bias=scores, scale=0.0)`, which leaves its own
    q · k out.

    Args:
        q: Queries, shape `(..., n_queries, head_dim)`; leading axes of all
            arguments broadcast.
        k: Keys, shape `(..., n_keys, head_dim)`, at least as many as queries.
        r: One vector for each distance of `transformer_xl_distances`, in that
            order and projected, finite, shape `(..., n_distances, head_dim)`:
            the far past first. `n_distances` is `n_keys` for the past alone, or
            `n_keys + n_queries - 1` for both ways.
        u_bias: Stands for the query in the content term, finite, shape
            `(n_heads, head_dim)`, or `(head_dim,)` without heads. In XLNet
            `r_w_bias`, in conformers `pos_bias_u`.
        v_bias: Stands for the query in the distance term, likewise. In XLNet
            `r_r_bias`, in conformers `pos_bias_v`.
        scale: Factor on the scores, finite; 1 / sqrt(head_dim) if not given.

    Returns:
        Scores without unit, shape `(..., n_queries, n_keys)`, float64 unless
        all arrays are float32. If `r` has the past alone, a key after the query
        gets -inf: it has no row to score with.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or an argument breaks the rule stated
            with it.

    Examples:
        >>> from posenc_ref import transformer_xl_scores
        >>> q, k, r = [[0.0]] * 3, [[0.0]] * 3, [[20.0], [10.0], [0.0]]  # of distance 2, 1, 0
        >>> transformer_xl_scores(q, k, r, u_bias=[0.0], v_bias=[1.0])
        array([[  0., -inf, -inf],
               [ 10.,   0., -inf],
               [ 20.,  10.,   0.]])
    """
    queries, keys = queries_and_keys(q, k)
    (n_queries, head_dim), n_keys = queries.shape[-2:], keys.shape[-2]
    by_distance = checks.real_array("r", r, "n_distances", head_dim, leading=True, finite=True)
    if by_distance.shape[-2] not in (n_keys, n_keys + n_queries - 1):
        raise ValueError(
            f"r must have {n_keys} rows (n_keys, the past alone) or {n_keys + n_queries - 1} "
            f"(n_keys + n_queries - 1, both ways), got shape {by_distance.shape}"
        )
    u = checks.real_array("u_bias", u_bias, head_dim, leading=True, finite=True)
    v = checks.real_array("v_bias", v_bias, head_dim, leading=True, finite=True)
    factor = score_scale(scale, head_dim)
    check_leading_axes(
        q=queries.shape[:-2],
        k=keys.shape[:-2],
        r=by_distance.shape[:-2],
        u_bias=u.shape[:-1],
        v_bias=v.shape[:-1],
    )

    content = (queries + u[..., None, :]) @ keys.swapaxes(-1, -2)
    distance = relative_shift((queries + v[..., None, :]) @ by_distance.swapaxes(-1, -2))
    scores: Floats = factor * (content + distance[..., :n_keys])
    if by_distance.shape[-2] == n_keys:
        scores = np.where(relative_positions(n_queries, n_keys) <= 0, scores, -np.inf)
    return scores
