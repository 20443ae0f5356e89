"""Explorer: a query hand and a key hand turn with their positions; the score reads their angle."""

from math import cos, pi, sin
from typing import Any

import numpy as np

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer, gate, step_together
from _hooks.draw import hand

N_POSITIONS = 32
SPEEDS = {"fast": 1.0, "middle": 0.1, "slow": 0.01}  # radians a token
WORDS = ("1 rad a token", "0.1", "0.01")
GUESSES = ("It stays", "It grows", "It falls")
CENTRE, LONG, SHORT, ARC = (110, 110), 84, 62, 34
SCALE = (246, 194, 30)  # x, y at zero, and units of height for a score of one half
LISTED = (-8, -4, -2, -1, 0, 1, 2, 3, 4, 8)


def offset(tokens: int) -> str:
    """Key less query, with its sign; zero has none."""
    return f"{tokens:+d}".replace("-", "−") if tokens else "0"


def arc(angle: float) -> str:
    """From the key's hand to the query's, the short way round; `angle` is key less query."""
    gap = (pi - angle) % (2 * pi) - pi
    x, y = ARC * cos(gap), -ARC * sin(gap)
    return f"M{ARC} 0A{ARC} {ARC} 0 0 {int(gap < 0)} {x:.1f} {y:.1f}"


def data() -> dict[str, Any]:
    speeds = np.array(list(SPEEDS.values()))
    degrees = np.degrees(np.arange(N_POSITIONS)[:, None] * speeds)
    distances = np.arange(-(N_POSITIONS - 1), N_POSITIONS)
    angles = distances[:, None] * speeds
    scores = np.cos(angles)
    look = Lookup(
        {"query": N_POSITIONS, "key": N_POSITIONS, "speed": list(SPEEDS)},
        {"query": 5, "key": 2, "speed": "fast"},
    ).difference("offset", "key", "query")
    look.turn("query-hand", ("query", "speed"), degrees.round(2))
    look.turn("key-hand", ("key", "speed"), degrees.round(2))
    look.turn("arc-at", ("key", "speed"), degrees.round(2))
    look.path("arc", ("offset", "speed"), [[arc(angle) for angle in row] for row in angles])
    look.text("query-at", ("query",), [str(p) for p in range(N_POSITIONS)])
    look.text("key-at", ("key",), [str(p) for p in range(N_POSITIONS)])
    look.text("apart", ("offset",), [offset(int(d)) for d in distances])
    look.number("angle", ("offset", "speed"), angles, digits=2)
    look.number("score", ("offset", "speed"), scores)
    x, y, half = SCALE
    places = [[[x, round(y - half * 2 * (score + 1), 1)] for score in row] for row in scores]
    look.move("needle", ("offset", "speed"), places)
    return look.data()


def dial(view: View) -> str:
    x, y = CENTRE
    foot, level, half = SCALE
    pointer = '<path class="bars" d="M-2 0l-14 -7v14z"/>'
    ticks = "".join(
        f'<path class="line" d="M{foot} {level - half * 2 * (v + 1)}h8"/>'
        f'<text x="{foot + 14}" y="{level - half * 2 * (v + 1) + 4}" class="small">{words}</text>'
        for v, words in ((-1, "−1"), (0, "0"), (1, "1"))
    )
    return (
        '<svg class="wide" viewBox="0 0 360 220" role="img" aria-label="A dial with a long query '
        "hand and a short key hand, a dotted arc between them, and a scale on which a needle "
        'shows the score.">'
        f'<g transform="translate({x},{y})"><circle r="{LONG + 8}" class="faint"/>'
        f"{view.group('arc-at', view.line('arc', 'arc sum'))}"
        f"{view.group('query-hand', hand(LONG, 'query'))}"
        f"{view.group('key-hand', hand(SHORT, 'key'))}</g>"
        f'<path class="line" d="M{foot} {level}V{level - 4 * half}"/>{ticks}'
        f"{view.group('needle', pointer)}"
        f'<text x="{foot}" y="{level - 4 * half - 18}" class="small mid">score</text></svg>'
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    scores = data["shown"]["score"]["values"]
    rows = [number_row([offset(d)], scores[d + N_POSITIONS - 1], digits=3) for d in LISTED]
    return explorer(
        src,
        head="Two hands and a score",
        guess=gate("Move both by one token. What does the score do?", GUESSES),
        controls=view.slider("query", "Query at position", "query")
        + view.slider("key", "Key at position", "key")
        + view.choices("speed", "Speed of the pair", WORDS)
        + '<div class="bar">'
        + step_together("Both back", {"query": -1, "key": -1})
        + step_together("Both forward", {"query": 1, "key": 1})
        + "</div>",
        picture=dial(view),
        says=f"Query at {view.blank('query-at')}, key at {view.blank('key-at')}: the offset is "
        f"{view.blank('apart')}. From the query's hand to the key's it is {view.blank('angle')} "
        f"radians, full turns counted, so the score is {view.blank('score')}.",
        table=(
            "Score by offset, as a table",
            number_table(("key − query", *WORDS), rows),
        ),
    )
