"""How similar two rows of the table are, by the distance between their positions (d_model = 64)."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from _figures.similarity_guess import FARTHEST, WIDTH, similarity
from _hooks.style import Colors


def data() -> dict[str, Any]:
    curve = similarity(WIDTH)
    return {"similarity": curve, "first_rise": int(np.argmax(np.diff(curve) > 0))}


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    curve, near = data["similarity"], data["first_rise"]
    far = near + 1
    words = f"distance {far} is more similar than {near}"
    ax = fig.subplots()
    ax.plot(curve, color=colors["position"])
    ax.plot([near, far], [curve[near], curve[far]], "o", color=colors["ink"], ms=5)
    ax.annotate(
        f"{words}: {curve[far]:.4f} > {curve[near]:.4f}",
        (far, curve[far]),
        (30, 34),
        textcoords="offset points",
        fontsize=9.5,
        arrowprops={"arrowstyle": "-", "color": colors["ink-2"], "shrinkB": 5},
    )
    ax.set(
        title=f"Similarity falls as a trend, not as a law (d = {WIDTH})",
        xlabel="distance between the two positions (tokens)",
        ylabel="similarity (cosine)",
        xlim=(0, FARTHEST),
        ylim=(0, 1.04),
    )
