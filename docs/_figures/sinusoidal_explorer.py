"""Explorer: one cell of the sinusoidal table at a time, in three published conventions."""

from typing import Any

import numpy as np

from _figures._controls import blank, choices, slider
from _figures._tables import number_row, number_table
from _hooks.draw import number
from posenc_ref import sinusoidal_inv_freq, sinusoidal_table
from posenc_ref.sinusoidal import Exponent

N_POSITIONS = 64
WIDTHS = (4, 8, 16, 64)
EXPONENTS: tuple[Exponent, ...] = ("paper", "tensor2tensor")
CONVENTIONS = (
    ("paper-interleaved", "paper"),
    ("paper-concatenated", "two halves"),
    ("tensor2tensor-concatenated", "Tensor2Tensor"),
)
NOTES = (
    "Sine and cosine of a pair are neighbours, as the paper prints them.",
    "All sines first, then all cosines: the same numbers in other places.",
    "Two halves, and exponent i/(d/2 − 1): other numbers, too.",
)
SCALE = 10_000  # values are stored as whole ten-thousandths

# The first state.
POSITION, DIMENSION, WIDTH = 5, 2, 16


def table(exponent: Exponent, width: int) -> dict[str, Any]:
    """One table: sines and cosines stand in pairs, and `order` says where a layout puts them."""
    speeds = sinusoidal_inv_freq(width, exponent=exponent)
    angles = np.arange(N_POSITIONS)[:, None] * speeds
    values = sinusoidal_table(N_POSITIONS, width, exponent=exponent)
    columns = list(range(width))
    return {
        "divisor": [float(f"{1 / speed:.5g}") for speed in speeds],
        "angle": angles.round(4).tolist(),
        "value": (values * SCALE).round().astype(int).tolist(),
        "order": {"interleaved": columns, "concatenated": columns[0::2] + columns[1::2]},
    }


def data() -> dict[str, Any]:
    return {
        f"{exponent}-{width}": table(exponent, width) for exponent in EXPONENTS for width in WIDTHS
    }


def parts(data: dict[str, Any]) -> dict[str, Any]:
    """Two small files a table; a reader fetches those of the tables that he looks at."""
    files = {}
    for name, table in data.items():
        files[f"{name}-angles"] = {key: table[key] for key in ("divisor", "angle")}
        files[f"{name}-values"] = {key: table[key] for key in ("value", "order")}
    return files


def rows(shown: dict[str, Any], position: int) -> list[str]:
    """The rows of the table of one position: one a pair."""
    result = []
    for pair, divisor in enumerate(shown["divisor"]):
        words = (str(pair), f"{divisor:g}", number(shown["angle"][position][pair], 4))
        both = shown["value"][position][2 * pair : 2 * pair + 2]
        result.append(number_row(words, [value / SCALE for value in both]))
    return result


def sentence(shown: dict[str, Any]) -> str:
    pair, cosine = divmod(shown["order"]["interleaved"][DIMENSION], 2)
    function, wave = (("sin", "sine"), ("cos", "cosine"))[cosine]
    divisor = f"{shown['divisor'][pair]:g}"
    angle = number(shown["angle"][POSITION][pair], 4)
    value = number(shown["value"][POSITION][2 * pair + cosine] / SCALE, 4)
    notes = "".join(
        f'<span data-note="{key}"{"" if k == 0 else " hidden"}>{note}</span>'
        for k, ((key, _), note) in enumerate(zip(CONVENTIONS, NOTES, strict=True))
    )
    return (
        f"Position {blank('position', POSITION)}, dimension {blank('dimension', DIMENSION)}: "
        f"the {blank('wave', wave)} of pair {blank('pair', pair)}.<br>"
        f"{blank('formula', f'{function}({POSITION} / {divisor}) = {function}({angle}) = {value}')}"
        f"<br>{notes}"
    )


def widget(data: dict[str, Any], src: str) -> str:
    shown = data[f"paper-{WIDTH}"]
    widths = choices("width", "Width, d_model", [(str(w), str(w)) for w in WIDTHS], str(WIDTH))
    conventions = choices("convention", "Convention", CONVENTIONS, CONVENTIONS[0][0])
    table = number_table(("pair", "divide by", "angle", "sine", "cosine"), rows(shown, POSITION))
    return f"""<pe-sinusoidal-explorer class="explorer" data-src="{src}">
<form autocomplete="off">
<div class="head">One table, cell by cell <span class="scale" role="img"
aria-label="Colour scale from −1, blue, to 1, red"><i></i></span></div>
<div class="controls">
{slider("position", "Position", POSITION, N_POSITIONS - 1, what="position")}
{slider("dimension", "Dimension", DIMENSION, WIDTH - 1)}
{widths}
{conventions}
</div>
<p class="says" role="status">{sentence(shown)}</p>
<div class="heat">
<canvas width="{WIDTH}" height="{N_POSITIONS}" role="img"
aria-label="Heat map: position down, dimension across. The sliders above choose a cell."></canvas>
<span class="axis down" aria-hidden="true">position →</span>
<span class="axis across" aria-hidden="true">dimension →</span>
<i class="mark row" hidden></i><i class="mark spot" hidden></i>
</div>
<details><summary>This position as a table</summary>{table}</details>
</form>
</pe-sinusoidal-explorer>"""
