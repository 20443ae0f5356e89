"""Axial rotary positions. Result: a rotation of queries and keys, for grids.

A patch of an image has a row and a column, a patch of a video a frame as well.
The pairs of features are shared out among these axes, and a pair turns by the
coordinate on its own axis alone:

    angle[p, i] = positions[p, axis[i]] * frequency[i]

so a score depends on how far the key is from the query on each axis. Real
coordinates are allowed.

Released models differ in four things. Two are options of `axial_rotary`, one is
the order of the columns of `positions`, one is the `layout` of `apply_rotary`:

    model                      frequencies  order        columns             layout
    Qwen2-VL to 3-VL, DINOv3   shared       blocks       row, column         half
    Step-3.7                   shared       blocks       column, row         half
    SAM 2 and 3, Inkling 2     shared       blocks       column, row         interleaved
    Kimi K2.5                  shared       alternating  column, row         half
    MiniMax M3-VL              shared       blocks       frame, row, column  half
    Pixtral                    dealt        blocks       row, column         half
    NeoMME                     dealt        alternating  row, column         half

All of these are vision encoders, but for SAM 2, which turns the queries and
keys of its memory attention, and NeoMME. MiniMax M3-VL turns the first
6 * (head_dim // 6) features and passes the rest through. Gemma 4 is shared, in
blocks, column before row, but each block is a rotation of its own, in layout
half: turn the two halves of the features one by one, each by an `axial_rotary`
of one column.

Class tokens and register tokens have no place on the grid. DINOv3 leaves them
as they are, so turn the patches only; a position of zeros does the same. Models
that merge patches (Qwen2-VL) list them merge group by merge group, not row by
row: list the positions in the order of the patches.

Source: Heo et al. (2024), arXiv:2403.13298, section 3; Agrawal et al. (2024),
arXiv:2410.07073, section 2 (dealt); Siméoni et al. (2025), arXiv:2508.10104
(coordinates from -1 to 1). The papers do not settle the table above: it follows
the released code.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Rotation
from posenc_ref.turns import ExactFrequencies, geometric_frequencies, turn

AxisFrequencies: TypeAlias = Literal["shared", "dealt"]
AxisOrder: TypeAlias = Literal["blocks", "alternating"]


def axial_rotary(
    positions: ArrayLike,
    rotary_dim: int,
    base: float,
    *,
    frequencies: AxisFrequencies,
    order: AxisOrder,
    dtype: DTypeLike = np.float64,
) -> Rotation:
    """Cosines and sines that turn each pair by its own axis.

    With A axes, and n = rotary_dim / (2 A) pairs for each of them, the pair j of
    axis a turns at

        shared: base ** (-2 A j / rotary_dim)          the same list for every axis
        dealt:  base ** (-2 (A j + a) / rotary_dim)    one list, dealt out like cards

    and stands at

        blocks:      i = n a + j
        alternating: i = A j + a

    With a single axis all four are plain rotary positions.

    Args:
        positions: Coordinates of each patch, whole or real numbers, finite and
            less than 2**53 in size, shape `(..., T, A)`: one column for each
            axis, in the order in which the axes take their pairs.
        rotary_dim: Number of features that turn, a multiple of 2 A, at least 2 A.
        base: Number whose powers are the frequencies, finite and at least 1.
            10000 in most models, 100 in DINOv3.
        frequencies: `"shared"`: each axis has the whole range of frequencies.
            `"dealt"`: the frequencies of plain rotary positions, given to the
            axes in turn, so that the first axis turns faster than the second.
        order: `"blocks"`: all pairs of the first axis, then all of the second.
            `"alternating"`: a pair of the first axis, one of the second, ...
        dtype: float32 or float64.

    Returns:
        Cosines and sines, without unit, each of shape `(..., T, rotary_dim // 2)`,
        rounded once: within 4e-16 of the formula in float64, 6e-8 in float32.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import axial_rotary
        >>> right = [[0, 1]]  # row 0, column 1: only the pairs of the columns turn
        >>> axial_rotary(right, 8, 10000, frequencies="shared", order="blocks").sin.round(3)
        array([[0.   , 0.   , 0.841, 0.01 ]])
        >>> axial_rotary(right, 8, 10000, frequencies="shared", order="alternating").sin.round(3)
        array([[0.   , 0.841, 0.   , 0.01 ]])
        >>> axial_rotary(right, 8, 10000, frequencies="dealt", order="blocks").sin.round(3)
        array([[0.   , 0.   , 0.1  , 0.001]])
    """
    coordinates = _coordinates(positions)
    n_axes = coordinates.shape[-1]
    rotary_dim = _width(rotary_dim, n_axes)
    base = checks.frequency_base("base", base)
    checks.one_of("frequencies", frequencies, ("shared", "dealt"))
    checks.one_of("order", order, ("blocks", "alternating"))
    float_type = checks.float_dtype("dtype", dtype)
    n_positions = coordinates.size // n_axes
    checks.result_fits(positions=n_positions, rotary_dim=rotary_dim)

    n_pairs = rotary_dim // 2
    n_steps = n_pairs // n_axes
    if order == "blocks":
        axis, step = np.divmod(np.arange(n_pairs), n_steps)
    else:
        step, axis = np.divmod(np.arange(n_pairs), n_axes)
    if frequencies == "shared":
        every, chosen = geometric_frequencies(n_steps, base, n_steps), step
    else:
        every, chosen = geometric_frequencies(n_pairs, base, n_pairs), n_axes * step + axis

    # (..., T, n_pairs): the coordinate that turns each pair, times its frequency
    turned = turn(coordinates[..., axis], ExactFrequencies(every.high[chosen], every.low[chosen]))
    return Rotation(turned.real.astype(float_type), turned.imag.astype(float_type))


def centred_grid_positions(height: int, width: int) -> NDArray[np.float64]:
    """Centres of the patches of an image, from -2 pi at one edge to 2 pi at the other.

    An image of any size and shape covers the same range, so a model sees a
    larger image as the same picture in finer patches. Of n patches along an axis,
    patch k stands at

        2 pi * (2 * (k + 1/2) / n - 1)

    DINOv3 (and Sapiens2 after it) uses them with `axial_rotary(..., base=100,
    frequencies="shared", order="blocks")`: its angle is 2 pi times a coordinate
    from -1 to 1, times the frequency. In training it also shifts and stretches the
    coordinates at random, which is left to the caller.

    Args:
        height: Number of patches from top to bottom, at least 1.
        width: Number of patches from left to right, at least 1.

    Returns:
        Row and column of each patch, row by row, in radians, float64, shape
        `(height * width, 2)`.

    Raises:
        TypeError: If a count is not a whole number.
        ValueError: If a count is below 1.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import centred_grid_positions
        >>> centred_grid_positions(1, 2) / (2 * np.pi)
        array([[ 0. , -0.5],
               [ 0. ,  0.5]])
    """
    height = checks.whole_number("height", height, at_least=1)
    width = checks.whole_number("width", width, at_least=1)
    checks.result_fits(height=height, width=width)

    # Twice the distance from the middle in half patches is whole, so edges mirror exactly.
    rows, columns = (2 * np.pi * (np.arange(1 - n, n, 2) / n) for n in (height, width))
    return np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)


def _coordinates(positions: ArrayLike) -> NDArray[np.float64]:
    shaped = checks.real_array("positions", positions, "positions", "axes", leading=True)
    if shaped.shape[-1] == 0:
        raise ValueError(f"positions must have at least one axis, got shape {shaped.shape}")
    return checks.exact_positions("positions", shaped)


def _width(rotary_dim: int, n_axes: int) -> int:
    rotary_dim = checks.whole_number("rotary_dim", rotary_dim)
    if rotary_dim < 1 or rotary_dim % (2 * n_axes):
        raise ValueError(
            f"rotary_dim must be a multiple of {2 * n_axes} and at least that "
            f"(positions have axes: {n_axes}, features go in pairs), got {rotary_dim}"
        )
    return rotary_dim
