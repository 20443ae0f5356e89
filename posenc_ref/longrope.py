"""LongRoPE. Result: frequencies of a rotation, and a factor on its cosines and sines.

Each pair is slowed down by a factor of its own, found by search and published with
the model: one list for texts up to the trained length, another for longer ones.

    w_i = 1 / (factor_i * base ** (2 i / rotary_dim))

Source: Ding et al. (2024), arXiv:2402.13753, section 3, in the form that Phi-3 and
Phi-3.5 have in transformers. The paper's search also finds how many of the first
positions stay as they were; that form has nothing of the kind. The class of
Phi-3.5-MoE in transformers 5.24 keeps to the short list at any length.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Frequencies
from posenc_ref.rotary import rotary_inv_freq

LEAST_FACTOR = 1e-300  # a frequency divided by it is still a float


def scale_longrope(
    rotary_dim: int,
    base: float,
    *,
    short_factor: ArrayLike,
    long_factor: ArrayLike,
    trained_length: int,
    max_length: int,
    seq_len: int,
    factor: float | None = None,
    attention_factor: float | None = None,
) -> Frequencies:
    """Each pair by its own factor from one of two lists, by the length of the text.

        w_i / long_factor[i]     if seq_len > trained_length
        w_i / short_factor[i]    otherwise

        attention factor = sqrt(1 + ln s / ln trained_length),   1 for s of at most 1
        s = max_length / trained_length, or `factor` if it is given

    The list holds for all positions of a text, also for those before
    `trained_length`. So keys cached while the text was short do not fit a query
    that comes after the switch. The attention factor is the same on both sides.

    Args:
        rotary_dim: Number of rotated features, even and at least 2; less than the
            width of a head where only a part of it rotates.
        base: Number whose powers are the frequencies, finite and at least 1.
        short_factor: What each pair is divided by in a text of up to
            `trained_length` tokens, finite and at least 1e-300, shape `(rotary_dim // 2,)`.
        long_factor: The same for longer texts.
        trained_length: Number of tokens trained on before scaling, from 2 to 2**53.
            In the configs of Phi-3 it stands at the top level.
        max_length: Number of tokens that the scaled model is made for, from 1 to
            2**53.
        seq_len: Number of tokens, cached ones included, from 0 to 2**53.
        factor: Finite and above 0; replaces max_length / trained_length.
        attention_factor: Factor on cosines and sines, finite and above 0; replaces
            the formula.

    Returns:
        Frequencies in radians per token, float64, shape `(rotary_dim // 2,)`, and
        the attention factor.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import scale_longrope
        >>> def scaled(seq_len):
        ...     return scale_longrope(
        ...         4,
        ...         100.0,
        ...         short_factor=[1, 2],
        ...         long_factor=[1, 5],
        ...         trained_length=10,
        ...         max_length=1000,
        ...         seq_len=seq_len,
        ...     )
        >>> scaled(10).inv_freq
        array([1.  , 0.05])
        >>> scaled(11).inv_freq
        array([1.  , 0.02])
        >>> round(scaled(11).attention_factor**2, 12)  # 1 + ln 100 / ln 10
        3.0
    """
    width = checks.even_width("rotary_dim", rotary_dim)
    known_base = checks.frequency_base("base", base)
    short = _pair_factors("short_factor", short_factor, width)
    long = _pair_factors("long_factor", long_factor, width)
    most = checks.EXACT_INTEGERS
    trained = checks.whole_number("trained_length", trained_length, at_least=2, at_most=most)
    longest = checks.whole_number("max_length", max_length, at_least=1, at_most=most)
    length = checks.whole_number("seq_len", seq_len, at_least=0, at_most=most)
    stretch = longest / trained if factor is None else checks.positive_number("factor", factor)
    if attention_factor is not None:
        growth = checks.positive_number("attention_factor", attention_factor)
    elif stretch <= 1:
        growth = 1.0
    else:
        growth = math.sqrt(1 + math.log(stretch) / math.log(trained))

    divisors = long if length > trained else short
    return Frequencies(rotary_inv_freq(width, known_base) / divisors, growth)


def _pair_factors(name: str, value: ArrayLike, rotary_dim: int) -> NDArray[np.float64]:
    factors = checks.real_array(name, value, "n_pairs", finite=True).astype(np.float64)
    if len(factors) != rotary_dim // 2:
        raise ValueError(
            f"{name} must have one entry for each of {rotary_dim // 2} pairs "
            f"(rotary_dim // 2), got {len(factors)}"
        )
    if (factors < LEAST_FACTOR).any():
        raise ValueError(f"{name} must be at least {LEAST_FACTOR} everywhere, got {factors.min()}")
    return factors
