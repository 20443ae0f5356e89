"""The sinusoidal table as a picture: 64 positions by 64 dimensions."""

from typing import Any

from matplotlib.figure import Figure

from _hooks.style import Colors, heat
from posenc_ref import sinusoidal_table

SIZE = (5.0, 3.4)


def data() -> dict[str, Any]:
    return {"table": sinusoidal_table(64, 64).round(4).tolist()}


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    ax = fig.subplots()
    heat(ax, data["table"], colors)
    ax.set(
        title="Fast stripes on the left, slow ones on the right",
        xlabel="dimension (sine, cosine, sine, …)",
        ylabel="position",
    )
