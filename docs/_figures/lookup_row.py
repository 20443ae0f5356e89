"""Stepper: an id picks a row of the table; later the same table turns a vector into scores."""

from typing import Any

import numpy as np

from _figures._sentence import D_MODEL, WORDS, attend, vectors, weights
from _hooks.draw import Frame, card, cell, cells, number, numbers, slots, text
from posenc_ref import embed, tied_logits

FOLLOWED = 2  # the id of man
TABLE_X, LOGIT_X, TOP, PITCH, VECTOR_Y = 112, 288, 84, 38, 214


def data() -> dict[str, Any]:
    table = vectors()
    hidden = attend(table, 1)[FOLLOWED]
    logits = tied_logits(hidden, table)
    return {
        "table": table.tolist(),
        "one-hot": np.eye(len(WORDS))[FOLLOWED].tolist(),
        "row": embed(FOLLOWED, table).tolist(),
        "hidden": hidden.tolist(),
        "logits": logits.tolist(),
        "shares": weights(logits[None])[0].tolist(),
    }


def frames(data: dict[str, Any]) -> list[Frame]:
    def picture(alt: str) -> Frame:
        """The words with their ids, and the table."""
        frame = Frame(alt, 262)
        frame.put("vector-slots", TABLE_X, VECTOR_Y, slots(D_MODEL, pitch=40))
        for i, word in enumerate(WORDS):
            what = "token" if i == FOLLOWED else "other"
            frame.put(word, 14 + 118 * i, 10, card(word, what))
            frame.put(f"id-{word}", 62 + 118 * i, 60, text(0, 0, f"id {i}", "small mid"))
            row = text(-62, 22, f"{i}  {word}", "small")
            row += cells(data["table"][i], what, pitch=40, digits=0)
            frame.put(f"row{i}", TABLE_X, TOP + PITCH * i, row)
        return frame

    def one_hot(frame: Frame) -> Frame:
        for i, value in enumerate(data["one-hot"]):
            switch = cells([value], "query", pitch=36, digits=0)
            frame.put(f"hot{i}", 6, TOP + PITCH * i, switch, enter=WORDS[FOLLOWED])
        return frame

    def vector(frame: Frame, name: str, values: list[float], digits: int) -> Frame:
        shown = text(-106, 22, name, "small") + cells(values, "token", pitch=40, digits=digits)
        return frame.put("vector", TABLE_X, VECTOR_Y, shown, enter=f"row{FOLLOWED}")

    def scores(frame: Frame, name: str) -> Frame:
        for i, value in enumerate(data[name]):
            score = cell(0, value, "sum", 60, 34, number(value))
            frame.put(f"score{i}", LOGIT_X, TOP + PITCH * i, score, enter=f"row{i}")
        title = {"logits": "logit", "shares": "share"}[name]
        return frame.put("score-name", LOGIT_X + 30, VECTOR_Y + 8, text(0, 0, title, "small mid"))

    def copied(frame: Frame) -> Frame:
        return vector(frame, "vector", data["row"], 0)

    def changed(alt: str) -> Frame:
        return vector(picture(alt), "hidden", data["hidden"], 2)

    return [
        picture("Three words with ids 0, 1 and 2, above a table of three rows."),
        one_hot(picture("Left of the table stands the one-hot list of id 2: zero, zero, one.")),
        copied(one_hot(picture("Row 2 has been copied below the table as the vector of man."))),
        changed(f"The vector below the table has become {numbers(data['hidden'])}."),
        scores(
            changed(f"Right of each row stands its logit: {numbers(data['logits'])}."), "logits"
        ),
        scores(changed(f"The logits have become shares: {numbers(data['shares'])}."), "shares"),
    ]
