"""How long the cosines and sines of a long run of positions take, in each way."""

from typing import Any

from matplotlib.figure import Figure

from _figures._speed import SIZE as SIZE
from _figures._speed import draw_ratios, ratios
from _hooks.style import Colors


def data() -> dict[str, Any]:
    return dict(ratios("cosines and sines 131072 x 64 float32"))


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    draw_ratios(fig, data, colors, "Cosines and sines, 131,072 rows")
