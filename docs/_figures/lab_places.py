"""Loss by place within a text of 512, by models that were trained on 64."""

from typing import Any

from matplotlib.figure import Figure

from _figures._lab import BIN, TRAINED, by_place
from _figures._lab_draw import SHOWN, draw_lines
from _figures._lab_draw import SIZE as SIZE
from _hooks.style import Colors

INSIDE = TRAINED // BIN


def added(row: list[float]) -> float:
    """How much more is lost at a place outside than at one inside, on average."""
    return sum(row[INSIDE:]) / len(row[INSIDE:]) - sum(row[:INSIDE]) / INSIDE


def data() -> dict[str, Any]:
    places = {name: by_place(name) for name in SHOWN}
    return {"places": places, "added": {name: added(row) for name, row in places.items()}}


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    ax = fig.subplots()
    n_bins = len(data["places"]["none"])
    middles = [BIN * k + BIN / 2 for k in range(n_bins)]
    draw_lines(ax, middles, data["places"], colors, apart=0.12)
    ax.axvline(TRAINED, color=colors["ink-2"], lw=0.9, ls=":")
    ax.annotate(
        "trained up to here",
        (TRAINED, 1),
        (6, -2),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        va="top",
        fontsize=9.5,
        color=colors["ink-2"],
    )
    ax.set(
        title=f"Past place {TRAINED} a learned table adds {data['added']['learned']:.1f} nats",
        xlabel=f"place in a text of {n_bins * BIN} characters",
        ylabel="validation loss (nats a character)",
        xlim=(0, 640),
    )
    ax.set_xticks([0, 64, 128, 256, 384, 512])
