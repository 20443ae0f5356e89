"""Sinusoidal grids. Result: a table, added to the patches of an image.

Half of the columns tell the row of a patch, the other half its column. Each
half is a sinusoidal table of width d_model / 2, so the frequencies are

    base ** (-2 i / (d_model / 2)),   i = 0 .. d_model / 4 - 1

in every released model read here. They differ in three other things, each a
required argument: what number stands for a row or column, whether the sine and
cosine of a pair stand side by side, and which half comes first.

Source: Carion et al. (2020), arXiv:2005.12872 (DETR); Zhu et al. (2020),
arXiv:2010.04159 (Deformable DETR); He et al. (2021), arXiv:2111.06377 (MAE); all
three as their classes in the transformers library compute.
"""

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Table
from posenc_ref.sinusoidal import Layout, sinusoidal_at

Cells: TypeAlias = Literal["from_zero", "from_one", "edges", "centres"]
Axis: TypeAlias = Literal["row", "column"]

GUARD = 1e-6  # DETR adds it to the number of cells that it divides by


def sinusoidal_grid(
    height: int,
    width: int,
    d_model: int,
    *,
    cells: Cells,
    layout: Layout,
    first: Axis,
    base: float = 10000.0,
    dtype: DTypeLike = np.float64,
) -> Table:
    """One row for each patch of a grid, row by row, as images are flattened.

    The patch in row r and column c gets the sinusoidal rows of two numbers,
    [s(r) | s(c)] or [s(c) | s(r)]. On an axis of n patches, patch i stands at

        "from_zero"   i
        "from_one"    i + 1
        "edges"       2 pi (i + 1) / (n + 1e-6)     its far edge; the image is one turn
        "centres"     2 pi (i + 1/2) / (n + 1e-6)   its centre

    What released models take (transformers, except for the last row):

        MAE, AIMv2, Granite Docling            from_zero  concatenated  column
        RT-DETR, D-FINE, DEIMv2, PP-DocLayout  from_zero  concatenated  row
        DETR, Conditional DETR, Table Transformer, MaskFormer, Mask2Former,
        OneFormer, SAM 2, SAM 3, EdgeTAM       edges      interleaved   row
        DAB-DETR, Grounding DINO, base 20      edges      interleaved   row
        Deformable DETR                        centres    interleaved   row
        DETR's class with normalize=False      from_one   interleaved   row
        positional-encodings (PyPI), 2-D       from_zero  interleaved   row

    MAE puts a row of zeros before the table, for its class token. DETR counts
    the patches that are not padding: the real part of a padded image has the
    rows of a grid of its own size. OmDet-Turbo lists the patches column by
    column; on a square grid this is the row of RT-DETR above.

    Args:
        height: Number of rows of patches, at least 0.
        width: Number of patches in a row, at least 0.
        d_model: Width of the model, a multiple of 4, at least 4.
        cells: `"from_zero"`, `"from_one"`, `"edges"` or `"centres"`: the number
            that stands for a row or column, in radians of the fastest pair.
        layout: `"interleaved"`: sine and cosine of a pair side by side within
            the half. `"concatenated"`: all sines of the half, then its cosines.
        first: `"row"` or `"column"`: which of the two the first half tells.
        base: Number whose powers are the frequencies, finite and at least 1.
        dtype: float32 or float64.

    Returns:
        Sines and cosines, without unit, shape `(height * width, d_model)`;
        reshape it to `(height, width, d_model)` to look up by row and column.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import sinusoidal_grid
        >>> sinusoidal_grid(  # sin r, cos r, sin c, cos c
        ...     2, 2, 4, cells="from_zero", layout="concatenated", first="row"
        ... ).round(3)
        array([[0.   , 1.   , 0.   , 1.   ],
               [0.   , 1.   , 0.841, 0.54 ],
               [0.841, 0.54 , 0.   , 1.   ],
               [0.841, 0.54 , 0.841, 0.54 ]])
        >>> sinusoidal_grid(  # columns 1 and 2, both in row 1
        ...     1, 2, 4, cells="from_one", layout="interleaved", first="column"
        ... ).round(3)
        array([[ 0.841,  0.54 ,  0.841,  0.54 ],
               [ 0.909, -0.416,  0.841,  0.54 ]])
    """
    height = checks.whole_number("height", height, at_least=0)
    width = checks.whole_number("width", width, at_least=0)
    d_model = checks.whole_number("d_model", d_model)
    if d_model < 4 or d_model % 4:
        raise ValueError(
            f"d_model must be a multiple of 4, at least 4 (two axes, each in pairs), got {d_model}"
        )
    checks.one_of("cells", cells, ("from_zero", "from_one", "edges", "centres"))
    checks.one_of("layout", layout, ("interleaved", "concatenated"))
    checks.one_of("first", first, ("row", "column"))
    base = checks.frequency_base("base", base)
    float_type = checks.float_dtype("dtype", dtype)
    checks.result_fits(height=height, width=width, d_model=d_model)

    half = d_model // 2
    rows = sinusoidal_at(_numbers(height, cells), half, base=base, layout=layout)
    columns = sinusoidal_at(_numbers(width, cells), half, base=base, layout=layout)
    grid = np.empty((height, width, 2, half), float_type)
    row_half, column_half = (0, 1) if first == "row" else (1, 0)
    grid[:, :, row_half] = rows[:, None]
    grid[:, :, column_half] = columns
    return grid.reshape(height * width, d_model)


def _numbers(n: int, cells: Cells) -> NDArray[np.float64]:
    """What stands for each of the n cells of an axis."""
    index = np.arange(n, dtype=np.float64)
    if cells == "from_zero":
        return index
    if cells == "from_one":
        return index + 1
    ahead = 1.0 if cells == "edges" else 0.5
    return (index + ahead) / (n + GUARD) * (2 * math.pi)
