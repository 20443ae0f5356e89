"""Fourier features. Result: a table, from coordinates that need not be whole numbers.

A point in space, time or an image is told by waves: each feature is the sine or
cosine of the coordinates times a frequency. With low and high frequencies
together, a network sees both the rough place and the fine detail. The schemes
differ in where the frequencies come from.

    fourier_features             2^k pi, k = 0 .. n_bands - 1    doubling
    linear_fourier_features      pi f, f from 1 to resolution/2  evenly spaced
    gaussian_fourier_features    2 pi b                          drawn once, kept
    learnable_fourier_features   w_r, then a small network       trained

A point is the last axis of `x`: a list of single numbers needs `x[:, None]`.

Source, in that order: Mildenhall et al. (2020), arXiv:2003.08934, section 5.1,
equation 4; Jaegle et al. (2021), arXiv:2103.03206, section 3.2; Tancik et al.
(2020), arXiv:2006.10739; Li et al. (2021), arXiv:2106.02795, equations 2 and 6.
The authors' code departs from the first paper, which is an option here, and puts
the sines of the third before its cosines, as is done here. Perceiver's and
Segment Anything's classes were run and compared with the second and third
function; for the first and last no released code was run.
"""

import math
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Table

Convention: TypeAlias = Literal["paper", "code"]

MOST_BANDS = 971  # a coordinate is below 2**53, so 2**k p stays below 2**1024, finite


def fourier_features(x: ArrayLike, n_bands: int, *, convention: Convention) -> Table:
    """Waves that double in frequency from band to band, for each coordinate.

    The frequencies are 2^k pi in the paper, k = 0 .. n_bands - 1, and 2^k in the
    authors' code, in another order. Neither is the default. For the point (p, q),

        paper   sin pi p, cos pi p, sin 2 pi p, cos 2 pi p, ..., then the same of q
        code    p, q, sin p, sin q, cos p, cos q, sin 2 p, sin 2 q, cos 2 p, ...

    The code leaves pi out so that no wave repeats within a scene that is a
    little larger than [-1, 1], and keeps the point itself. For its order with
    pi, give it pi times the point; the first columns are then pi times the point.

    Args:
        x: Points, usually within [-1, 1], finite and less than 2**53 in size,
            shape `(..., n_coordinates)`.
        n_bands: Number of frequencies, from 1 to 971. NeRF takes 10 for places
            and 4 for directions.
        convention: `"paper"` for equation 4, coordinate after coordinate, each
            with sine and cosine side by side; `"code"` for the authors'
            released code, band after band.

    Returns:
        Features, without unit, shape `(..., 2 * n_bands * n_coordinates)` for
        the paper, `(..., (2 * n_bands + 1) * n_coordinates)` for the code;
        float32 if `x` is float32 or float16, else float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `x` has no axis or an entry that is not allowed, `n_bands`
            is not in 1..971, or `convention` is not one of the two names.

    Examples:
        >>> from posenc_ref import fourier_features
        >>> fourier_features([0.25], 2, convention="paper").round(3)  # of pi/4, then of pi/2
        array([0.707, 0.707, 1.   , 0.   ])
        >>> fourier_features([0.0, 0.0], 2, convention="code")  # the point first
        array([0., 0., 0., 0., 1., 1., 0., 0., 1., 1.])
    """
    points, dtype = _points(x, "n_coordinates")
    n_bands = checks.whole_number("n_bands", n_bands, at_least=1, at_most=MOST_BANDS)
    checks.one_of("convention", convention, ("paper", "code"))

    *leading, n_coordinates = points.shape
    width = 2 * n_bands * n_coordinates
    bands = 2.0 ** np.arange(n_bands)
    if convention == "code":
        angle = bands[:, None] * points[..., None, :]  # (..., n_bands, n_coordinates), exact
        waves = np.stack([np.sin(angle), np.cos(angle)], axis=-2).reshape(*leading, width)
        return np.concatenate([points, waves], axis=-1, dtype=dtype)
    half_turns = points[..., None] * bands  # (..., n_coordinates, n_bands), exact
    # Whole turns go first, which is exact too: pi times a large number would be rounded.
    angle = np.pi * np.fmod(half_turns, 2)
    waves = np.stack([np.sin(angle), np.cos(angle)], axis=-1, dtype=dtype)
    return waves.reshape(*leading, width)


