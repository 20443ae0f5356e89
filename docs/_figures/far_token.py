"""Stepper: one token whose clue stands far back; a window slides, the mean loss hardly moves."""

from typing import Any

import numpy as np

from _hooks.draw import Frame, card, number, text

WORDS = ("A", "7", "b", "c", "b", "d", "c", "b", "A", "7")
FIRST, ASKED = 2, 9  # the first token that is scored, and the one with a far clue
SEEN = 3  # tokens in the window
NEAR, ANSWERS = 8, 4096  # equally good next tokens: near ones, and those of a far token
N_TOKENS = 1000  # of the text that the last frame speaks of
LEFT, PITCH, CARD, FOOT, UNIT = 6, 35, 31, 176, 6


def data() -> dict[str, Any]:
    near, blind = np.log2(NEAR), np.log2(ANSWERS)
    means = [((N_TOKENS - 1) * near + far) / N_TOKENS for far in (blind, 0.0)]
    return {
        "near": float(near),
        "blind": float(blind),
        "bits": [float(mean) for mean in means],
        "perplexity": [float(2**mean) for mean in means],
    }


def frames(data: dict[str, Any]) -> list[Frame]:
    def picture(alt: str, scored: int, window: tuple[int, int] | None, far: float = 0) -> Frame:
        frame = Frame(alt, 204)
        for n, word in enumerate(WORDS):
            x = LEFT + PITCH * n
            if n == ASKED:
                word = "?"
            what = "key" if n < FIRST else "query" if n >= ASKED - 1 else "token"
            frame.put(f"card{n}", x, 34, card(word, what, width=CARD))
            if n < FIRST:
                continue
            frame.put(f"foot{n}", x, FOOT, f'<path class="faint" d="M0 0H{CARD}"/>')
            if n < scored:
                bits = far if n == ASKED else data["near"]
                if bits:
                    kind = "sum" if n == ASKED else "token"
                    bar = (
                        f'<rect class="v {kind}" style="--v:0.4" y="{-UNIT * bits:g}" '
                        f'width="{CARD}" height="{UNIT * bits:g}" rx="3"/>'
                    )
                    frame.put(f"bar{n}", x, FOOT, bar, enter=f"card{n}")
                frame.put(f"bits{n}", x + CARD / 2, FOOT + 17, text(0, 0, f"{bits:g}", "small mid"))
        frame.put("unit", LEFT, FOOT + 17, text(0, 0, "bits", "small"))
        if window:
            first, last = window
            width = PITCH * (last - first) + CARD + 4
            frame.put(
                f"window{last - first}",  # a key for each width: on the stage only places glide
                LEFT + PITCH * first - 2,
                28,
                f'<rect class="line" width="{width}" height="44" rx="8"/>',
            )
            frame.put("sees", LEFT + PITCH * first - 2, 18, text(0, 0, "in view", "small"))
        return frame

    def at(scored: int) -> tuple[int, int]:
        """The window that predicts the last token scored."""
        return scored - 1 - SEEN, scored - 2

    blind = data["blind"]
    last = picture(
        "Both means are written between tokens and bars: they differ by "
        f"{number(data['bits'][0] - data['bits'][1])} bits.",
        10,
        (0, ASKED - 1),
        0,
    )
    for row, (name, k) in enumerate((("three in view", 0), ("all in view", 1))):
        words = f"{name}: {number(data['bits'][k])} bits, perplexity "
        words += number(data["perplexity"][k], 2)
        last.put(f"mean{k}", LEFT, 98 + 20 * row, text(0, 0, words, "small"))
    return [
        picture(
            "Ten tokens: A 7 at the start, seven others, and A with a question at the end.", 2, None
        ),
        picture(
            "A frame stands around three tokens; the tokens so far have bars of 3 bits.", 5, at(5)
        ),
        picture("The frame has moved on; all bars so far are 3 bits high.", 8, at(8)),
        picture(
            "The frame stands before the question. Its bar is 12 bits high.", 10, at(10), blind
        ),
        picture(
            "The frame spans all tokens; the last bar is gone, the others are as before.",
            10,
            (0, 8),
        ),
        last,
    ]
