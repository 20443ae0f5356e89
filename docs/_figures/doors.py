"""Three small marks of the home page, drawn from the sinusoidal table: cells, waves and dials."""

from typing import Any

from _hooks.draw import cell
from posenc_ref import sinusoidal_at, sinusoidal_table

SPEED_SHADES = (0, 50, 100)


def data() -> dict[str, Any]:
    waves = sinusoidal_at([0.5 * step for step in range(57)], 16)
    return {
        "cells": sinusoidal_table(5, 16).round(2).tolist(),
        "waves": [waves[:, 2 * pair].round(3).tolist() for pair in (0, 1, 2)],
        "dials": sinusoidal_table(6, 8)[[5, 2]].round(3).tolist(),
    }


def svg(inner: str) -> str:
    return f'<svg viewBox="0 0 144 46" width="144" height="46" aria-hidden="true">{inner}</svg>'


def strip() -> str:
    """The top of the table."""
    rows = "".join(
        f'<g transform="translate(0 {9.2 * i:g})">'
        + "".join(cell(9 * j, value, "bare", 8, 8) for j, value in enumerate(row))
        + "</g>"
        for i, row in enumerate(data()["cells"])
    )
    return svg(rows)


def lines() -> str:
    """The sines of the first three pairs, fast to slow."""
    return svg(
        "".join(
            f'<path class="hand thin" style="--c:color-mix(in oklab,var(--pe-fast),var(--pe-slow) '
            f'{shade}%)" d="M'
            + "L".join(f"{2.5 * x + 2:g} {23 - 20 * value:.1f}" for x, value in enumerate(wave))
            + '"/>'
            for wave, shade in zip(data()["waves"], SPEED_SHADES, strict=True)
        )
    )


def dial() -> str:
    """Positions 5 and 2 as hands of the first three pairs: they drift apart ever more slowly."""
    later, earlier = data()["dials"]
    shapes = []
    for pair in range(3):
        x = 24 + 48 * pair
        shapes.append(f'<circle class="faint" cx="{x}" cy="23" r="21"/>')
        for row, what in ((later, "query"), (earlier, "key")):
            sine, cosine = row[2 * pair : 2 * pair + 2]
            tip = f"{x + 18 * cosine:.1f} {23 - 18 * sine:.1f}"
            shapes.append(f'<path class="hand thin {what}" d="M{x} 23L{tip}"/>')
    return svg("".join(shapes))


MARKS = {"strip": strip, "lines": lines, "dial": dial}
