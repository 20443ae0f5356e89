"""Relative position vectors of Shaw et al. Result: score terms, and a term on the values.

Each distance between two tokens has a learned vector. It is added to the key
before the query meets it, so how much a distance counts depends on what the
query looks for. A second table may do the same to the values.

    score[m, n] = q[m] · (k[n] + key_table[c]) / sqrt(head_dim)
    output[m]   = sum over n of weight[m, n] * (v[n] + value_table[c])
    c           = clip(n - m, -K, K) + K

m is the position of the query, n of the key, K the largest distance with a
row of its own; so row 0 is the far past, row K the token itself, row 2K the
far future. All heads share the tables, unless these have an axis for heads.

Source: Shaw, Uszkoreit and Vaswani (2018), arXiv:1803.02155, section 3.1,
equations 3 and 4; section 3.2 for the clip; section 3.3 for the order of work
used here, in which no vector for a pair of tokens is ever made.

Where released models (transformers 5.24.0) differ: VITS has both tables and
lets a distance beyond them add nothing, where the paper clips; Wav2Vec2-BERT
("relative_key") has a table for the keys alone, with more rows for the past
than for the future; SpeechT5 and Granite Speech count query minus key, so
their rows come in reverse: give `table[::-1]`. SpeechT5 has K rows for the
future and K - 1 for the past.
"""

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.attention import attention_weights
from posenc_ref.kinds import Floats
from posenc_ref.operands import check_leading_axes, queries_and_keys, score_scale
from posenc_ref.positions import relative_positions

Beyond: TypeAlias = Literal["clip", "zero"]


def shaw_scores(
    q: ArrayLike,
    k: ArrayLike,
    key_table: ArrayLike,
    *,
    beyond: Beyond,
    left: int | None = None,
    scale: float | None = None,
) -> NDArray[np.floating]:
    """Scores of content and relative position, before mask and softmax.

        scores[m, n] = scale * q[m] · (k[n] + key_table[row])
        row          = (n - m) + left

    For the outputs see `shaw_attention`.

    Args:
        q: Queries, shape `(..., n_queries, head_dim)`. The last query stands on
            the last key; leading axes of all arguments broadcast.
        k: Keys, shape `(..., n_keys, head_dim)`, at least as many as queries.
        key_table: One vector for each relative position key - query, from
            -`left` on, finite, shape `(n_rows, head_dim)`, or
            `(n_heads, n_rows, head_dim)` if heads have their own.
        beyond: What a distance without a row adds: `"clip"` for the first or
            last row (the paper, SpeechT5, Wav2Vec2-BERT), `"zero"` for nothing
            (VITS).
        left: Number of tokens to the past that have a row, from 0 to n_rows - 1;
            `(n_rows - 1) // 2` if not given, for which `n_rows` must be odd.
            Wav2Vec2-BERT has 64, and 8 to the future.
        scale: Factor on the scores, finite; 1 / sqrt(head_dim) if not given.

    Returns:
        Scores without unit, shape `(..., n_queries, n_keys)`, float64 unless
        all arrays are float32.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or an argument breaks the rule stated
            with it.

    Examples:
        >>> from posenc_ref import shaw_scores
        >>> table = [[1.0], [0.0], [5.0]]  # the past counts 1, the future 5
        >>> shaw_scores([[1.0]] * 3, [[0.0]] * 3, table, beyond="clip")
        array([[0., 5., 5.],
               [1., 0., 5.],
               [1., 1., 0.]])
        >>> shaw_scores([[1.0]] * 3, [[0.0]] * 3, table, beyond="zero")
        array([[0., 5., 0.],
               [1., 0., 5.],
               [0., 1., 0.]])
    """
    queries, keys = queries_and_keys(q, k)
    n_queries, head_dim = queries.shape[-2:]
    table = _key_table(key_table, head_dim)
    rows = _rows(n_queries, keys.shape[-2], table.shape[-2], beyond, left)
    factor = score_scale(scale, head_dim)
    check_leading_axes(q=queries.shape[:-2], k=keys.shape[:-2], key_table=table.shape[:-2])
    scores: Floats = factor * (
        queries @ keys.swapaxes(-1, -2) + _position_term(queries, table, rows)
    )
    return scores


