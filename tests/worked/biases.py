"""ALiBi, and the whole numbers by which T5 and DeBERTa look distances up."""

from decimal import Decimal

from tests.worked.exact import floats
from tests.worked.form import vector_set, worked

HAND = "worked by hand: "
RELATIVE = ("key position minus query position, in tokens", "(n,)")
COUNTS = {
    "n_queries": ("the last query stands on the last key", ""),
    "n_keys": ("at least n_queries", ""),
}


def sets():
    yield slopes("alibi-slopes", {
        "8 heads halve each time": (8,),
        "a single head": (1,),
        "2 heads": (2,),
        "3 heads": (3,),
        "12 heads": (12,),
        "16 heads": (16,),
        "20 heads": (20,),
    })  # fmt: skip
    yield vector_set(
        "alibi-bias",
        "The bias of ALiBi for consecutive tokens.",
        "Minus slope times distance, in both directions and without a mask; added to scores that "
        "are divided by the root of head_dim.",
        HAND + "-slope_h |j - i|, slopes as in alibi-slopes",
        {"n_heads": ("number of heads", ""), **COUNTS},
        "the bias, shape (n_heads, n_queries, n_keys)",
        "rounded",
        worked(
            alibi,
            {
                "2 heads, 3 tokens": (2, 3, 3),
                "one new token, four cached": (2, 1, 5),
                "3 heads, two new tokens": (3, 2, 4),
            },
        ),
    )
    yield t5("t5-buckets", {
        "encoder, near": (list(range(-18, 19)), True, 32, 128),
        "encoder, borders": (SIGNED, True, 32, 128),
        "decoder, near": (list(range(-24, 3)), False, 32, 128),
        "decoder, borders": (SIGNED, False, 32, 128),
        "320 buckets to 800": ([-900, -700, -81, -80, -79, 0, 79, 80, 81, 700], True, 320, 800),
        "an odd number of buckets": ([-40, -9, -5, -4, -3, 0, 3], False, 7, 20),
    })  # fmt: skip
    yield deberta("deberta-buckets", {
        "256 to 512": (
            [-600, -511, -300, -129, -128, -127, -1, 0, 1, 127, 128, 129, 130, 300, 511, 600],
            256,
            512,
        ),
        "8 to 33": ([*range(-34, 35, 3), 4, 5, 8, 9, 16, 17, 32], 8, 33),
        "an odd number of buckets": ([-20, -9, -4, -3, 0, 3, 4, 9, 19], 7, 20),
    })  # fmt: skip
    yield vector_set(
        "deberta-indices",
        "Rows of DeBERTa's table of distances.",
        "Query minus key, so that row 0 is the far future; both terms of released code read this "
        "row, while the paper takes the other direction for the second.",
        HAND + "clip(query - key + span, 0, 2 span - 1)",
        {**COUNTS, "span": ("half of the rows of the table", "")},
        "rows of the table, whole numbers, shape (n_queries, n_keys)",
        "whole",
        worked(
            rows,
            {
                "all distances fit": (4, 4, 5),
                "far ones share a row": (6, 6, 2),
                "one new token, four cached": (1, 5, 3),
            },
        ),
    )


SIGNED = [sign * d for d in (15, 16, 31, 32, 45, 46, 63, 64, 90, 91, 112, 113, 128, 999)
          for sign in (1, -1)]  # fmt: skip


def large():
    yield slopes("alibi-slopes-large", {f"{n} heads": (n,) for n in range(1, 73)})
    far = [*range(-300, 301), -5000, 5000]
    yield t5("t5-buckets-large", {
        f"{n} to {limit}, {'encoder' if both else 'decoder'}": (far, both, n, limit)
        for n, limit in ((32, 128), (64, 256), (320, 800), (512, 2048))
        for both in (True, False)
    })  # fmt: skip
    yield deberta("deberta-buckets-large", {
        "256 to 512": (list(range(-600, 601)), 256, 512),
        "32 to 128": (list(range(-200, 201)), 32, 128),
    })  # fmt: skip


