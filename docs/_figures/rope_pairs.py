"""Stepper: a head of four numbers is two pairs; each turns at its own speed, and scores add up."""

from typing import Any

from _hooks.draw import Frame, cells, face, hand, near, number, text
from posenc_ref import apply_rotary, rotary_cos_sin, rotary_inv_freq

HEAD = (1.0, 0.0, 1.0, 0.0)  # query and key alike
PLACES = (None, (0, 0), (3, 0), (103, 100), (103, 102), (103, 103))  # query, key
DIALS, DIAL_Y, RADIUS = (96, 264), 130, 52
ROW_Y = 36


def data() -> dict[str, Any]:
    speeds = rotary_inv_freq(len(HEAD))
    products = []
    for place in PLACES:
        m, n = place or (0, 0)
        query, key = apply_rotary(
            [HEAD, HEAD], rotary_cos_sin([m, n], speeds), layout="interleaved"
        )
        products.append((query * key).reshape(-1, 2).sum(axis=1).tolist())
    return {
        "speeds": speeds.tolist(),
        "head": list(HEAD),
        "places": [list(place or ()) for place in PLACES],
        "products": products,
    }


def dial(speed: float) -> str:
    return face(RADIUS) + text(0, RADIUS + 20, f"{speed:g} rad a token", "small mid")


def frames(data: dict[str, Any]) -> list[Frame]:
    result = []
    for place, products in zip(data["places"], data["products"], strict=True):
        first, second = (number(product, 4) for product in products)
        total = number(sum(products), 4)
        if not place:
            alt = "A row of four numbers, one, zero, one, zero, cut into two pairs."
        else:
            alt = f"Query at {place[0]}, key at {place[1]}: {first} plus {second} is {total}."
        frame = Frame(alt, 262)
        for i, speed in enumerate(data["speeds"]):
            x = DIALS[i]
            pair = data["head"][2 * i : 2 * i + 2]
            frame.put(f"pair{i}", x - 62, ROW_Y - 22, cells(pair, "query", digits=0, height=30))
            frame.put(f"face{i}", x, DIAL_Y, dial(speed))
            if place:
                m, n = place
                key = hand(RADIUS - 18, "key")
                frame.put(f"key{i}", x, DIAL_Y, key, turn=near(n * speed))
                query = hand(RADIUS - 4, "query")
                frame.put(f"query{i}", x, DIAL_Y, query, turn=near(m * speed), enter=f"pair{i}")
                frame.put(f"product{i}", x, 224, text(0, 0, number(products[i], 4), "mid strong"))
        frame.put("names", 0, 0, text(180, 34, "|", "small mid"))
        if place:
            frame.put("plus", 180, 224, text(0, 0, "+", "mid strong"))
            words = f"query at {place[0]}, key at {place[1]}: score {total}"
            frame.put("sum", 180, 252, text(0, 0, words, "mid"))
        result.append(frame)
    return result
