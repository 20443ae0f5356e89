"""Explorer: how much of the angles of a longer text a model has seen in training, pair by pair."""

from functools import cache
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_table
from _figures._view import View
from _hooks.draw import svg, text
from posenc_ref import rotary_inv_freq, scale_linear

# Features that turn, base, and the length before any extension. From the published configs, but
# for Llama 2's length, which its paper says: the first file gave half of it.
MODELS = {
    "llama-2": (128, 10_000.0, 4096),
    "llama-3": (128, 500_000.0, 8192),
    "mixtral": (128, 1_000_000.0, 32768),
    "gpt-oss": (64, 150_000.0, 4096),
    "gemma": (256, 10_000.0, 8192),
    "phi-2": (32, 10_000.0, 2048),
}
NAMES = {
    "llama-2": "Llama 2 7B",
    "llama-3": "Llama 3 8B",
    "mixtral": "Mixtral 8x7B",
    "gpt-oss": "gpt-oss-20b",
    "gemma": "Gemma 7B",
    "phi-2": "Phi-2",
}
RATIOS = (1, 2, 4, 8, 16, 32)
WAYS = {"as": "as they are", "squeezed": "divided by the ratio"}
GUESSES = ("all 64 pairs", "about half", "about a quarter", "none")
N_RUNGS = 16
LEFT, ZERO, TURN, RIGHT, TOP, PITCH = 36, 50, 200, 352, 40, 15  # a turn is TURN wide, from ZERO
AXES = ("model", "ratio", "way")


@cache
def speeds(model: str) -> NDArray[np.floating]:
    width, base, _ = MODELS[model]
    return rotary_inv_freq(width, base)


@cache
def seen(model: str) -> NDArray[np.floating]:
    """Turns that training has shown in each pair, from 0 to a whole one."""
    turns: NDArray[np.floating] = np.minimum(speeds(model) * MODELS[model][2] / (2 * pi), 1)
    return turns


@cache
def met(model: str, ratio: int, way: str) -> NDArray[np.floating]:
    """Turns that a text `ratio` times as long reaches in each pair, from 0 to a whole one."""
    factor = ratio if way == "squeezed" else 1
    slowed = scale_linear(speeds(model), factor=factor).inv_freq
    turns: NDArray[np.floating] = np.minimum(slowed * MODELS[model][2] * ratio / (2 * pi), 1)
    return turns


def share(model: str, ratio: int, way: str) -> NDArray[np.floating]:
    """Of the angles met, how much was seen."""
    return np.minimum(seen(model) / met(model, ratio, way), 1)


def n_new(model: str, ratio: int, way: str) -> int:
    return int(np.count_nonzero(share(model, ratio, way) < 1 - 1e-9))


def pair(rung: int, model: str) -> int:
    """The pairs shown are evenly spread from the first to the last."""
    return round(rung * (len(speeds(model)) - 1) / (N_RUNGS - 1))


def percent(part: float) -> str:
    """Of a share, with one digit where that digit is not a zero."""
    return f"{100 * part:.1f}".removesuffix(".0") + "%"


def says_new(model: str, ratio: int, way: str) -> str:
    count, pairs = n_new(model, ratio, way), len(speeds(model))
    if count == 0:
        return f"None of its {pairs} pairs meets a new angle."
    slowest = percent(float(share(model, ratio, way)[-1]))
    meets = "pair meets" if count == 1 else "pairs meet"
    return (
        f"{count} of its {pairs} {meets} new angles; of those that the slowest pair meets, "
        f"training has shown {slowest}."
    )


def says_step(ratio: int, way: str) -> str:
    if way == "squeezed" and ratio > 1:
        return (
            f"From token to token the fastest pair turns by {1 / ratio:g} of a radian, "
            f"{ratio} times less than in training."
        )
    return "From token to token the fastest pair turns by one radian, as in training."


def add_rung(look: Lookup, rung: int) -> None:
    look.text(f"pair{rung}", AXES[:1], lambda model: str(pair(rung, model)))
    look.scale(f"seen{rung}", AXES[:1], lambda model: (seen(model)[pair(rung, model)], 1))
    look.scale(f"met{rung}", AXES, lambda *state: (met(*state)[pair(rung, state[0])], 1))
    look.text(f"share{rung}", AXES, lambda *state: percent(share(*state)[pair(rung, state[0])]))


def data() -> dict[str, Any]:
    look = Lookup(
        {"model": MODELS, "ratio": RATIOS, "way": WAYS},
        {"model": "llama-2", "ratio": "8", "way": "as"},
    )
    look.text("name", AXES[:1], NAMES.__getitem__)
    look.text("trained", AXES[:1], lambda model: f"{MODELS[model][2]:,}")
    look.text("tested", AXES[:2], lambda model, ratio: f"{MODELS[model][2] * ratio:,}")
    look.text("new", AXES, says_new)
    look.text("step", AXES[1:], says_step)
    for rung in range(N_RUNGS):
        add_rung(look, rung)
    return look.data()


def ladder(view: View) -> str:
    foot = TOP + N_RUNGS * PITCH
    rows = ""
    for rung in range(N_RUNGS):
        y = TOP + rung * PITCH
        # One under the other, so that each can be seen where they are equally long.
        reached = f'<path class="bars key" d="M0 9H{TURN}V{PITCH - 2}H0z"/>'
        known = f'<path class="bars position" d="M0 2H{TURN}V8H0z"/>'
        rows += (
            view.text(f"pair{rung}", LEFT, y + 12, "small end")
            + f'<g transform="translate({ZERO},{y})">'
            + view.group(f"met{rung}", reached)
            + view.group(f"seen{rung}", known)
            + "</g>"
            + view.text(f"share{rung}", RIGHT, y + 12, "small end")
        )
    marks = "".join(
        f'<path class="{kind}" d="M{ZERO + TURN * part:g} {TOP - 4}V{foot + 4}"/>'
        + text(ZERO + TURN * part, foot + 18, words, "small mid")
        for part, words, kind in ((0, "0", "line"), (0.5, "½ turn", "faint"), (1, "1 turn", "line"))
    )
    heads = (
        text(LEFT, TOP - 12, "pair", "small end")
        + text(ZERO + TURN / 2, TOP - 12, "thick: seen · thin: met", "small mid")
        + text(RIGHT, TOP - 12, "seen of met", "small end")
    )
    return svg(
        "Two bars for each pair shown, from nothing to a whole turn: above, thick, the angles "
        "that training has shown; below, thin, those that the longer text meets. Beside them "
        "stands which share of the second is in the first.",
        foot + 26,
        marks + rows + heads,
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = (
        f"<tr><td>{view.blank(f'pair{rung}')}</td><td>{view.blank(f'share{rung}')}</td></tr>"
        for rung in range(N_RUNGS)
    )
    return explorer(
        src,
        head="Which angles has training shown?",
        guess=gate(
            "Llama 2 has 64 pairs and was trained on 4,096 tokens. Let it read 32,768 without any "
            "change: how many pairs meet angles that they never met?",
            GUESSES,
        ),
        controls=view.choices("model", "Model, before any extension", list(NAMES.values()))
        + view.choices("ratio", "Text read, times the trained length")
        + view.choices("way", "Positions", list(WAYS.values())),
        picture=ladder(view),
        says=f"{view.blank('name')}, trained on {view.blank('trained')} tokens, reads "
        f"{view.blank('tested')}. {view.sentence('new')} {view.sentence('step')}",
        table=(
            "Pairs shown, as a table",
            number_table(("pair", "share of the angles met that was seen"), rows),
        ),
        lines=(7, 4),
    )
