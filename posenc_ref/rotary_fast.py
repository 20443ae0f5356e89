"""Rotary turns written into a given array, at a few times the cost of copying it.

`rotary.py` holds the plain form, and `out=` leads here. The sums and products
are the same. What differs is the way through memory: the work goes piece by
piece, each small enough to stay in the processor's cache, and no pass steps
through short runs where it can step through long ones.

Here `x` and `out` hold the features that turn and no others, and the axes of
`x` before the last two are as many as those of `cos` and `sin`, or these have
none. Nothing is checked: `rotary.py` has done that.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posenc_ref.kinds import Floats

PIECE_BYTES = 128 * 1024  # three arrays of this size fit a second-level cache of 512 kB


def turn_halves(out: Floats, x: Floats, cos: Floats, sin: Floats) -> None:
    """Turn feature i with feature i + half. `out` may be `x`.

    The row is (first, second), so its turn is the sum of two products of whole rows:

        (first, second) * (cos, cos) + (second, first) * (-sin, sin)

    Only the swap works on half rows. It moves each as one opaque item.
    """
    straight = _for_each_row(np.concatenate([cos, cos], axis=-1), x)
    across = _for_each_row(np.concatenate([-sin, sin], axis=-1), x)
    half_row = np.dtype((np.void, x.shape[-1] // 2 * x.itemsize))
    for piece in _pieces(x):
        source, target = x[piece], out[piece]
        swapped = np.empty(source.shape, x.dtype)
        swapped.view(half_row)[...] = source.view(half_row)[..., ::-1]
        swapped *= across[piece]
        np.multiply(source, straight[piece], out=target)
        target += swapped


def turn_neighbours(out: Floats, x: Floats, cos: Floats, sin: Floats) -> None:
    """Turn feature 2 i with feature 2 i + 1. `out` may be `x`.

    Two neighbours are one complex number in memory, and a turn is one product:

        (x1 + i x2) * (cos + i sin) = x1 cos - x2 sin + i (x2 cos + x1 sin)
    """
    onward = _for_each_row(_complex(cos, sin), x)
    x_pairs, out_pairs = x.view(onward.dtype), out.view(onward.dtype)
    for piece in _pieces(x):
        np.multiply(x_pairs[piece], onward[piece], out=out_pairs[piece])


def turn_neighbours_to_halves(out: Floats, x: Floats, cos: Floats, sin: Floats) -> None:
    """Turn feature 2 i with feature 2 i + 1, and write them to i and i + half. `out` may be `x`."""
    onward = _for_each_row(_complex(cos, sin), x)
    x_pairs = x.view(onward.dtype)
    n_pairs = onward.shape[-1]
    for piece in _pieces(x):
        turned = x_pairs[piece] * onward[piece]
        out[piece][..., :n_pairs] = turned.real
        out[piece][..., n_pairs:] = turned.imag


def _complex(cos: Floats, sin: Floats) -> NDArray[np.complexfloating]:
    turned = np.empty(cos.shape, np.result_type(cos.dtype, np.complex64))
    turned.real = cos
    turned.imag = sin
    return turned


def _for_each_row(table: NDArray[Any], x: Floats) -> NDArray[Any]:
    """A view with one row of the table for each row of x."""
    return np.broadcast_to(table, (*x.shape[:-1], table.shape[-1]))


def _pieces(x: Floats) -> Iterator[tuple[Any, ...]]:
    """Indices that cut `(..., T, features)` into pieces, each of about `PIECE_BYTES`.

    Short sequences are taken several heads or batch rows at a time, long ones are
    cut. All heads get the same tokens before the next tokens come, so that their
    rows of the tables are still in the cache.
    """
    fit = max(PIECE_BYTES // (x.shape[-1] * x.itemsize), 1)  # rows of features
    leading, n_tokens = x.shape[:-2], x.shape[-2]
    n_split = 0  # leading axes that are taken one index at a time
    while n_split < len(leading) and math.prod(leading[n_split:]) * n_tokens > fit:
        n_split += 1
    for top in range(0, n_tokens, fit):
        for index in np.ndindex(leading[:n_split]):
            yield *index, ..., slice(top, top + fit), slice(None)
