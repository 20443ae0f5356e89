"""Stepper: a query hand and a key hand turn by their positions; the score sees their difference."""

from typing import Any

from _hooks.draw import Frame, arc, face, hand, near, number, text
from posenc_ref import rotary_scores

PLACES = ((0, 0), (5, 0), (5, 2), (6, 3), (105, 102), (105, 104))  # query, key
SPEED = 1.0  # radians a token
X, Y, RADIUS, ARC = 112, 108, 84, 34
GAUGE = (30, 226, 300)  # x, y and width of the scale from -1 to 1


def data() -> dict[str, Any]:
    one = [[1.0, 0.0]]
    scores = [rotary_scores(one, one, [[n - m]], [SPEED], layout="half").item() for m, n in PLACES]
    return {
        "speed": SPEED,
        "places": [list(place) for place in PLACES],
        "scores": scores,
    }


def legend(m: int, n: int, score: float) -> str:
    query = f'<g transform="translate(0,-5)">{hand(26, "query")}</g>'
    key = f'<g transform="translate(0,21)">{hand(18, "key")}</g>'
    return (
        query
        + text(40, 0, f"query at {m}")
        + key
        + text(40, 26, f"key at {n}")
        + text(0, 66, f"offset {number(n - m, 0)}")
        + text(0, 92, f"score {number(score)}", "strong")
    )


def frames(data: dict[str, Any]) -> list[Frame]:
    speed = data["speed"]
    x, y, width = GAUGE
    half = width / 2
    ticks = f'<path class="line" d="M0 0H{width}M0 -6V6M{half:g} -6V6M{width} -6V6"/>'
    words = zip((0, half, width), ("−1", "0", "1"), strict=True)
    gauge = ticks + "".join(text(at, 24, word, "small mid") for at, word in words)
    result = []
    for (m, n), score in zip(data["places"], data["scores"], strict=True):
        frame = Frame(
            f"Query hand turned by {m} radians, key hand by {n}. Score {number(score)}.", 262
        )
        frame.put("dial", X, Y, face(RADIUS))
        if m != n:  # from the key's hand to the query's
            gap = f'<path class="arc sum" d="{arc((m - n) * speed, ARC)}"/>'
            frame.put("arc", X, Y, gap, turn=near(n * speed))
        frame.put("key", X, Y, hand(RADIUS - 16, "key"), turn=near(n * speed))
        frame.put("query", X, Y, hand(RADIUS, "query"), turn=near(m * speed))
        frame.put("words", 216, 56, legend(m, n, score))
        frame.put("gauge", x, y, gauge)
        frame.put(
            "needle", x + half * (1 + score), y, '<path class="tip sum" d="M0 -4l-7 -13h14z"/>'
        )
        result.append(frame)
    return result
