"""A sine alone gives two positions the same value; its cosine tells them apart."""

from math import pi
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from _hooks.style import DASHES, Colors, name_line
from posenc_ref import sinusoidal_at, sinusoidal_inv_freq

WIDTH, PAIR = 8, 1  # 0.1 radians per token: half a turn is 31.4 tokens
POSITION = 6


def pair_at(positions: Any) -> Any:
    return sinusoidal_at(positions, WIDTH)[..., 2 * PAIR : 2 * PAIR + 2]


def data() -> dict[str, Any]:
    positions = np.linspace(0, 32, 129)
    twin = pi / sinusoidal_inv_freq(WIDTH)[PAIR] - POSITION
    marked = np.array([POSITION, twin])
    return {
        "position": positions.tolist(),
        "curve": pair_at(positions).round(4).tolist(),
        "marked": marked.round(3).tolist(),
        "at_marked": pair_at(marked).round(4).tolist(),
    }


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    positions = data["position"]
    sine, cosine = zip(*data["curve"], strict=True)
    ax = fig.subplots()
    ax.plot(positions, sine, color=colors["position"])
    ax.plot(positions, cosine, color=colors["slow"], ls=DASHES[1])
    ax.plot(
        data["marked"], [row[0] for row in data["at_marked"]], color=colors["ink"], lw=1.2, ls="-"
    )
    for position, (sine_here, cosine_here) in zip(data["marked"], data["at_marked"], strict=True):
        ax.plot([position] * 2, [sine_here, cosine_here], "o", color=colors["ink"], ms=6)
        ax.vlines(position, sine_here, cosine_here, color=colors["ink"], lw=1, ls=DASHES[2])
    height = data["at_marked"][0][0]
    ax.annotate(
        f"both sines are {height:.3f}",
        (17.5, height),
        (0, 4),
        textcoords="offset points",
        ha="center",
    )
    name_line(ax, positions[-1], sine[-1], "sine", colors["position"])
    name_line(ax, positions[-1], cosine[-1], "cosine", colors["slow"])
    ax.set(
        title="One sine cannot tell two positions apart",
        xlabel="position (this pair turns 0.1 rad a token)",
        ylabel="value",
        xlim=(0, 32),
        ylim=(-1.1, 1.1),
        xticks=[0, data["marked"][0], 16, data["marked"][1], 32],
        yticks=[-1, 0, 1],
    )
    ax.set_xticklabels(["0", f"{data['marked'][0]:g}", "16", f"{data['marked'][1]:.1f}", "32"])
