"""How similar two rows of the table are, by the distance between their positions (d_model = 64)."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from _hooks.style import Colors
from posenc_ref import sinusoidal_table

WIDTH = 64
FARTHEST = 100


def data() -> dict[str, Any]:
    table = sinusoidal_table(FARTHEST + 1, WIDTH)
    # Every row has the squared length d / 2, so this is the cosine of the angle between two rows.
    similarity = table @ table[0] / (WIDTH / 2)
    first_rise = int(np.argmax(np.diff(similarity) > 0))
    return {"similarity": similarity.round(4).tolist(), "first_rise": first_rise}


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    similarity, near = data["similarity"], data["first_rise"]
    far = near + 1
    words = f"distance {far} is more similar than {near}"
    ax = fig.subplots()
    ax.plot(similarity, color=colors["position"])
    ax.plot([near, far], [similarity[near], similarity[far]], "o", color=colors["ink"], ms=5)
    ax.annotate(
        f"{words}: {similarity[far]:.4f} > {similarity[near]:.4f}",
        (far, similarity[far]),
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
