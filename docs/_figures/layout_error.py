"""How far scores are off if weights of one layout are turned by code of the other."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from _hooks.style import Colors
from posenc_ref import apply_rotary, rotary_cos_sin, rotary_inv_freq

WIDTH = 128
DISTANCES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096)


def wrong_share(distance: int, width: int = WIDTH) -> float:
    """Root mean square of the error, over that of the score, for independent normal vectors."""
    rotation = rotary_cos_sin([distance], rotary_inv_freq(width))
    each = np.eye(width)[:, None, :]
    half, other = (
        apply_rotary(each, rotation, layout=layout)[:, 0] for layout in ("half", "interleaved")
    )
    return float(np.linalg.norm(half - other) / np.sqrt(width))


def data() -> dict[str, Any]:
    return {
        "distances": list(DISTANCES),
        "wrong": [round(wrong_share(distance), 4) for distance in DISTANCES],
    }


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    ax = fig.subplots()
    ax.plot(data["distances"], data["wrong"], "o-", ms=4, color=colors["other"])
    ax.axhline(1, color=colors["ink-2"], lw=0.9)
    ax.annotate("as large as the scores", (45, 0.92), color=colors["ink-2"], fontsize=9.5)
    ax.set_xscale("symlog", linthresh=1)
    ax.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1000"])
    ax.set(
        title="A wrong layout is right at distance 0 only",
        xlabel="distance between the two tokens (logarithmic from 1)",
        ylabel="typical error / typical score",
        xlim=(0, 4400),
        ylim=(0, 1.5),
    )
