"""Validation loss while training, for each scheme."""

from typing import Any

from matplotlib.figure import Figure

from _figures._lab import curve, gap_after, steps
from _figures._lab_draw import SHOWN, draw_lines
from _figures._lab_draw import SIZE as SIZE
from _hooks.style import Colors

FIRST = 100  # step; before, all fall alike


def data() -> dict[str, Any]:
    shown = [step for step in steps() if step >= FIRST]
    return {
        "steps": shown,
        "curves": {name: curve(name)[-len(shown) :] for name in SHOWN},
        "final_gap": gap_after("none", "learned", shown[-1]).mean,
    }


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    ax = fig.subplots()
    draw_lines(ax, data["steps"], data["curves"], colors, apart=0.062)
    ax.set(
        title=f"A learned table saves {data['final_gap']:.2f} nats in the end",
        xlabel="training steps",
        ylabel="validation loss (nats a character)",
        xlim=(0, 2520),
    )
    ax.set_xticks(range(0, 2001, 500), ["0", "500", "1,000", "1,500", "2,000"])
