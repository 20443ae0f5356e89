"""Explorer: what six real configs make of the pairs of a head, with and without their rule."""

from functools import cache
from math import log10, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._configs import DEEPSEEK_R1, GEMMA_3, GPT_OSS, LLAMA_3, OLMO_3, PHI_3
from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_table
from _figures._view import View
from _hooks.draw import svg, text
from posenc_ref import ModelPositions, config_frequencies, read_config

CONFIGS = {
    "llama-3": LLAMA_3,
    "gpt-oss": GPT_OSS,
    "r1": DEEPSEEK_R1,
    "phi-3": PHI_3,
    "olmo-3": OLMO_3,
    "gemma-3": GEMMA_3,
}
NAMES = {
    "llama-3": "Llama 3.1 8B",
    "gpt-oss": "gpt-oss-20b",
    "r1": "DeepSeek-R1",
    "phi-3": "Phi-3 mini 128k",
    "olmo-3": "OLMo 3.1 32B, full layers",
    "gemma-3": "Gemma 3 1B, full layers",
}
RULES = {"file": "as in the file", "none": "left out"}
RULE_NAMES = {"llama3": "Llama 3’s", "yarn": "YaRN", "longrope": "LongRoPE’s long list"}
FULL_LAYER = {"olmo-3": 3, "gemma-3": 5}  # the first layer with full attention
GUESSES = ("none", "about half", "all of them")
N_RUNGS = 16
LEFT, ZERO, RIGHT, DECADE, TOP, PITCH = 36, 48, 352, 25, 40, 15  # one token stands at x = ZERO
AXES = ("model", "rule")


def without_rule(config: dict[str, Any]) -> dict[str, Any]:
    """The same model as it would be if nobody had extended it.

    The block says so: where it is missing, the library may fill in a rule of its own.
    """
    return {**config, "rope_scaling": {"rope_type": "default"}}


@cache
def read(model: str) -> ModelPositions:
    return read_config(CONFIGS[model])


def lengths(model: str) -> tuple[int, int]:
    """Tokens before extension and the longest text."""
    part = read(model).part()
    assert part.trained_length is not None
    return part.trained_length, part.extended_length or part.trained_length


def rule_name(model: str) -> str:
    """The rule in the file for longer texts; empty if there is none."""
    return RULE_NAMES.get(read(model).part().ropes[0].rope_type, "")


@cache
def speeds(model: str, rule: str) -> NDArray[np.float64]:
    """Radians a token, at the longest text."""
    positions = read(model) if rule == "file" else read_config(without_rule(CONFIGS[model]))
    longest = lengths(model)[1]
    layer = FULL_LAYER.get(model, 0)
    return config_frequencies(positions, layer=layer, seq_len=longest).inv_freq


def n_pairs(model: str) -> int:
    return len(speeds(model, "none"))


def n_round(model: str) -> int:
    """Pairs that came round before extension."""
    return int(np.count_nonzero(speeds(model, "none") * lengths(model)[0] >= 2 * pi))


def n_new(model: str, rule: str) -> int:
    """Pairs that meet angles beyond those of the length before extension."""
    trained, longest = lengths(model)
    seen = np.minimum(speeds(model, "none") * trained, 2 * pi)
    met = np.minimum(speeds(model, rule) * longest, 2 * pi)
    return int(np.count_nonzero(met > seen * (1 + 1e-9)))


def pair(rung: int, model: str) -> int:
    """The pairs shown are evenly spread from the first to the last."""
    return round(rung * (n_pairs(model) - 1) / (N_RUNGS - 1))


def wave(rung: int, model: str, rule: str) -> float:
    return float(2 * pi / speeds(model, rule)[pair(rung, model)])


def tokens(wavelength: float) -> str:
    return f"{wavelength:,.1f}" if wavelength < 100 else f"{wavelength:,.0f}"


def place(length: float) -> float:
    return ZERO + DECADE * log10(length)


def says_rule(model: str, rule: str) -> str:
    if not rule_name(model):
        return "The file has no rule for longer texts, so both choices are the same."
    if rule == "none":
        return "The rule in the file is left out."
    rope = read(model).part().ropes[0]
    assert rope.factor is not None
    ratio = " (from its two lengths)" if "factor" not in rope.ladder.parameters else ""
    return f"The rule in the file, {rule_name(model)} with factor {rope.factor:g}{ratio}, is on."


