"""Rotary frequencies scaled pair by pair: YaRN, LongRoPE and the rule of Llama 3."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from tests.worked.exact import clamp, floats, frequencies, pi
from tests.worked.form import vector_set, worked
from tests.worked.scalings import FACTOR, HAND, LENGTH, LISTED, TRAINED, WIDTH

TWO = {
    "inv_freq": LISTED,
    "attention_factor": "what cosines and sines are multiplied by",
}


def sets():
    yield yarn("scaling-yarn", YARN)
    yield yarn_deepseek()
    yield longrope("scaling-longrope", LONGROPE)
    yield llama3("scaling-llama3", LLAMA3)


def large():
    yield yarn("scaling-yarn-large", {
        "128 features, factor 4 from 32768": (128, 1000000.0, 4.0, 32768, 32.0, 1.0, True),
        "64 features, factor 40 from 4096": (64, 10000.0, 40.0, 4096, 32.0, 1.0, True),
        "64 features, factor 32, not rounded": (64, 150000.0, 32.0, 4096, 32.0, 1.0, False),
    })  # fmt: skip
    yield llama3("scaling-llama3-large", {
        "128 features, factor 8": (128, 500000.0, 8.0, 1.0, 4.0, 8192),
        "64 features, factor 32": (64, 500000.0, 32.0, 1.0, 4.0, 8192),
    })  # fmt: skip


# YaRN

BETAS = {
    "beta_fast": ("turns from which a pair is kept", ""),
    "beta_slow": ("turns up to which a pair is slowed fully", ""),
}
YARN = {
    "factor 4 from 4096": (8, 10000.0, 4.0, 4096, 32.0, 1.0, True),
    "bounds not rounded": (16, 150000.0, 32.0, 4096, 32.0, 1.0, False),
    "the ramp ends beyond the last pair": (12, 10000.0, 8.0, 131072, 32.0, 1.0, True),
    "other betas": (16, 10000.0, 16.0, 2048, 8.0, 2.0, True),
}


def yarn(name, inputs):
    return vector_set(
        name,
        "YaRN with the ramp and the attention factor of released code.",
        "Fast pairs are kept, slow ones divided; the ramp is linear in the pair index; its bounds "
        "are rounded outwards if truncate; the upper one may reach rotary_dim - 1.",
        HAND + "w_i / factor * r_i + w_i (1 - r_i), r_i = clip((i - low) / (high - low), 0, 1), "
        "low and high = rotary_dim ln(trained_length / (2 pi beta)) / (2 ln base) of beta_fast "
        "and beta_slow; attention factor 0.1 ln factor + 1",
        {
            **WIDTH, **FACTOR, **TRAINED, **BETAS,
            "truncate": ("whether the bounds are rounded", ""),
        },
        TWO,
        "rounded",
        worked(yarn_rule, inputs),
    )  # fmt: skip


def yarn_deepseek():
    return vector_set(
        "scaling-yarn-deepseek",
        "The two factors of YaRN in DeepSeek V2 and V3, from their two mscale numbers.",
        "Two equal numbers leave cosines and sines alone: mscale then enters once, in the softmax "
        "scale, which is multiplied by softmax_factor.",
        HAND + "m(mscale) / m(mscale_all_dim) and m(mscale_all_dim) ** 2, "
        "m(s) = 0.1 s ln factor + 1",
        {
            **FACTOR,
            "mscale": ("of the config", ""),
            "mscale_all_dim": ("of the config", ""),
        },
        {
            "attention_factor": TWO["attention_factor"],
            "softmax_factor": "what the softmax scale is multiplied by",
        },
        "rounded",
        worked(
            lambda factor, one, all_dim: floats(
                {
                    "attention_factor": mscale(factor, one) / mscale(factor, all_dim),
                    "softmax_factor": mscale(factor, all_dim) ** 2,
                }
            ),
            {
                "equal, as DeepSeek-V3": (40.0, 1.0, 1.0),
                "equal, as DeepSeek-V2": (40.0, 0.707, 0.707),
                "not equal": (8.0, 1.0, 0.5),
            },
        ),
    )


def yarn_rule(width, base, factor, *rest):
    speeds = ramped(width, base, factor, *rest)
    return floats({"inv_freq": speeds, "attention_factor": mscale(factor, 1)})


def mscale(factor, weight):
    return Decimal(weight) * Decimal(factor).ln() / 10 + 1


def ramped(width, base, factor, trained, fast, slow, truncate):
    def index(turns):
        return width * (trained / (2 * pi() * Decimal(turns))).ln() / (2 * Decimal(base).ln())

    low, high = index(fast), index(slow)
    if truncate:
        low, high = low.to_integral_value(ROUND_FLOOR), high.to_integral_value(ROUND_CEILING)
    low, high = max(low, Decimal(0)), min(high, Decimal(width - 1))
    speeds = []
    for i, speed in enumerate(frequencies(width, base)):
        slowed = clamp((i - low) / (high - low or Decimal("0.001")))  # a step, as released
        speeds.append(speed / Decimal(factor) * slowed + speed * (1 - slowed))
    return speeds


# LongRoPE and Llama 3

LISTS = ([1.0, 1.05, 1.25], [1.0, 2.5, 40.0])
LONGROPE = {
    "a short text": (6, 10000.0, *LISTS, 4096, 131072, 100),
    "just as long as trained": (6, 10000.0, *LISTS, 4096, 131072, 4096),
    "one token more": (6, 10000.0, *LISTS, 4096, 131072, 4097),
    "no longer than trained": (4, 500000.0, [1.0, 1.5], [2.0, 3.0], 8192, 8192, 9000),
}
LLAMA3 = {
    "fast, between, slow": (8, 10000.0, 8.0, 1.0, 4.0, 1024),
    "other bounds": (12, 500000.0, 32.0, 2.0, 24.0, 8192),
}


def longrope_rule(width, base, short, long, trained, longest, length):
    divisors = long if length > trained else short
    speeds = frequencies(width, base)
    stretch = Decimal(longest) / trained
    growth = (1 + stretch.ln() / Decimal(trained).ln()).sqrt() if stretch > 1 else Decimal(1)
    divided = [speed / Decimal(d) for speed, d in zip(speeds, divisors, strict=True)]
    return floats({"inv_freq": divided, "attention_factor": growth})


def longrope(name, inputs):
    return vector_set(
        name,
        "LongRoPE as Phi-3 has it in transformers.",
        "The long list serves texts of more than trained_length tokens, all positions alike; the "
        "attention factor is the same for both lists.",
        HAND + "w_i / factor_i; attention factor sqrt(1 + ln s / ln trained_length), "
        "s = max_length / trained_length, 1 if s is at most 1",
        {
            **WIDTH,
            "short_factor": ("divisors of each pair, short texts", "(rotary_dim // 2,)"),
            "long_factor": ("divisors of each pair, long texts", "(rotary_dim // 2,)"),
            **TRAINED,
            "max_length": ("tokens that the scaled model is made for", ""),
            **LENGTH,
        },
        TWO,
        "rounded",
        worked(longrope_rule, inputs),
    )


def llama3_rule(width, base, factor, low, high, trained):
    speeds = []
    for speed in frequencies(width, base):
        turns = trained * speed / (2 * pi())
        kept = clamp((turns - Decimal(low)) / (Decimal(high) - Decimal(low)))
        speeds.append(kept * speed + (1 - kept) * speed / Decimal(factor))
    return floats(speeds)


def llama3(name, inputs):
    return vector_set(
        name,
        "The rule of Llama 3.1 and 3.2.",
        "Pairs are told apart by their turns over the trained length; between the bounds the "
        "frequency, not the wavelength, is mixed.",
        HAND + "kept w_i + (1 - kept) w_i / factor, kept = clip((trained_length w_i / (2 pi) "
        "- low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)",
        {
            **WIDTH,
            **FACTOR,
            "low_freq_factor": ("turns up to which a pair is slow", ""),
            "high_freq_factor": ("turns from which a pair is fast", ""),
            **TRAINED,
        },
        LISTED,
        "rounded",
        worked(llama3_rule, inputs),
    )
