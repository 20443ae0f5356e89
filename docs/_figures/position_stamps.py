"""Explorer: the shares of the last word under four stamps, and with the other two words swapped."""

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures import _sentence
from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._tables import cell_table, head, row
from _figures._view import View
from _hooks.draw import card, number, svg, text
from posenc_ref import (
    alibi_bias_at,
    apply_rotary,
    rotary_cos_sin,
    rotary_inv_freq,
    sinusoidal_table,
)

STAMPS = {
    "none": ("None", "No stamp."),
    "sinusoidal": ("Sinusoidal", "A row of waves is added to each word."),
    "rope": ("RoPE", "Queries and keys turn with the seat."),
    "alibi": ("ALiBi, slope ½", "Each seat of distance takes 0.5 off the score."),
}
SEATS = ("first", "second", "last")
SLOPE = 0.5
LINES = ("this order", "the first two swapped")
PITCH, TOP, LINE, BAR = 122, 40, 116, 104


def shares(stamp: str, words: tuple[str, ...]) -> NDArray[np.floating]:
    """How the last word shares its attention out, seat by seat."""
    x: NDArray[np.floating] = _sentence.vectors(words)
    n_seats, d_model = x.shape
    seats = np.arange(n_seats)
    if stamp == "sinusoidal":
        x = x + sinusoidal_table(n_seats, d_model)
    if stamp == "rope":
        rotation = rotary_cos_sin(seats, rotary_inv_freq(d_model))
        x = apply_rotary(x, rotation, layout="interleaved")
    scores = x @ x.T / np.sqrt(d_model)
    if stamp == "alibi":
        scores = scores + alibi_bias_at([SLOPE], seats, seats)[0]
    last: NDArray[np.floating] = _sentence.weights(scores)[-1]
    return last


def swapped(order: str) -> str:
    first, second, last = order.split()
    return f"{second} {first} {last}"


def in_line(line: int, order: str) -> str:
    """The chosen order in the first line, and in the second with its first two words swapped."""
    return swapped(order) if line else order


@cache
def seat_shares(stamp: str, order: str) -> NDArray[np.floating]:
    return shares(stamp, tuple(order.split()))


def share(word: str, line: int, stamp: str, order: str) -> float:
    words = in_line(line, order)
    return float(seat_shares(stamp, words)[words.split().index(word)])


def bar(word: str, line: int, stamp: str, order: str) -> tuple[float, int]:
    return share(word, line, stamp, order), 1


def place(word: str, line: int, order: str) -> tuple[int, int]:
    return 8 + PITCH * in_line(line, order).split().index(word), TOP + LINE * line


def finding(stamp: str, order: str) -> str:
    first, second, _ = order.split()
    here, there = seat_shares(stamp, order), seat_shares(stamp, swapped(order))
    if np.allclose(here, there[[1, 0, 2]]):
        return "each word keeps its share, so the order leaves no trace in them"
    return (
        f"{first} gets {number(there[1])} where it had {number(here[0])}, "
        f"{second} {number(there[0])} where it had {number(here[1])}. The order shows"
    )


def data() -> dict[str, Any]:
    look = Lookup(
        {"stamp": STAMPS, "order": _sentence.ORDERS}, {"stamp": "none", "order": "dog bites man"}
    )
    both = ("stamp", "order")
    look.text("what", ("stamp",), [said for _, said in STAMPS.values()])
    look.text("finding", both, finding)
    look.echo("sentence", "order")
    for seat, name in enumerate(SEATS):
        look.text(name, ("order",), [order.split()[seat] for order in _sentence.ORDERS])
        look.number(f"{name}-share", both, lambda *state, seat=seat: seat_shares(*state)[seat])
    for word in _sentence.WORDS:
        for line in range(len(LINES)):
            look.move(f"{word}-{line}", ("order",), partial(place, word, line))
            look.scale(f"bar-{word}-{line}", both, partial(bar, word, line))
            look.number(f"share-{word}-{line}", both, partial(share, word, line))
        for i, order in enumerate(_sentence.ORDERS):
            look.cell(f"row-{i}-{word}", ("stamp",), partial(share, word, 0, order=order))
    return look.data()


def word_card(view: View, word: str, line: int) -> str:
    """A card with a bar for its share; it moves from seat to seat."""
    full = f'<rect class="bars token" width="{BAR}" height="12"/>'
    inner = (
        card(word, "token", width=BAR, height=28)
        + f'<rect class="slot" y="36" width="{BAR}" height="12"/>'
        + f'<g transform="translate(0,36)">{view.group(f"bar-{word}-{line}", full)}</g>'
        + view.text(f"share-{word}-{line}", BAR / 2, 66, "num")
    )
    return view.group(f"{word}-{line}", inner)


def drawing(view: View) -> str:
    parts = []
    for line, title in enumerate(LINES):
        y = TOP + LINE * line
        parts.append(text(8, y - 22, title, "strong"))
        for seat in range(len(SEATS)):
            words = f"seat {seat}" + (", asks" if seat == 2 else "")
            parts.append(text(8 + PITCH * seat + BAR / 2, y - 6, words, "small mid"))
        parts += [word_card(view, word, line) for word in _sentence.WORDS]
    return svg(
        "Three word cards on seats 0, 1 and 2, each with a bar for the share of attention that "
        "the last word gives it; below, the same with the first two words swapped.",
        232,
        "".join(parts),
        "wide",
    )


def shares_by_order(view: View) -> str:
    return cell_table(
        map(head, ("order", *_sentence.WORDS)),
        (
            row((f"<td>{order}</td>", *(view.cell(f"row-{i}-{word}") for word in _sentence.WORDS)))
            for i, order in enumerate(_sentence.ORDERS)
        ),
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    first, second = (f"{view.blank(name)} {view.blank(f'{name}-share')}" for name in SEATS[:-1])
    return explorer(
        src,
        head="One sentence, four stamps",
        controls=view.choices("stamp", "Stamp", [name for name, _ in STAMPS.values()])
        + view.choices("order", "Order of the words"),
        picture=drawing(view),
        says=f"{view.blank('what')} In “{view.blank('sentence')}” the last word gives {first}, "
        f"{second} and itself, {view.blank('last')}, {view.blank('last-share')}. With the first "
        f"two words swapped, {view.blank('finding')}.",
        table=(
            "Shares of the last word under this stamp, in all six orders",
            shares_by_order(view),
        ),
        lines=(7, 4),
    )
