"""Explorer with a gate: the score of telling queries and keys by distance, before and after."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_table
from _figures._view import View
from _hooks.draw import number, svg, text
from posenc_ref import (
    Frequencies,
    rotary_inv_freq,
    rotary_scores,
    scale_linear,
    scale_ntk,
    scale_yarn,
)

WIDTH, BASE, TRAINED, FARTHEST = 16, 100.0, 32, 64
BETA_FAST = 4.0  # in 32 tokens the fastest pair makes five turns
PEAK = 7
FACTORS = (2, 4, 8)
KINDS = {
    "equal": "an equal key",
    "fast": "fastest pair only",
    "slow": "slowest pair only",
    "peak": "built to peak at 7",
    "random": "random",
}
RULES = {"linear": "linear", "ntk": "NTK", "yarn": "YaRN"}
LISTED = (0, 1, 2, 4, 7, 14, 28, 56)
LEFT, TOP, PITCH, UNIT, HIGHEST = 36, 12, 4.75, 52, 1.5  # UNIT: a score of one
AXES = ("kind", "rule", "factor")


@cache
def vectors() -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """A query and a key of each kind, neighbours being pairs, both of length one."""
    n_pairs = WIDTH // 2
    equal = np.tile([1.0, 0.0], n_pairs) / np.sqrt(n_pairs)
    speeds = rotary_inv_freq(WIDTH, BASE)
    back = np.stack([np.cos(PEAK * speeds), -np.sin(PEAK * speeds)], axis=1).reshape(-1)
    some, other = np.random.default_rng(3).normal(size=(2, WIDTH))
    fast, slow = np.zeros(WIDTH), np.zeros(WIDTH)
    fast[0] = slow[-2] = 1
    return {
        "equal": (equal, equal),
        "fast": (fast, fast),
        "slow": (slow, slow),
        "peak": (back / np.sqrt(n_pairs), equal),
        "random": (some / np.linalg.norm(some), other / np.linalg.norm(other)),
    }


def frequencies(rule: str, factor: int) -> Frequencies:
    speeds = rotary_inv_freq(WIDTH, BASE)
    if rule == "linear":
        return scale_linear(speeds, factor=factor)
    if rule == "ntk":
        return scale_ntk(WIDTH, BASE, factor=factor)
    if rule == "yarn":
        return scale_yarn(WIDTH, BASE, factor=factor, trained_length=TRAINED, beta_fast=BETA_FAST)
    return Frequencies(speeds, 1.0)


@cache
def scores(kind: str, rule: str, factor: int) -> NDArray[np.float64]:
    """By distance, the key before the query; the attention factor enters squared."""
    query, key = vectors()[kind]
    speeds, growth = frequencies(rule, factor)
    distances = -np.arange(FARTHEST + 1)[None, :]
    keys = np.tile(key, (FARTHEST + 1, 1))
    row: NDArray[np.float64] = rotary_scores(
        query[None], keys, distances, speeds, layout="interleaved"
    )[0]
    return growth**2 * row


def level(score: float) -> int:
    return round(TOP + UNIT * (HIGHEST - score))


def place(distance: int) -> int:
    return round(LEFT + PITCH * distance)


def outline(kind: str, rule: str, factor: int) -> str:
    curve = scores(kind, rule, factor)
    points = [(place(distance), level(float(score))) for distance, score in enumerate(curve)]
    moves = (f"l{bx - ax} {by - ay}" for (ax, ay), (bx, by) in pairwise(points))
    return f"M{points[0][0]} {points[0][1]}" + "".join(moves)


def best(kind: str, rule: str, factor: int) -> int:
    return int(scores(kind, rule, factor).argmax())


def says_rule(rule: str, factor: int) -> str:
    growth = frequencies(rule, factor).attention_factor
    size = "leaves the size of scores alone"
    if growth != 1:
        size = f"multiplies all scores by {number(growth**2, 3)}"
    return f"The rule is {RULES[rule]} with factor {factor}; it {size}."


def data() -> dict[str, Any]:
    look = Lookup(
        {"kind": KINDS, "rule": RULES, "factor": FACTORS},
        {"kind": "peak", "rule": "linear", "factor": "4"},
    )
    look.path("old", AXES[:1], lambda kind: outline(kind, "none", FACTORS[0]))
    look.path("new", AXES, outline)
    look.text("said", AXES[1:], says_rule)
    look.text("best", AXES, lambda *state: str(best(*state)))
    look.text("best-old", AXES[:1], lambda kind: str(best(kind, "none", FACTORS[0])))
    look.number("top", AXES, lambda *state: float(scores(*state).max()))
    look.move("across", AXES, lambda *state: (place(best(*state)), 0))
    look.move("up", AXES, lambda *state: (0, level(float(scores(*state).max()))))
    for distance in LISTED:
        look.number(f"old{distance}", AXES[:1], lambda kind, t=distance: scores(kind, "none", 2)[t])
        look.number(f"new{distance}", AXES, lambda *state, t=distance: scores(*state)[t])
    return look.data()


def drawing(view: View) -> str:
    right, foot = place(FARTHEST), TOP + 2 * UNIT * HIGHEST
    lines = "".join(
        f'<path class="{"line" if value == 0 else "faint"}" d="M{LEFT} {level(value)}H{right}"/>'
        + text(LEFT - 8, level(value) + 4, number(value, 0), "small end")
        for value in (-1, 0, 1)
    )
    lines += f'<path class="faint" d="M{place(TRAINED)} {TOP}V{foot:g}"/>'
    lines += text(place(TRAINED) + 4, TOP + 10, "trained length", "small")
    ticks = "".join(text(place(n), foot + 18, n, "small mid") for n in range(0, FARTHEST + 1, 8))
    label = text((LEFT + right) / 2, foot + 38, "distance of the key, tokens back", "small mid")
    dot = view.group("across", view.group("up", '<circle class="tip other" r="5"/>'))
    return svg(
        "Two curves of the score against the distance: dotted as trained, solid under the rule, "
        "with a dot where the solid one is highest.",
        foot + 46,
        lines + ticks + label + view.line("old", "arc other") + view.line("new", "curve sum") + dot,
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = (
        f"<tr><td>{distance}</td><td>{view.blank(f'old{distance}')}</td>"
        f"<td>{view.blank(f'new{distance}')}</td></tr>"
        for distance in LISTED
    )
    return explorer(
        src,
        head="What a rule does to scores",
        guess=gate(
            "A query is built so that it looks seven tokens back. Linear scaling by four is "
            "switched on, the weights stay. Where does it look now?",
            ("still 7 back", "about 2 back", "28 back"),
        ),
        controls=view.choices("kind", "Query and key", list(KINDS.values()))
        + view.choices("rule", "Rule", list(RULES.values()))
        + view.choices("factor", "Factor"),
        picture=drawing(view),
        says=f"{view.sentence('said')} The score is highest at distance {view.blank('best')}, "
        f"where it is {view.blank('top')}; as trained it is highest at distance "
        f"{view.blank('best-old')}.",
        table=(
            "Scores as trained and under the rule, as a table",
            number_table(("tokens back", "as trained", "under the rule"), rows),
        ),
        lines=(6, 4),
    )
