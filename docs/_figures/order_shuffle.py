"""Stepper: two words swap seats; shares and outputs go along. Then a mask gives the order away."""

from typing import Any

import numpy as np

from _hooks.draw import Frame, card, cells, slots, text
from posenc_ref import attention, attention_weights, causal_mask

WORDS = {"dog": (1.0, 0.0), "bites": (0.0, 1.0), "man": (1.0, 1.0)}  # toy vectors
ORDERS = {"first": ("dog", "bites", "man"), "swapped": ("man", "bites", "dog")}
ROWS_X, CELLS_X, OUT_X, TOP, PITCH = 6, 82, 240, 76, 52


def attend(order: tuple[str, ...], masked: bool) -> dict[str, Any]:
    """Shares by (query, key) and outputs by word; what the mask forbids is left out."""
    x = np.array([WORDS[word] for word in order])
    mask = causal_mask(len(order), len(order)) if masked else None
    shares = attention_weights(x, x, mask=mask).tolist()
    outputs = attention(x, x, x, mask=mask).tolist()
    pairs = {
        f"{query}-{key}": shares[i][j]
        for i, query in enumerate(order)
        for j, key in enumerate(order)
        if j <= i or not masked
    }
    return {"share": pairs, "out": dict(zip(order, outputs, strict=True))}


def data() -> dict[str, Any]:
    return {
        name: {"order": order, "open": attend(order, False), "masked": attend(order, True)}
        for name, order in ORDERS.items()
    }


def frames(data: dict[str, Any]) -> list[Frame]:
    def picture(
        alt: str, name: str, mask: str = "open", *, shares: bool = True, outputs: bool = True
    ) -> Frame:
        order, run = data[name]["order"], data[name][mask]
        frame = Frame(alt, 244).put("line", 180, 24, text(0, 0, " ".join(order), "mid strong"))
        for i, query in enumerate(order):
            y = TOP + PITCH * i
            frame.put(f"row-{query}", ROWS_X, y, card(query, "query", width=62, height=34))
            frame.put(f"column-{query}", 104 + 48 * i, 62, text(0, 0, query, "small mid strong"))
            frame.put(f"slots{i}", CELLS_X, y, slots(len(order), pitch=48))
            for j, key in enumerate(order):
                pair = f"{query}-{key}"
                if shares and pair in run["share"]:
                    share = cells([run["share"][pair]], "sum", pitch=48, digits=2)
                    frame.put(pair, CELLS_X + 48 * j, y, share, enter=f"row-{query}")
            if outputs:
                output = cells(run["out"][query], "token", pitch=58)
                frame.put(f"out-{query}", OUT_X, y, output, enter=f"row-{query}")
        if outputs:
            frame.put("outputs", OUT_X + 56, 62, text(0, 0, "output", "small mid"))
        return frame

    return [
        picture(
            "An empty square: dog, bites and man as rows (queries) and as columns (keys).",
            "first",
            shares=False,
            outputs=False,
        ),
        picture(
            "Nine shares fill the square; the three of each row add up to one.",
            "first",
            outputs=False,
        ),
        picture("To the right of each row stands its output of two numbers.", "first"),
        picture(
            "dog and man have changed places; each share and each output went with its word.",
            "swapped",
        ),
        picture(
            "With a causal mask the three cells above the diagonal are empty, and the outputs of "
            "man and bites are new.",
            "swapped",
            "masked",
        ),
        picture(
            "Back in the first order under the mask, other cells are empty and every word has "
            "another output than in the swapped order.",
            "first",
            "masked",
        ),
    ]
