"""Explorer: the pairs of a head as rungs; how often each turns in the trained length."""

from typing import Any

import numpy as np

from _figures._controls import number_table
from _figures._lookup import Lookup, View, explorer, gate
from _hooks.draw import text
from posenc_ref import rotary_inv_freq

HEAD_DIMS = (16, 64, 128)
BASES = {"1e4": 1e4, "5e5": 5e5, "1e6": 1e6}
LENGTHS = (2048, 4096, 8192, 32768)
BASE_WORDS = ("10,000", "500,000", "1,000,000")
N_RUNGS = 16
GUESSES = ("all of them", "about three quarters", "about a quarter")
LEFT, ONE, DECADE, TOP, PITCH = 36, 176, 28, 34, 15  # one turn stands at x = ONE


def rungs(n_pairs: int) -> list[int]:
    """The pairs shown: all, or evenly spread from the first to the last."""
    places = np.linspace(0, n_pairs - 1, min(n_pairs, N_RUNGS))
    return [round(place) for place in places]


def tokens(wavelength: float) -> str:
    return f"{wavelength:,.1f}" if wavelength < 100 else f"{wavelength:,.0f}"


def turned(turns: float) -> str:
    """Turns with three digits that count."""
    digits = 0 if turns >= 100 else 1 if turns >= 10 else 2 if turns >= 1 else 4
    return f"{turns:,.{digits}f}"


def data() -> dict[str, Any]:
    waves = [
        [2 * np.pi / rotary_inv_freq(dim, base) for base in BASES.values()] for dim in HEAD_DIMS
    ]
    by = ("dim", "base", "trained")
    look = Lookup(
        {
            "dim": [str(d) for d in HEAD_DIMS],
            "base": list(BASES),
            "trained": [str(n) for n in LENGTHS],
        },
        {"dim": "128", "base": "1e4", "trained": "4096"},
    )
    look.text(
        "whole", by, [[[str(int((w <= n).sum())) for n in LENGTHS] for w in row] for row in waves]
    )
    look.text("pairs", ("dim",), [str(dim // 2) for dim in HEAD_DIMS])
    look.text("slowest", by[:2], [[tokens(w[-1]) for w in row] for row in waves])
    look.text("made", by, [[[turned(n / w[-1]) for n in LENGTHS] for w in row] for row in waves])
    shown = [rungs(dim // 2) for dim in HEAD_DIMS]
    for rung in range(N_RUNGS):
        there = [rung < len(pairs) for pairs in shown]
        pair = [pairs[min(rung, len(pairs) - 1)] for pairs in shown]
        wave = [[w[pair[d]] for w in waves[d]] for d in range(len(shown))]
        look.show(f"rung{rung}", ("dim",), there)
        look.text(f"pair{rung}", ("dim",), [str(p) for p in pair])
        look.text(f"wave{rung}", by[:2], [[tokens(w) for w in row] for row in wave])
        look.text(
            f"turns{rung}", by, [[[turned(n / w) for n in LENGTHS] for w in row] for row in wave]
        )
        look.scale(
            f"bar{rung}",
            by,
            [
                [[[round(float(np.log10(n / w)), 3), 1] for n in LENGTHS] for w in row]
                for row in wave
            ],
        )
    return look.data()


def words(view: View, name: str, x: float, y: float, classes: str) -> str:
    return f'<text data-k="{name}" x="{x}" y="{y}" class="{classes}">{view.words(name)}</text>'


def ladder(view: View) -> str:
    foot = TOP + N_RUNGS * PITCH
    rows = ""
    for rung in range(N_RUNGS):
        y = TOP + rung * PITCH
        bar = f'<path class="bars position" d="M0 3H{DECADE}V{PITCH - 3}H0z"/>'
        inner = (
            words(view, f"pair{rung}", LEFT, y + 12, "small end")
            + f'<g transform="translate({ONE},{y})">{view.group(f"bar{rung}", bar)}</g>'
            + words(view, f"turns{rung}", 352, y + 12, "small end")
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
        + text(352, TOP - 10, "turns", "small end")
    )
    ends = text(ONE - 58, foot + 18, "← less", "small mid") + text(
        ONE + 58, foot + 18, "more →", "small mid"
    )
    return (
        f'<svg class="wide" viewBox="0 0 360 {foot + 26}" role="img" aria-label="A rung for each '
        "pair shown: a bar to the right of the line has made one turn or more, a bar to the left "
        f'less. Each grid line is a factor of a hundred.">{marks}{rows}{heads}{ends}</svg>'
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = []
    for rung in range(N_RUNGS):
        off = "" if view.value(f"rung{rung}") else " data-off"
        cells = "".join(f"<td>{view.blank(f'{k}{rung}')}</td>" for k in ("pair", "wave", "turns"))
        rows.append(f'<tr data-k="rung{rung}"{off}>{cells}</tr>')
    return explorer(
        src,
        head="How often does each pair turn?",
        guess=gate(
            "Head width 128, base 10,000, trained on 4096 tokens: how many pairs turn at "
            "least once?",
            GUESSES,
        ),
        controls=view.choices("dim", "Head width")
        + view.choices("base", "Base", BASE_WORDS)
        + view.choices("trained", "Trained length, tokens"),
        picture=ladder(view),
        says=f"{view.blank('whole')} of {view.blank('pairs')} pairs turn at least once in the "
        f"trained length. The slowest needs {view.blank('slowest')} tokens for a turn, so "
        f"it makes {view.blank('made')} turns.",
        table=(
            "Pairs shown, as a table",
            number_table(("pair", "tokens a turn", "turns in the trained length"), rows),
        ),
    )
