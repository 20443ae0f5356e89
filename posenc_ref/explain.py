"""Explanation of a config that was read. Result: text of at most 80 columns."""

import math
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

from posenc_ref.ladders import trained_frequencies
from posenc_ref.model_positions import Layers, ModelPositions, Part, Rope
from posenc_ref.printable import printable

WIDTH = 80
LABEL = 20
KINDS = {
    "rope": "rotation of queries and keys (RoPE)",
    "rope_2d": "rotation of queries and keys by row and column (axial RoPE)",
    "rope_2d_text": "rotation by two position streams (RoPE, one for each half of a head)",
    "learned": "learned table, added to the token vectors",
    "learned+rope_2d": "learned table, and rotation by row and column",
    "sinusoidal": "sinusoidal table, added to the token vectors",
    "sine_2d": "sinusoidal table of rows and columns, added",
    "alibi": "bias on the scores that grows with distance (ALiBi)",
    "t5_bias": "bias on the scores, learned for each bucket of distances (T5)",
    "deberta": "score terms between content and relative position (DeBERTa)",
    "transformer_xl": "score terms with relative sinusoids (Transformer-XL)",
    "conv": "convolution over the input, which sees the neighbours",
    "none": "no positions of its own",
    "unknown": "unknown: no key here says how positions enter",
}
LAYOUTS = {
    "half": "half: feature i with feature i + {half}",
    "interleaved": "interleaved: features 2i and 2i + 1",
    "interleaved input, halves out": "reads features 2i and 2i + 1, writes halves",
}
SIGNS = {"contradiction": "!=", "fallback": "?", "risk": "!", "note": "-"}
SHORT = ("slopes_first3", "slopes")


def explain(model: ModelPositions) -> str:
    """A config as a person would explain it.

    Args:
        model: What `read_config` gave.

    Returns:
        Text of at most 80 columns, with each part, its numbers and where they came
        from, then what is contradictory, filled in or risky.

    Raises:
        TypeError: If `model` is something else.

    Examples:
        >>> from posenc_ref import explain, read_config
        >>> text = explain(read_config({"model_type": "gpt2"}))
        >>> print(text.splitlines()[2])
        text: learned table, added to the token vectors
    """
    if not isinstance(model, ModelPositions):
        raise TypeError(f"model must be what read_config gives, got {type(model).__name__}")
    name = model.model_type or "a config without model_type"
    title = name if model.known else f"{name} (not in the table of model types)"
    lines = [*textwrap.wrap(title, WIDTH), ""]
    for part in model.parts:
        lines += [*_part(part, model), ""]
    if model.warnings:
        lines.append("What to know")
        for found in model.warnings:
            lines += _wrapped(f"{SIGNS[found.kind]:<2} {found.kind}: ", found.text, indent=5)
        lines.append("")
    return printable("\n".join(lines).rstrip() + "\n", kept="\n")


def _wrapped(head: str, text: str, *, indent: int) -> list[str]:
    return textwrap.wrap(head + text, WIDTH, initial_indent="  ", subsequent_indent=" " * indent)


def _row(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        f"{label:<{LABEL - 2}}{text}",
        WIDTH,
        initial_indent="  ",
        subsequent_indent=" " * LABEL,
        break_long_words=False,
    )


def _part(part: Part, model: ModelPositions) -> list[str]:
    lines = textwrap.wrap(f"{part.name}: {KINDS.get(part.kind, part.kind)}", WIDTH)
    if part.kind.startswith("rope") or part.ropes:
        if part.layout is None and part.ropes:
            lines += _row("pair layout", "not told by a config: it stands in the model's code")
        elif part.layout is not None and part.ropes:
            half = part.ropes[0].ladder.head_dim // 2
            if part.ropes[0].rope_type != "proportional":
                half = part.ropes[0].rotary_dim // 2
            lines += _row("pair layout", LAYOUTS[part.layout].format(half=half))
    for rope in part.ropes:
        lines += _rope(rope, part, model)
    if part.softmax_scale is not None:
        lines += _row("softmax scale", _scale(part))
    for key, value in part.facts.items():
        if key not in SHORT:
            lines += _row(key.replace("_", " "), _plain(value))
    if part.layers is not None:
        length = _length(part)
        if length:
            lines += _row("length", length)
        lines += _layers(part.layers, bool(part.ropes))
    return lines


