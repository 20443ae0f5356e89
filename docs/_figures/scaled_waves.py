"""Explorer: one real model under every rule; the wavelength of each pair before and after."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from math import log10, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._configs import GPT_OSS, LLAMA_3, PHI_3
from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_table
from _figures._view import View
from _hooks.draw import listed, svg, text
from posenc_ref import (
    Frequencies,
    config_frequencies,
    read_config,
    rotary_inv_freq,
    scale_dynamic,
    scale_linear,
    scale_llama3,
    scale_ntk,
    scale_proportional,
    scale_yarn,
)

# The keys that bear on the rotation. Llama 2's and Gemma 3's stand in their files; the rope block
# of Qwen2.5 is the one that its model card says to add for long texts.
LLAMA_2: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "max_position_embeddings": 4096,
    "rope_theta": 10000.0,
}
QWEN_2_5: dict[str, Any] = {
    "model_type": "qwen2",
    "hidden_size": 3584,
    "num_attention_heads": 28,
    "num_hidden_layers": 28,
    "max_position_embeddings": 32768,
    "rope_theta": 1000000.0,
    "rope_scaling": {
        "type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 32768,
    },
}
GEMMA_3_LARGE: dict[str, Any] = {
    "model_type": "gemma3_text",
    "head_dim": 256,
    "num_hidden_layers": 34,
    "max_position_embeddings": 131072,
    "rope_theta": 1000000.0,
    "rope_local_base_freq": 10000.0,
    "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
    "sliding_window": 1024,
    "sliding_window_pattern": 6,
}
CONFIGS = {
    "llama-2": LLAMA_2,
    "llama-3": LLAMA_3,
    "qwen": QWEN_2_5,
    "phi-3": PHI_3,
    "gpt-oss": GPT_OSS,
    "gemma-3": GEMMA_3_LARGE,
}
NAMES = {
    "llama-2": "Llama 2 7B",
    "llama-3": "Llama 3.1 8B",
    "qwen": "Qwen2.5 7B, long",
    "phi-3": "Phi-3 mini 128k",
    "gpt-oss": "gpt-oss-20b",
    "gemma-3": "Gemma 3 4B, full layers",
}
# Length before extension and factor. Llama 2's file has no factor: four is an example. Gemma 3's
# has no length before extension: this is the length in the file of the 1B model, which has no rule.
SETTINGS = {
    "llama-2": (4096, 4.0),
    "llama-3": (8192, 8.0),
    "qwen": (32768, 4.0),
    "phi-3": (4096, 32.0),
    "gpt-oss": (4096, 32.0),
    "gemma-3": (32768, 8.0),
}
FILE_RULES = {
    "llama-2": "no rule; the factor is an example",
    "llama-3": "Llama 3’s rule",
    "qwen": "YaRN, in the block that its model card adds for long texts",
    "phi-3": "LongRoPE, here its long list",
    "gpt-oss": "YaRN, bounds not rounded",
    "gemma-3": "linear; the length before is that of Gemma 3 1B",
}
FULL_LAYER = {"gemma-3": 5}  # the first layer with full attention
RULES = {
    "file": "as published",
    "linear": "linear",
    "ntk": "NTK",
    "dynamic": "dynamic NTK",
    "yarn": "YaRN",
    "parts": "YaRN, paper’s ramp",
    "llama3": "Llama 3’s",
    "still": "p-RoPE ¾",
}
GUESSES = ("all of them", "nearly half", "a handful")
N_ROWS, MOST_POINTS = 8, 64
LEFT, RIGHT, FLOOR, DECADE = 46, 350, 222, 22  # the drawing; one token stands at y = FLOOR
AXES = ("model", "rule")
SAME = 1e-6


@cache
def trained(model: str) -> NDArray[np.float64]:
    """Radians a token, before extension."""
    speeds: NDArray[np.float64] = rotary_inv_freq(*read(model))
    return speeds


@cache
def read(model: str) -> tuple[int, float]:
    """Rotated width and base of the layers shown."""
    part = read_config(CONFIGS[model]).part()
    rope = part.ropes[0]
    return rope.rotary_dim, rope.base


def dynamic(model: str) -> Frequencies:
    width, base = read(model)
    length, factor = SETTINGS[model]
    return scale_dynamic(
        width, base, factor=factor, trained_length=length, seq_len=int(length * factor)
    )


def llama3(model: str) -> Frequencies:
    length, factor = SETTINGS[model]
    return scale_llama3(
        trained(model), factor=factor, low_freq_factor=1, high_freq_factor=4, trained_length=length
    )


def yarn(model: str, ramp: Any = "index") -> Frequencies:
    width, base = read(model)
    length, factor = SETTINGS[model]
    return scale_yarn(width, base, factor=factor, trained_length=length, ramp=ramp)


def in_file(model: str) -> Frequencies:
    longest = int(np.prod(SETTINGS[model]))
    layer = FULL_LAYER.get(model, 0)
    return config_frequencies(read_config(CONFIGS[model]), layer=layer, seq_len=longest)


MAKE: dict[str, Callable[[str], Frequencies]] = {
    "file": in_file,
    "linear": lambda model: scale_linear(trained(model), factor=SETTINGS[model][1]),
    "ntk": lambda model: scale_ntk(*read(model), factor=SETTINGS[model][1]),
    "dynamic": dynamic,
    "yarn": yarn,
    "parts": lambda model: yarn(model, "rotations"),
    "llama3": llama3,
    "still": lambda model: scale_proportional(*read(model), rotated_fraction=0.75),
}


@cache
def scaled(model: str, rule: str) -> Frequencies:
    return MAKE[rule](model)


@cache
def divisors(model: str, rule: str) -> NDArray[np.float64]:
    """By how much each pair is slowed; infinite for a pair at rest."""
    with np.errstate(divide="ignore"):
        slowed: NDArray[np.float64] = trained(model) / scaled(model, rule).inv_freq
    return slowed


def counts(model: str, rule: str) -> dict[str, int]:
    """How many pairs are kept, slowed by less than the factor, by it, by more, put to rest."""
    slowed, factor = divisors(model, rule), SETTINGS[model][1]
    kept, whole = np.isclose(slowed, 1, rtol=SAME), np.isclose(slowed, factor, rtol=SAME)
    at_rest = np.isinf(slowed)
    more = (slowed > factor) & ~whole & ~at_rest
    found = {
        "kept": kept,
        "less": ~(kept | whole | more | at_rest),
        "whole": whole,
        "more": more,
        "rest": at_rest,
    }
    return {name: int(which.sum()) for name, which in found.items()}


def says_counts(model: str, rule: str) -> str:
    factor = SETTINGS[model][1]
    words = {
        "kept": "keep their speed",
        "less": f"are slowed by less than {factor:g}",
        "whole": f"by exactly {factor:g}",
        "more": f"by more than {factor:g}",
        "rest": "are put to rest",
    }
    one = {"kept": "keeps its speed", "less": f"is slowed by less than {factor:g}"}
    one["rest"] = "is put to rest"
    found = {name: count for name, count in counts(model, rule).items() if count}
    parts, slowed = [], False
    for name, count in found.items():
        phrase = one.get(name, words[name]) if count == 1 else words[name]
        if name in ("whole", "more") and not slowed:
            phrase = f"{'is' if count == 1 else 'are'} slowed {phrase}"
        slowed = slowed or name in ("less", "whole", "more")
        parts.append(f"{count} {phrase}")
    if len(parts) == 1:
        (name,) = found
        return f"All {found[name]} pairs {parts[0].partition(' ')[2]}."
    return f"Of {len(trained(model))} pairs {listed(parts)}."


def says_rule(model: str, rule: str) -> str:
    if rule == "file":
        return f"As published: {FILE_RULES[model]}."
    if rule == "dynamic":
        factor = SETTINGS[model][1]
        stretch = 1 + factor * (factor - 1)
        return f"At its longest text this rule stretches by {stretch:g}."
    if rule == "still":
        return "This rule stretches nothing and has no factor; models with it are trained with it."
    if is_own(model, rule):
        return "Published like this."
    return "Not published like this: the rule is here to compare."


def is_own(model: str, rule: str) -> bool:
    return bool(np.allclose(scaled(model, rule).inv_freq, scaled(model, "file").inv_freq))


def says_slowest(model: str, rule: str) -> str:
    before, after = (
        tokens(float(found[-1])) for found in (trained(model), scaled(model, rule).inv_freq)
    )
    if after == before:
        return f"The slowest stays at {before} tokens a turn."
    if np.isinf(divisors(model, rule)[-1]):
        return f"The slowest, {before} tokens a turn before, is at rest."
    return f"The slowest goes from {before} tokens a turn to {after}."


def says_factor(model: str, rule: str) -> str:
    growth = scaled(model, rule).attention_factor
    return "1" if growth == 1 else f"{growth:.4f}"


def points(model: str) -> list[int]:
    """The pairs drawn: all, or evenly spread."""
    n_pairs = len(trained(model))
    return [round(i) for i in np.linspace(0, n_pairs - 1, min(n_pairs, MOST_POINTS))]


def row_pair(row: int, model: str) -> int:
    return round(row * (len(trained(model)) - 1) / (N_ROWS - 1))


def tokens(speed: float) -> str:
    if speed == 0:
        return "at rest"
    wave = 2 * pi / speed
    return f"{wave:,.1f}" if wave < 100 else f"{wave:,.0f}"


def level(speed: float) -> int:
    return round(FLOOR - DECADE * log10(2 * pi / speed))


def outline(model: str, speeds: NDArray[np.float64]) -> str:
    """A line over the pairs, from the fastest on; it ends where the first is at rest."""
    shown = points(model)
    across = [round(LEFT + (RIGHT - LEFT) * k / (len(shown) - 1)) for k in range(len(shown))]
    places = [
        (x, level(float(speeds[pair])))
        for x, pair in zip(across, shown, strict=True)
        if speeds[pair] > 0
    ]
    moves = (f"l{bx - ax} {by - ay}" for (ax, ay), (bx, by) in pairwise(places))
    return f"M{places[0][0]} {places[0][1]}" + "".join(moves)


def slowed_by(row: int, model: str, rule: str) -> str:
    value = divisors(model, rule)[row_pair(row, model)]
    return "–" if np.isinf(value) else f"{value:,.2f}"


def add_row(look: Lookup, row: int) -> None:
    def before(model: str) -> str:
        return tokens(float(trained(model)[row_pair(row, model)]))

    def after(model: str, rule: str) -> str:
        return tokens(float(scaled(model, rule).inv_freq[row_pair(row, model)]))

    look.text(f"pair{row}", AXES[:1], lambda model: str(row_pair(row, model)))
    look.text(f"before{row}", AXES[:1], before)
    look.text(f"after{row}", AXES, after)
    look.text(f"by{row}", AXES, lambda model, rule: slowed_by(row, model, rule))


def data() -> dict[str, Any]:
    look = Lookup({"model": CONFIGS, "rule": RULES}, {"model": "llama-3", "rule": "yarn"})
    look.text("name", AXES[:1], NAMES.__getitem__)
    look.text(
        "setting", AXES[:1], lambda model: "{:,} tokens, factor {:g}".format(*SETTINGS[model])
    )
    look.text("last", AXES[:1], lambda model: str(len(trained(model)) - 1))
    look.text("counts", AXES, says_counts)
    look.text("slowest", AXES, says_slowest)
    look.text("said", AXES, says_rule)
    look.text("attention", AXES, says_factor)
    look.path("old", AXES[:1], lambda model: outline(model, trained(model)))
    look.path("new", AXES, lambda model, rule: outline(model, scaled(model, rule).inv_freq))
    look.move("line", AXES[:1], lambda model: (0, level(2 * pi / SETTINGS[model][0])))
    for row in range(N_ROWS):
        add_row(look, row)
    return look.data()


def drawing(view: View) -> str:
    grid = "".join(
        f'<path class="faint" d="M{LEFT} {FLOOR - DECADE * power}H{RIGHT}"/>'
        + text(LEFT - 6, FLOOR - DECADE * power + 4, words, "small end")
        for power, words in ((1, "10"), (3, "1000"), (5, "10⁵"), (7, "10⁷"), (9, "10⁹"))
    )
    trained_line = f'<path class="line" d="M{LEFT} 0H{RIGHT}"/>' + text(
        LEFT + 4, -5, "trained length", "small"
    )
    foot = FLOOR - DECADE // 2
    names = text(LEFT, foot + 20, "pair 0", "small mid") + view.text(
        "last", RIGHT, foot + 20, "small end"
    )
    middle = text((LEFT + RIGHT) / 2, foot + 20, "pairs, from fast to slow", "small mid")
    head = text(LEFT - 40, 14, "wavelength, tokens", "small")
    return svg(
        "Two lines over the pairs of a head, on a scale where each grid line is a factor of a "
        "hundred: the dotted one is the wavelength before, the solid one after. A level line "
        "marks the trained length.",
        foot + 28,
        grid
        + head
        + view.group("line", trained_line)
        + view.line("old", "arc other")
        + view.line("new", "curve sum")
        + names
        + middle,
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = (
        "<tr>"
        + "".join(
            f"<td>{view.blank(f'{what}{row}')}</td>" for what in ("pair", "before", "after", "by")
        )
        + "</tr>"
        for row in range(N_ROWS)
    )
    return explorer(
        src,
        head="One model under every rule",
        guess=gate(
            "Llama 3.1 8B, but with YaRN by its factor of 8: how many of its 64 pairs are slowed "
            "by all of it?",
            GUESSES,
        ),
        controls=view.choices("model", "Model", list(NAMES.values()))
        + view.choices("rule", "Rule", list(RULES.values())),
        picture=drawing(view),
        says=f"{view.blank('name')} ({view.sentence('setting')}). {view.sentence('counts')} "
        f"{view.sentence('slowest')} Attention factor: {view.blank('attention')}. "
        f"{view.sentence('said')}",
        table=(
            "Eight of the pairs, as a table",
            number_table(("pair", "tokens a turn before", "after", "slowed by"), rows),
        ),
        lines=(10, 6),
    )
