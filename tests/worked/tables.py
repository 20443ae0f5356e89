"""Sinusoidal tables in the published conventions."""

from decimal import Decimal

from tests.worked.exact import cos_sin, floats
from tests.worked.form import vector_set, worked

CONVENTIONS = {
    "sinusoidal-interleaved": (
        "The printed formula: sine and cosine of a pair side by side.",
        "Sin, cos, sin, cos; exponent 2 i / d_model (Vaswani et al. 2017, section 3.5)",
    ),
    "sinusoidal-concatenated": (
        "All sines, then all cosines, with the exponent of the paper.",
        "Sines first; exponent 2 i / d_model (Marian, Pegasus, RoFormer in transformers)",
    ),
    "sinusoidal-tensor2tensor": (
        "All sines, then all cosines, with the exponent of tensor2tensor.",
        "Sines first; exponent i / (d_model / 2 - 1), so that the last frequency is 1 / 10000 "
        "(tensor2tensor, fairseq, Whisper)",
    ),
    "sinusoidal-cosine-first": (
        "All cosines, then all sines, with the exponent of tensor2tensor.",
        "Cosines first; exponent i / (d_model / 2 - 1) (MusicGen)",
    ),
}
SHORT = {
    "position 0": ([0], 8),
    "positions 1 and 2": ([1, 2], 4),
    "six columns, any order": ([7, 3], 6),
    "far": ([8191, 131071], 4),
}
LONG = {"512 columns": ([0, 1, 511, 4095, 100000], 512), "130 columns": ([2, 1023, 65537], 130)}


def sets():
    for name in CONVENTIONS:
        yield table(name, name, SHORT)


def large():
    for name in list(CONVENTIONS)[:3]:
        yield table(f"{name}-large", name, LONG)


def row(convention, position, d_model):
    pairs = d_model // 2
    divisor = pairs if convention.endswith(("interleaved", "concatenated")) else pairs - 1
    hands = [cos_sin(position * Decimal(10000) ** (Decimal(-i) / divisor)) for i in range(pairs)]
    cosines, sines = [cos for cos, _ in hands], [sin for _, sin in hands]
    if convention == "sinusoidal-interleaved":
        return [number for pair in zip(sines, cosines, strict=True) for number in pair]
    return cosines + sines if convention.endswith("cosine-first") else sines + cosines


def table(name, convention, inputs):
    what, rule = CONVENTIONS[convention]

    return vector_set(
        name,
        what,
        f"{rule}; base 10000; positions count from 0; angles in float64.",
        "worked by hand: sin and cos of p / 10000 ** exponent, in decimals",
        {"positions": ("in tokens", "(T,)"), "d_model": ("columns, even", "")},
        "rows of the table, shape (T, d_model)",
        "angles",
        worked(
            lambda positions, width: floats([row(convention, p, width) for p in positions]), inputs
        ),
    )
