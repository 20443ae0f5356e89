"""How long turning the queries of 32 heads takes, in each way."""

from typing import Any

from matplotlib.figure import Figure

from _figures._speed import SIZE as SIZE
from _figures._speed import draw_ratios, ratios
from _hooks.style import Colors


def data() -> dict[str, Any]:
    return dict(ratios("RoPE on q (1, 32, 4096, 128) float32"))


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    draw_ratios(fig, data, colors, "RoPE on 32 heads of 4,096 × 128")
