"""Explorer: into which bucket of T5 a distance falls, and which other distances share it."""

from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import svg, text
from posenc_ref import t5_buckets

SIDES = ("decoder", "encoder")
COUNTS = (8, 16, 32)
FARTHEST = (32, 64, 128)
N_DISTANCES = 131
# An encoder halves its buckets: buckets for one side, by the place in COUNTS less that in SIDES.
PER_SIDE = {-1: 4, 0: 8, 1: 16, 2: 32}
PLACES = ("before", "after")
LEFT, WIDE, TOP, HIGH = 14, 332, 44, 40


class Bucket(NamedTuple):
    """The distances that share a bucket, within the strip."""

    first: int
    last: int
    is_open: bool
    """Whether all farther distances are in it, too."""

    def covers(self) -> str:
        if self.is_open:
            return f"{self.first}+"
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"

    def width(self) -> str:
        return "no end" if self.is_open else str(self.last - self.first + 1)


@cache
def numbers(n_buckets: int, far: int) -> NDArray[np.integer]:
    """The bucket of each distance into the past, of `n_buckets` for that side."""
    return t5_buckets(
        -np.arange(N_DISTANCES), bidirectional=False, n_buckets=n_buckets, max_distance=far
    )


@cache
def buckets(n_buckets: int, far: int) -> list[Bucket]:
    """Those that hold any distance, from near to far."""
    firsts = np.unique(numbers(n_buckets, far), return_index=True)[1].tolist()
    closed = [Bucket(first, after - 1, False) for first, after in pairwise(firsts)]
    return [*closed, Bucket(firsts[-1], N_DISTANCES - 1, True)]


def across(distance: float) -> float:
    return round(LEFT + WIDE * distance / N_DISTANCES, 1)


def borders(side: int, far: int) -> str:
    return "".join(
        f"M{across(bucket.first):g} {TOP}v{HIGH}" for bucket in buckets(PER_SIDE[side], far)
    )


def rest(side: int, far: int) -> str:
    """The last bucket, to the end of the strip."""
    start = f"{across(buckets(PER_SIDE[side], far)[-1].first):g}"
    return f"M{start} {TOP}H{LEFT + WIDE}v{HIGH}H{start}z"


def data() -> dict[str, Any]:
    look = Lookup(
        {
            "side": SIDES,
            "buckets": COUNTS,
            "far": FARTHEST,
            "place": PLACES,
            "distance": N_DISTANCES,
        },
        {"side": "decoder", "buckets": "32", "far": "128", "place": "before", "distance": 20},
    ).difference("per-side", "buckets", "side")
    by = ("per-side", "far", "distance")

    def bucket(side: int, far: int, distance: int) -> Bucket:
        return next(part for part in buckets(PER_SIDE[side], far) if distance <= part.last)

    look.number("bucket", by, lambda side, far, d: numbers(PER_SIDE[side], far)[d], digits=0)
    look.text("covers", by, lambda *state: bucket(*state).covers())
    look.text("width", by, lambda *state: bucket(*state).width())
    look.path("borders", by[:2], borders)
    look.path("rest", by[:2], rest)
    look.move("here", ("distance",), lambda distance: (across(distance + 0.5), TOP - 4))
    look.echo("at", "distance").echo("where", "place").echo("n", "buckets").echo("m", "far")
    look.number("half", ("buckets",), [count // 2 for count in COUNTS], digits=0)
    look.text("kind", ("side",), [side.capitalize() for side in SIDES])
    look.show("own", ("distance",), lambda distance: distance == 0)
    look.show("other", ("distance",), lambda distance: distance > 0)
    look.show("hidden", ("side", "place"), [[0, 1], [0, 0]])  # a decoder masks the future
    look.show("seen", ("side", "place"), [[1, 0], [1, 1]])
    look.show("second", ("side", "place"), [[0, 0], [0, 1]])
    return look.data()


def strip(view: View) -> str:
    ticks = "".join(
        f'<path class="line" d="M{across(d):g} {TOP + HIGH}v6"/>'
        + text(across(d), TOP + HIGH + 22, d, "small mid")
        for d in (0, 32, 64, 96, 128)
    )
    note = "each part is a bucket; the last has no end"
    label = "distance between query and key, tokens"
    return svg(
        "A strip of distances, cut into buckets: narrow ones at the left, wider ones to the right.",
        132,
        view.line("rest", "box")
        + view.line("borders", "line")
        + f'<rect class="faint" x="{LEFT}" y="{TOP}" width="{WIDE}" height="{HIGH}"/>{ticks}'
        + view.group("here", '<path class="bars key" d="M0 0l-6 -13h12z"/>')
        + text(LEFT, 16, note, "small")
        + text(LEFT + WIDE / 2, TOP + HIGH + 42, label, "small mid"),
        "wide",
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


def all_buckets() -> str:
    decoder, encoder = buckets(32, 128), buckets(16, 128)
    before = ["0", *(f"{bucket.covers()} before" for bucket in encoder[1:])]
    after = ["never used", *(f"{bucket.covers()} after" for bucket in encoder[1:])]
    rows = [
        number_row([str(number), bucket.covers(), words])
        for number, (bucket, words) in enumerate(zip(decoder, before + after, strict=True))
    ]
    return number_table(("bucket", "decoder", "encoder"), rows)


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
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
        table=("Buckets of T5 (32 up to 128), as a table", all_buckets()),
        lines=(6, 3),
    )
