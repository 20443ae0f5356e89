"""Stepper: eight significant bits are too few for position 257, and its hand jumps."""

from typing import Any

from _figures._formats import bf16
from _hooks.draw import Frame, cell, face, hand, near, text

ROOM = 8  # significant bits of bf16
FIRST, SECOND, FAR = 256, 257, 15962
X, PITCH, SIZE = 74, 19, 17
ROWS = {"a": 26, "b": 72}
DIALS = {"a": 96, "b": 264}
DIAL_Y, RADIUS, HEIGHT = 190, 44, 262


def data() -> dict[str, Any]:
    return {
        "stored": [int(bf16(position)) for position in (FIRST, SECOND, FAR)],
        "bits": [f"{position:b}" for position in (FIRST, SECOND, FAR)],
    }


def put_bits(frame: Frame, key: str, label: str, bits: str, *, fallen: bool) -> None:
    """A row of bits; those beyond the room drop and become empty places if they have fallen."""
    y = ROWS[key]
    frame.put(f"{key} label", 65, y + 14, text(0, 0, label, "small end strong"))
    for place, bit in enumerate(bits):
        lost = fallen and place >= ROOM
        box = (
            f'<rect class="slot" width="{SIZE}" height="{SIZE}" rx="3"/>'
            + text(SIZE / 2, SIZE / 2 + 5, bit, "num")
            if lost
            else cell(0, int(bit), "position", SIZE, SIZE, bit)
        )
        gap = 6 if place >= ROOM else 0
        frame.put(f"{key}{place}", X + place * PITCH + gap, y + (16 if lost else 0), box)


def put_dial(frame: Frame, key: str, label: str, radians: float) -> None:
    x = DIALS[key]
    frame.put(f"{key} face", x, DIAL_Y, face(RADIUS))
    frame.put(f"{key} hand", x, DIAL_Y, hand(RADIUS - 4, "position"), turn=near(radians))
    frame.put(f"{key} at", x, DIAL_Y + RADIUS + 20, text(0, 0, label, "small mid"))


def scene(alt: str, *, room: bool, fallen: bool, second: float) -> Frame:
    """The two neighbours, and the hand of the second one at `second` radians."""
    frame = Frame(alt, HEIGHT)
    if room:
        put_room(frame)
    for key, position in zip(ROWS, (FIRST, SECOND), strict=True):
        put_bits(frame, key, str(position), f"{position:b}", fallen=fallen)
        if fallen:
            kept = f"stored as {int(bf16(position))}"
            frame.put(f"{key} kept", X + 10 * PITCH + 12, ROWS[key] + 14, text(0, 0, kept, "small"))
    put_dial(frame, "a", f"{FIRST} radians", FIRST)
    put_dial(frame, "b", f"{second:g} radians", second)
    return frame


def put_room(frame: Frame) -> None:
    wide, high = ROOM * PITCH + 3, ROWS["b"] - ROWS["a"] + SIZE + 8
    box = f'<rect class="line" fill="none" width="{wide}" height="{high}" rx="5"/>'
    frame.put("room", X - 3, ROWS["a"] - 4, box)
    frame.put("room for", X - 2, 14, text(0, 0, f"room for {ROOM} bits", "small"))


def frames(data: dict[str, Any]) -> list[Frame]:
    _, second, far = data["stored"]
    last = Frame(
        f"{FAR} in bits: six have fallen off. One hand at {FAR} radians, the other at {far}.",
        HEIGHT,
    )
    put_room(last)
    put_bits(last, "a", f"{FAR:,}", data["bits"][2], fallen=True)
    put_bits(last, "b", f"{far:,}", f"{far:b}", fallen=False)
    put_dial(last, "a", f"{FAR:,} radians", FAR)
    put_dial(last, "b", f"{far:,} radians", far)
    return [
        scene(
            f"{FIRST} and {SECOND} as nine bits each; below, two hands one radian apart.",
            room=False,
            fallen=False,
            second=SECOND,
        ),
        scene(
            "A frame around the first eight bits of both; the ninth stands outside.",
            room=True,
            fallen=False,
            second=SECOND,
        ),
        scene(
            "The ninth bit of both has fallen off. The eight that are left are the same.",
            room=True,
            fallen=True,
            second=SECOND,
        ),
        scene(
            f"The second hand has jumped back by one radian, to {second} radians.",
            room=True,
            fallen=True,
            second=second,
        ),
        last,
    ]
