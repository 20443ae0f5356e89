"""Rotary scaling. Result: frequencies of a rotation, slower than those trained with.

A model reads texts longer than those it was trained on if its pairs turn more
slowly, so that no angle is larger than what training has shown. The rules differ
in which pairs they slow down. With w_i = base ** (-2 i / rotary_dim) they give

    linear         w_i / factor
    NTK-aware      w_i of the larger base, base * factor ** (d / (d - 2))
    dynamic NTK    the same, with a factor that grows with the text
    Llama 3        w_i for fast pairs, w_i / factor for slow ones, a ramp between
    proportional   w_i / factor for the first pairs, 0 for the rest

with d = rotary_dim. None of them changes the size of cosines and sines, so the
attention factor is 1. YaRN and LongRoPE, which do, have their own modules.

Source: Chen et al. (2023), arXiv:2306.15595, for linear scaling (position
interpolation); posts of bloc97 and emozilla (2023), described in Peng et al.
(2023), arXiv:2309.00071, section 3, for the two NTK rules; the released code of
Llama 3.1; Barbero et al. (2024), arXiv:2410.06205, section 6, for proportional.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Frequencies
from posenc_ref.rotary import rotary_inv_freq


def scale_linear(inv_freq: ArrayLike, *, factor: float) -> Frequencies:
    """All pairs slowed down alike (position interpolation).

        w_i / factor

    Dividing frequencies by a factor is dividing positions by it: token 8 under
    factor 4 stands where token 2 stood in training.

    Args:
        inv_freq: Frequencies in radians per token, finite and at least 0, shape
            `(n_pairs,)`.
        factor: How many times longer than trained, finite and at least 1. A
            number below 1 is refused: it would speed the pairs up, and is nearly
            always the reciprocal, which some tools call the frequency scale.

    Returns:
        Frequencies in radians per token, float64, shape `(n_pairs,)`, and the
        attention factor 1.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import scale_linear
        >>> scale_linear([1.0, 0.5], factor=4)
        Frequencies(inv_freq=array([0.25 , 0.125]), attention_factor=1.0)
    """
    frequencies = _trained_frequencies(inv_freq)
    return Frequencies(frequencies / checks.length_factor("factor", factor), 1.0)


def scale_ntk(rotary_dim: int, base: float, *, factor: float) -> Frequencies:
    """The fastest pair kept, the slowest slowed down by `factor`, those between in proportion.

        base' = base * factor ** (rotary_dim / (rotary_dim - 2))
        w_i   = base' ** (-2 i / rotary_dim)

    The exponent is the one that makes the last frequency w_last / factor. Pair i
    is divided by factor ** (i / (n_pairs - 1)). HunYuan's dense and expert models
    use this rule with a fixed factor, which their configs call `alpha`.

    Args:
        rotary_dim: Number of rotated features, even and at least 4: a single pair
            cannot be both the fastest, to be kept, and the slowest.
        base: Number whose powers are the frequencies, finite and at least 1.
        factor: How many times slower the slowest pair turns, finite and at least 1.

    Returns:
        Frequencies in radians per token, from 1 downwards, float64, shape
        `(rotary_dim // 2,)`, and the attention factor 1.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it, or the new base
            is too large for a float.

    Examples:
        >>> from posenc_ref import rotary_inv_freq, scale_ntk
        >>> rotary_inv_freq(6, 1000.0) / scale_ntk(6, 1000.0, factor=4).inv_freq
        array([1., 2., 4.])
    """
    width = _width_of_pairs(rotary_dim)
    old_base = checks.frequency_base("base", base)
    return Frequencies(_stretched(width, old_base, checks.length_factor("factor", factor)), 1.0)


def scale_dynamic(
    rotary_dim: int, base: float, *, factor: float, trained_length: int, seq_len: int
) -> Frequencies:
    """NTK-aware scaling that starts at the trained length and grows with the text.

        stretch = 1 + factor * (n / trained_length - 1),  n = max(seq_len, trained_length)
        w_i     = those of `scale_ntk` with this stretch as its factor

    A text of up to `trained_length` tokens is not scaled at all. This is the form
    of transformers. The YaRN paper takes stretch = n / trained_length, which is
    this with factor 1.

    The frequencies belong to one length. Keys rotated for a shorter text and kept
    in a cache do not fit queries rotated for a longer one. Classes of transformers
    keep the frequencies of the longest text seen, until one shorter than
    `trained_length` comes; this function remembers nothing.

    Args:
        rotary_dim: Number of rotated features, even and at least 4.
        base: Number whose powers are the frequencies, finite and at least 1.
        factor: How fast the stretch grows with the text, finite and at least 1.
        trained_length: Number of tokens trained on, from 1 to 2**53. transformers
            takes `max_position_embeddings` for it.
        seq_len: Number of tokens, cached ones included, from 0 to 2**53.

    Returns:
        Frequencies in radians per token, from 1 downwards, float64, shape
        `(rotary_dim // 2,)`, and the attention factor 1.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it, or the new base
            is too large for a float.

    Examples:
        >>> from posenc_ref import scale_dynamic, scale_ntk
        >>> def frequencies(seq_len):
        ...     result = scale_dynamic(
        ...         4, 100.0, factor=3, trained_length=10, seq_len=seq_len
        ...     )
        ...     return result.inv_freq
        >>> frequencies(10)
        array([1. , 0.1])
        >>> frequencies(20)  # a stretch of 1 + 3 * (2 - 1)
        array([1.   , 0.025])
    """
    width = _width_of_pairs(rotary_dim)
    old_base = checks.frequency_base("base", base)
    growth = checks.length_factor("factor", factor)
    trained = checks.whole_number(
        "trained_length", trained_length, at_least=1, at_most=checks.EXACT_INTEGERS
    )
    length = checks.whole_number("seq_len", seq_len, at_least=0, at_most=checks.EXACT_INTEGERS)
    stretch = 1 + growth * (max(length - trained, 0) / trained)
    return Frequencies(_stretched(width, old_base, stretch), 1.0)


def scale_llama3(
    inv_freq: ArrayLike,
    *,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    trained_length: int,
) -> Frequencies:
    """Each pair by the number of turns that it makes over the trained length.

        turns = trained_length * w_i / (2 pi)
        kept  = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor), cut to 0..1
        kept * w_i + (1 - kept) * w_i / factor

    A pair of many turns has been seen at all its angles and keeps its frequency; a
    pair that did not finish `low_freq_factor` turns is slowed down by the whole
    factor. That is the ramp of the YaRN paper without its attention factor.

    Llama 3.1 and 3.2 have low 1 and high 4. Llama 4 Scout publishes 1 and 1: then
    there is no ramp, and the released code, which divides by their difference,
    masks the result. Here a pair of exactly that many turns is kept; there it is
    NaN.

    Args:
        inv_freq: Frequencies in radians per token, finite and at least 0, shape
            `(n_pairs,)`.
        factor: What slow pairs are divided by, finite and at least 1.
        low_freq_factor: Turns up to which a pair is slow, finite and above 0.
        high_freq_factor: Turns from which a pair is fast, finite, at least
            `low_freq_factor`.
        trained_length: Number of tokens trained on before scaling, from 1 to 2**53.

    Returns:
        Frequencies in radians per token, float64, shape `(n_pairs,)`, and the
        attention factor 1.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import scale_llama3
        >>> turns = np.array([5.0, 4.0, 3.0, 1.0, 0.5])
        >>> scaled = scale_llama3(
        ...     2 * np.pi * turns / 100,
        ...     factor=10,
        ...     low_freq_factor=1,
        ...     high_freq_factor=4,
        ...     trained_length=100,
        ... )
        >>> scaled.inv_freq * 100 / (2 * np.pi)  # the third keeps 2/3 of itself, 1/3 is divided
        array([5.  , 4.  , 2.1 , 0.1 , 0.05])
    """
    frequencies = _trained_frequencies(inv_freq)
    divisor = checks.length_factor("factor", factor)
    low = checks.positive_number("low_freq_factor", low_freq_factor)
    high = checks.positive_number("high_freq_factor", high_freq_factor)
    if high < low:
        raise ValueError(
            f"high_freq_factor must be at least low_freq_factor, {low_freq_factor}, "
            f"got {high_freq_factor}"
        )
    trained = checks.whole_number(
        "trained_length", trained_length, at_least=1, at_most=checks.EXACT_INTEGERS
    )

    turns = trained * frequencies / (2 * np.pi)
    if low < high:
        kept = np.clip((turns - low) / (high - low), 0, 1)
    else:
        kept = np.where(turns >= high, 1.0, 0.0)
    return Frequencies(kept * frequencies + (1 - kept) * frequencies / divisor, 1.0)


def scale_proportional(
    head_dim: int, base: float, *, rotated_fraction: float, factor: float = 1.0
) -> Frequencies:
    """The fastest pairs of the full head only; the rest stand still (p-RoPE).

        w_i = base ** (-2 i / head_dim) / factor   for i < floor(rotated_fraction * head_dim / 2)
        w_i = 0                                    for the others

    Partial rotation, which also leaves features unrotated, is another thing: there
    the exponents divide by the number of rotated features, so the frequencies
    still reach down to the slowest. In the half layout the features at rest are the
    end of each half, not the end of the head. Gemma 4 and LFM 3 use this rule.

    Args:
        head_dim: Number of features of a head, even and at least 2.
        base: Number whose powers are the frequencies, finite and at least 1.
        rotated_fraction: Share of pairs that turn, from 0 to 1. A part of a pair
            is left out: of 5 pairs, 0.5 rotates 2.
        factor: What the frequencies are divided by, finite and at least 1.

    Returns:
        Frequencies in radians per token, float64, zeros last, shape
        `(head_dim // 2,)`, and the attention factor 1.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import scale_proportional
        >>> scale_proportional(8, 10000.0, rotated_fraction=0.75).inv_freq
        array([1.  , 0.1 , 0.01, 0.  ])
    """
    width = checks.even_width("head_dim", head_dim)
    known_base = checks.frequency_base("base", base)
    fraction = checks.finite_number("rotated_fraction", rotated_fraction)
    if not 0 <= fraction <= 1:
        raise ValueError(f"rotated_fraction must be in 0..1, got {rotated_fraction}")
    divisor = checks.length_factor("factor", factor)

    frequencies = rotary_inv_freq(width, known_base) / divisor
    frequencies[int(fraction * width // 2) :] = 0
    return Frequencies(frequencies, 1.0)


def _trained_frequencies(inv_freq: ArrayLike) -> NDArray[np.float64]:
    frequencies = checks.real_array("inv_freq", inv_freq, "n_pairs", finite=True)
    if (frequencies < 0).any():
        raise ValueError(f"inv_freq must be at least 0 everywhere, got {frequencies.min()}")
    return frequencies.astype(np.float64)


def _width_of_pairs(rotary_dim: int) -> int:
    width = checks.even_width("rotary_dim", rotary_dim)
    if width < 4:
        raise ValueError(f"rotary_dim must be at least 4 (two pairs to tell apart), got {width}")
    return width


def _stretched(rotary_dim: int, base: float, stretch: float) -> NDArray[np.float64]:
    try:
        new_base = base * stretch ** (rotary_dim / (rotary_dim - 2))
    except OverflowError:
        new_base = math.inf
    if math.isinf(new_base):
        raise ValueError(
            "factor must keep the scaled base finite, base * stretch ** (rotary_dim / "
            f"(rotary_dim - 2)), got base {base} with a stretch of {stretch}, which is the factor "
            "or follows from it and the two lengths"
        )
    return rotary_inv_freq(rotary_dim, new_base)
