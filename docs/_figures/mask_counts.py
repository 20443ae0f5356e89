"""Stepper: under a causal mask the share of the first token says how many tokens a word can see."""

from typing import Any

import numpy as np

from _figures._sentence import weights
from _hooks.draw import Frame, card, cell, number, numbers, slots, text
from posenc_ref import causal_mask

WORDS = ("BOS", "dog", "bites", "man", "again")
LEFT, TOP, ROW, PITCH = 74, 38, 40, 44


def data() -> dict[str, Any]:
    n = len(WORDS)
    equal = np.where(causal_mask(n, n), 0.0, -np.inf)
    return {"share": weights(equal).tolist()}


def frames(data: dict[str, Any]) -> list[Frame]:
    def picture(alt: str, rows: int, marked: bool = False, read: bool = False) -> Frame:
        frame = Frame(alt, 244)
        for j, word in enumerate(WORDS):
            x = LEFT + PITCH * j + 20
            what = "position" if word == "BOS" else "key"
            frame.put(f"head-{word}", x, 26, text(0, 0, word, f"small mid strong {what}"))
        for m, word in enumerate(WORDS):
            y = TOP + ROW * m
            frame.put(f"row-{word}", 4, y, card(word, "query", width=62, height=32))
            frame.put(f"slots{m}", LEFT, y, slots(m + 1, pitch=PITCH, height=32))
            if m < rows:
                for j, share in enumerate(data["share"][m][: m + 1]):
                    first = marked and j == 0
                    shown = number(share, 2)
                    frame.put(
                        f"share{m}-{j}",
                        LEFT + PITCH * j,
                        y,
                        cell(0, share, "position" if first else "", 40, 32, shown),
                        enter=f"row-{word}",
                    )
            if read:
                seat = round(1 / data["share"][m][0]) - 1
                frame.put(f"read{m}", 330, y, text(0, 21, seat, "mid strong"), enter=f"share{m}-0")
        if read:
            frame.put("read", 326, 26, text(0, 0, "1/share − 1", "small mid"))
        return frame

    column = numbers((row[0] for row in data["share"]), 2)
    return [
        picture("Five tokens as rows, and empty places only for what each may see.", 0),
        picture("The first row is filled: BOS gives itself the share 1.", 1),
        picture("The second row is filled: BOS and dog get one half each.", 2),
        picture("All rows are filled; in each row the shares are equal.", 5),
        picture(f"The column of BOS is marked. It reads {column}.", 5, True),
        picture(
            "Beside each row stands one over its first share, less one: 0 to 4.", 5, True, True
        ),
    ]
