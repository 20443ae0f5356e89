"""Window tables. Result: a bias on the scores of the patches in a window of an image.

The patches of a window stand in a grid, and the score of two of them gets a
learned number that depends only on how many rows and columns lie between them.
A window of H x W patches has (2 H - 1)(2 W - 1) such offsets. For patches
numbered row by row, with dh and dw the row and the column of the *query* minus
those of the *key*,

    bias[query, key] = table[(dh + H - 1)(2 W - 1) + (dw + W - 1)]

with one column of the table for each head. The offset has the opposite sign of
the relative positions in the rest of the package, because released tables are
stored that way round.

Swin and Donut have patches alone; BEiT has a class token in front and three
more rows, for the pairs that it takes part in. Swin v2 stores no table: a small
network makes one from the offsets, so that another window needs no resizing.

Source: Liu et al. (2021), arXiv:2103.14030, equation 4 (Swin); Liu et al.
(2021), arXiv:2111.09883, log-spaced continuous position bias (Swin v2); Bao et
al. (2021), arXiv:2106.08254 (BEiT). The order of the three rows, the resizing
and the scale of the offsets are those of released code.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Bias
from posenc_ref.positions import relative_positions

CLASS_ROWS = 3  # class token to patch, patch to class token, class token to itself


def window_index(height: int, width: int, *, class_token: bool = False) -> NDArray[np.int64]:
    """Which row of the table each pair of patches reads.

    With dh and dw the row and column of the query minus those of the key,

        index[query, key] = (dh + height - 1)(2 width - 1) + (dw + width - 1)

    A step of 2 width - 1 from one dh to the next keeps all offsets apart. A
    class token is token 0, and its pairs read the last three rows of the table:
    first class token to patch (the class token is the query), then patch to
    class token, then class token to itself.

    Args:
        height: Rows of patches in the window, at least 1.
        width: Columns of patches in the window, at least 1.
        class_token: Whether a class token stands before the patches, as in BEiT.

    Returns:
        Row numbers, int64, shape `(n, n)` (queries, keys), with n the number of
        tokens: `height * width`, and one more with a class token.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `height` or `width` is below 1.

    Examples:
        >>> from posenc_ref import window_index
        >>> window_index(2, 2)
        array([[4, 3, 1, 0],
               [5, 4, 2, 1],
               [7, 6, 4, 3],
               [8, 7, 5, 4]])
        >>> window_index(1, 2, class_token=True)  # 3 offsets, then rows 3, 4 and 5
        array([[5, 3, 3],
               [4, 1, 0],
               [4, 2, 1]])
    """
    height, width = _window(height, width)
    class_token = checks.flag("class_token", class_token)
    n_offsets = (2 * height - 1) * (2 * width - 1)
    down = -relative_positions(height, height)  # query minus key
    across = -relative_positions(width, width)
    row = (down + height - 1) * (2 * width - 1)
    column = across + width - 1
    pairs = row[:, None, :, None] + column[None, :, None, :]  # (H, W, H, W)
    index = pairs.reshape(height * width, height * width)
    if class_token:
        index = np.pad(index, ((1, 0), (1, 0)))
        index[0, :] = n_offsets
        index[:, 0] = n_offsets + 1
        index[0, 0] = n_offsets + 2
    return index


def window_bias(table: ArrayLike, height: int, width: int, *, class_token: bool = False) -> Bias:
    """The bias that a learned table gives, added after the scores are scaled.

        bias[head, query, key] = table[index[query, key], head]

    with the index of `window_index`.

    Args:
        table: Learned numbers, finite, shape `(n_rows, n_heads)`, with
            `(2 * height - 1) * (2 * width - 1)` rows, and 3 more with a class token.
        height: Rows of patches in the window, at least 1.
        width: Columns of patches in the window, at least 1.
        class_token: Whether a class token stands before the patches, as in BEiT.

    Returns:
        Bias in score units, shape `(n_heads, n, n)`, with n tokens as in
        `window_index`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a size is below 1, or the table does not fit it or is not
            finite.

    Examples:
        >>> from posenc_ref import window_bias
        >>> window_bias([[0.1], [0.5], [0.2]], 1, 2)  # offsets -1, 0 and 1
        array([[[0.5, 0.1],
                [0.2, 0.5]]])
    """
    height, width = _window(height, width)
    class_token = checks.flag("class_token", class_token)
    rows = _rows(table, height, width, class_token)
    index = window_index(height, width, class_token=class_token)
    return rows.T[:, index]


def resize_window_table(
    table: ArrayLike,
    size: tuple[int, int],
    new_size: tuple[int, int],
    *,
    class_token: bool = False,
) -> NDArray[np.floating]:
    """The table for another window, by linear interpolation between the offsets.

    Along each axis the table is read as a row of cells of equal width, and the
    cell i of the new table reads the old one at

        (i + 1/2) * n_old / n_new - 1/2

    held within the first and the last cell; n is 2 height - 1 or 2 width - 1.
    The rows of a class token are kept. This is what the transformers library
    does to the tables of BEiT and Data2Vec for a square old window; other
    releases interpolate in other ways. Its code takes height for width in the
    old window, so that a table for one that is not square comes out scrambled,
    even at its own size.

    Args:
        table: Learned numbers, finite, shape `(n_rows, n_features)`, as in
            `window_bias`. A column is a head; the tables of `decomposed_bias`,
            which have one axis, fit in with a height of 1.
        size: Rows and columns of patches in the window of the table, each at
            least 1.
        new_size: Rows and columns of patches in the window wanted, each at
            least 1.
        class_token: Whether the last three rows are those of a class token.

    Returns:
        The new table, in the unit of the old, shape `(n_new_rows, n_features)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a size is no pair or below 1, or the table does not fit
            `size` or is not finite.

    Examples:
        >>> from posenc_ref import resize_window_table
        >>> table = [[0.0], [3.0], [6.0]]  # offsets -1, 0 and 1
        >>> resize_window_table(table, (1, 2), (1, 3)).round(3).T  # offsets -2 to 2
        array([[0. , 1.2, 3. , 4.8, 6. ]])
    """
    height, width = checks.height_and_width("size", size)
    new_height, new_width = checks.height_and_width("new_size", new_size)
    class_token = checks.flag("class_token", class_token)
    rows = _rows(table, height, width, class_token)
    checks.result_fits(
        n_rows=2 * new_height - 1, n_columns=2 * new_width - 1, n_features=rows.shape[1]
    )
    n_offsets = (2 * height - 1) * (2 * width - 1)
    grid = rows[:n_offsets].reshape(2 * height - 1, 2 * width - 1, -1)
    grid = _resized(grid, 2 * new_height - 1)
    grid = _resized(grid.swapaxes(0, 1), 2 * new_width - 1).swapaxes(0, 1)
    return np.concatenate([grid.reshape(-1, rows.shape[1]), rows[n_offsets:]])


def window_coordinates(
    height: int, width: int, *, pretrained_size: tuple[int, int] | None = None
) -> NDArray[np.float64]:
    """Offsets of a window on a logarithmic scale, which the network of Swin v2 reads.

    An offset t along an axis of n patches becomes

        x = 8 t / (n - 1)
        coordinate = sign(x) log2(1 + |x|) / log2(8)

    so the farthest offsets, at x = -8 and 8, lie a little outside -1 and 1.

    Args:
        height: Rows of patches in the window, at least 1.
        width: Columns of patches in the window, at least 1.
        pretrained_size: Rows and columns of the window that the network was
            trained on, each at least 2, which then give n. The window itself
            gives n if not given.

    Returns:
        Coordinates (down, across) of each row of the table, query minus key,
        without unit, float64, shape `((2 * height - 1) * (2 * width - 1), 2)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a size is below what is stated with it, or no pair.

    Examples:
        >>> from posenc_ref import window_coordinates
        >>> window_coordinates(1, 2).round(3)  # log2(9) / 3 is 1.057
        array([[ 0.   , -1.057],
               [ 0.   ,  0.   ],
               [ 0.   ,  1.057]])
    """
    height, width = _window(height, width)
    if pretrained_size is None:
        reach = (max(height - 1, 1), max(width - 1, 1))  # a single patch has the offset 0 alone
    else:
        old_height, old_width = checks.height_and_width(
            "pretrained_size", pretrained_size, at_least=2
        )
        reach = (old_height - 1, old_width - 1)
    down, across = np.meshgrid(
        np.arange(1 - height, height) / reach[0],
        np.arange(1 - width, width) / reach[1],
        indexing="ij",
    )
    x = 8 * np.stack([down.ravel(), across.ravel()], axis=-1)
    coordinates: NDArray[np.float64] = np.sign(x) * np.log2(1 + np.abs(x)) / np.log2(8)
    return coordinates


def continuous_window_bias(
    height: int,
    width: int,
    hidden_weight: ArrayLike,
    hidden_bias: ArrayLike,
    output_weight: ArrayLike,
    *,
    pretrained_size: tuple[int, int] | None = None,
) -> Bias:
    """The bias of Swin v2, whose table comes from a network of two layers.

        table = 16 sigmoid(relu(coordinates @ hidden_weight + hidden_bias) @ output_weight)

    with the coordinates of `window_coordinates`; `window_bias` then spreads the
    table. The scores it is added to are cosines between query and key, times a
    learned factor of each head.

    Args:
        height: Rows of patches in the window, at least 1.
        width: Columns of patches in the window, at least 1.
        hidden_weight: Weights of the first layer, finite, shape `(2, n_hidden)`;
            a checkpoint holds the transpose.
        hidden_bias: Bias of the first layer, finite, shape `(n_hidden,)`.
        output_weight: Weights of the second layer, finite, shape
            `(n_hidden, n_heads)`; a checkpoint holds the transpose.
        pretrained_size: As in `window_coordinates`.

    Returns:
        Bias in score units, between 0 and 16, shape `(n_heads, n, n)`, with
        n = height * width tokens.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a size is below what is stated with it, shapes do not
            fit, or a weight is not finite.

    Examples:
        >>> from posenc_ref import continuous_window_bias
        >>> continuous_window_bias(1, 2, [[0.0], [1.0]], [0.0], [[0.0]])  # sigmoid(0) is 1/2
        array([[[8., 8.],
                [8., 8.]]])
    """
    height, width = _window(height, width)
    first = checks.real_array("hidden_weight", hidden_weight, 2, "n_hidden", finite=True)
    n_hidden = first.shape[1]
    shift = checks.real_array("hidden_bias", hidden_bias, n_hidden, finite=True)
    second = checks.real_array("output_weight", output_weight, n_hidden, "n_heads", finite=True)
    coordinates = window_coordinates(height, width, pretrained_size=pretrained_size)
    hidden = np.maximum(coordinates @ first + shift, 0)
    table = 8 * (1 + np.tanh(hidden @ second / 2))  # 16 sigmoid(x), with no overflow
    return window_bias(table.astype(np.result_type(first, shift, second)), height, width)


def _window(height: int, width: int) -> tuple[int, int]:
    height = checks.whole_number("height", height, at_least=1)
    width = checks.whole_number("width", width, at_least=1)
    n_tokens = height * width + 1
    checks.result_fits(height=height, width=width, n_keys=n_tokens)
    return height, width


def _rows(table: ArrayLike, height: int, width: int, class_token: bool) -> NDArray[np.floating]:
    n_rows = (2 * height - 1) * (2 * width - 1) + (CLASS_ROWS if class_token else 0)
    return checks.real_array("table", table, n_rows, "n_columns", finite=True)


def _resized(cells: NDArray[np.floating], n: int) -> NDArray[np.floating]:
    """Linear interpolation along the first axis, between the middles of the cells."""
    n_old = len(cells)
    at = np.maximum((np.arange(n) + 0.5) * n_old / n - 0.5, 0)
    left = np.floor(at).astype(np.int64)
    right = np.minimum(left + 1, n_old - 1)  # past the last middle both are the last cell
    share = (at - left).astype(cells.dtype)[:, None, None]
    between: NDArray[np.floating] = (1 - share) * cells[left] + share * cells[right]
    return between
