"""Explorer: the four terms of a score, each of them in or out, on both orders of the sentence."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures import _sentence
from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from posenc_ref import sinusoidal_table

TERMS = {"ww": "word–word", "ws": "word–seat", "sw": "seat–word", "ss": "seat–seat"}
ORDERS = ("dog bites man", "man bites dog")  # the second is the first one backwards
SWITCH = ("in", "out")
N = 3
SEATS = range(N)
LARGEST_SCORE = 4


@cache
def four_terms(order: str) -> NDArray[np.float64]:
    """The parts of each score, shape (term, query, key), in the order of TERMS."""
    word = _sentence.vectors(order.split())
    seat = sinusoidal_table(*word.shape)
    pairs = ((word, word), (word, seat), (seat, word), (seat, seat))
    root = np.sqrt(_sentence.D_MODEL)
    terms: NDArray[np.float64] = np.array([query @ key.T / root for query, key in pairs])
    return terms


def scores(*state: str) -> NDArray[np.float64]:
    """The sum of the terms that are in, shape (query, key)."""
    *switches, order = state
    inside = [switch == "in" for switch in switches]
    total: NDArray[np.float64] = four_terms(order)[inside].sum(axis=0)
    return total


def shares(*state: str) -> NDArray[np.floating]:
    """Of the last word."""
    last: NDArray[np.floating] = _sentence.weights(scores(*state))[-1]
    return last


def left_in(*switches: str) -> str:
    names = [name for name, switch in zip(TERMS.values(), switches, strict=True) if switch == "in"]
    if not names:
        return "No term is in"
    if len(names) == len(TERMS):
        return "All four terms are in"
    return f"In: {', '.join(names)}"


def finding(*switches: str) -> str:
    """What the choice of terms means for the two orders, computed on both."""
    first, second = (scores(*switches, order) for order in ORDERS)
    if "in" not in switches:
        return "Every score is zero, so every share is one third."
    if np.allclose(second, first):
        return "The map is the same for every sentence of three words: no word counts."
    if np.allclose(second, first[::-1, ::-1]):
        distance = "Distance counts, direction does not: s" if switches[-1] == "in" else "S"
        return f"{distance}wap dog and man, and each pair of words keeps its score."
    whole = "" if "out" in switches else "This is what adding gives. "
    return f"{whole}Swap dog and man, and pairs of words get other scores: seats count."


def data() -> dict[str, Any]:
    look = Lookup(
        {**dict.fromkeys(TERMS, SWITCH), "order": ORDERS},
        {**dict.fromkeys(TERMS, "in"), "order": "dog bites man"},
    )
    switches = tuple(TERMS)
    every = (*switches, "order")
    for seat in SEATS:
        look.text(f"word-{seat}", ("order",), [order.split()[seat] for order in ORDERS])
    look.cells("score", every, scores, bound=LARGEST_SCORE)
    look.cells("share", every, shares)
    look.text("left", switches, left_in)
    look.text("finding", switches, finding)
    return look.data()


def score_map(view: View) -> str:
    def word(seat: int, scope: str, what: str) -> str:
        return view.element("th", f"word-{seat}", scope=scope, class_=what)

    return cell_table(
        (head("query ↓ key →"), *(word(key, "col", "key") for key in SEATS)),
        (
            *(row((word(m, "row", "query"), view.cells(f"score-{m}", N))) for m in SEATS),
            row(
                (head(f"shares of {view.sentence(f'word-{N - 1}')}", "row"), view.cells("share", N))
            ),
        ),
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = []
    for order in ORDERS:
        *_, last = order.split()
        for key, parts in zip(order.split(), four_terms(order)[:, -1].T, strict=True):
            rows.append(number_row([f"{last} to {key}"], [*parts, parts.sum()], 3))
    gets = [f"{view.blank(f'word-{seat}')} {view.blank(f'share-{seat}')}" for seat in SEATS]
    return explorer(
        src,
        head="Four terms, in or out",
        controls="".join(view.choices(term, name) for term, name in TERMS.items())
        + view.choices("order", "Sentence"),
        picture=score_map(view),
        says=f"{view.sentence('left')}. The last word, {view.blank(f'word-{N - 1}')}, attends "
        f"{', '.join(gets)}. {view.sentence('finding')}",
        table=(
            "The terms of the last word's scores, as a table",
            number_table(("last word to key", *TERMS.values(), "score"), rows),
        ),
        lines=(7, 4),
    )
