"""Mistakes as people write them: apart from the lists of the package, in plain Python and NumPy.

`WRITTEN` has the set, the words that a report should say, and the function. Without their slip the
same functions are right, which a test holds too.
"""

import math

import numpy as np


def own_rope(*, pairs="half", angle=lambda p, w: p * w, speeds=None, turn=None):
    """RoPE written once more, with a place for each slip; `x1, x2, cos, sin` → new pair."""

    def rotated(x, positions, base, n=None):
        n, y = n or x.shape[-1], x.copy()
        w = speeds(x.shape[-1], n, base) if speeds else base ** (-2 * np.arange(n // 2) / n)
        for row, position in enumerate(positions):
            for i, speed in enumerate(w):
                one, two = (i, i + n // 2) if pairs == "half" else (2 * i, 2 * i + 1)
                a = angle(position, speed)
                x1, x2, cos, sin = x[row, one], x[row, two], math.cos(a), math.sin(a)
                new = turn(x1, x2, cos, sin) if turn else (x1 * cos - x2 * sin, x2 * cos + x1 * sin)
                y[row, one], y[row, two] = new
        return y

    return rotated


def own_table(positions, d_model, *, exponent, columns):
    n = d_model // 2
    hands = [[p / 10000 ** exponent(i, d_model) for i in range(n)] for p in positions]
    return np.array([columns(row) for row in hands])


def side_by_side(row):
    return [f(angle) for angle in row for f in (math.sin, math.cos)]


def halves(row):
    return [f(angle) for f in (math.sin, math.cos) for angle in row]


def own_yarn(d, base, factor, trained, fast, slow, truncate, *, growth, flip=False):
    def index(turns):
        return d * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))

    start, end = index(fast), index(slow)
    if truncate:
        start, end = math.floor(start), math.ceil(end)
    start, end = max(start, 0), min(end, d - 1)
    listed = []
    for i in range(d // 2):
        w = base ** (-2 * i / d)
        r = min(max((i - start) / (end - start), 0), 1)
        r = 1 - r if flip else r
        listed.append(r * w / factor + (1 - r) * w)
    return listed, growth(0.1 * math.log(factor) + 1)


def own_bucket(relative, both, n_buckets, limit, *, single=None, sign=1):
    """Raffel's code for one number, in double precision."""
    n, bucket, distance = -sign * relative, 0, None
    if both:
        n_buckets //= 2
        bucket = n_buckets if n < 0 else 0
        distance = abs(n)
    else:
        distance = max(n, 0)
    exact = n_buckets // 2
    if distance < exact or single:
        return bucket + min(distance, n_buckets - 1)
    far = math.log(distance / exact) / math.log(limit / exact) * (n_buckets - exact)
    return bucket + min(exact + int(far + 1e-9), n_buckets - 1)


def buckets(**slip):
    return lambda relative, *rest: np.array([own_bucket(int(r), *rest, **slip) for r in relative])


def counted(mask, start):
    """Positions by a loop over the tokens."""
    rows = []
    for row in mask.tolist():
        at, places = start, []
        for real in row:
            places.append(at if real else 0)
            at += real
        rows.append(places)
    return np.array(rows)


WRITTEN = [
    (
        "rope-half",
        "the other layout, interleaved (pairs 2 i and 2 i + 1)",
        own_rope(pairs="adjacent"),
    ),
    ("rope-interleaved", "the other layout, half (pairs i and i + d / 2)", own_rope()),
    ("rope-half", "the other sign: turned by -p w", own_rope(angle=lambda p, w: -p * w)),
    ("rope-half", "positions off by one: counted from 1", own_rope(angle=lambda p, w: (p + 1) * w)),
    (
        "rope-half",
        "the base given is not used: 10000 stands in its place",
        own_rope(speeds=lambda head, n, base: [10000 ** (-2 * i / n) for i in range(n // 2)]),
    ),
    (
        "rope-interleaved",
        "exponent i / d in place of 2 i / d",
        own_rope(
            pairs="adjacent",
            speeds=lambda head, n, base: [base ** (-i / n) for i in range(n // 2)],
        ),
    ),
    (
        "rope-half",
        "cosine and sine exchanged",
        own_rope(turn=lambda x1, x2, cos, sin: (x1 * sin - x2 * cos, x2 * sin + x1 * cos)),
    ),
    (
        "rope-half",
        "a minus sign missing: x1 cos + x2 sin",
        own_rope(turn=lambda x1, x2, cos, sin: (x1 * cos + x2 * sin, x2 * cos + x1 * sin)),
    ),
    (
        "rope-partial-half",
        "exponents divide by the width of the whole head",
        own_rope(speeds=lambda head, n, base: [base ** (-2 * i / head) for i in range(n // 2)]),
    ),
    (
        "sinusoidal-tensor2tensor",
        "another convention: the paper's exponent",
        lambda p, d: own_table(p, d, exponent=lambda i, d: 2 * i / d, columns=halves),
    ),
    (
        "sinusoidal-concatenated",
        "another convention: tensor2tensor's exponent",
        lambda p, d: own_table(p, d, exponent=lambda i, d: i / (d / 2 - 1), columns=halves),
    ),
    (
        "sinusoidal-interleaved",
        "another convention: in halves",
        lambda p, d: own_table(p, d, exponent=lambda i, d: 2 * i / d, columns=halves),
    ),
    (
        "sinusoidal-interleaved",
        "positions off by one: counted from 1",
        lambda p, d: own_table(p + 1, d, exponent=lambda i, d: 2 * i / d, columns=side_by_side),
    ),
    (
        "sinusoidal-interleaved",
        "exponents twice as large as they should be",
        lambda p, d: own_table(p, d, exponent=lambda i, d: 4 * i / d, columns=side_by_side),
    ),
    (
        "scaling-linear",
        "factor inverted: frequencies multiplied",
        lambda d, base, factor: [factor * base ** (-i / d) for i in range(0, d, 2)],
    ),
    (
        "scaling-ntk",
        "no exponent d / (d - 2): the base multiplied by the factor itself",
        lambda d, base, factor: [(base * factor) ** (-i / d) for i in range(0, d, 2)],
    ),
    (
        "scaling-dynamic",
        "stretch n / trained_length, the factor not used (the YaRN paper)",
        lambda d, base, factor, trained, n: [
            (base * max(1, n / trained) ** (d / (d - 2))) ** (-i / d) for i in range(0, d, 2)
        ],
    ),
    (
        "scaling-yarn",
        "mscale twice: the attention factor is squared",
        lambda *given: own_yarn(*given, growth=lambda m: m * m),
    ),
    (
        "scaling-yarn",
        "mscale not at all: the attention factor is 1",
        lambda *given: own_yarn(*given, growth=lambda m: 1.0),
    ),
    (
        "scaling-yarn",
        "the ramp upside down: fast pairs divided, slow ones kept",
        lambda *given: own_yarn(*given, growth=float, flip=True),
    ),
    (
        "scaling-yarn-deepseek",
        "mscale twice: cosines and sines carry it as well as the softmax",
        lambda factor, one, both: (
            0.1 * one * math.log(factor) + 1,
            (0.1 * both * math.log(factor) + 1) ** 2,
        ),
    ),
    (
        "scaling-longrope",
        "the long list already at trained_length itself",
        lambda d, base, short, long, trained, most, n: (
            [base ** (-2 * i / d) / (long if n >= trained else short)[i] for i in range(d // 2)],
            math.sqrt(1 + math.log(most / trained) / math.log(trained)),
        ),
    ),
    (
        "alibi-slopes",
        "the rule for powers of two, at any number of heads",
        lambda n: [2 ** (-8 / n * (h + 1)) for h in range(n)],
    ),
    (
        "alibi-bias",
        "causal, not symmetric: keys after the query cost nothing",
        lambda n, queries, keys: np.array([
            [[-slope * max(i - j, 0) for j in range(keys)] for i in range(keys - queries, keys)]
            for slope in ([1 / 16, 1 / 256, 1 / 4] if n == 3 else [1 / 16, 1 / 256])
        ]),
    ),
    ("t5-buckets", "the other sign: query minus key", buckets(sign=-1)),
    ("t5-buckets", "no shared buckets: distances are cut off", buckets(single=True)),
    (
        "deberta-indices",
        "the other sign: key minus query (the paper's second index)",
        lambda queries, keys, span: np.array([
            [min(max(j - i + span, 0), 2 * span - 1) for j in range(keys)]
            for i in range(keys - queries, keys)
        ]),
    ),
    ("positions-from-mask", "off by one: counted from 1", lambda mask: counted(mask, 1)),
    (
        "positions-from-mask",
        "padding is counted: 0, 1, 2, ... in every row",
        lambda mask: np.array([list(range(len(row))) for row in mask]),
    ),
    (
        "packed-positions",
        "never starts again: counted through the row",
        lambda lengths: np.array(range(int(sum(lengths)))),
    ),
    (
        "grid-positions",
        "column first, then row (x, y)",
        lambda height, width: [[x, y] for y in range(height) for x in range(width)],
    ),
    (
        "relative-positions",
        "the other sign: query minus key",
        lambda queries, keys: [
            [i - j for j in range(keys)] for i in range(keys - queries, keys)
        ],
    ),
]  # fmt: skip
