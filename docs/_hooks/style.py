"""The look of every matplotlib figure: one set of rc values, two colour schemes, a few helpers.

The colours are those of `assets/css/site.css`; a test compares the two. Importing this module loads
matplotlib, which takes half a second: import it only where something is drawn.
"""

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib
from cycler import cycler
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.typing import ColorType, LineStyleType, RcKeyType
from numpy.typing import ArrayLike

Colors = Mapping[str, str]
Draw = Callable[[Figure, Any, Colors], object]

SCHEMES: dict[str, dict[str, str]] = {
    "light": {
        "paper": "#fdfcf9",
        "ink": "#1b2026",
        "ink-2": "#474e56",
        "rule": "#dcd8cc",
        "token": "#1d4fd0",
        "position": "#a45a10",
        "query": "#a8127a",
        "key": "#00522b",
        "other": "#67859a",
        "fast": "#c87400",
        "slow": "#5e3206",
        "hi": "#d9694a",
        "mid": "#fdfcf9",
        "lo": "#3d8fc0",
    },
    "dark": {
        "paper": "#12161b",
        "ink": "#eef0f2",
        "ink-2": "#b3bac2",
        "rule": "#343c46",
        "token": "#4ba0ff",
        "position": "#f8902a",
        "query": "#d68fbc",
        "key": "#63eda2",
        "other": "#b3caf0",
        "fast": "#ffd08a",
        "slow": "#d07c2a",
        "hi": "#b04a2c",
        "mid": "#12161b",
        "lo": "#2c6f9b",
    },
}

# Inches. 5 in are 360 points: text of size 10 is about 10 px on a phone, 15 px on a wide page.
SIZE = (5.0, 3.1)

# At most six things in one figure, told apart by colour and by dash: colour is never alone.
SERIES = ("ink", "token", "position", "query", "key", "other")
DASHES: tuple[LineStyleType, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (7, 2, 1, 2)),
    (0, (3, 1.5)),
    (0, (9, 3)),
)

for _font in (Path(__file__).parents[1] / "_figures").glob("*.ttf"):
    font_manager.fontManager.addfont(_font)


def rc(colors: Colors) -> dict[RcKeyType, Any]:
    """Settings for matplotlib: the site's font, a hairline grid, no frame, a clear ground."""
    ink, quiet = colors["ink"], colors["ink-2"]
    return {
        "svg.hashsalt": "posenc",  # else each run names its clip paths anew
        "svg.fonttype": "path",
        "savefig.transparent": True,
        "figure.figsize": SIZE,
        "figure.facecolor": "none",
        "figure.constrained_layout.use": True,
        "font.family": ["Posenc Text", "DejaVu Sans"],
        "font.size": 10,
        "text.color": ink,
        "axes.facecolor": "none",
        "axes.prop_cycle": cycler(color=[colors[name] for name in SERIES], linestyle=list(DASHES)),
        "axes.titlesize": 10.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 10,
        "axes.titlecolor": ink,
        "axes.labelsize": 10,
        "axes.labelcolor": quiet,
        "axes.edgecolor": quiet,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.unicode_minus": True,
        "grid.color": colors["rule"],
        "grid.linewidth": 0.6,
        "xtick.labelsize": 9.5,
        "ytick.labelsize": 9.5,
        "xtick.color": quiet,
        "ytick.color": quiet,
        "xtick.major.size": 0,
        "ytick.major.size": 0,
        "xtick.minor.size": 0,
        "ytick.minor.size": 0,
        "lines.linewidth": 2,
        "lines.solid_capstyle": "round",
        "legend.frameon": False,
    }


def diverging(colors: Colors) -> LinearSegmentedColormap:
    """The one scale of values: from -1 over 0, which is paper, to 1."""
    ends = [colors["lo"], colors["mid"], colors["hi"]]
    return LinearSegmentedColormap.from_list("value", ends, N=255)


def speeds(colors: Colors, n: int) -> list[str]:
    """`n` colours from the fastest pair to the slowest: the ramp for any ordered set."""
    ramp = LinearSegmentedColormap.from_list("speed", [colors["fast"], colors["slow"]])
    return [to_hex(ramp(j / max(n - 1, 1))) for j in range(n)]


def name_line(
    ax: Axes, x: float, y: float, label: str, color: ColorType, dx: float = 6, dy: float = 0
) -> None:
    """Write a line's name at (x, y), moved by points, in its colour: no legend to look back at."""
    ax.annotate(
        label,
        (x, y),
        (dx, dy),
        textcoords="offset points",
        color=color,
        va="center",
        fontsize=9.5,
        fontweight="bold",
        annotation_clip=False,
    )


def heat(ax: Axes, values: ArrayLike, colors: Colors) -> None:
    """A table of values from -1 to 1 as a heat map, with its scale beside it."""
    # "none" keeps one pixel a value, and a browser then scales it without blur.
    image = ax.imshow(
        values, cmap=diverging(colors), vmin=-1, vmax=1, aspect="auto", interpolation="none"
    )
    ax.grid(visible=False)
    bar = ax.figure.colorbar(image, ax=ax, ticks=[-1, 0, 1], fraction=0.04, pad=0.02)
    bar.outline.set_visible(False)


def render(draw: Draw, data: Any, scheme: str, size: tuple[float, float] = SIZE) -> bytes:
    """Draw a figure in one scheme. The same call gives the same bytes."""
    colors = SCHEMES[scheme]
    with matplotlib.rc_context(rc(colors)):
        figure = Figure(figsize=size)
        draw(figure, data, colors)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()
