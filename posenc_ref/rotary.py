"""Rotary positions (RoPE). Result: a rotation of queries and keys.

The features of a head go in pairs, and a pair is a hand with a length and a
direction. At position p the pair turns by an angle that grows with p:

    y1 = x1 cos(p w) - x2 sin(p w)
    y2 = x2 cos(p w) + x1 sin(p w)        w = base ** (-2 i / rotary_dim)

for pair i = 0, 1, ..., rotary_dim / 2 - 1. A score is a sum of products of the
hands of a query with those of a key, and such a product depends on the angle
between the two. That angle is the distance of the tokens times w. So scores
know distances only, although each vector was turned by its own position.

Source: Su et al. (2021), arXiv:2104.09864, sections 3.2 and 3.4.2. The paper
pairs neighbours. Released models differ in which features make a pair, so
`layout` has no default:

- `"interleaved"`: features 2 i and 2 i + 1 (GPT-J, Cohere, GLM, Llama 4, and
  the first release of Llama);
- `"half"`: features i and i + rotary_dim / 2 (GPT-NeoX, Llama in Hugging Face
  format, and most models since);
- `"interleaved_to_half"`: reads pairs of neighbours, and writes the two parts
  to i and i + rotary_dim / 2 (DeepSeek-V3). Its scores are those of
  `"interleaved"`, its turned keys are not.

`rotary_weights` says how weights of one layout are made to fit another. Two
released models surprise: GPT-J turns with base 10000, whatever its
configuration says, and nanochat turns the other way round, by -p w.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from posenc_ref import checks, pairs, rotary_fast
from posenc_ref.kinds import Floats, Rotation
from posenc_ref.pairs import Layout, Pairing, Where
from posenc_ref.turns import ExactFrequencies, geometric_frequencies, turn, turned_blocks

CHUNK = 1024  # positions evaluated at once, so that what lies between stays in the cache


def rotary_inv_freq(rotary_dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """How fast each pair turns.

    The entries are

        inv_freq[i] = base ** (-2 i / rotary_dim)

    and 2 pi / inv_freq is the wavelength of a pair in tokens. If only part of a
    head turns, `rotary_dim` is the width of that part.

    Args:
        rotary_dim: Number of features that turn, even and at least 2.
        base: Number whose powers are the frequencies, finite and at least 1.
            Configurations call it `rope_theta`.

    Returns:
        Frequencies in radians per token, from 1 downwards, float64, shape
        `(rotary_dim // 2,)`. Released classes round them to float32, which
        moves them by up to 5e-7 of their size.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `rotary_dim` is odd or below 2, or `base` is below 1 or
            not finite.

    Examples:
        >>> from posenc_ref import rotary_inv_freq
        >>> rotary_inv_freq(8)
        array([1.   , 0.1  , 0.01 , 0.001])
        >>> rotary_inv_freq(4, base=100)
        array([1. , 0.1])
    """
    rotary_dim = checks.even_width("rotary_dim", rotary_dim)
    base = checks.frequency_base("base", base)
    n_pairs = rotary_dim // 2
    return geometric_frequencies(n_pairs, base, n_pairs).high


def rotary_cos_sin(
    positions: ArrayLike,
    inv_freq: ArrayLike,
    *,
    attention_factor: float = 1.0,
    dtype: DTypeLike = np.float64,
    angles: DTypeLike = np.float64,
) -> Rotation:
    """Cosine and sine of every angle by which a pair turns.

    With w the float64 value of an inverse frequency,

        cos[..., t, i] = attention_factor * cos(positions[..., t] * w[i])
        sin[..., t, i] = attention_factor * sin(positions[..., t] * w[i])

    A row of consecutive whole positions is made by angle addition, as in
    `sinusoidal_table`; any other row entry by entry. At every position allowed
    both differ from the formula by at most 1e-15 in float64 and 2e-7 in
    float32, times `attention_factor`. A frequency of 0 gives cosine 1 and sine 0.

    Released classes round position, frequency and their product to float32, so
    that the angle is off by up to 0.01 at position 100,000. `angles=np.float32`
    does the same, for comparison with them: given their float32 frequencies the
    angles are theirs bit by bit, and so are most cosines and sines; the others
    differ in the last digit.

    Args:
        positions: Whole or real numbers, finite and less than 2**53 in size,
            in tokens, shape `(..., T)`; `[5]` for the single position 5.
        inv_freq: Radians per token, finite and less than 2**53 in size, shape
            `(rotary_dim // 2,)`; from `rotary_inv_freq` or a scaling rule.
        attention_factor: Multiplies cosines and sines, above 0, and a number
            that `dtype` holds. YaRN and LongRoPE use it to raise scores, by its
            square.
        dtype: float32 or float64, of the result.
        angles: float64, or float32 for the arithmetic of released classes;
            `dtype` must then be float32 too.

    Returns:
        `Rotation(cos, sin)`, without unit, each of shape
        `(..., T, rotary_dim // 2)`; in float64 angles the two are views of one
        complex array, its real and imaginary part.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import rotary_cos_sin, rotary_inv_freq
        >>> cos, sin = rotary_cos_sin([0, 1, 2], rotary_inv_freq(4))
        >>> cos.round(3)
        array([[ 1.   ,  1.   ],
               [ 0.54 ,  1.   ],
               [-0.416,  1.   ]])
        >>> sin.round(3)
        array([[0.   , 0.   ],
               [0.841, 0.01 ],
               [0.909, 0.02 ]])
    """
    positions = checks.exact_positions("positions", positions)
    if positions.ndim == 0:
        raise ValueError(f"positions must have shape (..., T), got a single number, {positions}")
    frequencies = pairs.inverse_frequencies(inv_freq)
    factor = checks.positive_number("attention_factor", attention_factor)
    float_type = checks.float_dtype("dtype", dtype)
    smallest, largest = float(np.finfo(float_type).tiny), float(np.finfo(float_type).max)
    if not smallest <= factor <= largest:
        raise ValueError(f"attention_factor must be a number that {float_type} holds, got {factor}")
    angle_type = checks.float_dtype("angles", angles)
    if angle_type == np.float32:
        if float_type != np.float32:
            raise ValueError(f"dtype must be float32 if angles are, got {float_type}")
        return _from_float32_angles(positions, frequencies, factor)

    n_tokens, n_pairs = positions.shape[-1], len(frequencies)
    exact = ExactFrequencies(frequencies, np.zeros(n_pairs))
    runs = _are_runs(positions.reshape(math.prod(positions.shape[:-1]), n_tokens))
    flat = positions.reshape(-1)
    pair_type = np.result_type(float_type, np.complex64)
    turned = np.empty((len(flat), n_pairs), pair_type)  # cos + i sin: one product makes both
    for first in np.flatnonzero(runs) * n_tokens:
        run = turned[first : first + n_tokens]
        blocks = turned_blocks(int(flat[first]), n_tokens, exact, factor, pair_type)
        for rows, columns, block, onward in blocks:
            np.multiply(block, onward, out=run[rows, columns])
    scattered = np.flatnonzero(np.repeat(~runs, n_tokens))
    for top in range(0, len(scattered), CHUNK):
        some = scattered[top : top + CHUNK]
        turned[some] = factor * turn(flat[some][:, None], exact)
    turned = turned.reshape((*positions.shape, n_pairs))
    return Rotation(turned.real, turned.imag)


def apply_rotary(
    x: ArrayLike,
    rotation: Rotation,
    *,
    layout: Layout,
    where: Where = "leading",
    out: Floats | None = None,
) -> Floats:
    """Turn each pair of features of queries or keys.

    Feature x1 of a pair and its partner x2 become

        y1 = x1 cos - x2 sin
        y2 = x2 cos + x1 sin

    Values are not turned. Queries and keys of one layer need the same layout.

    Args:
        x: Queries or keys, shape `(..., T, head_dim)`: tokens next to last, so
            `(batch, heads, T, head_dim)`. Arrays of `(batch, T, heads,
            head_dim)` must be transposed first.
        rotation: From `rotary_cos_sin`, two arrays of shape
            `(T, rotary_dim // 2)`, with `rotary_dim` at most `head_dim`; or with
            as many axes as `x`, and 1 or the size of `x` in each leading one.
            Rows that stand at different positions need `(batch, 1, T,
            rotary_dim // 2)`, from positions of shape `(batch, 1, T)`.
        layout: `"half"`, `"interleaved"` or `"interleaved_to_half"`, which the
            head of this module tells apart.
        where: If fewer features turn than a head has, `"leading"` turns the
            first `rotary_dim` (GPT-NeoX, GPT-J, GLM), `"trailing"` the last
            (DeepSeek-V4). The others pass through.
        out: Array to write into: the shape and dtype of the result,
            C-contiguous, writeable. It may be `x` itself, and otherwise shares
            no memory with the arguments. Large arrays are turned several times
            sooner with it; interleaved entries may then differ in the last digit.

    Returns:
        The turned vectors, in the unit of `x`, shape of `x`; `out` if that was
        given. float32 and float16 `x` give float32, all else float64. Cosines and
        sines are rounded to that type first, as released classes do. Lengths
        are kept, if the rotation was made with `attention_factor` 1.

    Raises:
        TypeError: If an argument has the wrong type, or `out` another dtype.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import Rotation, apply_rotary
        >>> quarter = Rotation(cos=[[0.0, 0.0]], sin=[[1.0, 1.0]])  # one token, two pairs
        >>> apply_rotary([[1, 2, 3, 4]], quarter, layout="half")  # (1, 3) and (2, 4)
        array([[-3., -4.,  1.,  2.]])
        >>> apply_rotary([[1, 2, 3, 4]], quarter, layout="interleaved")  # (1, 2) and (3, 4)
        array([[-2.,  1., -4.,  3.]])
        >>> apply_rotary([[1, 2, 3, 4]], quarter, layout="interleaved_to_half")
        array([[-2., -4.,  1.,  3.]])
        >>> one_pair = Rotation(cos=[[0.0]], sin=[[1.0]])
        >>> apply_rotary([[1, 2, 3, 4]], one_pair, layout="half", where="trailing")
        array([[ 1.,  2., -4.,  3.]])
    """
    x = checks.real_array("x", x, "T", "head_dim", leading=True)
    fitting = pairs.fitting_rotation(x, rotation)
    pairs.check_layout(layout)
    pairs.check_where(where)
    if out is None:
        reads, writes = pairs.read_pairing(layout), pairs.written_pairing(layout)
        return _turned(x, fitting, reads, writes, where)
    _check_output(out, x, rotation)
    _turn_into(out, x, fitting, layout, where)
    return out


def undo_rotary(
    x: ArrayLike, rotation: Rotation, *, layout: Layout, where: Where = "leading"
) -> Floats:
    """Turn each pair back: the inverse of `apply_rotary` with the same arguments.

    The turn back is

        x1 = (y1 cos + y2 sin) / (cos**2 + sin**2)
        x2 = (y2 cos - y1 sin) / (cos**2 + sin**2)

    and the divisor is the square of the `attention_factor`, which both steps
    would else leave in. DeepSeek-V4 turns its attention output back in this
    way, since its values are its keys; it does not divide.

    Args:
        x: Turned vectors, shape `(..., T, head_dim)`.
        rotation: The rotation that was applied, as in `apply_rotary`. Cosine and
            sine of an entry are not both 0.
        layout: The layout that was applied; `"interleaved_to_half"` is undone by
            reading halves and writing neighbours.
        where: `"leading"` or `"trailing"`, as it was applied.

    Returns:
        The vectors before the turn, but for rounding, shape and dtype as in
        `apply_rotary`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import Rotation, undo_rotary
        >>> quarter = Rotation(cos=[[0.0, 0.0]], sin=[[1.0, 1.0]])
        >>> undo_rotary([[-3, -4, 1, 2]], quarter, layout="half")
        array([[1., 2., 3., 4.]])
        >>> undo_rotary([[-2, -4, 1, 3]], quarter, layout="interleaved_to_half")
        array([[1., 2., 3., 4.]])
    """
    x = checks.real_array("x", x, "T", "head_dim", leading=True)
    cos, sin = pairs.fitting_rotation(x, rotation)
    pairs.check_layout(layout)
    pairs.check_where(where)
    size = np.hypot(cos.astype(np.float64), sin.astype(np.float64))  # the attention factor
    if not size.all():
        raise ValueError("rotation must have no entry whose cos and sin are both 0, got one")
    # Twice by the size, not once by its square, which may be beyond the floats.
    back = Rotation((cos / size / size).astype(x.dtype), (-sin / size / size).astype(x.dtype))
    reads, writes = pairs.written_pairing(layout), pairs.read_pairing(layout)
    return _turned(x, back, reads, writes, where)


def _from_float32_angles(
    positions: NDArray[np.float64], frequencies: NDArray[np.float64], factor: float
) -> Rotation:
    """Position, frequency, angle, sine and product are each rounded, as in released code."""
    angle = positions.astype(np.float32)[..., None] * frequencies.astype(np.float32)
    exact_angle = angle.astype(np.float64)
    cos, sin = np.cos(exact_angle).astype(np.float32), np.sin(exact_angle).astype(np.float32)
    return Rotation(cos * np.float32(factor), sin * np.float32(factor))


def _are_runs(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows are two or more consecutive whole positions."""
    if rows.shape[-1] < 2:
        return np.zeros(len(rows), np.bool_)
    whole = rows[:, 0] == np.floor(rows[:, 0])
    runs: NDArray[np.bool_] = whole & (np.diff(rows) == 1).all(axis=-1)
    return runs


