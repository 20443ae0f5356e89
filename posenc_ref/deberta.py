"""DeBERTa's disentangled attention. Result: score terms, of content and distance.

Two learned tables hold a vector for each distance, one that meets queries and
one that meets keys. A score adds what the two contents say to each other, what
the query says to the distance, and what the distance says to the key:

    score[m, n] = (q[m] · k[n] + q[m] · Kr[i] + k[n] · Qr[j]) / sqrt(3 head_dim)
    i           = clip(m - n + span, 0, 2 span - 1)

m is the position of the query, n of the key. So row 0 is the far future, row
`span` the token itself, the last row the far past. The paper takes the other
direction for j, clip(n - m + span, 0, 2 span - 1); released code (the authors'
and transformers 5.24.0) takes j = i. Weights trained with one do not work with
the other.

Source: He, Liu, Gao and Chen (2021), arXiv:2006.03654, section 3.1, equations
2 to 4 and algorithm 1. The buckets came with DeBERTa version 2, in released
code alone.
"""

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Floats
from posenc_ref.operands import check_leading_axes, queries_and_keys
from posenc_ref.positions import relative_positions

Whole: TypeAlias = NDArray[np.int64]


def deberta_buckets(relative: ArrayLike, *, n_buckets: int, max_distance: int) -> NDArray[np.int64]:
    """Distances with far ones in common buckets, as in DeBERTa versions 2 and 3.

    Up to half of the buckets, a distance is its own bucket. From there on they
    widen by a common factor, and the last one ends at `max_distance` - 1:

        mid    = n_buckets // 2
        bucket = min(t, mid) + ceil((mid - 1) * log(t / mid) / log((max_distance - 1) / mid))

    for a distance t, the second part being 0 up to `mid`. The sign is that of
    `relative`, so either direction may be given. Released code works in float32,
    and in a few settings puts a distance that just ends its bucket into the next
    (24 of 18 buckets to 65; none of 256 to 512, which released models have).

    Args:
        relative: Signed distances, whole numbers less than 2**53 in size, in
            tokens, any shape.
        n_buckets: Number of buckets on one side, at least 2 (with 2 or 3, all distances
            from 1 on share one); `position_buckets`
            in configs. The tables have twice as many rows.
        max_distance: Where the last bucket ends, in tokens, at least
            n_buckets // 2 + 2; `max_relative_positions` in configs, or, where
            that is below 1, `max_position_embeddings`.

    Returns:
        Signed numbers of buckets, int64, in the shape of `relative`. Beyond
        `max_distance` they count on, and `deberta_scores` clips them.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import deberta_buckets
        >>> deberta_buckets([0, 4, 5, 8, 9, 16, 17, 32], n_buckets=8, max_distance=33)
        array([0, 4, 5, 5, 6, 6, 7, 7])
        >>> deberta_buckets([-2, -20], n_buckets=8, max_distance=33)
        array([-2, -7])
    """
    whole = checks.array_of("relative", relative, "iu", "whole numbers (int)")
    signed = checks.exact_positions("relative", whole)
    n_buckets = checks.whole_number("n_buckets", n_buckets, at_least=2, at_most=2**53)
    mid = n_buckets // 2
    max_distance = checks.whole_number(
        "max_distance", max_distance, at_least=mid + 2, at_most=2**53
    )

    distance = np.abs(signed)
    widening = np.log(np.maximum(distance, mid) / mid) / math.log((max_distance - 1) / mid)
    # A distance that ends its bucket must not fall over the edge by a rounding error.
    beyond_mid = np.ceil(np.round((mid - 1) * widening, 12))
    buckets: Whole = (np.sign(signed) * (np.minimum(distance, mid) + beyond_mid)).astype(np.int64)
    return buckets


