"""How long a large sinusoidal table takes, made in each way."""

from typing import Any

from matplotlib.figure import Figure

from _figures._speed import SIZE as SIZE
from _figures._speed import draw_ratios, ratios
from _hooks.style import Colors


def data() -> dict[str, Any]:
    return dict(ratios("sinusoidal 8192 x 4096 float32"))


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    draw_ratios(fig, data, colors, "A table of 8,192 × 4,096 in float32")
