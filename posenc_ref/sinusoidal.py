"""Sinusoidal positions. Result: a table, added to the token vectors.

Each pair of columns is a hand that turns at its own frequency: its sine and
cosine say where the hand stands at each position. The printed formula is

    table[p, 2 i]     = sin(p / base ** (2 i / d_model))
    table[p, 2 i + 1] = cos(p / base ** (2 i / d_model))

Nothing is learned, and the table has no last row.

Source: Vaswani et al. (2017), arXiv:1706.03762, section 3.5. Released code
departs from the formula in three ways, each a named option here:

- `layout="concatenated"`: all sines, then all cosines (tensor2tensor, fairseq,
  and most Hugging Face models);
- `exponent="tensor2tensor"`: i / (d_model / 2 - 1) in place of 2 i / d_model,
  so that the last frequency is exactly 1 / base (tensor2tensor, fairseq,
  Whisper);
- `order="cos_sin"`: cosine before sine (MusicGen).
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Table
from posenc_ref.turns import ExactFrequencies, geometric_frequencies, turn, turned_blocks

Layout: TypeAlias = Literal["interleaved", "concatenated"]
Exponent: TypeAlias = Literal["paper", "tensor2tensor"]
Order: TypeAlias = Literal["sin_cos", "cos_sin"]


def sinusoidal_inv_freq(
    d_model: int, *, base: float = 10000.0, exponent: Exponent = "paper"
) -> NDArray[np.float64]:
    """How fast each pair of columns turns.

    The wavelength of a pair, in tokens, is 2 pi divided by its entry.

    Args:
        d_model: Width of the model, even and at least 2.
        base: Number whose powers are the frequencies, finite and at least 1.
        exponent: `"paper"` for base ** (-2 i / d_model), `"tensor2tensor"` for
            base ** (-i / (d_model / 2 - 1)); a single pair has frequency 1 in both.

    Returns:
        Frequencies in radians per token, from 1 downwards, float64, shape
        `(d_model // 2,)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `d_model` is odd or below 2, `base` is below 1 or not
            finite, or `exponent` is not one of the two names.

    Examples:
        >>> from posenc_ref import sinusoidal_inv_freq
        >>> sinusoidal_inv_freq(8)
        array([1.   , 0.1  , 0.01 , 0.001])
        >>> sinusoidal_inv_freq(8, base=1000, exponent="tensor2tensor")
        array([1.   , 0.1  , 0.01 , 0.001])
    """
    d_model = checks.even_width("d_model", d_model)
    return _exact_frequencies(d_model, base, exponent).high


def sinusoidal_table(
    n_positions: int,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    exponent: Exponent = "paper",
    order: Order = "sin_cos",
    start: int = 0,
    dtype: DTypeLike = np.float64,
    out: Table | None = None,
) -> Table:
    """One row for each of a run of consecutive positions.

    The defaults are the printed formula. Rows come from angle addition, the
    property that the scheme was chosen for: the row at p + k is the row at p
    with each pair turned on by k tokens. An entry differs from the formula by
    at most 1e-15 in float64 and 2e-7 in float32, at any position allowed, and a
    position has the same numbers in every table of the same width and dtype.

    Args:
        n_positions: Number of rows, at least 0.
        d_model: Width of the model, even and at least 2.
        base: Number whose powers are the frequencies, finite and at least 1.
        layout: `"interleaved"`: the two columns of a pair side by side.
            `"concatenated"`: the first columns of all pairs, then the second.
        exponent: `"paper"` for base ** (-2 i / d_model), `"tensor2tensor"` for
            base ** (-i / (d_model / 2 - 1)); a single pair has frequency 1 in both.
        order: `"sin_cos"` or `"cos_sin"`: which of the two comes first.
        start: Position of the first row. Any whole number, negative too, with
            |start| + n_positions at most 2**53.
        dtype: float32 or float64.
        out: Array to write into: this shape and dtype, C-contiguous, writeable.

    Returns:
        Sines and cosines, without unit, shape `(n_positions, d_model)`; `out`
        if that was given. Every row has the length sqrt(d_model / 2).

    Raises:
        TypeError: If an argument has the wrong type, or `out` another dtype.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import sinusoidal_table
        >>> sinusoidal_table(3, 4).round(3)
        array([[ 0.   ,  1.   ,  0.   ,  1.   ],
               [ 0.841,  0.54 ,  0.01 ,  1.   ],
               [ 0.909, -0.416,  0.02 ,  1.   ]])
        >>> sinusoidal_table(1, 4, start=2).round(3)  # the last row again
        array([[ 0.909, -0.416,  0.02 ,  1.   ]])
        >>> sinusoidal_table(3, 4, layout="concatenated").round(3)
        array([[ 0.   ,  0.   ,  1.   ,  1.   ],
               [ 0.841,  0.01 ,  0.54 ,  1.   ],
               [ 0.909,  0.02 , -0.416,  1.   ]])
        >>> position = np.arange(3)[:, None]  # the same from the printed formula
        >>> angle = position / 10000 ** (np.array([0, 2]) / 4)
        >>> np.allclose(sinusoidal_table(3, 4)[:, 0::2], np.sin(angle))
        True
    """
    n_positions = checks.whole_number("n_positions", n_positions, at_least=0)
    d_model = checks.even_width("d_model", d_model)
    checks.result_fits(n_positions=n_positions, d_model=d_model)
    frequencies = _exact_frequencies(d_model, base, exponent)
    _check_arrangement(layout, order)
    start = checks.whole_number("start", start)
    if abs(start) + n_positions > checks.EXACT_INTEGERS:
        raise ValueError(
            "start must satisfy |start| + n_positions <= 2**53, "
            f"got start {start} with n_positions {n_positions}"
        )
    float_type = checks.float_dtype("dtype", dtype)
    shape = (n_positions, d_model)
    table = (
        np.empty(shape, float_type)
        if out is None
        else checks.output_array("out", out, shape, float_type)
    )

    # A pair is one complex number, so that one product turns it. For cos + i sin
    # that number is e^(i p w); for sin + i cos it is i e^(-i p w): the same hand
    # started a quarter turn on, and turning back.
    first: complex = 1
    if order == "sin_cos":
        first = 1j
        frequencies = ExactFrequencies(-frequencies.high, -frequencies.low)
    pair_type = np.result_type(float_type, np.complex64)
    blocks = turned_blocks(start, n_positions, frequencies, first, pair_type)

    if layout == "interleaved":
        pairs = table.view(pair_type)  # neighbouring columns are real and imaginary part
        for rows, columns, block, onward in blocks:
            np.multiply(block, onward, out=pairs[rows, columns])
    else:
        # NumPy has no product that writes the two parts apart, so a block is made in
        # the processor's cache and copied from there: still one trip through memory.
        left, right = np.hsplit(table, 2)
        for rows, columns, block, onward in blocks:
            product = block * onward
            left[rows, columns] = product.real
            right[rows, columns] = product.imag
    return table


def sinusoidal_at(
    positions: ArrayLike,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    exponent: Exponent = "paper",
    order: Order = "sin_cos",
    dtype: DTypeLike = np.float64,
) -> Table:
    """The formula at any positions: scattered, batched, negative or fractional.

    Every entry is evaluated by itself. For a run of consecutive positions
    `sinusoidal_table` gives the same, sooner.

    Args:
        positions: Whole or real numbers, finite and less than 2**53 in size,
            in tokens, shape `(..., T)` or a single number.
        d_model: Width of the model, even and at least 2.
        base: Number whose powers are the frequencies, finite and at least 1.
        layout: `"interleaved"` or `"concatenated"`, as in `sinusoidal_table`.
        exponent: `"paper"` or `"tensor2tensor"`, as in `sinusoidal_table`.
        order: `"sin_cos"` or `"cos_sin"`, as in `sinusoidal_table`.
        dtype: float32 or float64.

    Returns:
        Sines and cosines, without unit, rounded once, within 4e-16 of the
        formula in float64, 6e-8 in float32. Shape `(..., T, d_model)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import sinusoidal_at
        >>> sinusoidal_at([2, 0.5], 4).round(3)
        array([[ 0.909, -0.416,  0.02 ,  1.   ],
               [ 0.479,  0.878,  0.005,  1.   ]])
        >>> sinusoidal_at([[0, 1, 2], [0, 0, 1]], 4).shape  # two rows, one padded left
        (2, 3, 4)
    """
    exact_positions = checks.exact_positions("positions", positions)
    d_model = checks.even_width("d_model", d_model)
    checks.result_fits(positions=exact_positions.size, d_model=d_model)
    frequencies = _exact_frequencies(d_model, base, exponent)
    _check_arrangement(layout, order)
    float_type = checks.float_dtype("dtype", dtype)

    turned = turn(exact_positions[..., None], frequencies)  # (..., T, d_model // 2)
    rows = np.empty((*exact_positions.shape, d_model), float_type)
    sin_columns, cos_columns = _columns(d_model, layout, order)
    rows[..., sin_columns] = turned.imag
    rows[..., cos_columns] = turned.real
    return rows


def sinusoidal_shift(
    k: float,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    exponent: Exponent = "paper",
    order: Order = "sin_cos",
) -> NDArray[np.float64]:
    """The matrix that takes the row at p to the row at p + k, whatever p is.

    It turns each pair by k times its frequency, after

        sin(a + b) = sin a cos b + cos a sin b
        cos(a + b) = cos a cos b - sin a sin b

    so it is a rotation: its transpose undoes it, and two shifts in a row are
    the shift by their sum.

    Args:
        k: Distance in tokens, a finite number less than 2**53 in size; negative
            for a shift to the past, fractional too.
        d_model: Width of the model, even and at least 2.
        base: Number whose powers are the frequencies, finite and at least 1.
        layout: `"interleaved"` or `"concatenated"`, as in `sinusoidal_table`.
        exponent: `"paper"` or `"tensor2tensor"`, as in `sinusoidal_table`.
        order: `"sin_cos"` or `"cos_sin"`, as in `sinusoidal_table`.

    Returns:
        A matrix M with table[p + k] = M @ table[p], without unit, float64,
        shape `(d_model, d_model)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import sinusoidal_shift, sinusoidal_table
        >>> sinusoidal_shift(1, 2).round(3)
        array([[ 0.54 ,  0.841],
               [-0.841,  0.54 ]])
        >>> table = sinusoidal_table(10, 4)
        >>> np.allclose(sinusoidal_shift(3, 4) @ table[5], table[8])
        True
    """
    distance = checks.finite_number("k", k)
    if abs(distance) >= checks.EXACT_INTEGERS:
        raise ValueError(f"k must be less than 2**53 in size, got {k}")
    d_model = checks.even_width("d_model", d_model)
    checks.result_fits(d_model=d_model, columns=d_model)
    frequencies = _exact_frequencies(d_model, base, exponent)
    _check_arrangement(layout, order)

    turned = turn(distance, frequencies)
    column = np.arange(d_model)
    sin_column, cos_column = (column[part] for part in _columns(d_model, layout, order))
    matrix = np.zeros((d_model, d_model))
    matrix[sin_column, sin_column] = matrix[cos_column, cos_column] = turned.real
    matrix[sin_column, cos_column] = turned.imag
    matrix[cos_column, sin_column] = -turned.imag
    return matrix


def _exact_frequencies(d_model: int, base: float, exponent: Exponent) -> ExactFrequencies:
    n_pairs = d_model // 2
    checks.one_of("exponent", exponent, ("paper", "tensor2tensor"))
    n_steps = n_pairs if exponent == "paper" else max(n_pairs - 1, 1)
    return geometric_frequencies(n_pairs, checks.frequency_base("base", base), n_steps)


def _check_arrangement(layout: Layout, order: Order) -> None:
    checks.one_of("layout", layout, ("interleaved", "concatenated"))
    checks.one_of("order", order, ("sin_cos", "cos_sin"))


def _columns(d_model: int, layout: Layout, order: Order) -> tuple[slice, slice]:
    """Which columns hold the sines, and which the cosines."""
    if layout == "interleaved":
        first, second = slice(0, None, 2), slice(1, None, 2)
    else:
        first, second = slice(0, d_model // 2), slice(d_model // 2, None)
    return (first, second) if order == "sin_cos" else (second, first)
