"""Explorer: four ways to number the seats of a text; what a step is worth in each."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
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


def steps(code: str, n_tokens: int) -> Rows:
    """The distance from each position of the explorer to the next."""
    rows = CODES[code](np.arange(N_POSITIONS + 1.0), n_tokens)
    distance: Rows = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    return distance


def why(code: str, n_tokens: int, position: int) -> str:
    if code == "integer":
        return "Every column grew by one."
    if code == "fraction":
        return f"Every column grew by 1/{n_tokens}."
    if code == "waves":
        return "So is every other pair of neighbours."
    here, after = bits(np.array([position, position + 1.0]), n_tokens)
    flipped = int(np.sum(here != after))
    return f"{flipped} of the {D_MODEL} bits {'flips' if flipped == 1 else 'flip'}."


def finding(code: str, n_tokens: int) -> str:
    last = n_tokens - 1
    if code == "integer":
        return f"The last row of this text is all {last}, while a word is made of small numbers."
    if code == "fraction":
        other = 1000 if n_tokens == 10 else 10
        step = number(steps(code, other)[0])
        return f"In a text of {other} tokens the same step would be {step} long."
    if code == "waves":
        rows = waves(np.arange(float(n_tokens)), n_tokens)
        closest = np.linalg.norm(rows[1:] - rows[0], axis=1).min()
        return (
            f"No two positions share a row; the closest two in this text are {closest:.3f} apart."
        )
    if n_tokens <= 2**D_MODEL:
        return f"{D_MODEL} bits make {2**D_MODEL} rows, enough for this text."
    twin = last % 2**D_MODEL
    return (
        f"{D_MODEL} bits make {2**D_MODEL} rows: here position {last} gets the row of "
        f"position {twin}."
    )


def data() -> dict[str, Any]:
    near = np.arange(N_POSITIONS + 1.0)
    rows = np.array([[code(near, n) for n in LENGTHS] for code in CODES.values()])
    ends = [[code(np.array([n - 1.0]), n)[0] for n in LENGTHS] for code in CODES.values()]
    every = ("code", "tokens", "position")
    look = Lookup(
        {"code": list(CODES), "tokens": [str(n) for n in LENGTHS], "position": N_POSITIONS},
        {"code": "bits", "tokens": "10", "position": 3},
    )
    look.text("here", ("position",), [str(p) for p in range(N_POSITIONS)])
    look.text("here-row", ("position",), [str(p) for p in range(N_POSITIONS)])
    look.text("next", ("position",), [str(p + 1) for p in range(N_POSITIONS)])
    look.text("next-row", ("position",), [str(p + 1) for p in range(N_POSITIONS)])
    look.text("end", ("tokens",), [str(n - 1) for n in LENGTHS])
    for column in range(D_MODEL):
        look.cell(f"here-{column}", every, rows[:, :, :-1, column])
        look.cell(f"next-{column}", every, rows[:, :, 1:, column])
        look.cell(f"end-{column}", every[:2], np.array(ends)[:, :, column])
    look.number("step", every, [[steps(c, n) for n in LENGTHS] for c in CODES])
    look.text(
        "why",
        every,
        [[[why(c, n, p) for p in range(N_POSITIONS)] for n in LENGTHS] for c in CODES],
    )
    look.text("finding", every[:2], [[finding(c, n) for n in LENGTHS] for c in CODES])
    shown = look.data()
    for thing in shown["shown"].values():
        thing["values"] = _plain(thing["values"])
    return shown


def _plain(values: Any) -> Any:
    """Lists in place of arrays, all the way down."""
    if isinstance(values, np.ndarray):
        return values.tolist()
    return [_plain(value) for value in values] if isinstance(values, list) else values


def rows_picture(view: View) -> str:
    head = "".join(f'<th scope="col">dim {column}</th>' for column in range(D_MODEL))
    names = {
        "here": f"position {view.blank('here-row')}",
        "next": f"position {view.blank('next-row')}",
        "end": f"last, {view.blank('end')}",
    }
    body = "".join(
        f'<tr><th scope="row">{words}</th>'
        + "".join(view.cell(f"{name}-{column}") for column in range(D_MODEL))
        + "</tr>"
        for name, words in names.items()
    )
    return (
        '<div class="numbers"><table class="values"><thead><tr><th scope="col">row of</th>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    columns = [("integer", 10), *(("fraction", n) for n in LENGTHS), ("bits", 10), ("waves", 10)]
    step = data["shown"]["step"]["values"]
    codes = list(CODES)
    listed = [
        number_row(
            [
                f"{p} to {p + 1}",
                *(number(step[codes.index(c)][LENGTHS.index(n)][p]) for c, n in columns),
            ]
        )
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
