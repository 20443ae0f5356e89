"""YaRN. Result: frequencies of a rotation, and a factor on its cosines and sines.

Pairs that made many turns over the trained length keep their frequency, pairs
that made few are slowed down by the whole factor, and a ramp joins the two. All
cosines and sines grow a little, which sharpens the softmax over a longer text.

    w_i / factor * ramp_i + w_i * (1 - ramp_i),   w_i = base ** (-2 i / rotary_dim)

Source: Peng et al. (2023), arXiv:2309.00071, sections 3.2 (equations 17 to 20) and
3.4 (21 and 22). The authors' released code, and transformers with it, differ from
the paper in the ramp: theirs is linear in the pair index i, between the two pairs
that make `beta_fast` and `beta_slow` turns; the paper's is linear in the number of
turns, as in `scale_llama3`. Checkpoints expect the first.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from posenc_ref import checks
from posenc_ref.kinds import Frequencies
from posenc_ref.rotary import rotary_inv_freq
from posenc_ref.scaling import scale_llama3

Ramp: TypeAlias = Literal["index", "rotations"]

LARGEST_MSCALE = 1e300  # its product with the logarithm of any factor is still a float


def yarn_mscale(factor: float, mscale: float = 1.0) -> float:
    """How much cosines and sines grow when the text grows by `factor`.

        0.1 * mscale * ln(factor) + 1,   and 1 for a factor of at most 1

    Queries and keys both carry it, so scores grow by its square. DeepSeek V2 and V3
    (and models built on them) put it into the softmax instead, where it also
    reaches the features that do not rotate: their attention multiplies its scale by
    yarn_mscale(factor, mscale_all_dim) ** 2. Their configs have two equal `mscale`
    numbers, for which the attention factor of `scale_yarn` is 1.

    Args:
        factor: How many times longer than trained, finite and above 0.
        mscale: Weight of the logarithm, from 0 to 1e300.

    Returns:
        The factor, without unit, at least 1.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> import math
        >>> from posenc_ref import yarn_mscale
        >>> yarn_mscale(math.e)
        1.1
        >>> yarn_mscale(1)
        1.0
    """
    stretch = checks.positive_number("factor", factor)
    weight = _weight("mscale", mscale)
    return 1.0 if stretch <= 1 else 0.1 * weight * math.log(stretch) + 1


def yarn_bounds(
    rotary_dim: int,
    base: float,
    *,
    trained_length: int,
    beta_fast: float,
    beta_slow: float,
    truncate: bool,
) -> tuple[float, float]:
    """The two pair indices between which the released ramp rises from 0 to 1.

    The pair that makes `turns` turns over the trained length has the index

        i(turns) = rotary_dim * ln(trained_length / (2 pi turns)) / (2 ln base)

    which is no whole number in general. The lower bound is i(beta_fast), at least
    0, the upper i(beta_slow), at most rotary_dim - 1. (The last pair has index
    rotary_dim / 2 - 1. The released bound is higher, so that a ramp may also end
    beyond the last pair.)

    Args:
        rotary_dim: Number of rotated features, even and at least 2.
        base: Number whose powers are the frequencies, finite and above 1.
        trained_length: Number of tokens trained on before scaling, from 1 to 2**53.
        beta_fast: Turns from which a pair keeps its frequency, finite and above 0.
        beta_slow: Turns up to which a pair is slowed down fully, finite and above 0,
            at most `beta_fast`.
        truncate: Whether the bounds are rounded outwards to whole pairs. True where
            a config does not say; gpt-oss says false.

    Returns:
        The lower and the upper bound, as pair indices.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it, or all pairs lie
            on one side of the ramp, so that the bounds cross. Released code then
            gives frequencies that are neither kept nor slowed down as they should.

    Examples:
        >>> import math
        >>> from posenc_ref import yarn_bounds
        >>> def bounds(truncate):
        ...     return yarn_bounds(
        ...         8, math.e, trained_length=1000, beta_fast=100, beta_slow=50, truncate=truncate
        ...     )
        >>> [round(bound, 2) for bound in bounds(False)]  # 4 ln(10 / 2 pi), 4 ln(20 / 2 pi)
        [1.86, 4.63]
        >>> bounds(True)
        (1.0, 5.0)
    """
    return _bounds(_checked(rotary_dim, base, trained_length, beta_fast, beta_slow, truncate))


def scale_yarn(
    rotary_dim: int,
    base: float,
    *,
    factor: float,
    trained_length: int,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
    ramp: Ramp = "index",
    attention_factor: float | None = None,
    mscale: float | None = None,
    mscale_all_dim: float | None = None,
) -> Frequencies:
    """Each pair by its number of turns over the trained length.

        w_i / factor * ramp_i + w_i * (1 - ramp_i)

        ramp="index"      ramp_i = (i - low) / (high - low), cut to 0..1,
                          low and high from `yarn_bounds`
        ramp="rotations"  1 - ramp_i = (turns_i - beta_slow) / (beta_fast - beta_slow),
                          cut to 0..1, turns_i = trained_length * w_i / (2 pi)

    Both keep and divide nearly the same pairs; between, frequencies differ by up to
    a factor of 1.73 (rotary_dim 128, base 10000, factor 4, 4096 tokens).

    Where configs leave `factor` out, it is max_position_embeddings over
    `trained_length`; where they give both, `factor` counts. A `beta_fast` or
    `beta_slow` of 0 or null in a config stands for the default in transformers.

    Args:
        rotary_dim: Number of rotated features, even and at least 2.
        base: Number whose powers are the frequencies, finite and above 1.
        factor: What slow pairs are divided by, finite and at least 1.
        trained_length: Number of tokens trained on before scaling, from 1 to 2**53.
        beta_fast: Turns from which a pair keeps its frequency, finite and above 0.
        beta_slow: Turns up to which a pair is slowed down fully, finite and above 0,
            at most `beta_fast`.
        truncate: Whether the bounds of the ramp are rounded outwards to whole pairs,
            as in `yarn_bounds`. Without effect on `ramp="rotations"`.
        ramp: `"index"`, as all released models have it, or `"rotations"`, the
            paper's.
        attention_factor: Factor on cosines and sines, finite and above 0; it wins
            over the three below. If not given, yarn_mscale(factor) as in the paper.
        mscale: From 0 to 1e300. If neither this nor `mscale_all_dim` is
            missing or 0, the attention factor is yarn_mscale(factor, mscale) /
            yarn_mscale(factor, mscale_all_dim). Alone it changes nothing.
        mscale_all_dim: From 0 to 1e300, see `mscale` and `yarn_mscale`.

    Returns:
        Frequencies in radians per token, float64, shape `(rotary_dim // 2,)`, and
        the attention factor.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it, or all pairs lie
            on one side of the ramp (see `yarn_bounds`).

    Examples:
        >>> from posenc_ref import rotary_inv_freq, scale_yarn
        >>> scaled = scale_yarn(8, 10000.0, factor=4, trained_length=4096)
        >>> scaled.inv_freq / rotary_inv_freq(8, 10000.0)  # the ramp is 0, 0, 1/2, 1
        array([1.   , 1.   , 0.625, 0.25 ])
        >>> round(scaled.attention_factor, 4)  # 0.1 ln 4 + 1
        1.1386
    """
    sizes = _checked(rotary_dim, base, trained_length, beta_fast, beta_slow, truncate)
    stretch = checks.length_factor("factor", factor)
    checks.one_of("ramp", ramp, ("index", "rotations"))
    growth = _growth(stretch, attention_factor, mscale, mscale_all_dim)

    trained = rotary_inv_freq(sizes.rotary_dim, sizes.base)
    if ramp == "rotations":
        scaled = scale_llama3(  # the same ramp, under other names
            trained,
            factor=stretch,
            low_freq_factor=sizes.beta_slow,
            high_freq_factor=sizes.beta_fast,
            trained_length=sizes.trained_length,
        )
        return Frequencies(scaled.inv_freq, growth)
    low, high = _bounds(sizes)
    width = high - low if low < high else 0.001  # a step, as released code makes it
    slowed = np.clip((np.arange(len(trained)) - low) / width, 0, 1)
    return Frequencies(trained / stretch * slowed + trained * (1 - slowed), growth)


class _Sizes(NamedTuple):
    """What decides how many turns each pair makes, and where the ramp lies."""

    rotary_dim: int
    base: float
    trained_length: int
    beta_fast: float
    beta_slow: float
    truncate: bool


def _checked(
    rotary_dim: object,
    base: object,
    trained_length: object,
    beta_fast: object,
    beta_slow: object,
    truncate: object,
) -> _Sizes:
    sizes = _Sizes(
        checks.even_width("rotary_dim", rotary_dim),
        checks.frequency_base("base", base),
        checks.whole_number(
            "trained_length", trained_length, at_least=1, at_most=checks.EXACT_INTEGERS
        ),
        checks.positive_number("beta_fast", beta_fast),
        checks.positive_number("beta_slow", beta_slow),
        checks.flag("truncate", truncate),
    )
    if sizes.base == 1:
        raise ValueError(f"base must be above 1 (its logarithm divides), got {base}")
    if sizes.beta_fast < sizes.beta_slow:
        raise ValueError(f"beta_fast must be at least beta_slow, {beta_slow}, got {beta_fast}")
    return sizes


def _bounds(sizes: _Sizes) -> tuple[float, float]:
    def index(turns: float) -> float:
        log_ratio = math.log(sizes.trained_length / (2 * math.pi)) - math.log(turns)
        return sizes.rotary_dim * log_ratio / (2 * math.log(sizes.base))

    low, high = index(sizes.beta_fast), index(sizes.beta_slow)
    if sizes.truncate:
        low, high = float(math.floor(low)), float(math.ceil(high))
    low, high = max(low, 0.0), min(high, sizes.rotary_dim - 1.0)
    if low > high:
        raise ValueError(
            "trained_length must let some pair make about beta_fast to beta_slow turns, "
            f"got {sizes.trained_length}: the ramp would run from {low:g} down to {high:g}"
        )
    return low, high


def _growth(
    factor: float,
    attention_factor: float | None,
    mscale: float | None,
    mscale_all_dim: float | None,
) -> float:
    given = None
    if attention_factor is not None:
        given = checks.positive_number("attention_factor", attention_factor)
    above = 0.0 if mscale is None else _weight("mscale", mscale)
    below = 0.0 if mscale_all_dim is None else _weight("mscale_all_dim", mscale_all_dim)
    if given is not None:
        return given
    if above and below:
        return yarn_mscale(factor, above) / yarn_mscale(factor, below)
    return yarn_mscale(factor)


def _weight(name: str, value: object) -> float:
    weight = checks.finite_number(name, value)
    if not 0 <= weight <= LARGEST_MSCALE:
        raise ValueError(f"{name} must be in 0..{LARGEST_MSCALE:g}, got {value}")
    return weight
