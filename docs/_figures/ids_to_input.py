"""Stepper: from token ids and positions to the input of the first layer, and the other way in."""

from typing import Any

from _figures import _sentence
from _hooks.draw import Frame, card, cell, text
from posenc_ref import sinusoidal_table

IDS = {"dog": 2, "bites": 0, "man": 1}  # rows of a toy vocabulary of three words
LEFT, PITCH, WIDTH = 92, 90, 84
WORD_Y, ID_Y, TOKEN_Y, SEAT_Y, POSITION_Y, SUM_Y = 8, 46, 80, 128, 160, 214


def data() -> dict[str, Any]:
    tokens = _sentence.vectors()
    positions = sinusoidal_table(len(tokens), _sentence.D_MODEL)
    return {
        "ids": [IDS[word] for word in _sentence.WORDS],
        "token": tokens.tolist(),
        "position": positions.tolist(),
        "input": (tokens + positions).tolist(),
    }


def strip(values: list[float], what: str) -> str:
    """A row of the table, one shaded cell a number."""
    return "".join(cell(21 * j, value, what, 20, 22) for j, value in enumerate(values))


def small_box(words: object, what: str) -> str:
    box = f'<rect class="box {what}" width="36" height="22" rx="4"/>'
    return box + text(18, 16, words, "num")


def frames(data: dict[str, Any]) -> list[Frame]:
    words = _sentence.WORDS

    def x(seat: int) -> float:
        return LEFT + PITCH * seat

    def start(alt: str) -> Frame:
        frame = Frame(alt, 270)
        empty = "".join(
            f'<rect class="slot" x="{x(seat)}" y="{y}" width="{WIDTH - 1}" height="22" rx="3"/>'
            for y in (TOKEN_Y, POSITION_Y, SUM_Y)
            for seat in range(3)
        )
        frame.put("slots", 0, 0, empty)
        frame.put("id-name", 6, ID_Y + 16, text(0, 0, "token id", "small"))
        for seat, word in enumerate(words):
            frame.put(word, x(seat), WORD_Y, card(word, "token", width=WIDTH, height=28))
            frame.put(f"id{seat}", x(seat) + 24, ID_Y, small_box(data["ids"][seat], "token"))
        return frame

    def rows(frame: Frame, key: str, y: float, name: str, what: str, enter: str) -> Frame:
        frame.put(f"{key}-name", 6, y + 16, text(0, 0, name, "small"))
        for seat in range(3):
            inner = strip(data[key][seat], what)
            frame.put(f"{key}{seat}", x(seat), y, inner, enter=f"{enter}{seat}")
        return frame

    def tokens(alt: str) -> Frame:
        return rows(start(alt), "token", TOKEN_Y, "token row", "token", "id")

    def seats(alt: str) -> Frame:
        frame = tokens(alt)
        frame.put("seat-name", 6, SEAT_Y + 16, text(0, 0, "position", "small"))
        for seat in range(3):
            frame.put(f"seat{seat}", x(seat) + 24, SEAT_Y, small_box(seat, "position"))
        return frame

    def placed(alt: str) -> Frame:
        return rows(seats(alt), "position", POSITION_Y, "position row", "position", "seat")

    def summed(alt: str) -> Frame:
        frame = rows(placed(alt), "input", SUM_Y, "input", "sum", "position")
        for seat in range(3):
            frame.put(f"plus{seat}", x(seat) + WIDTH / 2, SUM_Y - 9, text(0, 0, "+", "mid strong"))
        frame.put("into", 180, 260, text(0, 0, "3 rows of 4 numbers enter the first layer", "mid"))
        return frame

    other = seats(
        "No position row is added. The token rows alone are the input; the positions are "
        "kept for the attention layers."
    )
    other.put("input-name", 6, SUM_Y + 16, text(0, 0, "input", "small"))
    for seat in range(3):
        other.put(f"input{seat}", x(seat), SUM_Y, strip(data["token"][seat], "sum"))
    other.put("into", 180, 260, text(0, 0, "positions wait for the attention layers", "mid"))
    return [
        start("Three cards, dog, bites and man, with the token ids 2, 0 and 1 below them."),
        tokens("Each id has become a row of four shaded cells."),
        placed("Below, the positions 0, 1 and 2, and for each a row of four cells of its own."),
        summed("Each token row and the position row below it add up to a row of the input."),
        other,
    ]