def _scale(part: Part) -> str:
    scale = part.softmax_scale or 0.0
    if part.query_dim is None:
        return f"{scale:.6g}"
    ratio = scale * math.sqrt(part.query_dim)
    times = "" if math.isclose(ratio, 1, rel_tol=1e-6) else f" x {ratio:.6g}"
    return f"{scale:.6g} = 1 / sqrt({part.query_dim}){times}"


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return "; ".join(f"{key} {_plain(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    return str(value)


def _rope(rope: Rope, part: Part, model: ModelPositions) -> list[str]:
    origin = model.origin
    where = f"{part.name}.ropes[{rope.applies_to}]"
    lines = []
    if rope.applies_to != "all":
        lines += _row("layers of kind", rope.applies_to)
    width = "all" if rope.rotary_slice == "all" else rope.rotary_slice
    lines += _row("rotated", f"{width}: {rope.rotary_dim} features, {len(rope.inv_freq)} pairs")
    base = f"{rope.base:.10g}"
    lines += _row("base", f"{base} ({origin.get(f'{where}.base', 'rule of the model type')})")
    lines += _row("rope type", _rule(rope))
    moving = rope.inv_freq[rope.inv_freq > 0]
    if len(moving):
        low, high = 2 * np.pi / moving.max(), 2 * np.pi / moving.min()
        lines += _row("wavelengths", f"{_tokens(low)} to {_tokens(high)} tokens")
    if part.trained_length and len(moving):
        trained = trained_frequencies(rope.ladder)
        turning = int(np.count_nonzero(trained * part.trained_length >= 2 * np.pi))
        text = f"{turning} of {len(trained)} pairs within {part.trained_length} trained tokens"
        lines += _row("come round once", text)
    if rope.attention_factor != 1:
        text = f"{rope.attention_factor:.6g} on cosines and sines, so its square on scores"
        lines += _row("attention factor", text)
    return lines


def _tokens(length: float) -> str:
    return f"{length:.3g}" if length < 100 else f"{length:,.0f}"


def _rule(rope: Rope) -> str:
    words = [rope.rope_type]
    if rope.factor is not None:
        given = "" if "factor" in rope.ladder.parameters else " (from the two lengths)"
        given = " (alpha)" if rope.rope_type == "ntk" else given
        words.append(f"factor {rope.factor:g}{given}")
    hidden = ("factor", "short_factor", "long_factor", "alpha")
    words += [
        f"{key} {_plain(value)}"
        for key, value in rope.ladder.parameters.items()
        if key not in hidden
    ]
    if rope.inv_freq_long is not None:
        words.append(f"another list of divisors beyond {rope.trained_length} tokens")
    return ", ".join(words)


def _length(part: Part) -> str:
    if part.trained_length is None:
        return ""
    if part.extended_length is None:
        return f"{part.trained_length} tokens"
    return f"{part.trained_length} tokens, extended to {part.extended_length}"


def _layers(layers: Layers, rotates: bool) -> list[str]:
    lines = _row("layers", f"{layers.n_layers}")
    if len(layers.attention) < layers.n_layers:
        lines += _row("that attend", ranges(layers.attention))
    if rotates and layers.unpositioned:
        lines += _row("that rotate", ranges(layers.rotated))
    if layers.unpositioned:
        lines += _row("without positions", ranges(layers.unpositioned))
    if layers.window is not None:
        everywhere = len(layers.windowed) == layers.n_layers
        text = "all" if everywhere else ranges(layers.windowed)
        lines += _row("window", f"{layers.window} tokens on layers {text}")
    if layers.chunk is not None:
        lines += _row("chunks", f"{layers.chunk} tokens")
    return lines


def ranges(numbers: Sequence[int]) -> str:
    """Layer numbers, runs of three and more joined."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(_run(run) for run in runs) or "none"


def _run(run: Iterable[int]) -> str:
    first, *rest = run
    if len(rest) < 2:
        return ", ".join(map(str, (first, *rest)))
    return f"{first}-{rest[-1]}"
