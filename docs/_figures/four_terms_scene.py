"""Stepper: a product of two sums opens into four products, one for each pair of parts."""

from math import sqrt
from typing import Any

from _figures import _sentence
from _hooks.draw import Frame, card, cell, number, text
from posenc_ref import sinusoidal_table

QUERY, KEY = ("man", 2), ("bites", 1)  # word and seat of each
LEFT, COLUMNS = 14, (132, 248)
TOP, ROWS = 96, (138, 186)
CARD, CELL_HEIGHT = 98, 38
HEIGHT = 274


def data() -> dict[str, Any]:
    table = sinusoidal_table(3, _sentence.D_MODEL)
    (query, query_seat), (key, key_seat) = QUERY, KEY
    queries = {"word": _sentence.vectors((query,))[0], "seat": table[query_seat]}
    keys = {"word": _sentence.vectors((key,))[0], "seat": table[key_seat]}
    terms = {
        f"{left}-{right}": float(queries[left] @ keys[right]) / sqrt(_sentence.D_MODEL)
        for left in queries
        for right in keys
    }
    return {"terms": terms, "score": sum(terms.values())}


def frames(data: dict[str, Any]) -> list[Frame]:
    terms = data["terms"]
    cards = {
        "query-word": (QUERY[0], "token"),
        "query-seat": (f"seat {QUERY[1]}", "position"),
        "key-word": (KEY[0], "token"),
        "key-seat": (f"seat {KEY[1]}", "position"),
    }
    together = {
        "query-word": (COLUMNS[0], 10),
        "query-seat": (COLUMNS[1], 10),
        "key-word": (COLUMNS[0], 54),
        "key-seat": (COLUMNS[1], 54),
    }
    apart = {
        "query-word": (LEFT, ROWS[0] + 3),
        "query-seat": (LEFT, ROWS[1] + 3),
        "key-word": (COLUMNS[0], TOP),
        "key-seat": (COLUMNS[1], TOP),
    }
    places = {
        f"{left}-{right}": (COLUMNS[j], ROWS[i])
        for i, left in enumerate(("word", "seat"))
        for j, right in enumerate(("word", "seat"))
    }

    def picture(alt: str, where: dict[str, tuple[int, int]], shown: tuple[str, ...] = ()) -> Frame:
        frame = Frame(alt, HEIGHT)
        slots = "".join(
            f'<rect class="slot" x="{x}" y="{y}" width="{CARD}" height="{CELL_HEIGHT}" rx="4"/>'
            for x, y in places.values()
        )
        frame.put("slots", 0, 0, slots)
        for name, (words, what) in cards.items():
            frame.put(name, *where[name], card(words, what, width=CARD))
        if where is together:
            names = text(0, 21, "query", "small query") + text(0, 65, "key", "small key")
            plus = text(COLUMNS[0] + CARD + 9 - LEFT, 21, "+", "mid strong") + text(
                COLUMNS[0] + CARD + 9 - LEFT, 65, "+", "mid strong"
            )
            frame.put("names", LEFT, 10, names + plus)
        for name in shown:
            x, y = places[name]
            left = name.partition("-")[0]
            value = cell(0, terms[name], "sum", CARD, CELL_HEIGHT, number(terms[name]))
            frame.put(name, x, y, value, enter=f"query-{left}")
        return frame

    cross = ("word-word", "word-seat", "seat-word")
    every = (*cross, "seat-seat")
    last = picture(
        f"All four products are there. They add up to the score {number(data['score'])}.",
        apart,
        every,
    )
    last.put(
        "sum",
        COLUMNS[0],
        252,
        text(0, 0, f"together {number(data['score'])}", "strong"),
        enter="seat-seat",
    )
    return [
        picture(
            "Two sums: the query is man plus seat 2, the key is bites plus seat 1. "
            "Below them are four empty places.",
            together,
        ),
        picture(
            "The parts of the query head two rows, the parts of the key two columns.",
            apart,
        ),
        picture(
            f"Word with word, man with bites, at the top left: {number(terms['word-word'])}.",
            apart,
            ("word-word",),
        ),
        picture(
            f"The two cross terms: man with seat 1, {number(terms['word-seat'])}, and seat 2 with "
            f"bites, {number(terms['seat-word'])}.",
            apart,
            cross,
        ),
        picture(
            f"Seat with seat, at the bottom right: {number(terms['seat-seat'])}.",
            apart,
            every,
        ),
        last,
    ]
