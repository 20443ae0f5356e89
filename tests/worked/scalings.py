"""Rotary frequencies scaled for longer texts: linear, NTK-aware, dynamic, proportional."""

from decimal import Decimal

from tests.worked.exact import floats, frequencies
from tests.worked.form import vector_set, worked

WIDTH = {
    "rotary_dim": ("number of features that turn", ""),
    "base": ("whose powers are the frequencies", ""),
}
FACTOR = {"factor": ("how many times longer, at least 1", "")}
TRAINED = {"trained_length": ("tokens trained on before scaling", "")}
LENGTH = {"seq_len": ("tokens of the text, cached ones too", "")}
LISTED = "inverse frequencies in radians a token, shape (rotary_dim // 2,)"
HAND = "worked by hand, in decimals: "


def sets():
    yield rule("linear", "All pairs slowed down alike (position interpolation).",
        "The factor is the stretch, so it divides.",
        "w_i / factor, w_i = base ** (-2 i / rotary_dim)", FACTOR, LISTED, linear,
        {
            "factor 4": (8, 10000.0, 4.0),
            "a factor with a fraction": (6, 500000.0, 2.5),
            "factor 1 changes nothing": (4, 10000.0, 1.0),
        })  # fmt: skip
    yield rule("ntk", "NTK-aware scaling with a fixed factor.",
        "The fastest pair is kept, the slowest slowed down by the factor.",
        "frequencies of the base, base * factor ** (d / (d - 2)), d = rotary_dim",
        FACTOR, LISTED, ntk,
        {
            "factor 4": (6, 1000.0, 4.0),
            "a stretch of 8 over 16 features": (16, 10000.0, 8.0),
            "factor 1 changes nothing": (4, 10000.0, 1.0),
        })  # fmt: skip
    yield rule("dynamic", "NTK-aware scaling that grows with the text, as in transformers.",
        "Nothing is scaled up to trained_length; beyond, the stretch is that of the whole text.",
        "those of scaling-ntk with the factor 1 + factor * (n / trained_length - 1), "
        "n = max(seq_len, trained_length)",
        {**FACTOR, **TRAINED, **LENGTH}, LISTED, dynamic,
        {
            "a short text": (8, 10000.0, 2.0, 4096, 100),
            "just as long as trained": (8, 10000.0, 2.0, 4096, 4096),
            "one token more": (8, 10000.0, 2.0, 4096, 4097),
            "four times as long": (8, 10000.0, 2.0, 4096, 16384),
            "factor 1": (6, 500000.0, 1.0, 1000, 2500),
        })  # fmt: skip
    yield vector_set(
        "scaling-proportional",
        "Only the fastest pairs of the full head turn (Gemma 4).",
        "Exponents divide by head_dim; pairs at rest have frequency 0 and stand last; a part of a "
        "pair is left out.",
        HAND + "base ** (-2 i / head_dim) / factor for i < floor(rotated_fraction * head_dim / 2), "
        "else 0",
        {
            "head_dim": ("number of features of the head", ""),
            "base": WIDTH["base"],
            "rotated_fraction": ("share of the pairs that turn, 0 to 1", ""),
            **FACTOR,
        },
        "inverse frequencies in radians a token, shape (head_dim // 2,)",
        "rounded",
        worked(
            proportional,
            {
                "three pairs of four": (8, 10000.0, 0.75, 1.0),
                "half of five pairs is two": (10, 1000000.0, 0.5, 1.0),
                "with a factor": (8, 10000.0, 0.5, 8.0),
                "all pairs": (4, 10000.0, 1.0, 1.0),
            },
        ),
    )


def rule(name, what, convention, formula, arguments, returns, make, inputs):
    signature = {**WIDTH, **arguments}
    return vector_set(
        f"scaling-{name}", what, convention, HAND + formula, signature, returns, "rounded",
        worked(make, inputs),
    )  # fmt: skip


def linear(width, base, factor):
    return floats([speed / Decimal(factor) for speed in frequencies(width, base)])


def ntk(width, base, factor):
    exponent = Decimal(width) / (width - 2)
    return floats(frequencies(width, Decimal(base) * Decimal(factor) ** exponent))


def dynamic(width, base, factor, trained, length):
    longer = Decimal(max(length, trained)) / trained
    return ntk(width, base, 1 + Decimal(factor) * (longer - 1))


def proportional(head_dim, base, fraction, factor):
    turning = int(Decimal(fraction) * head_dim / 2)
    speeds = [speed / Decimal(factor) for speed in frequencies(head_dim, base)]
    return floats(speeds[:turning] + [Decimal(0)] * (head_dim // 2 - turning))
