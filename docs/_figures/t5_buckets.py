"""Explorer: into which bucket of T5 a distance falls, and which other distances share it."""

from typing import Any

import numpy as np

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from posenc_ref import t5_buckets

SIDES = ("decoder", "encoder")
COUNTS = (8, 16, 32)
FARTHEST = (32, 64, 128)
N_DISTANCES = 131
# An encoder halves its buckets, so both kinds together need these many for one side.
PER_SIDE = (4, 8, 16, 32)
PLACES = ("before", "after")
LEFT, WIDE, TOP, HIGH = 14, 332, 44, 40
LISTED = (16, 20, 24, 28, 31)


def one_side(n_buckets: int, max_distance: int) -> Any:
    """The bucket of each distance into the past, of `n_buckets` for that side."""
    return t5_buckets(
        -np.arange(N_DISTANCES),
        bidirectional=False,
        n_buckets=n_buckets,
        max_distance=max_distance,
    )


def spans(buckets: Any) -> list[tuple[int, int]]:
    """First and last distance of each bucket that holds any, within the strip."""
    return [
        (int(held[0]), int(held[-1]))
        for held in (np.flatnonzero(buckets == bucket) for bucket in np.unique(buckets))
    ]


def across(distance: float) -> float:
    return round(LEFT + WIDE * distance / N_DISTANCES, 1)


def data() -> dict[str, Any]:
    settings = [[one_side(n, far) for far in FARTHEST] for n in PER_SIDE]
    shared: list[list[list[str]]] = []
    widths: list[list[list[str]]] = []
    borders: list[list[str]] = []
    rests: list[list[str]] = []
    for row in settings:
        for parts in (shared, widths, borders, rests):
            parts.append([])
        for buckets in row:
            parts_of = spans(buckets)
            last = parts_of[-1][0]
            held = {d: part for part in parts_of for d in range(part[0], part[1] + 1)}
            shared[-1].append([_covered(*held[d], last) for d in range(N_DISTANCES)])
            widths[-1].append([_width(*held[d], last) for d in range(N_DISTANCES)])
            lines = "".join(f"M{across(first):g} {TOP}v{HIGH}" for first, _ in parts_of)
            borders[-1].append(lines)
            rests[-1].append(f"M{across(last):g} {TOP}H{LEFT + WIDE}v{HIGH}H{across(last):g}z")
    look = Lookup(
        {
            "side": SIDES,
            "buckets": [str(n) for n in COUNTS],
            "far": [str(n) for n in FARTHEST],
            "place": PLACES,
            "distance": N_DISTANCES,
        },
        {"side": "decoder", "buckets": "32", "far": "128", "place": "before", "distance": 20},
    ).difference("per-side", "buckets", "side")
    by = ("per-side", "far", "distance")
    look.number("bucket", by, np.array(settings), digits=0)
    look.text("covers", by, shared)
    look.text("width", by, widths)
    look.path("borders", ("per-side", "far"), borders)
    look.path("rest", ("per-side", "far"), rests)
    look.move("here", ("distance",), [[across(d + 0.5), TOP - 4] for d in range(N_DISTANCES)])
    look.text("at", ("distance",), [str(d) for d in range(N_DISTANCES)])
    look.text("where", ("place",), PLACES)
    look.number("half", ("buckets",), [n // 2 for n in COUNTS], digits=0)
    look.text("kind", ("side",), ["Decoder", "Encoder"])
    look.text("n", ("buckets",), [str(n) for n in COUNTS])
    look.text("m", ("far",), [str(n) for n in FARTHEST])
    look.show("own", ("distance",), [int(d == 0) for d in range(N_DISTANCES)])
    look.show("other", ("distance",), [int(d > 0) for d in range(N_DISTANCES)])
    look.show("hidden", ("side", "place"), [[0, 1], [0, 0]])  # a decoder masks the future
    look.show("seen", ("side", "place"), [[1, 0], [1, 1]])
    look.show("second", ("side", "place"), [[0, 0], [0, 1]])
    return look.data()


def _covered(first: int, last: int, last_bucket: int) -> str:
    if first == last_bucket:
        return f"{first}+"
    return str(first) if first == last else f"{first} to {last}"


def _width(first: int, last: int, last_bucket: int) -> str:
    return "no end" if first == last_bucket else str(last - first + 1)


def strip(view: View) -> str:
    ticks = "".join(
        f'<path class="line" d="M{across(d):g} {TOP + HIGH}v6"/>'
        f'<text x="{across(d):g}" y="{TOP + HIGH + 22}" class="small mid">{d}</text>'
        for d in (0, 32, 64, 96, 128)
    )
    pointer = '<path class="bars key" d="M0 0l-6 -13h12z"/>'
    return (
        '<svg class="wide" viewBox="0 0 360 132" role="img" aria-label="A strip of distances, cut '
        'into buckets: narrow ones at the left, wider ones to the right.">'
        f"{view.line('rest', 'box')}{view.line('borders', 'line')}"
        f'<rect class="faint" x="{LEFT}" y="{TOP}" width="{WIDE}" height="{HIGH}"/>{ticks}'
        f"{view.group('here', pointer)}"
        f'<text x="{LEFT}" y="16" class="small">each part is a bucket; the last has no end</text>'
        f'<text x="{LEFT + WIDE / 2}" y="{TOP + HIGH + 42}" class="small mid">distance between '
        "query and key, tokens</text></svg>"
    )


def key_of_another_token(view: View) -> str:
    seen = (
        f"falls into bucket {view.blank('bucket')}"
        + view.only("second", f" + {view.blank('half')}, in the second half of the table")
        + f". On its side that bucket covers {view.blank('covers')} "
        f"(width: {view.blank('width')})."
    )
    hidden = "is hidden by the mask. Its bucket would be 0, that of the token itself."
    return (
        f"A key {view.blank('at')} {view.blank('where')} the query "
        f"{view.only('seen', seen)}{view.only('hidden', hidden)}"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    decoder = spans(one_side(32, 128))
    encoder = spans(one_side(16, 128))
    rows = [
        number_row(
            [str(bucket), _covered(*decoder[bucket], decoder[-1][0]), _listed(encoder, bucket)]
        )
        for bucket in range(32)
    ]
    return explorer(
        src,
        head="Which bucket?",
        controls=view.choices("side", "Attention", ("decoder (causal)", "encoder (both sides)"))
        + view.choices("buckets", "Buckets in all")
        + view.choices("far", "Max distance")
        + view.choices("place", "Key stands", ("before the query", "after it"))
        + view.slider("distance", "Distance, tokens", "key"),
        picture=strip(view),
        says=f"{view.blank('kind')}, {view.blank('n')} buckets, max distance {view.blank('m')}. "
        + view.only("own", "At distance 0 stands the query’s own token: bucket 0, of width 1.")
        + view.only("other", key_of_another_token(view)),
        table=(
            "Buckets of T5 (32 up to 128), as a table",
            number_table(("bucket", "decoder", "encoder"), rows),
        ),
        lines=(6, 3),
    )


def _listed(encoder: list[tuple[int, int]], bucket: int) -> str:
    half = len(encoder)
    if bucket < half:
        return f"{_covered(*encoder[bucket], encoder[-1][0])} before" if bucket else "0"
    if bucket == half:
        return "never used"
    return f"{_covered(*encoder[bucket - half], encoder[-1][0])} after"
