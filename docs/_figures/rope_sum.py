"""Stepper: the cosines of four pairs, and their mean, a curve that falls and ripples."""

from typing import Any

import numpy as np

from _hooks.draw import Frame, number, text
from posenc_ref import rotary_inv_freq

WIDTH, BASE, FARTHEST = 8, 100.0, 32
LEFT, RIGHT, MIDDLE, HALF = 40, 318, 112, 80  # the drawing: x of its ends, y of zero and of one


def data() -> dict[str, Any]:
    speeds = rotary_inv_freq(WIDTH, base=BASE)
    cosines = np.cos(np.arange(FARTHEST + 1)[:, None] * speeds)
    mean = cosines.mean(axis=1)
    first_rise = int(np.argmax(np.diff(mean) > 0))
    return {
        "speeds": speeds.tolist(),
        "cosines": cosines.T.tolist(),
        "mean": mean.tolist(),
        "rise": [first_rise, first_rise + 2],
        "rises": int((np.diff(mean) > 0).sum()),
    }


def place(distance: float, value: float) -> str:
    x = LEFT + (RIGHT - LEFT) * distance / FARTHEST
    return f"{x:.1f} {MIDDLE - HALF * value:.1f}"


def curve(values: list[float], classes: str) -> str:
    points = "L".join(place(distance, value) for distance, value in enumerate(values))
    return f'<path class="{classes}" d="M{points}"/>'


def axes(alt: str) -> Frame:
    lines = "".join(
        f'<path class="{"line" if value == 0 else "faint"}" d="M{place(0, value)}H{RIGHT}"/>'
        + text(LEFT - 8, MIDDLE - HALF * value + 4, number(value, 0), "small end")
        for value in (-1, 0, 1)
    )
    ticks = "".join(
        text(LEFT + (RIGHT - LEFT) * distance / FARTHEST, 214, distance, "small mid")
        for distance in range(0, FARTHEST + 1, 8)
    )
    label = text((LEFT + RIGHT) / 2, 236, "distance between query and key (tokens)", "small mid")
    return Frame(alt, 246).put("axes", 0, 0, lines + ticks + label)


def frames(data: dict[str, Any]) -> list[Frame]:
    cosines, mean = data["cosines"], data["mean"]
    start, end = data["rise"]

    def pair(frame: Frame, i: int, classes: str) -> Frame:
        return frame.put(f"pair{i}", 0, 0, curve(cosines[i], classes))

    def named(frame: Frame, words: str) -> Frame:
        return frame.put("words", 0, 0, text(RIGHT, 22, words, "small end"))

    shown = []
    for i, speed in enumerate(data["speeds"]):
        words = f"pair {i}: {number(speed, 3)} radians a token"
        frame = axes(f"Up to pair {i}, a wave each, all from one at distance 0; {words}.")
        for other in range(i):
            pair(frame, other, "faint")
        shown.append(named(pair(frame, i, "hand thin position"), words))
    total = axes("The mean of the four waves: it falls from one, and has ripples.")
    last = axes(
        f"The mean is {number(mean[start], 2)} at distance {start} and {number(mean[end], 2)} "
        f"at distance {end}."
    )
    for frame in (total, last):
        for i in range(len(cosines)):
            pair(frame, i, "faint")
        frame.put("mean", 0, 0, curve(mean, "hand sum"))
    dots = "".join(
        '<circle class="tip other" r="5" cx="{}" cy="{}"/>'.format(*place(t, mean[t]).split())
        for t in (start, end)
    )
    named(total, "mean of the four")
    last.put("dots", 0, 0, dots)
    named(last, f"distance {start}: {number(mean[start], 2)}, {end}: {number(mean[end], 2)}")
    return [*shown, total, last]
