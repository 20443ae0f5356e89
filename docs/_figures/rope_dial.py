"""Explorer: a query hand and a key hand turn with their positions; the score reads their angle."""

from math import cos, degrees
from typing import Any

from _figures._controls import step_together
from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import arc, hand, number, svg, text

N_POSITIONS = 32
SPEEDS = {"fast": 1.0, "middle": 0.1, "slow": 0.01}  # radians a token
WORDS = ("1 rad a token", "0.1", "0.01")
GUESSES = ("It stays", "It grows", "It falls")
CENTRE, LONG, SHORT, ARC = (110, 110), 84, 62, 34
SCALE, FOOT, UNIT = 246, 194, 60  # x and y of score -1, and units of height for a score of one
LISTED = (-8, -4, -2, -1, 0, 1, 2, 3, 4, 8)


def signed(tokens: int) -> str:
    """Key less query, with its sign; zero has none."""
    return f"{tokens:+d}".replace("-", "−") if tokens else "0"


def turned(position: int, speed: str) -> float:
    return degrees(position * SPEEDS[speed])


def angle(offset: int, speed: str) -> float:
    return offset * SPEEDS[speed]


def score(offset: int, speed: str) -> float:
    return cos(angle(offset, speed))


def height(score: float) -> float:
    """Where a score stands on its scale."""
    return FOOT - UNIT * (score + 1)


def data() -> dict[str, Any]:
    look = Lookup(
        {"query": N_POSITIONS, "key": N_POSITIONS, "speed": SPEEDS},
        {"query": 5, "key": 2, "speed": "fast"},
    ).difference("offset", "key", "query")
    by = ("offset", "speed")
    look.turn("query-hand", ("query", "speed"), turned)
    look.turn("key-hand", ("key", "speed"), turned)
    # From the key's hand to the query's, so against the offset.
    look.path("arc", by, lambda offset, speed: arc(-angle(offset, speed), ARC))
    look.echo("query-at", "query").echo("key-at", "key")
    look.text("apart", ("offset",), signed)
    look.number("angle", by, angle, digits=2)
    look.number("score", by, score)
    look.move("needle", by, lambda *state: (SCALE, height(score(*state))))
    return look.data()


def dial(view: View) -> str:
    x, y = CENTRE
    pointer = '<path class="bars" d="M-2 0l-14 -7v14z"/>'
    ticks = "".join(
        f'<path class="line" d="M{SCALE} {height(value):g}h8"/>'
        + text(SCALE + 14, height(value) + 4, number(value, 0), "small")
        for value in (-1, 0, 1)
    )
    hands = (
        f'<circle r="{LONG + 8}" class="faint"/>'
        + view.group("key-hand", view.line("arc", "arc sum"))
        + view.group("query-hand", hand(LONG, "query"))
        + view.group("key-hand", hand(SHORT, "key"))
    )
    return svg(
        "A dial with a long query hand and a short key hand, a dotted arc between them, and a "
        "scale on which a needle shows the score.",
        220,
        f'<g transform="translate({x},{y})">{hands}</g>'
        f'<path class="line" d="M{SCALE} {height(-1):g}V{height(1):g}"/>{ticks}'
        + view.group("needle", pointer)
        + text(SCALE, height(1) - 18, "score", "small mid"),
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    scores = data["shown"]["score"]["values"]  # by offset, from 1 - N_POSITIONS on
    rows = [number_row([signed(d)], scores[d + N_POSITIONS - 1], digits=3) for d in LISTED]
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
