"""Stepper: eight features glide from one layout to the other, and a reader takes the wrong one."""

from typing import Any

from _hooks.draw import Frame, card, text
from posenc_ref import rotary_permutation

WIDTH = 8
LEFT, PITCH, CARD = 8, 43, 39
TOP, UPPER, LOWER = 118, 86, 152  # where the cards stand: one row, or two
PLACES_Y = 170


def data() -> dict[str, Any]:
    to_half = rotary_permutation(WIDTH, source="interleaved", target="half").tolist()
    neighbours = [[2 * i, 2 * i + 1] for i in range(WIDTH // 2)]
    return {
        "half": to_half,
        "pairs": neighbours,
        # What code for halves takes for a pair if the features lie interleaved.
        "wrong": [[i, i + WIDTH // 2] for i in range(WIDTH // 2)],
    }


def x_of(place: int) -> float:
    return LEFT + place * PITCH


def bow(first: int, second: int, words: str, classes: str, height: float) -> str:
    """A line above the cards that joins two places, with a name where there is one."""
    start, end = x_of(first) + CARD / 2, x_of(second) + CARD / 2
    top = TOP - 8 - height
    line = f'<path class="{classes}" d="M{start:g} {TOP - 8}V{top:g}H{end:g}V{TOP - 8}"/>'
    return line + (text((start + end) / 2, top - 6, words, "small mid") if words else "")


def places(frame: Frame) -> Frame:
    numbers = "".join(
        text(x_of(place) + CARD / 2, PLACES_Y, place, "small mid") for place in range(WIDTH)
    )
    return frame.put(
        "places", 0, 0, numbers + text(LEFT, PLACES_Y + 24, "place in the head", "small")
    )


def cards(frame: Frame, at: dict[int, tuple[float, float]]) -> Frame:
    for feature, (x, y) in at.items():
        meaning = "token" if feature % 2 == 0 else "other"
        frame.put(f"x{feature}", x, y, card(f"x{feature}", meaning, width=CARD))
    return frame


def row(order: list[int]) -> dict[int, tuple[float, float]]:
    return {feature: (x_of(place), TOP) for place, feature in enumerate(order)}


def frames(data: dict[str, Any]) -> list[Frame]:
    plain, half, wrong = list(range(WIDTH)), data["half"], data["wrong"]

    def neighbours(frame: Frame) -> Frame:
        for i, (first, second) in enumerate(data["pairs"]):
            frame.put(f"near{i}", 0, 0, bow(first, second, f"pair {i}", "line", 14))
        return frame

    def across(frame: Frame) -> Frame:
        for i in range(WIDTH // 2):
            line = bow(i, i + WIDTH // 2, f"pair {i}" if i == 0 else "", "line", 14 + 16 * (3 - i))
            frame.put(f"far{i}", 0, 0, line)
        return frame

    def strangers(frame: Frame) -> Frame:
        for i, (first, second) in enumerate(wrong):
            words = "taken for pair 0" if i == 0 else ""
            line = bow(first, second, words, "arc other", 14 + 16 * (3 - i))
            frame.put(f"odd{i}", 0, 0, line)
        return frame

    apart: dict[int, tuple[float, float]] = {
        feature: (x_of(feature // 2) + 86, UPPER if feature % 2 == 0 else LOWER)
        for feature in plain
    }
    order = ", ".join(f"x{feature}" for feature in half)
    rows_apart = Frame(
        "The even features stand in an upper row, the odd ones below, in pairs.", 200
    )
    return [
        neighbours(
            places(
                cards(
                    Frame("Eight features x0 to x7 in a row; neighbours are joined.", 200),
                    row(plain),
                )
            )
        ),
        cards(rows_apart, apart),
        across(
            places(
                cards(
                    Frame(f"The rows laid end to end: {order}. Pairs span four places.", 200),
                    row(half),
                )
            )
        ),
        strangers(
            places(
                cards(
                    Frame(
                        "In the first order again, lines join x0 with x4, x1 with x5, "
                        "x2 with x6 and x3 with x7.",
                        200,
                    ),
                    row(plain),
                )
            )
        ),
    ]
