"""Stepper: patches numbered in one row, then by row and column, each with a hand of its own."""

from math import cos
from typing import Any

import numpy as np

from _hooks.draw import Frame, face, hand, near, number, text
from posenc_ref import axial_rotary, grid_positions

SIDE, PITCH, SQUARE = 3, 48, 44
LEFT, TOP = 8, 34
DIALS = {"row": 214, "column": 310}
DIAL_Y, RADIUS = 104, 38
MEMORY_Y, SLIT = 208, 38  # the row of all patches
HEIGHT = 244
KEYS = {"start": (0, 0), "right": (0, 1), "down": (2, 1), "across": (1, 2)}


def data() -> dict[str, Any]:
    places = grid_positions(SIDE, SIDE)
    rotation = axial_rotary(
        list(KEYS.values()), 4, 10000, frequencies="shared", order="blocks"
    )  # one pair an axis, one radian a step
    return {
        "places": places.tolist(),
        "turns": dict(zip(KEYS, np.arctan2(rotation.sin, rotation.cos).tolist(), strict=True)),
        "score": dict(zip(KEYS, rotation.cos.sum(axis=1).tolist(), strict=True)),
    }


def frames(data: dict[str, Any]) -> list[Frame]:
    def patch(frame: Frame, index: int, words: str, what: str) -> None:
        row, column = divmod(index, SIDE)
        box = f'<rect class="{what}" width="{SQUARE}" height="{SQUARE}" rx="4"/>'
        frame.put(
            f"patch{index}",
            LEFT + PITCH * column,
            TOP + PITCH * row,
            box + text(SQUARE / 2, SQUARE / 2 + 5, words, "small mid strong"),
        )

    def in_memory(frame: Frame, words: list[str], lit: tuple[int, ...]) -> None:
        frame.put("memory", 9, MEMORY_Y - 8, text(0, 0, "in memory", "small"))
        for index, said in enumerate(words):
            what = "box token" if index in lit else "slot"
            box = f'<rect class="{what}" width="{SLIT - 4}" height="30" rx="4"/>'
            inner = box + text(SLIT / 2 - 2, 20, said, "small mid")
            frame.put(f"memory{index}", 9 + SLIT * index, MEMORY_Y, inner, enter=f"patch{index}")

    def numbered(alt: str, lit: tuple[int, ...] = ()) -> Frame:
        frame = Frame(alt, HEIGHT)
        frame.put("title", LEFT, 18, text(0, 0, "in the picture", "small"))
        words = [str(index) for index in range(SIDE * SIDE)]
        for index, said in enumerate(words):
            patch(frame, index, said, "box token" if index in lit else "slot")
        in_memory(frame, words, lit)
        return frame

    def placed(alt: str, key: str = "") -> Frame:
        frame = Frame(alt, HEIGHT)
        frame.put("title", LEFT, 18, text(0, 0, "row, column", "small"))
        if not key:
            in_memory(frame, [f"{row}, {column}" for row, column in data["places"]], ())
        for index, (row, column) in enumerate(data["places"]):
            chosen = {KEYS["start"]: "box query", KEYS.get(key): "box key"} if key else {}
            patch(frame, index, f"{row}, {column}", chosen.get((row, column), "slot"))
        return frame

    def turned(alt: str, key: str) -> Frame:
        frame = placed(alt, key)
        for axis, (name, x) in enumerate(DIALS.items()):
            frame.put(f"face-{name}", x, DIAL_Y, face(RADIUS + 5))
            frame.put(f"query-{name}", x, DIAL_Y, hand(RADIUS, "query"))
            angle = KEYS[key][axis]
            frame.put(
                f"key-{name}", x, DIAL_Y, hand(RADIUS - 10, "key"), turn=near(angle), enter="patch0"
            )
            frame.put(f"name-{name}", x, 48, text(0, 0, f"{name} pair", "small mid"))
            frame.put(f"cos-{name}", x, 168, text(0, 0, f"cos {angle}", "small mid"))
            frame.put(f"value-{name}", x, 186, text(0, 0, number(cos(angle)), "mid strong"))
        total = f"score {number(data['score'][key])}"
        frame.put("plus", 262, 186, text(0, 0, "+", "mid strong"))
        frame.put("score", 262, 222, text(0, 0, total, "mid strong"))
        return frame

    return [
        numbered(
            "Nine squares, three by three, numbered 0 to 8 row by row. Below, the same nine in one "
            "row."
        ),
        numbered(
            "Squares 1 to 4 are marked. 2 and 3 end one row and start the next; 1 stands above 4. "
            "In the row below 2 and 3 are side by side.",
            (1, 2, 3, 4),
        ),
        placed(
            "The nine squares show their row and column, from 0, 0 to 2, 2, and so does the row."
        ),
        turned(
            "The query is at 0, 0, the key at 0, 1. Two dials: the key's hand has turned by one "
            f"radian in the column pair alone. The score is {number(data['score']['right'])}.",
            "right",
        ),
        turned(
            "The key is at 2, 1. Its hand has turned by two radians in the row pair and by one in "
            f"the column pair. The score is {number(data['score']['down'])}.",
            "down",
        ),
        turned(
            "The key is at 1, 2: one radian in the row pair, two in the column pair. The score is "
            f"{number(data['score']['across'])} again.",
            "across",
        ),
    ]
