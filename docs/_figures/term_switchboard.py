"""Explorer: the four terms of a Transformer-XL score, switched one by one on the example."""

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._sentence import D_MODEL, vectors, weights
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from posenc_ref import causal_mask, relative_shift, transformer_xl_scores

ORDERS = ("dog bites man", "man bites dog")
N = 3
SEES = causal_mask(N, N)
# Toy vectors. Of distance 2, 1, 0, and two that stand for the query wherever it is.
R = ((0.0, 0.0, 0.0, 2.0), (0.0, 0.0, 2.0, 0.0), (0.0, 0.0, 0.0, 0.0))
U = (0.0, 1.0, 0.0, 0.0)
V = (0.0, 0.0, 1.0, 0.0)
TERMS = {"a": "a: q·k", "b": "b: q·r", "c": "c: u·k", "d": "d: v·r"}
SWITCH = ("on", "off")

Scores = NDArray[np.floating]


@cache
def terms(order: str) -> dict[str, Scores]:
    """Each term's scores, (query, key), all times 1 / sqrt(d)."""
    x, r, root = vectors(order.split()), np.array(R), np.sqrt(D_MODEL)
    parts = {
        "a": x @ x.T / root,
        "b": relative_shift(x @ r.T) / root,
        "c": np.tile(np.array(U) @ x.T, (N, 1)) / root,
        "d": relative_shift(np.tile(np.array(V) @ r.T, (N, 1))) / root,
    }
    whole = transformer_xl_scores(x, x, r, U, V)
    if not np.allclose(sum(parts.values())[SEES], whole[SEES]):
        raise ValueError("the four terms must add up to transformer_xl_scores")
    return parts


def on(*switches: str) -> list[str]:
    return [name for name, switch in zip(TERMS, switches, strict=True) if switch == "on"]


def scores(order: str, *switches: str) -> Scores:
    """The sum of the terms that are on, (query, key)."""
    return sum((terms(order)[name] for name in on(*switches)), start=np.zeros((N, N)))


def seen(query: int, *state: str) -> Scores:
    """The scores of one query, without what the mask hides from it."""
    row: Scores = scores(*state)[query, : query + 1]
    return row


def shares(*state: str) -> Scores:
    """Of the last word."""
    last: Scores = weights(np.where(SEES, scores(*state), -np.inf))[-1]
    return last


def finding(*switches: str) -> str:
    inside = on(*switches)
    if not inside:
        return "All terms are off, so the three words share alike."
    if "b" in inside and "d" in inside:
        return "Distance counts twice: once as the asking word wants it, once for any word."
    if "b" in inside:
        return "Distance counts, and how much depends on the word that asks."
    if "d" in inside:
        return "Distance counts, in the same way for every word that asks."
    return "No term knows a distance: a word would score the same in any place."


def data() -> dict[str, Any]:
    switches = tuple(TERMS)
    look = Lookup(
        {"order": ORDERS, **dict.fromkeys(switches, SWITCH)},
        {"order": "dog bites man", "a": "on", "b": "on", "c": "off", "d": "off"},
    )
    every = ("order", *switches)
    for m in range(N):
        look.text(f"word-{m}", ("order",), [order.split()[m] for order in ORDERS])
        look.cells(f"score-{m}", every, partial(seen, m), digits=1, bound=4)
    look.cells("share", every, shares)
    look.text("terms", switches, lambda *state: " + ".join(on(*state)) or "no term")
    look.text("finding", switches, finding)
    return look.data()


def score_map(view: View, words: list[str]) -> str:
    def line(m: int) -> str:
        masked = '<td class="v">masked</td>' * (N - m - 1)
        return row((head(f"{words[m]} asks", "row"), view.cells(f"score-{m}", m + 1), masked))

    return cell_table(
        map(head, ("scores", *words)),
        (
            *map(line, range(N)),
            row((head("shares of the last row", "row"), view.cells("share", N))),
        ),
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    words = [view.blank(f"word-{m}") for m in range(N)]
    gets = ", ".join(f"{word} {view.blank(f'share-{m}')}" for m, word in enumerate(words))
    rows = [
        number_row([order, label], terms(order)[name][-1], digits=1)
        for order in ORDERS
        for name, label in TERMS.items()
    ]
    return explorer(
        src,
        head="Four terms, four switches",
        controls=view.choices("order", "Sentence")
        + "".join(view.choices(name, label) for name, label in TERMS.items()),
        picture=score_map(view, words),
        says=f"Score = {view.blank('terms')}. The last word, “{words[-1]}”, attends {gets}. "
        f"{view.blank('finding')}",
        table=(
            "What each term adds in the last row, as a table",
            number_table(("sentence", "term", "first word", "second", "third"), rows),
        ),
        lines=(6, 3),
    )
