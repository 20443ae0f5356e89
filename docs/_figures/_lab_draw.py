"""Lines of the lab's figures: one for each scheme, named at its end."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from _hooks.style import SERIES, Colors, name_line

SIZE = (5.0, 3.6)
SHOWN = {
    "none": "none",
    "learned": "learned",
    "sinusoidal_scaled": "sinusoidal",
    "rope": "RoPE",
    "alibi": "ALiBi",
    "t5": "T5",
}
Lines = Mapping[str, Sequence[float]]


def draw_lines(ax: Axes, x: Sequence[float], lines: Lines, colors: Colors, *, apart: float) -> None:
    """All schemes, in the order and the colours that all figures of the lab have.

    Args:
        ax: Where.
        x: What the values of each line belong to.
        lines: Of each scheme of `SHOWN`, in its order.
        colors: Of the scheme of colours.
        apart: How far from one another names stand at least, in the unit of the values.
    """
    for line in lines.values():
        ax.plot(x, line, lw=1.7)
    height = -float("inf")
    for name in sorted(lines, key=lambda name: lines[name][-1]):
        height = max(lines[name][-1], height + apart)
        color = colors[SERIES[list(SHOWN).index(name)]]
        name_line(ax, x[-1], height, SHOWN[name], color, dx=7)
