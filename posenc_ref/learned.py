"""Learned positions. Result: a table, added to the token vectors.

The table is a parameter of the model, one row a position. There is nothing to
compute and nothing to extrapolate: a position past the last row has no vector.

    x_t + table[position_t]                          text
    x_t + [column_table[column_t] | row_table[row_t]]    images, after DETR

Source: Gehring et al. (2017), arXiv:1705.03122, section 3.1; used by BERT
(arXiv:1810.04805) and GPT-2. Rows and columns: the released code of Carion et
al. (2020), arXiv:2005.12872. Which rows a model reads is a matter of
`positions`: RoBERTa, OPT and BART start at row 2.
"""

import numpy as np
from numpy.typing import ArrayLike

from posenc_ref import checks
from posenc_ref.kinds import Table


def lookup_positions(table: ArrayLike, positions: ArrayLike) -> Table:
    """The row of each position.

    Args:
        table: One row a position, finite in the rows read, shape
            `(n_positions, d_model)`.
        positions: Rows to read, in tokens, from 0 to `n_positions` - 1, shape
            `(...)`. Not checked against the model: see `positions_from_mask`,
            `offset_positions` and `opt_positions` for what models read.

    Returns:
        Position vectors, without unit, shape `(..., d_model)`, float32 if `table`
        is float32 or float16, otherwise float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a position has no row, a row read is not finite, or `table`
            has another shape.

    Examples:
        >>> from posenc_ref import lookup_positions, positions_from_mask
        >>> table = [[0, 1], [2, 3], [4, 5]]
        >>> lookup_positions(table, [2, 0])
        array([[4., 5.],
               [0., 1.]])
        >>> lookup_positions(table, positions_from_mask([0, 1, 1]))  # padded left
        array([[0., 1.],
               [0., 1.],
               [2., 3.]])
    """
    rows = checks.real_array("table", table, "n_positions", "d_model")
    return checks.rows_read(rows, "positions", positions, "position")


def row_column_table(
    row_table: ArrayLike, column_table: ArrayLike, height: int, width: int
) -> Table:
    """A vector for each patch of an image, put together from its column and its row.

        table[row * width + column] = [column_table[column] | row_table[row]]

    The column comes first, in DETR and in Florence-2. An image of any height and
    width that the two tables cover needs no resizing.

    Args:
        row_table: One row for each row of patches, finite, shape
            `(n_rows, n_row_features)`.
        column_table: One row for each column of patches, finite, shape
            `(n_columns, n_column_features)`.
        height: Number of rows of patches, from 1 to `n_rows`.
        width: Number of patches in a row, from 1 to `n_columns`.

    Returns:
        Position vectors, without unit, patches row by row, shape
        `(height * width, n_column_features + n_row_features)`, float32 if both
        tables are float32 or float16, otherwise float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a table is not finite or has another shape, or `height` or
            `width` is not in its range.

    Examples:
        >>> from posenc_ref import row_column_table
        >>> row_column_table([[0.0], [10.0]], [[1.0], [2.0], [3.0]], 2, 3)
        array([[ 1.,  0.],
               [ 2.,  0.],
               [ 3.,  0.],
               [ 1., 10.],
               [ 2., 10.],
               [ 3., 10.]])
    """
    rows = checks.real_array("row_table", row_table, "n_rows", "n_row_features", finite=True)
    columns = checks.real_array(
        "column_table", column_table, "n_columns", "n_column_features", finite=True
    )
    height = checks.whole_number("height", height)
    width = checks.whole_number("width", width)
    if not 1 <= height <= len(rows):
        raise ValueError(f"height must be in 1..{len(rows)} (rows of row_table), got {height}")
    if not 1 <= width <= len(columns):
        raise ValueError(f"width must be in 1..{len(columns)} (rows of column_table), got {width}")
    return np.concatenate(
        [np.tile(columns[:width], (height, 1)), np.repeat(rows[:height], width, axis=0)], axis=1
    )
