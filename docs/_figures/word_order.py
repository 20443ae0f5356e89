"""Stepper of the home page: two sentences hold equal vectors; then seats leave their mark."""

from typing import Any

from _hooks.draw import Frame, card, cell, text
from posenc_ref import sinusoidal_table

LINES = (("dog", "bites", "man"), ("man", "bites", "dog"))
# Toy embeddings, as good as any.
WORDS = {"dog": [1.0, 0.0, 1.0, 0.0], "bites": [0.0, -1.0, 0.6, -0.6], "man": [-0.8, 0.8, 0.0, 1.0]}


def data() -> dict[str, Any]:
    table = sinusoidal_table(3, 4)
    placed = [
        [(WORDS[word] + table[seat]).tolist() for seat, word in enumerate(line)] for line in LINES
    ]
    return {"lines": LINES, "token": WORDS, "placed": placed}


def strip(values: list[float], what: str) -> str:
    return "".join(cell(24 * j, value, what, 22, 22) for j, value in enumerate(values))


def frames(data: dict[str, Any]) -> list[Frame]:
    def picture(alt: str, seated: bool, words: str) -> Frame:
        frame = Frame(alt, 274)
        for line, order in enumerate(data["lines"]):
            top = 14 + 152 * line
            for seat, word in enumerate(order):
                x = 16 + 116 * seat
                values = data["placed"][line][seat] if seated else data["token"][word]
                what = ("sum" if seated else "token") + (" bold" if word == "dog" else "")
                frame.put(
                    f"{word}{line}",
                    x,
                    top,
                    card(word, "token" if word == "dog" else "", width=94, height=30),
                )
                frame.put(f"vector-{word}{line}", x, top + 40, strip(values, what))
                if seated:
                    badge = '<circle r="11" class="box position"/>' + text(
                        0, 4.5, seat, "small mid"
                    )
                    frame.put(f"seat{line}{seat}", x + 47, top + 82, badge, enter=f"{word}{line}")
        frame.put("finding" + str(seated), 180, 136, text(0, 0, words, "mid strong"))
        return frame

    return [
        picture(
            "dog bites man, and below it man bites dog. Each word has the same vector in both.",
            False,
            "dog = dog: the same bag of vectors",
        ),
        picture(
            "The seat is added to each vector. dog on seat 0 now differs from dog on seat 2.",
            True,
            "dog on 0 ≠ dog on 2",
        ),
    ]
