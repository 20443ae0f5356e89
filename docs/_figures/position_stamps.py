"""Explorer: the shares of the last word under four stamps, and with the other two words swapped."""

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures import _sentence
from _figures._lookup import Lookup, View, explorer
from _hooks.draw import card, text
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
ORDERS = tuple(permutations(_sentence.WORDS))
SLOPE = 0.5
LINES = 2  # the chosen order, and the one with the first two words swapped
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


def swapped(words: tuple[str, ...]) -> tuple[str, ...]:
    first, second, last = words
    return second, first, last


def finding(stamp: str, words: tuple[str, ...]) -> str:
    first, second, _ = words
    here, there = shares(stamp, words), shares(stamp, swapped(words))
    if np.allclose(here, there[[1, 0, 2]]):
        return "each word keeps its share, so the order leaves no trace in them"
    return (
        f"{first} gets {there[1]:.3f} where it had {here[0]:.3f}, "
        f"{second} {there[0]:.3f} where it had {here[1]:.3f}. The order shows"
    )


def data() -> dict[str, Any]:
    names = [" ".join(words) for words in ORDERS]
    look = Lookup(
        {"stamp": list(STAMPS), "order": names}, {"stamp": "none", "order": "dog bites man"}
    )
    both = ("stamp", "order")
    look.text("what", ("stamp",), [said for _, said in STAMPS.values()])
    look.text("finding", both, [[finding(stamp, words) for words in ORDERS] for stamp in STAMPS])
    look.text("sentence", ("order",), names)
    for seat, name in enumerate(("first", "second", "last")):
        look.text(name, ("order",), [words[seat] for words in ORDERS])
        values = [[shares(stamp, words)[seat] for words in ORDERS] for stamp in STAMPS]
        look.number(f"{name}-share", both, values)
    for line in range(LINES):
        lines = [words if line == 0 else swapped(words) for words in ORDERS]
        for word in _sentence.WORDS:
            values = [
                [shares(stamp, words)[words.index(word)] for words in lines] for stamp in STAMPS
            ]
            seats = [words.index(word) for words in lines]
            places = [[8 + PITCH * seat, TOP + LINE * line] for seat in seats]
            look.move(f"{word}-{line}", ("order",), places)
            look.scale(f"bar-{word}-{line}", both, [[[v, 1] for v in row] for row in values])
            look.number(f"share-{word}-{line}", both, values)
    for i, words in enumerate(ORDERS):
        for word in _sentence.WORDS:
            column = [shares(stamp, words)[words.index(word)] for stamp in STAMPS]
            look.cell(f"row-{i}-{word}", ("stamp",), column)
    return look.data()


def drawing(view: View) -> str:
    parts = []
    for line in range(LINES):
        y = TOP + LINE * line
        parts.append(text(8, y - 22, ("this order", "the first two swapped")[line], "strong"))
        for seat in range(3):
            words = f"seat {seat}" + (", asks" if seat == 2 else "")
            parts.append(text(8 + PITCH * seat + BAR / 2, y - 6, words, "small mid"))
        for word in _sentence.WORDS:
            bar = view.group(
                f"bar-{word}-{line}", f'<rect class="bars token" width="{BAR}" height="12"/>'
            )
            share = (
                f'<text x="{BAR / 2}" y="66" class="num" data-k="share-{word}-{line}">'
                f"{view.words(f'share-{word}-{line}')}</text>"
            )
            inner = (
                card(word, "token", width=BAR, height=28)
                + f'<rect class="slot" y="36" width="{BAR}" height="12"/>'
                + f'<g transform="translate(0,36)">{bar}</g>{share}'
            )
            parts.append(view.group(f"{word}-{line}", inner))
    return (
        '<svg class="wide" viewBox="0 0 360 232" role="img" aria-label="Three word cards on seats '
        "0, 1 and 2, each with a bar for the share of attention that the last word gives it; "
        'below, the same with the first two words swapped.">' + "".join(parts) + "</svg>"
    )


def shares_by_order(view: View) -> str:
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("order", *_sentence.WORDS))
    rows = "".join(
        f"<tr><td>{' '.join(words)}</td>"
        + "".join(view.cell(f"row-{i}-{word}") for word in _sentence.WORDS)
        + "</tr>"
        for i, words in enumerate(ORDERS)
    )
    return (
        f'<div class="numbers"><table class="values"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    shown = {name: view.blank(name) for name in data["shown"] if "-" not in name}
    share = {name: view.blank(f"{name}-share") for name in ("first", "second", "last")}
    return explorer(
        src,
        head="One sentence, four stamps",
        controls=view.choices("stamp", "Stamp", [name for name, _ in STAMPS.values()])
        + view.choices("order", "Order of the words"),
        picture=drawing(view),
        says=f"{shown['what']} In “{shown['sentence']}” the last word gives {shown['first']} "
        f"{share['first']}, {shown['second']} {share['second']} and itself, {shown['last']}, "
        f"{share['last']}. With the first two words swapped, {shown['finding']}.",
        table=(
            "Shares of the last word under this stamp, in all six orders",
            shares_by_order(view),
        ),
        lines=(7, 4),
    )
