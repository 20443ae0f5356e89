"""Explorer with a gate: guess the similarity of two positions, then see the curve and read it."""

from typing import Any

from _figures._controls import blank, choices, slider
from _figures._tables import number_row, number_table
from _hooks.draw import number, svg, text
from posenc_ref import sinusoidal_table

WIDTHS = (4, 16, 64, 512)
WIDTH = 64  # of the question
ASK = 50
FARTHEST = 100
LISTED = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 50, 100)

# The drawing: x grows by the token, y falls by the unit of similarity.
LEFT, RIGHT, TOP, BOTTOM = 44, 346, 14, 194
LOWEST = -0.25
PER_TOKEN = (RIGHT - LEFT) / FARTHEST
PER_UNIT = (BOTTOM - TOP) / (1 - LOWEST)
PICTURE = (
    f"Axes: distance between two positions from 0 to {FARTHEST}, and their similarity. "
    "The sentence below and the table say what the curve shows."
)


def similarity(width: int) -> list[float]:
    """Cosine of the angle between the rows of two positions, by their distance."""
    table = sinusoidal_table(FARTHEST + 1, width)
    # Every row has the squared length d / 2.
    found: list[float] = (table @ table[0] / (width / 2)).tolist()
    return found


def data() -> dict[str, Any]:
    return {"ask": ASK, "similarity": {str(width): similarity(width) for width in WIDTHS}}


def place(distance: float, value: float) -> tuple[float, float]:
    return LEFT + PER_TOKEN * distance, TOP + PER_UNIT * (1 - value)


def axes() -> str:
    shapes = []
    for value in (0, 0.5, 1):
        _, y = place(0, value)
        shapes.append(f'<path class="faint" d="M{LEFT} {y:g}H{RIGHT}"/>')
        shapes.append(text(LEFT - 8, y + 4, f"{value:g}", "small end"))
    for distance in (0, 25, 50, 75, 100):
        x, _ = place(distance, 0)
        shapes.append(text(x, BOTTOM + 18, distance, "small mid"))
    shapes.append(text(RIGHT, BOTTOM + 36, "distance between the positions", "small end"))
    return "".join(shapes)


def curve(width: str, values: list[float]) -> str:
    points = (place(distance, value) for distance, value in enumerate(values))
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    hidden = "" if width == str(WIDTH) else " data-off"
    return f'<path class="truth position" data-width="{width}" pathLength="1"{hidden} d="M{line}"/>'


def point(key: str, x: float, y: float, what: str, words: str) -> str:
    label = text(12, 4, words, "small") if words else ""
    return (
        f'<g data-k="{key}" style="transform:translate({x:g}px,{y:g}px)">'
        f'<circle class="tip {what}" r="6"/>{label}</g>'
    )


def widget(data: dict[str, Any], src: str) -> str:
    curves = data["similarity"]
    now = curves[str(WIDTH)][ASK]
    guess_x, guess_y = place(ASK, 0.5)
    here_x, here_y = place(ASK, now)
    picture = svg(
        PICTURE,
        244,
        axes()
        + "".join(curve(width, values) for width, values in curves.items())
        + point("guess", guess_x, guess_y, "query", "your guess")
        + point("here", here_x, here_y, "position", ""),
        "wide",
    )
    table = number_table(
        ("distance", *(f"d = {width}" for width in WIDTHS)),
        [
            number_row([str(k)], [curves[str(width)][k] for width in WIDTHS], digits=3)
            for k in LISTED
        ],
    )
    widths = choices("width", "Width, d_model", [(str(w), str(w)) for w in WIDTHS], str(WIDTH))
    return f"""<pe-similarity-guess class="explorer" data-src="{src}"
data-left="{LEFT}" data-top="{TOP}"
data-per-token="{PER_TOKEN:g}" data-per-unit="{PER_UNIT:g}">
<form autocomplete="off">
<div class="head">First your guess, then the curve</div>
<div class="controls">
{slider("guess", f"Similarity at distance {ASK}", 0.5, 1, step=0.01, what="query")}
<div class="bar"><button type="button" data-commit>That is my guess</button></div>
</div>
{picture}
<p class="says" role="status">
<span data-state="ask">Distance 0 is similarity 1. How similar are two positions {ASK} apart,
at d_model = {WIDTH}? Move the point, then commit.</span>
<span data-state="told" hidden>You said {blank("guess", "0.50")}; the curve is at
<b>{number(now, 2)}</b> there. It falls as a trend, with ripples: look at distances 5 and 6.</span>
<span data-state="read" hidden>Width {blank("width", WIDTH)}, distance {blank("distance", ASK)}:
similarity {blank("similarity", number(now))},
<span data-say="compared">more similar than distance {ASK - 1}</span>.</span>
</p>
<fieldset class="controls after" disabled>
{slider("distance", "Distance", ASK, FARTHEST, what="position")}
{widths}
</fieldset>
<details><summary>Similarity by distance, as a table</summary>{table}</details>
</form>
</pe-similarity-guess>"""
