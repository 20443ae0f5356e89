"""Stepper: a token vector and a position vector are added; then the same word on another seat."""

from typing import Any

import numpy as np

from _figures._sentence import DOG
from _hooks.draw import Frame, card, cells, numbers, slots, text
from posenc_ref import sinusoidal_table

ROW_X = 98
TOKEN_Y, POSITION_Y, SUM_Y = 86, 136, 198


def data() -> dict[str, Any]:
    table = sinusoidal_table(3, 4)
    return {
        "dog": list(DOG),
        "position": table.tolist(),
        "sum": (table + np.array(DOG)).tolist(),
    }


def seats(alt: str, order: tuple[str, str, str] = ("dog", "bites", "man")) -> Frame:
    """Three cards on their seats, above the empty places of three rows."""
    empty = "".join(slots(4, y=y - TOKEN_Y) for y in (TOKEN_Y, POSITION_Y, SUM_Y))
    frame = Frame(alt, 262).put("slots", ROW_X, TOKEN_Y, empty)
    for seat, word in enumerate(order):
        x = 14 + 118 * seat
        frame.put(word, x, 12, card(word, "token" if word == "dog" else ""))
        frame.put(f"seat{seat}", x + 48, 62, text(0, 0, f"seat {seat}", "small mid"))
    return frame


def row(
    frame: Frame, key: str, y: float, name: str, values: list[float], what: str, enter: str
) -> None:
    frame.put(key, ROW_X, y, text(-86, 22, name, "small") + cells(values, what), enter=enter)


def frames(data: dict[str, Any]) -> list[Frame]:
    def token_row(frame: Frame) -> Frame:
        row(frame, "token", TOKEN_Y, "“dog”", data["dog"], "token", "dog")
        return frame

    def position_row(frame: Frame, seat: int) -> Frame:
        values = data["position"][seat]
        row(frame, f"at{seat}", POSITION_Y, f"seat {seat}", values, "position", f"seat{seat}")
        return frame

    def sum_row(frame: Frame, seat: int) -> Frame:
        line = text(-22, -7, "+", "strong") + '<path class="line" d="M-86 32H252"/>'
        frame.put("plus", ROW_X, 152, line)
        row(frame, f"sum{seat}", SUM_Y, "input", data["sum"][seat], "sum", f"at{seat}")
        return frame

    swapped = ("man", "bites", "dog")
    first, last = data["sum"][0], data["sum"][2]
    finding = sum_row(
        position_row(token_row(seats(f"The sum is now {numbers(last)}.", swapped)), 2), 2
    )
    was = f"on seat 0 it was {numbers(first, 0)}"
    finding.put("was", ROW_X, 252, text(0, 0, was, "small"))
    return [
        seats("Three word cards, dog, bites and man, on seats 0, 1 and 2."),
        token_row(seats(f"The card dog has opened into its vector {numbers(data['dog'])}.")),
        position_row(
            token_row(seats(f"Below it, the vector of seat 0: {numbers(data['position'][0])}.")), 0
        ),
        sum_row(position_row(token_row(seats(f"The sum of both rows: {numbers(first)}.")), 0), 0),
        position_row(
            token_row(
                seats(
                    "dog and man have changed seats. The vector of dog is the same; "
                    f"the position vector is that of seat 2: {numbers(data['position'][2])}.",
                    swapped,
                )
            ),
            2,
        ),
        finding,
    ]
