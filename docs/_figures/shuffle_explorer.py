"""Explorer: six orders of three words; do positions, a mask or more layers tell them apart?"""

from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from _figures._sentence import D_MODEL, WORDS, vectors
from posenc_ref import attention, causal_mask, sinusoidal_table

ORDERS = tuple(permutations(WORDS))
NAMES = tuple(" ".join(order) for order in ORDERS)
SWITCH = ("no", "yes")
LAYERS = ("1", "2", "3")
AXES = ("order", "positions", "mask", "layers")


@cache
def outputs(order: tuple[str, ...], positions: str, mask: str, layers: str) -> NDArray[np.floating]:
    """One row a seat: attention alone, one layer's output being the next one's input."""
    x: NDArray[np.floating] = vectors(order)
    if positions == "yes":
        x = x + sinusoidal_table(len(order), D_MODEL)
    allowed = causal_mask(len(order), len(order)) if mask == "yes" else None
    for _ in range(int(layers)):
        x = attention(x, x, x, mask=allowed)
    return x


def kept(order: tuple[str, ...], positions: str, mask: str, layers: str) -> list[bool]:
    """For each seat: has its word the output that it has in the first order?"""
    first = dict(zip(WORDS, outputs(WORDS, positions, mask, layers), strict=True))
    rows = outputs(order, positions, mask, layers)
    return [
        bool(np.allclose(row, first[word], rtol=0, atol=1e-9))
        for word, row in zip(order, rows, strict=True)
    ]


def finding(order: tuple[str, ...], positions: str, mask: str, layers: str) -> str:
    """What this state shows, in words."""
    if order == WORDS:
        return f"This is “{NAMES[0]}”, the order that the others are held against."
    same = kept(order, positions, mask, layers)
    if all(same):
        return (
            f"Each word has the output that it had in “{NAMES[0]}”, now on its new seat. "
            "The order has left no trace."
        )
    causes = {"positions": positions == "yes", "mask": mask == "yes"}
    if all(causes.values()):
        cause = "the positions and the mask give the order away"
    else:
        cause = "the positions give the order away"
        if causes["mask"]:
            cause = "the mask alone gives the order away"
    if not any(same):
        return f"No word has the output that it had in “{NAMES[0]}”: {cause}."
    (seat,) = (seat for seat, is_same in enumerate(same) if is_same)
    reason = (
        "it stands first in both orders and sees nothing but itself"
        if seat == 0
        else "it stands last in both orders, and one layer weighs the words before it as a bag"
    )
    return f"Only “{order[seat]}” keeps its output: {reason}. For the other two, {cause}."


def over_states(shown: Any) -> list[Any]:
    """A table over the four controls."""
    return [[[[shown(o, p, m, n) for n in LAYERS] for m in SWITCH] for p in SWITCH] for o in ORDERS]


def data() -> dict[str, Any]:
    look = Lookup(
        {"order": NAMES, "positions": SWITCH, "mask": SWITCH, "layers": LAYERS},
        {"order": "man bites dog", "positions": "no", "mask": "no", "layers": "1"},
    )
    for seat in range(len(WORDS)):
        look.text(f"word{seat}", ("order",), [order[seat] for order in ORDERS])
        same = over_states(lambda *state, seat=seat: SWITCH[kept(*state)[seat]])
        look.text(f"same{seat}", AXES, same)
        for column in range(D_MODEL):
            values = over_states(lambda *state, at=(seat, column): float(outputs(*state)[at]))
            look.cell(f"out{seat}{column}", AXES, values, bound=2)
    look.text("finding", AXES, over_states(finding))
    return look.data()


def summary(data: dict[str, Any]) -> str:
    """Who keeps the output, in every state: one row a setting, one column an order."""

    def who(order: int, setting: tuple[int, int, int]) -> str:
        positions, mask, layers = setting
        shown = data["shown"]
        same = [shown[f"same{s}"]["values"][order][positions][mask][layers] for s in range(3)]
        words = [shown[f"word{s}"]["values"][order] for s in range(3)]
        keep = [word for word, is_same in zip(words, same, strict=True) if is_same == "yes"]
        return {0: "none", 3: "all"}.get(len(keep), " ".join(keep))

    settings = [(p, m, n) for p in range(2) for m in range(2) for n in range(len(LAYERS))]
    rows = [
        number_row(
            [SWITCH[p], SWITCH[m], LAYERS[n], *(who(o, (p, m, n)) for o in range(1, len(ORDERS)))]
        )
        for p, m, n in settings
    ]
    return number_table(("positions", "mask", "layers", *NAMES[1:]), rows)


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    heads = ("seat", "word", "same?", *(f"dim {column}" for column in range(D_MODEL)))
    rows = [
        f"<tr><td>{seat}</td><td>{view.blank(f'word{seat}')}</td>"
        f"<td>{view.blank(f'same{seat}')}</td>"
        + "".join(view.cell(f"out{seat}{column}") for column in range(D_MODEL))
        + "</tr>"
        for seat in range(len(WORDS))
    ]
    return explorer(
        src,
        head="Shuffle, and look for the word",
        controls=view.choices("order", "Order of the words")
        + view.choices("positions", "Positions added")
        + view.choices("mask", "Causal mask")
        + view.choices("layers", "Layers of attention"),
        picture=number_table(heads, rows),
        says=view.blank("finding"),
        lines=(5, 3),
        table=("Which words keep their output, in every state", summary(data)),
    )