def shaw_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    key_table: ArrayLike,
    value_table: ArrayLike | None = None,
    *,
    beyond: Beyond,
    left: int | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[np.floating]:
    """Attention in which distances have vectors, on the keys and on the values.

        weights   = softmax over the keys of shaw_scores(...)
        output[m] = sum over n of weights[m, n] * (v[n] + value_table[row])

    Args:
        q: As in `shaw_scores`.
        k: As in `shaw_scores`.
        v: Values, shape `(..., n_keys, d_v)`.
        key_table: As in `shaw_scores`.
        value_table: As many vectors as `key_table` has, in the same order,
            finite, shape `(n_rows, d_v)` or with an axis for heads before; none
            (SpeechT5, Wav2Vec2-BERT, Granite Speech) if not given.
        beyond: As in `shaw_scores`, for both tables.
        left: As in `shaw_scores`, for both tables.
        mask: As in `attention_weights`.
        scale: As in `shaw_scores`.

    Returns:
        For each query the weighted mean, in the unit of the values, shape
        `(..., n_queries, d_v)`, float64 unless all arrays are float32. A query
        that may attend to no key gets zeros.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or an argument breaks the rule stated
            with it.

    Examples:
        >>> from posenc_ref import shaw_attention
        >>> q, k, v = [[0.0]] * 2, [[0.0]] * 2, [[0.0], [4.0]]  # equal scores
        >>> keys, values = [[0.0]] * 3, [[10.0], [0.0], [20.0]]
        >>> shaw_attention(q, k, v, keys, beyond="clip")
        array([[2.],
               [2.]])
        >>> shaw_attention(q, k, v, keys, values, beyond="clip")  # half of 20, half of 10
        array([[12.],
               [ 7.]])
    """
    queries, keys = queries_and_keys(q, k)
    (n_queries, head_dim), n_keys = queries.shape[-2:], keys.shape[-2]
    contents = checks.real_array("v", v, n_keys, "d_v", leading=True)
    table = _key_table(key_table, head_dim)
    n_rows = table.shape[-2]
    values = None
    if value_table is not None:
        shape = (n_rows, contents.shape[-1])
        values = checks.real_array("value_table", value_table, *shape, leading=True, finite=True)
    rows = _rows(n_queries, n_keys, n_rows, beyond, left)
    factor = score_scale(scale, head_dim)
    check_leading_axes(
        q=queries.shape[:-2],
        k=keys.shape[:-2],
        v=contents.shape[:-2],
        key_table=table.shape[:-2],
        value_table=() if values is None else values.shape[:-2],
    )

    bias = factor * _position_term(queries, table, rows)
    weights = attention_weights(queries, keys, bias=bias, mask=mask, scale=factor)
    output: Floats = weights @ contents
    if values is not None:
        output = output + _weights_by_row(weights, n_rows, rows) @ values
    return output


class _Rows(NamedTuple):
    """Which row of the table serves each pair of tokens. Both `(n_queries, n_keys)`."""

    row: NDArray[np.int64]
    counts: NDArray[np.bool_]


def _key_table(key_table: ArrayLike, head_dim: int) -> Floats:
    table = checks.real_array("key_table", key_table, "n_rows", head_dim, leading=True, finite=True)
    if table.shape[-2] < 1:
        raise ValueError(f"key_table must have at least 1 row, got shape {table.shape}")
    return table


def _rows(n_queries: int, n_keys: int, n_rows: int, beyond: Beyond, left: int | None) -> _Rows:
    checks.one_of("beyond", beyond, ("clip", "zero"))
    if left is not None:
        left = checks.whole_number("left", left, at_least=0, at_most=n_rows - 1)
    elif n_rows % 2:
        left = n_rows // 2
    else:
        raise ValueError(
            f"left must be given if key_table has an even number of rows, got {n_rows}"
        )
    wanted = relative_positions(n_queries, n_keys) + left
    row = np.clip(wanted, 0, n_rows - 1)
    return _Rows(row, np.full_like(row, True, np.bool_) if beyond == "clip" else row == wanted)


def _position_term(queries: Floats, table: Floats, rows: _Rows) -> Floats:
    """For each pair q · table[row]: all products with the table first, then the choice."""
    by_row = queries @ table.swapaxes(-1, -2)  # (..., n_queries, n_rows)
    n_queries = len(rows.row)
    return np.where(rows.counts, by_row[..., np.arange(n_queries)[:, None], rows.row], 0)


def _weights_by_row(weights: Floats, n_rows: int, rows: _Rows) -> Floats:
    """The weights of all keys that one row serves, added up: `(..., n_queries, n_rows)`."""
    by_row = np.zeros((*weights.shape[:-1], n_rows), weights.dtype)
    query = np.arange(len(rows.row))[:, None]
    cells: Any = (..., query, rows.row)  # the annotations of `at` know no ellipsis
    np.add.at(by_row, cells, np.where(rows.counts, weights, 0))
    return by_row
