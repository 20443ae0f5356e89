"""Resized positions. Result: a table, of another length or grid than the trained one.

A learned table has a row for each position of training and no other. Vision
models that meet a larger image treat the table as a picture, one channel a
feature, and resize it as pictures are resized: each new cell is a weighted mean
of old cells near its centre. Along one axis, with n old and N new cells,

    centre of new cell j:  c_j = (j + 1/2) n / N - 1/2
    new_j = sum over i of  kernel(c_j - i) old_i

and a grid is resized along its columns and along its rows.

Source: Dosovitskiy et al. (2021), arXiv:2010.11929, section 3.2, says that the
table is interpolated in two dimensions, but not how; kernel and centres are
read off released code, in which they differ. `method` names what was found.
"""

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Table

Method: TypeAlias = Literal[
    "bilinear",
    "bilinear_corners",
    "bilinear_antialias",
    "bilinear_offset",
    "bicubic",
    "bicubic_antialias",
    "bicubic_offset",
]


def resize_table(table: ArrayLike, n_positions: int) -> Table:
    """A table of another length, by linear interpolation between neighbouring rows.

    New rows stand at the centres c_j that the head of this module defines, and

        new_j = (1 - r) table[i] + r table[i + 1],   i = floor(c_j), r = c_j - i

    Beyond the first and the last centre the end rows are repeated. SAM and ViTDet
    resize their tables of relative positions so. Rows passed over when shrinking
    are not averaged in; for that, as in VideoPrism, and for cubic interpolation
    use `resize_grid` on a grid of one column.

    Args:
        table: One row a position, at least 1, finite, shape
            `(n_old_positions, d_model)`.
        n_positions: Number of rows wanted, at least 1.

    Returns:
        Position vectors, without unit, shape `(n_positions, d_model)`, float32 if
        `table` is float32 or float16, otherwise float64; rounded once.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `table` is empty, not finite or has another shape,
            `n_positions` is below 1, or the result would have 2**58 entries.

    Examples:
        >>> from posenc_ref import resize_table
        >>> resize_table([[0.0], [4.0]], 4)  # centres -0.25, 0.25, 0.75, 1.25
        array([[0.],
               [1.],
               [3.],
               [4.]])
    """
    old = checks.real_array("table", table, "n_positions", "d_model", finite=True)
    if len(old) == 0:
        raise ValueError(f"table must have at least 1 row, got shape {old.shape}")
    n_positions = checks.whole_number("n_positions", n_positions, at_least=1)
    checks.result_fits(n_positions=n_positions, d_model=old.shape[1])

    last = len(old) - 1
    centres = _cell_centres(n_positions, len(old) / n_positions).clip(0, last)
    before = np.floor(centres).astype(np.int64)
    after = np.minimum(before + 1, last)
    share = (centres - before)[:, None]
    new: Table = (1 - share) * old[before] + share * old[after]
    return new.astype(old.dtype, copy=False)


