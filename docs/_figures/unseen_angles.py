"""Stepper: a fast hand that has been everywhere, a slow one that has not, and a longer text."""

from math import cos, pi, sin
from typing import Any

from _hooks.draw import Frame, face, hand, near, number, text
from posenc_ref import rotary_inv_freq

WIDTH = 4
TRAINED, TESTED = 100, 200  # the greatest distance in training, and in the longer text
RADIUS, RING = 62, 74
CENTRES = ((92, 128), (268, 128))


def data() -> dict[str, Any]:
    fast, slow = rotary_inv_freq(WIDTH).tolist()
    return {"speeds": [fast, slow], "trained": TRAINED, "tested": TESTED}


def sector(start: float, end: float, radius: float, classes: str) -> str:
    """An arc on the rim, anticlockwise, of less than half a turn."""
    first, last = (
        f"{radius * cos(angle):.1f} {-radius * sin(angle):.1f}" for angle in (start, end)
    )
    return f'<path class="{classes}" d="M{first}A{radius} {radius} 0 0 0 {last}"/>'


def frames(data: dict[str, Any]) -> list[Frame]:
    fast, slow = data["speeds"]
    trained, tested = data["trained"], data["tested"]
    ring = sector(0, pi, RING, "hand position") + sector(pi, 2 * pi, RING, "hand position")

    def picture(alt: str, distance: float, says: str, *, seen: bool, new: bool = False) -> Frame:
        frame = Frame(alt, 268)
        frame.put("says", 180, 24, text(0, 0, says, "mid strong"))
        for which, (x, y), speed in zip(("fast", "slow"), CENTRES, (fast, slow), strict=True):
            frame.put(f"{which}-face", x, y, face(RADIUS))
            if seen:
                rim = ring if which == "fast" else sector(0, trained * slow, RING, "hand position")
                frame.put(f"{which}-seen", x, y, rim)
            if new and which == "slow":
                rim = sector(trained * slow, tested * slow, RING, "arc key")
                frame.put("new", x, y, rim)
            turn = near(distance * speed)
            frame.put(f"{which}-hand", x, y, hand(RADIUS - 6, "position"), turn=turn)
            angle = f"turned by {distance * speed:g} rad"
            frame.put(f"{which}-name", x, 226, text(0, 0, f"{which} pair", "mid strong"))
            frame.put(f"{which}-angle", x, 246, text(0, 0, angle, "small mid"))
        return frame

    return [
        picture(
            "Two dials, of a fast and of a slow pair; both hands stand at zero.",
            0,
            "distance 0",
            seen=False,
        ),
        picture(
            "The whole rim of the fast dial is marked as seen, of the slow dial an arc of "
            f"{number(trained * slow, 2)} rad, at whose end its hand stands.",
            trained,
            f"training: distances to {trained}",
            seen=True,
        ),
        picture(
            "The slow hand stands beyond its arc, on a dotted stretch that is new; the fast hand "
            "stands on its rim, which is all seen.",
            tested,
            f"a longer text: distance {tested}",
            seen=True,
            new=True,
        ),
        picture(
            "Both hands stand where distance 100 stood in training; nothing is dotted.",
            tested / 2,
            f"distance {tested}, halved to {tested // 2}",
            seen=True,
        ),
        picture(
            "The fast hand stands at one radian, the slow one has hardly moved.",
            1,
            "distance 1, as in training",
            seen=True,
        ),
        picture(
            "The fast hand stands at half a radian, the slow one has hardly moved.",
            0.5,
            "distance 1, halved",
            seen=True,
        ),
    ]
