"""Turns that are right to the last digits at any position, and quick for runs of positions.

A frequency w turns a hand by w radians a token. At position p the hand stands
at the complex number e^(i p w) = cos(p w) + i sin(p w), called a turn here.

Accuracy. A float64 frequency is off by about 1e-17. Position ten million makes
that an angle off by 1e-9. So a frequency is held as the unevaluated sum of two
floats, which carry about 32 digits, and the angle likewise.

Speed. Turns add up: e^(i (a + b) w) = e^(i a w) e^(i b w). A run of consecutive
positions needs sines for a few rows only; the rest are products of those.

Nothing is cached, and nothing here knows which scheme it serves.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Doubles: TypeAlias = NDArray[np.float64]
Number = TypeVar("Number", float, Doubles)

BLOCK_BYTES = 256 * 1024  # a block of rows stays in the second-level cache
BLOCKS = 8  # blocks in a span; each span costs one row of fresh sines
TILE_PAIRS = 4096  # wider tables are made in tiles, so that blocks keep their size


class ExactFrequencies(NamedTuple):
    """Radians per token, as the unevaluated sum of two floats. Both shapes `(n_pairs,)`."""

    high: Doubles
    """The frequency rounded to float64."""

    low: Doubles
    """What the rounding left over."""


def _split(x: Number) -> tuple[Number, Number]:
    """Halves of at most 27 bits whose sum is x (Veltkamp 1968)."""
    scaled = x * (2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def _exact_product(a: Doubles, b: Number) -> tuple[Doubles, Doubles]:
    """The product rounded to float64, and the rounding error, exact (Dekker 1971)."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def geometric_frequencies(n_pairs: int, base: float, n_steps: int) -> ExactFrequencies:
    """Frequencies base ** (-i / n_steps) for i = 0, 1, ..., n_pairs - 1, to about 30 digits.

    The list doubles: frequencies m .. 2m - 1 are the first m times
    base ** (-m / n_steps), and only these factors need decimal arithmetic.
    """
    from decimal import Decimal, localcontext  # here, as it would double the import time

    high, low = np.ones(n_pairs), np.zeros(n_pairs)
    with localcontext() as context:
        context.prec = 45
        factor = (-Decimal(base).ln() / n_steps).exp()
        done = 1
        while done < n_pairs:
            new = min(done, n_pairs - done)
            factor_high = float(factor)
            factor_low = float(factor - Decimal(factor_high))
            product, error = _exact_product(high[:new], factor_high)
            error += high[:new] * factor_low + low[:new] * factor_high
            total = product + error
            high[done : done + new] = total
            low[done : done + new] = error - (total - product)
            done += new
            factor *= factor
    return ExactFrequencies(high, low)


def turn(positions: Number, frequencies: ExactFrequencies) -> NDArray[np.complex128]:
    """The turn e^(i p w) at any real position up to 2**53, wrong by 2e-16 at most.

    `positions` is a number, giving shape `(n_pairs,)`, or an array that
    broadcasts against the frequencies.
    """
    high, low = frequencies
    angle, rest = _exact_product(high, positions)
    rest += positions * low
    # The rest is no small angle at the far end: half a radian at position 2**53.
    sin, cos = np.sin(angle), np.cos(angle)
    sin_rest, cos_rest = np.sin(rest), np.cos(rest)
    turned = np.empty(angle.shape, np.complex128)
    turned.real = cos * cos_rest - sin * sin_rest
    turned.imag = sin * cos_rest + cos * sin_rest
    return turned


def turns(
    n: int, step: int, frequencies: ExactFrequencies, first: complex = 1, *, to_the_last: bool
) -> NDArray[np.complex128]:
    """Turns at positions 0, step, ..., (n - 1) step, each times `first`, shape `(n, n_pairs)`.

    The list doubles: rows m .. 2m - 1 are the first m rows turned m steps on. That turn is
    the square of the one before, which costs no sine but doubles its error, so that n rows
    are wrong by n * 1e-16: plenty for float32. `to_the_last` digit of float64 it is made anew.
    """
    rows = np.empty((n, len(frequencies.high)), np.complex128)
    rows[0] = first
    done = 1
    onward = turn(float(step), frequencies)
    while done < n:
        new = min(done, n - done)
        np.multiply(rows[:new], onward, out=rows[done : done + new])
        done += new
        if done < n:
            onward = turn(float(step * done), frequencies) if to_the_last else onward * onward
    return rows


def _rows_in_block(n_pairs: int, dtype: np.dtype[Any]) -> int:
    """A power of two, so that it depends on the width and the dtype alone."""
    fit = BLOCK_BYTES // (n_pairs * dtype.itemsize)
    return int(2 ** min(max(fit.bit_length() - 1, 3), 12))


def _n_residues(start: int, stop: int, period: int) -> int:
    """How many of the residues 0 .. period - 1 must be there to serve start .. stop - 1."""
    if start // period == (stop - 1) // period:
        return (stop - 1) % period + 1
    return period


class TurnedBlock(NamedTuple):
    """A piece of a run of positions: `block * onward` belongs at `[rows, pairs]`."""

    rows: slice
    pairs: slice
    block: NDArray[np.complexfloating]
    """The turns of the first positions of all, shape `(n_rows, n_pairs)`."""

    onward: NDArray[np.complexfloating]
    """What turns the block to its place in the run, shape `(n_pairs,)`."""


def turned_blocks(
    start: int, n: int, frequencies: ExactFrequencies, first: complex, dtype: np.dtype[Any]
) -> Iterator[TurnedBlock]:
    """Cut the turns at start .. start + n - 1, each times `first`, into products.

    Position p is span + block + row, and its turn the product of the three. The
    cuts lie at fixed positions, wherever the run starts, so that a position has
    the same digits in every run. Working memory stays at a few megabytes,
    whatever the size of the run.
    """
    if n == 0:
        return
    stop = start + n
    to_the_last = dtype == np.complex128
    for left in range(0, len(frequencies.high), TILE_PAIRS):
        pairs = slice(left, left + TILE_PAIRS)
        tile = ExactFrequencies(frequencies.high[pairs], frequencies.low[pairs])
        size = _rows_in_block(len(tile.high), dtype)
        first_number, last_number = start // size, (stop - 1) // size
        n_rows = _n_residues(start, stop, size)
        n_blocks = _n_residues(first_number, last_number + 1, BLOCKS)
        block = turns(n_rows, 1, tile, first, to_the_last=to_the_last).astype(dtype)
        to_block = turns(n_blocks, size, tile, to_the_last=to_the_last)
        for number in range(first_number, last_number + 1):
            within = number % BLOCKS
            if within == 0 or number == first_number:
                to_span = turn(float((number - within) * size), tile)
            top = number * size
            begin, end = max(top, start), min(top + size, stop)
            yield TurnedBlock(
                rows=slice(begin - start, end - start),
                pairs=pairs,
                block=block[begin - top : end - top],
                onward=(to_block[within] * to_span).astype(dtype),
            )
