"""Explorer: a learned table of eight rows, and four ways to treat a position that has none."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from _hooks.draw import number, text
from posenc_ref import lookup_positions, resize_table

N_ROWS, N_POSITIONS, D_MODEL = 8, 16, 4
# A toy table, in halves, so that every mixture of two rows can be checked by hand.
TABLE = (
    (0.0, 0.0, 0.5, 0.5),
    (0.5, 0.0, 0.0, 0.5),
    (0.5, 0.5, 0.0, 0.0),
    (0.0, 0.5, 0.5, 0.0),
    (-0.5, 0.0, 0.5, 0.0),
    (0.0, -0.5, 0.0, 0.5),
    (0.5, 0.0, -0.5, 0.0),
    (0.0, 0.5, 0.0, -0.5),
)
POLICIES = {
    "error": "Raise an error",
    "clip": "Repeat the last row",
    "wrap": "Wrap around",
    "stretch": "Stretch to 16 rows",
}
STEP = 17

Rows = NDArray[np.floating]


def rows_read(policy: str) -> list[int | None]:
    """The row of the trained table that each position reads; None if it is no such row."""
    positions = range(N_POSITIONS)
    if policy == "clip":
        return [min(p, N_ROWS - 1) for p in positions]
    if policy == "wrap":
        return [p % N_ROWS for p in positions]
    if policy == "error":
        return [p if p < N_ROWS else None for p in positions]
    stretched = resize_table(TABLE, N_POSITIONS)
    same = [
        [r for r in range(N_ROWS) if np.array_equal(row, np.array(TABLE[r]))] for row in stretched
    ]
    return [found[0] if found else None for found in same]


def vectors(policy: str) -> list[Rows | None]:
    """The vector that each position gets; None where there is none."""
    if policy == "stretch":
        return list(resize_table(TABLE, N_POSITIONS))
    return [None if r is None else lookup_positions(TABLE, r) for r in rows_read(policy)]


def partners(policy: str, position: int) -> list[int]:
    """The other positions with the same vector."""
    all_vectors = vectors(policy)
    mine = all_vectors[position]
    return [
        p
        for p, other in enumerate(all_vectors)
        if p != position and mine is not None and other is not None and np.array_equal(mine, other)
    ]


def mixture(position: int) -> str:
    """How a row of the stretched table is mixed from two trained ones."""
    centre = (position + 0.5) * N_ROWS / N_POSITIONS - 0.5
    before = int(np.floor(centre))
    share = centre - before
    near, far = (before, before + 1) if share < 0.5 else (before + 1, before)
    return f"three quarters of row {near} and one quarter of row {far}"


def reading(policy: str, position: int) -> str:
    row = rows_read(policy)[position]
    if row is not None:
        return f"reads row {row}"
    return "has no row" if policy == "error" else f"gets {mixture(position)}"


def sharing(policy: str, position: int) -> str:
    others = partners(policy, position)
    if vectors(policy)[position] is None:
        return "The program stops before anything is computed."
    if not others:
        return "No other position has the same vector."
    if len(others) == 1:
        return f"Position {others[0]} has the same vector."
    *first, last = map(str, others)
    return f"Positions {', '.join(first)} and {last} have the same vector."


def verdict(policy: str, position: int) -> str:
    trained = position < N_ROWS
    if policy == "error":
        return (
            "All is as it was in training."
            if trained
            else "You learn of the mistake at once, which no other choice offers."
        )
    if policy == "clip":
        if position < N_ROWS - 1:
            return "All is as it was in training."
        return "By the table alone, a model cannot tell these positions apart."
    if policy == "wrap":
        return f"Place {position % N_ROWS} and place {position % N_ROWS + N_ROWS} look alike."
    row = rows_read(policy)[position]
    if trained and row == position:
        return "Of the eight trained places, only this one kept its row."
    if trained:
        return f"In training this place had row {position}: expect to tune the model."
    return "In training this place did not exist: expect to tune the model."


def data() -> dict[str, Any]:
    every = ("policy", "position")
    look = Lookup(
        {"policy": list(POLICIES), "position": N_POSITIONS}, {"policy": "clip", "position": 9}
    )
    look.text("at", ("position",), [str(p) for p in range(N_POSITIONS)])
    for column in range(D_MODEL):
        look.cell(
            f"dim-{column}",
            every,
            [[None if v is None else float(v[column]) for v in vectors(p)] for p in POLICIES],
        )
    for name, words in (("reading", reading), ("sharing", sharing), ("verdict", verdict)):
        look.text(name, every, [[words(p, k) for k in range(N_POSITIONS)] for p in POLICIES])
    look.move("pick", ("position",), [[0, 8 + STEP * p] for p in range(N_POSITIONS)])
    for policy in POLICIES:
        look.show(f"table-{policy}", ("policy",), [policy == p for p in POLICIES])
    return look.data()


def strip(y: float, values: Rows | None) -> str:
    if values is None:
        return f'<rect class="slot" x="84" y="{y:g}" width="148" height="13" rx="3"/>'
    return "".join(
        f'<rect class="v position" style="--v:{value:g};stroke-width:1" x="{84 + 37 * j}" '
        f'y="{y:g}" width="35" height="13" rx="3"/>'
        for j, value in enumerate(values)
    )


def tables_picture(view: View) -> str:
    """All sixteen positions under the chosen policy, and which row each reads."""
    height = 14 + STEP * N_POSITIONS
    ruler = "".join(
        text(70, 20 + STEP * p, p, "small end") for p in range(N_POSITIONS) if p % 4 in (0, 3)
    )
    groups = ""
    for policy in POLICIES:
        read = rows_read(policy)
        inner = ""
        for p, vector in enumerate(vectors(policy)):
            inner += strip(10 + STEP * p, vector)
            words = f"row {read[p]}" if read[p] is not None else "mixed"
            inner += text(252, 20 + STEP * p, "none" if vector is None else words, "small")
        groups += view.group(f"table-{policy}", inner)
    frame = '<rect class="line" x="80" width="156" height="17" rx="4"/>'
    return (
        f'<svg class="wide" viewBox="0 0 360 {height}" role="img" aria-label="Sixteen positions, '
        f'each with its vector and the row it reads; a frame marks the chosen one.">'
        f"{ruler}{groups}{view.group('pick', frame)}</svg>"
    )


def vector_picture(view: View) -> str:
    head = "".join(f'<th scope="col">dim {column}</th>' for column in range(D_MODEL))
    body = "".join(view.cell(f"dim-{column}") for column in range(D_MODEL))
    return (
        f'<div class="numbers"><table class="values"><thead><tr>{head}</tr></thead>'
        f"<tbody><tr>{body}</tr></tbody></table></div>"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    listed = [
        number_row(
            [
                str(p),
                *(
                    "none" if v is None else ", ".join(number(x) for x in v)
                    for v in (vectors(policy)[p] for policy in POLICIES)
                ),
            ]
        )
        for p in range(N_POSITIONS)
    ]
    return explorer(
        src,
        head="Eight rows, sixteen positions",
        controls=view.choices("policy", "Past the end", tuple(POLICIES.values()))
        + view.slider("position", "Position", "position"),
        picture=tables_picture(view) + vector_picture(view),
        says=f"Position {view.blank('at')} {view.sentence('reading')}. "
        f"{view.sentence('sharing')} {view.sentence('verdict')}",
        table=(
            "All vectors, as a table",
            number_table(("position", *POLICIES.values()), listed),
        ),
        lines=(6, 3),
    )
