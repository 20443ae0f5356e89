"""Stepper: four equal scores, a toll for each token of distance, and the shares that are left."""

from typing import Any

import numpy as np

from _figures._sentence import weights
from _hooks.draw import Frame, listed, number, text
from posenc_ref import alibi_bias

WORDS = ("the", "dog", "bites", "man")
STEEP, FLAT = 0, 7  # heads of eight, with slopes 1/2 and 1/256
FLOOR, TALL, WIDE, PITCH = 180, 130, 44, 84


def data() -> dict[str, Any]:
    tolls = alibi_bias(8, 1, len(WORDS))[:, 0]
    equal = np.zeros(len(WORDS))
    return {
        "equal": weights([equal])[0].tolist(),
        **{
            name: {
                "tolls": tolls[head].tolist(),
                "shares": weights([tolls[head]])[0].tolist(),
            }
            for name, head in (("steep", STEEP), ("flat", FLAT))
        },
    }


def away(distance: int) -> str:
    return f"{distance} back" if distance else "itself"


def picture(
    alt: str, shares: list[float], tolls: list[float] | None = None, digits: int = 1
) -> Frame:
    frame = Frame(alt, 236).put("floor", 20, FLOOR, '<path class="line" d="M0 0H324"/>')
    for j, (word, share) in enumerate(zip(WORDS, shares, strict=True)):
        x, height = 54 + j * PITCH, 2 * TALL * share
        name = text(0, 0, word, "mid strong")
        name += text(0, 19, away(len(WORDS) - 1 - j), "small mid")
        frame.put(f"word{j}", x, FLOOR + 22, name)
        bar = (
            f'<rect class="v key" style="--v:{2 * share:.3f}" x="{-WIDE / 2:g}" '
            f'y="{-height:g}" width="{WIDE}" height="{height:g}" rx="4"/>'
        )
        frame.put(f"bar{j}", x, FLOOR, bar)
        frame.put(f"share{j}", x, FLOOR - height - 8, text(0, 0, number(share), "num"))
        if tolls:
            toll = text(0, 0, number(tolls[j], digits), "num strong")
            frame.put(f"toll{j}", x, 22, toll, enter=f"word{j}")
    return frame


def said(values: list[float], digits: int) -> str:
    return listed([number(value, digits) for value in values])


def frames(data: dict[str, Any]) -> list[Frame]:
    equal, steep, flat = data["equal"], data["steep"], data["flat"]
    return [
        picture(f"Four words under four equal bars, each {number(equal[0])} high.", equal),
        picture(
            f"The same bars; above them stand the tolls {said(steep['tolls'], 1)}.",
            equal,
            steep["tolls"],
        ),
        picture(
            f"The bars have become {said(steep['shares'], 3)}.", steep["shares"], steep["tolls"]
        ),
        picture(
            f"With the flattest slope the tolls are {said(flat['tolls'], 3)} and the bars "
            f"nearly level again: {said(flat['shares'], 3)}.",
            flat["shares"],
            flat["tolls"],
            digits=3,
        ),
    ]
