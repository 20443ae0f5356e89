"""Explorer: one table read both ways, from id to row and from vector to a score for every row."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._sentence import D_MODEL, WORDS, attend, vectors, weights
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from _hooks.draw import number
from posenc_ref import embed, tied_logits

N = len(WORDS)
HIDDEN = ("row", "one", "two")
HIDDEN_WORDS = ("the row as read", "after one layer", "after two layers")
SWITCH = ("no", "yes")
AXES = ("word", "hidden", "scale")
SO_FAR = (
    ", and no layer has changed it yet.",
    ". One layer of attention has mixed the other words in.",
    ". Two layers of attention have mixed the other words in.",
)

Vector = NDArray[np.floating]


@cache
def hidden_vector(word: str, hidden: str, scale: str) -> Vector:
    """What stands on a seat of "dog bites man": no positions, no mask, attention alone."""
    rows = embed(tuple(range(N)), vectors(), scale=scale == "yes")
    found: Vector = attend(rows, HIDDEN.index(hidden))[WORDS.index(word)]
    return found


def logits(*state: str) -> Vector:
    return tied_logits(hidden_vector(*state), vectors())


def shares(*state: str) -> Vector:
    found: Vector = weights([logits(*state)])[0]
    return found


def finding(word: str, hidden: str, scale: str) -> str:
    state = (word, hidden, scale)
    token, best = WORDS.index(word), int(np.argmax(logits(*state)))
    times = f", times {np.sqrt(D_MODEL):.0f}" if scale == "yes" else ""
    so_far = SO_FAR[HIDDEN.index(hidden)]
    which = "its own row" if best == token else f"the row of “{WORDS[best]}”"
    return (
        f"Id {token} reads row {token}, “{word}”{times}{so_far} "
        f"The highest logit, {number(logits(*state)[best])}, belongs to {which}: "
        f"a share of {number(shares(*state)[best])}."
    )


def data() -> dict[str, Any]:
    look = Lookup(
        {"word": WORDS, "hidden": HIDDEN, "scale": SWITCH},
        {"word": "man", "hidden": "one", "scale": "no"},
    )
    look.cells("hidden", AXES, hidden_vector, bound=2)
    look.cells("logit", AXES, logits, bound=4)
    look.cells("share", AXES, shares)
    for i, word in enumerate(WORDS):
        is_read = [word == read for read in WORDS]
        look.mark(f"row{i}", ("word",), is_read)
        look.number(f"hot{i}", ("word",), is_read, digits=0)
    look.text("finding", AXES, finding)
    return look.data()


def tables(view: View) -> str:
    """The vector that is scored, and below it the rows that score it."""

    def line(i: int) -> str:
        fixed = "".join(f"<td>{number(value, 0)}</td>" for value in vectors()[i])
        cells = (
            f"<td>{WORDS[i]}</td><td>{view.blank(f'hot{i}')}</td>{fixed}"
            f"{view.cell(f'logit-{i}')}{view.cell(f'share-{i}')}"
        )
        return view.element("tr", f"row{i}", cells)

    first, last = map(head, ("word", "one-hot")), map(head, ("logit", "share"))
    heads = (*first, head("row", "colgroup", across=D_MODEL), *last)
    return cell_table(
        (), [row((head("vector", "row"), view.cells("hidden", D_MODEL)))]
    ) + cell_table(heads, map(line, range(N)))


def summary(data: dict[str, Any]) -> str:
    """All shares: one row a state."""
    shares = [data["shown"][f"share-{i}"]["values"] for i in range(N)]
    rows = [
        number_row([word, now, switch], [share[t][h][s] for share in shares], digits=3)
        for t, word in enumerate(WORDS)
        for h, now in enumerate(HIDDEN_WORDS)
        for s, switch in enumerate(SWITCH)
    ]
    heads = ("read", "hidden vector", "times √d", *(f"share of {word}" for word in WORDS))
    return number_table(heads, rows)


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    ids = [f"{token} · {word}" for token, word in enumerate(WORDS)]
    return explorer(
        src,
        head="Into the table and out again",
        controls=view.choices("word", "Id that is read", ids)
        + view.choices("hidden", "Vector that is scored", HIDDEN_WORDS)
        + view.choices("scale", "Times √d when read"),
        picture=tables(view),
        says=view.blank("finding"),
        lines=(5, 3),
        table=("Shares in every state", summary(data)),
    )