def _turned(x: Floats, rotation: Rotation, reads: Pairing, writes: Pairing, where: Where) -> Floats:
    """The two lines of the formula, and what passes through."""
    cos, sin = rotation
    rotary_dim = 2 * cos.shape[-1]
    turning, _ = pairs.split_features(x.shape[-1], rotary_dim, where)
    first, second = (x[..., turning][..., part] for part in pairs.pair_columns(rotary_dim, reads))
    result = x.copy()
    new_first, new_second = pairs.pair_columns(rotary_dim, writes)
    result[..., turning][..., new_first] = first * cos - second * sin
    result[..., turning][..., new_second] = second * cos + first * sin
    return result


def _turn_into(out: Floats, x: Floats, rotation: Rotation, layout: Layout, where: Where) -> None:
    """The same, made for large arrays."""
    turn_pairs = {
        "half": rotary_fast.turn_halves,
        "interleaved": rotary_fast.turn_neighbours,
        "interleaved_to_half": rotary_fast.turn_neighbours_to_halves,
    }[layout]
    if x.strides[-1] != x.itemsize:
        x = np.ascontiguousarray(x)
    turning, passing = pairs.split_features(x.shape[-1], 2 * rotation.cos.shape[-1], where)
    turn_pairs(out[..., turning], x[..., turning], *rotation)
    out[..., passing] = x[..., passing]


def _check_output(out: Floats, x: Floats, rotation: Rotation) -> None:
    if isinstance(out, np.ndarray) and out.dtype != x.dtype:
        raise TypeError(f"out must have dtype {x.dtype}, as the result has, got {out.dtype}")
    checks.output_array("out", out, x.shape, x.dtype)
    start, out_start = x.__array_interface__["data"], out.__array_interface__["data"]
    in_place = start == out_start and x.strides == out.strides
    others = [*rotation] if in_place else [x, *rotation]
    if any(np.shares_memory(out, other) for other in others):
        raise ValueError(
            "out must be x itself, or share no memory with x and rotation, but it does"
        )
