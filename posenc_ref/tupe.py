"""TUPE, untied positional encoding. Result: score terms, of content and of positions.

Words and positions are not added up, they score apart, each with projections
of its own. The first token, [CLS], stands for the whole text and not for a
place, so its position scores are replaced by two learned numbers a head.

    score[m, n]    = q[m] · k[n] / sqrt(2 head_dim) + position[m, n]
    position[m, n] = from_cls                                      if m is [CLS]
                     to_cls                                        if n is [CLS], m is not
                     pq[m] · pk[n] / sqrt(2 head_dim) + bias[m, n]   otherwise

pq and pk are the absolute positions, projected as queries and as keys. The
position scores are the same in every layer, so a model computes them once.
Variant TUPE-A has no bias; TUPE-R adds one, such as that of T5.

Source: Ke, He and Liu (2021), arXiv:2006.15595, section 3, equations 7 to 11.
The authors' code was read and not run, and no library that we record from has
the scheme. It takes a layer norm of the positions first and gives pq and pk a
learned bias; it makes the two numbers from rows of its table, each row's pq
times its pk: from_cls of a row before the first, to_cls of the row of [CLS];
and in variant R it adds one more learned number to each.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Floats
from posenc_ref.operands import check_leading_axes, queries_and_keys


def tupe_scores(
    q: ArrayLike,
    k: ArrayLike,
    position_q: ArrayLike,
    position_k: ArrayLike,
    *,
    from_cls: ArrayLike | None,
    to_cls: ArrayLike | None,
    bias: ArrayLike | None = None,
) -> NDArray[np.floating]:
    """Scores of content and positions, before mask and softmax.

        scores = q @ k.T / sqrt(2 * head_dim) + position
        position = position_q @ position_k.T / sqrt(2 * head_dim) + bias

    where the row of [CLS] in `position` is `from_cls`, and its column in all
    other rows `to_cls`. For the outputs,
    `attention(q, k, v, bias=scores, scale=0.0)`, which leaves its own q · k out.

    Args:
        q: Queries of the words alone, shape `(..., n_queries, head_dim)`. The
            last query stands on the last key; leading axes of all arguments
            broadcast.
        k: Keys of the words alone, shape `(..., n_keys, head_dim)`. The first
            key is [CLS].
        position_q: Positions of the queries, projected as queries, finite,
            shape `(..., n_queries, head_dim)`.
        position_k: Positions of the keys, projected as keys, finite, shape
            `(..., n_keys, head_dim)`.
        from_cls: Position score of [CLS] with every token, itself included,
            finite: a number, or shape `(n_heads,)`. Theta 1 in the paper.
        to_cls: Position score of every other token with [CLS], likewise. Theta
            2 in the paper. None for both leaves [CLS] a token like others, as
            the paper does for comparison.
        bias: Relative term of variant R, per head, not divided by anything,
            finite, shape `(..., n_queries, n_keys)`; variant A if not given.

    Returns:
        Scores without unit, shape `(..., n_queries, n_keys)`, float64 unless
        all arrays are float32.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, if an entry is not finite, or if only
            one of `from_cls` and `to_cls` is None.

    Examples:
        >>> import math
        >>> from posenc_ref import tupe_scores
        >>> word, place = [[0.0]] * 3, [[0.0], [1.0], [2.0]]  # places 0, 1, 2
        >>> size = [[math.sqrt(2)]] * 3
        >>> tupe_scores(word, word, place, size, from_cls=7.0, to_cls=5.0).round(6)
        array([[7., 7., 7.],
               [5., 1., 1.],
               [5., 2., 2.]])
    """
    queries, keys = queries_and_keys(q, k)
    (n_queries, head_dim), n_keys = queries.shape[-2:], keys.shape[-2]
    pq = checks.real_array("position_q", position_q, n_queries, head_dim, leading=True, finite=True)
    pk = checks.real_array("position_k", position_k, n_keys, head_dim, leading=True, finite=True)
    if (from_cls is None) != (to_cls is None):
        raise ValueError(f"to_cls must be None if from_cls is, and only then, got {to_cls!r}")
    leaving = None if from_cls is None else _per_head("from_cls", from_cls)
    reaching = None if to_cls is None else _per_head("to_cls", to_cls)
    relative = None
    if bias is not None:
        relative = checks.real_array("bias", bias, n_queries, n_keys, leading=True, finite=True)
    check_leading_axes(
        q=queries.shape[:-2],
        k=keys.shape[:-2],
        position_q=pq.shape[:-2],
        position_k=pk.shape[:-2],
        from_cls=() if leaving is None else leaving.shape[:-2],
        to_cls=() if reaching is None else reaching.shape[:-2],
        bias=() if relative is None else relative.shape[:-2],
    )

    scale = 1 / math.sqrt(2 * head_dim)
    position: Floats = scale * (pq @ pk.swapaxes(-1, -2))
    if relative is not None:
        position = position + relative
    if leaving is not None and reaching is not None:
        place = np.arange(n_keys)
        position = np.where(place == 0, reaching, position)
        position = np.where(place[-n_queries:, None] == 0, leaving, position)
    return scale * (queries @ keys.swapaxes(-1, -2)) + position


def _per_head(name: str, value: ArrayLike) -> Floats:
    """A number, or one for each head, as an array that broadcasts against scores."""
    array = checks.array_of(name, value, "iuf", "numbers (int or float)")
    axes = ["n_heads"][: array.ndim]
    if isinstance(value, int | float) and not isinstance(value, np.generic):
        # A number of Python has no width, and must not widen float32 scores.
        array = array.astype(np.float32)
    return checks.real_array(name, array, *axes, finite=True)[..., None, None]
