"""Explorer: the four terms of a score, each of them in or out, on both orders of the sentence."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures import _sentence
from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from posenc_ref import sinusoidal_table

TERMS = {"ww": "word–word", "ws": "word–seat", "sw": "seat–word", "ss": "seat–seat"}
ORDERS = (("dog", "bites", "man"), ("man", "bites", "dog"))
CHOICES = ("in", "out")
SEATS = range(3)
STATE = (*TERMS, "order")
LARGEST_SCORE = 4


def four_terms(words: tuple[str, ...]) -> NDArray[np.float64]:
    """The parts of each score, shape (term, query, key), in the order of TERMS."""
    word, seat = _sentence.vectors(words), sinusoidal_table(len(words), _sentence.D_MODEL)
    pairs = ((word, word), (word, seat), (seat, word), (seat, seat))
    root = np.sqrt(_sentence.D_MODEL)
    terms: NDArray[np.float64] = np.array([query @ key.T / root for query, key in pairs])
    return terms


def left_in(inside: tuple[bool, ...]) -> str:
    names = [name for name, there in zip(TERMS.values(), inside, strict=True) if there]
    if not names:
        return "No term is in"
    if len(names) == len(TERMS):
        return "All four terms are in"
    return f"In: {', '.join(names)}"


def finding(inside: tuple[bool, ...]) -> str:
    """What the choice of terms means for the two orders, computed on both."""
    first, second = (four_terms(order)[list(inside)].sum(axis=0) for order in ORDERS)
    # The second order is the first one backwards.
    pairs_keep_scores = np.allclose(second, first[::-1, ::-1])
    map_stays = np.allclose(second, first)
    if not any(inside):
        return "Every score is zero, so every share is one third."
    if map_stays:
        return "The map is the same for every sentence of three words: no word counts."
    if pairs_keep_scores:
        distance = "Distance counts, direction does not: s" if inside[3] else "S"
        return f"{distance}wap dog and man, and each pair of words keeps its score."
    whole = "This is what adding gives. " if all(inside) else ""
    return f"{whole}Swap dog and man, and pairs of words get other scores: seats count."


def data() -> dict[str, Any]:
    sizes = (2,) * len(TERMS) + (len(ORDERS),)
    scores = np.zeros((*sizes, 3, 3))
    left = np.empty(sizes[:-1], dtype=object)
    found = np.empty(sizes[:-1], dtype=object)
    for state in product(range(2), repeat=len(TERMS)):
        inside = tuple(CHOICES[choice] == "in" for choice in state)
        left[state], found[state] = left_in(inside), finding(inside)
        for k, order in enumerate(ORDERS):
            scores[*state, k] = four_terms(order)[list(inside)].sum(axis=0)
    shares = np.array([_sentence.weights(row) for row in scores.reshape(-1, 3, 3)])
    last = shares.reshape(scores.shape)[..., -1, :]

    look = Lookup(
        {**dict.fromkeys(TERMS, CHOICES), "order": [" ".join(order) for order in ORDERS]},
        {**dict.fromkeys(TERMS, "in"), "order": "dog bites man"},
    )
    for seat in SEATS:
        names = [order[seat] for order in ORDERS]
        look.text(f"key-{seat}", ("order",), names)
        look.text(f"query-{seat}", ("order",), names)
        look.text(f"said-{seat}", ("order",), names)
        look.cell(f"share-{seat}", STATE, last[..., seat])
        look.number(f"gets-{seat}", STATE, last[..., seat])
        for key in SEATS:
            values = scores[..., seat, key]
            look.cell(f"score-{seat}-{key}", STATE, values, bound=LARGEST_SCORE)
    look.text("last", ("order",), [order[-1] for order in ORDERS])
    look.text("last-row", ("order",), [f"shares of {order[-1]}" for order in ORDERS])
    look.text("left", tuple(TERMS), left.tolist())
    look.text("finding", tuple(TERMS), found.tolist())
    return look.data()


def score_map(view: View) -> str:
    def head(name: str, scope: str, what: str = "") -> str:
        return f'<th scope="{scope}" class="{what}" data-k="{name}">{view.words(name)}</th>'

    keys = "".join(head(f"key-{seat}", "col", "key") for seat in SEATS)
    rows = "".join(
        f"<tr>{head(f'query-{seat}', 'row', 'query')}"
        f"{''.join(view.cell(f'score-{seat}-{key}') for key in SEATS)}</tr>"
        for seat in SEATS
    )
    shares = "".join(view.cell(f"share-{seat}") for seat in SEATS)
    return (
        '<table class="values"><thead><tr><th scope="col">query ↓ key →</th>'
        f"{keys}</tr></thead><tbody>{rows}"
        f"<tr>{head('last-row', 'row')}{shares}</tr></tbody></table>"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = []
    for order in ORDERS:
        terms = four_terms(order)[:, -1]
        for key, parts in zip(order, terms.T, strict=True):
            rows.append(number_row([f"{order[-1]} to {key}"], [*parts, parts.sum()], 3))

    gets = [f"{view.blank(f'said-{seat}')} {view.blank(f'gets-{seat}')}" for seat in SEATS]
    return explorer(
        src,
        head="Four terms, in or out",
        controls="".join(view.choices(term, name) for term, name in TERMS.items())
        + view.choices("order", "Sentence"),
        picture=score_map(view),
        says=f"{view.sentence('left')}. The last word, {view.blank('last')}, attends "
        f"{gets[0]}, {gets[1]}, {gets[2]}. {view.sentence('finding')}",
        table=(
            "The terms of the last word's scores, as a table",
            number_table(("last word to key", *TERMS.values(), "score"), rows),
        ),
        lines=(7, 4),
    )
