"""Stepper: a position as the hands of four clocks that run at different speeds (d_model = 8)."""

from math import degrees
from typing import Any

from _hooks.draw import Frame, cell, hand, number, text
from posenc_ref import sinusoidal_at, sinusoidal_inv_freq

WIDTH = 8
POSITIONS = (0, 1, 2, 6, 63, 628)
RADIUS = 38


def data() -> dict[str, Any]:
    return {
        "positions": list(POSITIONS),
        "speeds": sinusoidal_inv_freq(WIDTH).tolist(),
        "rows": sinusoidal_at(POSITIONS, WIDTH).tolist(),
    }


def shade(share: float) -> str:
    """Style for a thing between the fastest pair (0) and the slowest (1)."""
    return f"--c:color-mix(in oklab,var(--pe-fast),var(--pe-slow) {100 * share:.0f}%)"


def face(speed: float) -> str:
    r, tick = RADIUS, RADIUS - 6
    ticks = f"M0 {-r}V{-tick}M0 {r}V{tick}M{-r} 0H{-tick}M{r} 0H{tick}"
    circle = f'<circle class="faint" r="{r}"/><path class="faint" d="{ticks}"/>'
    return circle + text(0, r + 20, f"{speed:g} rad", "small mid")


def pair_cells(sine: float, cosine: float) -> str:
    boxes = "".join(
        cell(40 * j, value, "pair", 36, 28, number(value, 2))
        for j, value in enumerate((sine, cosine))
    )
    return boxes + text(18, 44, "sin", "small mid") + text(58, 44, "cos", "small mid")


def frames(data: dict[str, Any]) -> list[Frame]:
    speeds = data["speeds"]
    result = []
    for position, row in zip(data["positions"], data["rows"], strict=True):
        values = "; ".join(
            f"{number(row[2 * i], 2)} and {number(row[2 * i + 1], 2)}" for i in range(len(speeds))
        )
        frame = Frame(f"Position {position}. Sine and cosine of the four pairs: {values}.", 220)
        frame.put("where", 180, 26, text(0, 0, f"position {position}", "mid strong"))
        for i, speed in enumerate(speeds):
            x = 49 + i * 87.5
            style = shade(i / (len(speeds) - 1))
            turn = degrees(position * speed)
            hands = f'<g style="{style}">{hand(RADIUS - 5, "")}</g>'
            pair = f'<g class="tight" style="{style}">{pair_cells(row[2 * i], row[2 * i + 1])}</g>'
            frame.put(f"face{i}", x, 86, face(speed))
            frame.put(f"hand{i}", x, 86, hands, turn=turn)
            frame.put(f"pair{i}", x - RADIUS, 160, pair)
        result.append(frame)
    return result
