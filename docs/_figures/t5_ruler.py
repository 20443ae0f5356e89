"""Stepper: tokens are sorted by distance into T5's buckets, near ones alone, far ones together."""

from typing import Any

from _hooks.draw import Frame, number, numbers, text
from posenc_ref import t5_buckets

N_TOKENS, N_BUCKETS, MAX_DISTANCE = 24, 8, 32  # a small decoder; T5 has 32 buckets up to 128
LEARNED = (0.0, 1.0, 0.5, 0.2, 0.0, -0.5, -1.0, -2.0)  # a toy row of weights
LEFT, PITCH, FLOOR = 12, 42, 196
ROW_Y, ROW_PITCH = 44, 14


def data() -> dict[str, Any]:
    distances = range(N_TOKENS)
    buckets = t5_buckets(
        [-distance for distance in distances],
        bidirectional=False,
        n_buckets=N_BUCKETS,
        max_distance=MAX_DISTANCE,
    ).tolist()
    inside = [[d for d in distances if buckets[d] == b] for b in range(N_BUCKETS)]
    return {"inside": inside, "learned": list(LEARNED)}


def name(inside: list[int], *, last: bool) -> str:
    if last:
        return f"{inside[0]}+"
    return str(inside[0]) if len(inside) == 1 else f"{inside[0]}–{inside[-1]}"


def picture(alt: str, data: dict[str, Any], full: int, *, learned: bool = False) -> Frame:
    """The tokens, of which those of the first `full` buckets lie in their bucket."""
    frame = Frame(alt, 250)
    if full < N_BUCKETS:
        words = f"the query’s own token, then {N_TOKENS - 1} before it"
        frame.put("row", LEFT, 20, text(0, 0, words, "small"))
    for bucket, inside in enumerate(data["inside"]):
        x, is_last = LEFT + bucket * PITCH, bucket == N_BUCKETS - 1
        box = f'<rect class="slot" y="-118" width="{PITCH - 4}" height="118" rx="4"/>'
        words = name(inside, last=is_last) if bucket < full else ""
        middle = (PITCH - 4) / 2
        frame.put(f"bucket{bucket}", x, FLOOR, box + text(middle, 17, words, "small mid"))
        for level, distance in enumerate(inside):
            place = (x + middle, FLOOR - 12 - level * 13.5)
            if bucket >= full:
                place = (LEFT + 8 + distance * ROW_PITCH, ROW_Y)
            dot = '<circle class="tip token" r="5"/>'
            frame.put(f"token{distance}", *place, dot)
        if learned:
            weight = text(0, 0, number(data["learned"][bucket], 1), "num strong")
            frame.put(f"weight{bucket}", x + middle, FLOOR + 40, weight, enter=f"bucket{bucket}")
    return frame


def frames(data: dict[str, Any]) -> list[Frame]:
    inside = data["inside"]
    shared = [name(tokens, last=False) for tokens in inside[4:7]]
    last = inside[7][0]
    return [
        picture("A row of 24 dots above eight empty buckets.", data, 0),
        picture("The dots at distances 0, 1, 2 and 3 lie in a bucket each.", data, 4),
        picture(f"Two more buckets are filled, with distances {shared[0]}, {shared[1]}.", data, 6),
        picture(f"The last two buckets hold distances {shared[2]} and {last} and more.", data, 8),
        picture(
            f"Below the buckets stand their numbers: {numbers(data['learned'], 1)}.",
            data,
            8,
            learned=True,
        ),
    ]
