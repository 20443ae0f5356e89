"""Decomposed relative positions. Result: score terms, from the query and one table an axis.

A query asks one learned vector for each distance in rows, and one for each
distance in columns, how much it wants a key that far away. Both answers are
added to the score:

    term[query, key] = q . row_table[dy] + q . column_table[dx]

with dy and dx the row and the column of the query minus those of the key,
counted from the smallest. Two tables of 2 n - 1 rows replace one of (2 n - 1)
squared, and the term reads the content, which a bias does not.

Source: Li et al. (2021), arXiv:2112.01526, decomposed relative position
embeddings (MViTv2); Li et al. (2022), arXiv:2203.16527 (ViTDet); Kirillov et al.
(2023), arXiv:2304.02643 (SAM). What is scaled, and how grids of two sizes meet,
are those of released code.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks


def decomposed_bias(
    q: ArrayLike,
    row_table: ArrayLike,
    column_table: ArrayLike,
    query_size: tuple[int, int],
    key_size: tuple[int, int],
) -> NDArray[np.floating]:
    """What each query adds for the row and the column of each key.

    The term is added to the scores after those are scaled by 1 / sqrt(head_dim);
    the queries in it are not scaled. Along an axis of n_q and n_k patches, query
    i and key j read the row

        i * max(n_k / n_q, 1) - j * max(n_q / n_k, 1) + (n_k - 1) * max(n_q / n_k, 1)

    which is i - j + n - 1 where both have n. The sizes differ only where a model
    pools its keys or its queries (MViTv2). Patches are numbered row by row, and
    a class token, if there is one, is left out.

    Args:
        q: Queries before scaling, shape `(..., n_queries, head_dim)`, with
            `n_queries` the product of `query_size`.
        row_table: A vector for each distance in rows, finite, shape
            `(2 * max(query_size[0], key_size[0]) - 1, head_dim)`. Released code
            resizes a table of another length by linear interpolation: see
            `resize_window_table`.
        column_table: A vector for each distance in columns, likewise.
        query_size: Rows and columns of the grid of queries, each at least 1.
        key_size: Rows and columns of the grid of keys. Along each axis one size
            must be a multiple of the other.

    Returns:
        Terms in score units, shape `(..., n_queries, n_keys)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, sizes are below 1 or no multiples, or a
            table is not finite.

    Examples:
        >>> from posenc_ref import decomposed_bias
        >>> q = [[1.0], [10.0]]  # two patches in one row
        >>> decomposed_bias(q, [[0.0]], [[1.0], [2.0], [3.0]], (1, 2), (1, 2))
        array([[ 2.,  1.],
               [30., 20.]])
    """
    query_height, query_width = checks.height_and_width("query_size", query_size)
    key_height, key_width = checks.height_and_width("key_size", key_size)
    n_queries, n_keys = query_height * query_width, key_height * key_width
    _check_multiples("rows", query_height, key_height)
    _check_multiples("columns", query_width, key_width)
    queries = checks.real_array("q", q, n_queries, "head_dim", leading=True)
    head_dim = queries.shape[-1]
    n_rows, n_columns = 2 * max(query_height, key_height) - 1, 2 * max(query_width, key_width) - 1
    by_row = checks.real_array("row_table", row_table, n_rows, head_dim, finite=True)
    by_column = checks.real_array("column_table", column_table, n_columns, head_dim, finite=True)
    checks.result_fits(query_size=n_queries, key_size=n_keys)

    row_index = _table_rows(query_height, key_height)
    column_index = _table_rows(query_width, key_width)
    grid = queries.reshape(*queries.shape[:-2], query_height, query_width, head_dim)
    rows = np.einsum("...yxd,ykd->...yxk", grid, by_row[row_index])
    columns = np.einsum("...yxd,xkd->...yxk", grid, by_column[column_index])
    terms: NDArray[np.floating] = (
        rows[..., :, None] + columns[..., None, :]
    )  # (..., Hq, Wq, Hk, Wk)
    return terms.reshape(*queries.shape[:-1], n_keys)


def _check_multiples(axis: str, n_queries: int, n_keys: int) -> None:
    if max(n_queries, n_keys) % min(n_queries, n_keys):
        raise ValueError(
            f"query_size and key_size must be multiples one of the other in {axis}, "
            f"got {n_queries} and {n_keys}"
        )


def _table_rows(n_queries: int, n_keys: int) -> NDArray[np.int64]:
    """The row of the table for each query and key along one axis, shape `(n_queries, n_keys)`."""
    query_step, key_step = max(n_keys // n_queries, 1), max(n_queries // n_keys, 1)
    queries = np.arange(n_queries) * query_step
    keys = np.arange(n_keys) * key_step
    return queries[:, None] - keys[None, :] + (n_keys - 1) * key_step