def add_rung(look: Lookup, rung: int) -> None:
    look.text(f"pair{rung}", AXES[:1], lambda model: str(pair(rung, model)))
    look.text(f"wave{rung}", AXES, lambda *state: tokens(wave(rung, *state)))
    look.scale(f"bar{rung}", AXES, lambda *state: (log10(wave(rung, *state)), 1))


def data() -> dict[str, Any]:
    look = Lookup({"model": CONFIGS, "rule": RULES}, {"model": "gpt-oss", "rule": "file"})
    look.text("name", AXES[:1], NAMES.__getitem__)
    look.text("round", AXES[:1], lambda model: str(n_round(model)))
    look.text("pairs", AXES[:1], lambda model: str(n_pairs(model)))
    look.text("trained", AXES[:1], lambda model: f"{lengths(model)[0]:,}")
    look.text("longest", AXES[:1], lambda model: f"{lengths(model)[1]:,}")
    look.text("said", AXES, says_rule)
    look.text("new", AXES, lambda *state: str(n_new(*state)))
    look.move("trained-line", AXES[:1], lambda model: (place(lengths(model)[0]), TOP))
    look.move("longest-line", AXES[:1], lambda model: (place(lengths(model)[1]), TOP))
    look.show("extended", AXES[:1], lambda model: lengths(model)[0] < lengths(model)[1])
    for rung in range(N_RUNGS):
        add_rung(look, rung)
    return look.data()


def ladder(view: View) -> str:
    foot = N_RUNGS * PITCH
    rows = ""
    for rung in range(N_RUNGS):
        y = TOP + rung * PITCH
        bar = f'<path class="bars position" d="M0 3H{DECADE}V{PITCH - 3}H0z"/>'
        rows += (
            view.text(f"pair{rung}", LEFT, y + 12, "small end")
            + f'<g transform="translate({ZERO},{y})">{view.group(f"bar{rung}", bar)}</g>'
            + view.text(f"wave{rung}", RIGHT, y + 12, "small end")
        )
    marks = "".join(
        f'<path class="faint" d="M{place(10**power):g} {TOP}v{foot}"/>'
        + text(place(10**power), TOP + foot + 16, words, "small mid")
        for power, words in ((0, "1"), (2, "100"), (4, "10⁴"), (6, "10⁶"), (8, "10⁸"))
    )
    trained = f'<path class="line" d="M0 -16v{foot + 16}"/>' + text(-4, -10, "before", "small end")
    longest = f'<path class="arc sum" d="M0 -16v{foot + 16}"/>' + text(4, -10, "longest", "small")
    heads = text(LEFT, TOP - 10, "pair", "small end")
    return svg(
        "A bar for each pair shown, as long as its wavelength in tokens, on a scale where each "
        "grid line is a factor of a hundred. A line marks the length before extension, a dotted "
        "line the longest text.",
        TOP + foot + 24,
        marks
        + rows
        + heads
        + view.group("trained-line", trained)
        + view.group("extended", view.group("longest-line", longest)),
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = (
        f"<tr><td>{view.blank(f'pair{rung}')}</td><td>{view.blank(f'wave{rung}')}</td></tr>"
        for rung in range(N_RUNGS)
    )
    return explorer(
        src,
        head="What six configs make of their pairs",
        guess=gate(
            "gpt-oss-20b went from 4096 tokens to 131,072. Leave its rule out: how many of its "
            "32 pairs would meet angles that 4096 tokens never showed?",
            GUESSES,
        ),
        controls=view.choices("model", "Config", list(NAMES.values()))
        + view.choices("rule", "Rule for longer texts", list(RULES.values())),
        picture=ladder(view),
        says=f"{view.blank('name')}: {view.blank('round')} of {view.blank('pairs')} pairs come "
        f"round within the {view.blank('trained')} tokens before extension. "
        f"{view.sentence('said')} The slowest pair needs {view.blank(f'wave{N_RUNGS - 1}')} "
        f"tokens for a turn. The longest text has {view.blank('longest')} tokens; pairs that meet "
        f"new angles in it: {view.blank('new')}.",
        table=("Pairs shown, as a table", number_table(("pair", "tokens a turn"), rows)),
        lines=(8, 5),
    )
