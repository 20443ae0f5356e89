"""Explorer with a gate: the score of a chosen query and key by distance, on both sides."""

from itertools import pairwise
from typing import Any

import numpy as np

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer, gate
from posenc_ref import rotary_scores, scale_proportional

WIDTH, BASE, FARTHEST = 16, 100.0, 48
PEAK = 7
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


def scores(kind: str, share: float, side: int) -> np.ndarray:
    query, key = vectors()[kind]
    distances = side * np.arange(FARTHEST + 1)[None, :]
    speeds = scale_proportional(WIDTH, BASE, rotated_fraction=share).inv_freq
    keys = np.tile(key, (FARTHEST + 1, 1))
    row: np.ndarray = rotary_scores(query[None], keys, distances, speeds, layout="interleaved")[0]
    return row


def level(score: float) -> float:
    return float(round(TOP + HALF * (1 - score)))


def outline(values: np.ndarray) -> str:
    levels = [level(value) for value in values]
    moves = (f"l{STEP} {after - before:g}" for before, after in pairwise(levels))
    return f"M{LEFT} {levels[0]:g}" + "".join(moves)


def data() -> dict[str, Any]:
    table = np.array(
        [
            [[scores(kind, share, side) for side in SIDES.values()] for share in SHARES.values()]
            for kind in KINDS
        ]
    ).round(3)
    look = Lookup(
        {
            "kind": list(KINDS),
            "share": list(SHARES),
            "side": list(SIDES),
            "distance": FARTHEST + 1,
        },
        {"kind": "equal", "share": "all", "side": "before", "distance": 13},
    )
    curve = ("kind", "share", "side")
    everything = (*curve, "distance")
    places = [[place(n, side) for n in range(FARTHEST + 1)] for side in SIDES]
    look.text("place", ("side", "distance"), places)
    look.number("score", everything, table, digits=3)
    look.number("start", ("kind",), table[:, 0, 0, 0], digits=3)
    look.path("curve", curve, nested(outline, table))
    look.move("across", ("distance",), [[LEFT + STEP * n, 0] for n in range(FARTHEST + 1)])
    look.move(
        "up", everything, nested(lambda values: [[0, int(level(value))] for value in values], table)
    )
    look.text("summary", curve, nested(summary, table))
    return look.data()


def place(distance: int, side: str) -> str:
    if distance == 0:
        return "where the query stands"
    return f"{distance} {'token' if distance == 1 else 'tokens'} {side} the query"


def summary(values: np.ndarray) -> str:
    """How often a step of one token farther raises the score, as shown."""
    rises, best = int((np.diff(values) > 0).sum()), int(values.argmax())
    if np.ptp(values) == 0:
        return "Nothing that turns has content here, so the score is the same at every distance."
    if rises == 0:
        return f"Over these {FARTHEST} steps the score never rises."
    return (
        f"Over these {FARTHEST} steps away from the query the score rises on {rises}; "
        f"it is highest at distance {best}."
    )


def nested(what: Any, table: np.ndarray) -> list[list[list[Any]]]:
    return [[[what(values) for values in sides] for sides in shares] for shares in table]


def drawing(view: View) -> str:
    right = LEFT + STEP * FARTHEST
    lines = "".join(
        f'<path class="{"line" if value == 0 else "faint"}" d="M{LEFT} {level(value):g}H{right}"/>'
        f'<text x="{LEFT - 8}" y="{level(value) + 4:g}" class="small end">{words}</text>'
        for value, words in ((-1, "−1"), (0, "0"), (1, "1"))
    )
    foot = TOP + 2 * HALF
    ticks = "".join(
        f'<text x="{LEFT + STEP * n}" y="{foot + 20}" class="small mid">{n}</text>'
        for n in range(0, FARTHEST + 1, 8)
    )
    label = (
        f'<text x="{(LEFT + right) / 2:g}" y="{foot + 40}" class="small mid">'
        "distance (tokens)</text>"
    )
    dot = view.group("across", view.group("up", '<circle class="tip other" r="5"/>'))
    return (
        f'<svg class="wide" viewBox="0 0 360 {foot + 48}" role="img" aria-label="A curve of the '
        'score against the distance, with a dot at the chosen distance.">'
        f"{lines}{ticks}{label}{view.line('curve', 'curve sum')}{dot}</svg>"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    table = np.array(data["shown"]["score"]["values"])
    rows = [number_row([str(n)], table[:, 0, 0, n].tolist(), digits=3) for n in LISTED]
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
