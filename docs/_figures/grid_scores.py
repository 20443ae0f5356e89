"""Explorer: scores of all patches for one query, under four ways to give a patch its position."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from _hooks.draw import listed, number
from posenc_ref import (
    Rotation,
    axial_rotary,
    grid_positions,
    mrope_cos_sin,
    mrope_positions,
    rotary_cos_sin,
    rotary_inv_freq,
)

SIDE = 5
ROTARY_DIM, BASE = 32, 10000
# The shares of Qwen2-VL, [16, 24, 24], and of Qwen3-VL, [24, 20, 20], at a quarter of the width.
SECTIONS = {"chunked": [4, 6, 6], "interleaved": [6, 5, 5]}
SCHEMES = {
    "line": "One row of tokens, plain RoPE",
    "axial": "Axial RoPE",
    "chunked": "M-RoPE, chunked",
    "interleaved": "M-RoPE, interleaved",
}
GUESSES = (
    "The one to its right",
    "The one below",
    "The one to its right, tied with the far end of the row above",
    "Its four neighbours, all tied",
)
OFFSETS = ((0, 1), (1, 0), (1, 1), (1, -4), (2, 1), (1, 2), (0, 4), (4, 0), (4, 4))


@cache
def rotation(scheme: str) -> Rotation:
    """Each pair's turn at each patch."""
    inv_freq = rotary_inv_freq(ROTARY_DIM, BASE)
    if scheme == "line":
        return rotary_cos_sin(np.arange(SIDE * SIDE), inv_freq)
    if scheme == "axial":
        places = grid_positions(SIDE, SIDE)
        return axial_rotary(places, ROTARY_DIM, BASE, frequencies="shared", order="blocks")
    ids = mrope_positions([("image", SIDE, SIDE)], advance="largest")
    order: Any = scheme
    return mrope_cos_sin(ids, inv_freq, sections=SECTIONS[scheme], order=order)


def scores(scheme: str, y: int, x: int) -> NDArray[np.floating]:
    """Score of the query at (y, x) with every patch: the mean of the pairs' cosines."""
    cos, sin = rotation(scheme)
    query = y * SIDE + x
    found: NDArray[np.floating] = (cos @ cos[query] + sin @ sin[query]) / len(cos[0])
    return found.reshape(SIDE, SIDE)


def seen(down: int, right: int) -> str:
    """A key's place as seen from the query."""
    parts = []
    if down:
        parts.append(f"{abs(down)} {'down' if down > 0 else 'up'}")
    if right:
        parts.append(f"{abs(right)} {'right' if right > 0 else 'left'}")
    return " and ".join(parts)


def best(scheme: str, y: int, x: int) -> str:
    """The best of the other patches, with exact ties."""
    found = scores(scheme, y, x)
    found[y, x] = -np.inf
    top = float(found.max())
    places = [f"({v}, {u})" for v, u in np.argwhere(found > top - 1e-9)]
    if len(places) == 1:
        return f"Best of the others is {places[0]}, at {number(top)}."
    return f"Best of the others, in a tie: {listed(places)}, at {number(top)}."


def finding(scheme: str, y: int, x: int) -> str:
    found = scores(scheme, y, x)
    if scheme == "line":
        if x == 0 and y > 0:
            return "The far end of the row above has the number before the query’s."
        if x == SIDE - 1 and y < SIDE - 1:
            return "The far end of the row below has the number after the query’s."
        return f"A patch above or below is {SIDE} numbers away."
    if scheme == "axial":
        return "Swap rows and columns of query and key, and their score stays."
    level = sum(number(value) == "1.000" for value in found.ravel().tolist()) - 1
    if scheme == "chunked":
        return f"{level} of the {SIDE**2 - 1} other patches score 1.000 to three digits."
    return "Rows have the faster pairs, so a step down costs more than a step aside."


def data() -> dict[str, Any]:
    every = ("scheme", "row", "column")
    look = Lookup(
        {"scheme": SCHEMES, "row": SIDE, "column": SIDE}, {"scheme": "line", "row": 2, "column": 0}
    )
    for y, x in np.ndindex(SIDE, SIDE):
        look.cell(f"at{y}-{x}", every, lambda s, v, u, y=y, x=x: scores(s, v, u)[y, x])
    look.echo("y", "row").echo("x", "column")
    look.text("best", every, best)
    look.text("finding", every, finding)
    return look.data()


def grid(view: View) -> str:
    def line(y: int) -> str:
        cells = (view.cell(f"at{y}-{x}", row=y, column=x) for x in range(SIDE))
        return row((head(f"row {y}", "row"), *cells))

    return cell_table(
        ("<td></td>", *(head(f"col {x}") for x in range(SIDE))),
        map(line, range(SIDE)),
        caption="Scores of all patches with the outlined query. Its own is 1.",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = []
    for down, right in OFFSETS:
        x = 0 if right >= 0 else -right
        listed_scores = [scores(scheme, 0, x)[down, x + right] for scheme in SCHEMES]
        rows.append(number_row([seen(down, right)], listed_scores, digits=3))
    heads = ("key seen from the query", "one row", "axial", "chunked", "interleaved")
    return explorer(
        src,
        head="One query, all patches",
        guess=gate(
            f"Plain RoPE, {SIDE * SIDE} patches in one row. The query is at the left edge of the "
            "middle row. Which other patch scores best?",
            GUESSES,
        ),
        controls=view.choices("scheme", "Positions", tuple(SCHEMES.values()))
        + view.slider("row", "Query in row", "query")
        + view.slider("column", "Query in column", "query"),
        picture=grid(view),
        says=f"Query at ({view.blank('y')}, {view.blank('x')}), row before column. "
        f"{view.sentence('best')} {view.sentence('finding')}",
        table=("Score by offset, as a table", number_table(heads, rows)),
        lines=(6, 4),
    )
