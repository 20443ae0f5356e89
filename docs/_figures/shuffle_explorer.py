"""Explorer: six orders of three words; do positions, a mask or more layers tell them apart?"""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._sentence import D_MODEL, ORDERS, WORDS, attend, vectors
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from posenc_ref import sinusoidal_table

FIRST = ORDERS[0]
SWITCH = ("no", "yes")
LAYERS = (1, 2, 3)
AXES = ("order", "positions", "mask", "layers")


@cache
def outputs(order: str, positions: str, mask: str, layers: int) -> NDArray[np.floating]:
    """One row a seat: attention alone, one layer's output being the next one's input."""
    x: NDArray[np.floating] = vectors(order.split())
    if positions == "yes":
        x = x + sinusoidal_table(len(x), D_MODEL)
    return attend(x, layers, causal=mask == "yes")


def kept(order: str, positions: str, mask: str, layers: int) -> list[bool]:
    """For each seat: has its word the output that it has in the first order?"""
    first = dict(zip(WORDS, outputs(FIRST, positions, mask, layers), strict=True))
    rows = outputs(order, positions, mask, layers)
    return [
        bool(np.allclose(row, first[word], rtol=0, atol=1e-9))
        for word, row in zip(order.split(), rows, strict=True)
    ]


def finding(order: str, positions: str, mask: str, layers: int) -> str:
    """What this state shows, in words."""
    if order == FIRST:
        return f"This is “{FIRST}”, the order that the others are held against."
    same = kept(order, positions, mask, layers)
    if all(same):
        return (
            f"Each word has the output that it had in “{FIRST}”, now on its new seat. "
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
        return f"No word has the output that it had in “{FIRST}”: {cause}."
    (seat,) = (seat for seat, is_same in enumerate(same) if is_same)
    reason = (
        "it stands first in both orders and sees nothing but itself"
        if seat == 0
        else "it stands last in both orders, and one layer weighs the words before it as a bag"
    )
    return f"Only “{order.split()[seat]}” keeps its output: {reason}. For the other two, {cause}."


def data() -> dict[str, Any]:
    look = Lookup(
        {"order": ORDERS, "positions": SWITCH, "mask": SWITCH, "layers": LAYERS},
        {"order": "man bites dog", "positions": "no", "mask": "no", "layers": "1"},
    )
    for seat in range(len(WORDS)):
        look.text(f"word{seat}", ("order",), [order.split()[seat] for order in ORDERS])
        look.text(f"same{seat}", AXES, lambda *state, seat=seat: SWITCH[kept(*state)[seat]])
    look.cells("out", AXES, outputs, bound=2)
    look.text("finding", AXES, finding)
    return look.data()


def summary() -> str:
    """Who keeps the output, in every state: one row a setting, one column an order."""

    def who(order: str, *setting: Any) -> str:
        same = kept(order, *setting)
        keep = [word for word, is_same in zip(order.split(), same, strict=True) if is_same]
        return {0: "none", len(WORDS): "all"}.get(len(keep), " ".join(keep))

    orders = ORDERS[1:]
    rows = [
        number_row([*map(str, setting), *(who(order, *setting) for order in orders)])
        for setting in product(SWITCH, SWITCH, LAYERS)
    ]
    return number_table(("positions", "mask", "layers", *orders), rows)


def outputs_table(view: View) -> str:
    def line(seat: int) -> str:
        words = (str(seat), view.blank(f"word{seat}"), view.blank(f"same{seat}"))
        return row((*(f"<td>{word}</td>" for word in words), view.cells(f"out-{seat}", D_MODEL)))

    heads = ("seat", "word", "same?", *(f"dim {column}" for column in range(D_MODEL)))
    return cell_table(map(head, heads), map(line, range(len(WORDS))))


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    return explorer(
        src,
        head="Shuffle, and look for the word",
        controls=view.choices("order", "Order of the words")
        + view.choices("positions", "Positions added")
        + view.choices("mask", "Causal mask")
        + view.choices("layers", "Layers of attention"),
        picture=outputs_table(view),
        says=view.blank("finding"),
        lines=(5, 3),
        table=("Which words keep their output, in every state", summary()),
    )
