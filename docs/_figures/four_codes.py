"""Stepper: seat 5 is stamped four ways; when the text grows, one of the stamps changes."""

from typing import Any

import numpy as np

from _figures.code_explorer import CODES, D_MODEL
from _hooks.draw import Frame, cells, numbers, slots, text

SEAT = 5
SHORT, LONG = 10, 1000
ROW_X, TOP, PITCH = 98, 34, 60
VERDICTS = {
    "integer": "grows without end",
    "fraction": "changes with the text",
    "bits": "from 7 to 8 every bit flips",
    "waves": "every step is the same turn",
}
DIGITS = {"integer": 0, "fraction": 3, "bits": 0, "waves": 3}


def data() -> dict[str, Any]:
    seat = np.array([float(SEAT)])
    return {
        str(n): {name: code(seat, n)[0].tolist() for name, code in CODES.items()}
        for n in (SHORT, LONG)
    }


def frames(data: dict[str, Any]) -> list[Frame]:
    def picture(alt: str, n_tokens: int, stamped: int, judged: int) -> Frame:
        frame = Frame(alt, 276)
        frame.put("seat", 14, 18, text(0, 0, f"seat {SEAT} of a text of {n_tokens}", "strong"))
        for k, name in enumerate(CODES):
            y = TOP + PITCH * k
            empty = text(-84, 20, name, "small") + slots(D_MODEL, height=30)
            frame.put(f"slots-{name}", ROW_X, y, empty)
            if k < stamped:
                values = cells(
                    data[str(n_tokens)][name], "position", height=30, digits=DIGITS[name]
                )
                frame.put(f"row-{name}", ROW_X, y, values, enter="seat")
            if k < judged:
                frame.put(f"says-{name}", ROW_X, y + 45, text(0, 0, VERDICTS[name], "small"))
        return frame

    short, long = data[str(SHORT)], data[str(LONG)]
    return [
        picture("Four empty rows of four numbers: integer, fraction, bits, waves.", SHORT, 0, 0),
        picture(f"Integer: {numbers(short['integer'], 0)}. It grows without end.", SHORT, 1, 1),
        picture(f"Fraction: {numbers(short['fraction'], 3)}, between zero and one.", SHORT, 2, 1),
        picture(
            f"The text has grown to {LONG} tokens. The fraction of seat {SEAT} is now "
            f"{numbers(long['fraction'], 3)}; the integer is the same.",
            LONG,
            2,
            2,
        ),
        picture(
            f"Bits, lowest first: {numbers(long['bits'], 0)}. From seat 7 to 8 every bit flips.",
            LONG,
            3,
            3,
        ),
        picture(f"Waves: {numbers(long['waves'], 3)}. Every step is the same turn.", LONG, 4, 4),
    ]