def linear_fourier_features(x: ArrayLike, n_bands: int, resolution: ArrayLike) -> Table:
    """Waves with evenly spaced frequencies, up to the finest that the grid can show.

    For each coordinate p with r cells along its axis, and n_bands values of f
    evenly spaced from 1 to r / 2, both included,

        [p, q, ... | all sin(pi f p), all sin(pi f q), ... | the cosines likewise]

    r / 2 is the Nyquist frequency: on the fastest wave, places 2 / r apart are
    half a turn apart, and r cells fill [-1, 1] at that distance. A single band has
    f = 1. The models are Perceiver and Perceiver IO; those released all keep p
    itself. Where it is not wanted, drop the first columns.

    Args:
        x: Points, in [-1, 1] where the grid spans this range (Perceiver's first
            and last cell stand on its ends), finite and less than 2**53 in size,
            shape `(..., n_coordinates)`.
        n_bands: Number of frequencies for each coordinate, at least 1.
        resolution: Cells along each axis, whole numbers of at least 1, shape
            `(n_coordinates,)`.

    Returns:
        Features, without unit, shape `(..., (2 * n_bands + 1) * n_coordinates)`;
        float32 if `x` is float32 or float16, else float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `x` has no axis or an entry that is not allowed, `n_bands`
            is below 1 or the result too large, or `resolution` does not have one
            number of at least 1 for each coordinate.

    Examples:
        >>> from posenc_ref import linear_fourier_features
        >>> linear_fourier_features([0.5], 2, [4]).round(3)  # f is 1, then 2
        array([ 0.5,  1. ,  0. ,  0. , -1. ])
    """
    points, dtype = _points(x, "n_coordinates")
    n_bands = checks.whole_number("n_bands", n_bands, at_least=1)
    *leading, n_coordinates = points.shape
    cells = checks.whole_array(
        "resolution", resolution, n_coordinates, at_least=1, at_most=checks.EXACT_INTEGERS
    )
    checks.result_fits(n_bands=n_bands, entries_of_x=points.size)

    bands = np.linspace(1, cells / 2, n_bands, axis=-1)  # (n_coordinates, n_bands)
    angle = np.pi * (points[..., None] * bands)
    angle = angle.reshape(*leading, n_coordinates * n_bands)
    return np.concatenate([points, np.sin(angle), np.cos(angle)], axis=-1, dtype=dtype)


def gaussian_fourier_features(x: ArrayLike, b: ArrayLike) -> Table:
    """Waves in random directions: every frequency mixes all coordinates.

    Each row of b is one frequency, in turns per unit of each coordinate, drawn
    once from a normal distribution and then kept. Its standard deviation sets
    how fine a detail the features tell apart.

        [sin(2 pi x b^T) | cos(2 pi x b^T)]

    Segment Anything draws b so, stores it as `(2, n_features)` (give its
    transpose here), and takes as points 2 c - 1, where c = (x, y) is the place
    in the image from 0 to 1, across first.

    Args:
        x: Points, finite and less than 2**53 in size, shape
            `(..., n_coordinates)`.
        b: Frequencies, finite and less than 2**53 in size, shape `(n_features, n_coordinates)`.

    Returns:
        Features, without unit, shape `(..., 2 * n_features)`, a table whose rows
        all have the length sqrt(n_features). float64, or float32 if no argument
        is wider.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `x` has no axis or an entry that is not allowed, or `b`
            has another shape or an entry that is not finite.

    Examples:
        >>> from posenc_ref import gaussian_fourier_features
        >>> b = [[0.25, 0], [0, 0.125]]  # a quarter and an eighth of a turn
        >>> gaussian_fourier_features([1, 1], b).round(3)
        array([1.   , 0.707, 0.   , 0.707])
    """
    points, x_type = _points(x, "n_coordinates")
    frequencies = checks.real_array("b", b, "n_features", points.shape[-1])
    checks.exact_positions("b", frequencies)  # so that no angle leaves the floats
    dtype = np.result_type(x_type, frequencies)

    angle = 2 * np.pi * (points @ frequencies.T.astype(np.float64))
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=-1, dtype=dtype)


