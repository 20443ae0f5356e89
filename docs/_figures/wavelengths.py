"""How many tokens each pair needs for one turn, by the printed formula and by Tensor2Tensor's."""

from math import pi
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from _hooks.style import DASHES, Colors
from posenc_ref import sinusoidal_inv_freq

WIDTH = 512
LAST_PAIRS = 12
SIZE = (5.0, 3.0)

thousands = FuncFormatter(lambda value, _: f"{value:,.0f}")


def data() -> dict[str, Any]:
    return {
        "printed": (2 * pi / sinusoidal_inv_freq(WIDTH)).round(1).tolist(),
        "tensor2tensor": (2 * pi / sinusoidal_inv_freq(WIDTH, exponent="tensor2tensor"))
        .round(1)
        .tolist(),
    }


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    printed, other = data["printed"], data["tensor2tensor"]
    pairs = range(len(printed))
    whole, end = fig.subplots(1, 2, width_ratios=(3, 5))
    for ax in (whole, end):
        ax.plot(pairs, printed, color=colors["position"])
        ax.plot(pairs, other, color=colors["ink"], ls=DASHES[1], lw=1.6)

    whole.set(
        yscale="log",
        xlabel="pair",
        ylabel="wavelength (tokens per turn)",
        xlim=(0, len(printed) - 1),
        xticks=(0, 128, len(printed) - 1),
        yticks=(10, 100, 1_000, 10_000, 100_000),
        ylim=(5, 100_000),
    )
    whole.yaxis.set_major_formatter(thousands)

    first, last = len(printed) - LAST_PAIRS, len(printed) - 1
    for wave, color, words, dx, dy in (
        (other, "ink", "Tensor2Tensor", 0, 12),
        (printed, "position", "printed", 0, -52),
    ):
        end.plot(last, wave[-1], "o", color=colors[color], ms=6)
        end.annotate(
            f"{words} {wave[-1]:,.1f}",
            (last, wave[-1]),
            (dx, dy),
            textcoords="offset points",
            color=colors[color],
            ha="right",
            va="center",
            fontsize=9.5,
            fontweight="bold",
        )
    end.set(
        xlabel=f"the last {LAST_PAIRS} pairs",
        xlim=(first, last + 0.6),
        xticks=(first, last),
        ylim=(35_000, 70_000),
        yticks=(40_000, 50_000, 60_000),
    )
    end.yaxis.set_major_formatter(thousands)
    # One title for both panels, where a single panel would have its own.
    title = f"The printed formula stops short of {other[-1]:,.0f} tokens"
    fig.suptitle(title, x=0.01, ha="left", size=10.5, weight="bold")