def deberta_scores(
    q: ArrayLike,
    k: ArrayLike,
    key_positions: ArrayLike | None,
    query_positions: ArrayLike | None,
    *,
    index: Literal["code", "paper"],
    max_distance: int | None,
) -> NDArray[np.floating]:
    """Scores of content and distance, before mask and softmax.

        scores[m, n] = (q[m] · k[n] + q[m] · key_positions[i] + k[n] · query_positions[j])
                       / sqrt(n_terms * head_dim)
        i            = clip(m - n + span, 0, 2 span - 1)
        j            = i in code, clip(n - m + span, 0, 2 span - 1) in the paper

    `n_terms` is 3, or 2 if one of the tables is None. With buckets, m - n
    stands for its bucket. For the outputs,
    `attention(q, k, v, bias=scores, scale=0.0)`, which leaves its own q · k out.

    Args:
        q: Queries, shape `(..., n_queries, head_dim)`. The last query stands on
            the last key; leading axes of all arguments broadcast.
        k: Keys, shape `(..., n_keys, head_dim)`, at least as many as queries.
        key_positions: Table of distances projected as keys, which queries meet
            ("c2p" in configs), finite, shape `(n_heads, 2 * span, head_dim)`;
            None if the model has no such term.
        query_positions: Table of distances projected as queries, which keys
            meet ("p2c"), of that shape; None if the model has no such term. One
            of the two must be given.
        index: `"code"` for released models, `"paper"` for the printed equation.
            Only the term of `query_positions` depends on it.
        max_distance: None if each distance has its own row (version 1), else
            the argument of `deberta_buckets`, with n_buckets = span (versions 2
            and 3, whose `position_buckets` is above 0).

    Returns:
        Scores without unit, shape `(..., n_queries, n_keys)`, float64 unless
        all arrays are float32.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or an argument breaks the rule stated
            with it.

    Examples:
        >>> import math
        >>> from posenc_ref import deberta_scores
        >>> q, k = [[math.sqrt(2)]] * 3, [[0.0]] * 3
        >>> table = [[10.0], [1.0], [0.0], [-1.0]]  # of n - m = 2 and on, 1, 0, -1 and back
        >>> deberta_scores(q, k, table, None, index="code", max_distance=None).round(6)
        array([[ 0.,  1., 10.],
               [-1.,  0.,  1.],
               [-1., -1.,  0.]])
    """
    queries, keys = queries_and_keys(q, k)
    (n_queries, head_dim), n_keys = queries.shape[-2:], keys.shape[-2]
    key_table = _table("key_positions", key_positions, head_dim)
    query_table = _table("query_positions", query_positions, head_dim)
    given = [table for table in (key_table, query_table) if table is not None]
    if len({table.shape[-2] for table in given}) != 1:
        raise ValueError(
            "key_positions and query_positions must have one number of rows, and not both be None, "
            f"got shapes {[table.shape for table in given]}"
        )
    span = given[0].shape[-2] // 2
    checks.one_of("index", index, ("code", "paper"))
    relative = relative_positions(n_queries, n_keys)
    if max_distance is not None:
        relative = deberta_buckets(relative, n_buckets=span, max_distance=max_distance)
    check_leading_axes(
        q=queries.shape[:-2],
        k=keys.shape[:-2],
        key_positions=() if key_table is None else key_table.shape[:-2],
        query_positions=() if query_table is None else query_table.shape[:-2],
    )

    # Relative positions are n - m: to subtract one is to add m - n.
    past_last = np.clip(span - relative, 0, 2 * span - 1)
    past_first = np.clip(span + relative, 0, 2 * span - 1)
    scores: Floats = queries @ keys.swapaxes(-1, -2)
    if key_table is not None:
        by_row = queries @ key_table.swapaxes(-1, -2)  # (..., n_queries, 2 * span)
        scores = scores + by_row[..., np.arange(n_queries)[:, None], past_last]
    if query_table is not None:
        by_row = keys @ query_table.swapaxes(-1, -2)  # (..., n_keys, 2 * span)
        row = past_last if index == "code" else past_first
        scores = scores + by_row[..., np.arange(n_keys), row]
    return scores / math.sqrt((1 + len(given)) * head_dim)


def _table(name: str, value: ArrayLike | None, head_dim: int) -> Floats | None:
    if value is None:
        return None
    table = checks.real_array(name, value, "2 * span", head_dim, leading=True, finite=True)
    n_rows = table.shape[-2]
    if n_rows < 2 or n_rows % 2:
        raise ValueError(
            f"{name} must have an even number of rows, at least 2, got shape {table.shape}"
        )
    return table
