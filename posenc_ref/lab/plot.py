"""Curves drawn in text, for a terminal of 80 columns."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Points: TypeAlias = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 80, 16
LEFT = 8  # columns for the numbers of the vertical axis
MARKS = "ox+*#@%&=~"


def plot(
    curves: Mapping[str, Points], *, x_label: str, y_label: str, doubling: bool = False
) -> str:
    """Points of several curves, each with a mark of its own.

    Args:
        curves: Points (x, y) of each curve, by its label; up to ten curves, finite
            numbers. Where two fall on one place, the first is seen.
        x_label: What runs to the right.
        y_label: What runs up.
        doubling: Whether equal steps to the right are equal factors; x is then above 0.

    Returns:
        Lines of at most 80 columns.

    Raises:
        ValueError: If there is no point, or there are too many curves.

    Examples:
        >>> from posenc_ref.lab.plot import plot
        >>> drawn = plot({"falling": [(1, 3.0), (2, 1.0)]}, x_label="step", y_label="loss")
        >>> print(drawn.splitlines()[0], drawn.splitlines()[-1], sep="; ")
        loss; o falling
    """
    points = [point for curve in curves.values() for point in curve]
    if not points:
        raise ValueError("curves must have at least one point, got none")
    if len(curves) > len(MARKS):
        raise ValueError(f"curves must be at most {len(MARKS)}, got {len(curves)}")
    right = [math.log2(x) if doubling else x for x, _ in points]
    low_x, high_x = min(right), max(right)
    low_y, high_y = min(y for _, y in points), max(y for _, y in points)
    columns = WIDTH - LEFT - 3
    paper = [[" "] * columns for _ in range(HEIGHT)]
    for mark, curve in reversed(list(zip(MARKS, curves.values(), strict=False))):
        for x, y in curve:
            column = _place(math.log2(x) if doubling else x, low_x, high_x, columns)
            paper[HEIGHT - 1 - _place(y, low_y, high_y, HEIGHT)][column] = mark
    lines = [y_label]
    for row, cells in enumerate(paper):
        number = f"{high_y - row * (high_y - low_y) / (HEIGHT - 1):.3g}" if row % 5 == 0 else ""
        lines.append(f"{number:>{LEFT}} |{''.join(cells)}".rstrip())
    ends = f"{min(x for x, _ in points):g}", f"{max(x for x, _ in points):g}"
    lines.append(f"{'':>{LEFT}} +{'-' * columns}")
    room = columns - len(ends[0]) - len(ends[1])
    lines.append(f"{'':>{LEFT}}  {ends[0]}{x_label:^{room}}{ends[1]}")
    legend = ""
    for mark, label in zip(MARKS, curves, strict=False):
        entry = f"{mark} {label}"
        if legend and len(legend) + len(entry) + 3 > WIDTH:
            lines.append(legend)
            legend = ""
        legend = f"{legend}   {entry}" if legend else entry
    return "\n".join([*lines, legend])


def _place(value: float, low: float, high: float, n: int) -> int:
    return round((value - low) / (high - low) * (n - 1)) if high > low else 0
