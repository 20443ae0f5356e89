"""Explorer: one table read both ways, from id to row and from vector to a score for every row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from _figures._sentence import D_MODEL, WORDS, vectors, weights
from _hooks.draw import number
from posenc_ref import attention, embed, tied_logits

IDS = tuple(range(len(WORDS)))
HIDDEN = ("row", "one", "two")
HIDDEN_WORDS = ("the row as read", "after one layer", "after two layers")
SWITCH = ("no", "yes")
AXES = ("word", "hidden", "scale")
SO_FAR = (
    ", and no layer has changed it yet.",
    ". One layer of attention has mixed the other words in.",
    ". Two layers of attention have mixed the other words in.",
)


def hidden_vectors(hidden: str, scale: str) -> NDArray[np.floating]:
    """What stands on each seat of "dog bites man": no positions, no mask, attention alone."""
    x = embed(IDS, vectors(), scale=scale == "yes")
    for _ in range(HIDDEN.index(hidden)):
        x = attention(x, x, x)
    return x


def logits(hidden: str, scale: str) -> NDArray[np.floating]:
    return tied_logits(hidden_vectors(hidden, scale), vectors())


def finding(token: int, hidden: str, scale: str) -> str:
    scores = logits(hidden, scale)[token]
    share = weights(scores[None])[0]
    best = int(np.argmax(scores))
    times = f", times {np.sqrt(D_MODEL):.0f}" if scale == "yes" else ""
    so_far = SO_FAR[HIDDEN.index(hidden)]
    which = "its own row" if best == token else f"the row of “{WORDS[best]}”"
    return (
        f"Id {token} reads row {token}, “{WORDS[token]}”{times}{so_far} "
        f"The highest logit, {number(scores[best])}, belongs to {which}: "
        f"a share of {number(share[best])}."
    )


def over_states(shown: Any) -> list[Any]:
    """A table over the three controls."""
    return [[[shown(t, h, s) for s in SWITCH] for h in HIDDEN] for t in IDS]


def data() -> dict[str, Any]:
    look = Lookup(
        {"word": WORDS, "hidden": HIDDEN, "scale": SWITCH},
        {"word": "man", "hidden": "one", "scale": "no"},
    )
    for column in range(D_MODEL):
        values = over_states(
            lambda t, h, s, column=column: round(float(hidden_vectors(h, s)[t, column]), 3)
        )
        look.cell(f"hidden{column}", AXES, values, bound=2)
    for row in IDS:
        look.mark(f"row{row}", ("word",), [row == token for token in IDS])
        look.text(f"hot{row}", ("word",), [str(int(row == token)) for token in IDS])
        scores = over_states(lambda t, h, s, row=row: round(float(logits(h, s)[t, row]), 3))
        look.cell(f"logit{row}", AXES, scores, bound=4)
        shares = over_states(
            lambda t, h, s, row=row: round(float(weights(logits(h, s))[t, row]), 3)
        )
        look.cell(f"share{row}", AXES, shares)
    look.text("finding", AXES, over_states(finding))
    return look.data()


def tables(data: dict[str, Any]) -> str:
    """The vector that is scored, and below it the rows that score it."""
    view = View(data)
    vector = "".join(view.cell(f"hidden{column}") for column in range(D_MODEL))
    rows = []
    for row, word in enumerate(WORDS):
        chosen = " data-chosen" if view.value(f"row{row}") else ""
        numbers = "".join(f"<td>{number(value, 0)}</td>" for value in vectors()[row])
        rows.append(
            f'<tr data-k="row{row}"{chosen}><td>{word}</td>'
            f"<td>{view.blank(f'hot{row}')}</td>{numbers}"
            f"{view.cell(f'logit{row}')}{view.cell(f'share{row}')}</tr>"
        )
    return (
        f'<table class="values"><tbody><tr><th scope="row">vector</th>{vector}</tr></tbody></table>'
        '<table class="values"><thead><tr><th scope="col">word</th><th scope="col">one-hot</th>'
        f'<th scope="colgroup" colspan="{D_MODEL}">row</th><th scope="col">logit</th>'
        f'<th scope="col">share</th></tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def summary(data: dict[str, Any]) -> str:
    """All shares: one row a state."""
    rows = [
        number_row(
            [word, HIDDEN_WORDS[h], SWITCH[s]],
            [data["shown"][f"share{row}"]["values"][t][h][s] for row in IDS],
            digits=3,
        )
        for t, word in enumerate(WORDS)
        for h in range(len(HIDDEN))
        for s in range(len(SWITCH))
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
        picture=tables(data),
        says=view.blank("finding"),
        lines=(5, 3),
        table=("Shares in every state", summary(data)),
    )
