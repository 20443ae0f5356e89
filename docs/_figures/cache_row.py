"""Stepper: keys enter a cache turned, one is dropped, and the next token needs a number."""

from math import degrees
from typing import Any

from _hooks.draw import Frame, card, face, hand, text
from posenc_ref import next_positions, rotary_inv_freq

WORDS = ("dog", "bites", "man", "and", "runs")
PROMPT, ROWS, DROPPED = 3, 4, "bites"
LEFT, PITCH, CARD, RADIUS = 14, 86, 74, 28


def data() -> dict[str, Any]:
    places = [int(next_positions([1] * seen)) for seen in range(len(WORDS))]
    true = dict(zip(WORDS, places, strict=True))
    before = {word: true[word] for word in WORDS[:ROWS]}
    kept = {word: place for word, place in before.items() if word != DROPPED}
    new = WORDS[-1]
    return {
        "speed": float(rotary_inv_freq(2)[0]),  # of the fastest pair, radians a token
        "states": [
            dict(list(before.items())[:PROMPT]),
            before,
            kept,
            {**kept, new: true[new]},
            {**kept, new: len(kept)},
            {word: row for row, word in enumerate([*kept, new])},
        ],
    }


def back(distance: int) -> str:
    return f"{distance} back" if distance else "0 back"


def frames(data: dict[str, Any]) -> list[Frame]:
    result = []
    for step, state in enumerate(data["states"]):
        newest = list(state)[-1]
        asks = step in (1, 3, 4, 5)  # a new token has come
        said = ", ".join(f"{word} at {place}" for word, place in state.items())
        frame = Frame(f"Keys in the cache: {said}.", 224)
        rows = "".join(
            text(LEFT + PITCH * row + CARD / 2, 18, f"row {row}", "small mid")
            + f'<rect class="slot" x="{LEFT + PITCH * row}" y="28" width="{CARD}" height="32" '
            'rx="6"/>'
            for row in range(ROWS)
        )
        frame.put("rows", 0, 0, rows)
        for row, (word, place) in enumerate(state.items()):
            x = LEFT + PITCH * row
            middle = x + CARD / 2
            turn = degrees(place * data["speed"])
            frame.put(f"card-{word}", x, 28, card(word, "token", width=CARD))
            frame.put(f"face-{word}", middle, 104, face(RADIUS))
            key = hand(RADIUS - 8, "key")
            frame.put(f"key-{word}", middle, 104, key, turn=turn, enter=f"card-{word}")
            frame.put(f"id-{word}", middle, 156, text(0, 0, f"place {place}", "mid strong"))
            if asks and word == newest:
                frame.put("query", middle, 104, hand(RADIUS, "query"), turn=turn)
            elif asks:
                words = back(state[newest] - place)
                frame.put(f"back-{word}", middle, 180, text(0, 0, words, "small mid"))
        if asks:
            words = f"“{newest}” asks from place {state[newest]}"
            frame.put("asks", 180, 212, text(0, 0, words, "mid"))
        result.append(frame)
    return result
