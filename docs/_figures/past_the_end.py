"""Explorer: a learned table of eight rows, and four ways to treat a position that has none."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from _figures._end_of_table import (
    D_MODEL,
    N_POSITIONS,
    N_ROWS,
    POLICIES,
    QUARTERS,
    mixture,
    row_read,
    vector,
)
from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from _hooks.draw import listed, numbers, svg, text

LEFT, TOP, PITCH, HEIGHT, STEP = 84, 10, 37, 13, 17


def reading(policy: str, position: int) -> str:
    row = row_read(policy, position)
    if row is not None:
        return f"reads row {row}"
    if policy == "error":
        return "has no row"
    return "gets " + " and ".join(
        f"{QUARTERS[share][0]} of row {row}" for row, share in mixture(position)
    )


def sharing(policy: str, position: int) -> str:
    mine = vector(policy, position)
    if mine is None:
        return "The program stops before anything is computed."
    others = [
        str(other)
        for other in range(N_POSITIONS)
        if other != position
        and (found := vector(policy, other)) is not None
        and np.array_equal(found, mine)
    ]
    if not others:
        return "No other position has the same vector."
    if len(others) == 1:
        return f"Position {others[0]} has the same vector."
    return f"Positions {listed(others)} have the same vector."


def verdict(policy: str, position: int) -> str:
    is_trained = position < N_ROWS
    if policy == "error":
        return (
            "All is as it was in training."
            if is_trained
            else "You learn of the mistake at once, which no other choice offers."
        )
    if policy == "clip":
        if position < N_ROWS - 1:
            return "All is as it was in training."
        return "By the table alone, a model cannot tell these positions apart."
    if policy == "wrap":
        return f"Place {position % N_ROWS} and place {position % N_ROWS + N_ROWS} look alike."
    if row_read(policy, position) == position:
        return "Of the eight trained places, only this one kept its row."
    if is_trained:
        return f"In training this place had row {position}: expect to tune the model."
    return "In training this place did not exist: expect to tune the model."


def values(policy: str, position: int) -> list[float | None]:
    found = vector(policy, position)
    return [None] * D_MODEL if found is None else found.tolist()


def data() -> dict[str, Any]:
    every = ("policy", "position")
    look = Lookup({"policy": POLICIES, "position": N_POSITIONS}, {"policy": "clip", "position": 9})
    look.echo("at", "position")
    look.cells("dim", every, values)
    for name, words in (("reading", reading), ("sharing", sharing), ("verdict", verdict)):
        look.text(name, every, words)
    look.move("pick", ("position",), lambda position: (0, TOP - 2 + STEP * position))
    for policy in POLICIES:
        look.show(f"table-{policy}", ("policy",), [policy == other for other in POLICIES])
    return look.data()


def strip(row: Iterable[float], pitch: float, height: float) -> str:
    """A row of a table, without its numbers."""
    return "".join(
        f'<rect class="v position" style="--v:{value:g};stroke-width:1" x="{pitch * j:g}" '
        f'width="{pitch - 2:g}" height="{height:g}" rx="3"/>'
        for j, value in enumerate(row)
    )


def line(policy: str, position: int) -> str:
    """What a position gets: its vector, and where that comes from."""
    found, row = vector(policy, position), row_read(policy, position)
    if found is None:
        width = PITCH * D_MODEL
        place, words = f'<rect class="slot" width="{width}" height="{HEIGHT}" rx="3"/>', "none"
    else:
        place, words = strip(found, PITCH, HEIGHT), "mixed" if row is None else f"row {row}"
    y = TOP + STEP * position
    return f'<g transform="translate({LEFT},{y})">{place}{text(168, 10, words, "small")}</g>'


def tables_picture(view: View) -> str:
    """All positions under the chosen policy, and which row each reads."""
    ruler = "".join(
        text(LEFT - 14, TOP + 10 + STEP * p, p, "small end")
        for p in range(N_POSITIONS)
        if p % 4 in (0, 3)
    )
    groups = "".join(
        view.group(f"table-{policy}", "".join(line(policy, p) for p in range(N_POSITIONS)))
        for policy in POLICIES
    )
    frame = f'<rect class="line" x="{LEFT - 4}" width="156" height="17" rx="4"/>'
    return svg(
        "Sixteen positions, each with its vector and the row it reads; a frame marks the chosen "
        "one.",
        14 + STEP * N_POSITIONS,
        ruler + groups + view.group("pick", frame),
        "wide",
    )


def vector_picture(view: View) -> str:
    heads = (head(f"dim {column}") for column in range(D_MODEL))
    return cell_table(heads, [row([view.cells("dim", D_MODEL)])])


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)

    def words(policy: str, position: int) -> str:
        found = vector(policy, position)
        return "none" if found is None else numbers(found)

    listed = [
        number_row([str(p), *(words(policy, p) for policy in POLICIES)]) for p in range(N_POSITIONS)
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
