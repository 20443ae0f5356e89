"""Explorer: four ways to number the seats of a text; what a step is worth in each."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from _hooks.draw import number
from posenc_ref import sinusoidal_at

D_MODEL = 4
N_POSITIONS = 9  # the next position is still in the shortest text
LENGTHS = (10, 100, 1000)

Rows = NDArray[np.floating]


def integers(positions: Rows, n_tokens: int) -> Rows:
    """The position itself, in every column."""
    return np.tile(positions[:, None], D_MODEL)


def fractions(positions: Rows, n_tokens: int) -> Rows:
    """The share of the text that lies before the position, in every column."""
    return integers(positions, n_tokens) / n_tokens


def bits(positions: Rows, n_tokens: int) -> Rows:
    """Binary digits, lowest first; a position past the last digit starts again."""
    return positions[:, None] // 2 ** np.arange(D_MODEL) % 2


def waves(positions: Rows, n_tokens: int) -> Rows:
    """Sine and cosine of one radian and of one hundredth of a radian a token."""
    return sinusoidal_at(positions, D_MODEL)


CODES: dict[str, Callable[[Rows, int], Rows]] = {
    "integer": integers,
    "fraction": fractions,
    "bits": bits,
    "waves": waves,
}


def rows(code: str, n_tokens: int, first: int) -> Rows:
    """The code's rows of two positions, `first` and the next."""
    return CODES[code](np.array([first, first + 1.0]), n_tokens)


def step(code: str, n_tokens: int, position: int) -> float:
    """The distance from a position to the next."""
    here, after = rows(code, n_tokens, position)
    return float(np.linalg.norm(after - here))


def why(code: str, n_tokens: int, position: int) -> str:
    if code == "integer":
        return "Every column grew by one."
    if code == "fraction":
        return f"Every column grew by 1/{n_tokens}."
    if code == "waves":
        return "So is every other pair of neighbours."
    here, after = rows(code, n_tokens, position)
    flipped = int(np.sum(here != after))
    return f"{flipped} of the {D_MODEL} bits {'flips' if flipped == 1 else 'flip'}."


def finding(code: str, n_tokens: int) -> str:
    last = n_tokens - 1
    if code == "integer":
        return f"The last row of this text is all {last}, while a word is made of small numbers."
    if code == "fraction":
        other = 1000 if n_tokens == 10 else 10
        length = number(step(code, other, 0))
        return f"In a text of {other} tokens the same step would be {length} long."
    if code == "waves":
        first, *others = waves(np.arange(float(n_tokens)), n_tokens)
        closest = number(np.linalg.norm(others - first, axis=1).min())
        return f"No two positions share a row; the closest two in this text are {closest} apart."
    if n_tokens <= 2**D_MODEL:
        return f"{D_MODEL} bits make {2**D_MODEL} rows, enough for this text."
    twin = last % 2**D_MODEL
    return (
        f"{D_MODEL} bits make {2**D_MODEL} rows: here position {last} gets the row of "
        f"position {twin}."
    )


def data() -> dict[str, Any]:
    every = ("code", "tokens", "position")
    look = Lookup(
        {"code": CODES, "tokens": LENGTHS, "position": N_POSITIONS},
        {"code": "bits", "tokens": "10", "position": 3},
    )
    look.echo("here", "position").echo("next", "position", add=1)
    look.text("end", ("tokens",), [str(n - 1) for n in LENGTHS])
    look.cells("here", every, lambda *state: rows(*state)[0])
    look.cells("next", every, lambda *state: rows(*state)[1])
    look.cells("end", every[:2], lambda code, n_tokens: rows(code, n_tokens, n_tokens - 1)[0])
    look.number("step", every, step)
    look.text("why", every, why)
    look.text("finding", every[:2], finding)
    return look.data()


def rows_picture(view: View) -> str:
    names = {
        "here": f"position {view.blank('here')}",
        "next": f"position {view.blank('next')}",
        "end": f"last, {view.blank('end')}",
    }
    return cell_table(
        map(head, ("row of", *(f"dim {j}" for j in range(D_MODEL)))),
        (row((head(words, "row"), view.cells(name, D_MODEL))) for name, words in names.items()),
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    columns = [("integer", 10), *(("fraction", n) for n in LENGTHS), ("bits", 10), ("waves", 10)]
    step, codes = data["shown"]["step"]["values"], list(CODES)
    by_column = [step[codes.index(code)][LENGTHS.index(n)] for code, n in columns]
    listed = [
        number_row([f"{p} to {p + 1}", *(number(steps[p]) for steps in by_column)])
        for p in range(N_POSITIONS)
    ]
    heads = ("step", "integer", *(f"fraction of {n}" for n in LENGTHS), "bits", "waves")
    return explorer(
        src,
        head="One step, in four codes",
        controls=view.choices("code", "Code", ("Integer", "Fraction", "Bits", "Waves"))
        + view.choices("tokens", "Tokens in the text")
        + view.slider("position", "Position", "position"),
        picture=rows_picture(view),
        says=f"Rows {view.blank('here')} and {view.blank('next')} are {view.blank('step')} apart. "
        f"{view.sentence('why')} {view.sentence('finding')}",
        table=("Length of every step, as a table", number_table(heads, listed)),
        lines=(5, 3),
    )
