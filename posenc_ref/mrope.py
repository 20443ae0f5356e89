"""Multimodal rotary positions (M-RoPE). Result: a rotation of queries and keys.

A language model that also reads images and videos gives each token three
positions: time, height and width (`mrope_positions`). A text token has the same
number three times, and turns as in any rotary model. A patch has its place in
the image or video. Each pair of features follows one of the three:

    angle[p, i] = positions[axis[i], p] * inv_freq[i]

Source: Wang et al. (2024), arXiv:2409.12191, section 2.1 (chunked); Huang et al.
(2025), arXiv:2510.23095 (interleaved). Released models:

- `order="chunked"`: Qwen2-VL, Qwen2.5-VL, Qwen2.5-Omni, PaddleOCR-VL, and GLM-4V,
  whose pairs are neighbours (`layout="interleaved"`);
- `order="interleaved"`: Qwen3-VL, Qwen3-Omni, Qwen3.5;
- `order="time_last"`: ERNIE-4.5-VL, with `layout="interleaved"`. Its config lists
  the sections as height, width, time.

HunYuan-VL is left out. It gives the two features of a pair different axes, so on
image tokens its map is no rotation.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Rotation
from posenc_ref.turns import ExactFrequencies, turn

PairOrder: TypeAlias = Literal["chunked", "interleaved", "time_last"]


def mrope_axes(sections: ArrayLike, *, order: PairOrder) -> NDArray[np.int64]:
    """Which position turns each pair: 0 is time, 1 height, 2 width.

    Args:
        sections: Number of pairs that follow time, height and width, in this
            order: three whole numbers, each at least 0, not all 0. As
            `mrope_section` in config files, but ERNIE's, which has time last.
        order: `"chunked"`: time has the first pairs, then height, then width.
            `"interleaved"`: height has the pairs 1, 4, 7, ..., width the pairs
            2, 5, 8, ..., each as many as its section says; time has the rest,
            so the three are mixed at all but the slowest frequencies.
            `"time_last"`: height and width take turns, then come all pairs of
            time; height and width must have equal sections.

    Returns:
        The axis of each pair, int64, shape `(sum(sections),)`.

    Raises:
        TypeError: If `sections` are not whole numbers or `order` no name.
        ValueError: If `sections` are not three, one is negative, all are 0, or
            they do not fit the order.

    Examples:
        >>> from posenc_ref import mrope_axes
        >>> mrope_axes([4, 2, 2], order="chunked")
        array([0, 0, 0, 0, 1, 1, 2, 2])
        >>> mrope_axes([4, 2, 2], order="interleaved")
        array([0, 1, 2, 0, 1, 2, 0, 0])
        >>> mrope_axes([4, 2, 2], order="time_last")
        array([1, 2, 1, 2, 0, 0, 0, 0])
    """
    time, height, width = checks.whole_array("sections", sections, 3, at_least=0).tolist()
    checks.one_of("order", order, ("chunked", "interleaved", "time_last"))
    n_pairs = time + height + width
    received = f"got {[time, height, width]}"
    if n_pairs == 0:
        raise ValueError(f"sections must hold at least one pair, {received}")
    checks.result_fits(pairs=n_pairs)

    if order == "chunked":
        return np.repeat(np.arange(3), [time, height, width])
    if order == "time_last":
        if height != width:
            raise ValueError(f"sections must be equal for height and width, {received}")
        return np.concatenate([np.tile([1, 2], height), np.zeros(time, np.int64)])
    places = [range(axis, n_pairs, 3) for axis in (1, 2)]
    if height > len(places[0]) or width > len(places[1]):
        raise ValueError(
            f"sections must give height at most {len(places[0])} and width at most "
            f"{len(places[1])} of {n_pairs} pairs, {received}"
        )
    axes = np.zeros(n_pairs, np.int64)
    axes[1 : 3 * height : 3] = 1
    axes[2 : 3 * width : 3] = 2
    return axes


def mrope_cos_sin(
    positions: ArrayLike,
    inv_freq: ArrayLike,
    *,
    sections: ArrayLike,
    order: PairOrder,
    attention_factor: float = 1.0,
    dtype: DTypeLike = np.float64,
) -> Rotation:
    """Cosines and sines of three positions a token.

        cos[..., p, i] = attention_factor * cos(positions[axis[i], ..., p] * inv_freq[i])

    and sin likewise. Where the three positions are equal, as in text, the order
    and the sections do not matter, and this is plain rotary.

    Args:
        positions: Time, height and width of each token, whole or real numbers,
            finite and less than 2**53 in size, shape `(3, ..., T)`.
        inv_freq: Radians per token of each pair, finite and less than 2**53 in
            size, shape `(n_pairs,)`.
        sections: Number of pairs for time, height and width, as in `mrope_axes`;
            they sum to `n_pairs`.
        order: `"chunked"`, `"interleaved"` or `"time_last"`, as in `mrope_axes`.
        attention_factor: Multiplies cosines and sines, above 0.
        dtype: float32 or float64.

    Returns:
        Cosines and sines, without unit, each of shape `(..., T, n_pairs)`,
        rounded once: within 4e-16 of the formula in float64, 6e-8 in float32,
        times the attention factor.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import mrope_cos_sin
        >>> positions = [[0], [0], [1]]  # time 0, height 0, width 1
        >>> inv_freq = [1, 0.1, 0.01]
        >>> mrope_cos_sin(positions, inv_freq, sections=[1, 1, 1], order="chunked").sin.round(3)
        array([[0.  , 0.  , 0.01]])
        >>> mrope_cos_sin(positions, inv_freq, sections=[1, 1, 1], order="time_last").sin.round(3)
        array([[0. , 0.1, 0. ]])
    """
    token_positions = checks.exact_positions("positions", positions)
    if token_positions.ndim < 2 or token_positions.shape[0] != 3:
        raise ValueError(
            "positions must have shape (3, ..., T) for time, height and width, "
            f"got {token_positions.shape}"
        )
    frequencies = checks.exact_positions(
        "inv_freq", checks.real_array("inv_freq", inv_freq, "n_pairs")
    )
    pair_counts = checks.whole_array("sections", sections, 3, at_least=0).tolist()
    if sum(pair_counts) != len(frequencies):
        raise ValueError(
            f"sections must sum to {len(frequencies)}, one pair for each inv_freq, "
            f"got {pair_counts}"
        )
    axes = mrope_axes(pair_counts, order=order)
    factor = checks.positive_number("attention_factor", attention_factor)
    float_type = checks.float_dtype("dtype", dtype)

    of_each_pair = np.moveaxis(token_positions[axes], 0, -1)  # (..., T, n_pairs)
    turned = factor * turn(of_each_pair, ExactFrequencies(frequencies, np.zeros(len(axes))))
    return Rotation(turned.real.astype(float_type), turned.imag.astype(float_type))