def learnable_fourier_features(
    x: ArrayLike, w_r: ArrayLike, w1: ArrayLike, b1: ArrayLike, w2: ArrayLike, b2: ArrayLike
) -> Table:
    """Waves whose frequencies are trained, passed through a small network.

    For one group of coordinates, and F = 2 n_waves,

        r = [cos(x w_r^T) | sin(x w_r^T)] / sqrt(F)
        y = GELU(r w1 + b1) w2 + b2

    and the y of all groups side by side. The groups share the weights: two for
    the corners of a box, say, or one for a point. r always has length
    1 / sqrt(2), and the product of two r depends on the difference of their
    points alone. GELU is the exact one, z times the share of a normal
    distribution below z.

    Args:
        x: Points, finite and less than 2**53 in size, shape
            `(..., n_groups, n_coordinates)`.
        w_r: Frequencies in radians per unit, finite, shape
            `(n_waves, n_coordinates)`, n_waves at least 1.
        w1: Weights of the hidden layer, finite, shape `(2 * n_waves, n_hidden)`:
            inputs first, so the transpose of what PyTorch keeps.
        b1: Its bias, finite, shape `(n_hidden,)`.
        w2: Weights of the last layer, finite, shape `(n_hidden, n_out)`.
        b2: Its bias, finite, shape `(n_out,)`.

    Returns:
        Features, without unit, shape `(..., n_groups * n_out)`, as wide as the
        model if `n_out` is d_model / n_groups. float64, or float32 if no
        argument is wider.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or an entry is not allowed.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import learnable_fourier_features
        >>> w_r = [[np.pi / 2, 0], [0, np.pi / 4]]  # both angles are pi/2 at (1, 2)
        >>> w1, b1 = [[1], [1], [1], [1]], [0]  # r is 0, 0, 1/2, 1/2, so GELU(1)
        >>> learnable_fourier_features([[1, 2]], w_r, w1, b1, [[2]], [0]).round(4)
        array([1.6827])
    """
    points, x_type = _points(x, "n_groups", "n_coordinates")
    frequencies = checks.real_array("w_r", w_r, "n_waves", points.shape[-1])
    checks.exact_positions("w_r", frequencies)  # so that no angle leaves the floats
    n_features = 2 * len(frequencies)
    if n_features == 0:
        raise ValueError(f"w_r must have at least one row, got shape {frequencies.shape}")
    hidden_weights = checks.real_array("w1", w1, n_features, "n_hidden", finite=True)
    n_hidden = hidden_weights.shape[1]
    hidden_bias = checks.real_array("b1", b1, n_hidden, finite=True)
    out_weights = checks.real_array("w2", w2, n_hidden, "n_out", finite=True)
    n_out = out_weights.shape[1]
    out_bias = checks.real_array("b2", b2, n_out, finite=True)
    dtype = np.result_type(x_type, frequencies, hidden_weights, hidden_bias, out_weights, out_bias)

    angle = points @ frequencies.T.astype(np.float64)
    waves = np.concatenate([np.cos(angle), np.sin(angle)], axis=-1) / math.sqrt(n_features)
    mixed: NDArray[np.float64] = (
        _gelu(waves @ hidden_weights + hidden_bias) @ out_weights + out_bias
    )
    *leading, n_groups, _ = points.shape
    return mixed.reshape(*leading, n_groups * n_out).astype(dtype, copy=False)


def _points(x: ArrayLike, *axes: str) -> tuple[NDArray[np.float64], np.dtype[Any]]:
    """Points in float64, and the type that the result is to have."""
    array = checks.real_array("x", x, *axes, leading=True)
    return checks.exact_positions("x", array), array.dtype


def _gelu(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """By erfc, which keeps its digits far below zero, where 1 + erf does not."""
    erfc = np.vectorize(math.erfc, otypes=[np.float64])
    gelu: NDArray[np.float64] = z / 2 * erfc(-z / math.sqrt(2))
    return gelu
