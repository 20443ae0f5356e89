"""Explorer with a gate: the score of a chosen query and key by distance, on both sides."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import number, svg, text
from posenc_ref import rotary_scores, scale_proportional

WIDTH, BASE, FARTHEST = 16, 100.0, 48
PEAK = 7
NOISE = 1e-9  # what equal scores may differ by
SHARES = {"all": 1.0, "half": 0.5, "quarter": 0.25}
SIDES = {"before": -1, "after": 1}
KINDS = {
    "equal": "an equal key",
    "peak": "built to peak",
    "random": "random",
    "fast": "fastest pair only",
    "slow": "slowest pair only",
}
LEFT, TOP, STEP, HALF = 36, 14, 6, 76  # the drawing: its left end, the line of one, and units
LISTED = (0, 1, 2, 4, 5, 6, 7, 8, 13, 20, 32, 48)


def vectors() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """A query and a key of each kind, neighbours being pairs, both of length one."""
    n_pairs = WIDTH // 2
    equal = np.tile([1.0, 0.0], n_pairs) / np.sqrt(n_pairs)
    speeds = scale_proportional(WIDTH, BASE, rotated_fraction=1.0).inv_freq
    # The key turned back by the distance wanted: at that distance all pairs meet.
    back = np.stack([np.cos(PEAK * speeds), -np.sin(PEAK * speeds)], axis=1).reshape(-1)
    rng = np.random.default_rng(3)
    some, other = rng.normal(size=(2, WIDTH))
    fast, slow = np.zeros(WIDTH), np.zeros(WIDTH)
    fast[0] = slow[-2] = 1
    return {
        "equal": (equal, equal),
        "peak": (back / np.sqrt(n_pairs), equal),
        "random": (some / np.linalg.norm(some), other / np.linalg.norm(other)),
        "fast": (fast, fast),
        "slow": (slow, slow),
    }


@cache
def scores(kind: str, share: str, side: str) -> NDArray[np.floating]:
    """By distance."""
    query, key = vectors()[kind]
    distances = SIDES[side] * np.arange(FARTHEST + 1)[None, :]
    speeds = scale_proportional(WIDTH, BASE, rotated_fraction=SHARES[share]).inv_freq
    keys = np.tile(key, (FARTHEST + 1, 1))
    row: NDArray[np.floating] = rotary_scores(
        query[None], keys, distances, speeds, layout="interleaved"
    )[0]
    return row


def score(kind: str, share: str, side: str, distance: int) -> float:
    return float(scores(kind, share, side)[distance])


def level(score: float) -> int:
    """Where a score stands in the drawing."""
    return round(TOP + HALF * (1 - score))


def outline(*curve: str) -> str:
    levels = [level(score) for score in scores(*curve)]
    moves = (f"l{STEP} {after - before}" for before, after in pairwise(levels))
    return f"M{LEFT} {levels[0]}" + "".join(moves)


def place(side: str, distance: int) -> str:
    if distance == 0:
        return "where the query stands"
    return f"{distance} {'token' if distance == 1 else 'tokens'} {side} the query"


def summary(*curve: str) -> str:
    """How often a step of one token farther raises the score."""
    steps = np.diff(scores(*curve))
    rises, best = int((steps > NOISE).sum()), int(scores(*curve).argmax())
    if np.abs(steps).max() <= NOISE:
        return "Nothing that turns has content here, so the score is the same at every distance."
    if rises == 0:
        return f"Over these {FARTHEST} steps the score never rises."
    return (
        f"Over these {FARTHEST} steps away from the query the score rises on {rises}; "
        f"it is highest at distance {best}."
    )


def data() -> dict[str, Any]:
    look = Lookup(
        {"kind": KINDS, "share": SHARES, "side": SIDES, "distance": FARTHEST + 1},
        {"kind": "equal", "share": "all", "side": "before", "distance": 13},
    )
    curve = ("kind", "share", "side")
    every = (*curve, "distance")
    look.text("place", ("side", "distance"), place)
    look.number("score", every, score)
    look.number("start", ("kind",), lambda kind: score(kind, "all", "before", 0))
    look.path("curve", curve, outline)
    look.move("across", ("distance",), lambda distance: (LEFT + STEP * distance, 0))
    look.move("up", every, lambda *state: (0, level(score(*state))))
    look.text("summary", curve, summary)
    return look.data()


def drawing(view: View) -> str:
    right, foot = LEFT + STEP * FARTHEST, TOP + 2 * HALF
    lines = "".join(
        f'<path class="{"line" if value == 0 else "faint"}" d="M{LEFT} {level(value)}H{right}"/>'
        + text(LEFT - 8, level(value) + 4, number(value, 0), "small end")
        for value in (-1, 0, 1)
    )
    ticks = "".join(
        text(LEFT + STEP * n, foot + 20, n, "small mid") for n in range(0, FARTHEST + 1, 8)
    )
    label = text((LEFT + right) / 2, foot + 40, "distance (tokens)", "small mid")
    dot = view.group("across", view.group("up", '<circle class="tip other" r="5"/>'))
    return svg(
        "A curve of the score against the distance, with a dot at the chosen distance.",
        foot + 48,
        lines + ticks + label + view.line("curve", "curve sum") + dot,
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    curves = [kind[0][0] for kind in data["shown"]["score"]["values"]]
    rows = [number_row([str(n)], [curve[n] for curve in curves], digits=3) for n in LISTED]
    answers = ("yes, always", "as a trend only", "no, it is flat")
    return explorer(
        src,
        head="Score by distance",
        guess=gate("Does the score of q with an equal k always fall with distance?", answers),
        controls=view.choices("kind", "Query and key", list(KINDS.values()))
        + view.choices("share", "Pairs that turn", ("all", "fastest half", "fastest quarter"))
        + view.choices("side", "The key stands", ("before the query", "after it"))
        + view.slider("distance", "Distance", "other"),
        picture=drawing(view),
        says=f"The key stands {view.blank('place')}: the score is "
        f"{view.blank('score')}, where distance 0 gives {view.blank('start')}. "
        f"{view.blank('summary')}",
        table=(
            "Scores with all pairs turning and the key before, as a table",
            number_table(("distance", *KINDS.values()), rows),
        ),
        lines=(6, 3),
    )
