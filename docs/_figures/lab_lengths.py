"""Loss of models that were trained on 64 tokens, by the length of what they read."""

from typing import Any

from matplotlib.figure import Figure

from _figures._lab import LENGTHS, TRAINED, by_seed, flat, loss
from _figures._lab_draw import SHOWN, draw_lines
from _figures._lab_draw import SIZE as SIZE
from _hooks.style import SERIES, Colors

FLAT = 0.05  # nats


def data() -> dict[str, Any]:
    longest = max(LENGTHS)
    return {
        "flat": [words for name, words in SHOWN.items() if flat(name, longest, within=FLAT)],
        "means": {name: [loss(name, n) for n in LENGTHS] for name in SHOWN},
        "seeds": {name: [list(by_seed(name, n)) for n in LENGTHS] for name in SHOWN},
    }


def title(flat: list[str]) -> str:
    if len(flat) == 1:
        return f"Only {flat[0]} stays flat past the trained length"
    return f"{len(flat)} of {len(SHOWN)} schemes stay flat past the end"


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    ax = fig.subplots()
    draw_lines(ax, LENGTHS, data["means"], colors, apart=0.1)
    for color, seeds in zip(SERIES, data["seeds"].values(), strict=True):
        for length, losses in zip(LENGTHS, seeds, strict=True):
            ax.plot([length] * len(losses), losses, "o", color=colors[color], ms=2.6)
    ax.set_xscale("log", base=2)
    ax.set_xticks(LENGTHS, [f"{n}" if n > TRAINED else f"{n}\n(trained)" for n in LENGTHS])
    ax.minorticks_off()
    ax.set(
        title=title(data["flat"]),
        xlabel="length of the text (characters, doubling)",
        ylabel="validation loss (nats a character)",
        xlim=(60, 830),
    )
