"""What the figures of the speed page share: the results of `make bench`, and a row for each way."""

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from _hooks.style import Colors

RESULTS = Path(__file__).parents[2] / "bench" / "results.json"
SIZE = (5.0, 2.7)


def measured() -> dict[str, Any]:
    return dict(json.loads(RESULTS.read_text("utf-8")))


def group(name: str) -> dict[str, dict[str, float]]:
    """The rows of one group of measurements, by the name of what was timed."""
    [found] = [group for group in measured()["groups"] if group["name"] == name]
    return {row["name"]: row for row in found["rows"]}


def ratios(name: str) -> dict[str, float]:
    return {way: row["ratio"] for way, row in group(name).items()}


def draw_ratios(fig: Figure, ratios: dict[str, float], colors: Colors, title: str) -> None:
    """The slowest at the bottom. Ours are discs, others squares, the memory's own speed a bar."""
    rows = sorted(ratios.items(), key=lambda row: -row[1])
    ax = fig.subplots()
    for place, (name, ratio) in enumerate(rows):
        ours, limit = name.startswith("posenc_ref"), name.startswith("np.")
        color = colors["position" if ours else "ink-2" if limit else "other"]
        marker = "o" if ours else "|" if limit else "s"
        ax.plot([1, ratio], [place, place], color=color, lw=1.4)
        ax.plot(ratio, place, marker, color=color, ms=6)
        ax.annotate(
            f"{ratio:.3g}×",
            (ratio, place),
            (8, 0),
            textcoords="offset points",
            color=colors["ink"],
            va="center",
            fontsize=9.5,
        )
    ax.set(
        title=title,
        yticks=range(len(rows)),
        yticklabels=[name for name, _ in rows],
        ylim=(-0.6, len(rows) - 0.4),
        ylabel="way",
        xscale="log",
        xlim=(0.9, 200),
        xticks=(1, 10, 100),
        xticklabels=("1×", "10×", "100×"),
        xlabel="time, as a multiple of writing the result",
    )
    ax.tick_params(axis="y", labelsize=9)
    ax.grid(visible=False, axis="y")
