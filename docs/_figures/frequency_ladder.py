"""Explorer: the pairs of a head as rungs; how often each turns in the trained length."""

from functools import cache
from math import log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_table
from _figures._view import View
from _hooks.draw import svg, text
from posenc_ref import rotary_inv_freq

HEAD_DIMS = (16, 64, 128)
BASES = {"1e4": "10,000", "5e5": "500,000", "1e6": "1,000,000"}
LENGTHS = (2048, 4096, 8192, 32768)
N_RUNGS = 16
GUESSES = ("all of them", "about three quarters", "about a quarter")
LEFT, ONE, RIGHT, DECADE, TOP, PITCH = 36, 176, 352, 28, 34, 15  # one turn stands at x = ONE
AXES = ("dim", "base", "trained")


@cache
def waves(dim: int, base: str) -> NDArray[np.floating]:
    """How many tokens each pair needs for a turn."""
    wavelengths: NDArray[np.floating] = 2 * np.pi / rotary_inv_freq(dim, float(base))
    return wavelengths


def pair(rung: int, dim: int) -> int:
    """The pairs shown are all, or evenly spread from the first to the last.

    Where a head has fewer pairs than there are rungs, the rungs too many stand for its last pair.
    """
    n_pairs = dim // 2
    last = min(n_pairs, N_RUNGS) - 1
    return round(min(rung, last) * (n_pairs - 1) / last)


def wave(rung: int, dim: int, base: str) -> float:
    return float(waves(dim, base)[pair(rung, dim)])


def tokens(wavelength: float) -> str:
    return f"{wavelength:,.1f}" if wavelength < 100 else f"{wavelength:,.0f}"


def turned(turns: float) -> str:
    """Turns with three digits that count."""
    digits = 0 if turns >= 100 else 1 if turns >= 10 else 2 if turns >= 1 else 4
    return f"{turns:,.{digits}f}"


def add_rung(look: Lookup, rung: int) -> None:
    def turns(dim: int, base: str, trained: int) -> str:
        return turned(trained / wave(rung, dim, base))

    def bar(dim: int, base: str, trained: int) -> tuple[float, int]:
        return log10(trained / wave(rung, dim, base)), 1

    look.show(f"rung{rung}", AXES[:1], lambda dim: rung < dim // 2)
    look.text(f"pair{rung}", AXES[:1], lambda dim: str(pair(rung, dim)))
    look.text(f"wave{rung}", AXES[:2], lambda dim, base: tokens(wave(rung, dim, base)))
    look.text(f"turns{rung}", AXES, turns)
    look.scale(f"bar{rung}", AXES, bar)


def data() -> dict[str, Any]:
    look = Lookup(
        {"dim": HEAD_DIMS, "base": BASES, "trained": LENGTHS},
        {"dim": "128", "base": "1e4", "trained": "4096"},
    )
    look.text("whole", AXES, lambda dim, base, n: str((waves(dim, base) <= n).sum()))
    look.text("pairs", AXES[:1], [str(dim // 2) for dim in HEAD_DIMS])
    for rung in range(N_RUNGS):
        add_rung(look, rung)
    return look.data()


def ladder(view: View) -> str:
    foot = TOP + N_RUNGS * PITCH
    rows = ""
    for rung in range(N_RUNGS):
        y = TOP + rung * PITCH
        bar = f'<path class="bars position" d="M0 3H{DECADE}V{PITCH - 3}H0z"/>'
        inner = (
            view.text(f"pair{rung}", LEFT, y + 12, "small end")
            + f'<g transform="translate({ONE},{y})">{view.group(f"bar{rung}", bar)}</g>'
            + view.text(f"turns{rung}", RIGHT, y + 12, "small end")
        )
        rows += view.group(f"rung{rung}", inner)
    marks = "".join(
        f'<path class="faint" d="M{ONE + DECADE * decade} {TOP}V{foot}"/>'
        for decade in (-4, -2, 2, 4)
    )
    marks += f'<path class="line" d="M{ONE} {TOP - 4}V{foot + 4}"/>'
    heads = (
        text(LEFT, TOP - 10, "pair", "small end")
        + text(ONE, TOP - 10, "one turn", "small mid")
        + text(RIGHT, TOP - 10, "turns", "small end")
    )
    ends = text(ONE - 58, foot + 18, "← less", "small mid")
    ends += text(ONE + 58, foot + 18, "more →", "small mid")
    return svg(
        "A rung for each pair shown: a bar to the right of the line has made one turn or more, a "
        "bar to the left less. Each grid line is a factor of a hundred.",
        foot + 26,
        marks + rows + heads + ends,
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = (
        view.element(
            "tr",
            f"rung{rung}",
            "".join(
                f"<td>{view.blank(f'{what}{rung}')}</td>" for what in ("pair", "wave", "turns")
            ),
        )
        for rung in range(N_RUNGS)
    )
    slowest = N_RUNGS - 1
    return explorer(
        src,
        head="How often does each pair turn?",
        guess=gate(
            "Head width 128, base 10,000, trained on 4096 tokens: how many pairs turn at "
            "least once?",
            GUESSES,
        ),
        controls=view.choices("dim", "Head width")
        + view.choices("base", "Base", list(BASES.values()))
        + view.choices("trained", "Trained length, tokens"),
        picture=ladder(view),
        says=f"{view.blank('whole')} of {view.blank('pairs')} pairs turn at least once in the "
        f"trained length. The slowest needs {view.blank(f'wave{slowest}')} tokens for a turn, so "
        f"it makes {view.blank(f'turns{slowest}')} turns.",
        table=(
            "Pairs shown, as a table",
            number_table(("pair", "tokens a turn", "turns in the trained length"), rows),
        ),
    )