def slopes(name, inputs):
    return vector_set(
        name,
        "What a token of distance costs in each head of ALiBi.",
        "Positive numbers; a number of heads that is no power of two takes the slopes of the "
        "power below it, then every second one of twice that power, unsorted.",
        HAND + "2 ** (-8 (h + 1) / H) for a power of two H",
        {"n_heads": ("number of heads", "")},
        "slopes, shape (n_heads,)",
        "rounded",
        worked(lambda n: floats(slopes_of(n)), inputs),
    )


def slopes_of(n):
    def power_rule(n):
        return [Decimal(2) ** (Decimal(-8 * (h + 1)) / n) for h in range(n)]

    power = 1 << (n.bit_length() - 1)
    return (power_rule(power) + power_rule(2 * power)[0::2])[:n]


def alibi(n_heads, n_queries, n_keys):
    return floats([
        [[-slope * abs(j - i) for j in range(n_keys)] for i in range(n_keys - n_queries, n_keys)]
        for slope in slopes_of(n_heads)
    ])  # fmt: skip


def t5_bucket(relative, both, n_buckets, limit):
    n = n_buckets // 2 if both else n_buckets
    behind = n if both and relative > 0 else 0
    far = abs(relative) if both else max(-relative, 0)
    single = n // 2
    if far < single:
        return behind + far
    # floor((n - single) ln(far / single) / ln(limit / single)), decided in whole numbers
    shared = n - single
    step = 0
    while step < shared - 1 and far**shared >= limit ** (step + 1) * single ** (shared - step - 1):
        step += 1
    return behind + single + step


def t5(name, inputs):
    return vector_set(
        name,
        "Bucket of each relative position in T5.",
        "Key minus query, the past is negative; an encoder gives each direction half of the "
        "buckets, the future behind; in a decoder the future shares bucket 0.",
        HAND + "a if a < E, else min(N - 1, E + floor((N - E) ln(a / E) / ln(max_distance / E))), "
        "E = N // 2, N = n_buckets on one side, a = distance; borders decided in whole numbers",
        {
            "relative": RELATIVE,
            "bidirectional": ("true for an encoder, false for a decoder", ""),
            "n_buckets": ("rows of the table", ""),
            "max_distance": ("tokens from which on all share the last bucket", ""),
        },
        "buckets, whole numbers, shape (n,)",
        "whole",
        worked(lambda distances, *rest: [t5_bucket(d, *rest) for d in distances], inputs),
    )


def deberta_bucket(relative, n_buckets, limit):
    far, mid = abs(relative), n_buckets // 2
    step = 0
    # ceil((mid - 1) ln(far / mid) / ln((limit - 1) / mid)), decided in whole numbers
    while far > mid and far ** (mid - 1) * mid**step > (limit - 1) ** step * mid ** (mid - 1):
        step += 1
    return (min(far, mid) + step) * (1 if relative >= 0 else -1)


def deberta(name, inputs):
    return vector_set(
        name,
        "Bucket of each signed distance in DeBERTa versions 2 and 3.",
        "The sign is that of the distance; a distance that just ends its bucket belongs to it.",
        HAND + "min(t, mid) + ceil((mid - 1) ln(t / mid) / ln((max_distance - 1) / mid)), the "
        "second part 0 up to mid = n_buckets // 2; borders decided in whole numbers",
        {
            "relative": ("signed distances, in tokens", "(n,)"),
            "n_buckets": ("on one side: position_buckets", ""),
            "max_distance": ("where the last bucket ends", ""),
        },
        "signed buckets, whole numbers, shape (n,)",
        "whole",
        worked(lambda distances, *rest: [deberta_bucket(d, *rest) for d in distances], inputs),
    )


def rows(n_queries, n_keys, span):
    return [
        [min(max(i - j + span, 0), 2 * span - 1) for j in range(n_keys)]
        for i in range(n_keys - n_queries, n_keys)
    ]
