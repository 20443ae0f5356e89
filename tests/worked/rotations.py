"""Rotary positions: whole and partial heads, both layouts, and the frequencies themselves."""

from decimal import Decimal

from tests.worked.exact import cos_sin, floats, frequencies
from tests.worked.form import vector_set, worked

FORMULA = "y1 = x1 cos(p w) - x2 sin(p w), y2 = x2 cos(p w) + x1 sin(p w), w = base ** (-2 i / {d})"
PAIRS = {
    "half": "Pair i is features i and i + {d} / 2 (Llama in Hugging Face format, GPT-NeoX)",
    "interleaved": "Pair i is features 2 i and 2 i + 1 (GPT-J, Cohere, the paper)",
}
X = ("vectors to turn, queries or keys", "(T, head_dim)")
POSITIONS = ("of each row, in tokens", "(T,)")
BASE = ("whose powers are the frequencies", "")


def sets():
    yield vector_set(
        "rope-frequencies",
        "Inverse frequencies of rotary positions, from the fastest pair to the slowest.",
        "Radians a token; the width is that of the part that turns; float64.",
        "worked by hand: base ** (-2 i / rotary_dim), in decimals",
        {"rotary_dim": ("number of features that turn", ""), "base": BASE},
        "inverse frequencies, shape (rotary_dim // 2,)",
        "rounded",
        worked(
            lambda width, base: floats(frequencies(width, base)),
            {
                "powers of ten": (8, 10000.0),
                "a single pair": (2, 10000.0),
                "three pairs, another base": (6, 500000.0),
                "a base that is no whole number": (10, 999999.4420358813),
            },
        ),
    )
    for layout in ("half", "interleaved"):
        yield whole(f"rope-{layout}", layout, SHORT)
        yield partial(f"rope-partial-{layout}", layout)


def large():
    for layout in ("half", "interleaved"):
        yield whole(f"rope-{layout}-large", layout, LONG)


SHORT = {
    "position 0 turns nothing": ([[1, 2, 3, 4]], [0], 10000.0),
    "position 1": ([[1, 2, 3, 4]], [1], 10000.0),
    "eight features at position 3": ([[1, 2, 3, 4, 5, 6, 7, 8]], [3], 10000.0),
    "rows in any order, base 500000": (
        [[1, 0, -1, 2, 0.5, 3], [1, 1, 1, 1, 1, 1], [1, 0, -1, 2, 0.5, 3]],
        [17, 0, 5],
        500000.0,
    ),
    "a single pair": ([[3, 4], [-1, 2]], [1, 2], 10000.0),
    "far positions": ([[1, 2, 3, 4], [4, 3, 2, 1]], [8191, 131071], 10000.0),
}
ROW = [(7 * i) % 9 - 4 for i in range(128)]  # small whole numbers without a pattern of 2 or 64
LONG = {
    f"a head of 128, base {base:g}": (
        [ROW[shift:] + ROW[:shift] for shift in range(6)],
        [0, 1, 2047, 8192, 131071, 1000000],
        base,
    )
    for base in (10000.0, 500000.0)
}


def whole(name, layout, inputs):
    return vector_set(
        name,
        f"Rotary positions over the whole head, {layout} layout.",
        PAIRS[layout].format(d="head_dim") + "; a positive position turns by plus p w; positions "
        "count from 0; angles in float64.",
        "worked by hand: " + FORMULA.format(d="head_dim") + ", in decimals",
        {"x": X, "positions": POSITIONS, "base": BASE},
        "the turned vectors, shape (T, head_dim), in the same layout",
        "angles",
        worked(
            lambda x, p, base: turned(x, p, base, len(x[0]), layout),
            {name: (floats(x), *rest) for name, (x, *rest) in inputs.items()},
        ),
    )


def partial(name, layout):
    return vector_set(
        name,
        f"Rotary positions over the first part of a head, {layout} layout.",
        PAIRS[layout].format(d="rotary_dim")
        + ", of the first rotary_dim features; the rest pass through; exponents divide by "
        "rotary_dim.",
        "worked by hand: " + FORMULA.format(d="rotary_dim") + ", in decimals",
        {
            "x": X,
            "positions": POSITIONS,
            "base": BASE,
            "rotary_dim": ("number of features that turn", ""),
        },
        "the vectors with their first part turned, shape (T, head_dim)",
        "angles",
        worked(
            lambda x, p, base, width: turned(x, p, base, width, layout),
            {
                name: (floats(x), *rest)
                for name, (x, *rest) in {
                    "half of eight": ([[1, 2, 3, 4, 5, 6, 7, 8]], [3], 10000.0, 4),
                    "six of ten, two rows": (
                        [[1, 2, 3, 4, 5, 6, 7, 8, 9, 9], [0, 1, 0, 1, 2, 0, 1, 0, 1, 2]],
                        [11, 2],
                        1000000.0,
                        6,
                    ),
                    "an odd head": ([[1, 2, 3, 4, 5]], [2], 10000.0, 4),
                    "far": ([[1, 2, 3, 4, 5, 6]], [32768], 10000.0, 4),
                }.items()
            },
        ),
    )


def turned(x, positions, base, width, layout):
    rows = []
    speeds = frequencies(width, base)
    for row, position in zip(x, positions, strict=True):
        rows.append(turned_row(row, [cos_sin(position * speed) for speed in speeds], layout))
    return floats(rows)


def turned_row(row, hands, layout):
    """One vector; `hands` has cosine and sine of each pair."""
    new = [Decimal(number) for number in row]
    for i, (cos, sin) in enumerate(hands):
        one, two = (i, i + len(hands)) if layout == "half" else (2 * i, 2 * i + 1)
        x1, x2 = Decimal(row[one]), Decimal(row[two])
        new[one] = x1 * cos - x2 * sin
        new[two] = x2 * cos + x1 * sin
    return new
