"""The score of a query with an equal key, by distance: the trend falls, half of its steps rise."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from _hooks.style import Colors
from posenc_ref import rotary_inv_freq

WIDTH, FARTHEST = 128, 4096


def mean_cosines(width: int = WIDTH, farthest: int = FARTHEST, base: float = 10000.0) -> np.ndarray:
    angles = np.arange(farthest + 1)[:, None] * rotary_inv_freq(width, base=base)
    cosines: np.ndarray = np.cos(angles).mean(axis=1)
    return cosines


def data() -> dict[str, Any]:
    curve = mean_cosines()
    return {
        "curve": curve.round(3).tolist(),
        "rising": float((np.diff(curve) > 0).mean().round(4)),
        "first_below": int(np.argmax(curve < 0)),
    }


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    ax = fig.subplots()
    ax.plot(range(1, FARTHEST + 1), data["curve"][1:], color=colors["ink"], lw=1.1)
    ax.axhline(0, color=colors["ink-2"], lw=0.9)
    ax.set_xscale("log")
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    ax.set(
        title=f"The trend falls; {100 * data['rising']:.1f} % of all steps rise",
        xlabel="distance between the two tokens (logarithmic)",
        ylabel="score / score at distance 0",
        xlim=(1, FARTHEST),
        ylim=(-0.2, 1.02),
    )