def resize_grid(
    table: ArrayLike,
    size: tuple[int, int],
    *,
    prefix_tokens: int,
    method: Method,
    grid: tuple[int, int] | None = None,
) -> Table:
    """The position table of a vision model for an image of another size.

    With W_h and W_w the weights along the two axes, for each feature,

        new = W_h old W_w^T

    The kernels, for a distance t in old cells, are

        bilinear: 1 - |t|                            for |t| < 1
        bicubic:  (a + 2) |t|^3 - (a + 3) |t|^2 + 1  for |t| <= 1
                  a (|t|^3 - 5 |t|^2 + 8 |t| - 4)    for 1 < |t| < 2

    and 0 further out. What lies outside the old grid counts as its nearest edge
    cell. For the cubic, a is -3/4. That is the plain method; the others change

    - `"..._antialias"`: where the grid shrinks, the kernel is n / N times as wide;
      cells outside the old grid do not count, and the weights are divided by their
      sum instead; for the cubic, a is -1/2.
    - `"..._corners"`: c_j = j (n - 1) / (N - 1), so that corner cells stay as they are.
    - `"..._offset"`: c_j = (j + 1/2) n / (N + 0.1) - 1/2, which began as a guard
      against a rounded size and moves every new cell a little. A bilinear axis with
      N = n stays as it is.

    A table of the right size is returned unchanged, by every method.

    Released models use

        "bicubic"             ViT, DeiT, CLIP, Kimi-K2.5; DINOv2 in transformers
        "bicubic_antialias"   DINOv2 with registers, RF-DETR
        "bicubic_offset"      DINO, and DINOv2 in its authors' code
        "bilinear"            DPT
        "bilinear_antialias"  SigLIP 2, VideoPrism
        "bilinear_corners"    ViLT, Qwen3-VL
        "bilinear_offset"     HY-V4-VL

    In PyTorch's `interpolate`, plain is `size=` with `align_corners=False`; the
    others add `antialias=True`, set `align_corners=True`, or give
    `scale_factor=(N + 0.1) / n` in place of the size.

    Args:
        table: Rows of the prefix tokens, then one row for each patch of the trained
            grid, row by row; finite, shape `(prefix_tokens + n_patches, d_model)`.
        size: Height and width wanted, in patches, each at least 1.
        prefix_tokens: Number of rows before the grid, which are kept as they are:
            1 for a class token, 0 if there is none. Register tokens that have no
            row in the table do not count.
        method: One of the seven names above.
        grid: Height and width of the trained grid, in patches. If not given it is
            square.

    Returns:
        Position vectors, without unit, patches row by row, shape
        `(prefix_tokens + height * width, d_model)`, float32 if `table` is float32
        or float16, otherwise float64; rounded once.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `table` is not finite, its rows do not make up the grid, or
            another argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import resize_grid
        >>> table = [[9.0], [0.0], [4.0], [0.0], [4.0]]  # class token, then 2 x 2
        >>> resize_grid(table, (1, 4), prefix_tokens=1, method="bilinear")
        array([[9.],
               [0.],
               [1.],
               [3.],
               [4.]])
    """
    old = checks.real_array("table", table, "n_rows", "d_model", finite=True)
    height, width = checks.height_and_width("size", size)
    prefix_tokens = checks.whole_number("prefix_tokens", prefix_tokens, at_least=0)
    checks.one_of("method", method, get_args(Method))
    n_patches = len(old) - prefix_tokens
    old_height, old_width = _trained_grid(n_patches, prefix_tokens, grid)
    d_model = old.shape[1]
    checks.result_fits(height=height, width=width, d_model=d_model)
    if (height, width) == (old_height, old_width):
        return old.copy()

    cells = old[prefix_tokens:].reshape(old_height, old_width, d_model)
    wide = _weights(old_width, width, method) @ cells  # (old_height, width, d_model)
    flat = wide.reshape(old_height, width * d_model)
    new = (_weights(old_height, height, method) @ flat).reshape(height * width, d_model)
    return np.concatenate([old[:prefix_tokens], new.astype(old.dtype, copy=False)])


def _weights(n_old: int, n_new: int, method: Method) -> NDArray[np.float64]:
    """What each old cell counts in each new one; every row adds up to 1."""
    kernel, _, variant = method.partition("_")
    if n_new == n_old and kernel == "bilinear":  # which matters to the offset alone
        return np.eye(n_old)
    if variant == "corners":  # a single new cell is the first old one
        centres = np.arange(n_new) * ((n_old - 1) / max(n_new - 1, 1))
    else:
        n_steps = n_new + 0.1 if variant == "offset" else n_new
        centres = _cell_centres(n_new, n_old / n_steps)
    cells = np.arange(-2, n_old + 2)  # two beyond each edge, as far as a cubic reaches
    distance = np.abs(centres[:, None] - cells)

    if variant == "antialias":
        distance /= max(n_old / n_new, 1)
    weights: NDArray[np.float64]
    if kernel == "bilinear":
        weights = np.maximum(1 - distance, 0)
    else:
        weights = _cubic(distance, -1 / 2 if variant == "antialias" else -3 / 4)

    inside = weights[:, 2:-2]
    if variant == "antialias":
        inside /= inside.sum(axis=1, keepdims=True)
    else:
        inside[:, 0] += weights[:, :2].sum(axis=1)
        inside[:, -1] += weights[:, -2:].sum(axis=1)
    return inside


def _cell_centres(n_new: int, step: float) -> NDArray[np.float64]:
    """Middles of new cells `step` old cells wide, counted from the middle of the first old one."""
    return (np.arange(n_new, dtype=np.float64) + 0.5) * step - 0.5


def _cubic(t: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = a * (((t - 5) * t + 8) * t - 4)
    return np.asarray(np.where(t <= 1, near, np.where(t < 2, far, 0)), np.float64)


def _trained_grid(
    n_patches: int, prefix_tokens: int, grid: tuple[int, int] | None
) -> tuple[int, int]:
    """Height and width of the grid that the rows after the prefix make up."""
    received = f"got {max(n_patches, 0)} after prefix_tokens {prefix_tokens}"
    if grid is not None:
        height, width = checks.height_and_width("grid", grid)
        if height * width != n_patches:
            raise ValueError(f"table must have {height} x {width} rows of the grid, {received}")
        return height, width
    side = math.isqrt(max(n_patches, 0))
    if side == 0 or side * side != n_patches:
        raise ValueError(f"table must have a square number of rows, or grid be given, {received}")
    return side, side
