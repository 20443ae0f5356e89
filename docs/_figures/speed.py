"""How long each way of making the same thing takes, as a multiple of the memory's own speed."""

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from _hooks.style import Colors

RESULTS = Path(__file__).parents[2] / "bench" / "results.json"
PANELS = {
    "sinusoidal 8192 x 4096 float32": "Sinusoidal table, 8192 × 4096",
    "RoPE on q (1, 32, 4096, 128) float32": "RoPE on 32 heads × 4096 × 128",
    "cosines and sines 131072 x 64 float32": "Cosines and sines, 131,072 × 64",
}
SIZE = (5.0, 6.4)


def measured() -> dict[str, Any]:
    return dict(json.loads(RESULTS.read_text("utf-8")))


def group(name: str) -> dict[str, dict[str, float]]:
    """The rows of one group by the name of the candidate."""
    [found] = [group for group in measured()["groups"] if group["name"] == name]
    return {row["name"]: row for row in found["rows"]}


def data() -> dict[str, Any]:
    return {
        title: {name: row["ratio"] for name, row in group(source).items()}
        for source, title in PANELS.items()
    }


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    panels = fig.subplots(
        len(data), 1, sharex=True, height_ratios=[len(rows) for rows in data.values()]
    )
    for ax, (title, rows) in zip(panels, data.items(), strict=True):
        for place, (name, ratio) in enumerate(sorted(rows.items(), key=lambda row: -row[1])):
            ours, limit = name.startswith("posenc_ref"), name.startswith("np.")
            color = colors["position" if ours else "ink-2" if limit else "other"]
            marker = "o" if ours else "|" if limit else "s"
            ax.plot([1, ratio], [place, place], color=color, lw=1.4)
            ax.plot(ratio, place, marker, color=color, ms=6)
            ax.annotate(
                f"{ratio:.3g}×", (ratio, place), (8, 0), textcoords="offset points",
                color=colors["ink"], va="center", fontsize=9,
            )  # fmt: skip
        ax.set(
            title=title,
            yticks=range(len(rows)),
            yticklabels=sorted(rows, key=lambda name: -rows[name]),
            ylim=(-0.6, len(rows) - 0.4),
            xscale="log",
            xlim=(0.5, 200),
        )
        ax.tick_params(axis="y", labelsize=8.5)
        ax.grid(visible=False, axis="y")
    panels[-1].set(
        xticks=(1, 10, 100),
        xticklabels=("1×", "10×", "100×"),
        xlabel="time, as a multiple of writing the result once",
    )
