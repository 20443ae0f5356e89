"""`posenc explain`: a config in words, and the frequencies of one layer in numbers."""

import argparse
import dataclasses
import math
from typing import Any

import numpy as np

from posenc_ref.command_io import columns, load, one_line, part_name, say, say_json
from posenc_ref.explain import explain
from posenc_ref.ladders import frequencies_at, trained_frequencies
from posenc_ref.model_positions import ModelPositions, Part
from posenc_ref.models import config_frequencies, rope_of_layer

LABELLED, GROUPS = (20, 58), (30, 48)
PAIRS = (6, 14, 16, 16, 14)


def run(options: argparse.Namespace) -> int:
    """Print what was asked for. Exit code 0."""
    model = load(options.path)
    if options.layer is not None:
        name = part_name(model, options.part)
        numbers = layer_numbers(model, name, options.layer, options.seq_len)
        if options.json:
            say_json(numbers)
        else:
            say(_layer_text(numbers))
        return 0
    if options.part is not None:
        name = part_name(model, options.part)
        parts = tuple(part for part in model.parts if part.name == name)
        model = dataclasses.replace(model, parts=parts)
    groups = [] if options.seq_len is None else groups_at(model, options.seq_len)
    if options.json:
        extra = {} if options.seq_len is None else {"seq_len": options.seq_len, "at_length": groups}
        say_json(model.to_dict() | extra)
        return 0
    text = explain(model)
    if options.seq_len is not None:
        text += "\n" + _length_text(model, groups, options.seq_len)
    say(text.rstrip("\n"))
    return 0


def layer_numbers(
    model: ModelPositions, name: str, layer: int, seq_len: int | None
) -> dict[str, Any]:
    """The frequencies of one layer, pair by pair.

    `turns` is how often a pair came round within the trained length, before a rule
    slowed it down; `scaled_by` what the rule multiplies its frequency by. A pair
    that does not turn has no wavelength and was scaled by nothing.

    Raises:
        ValueError: If there is no such part or layer, or the layer is not rotated.
    """
    frequencies = config_frequencies(model, part=name, layer=layer, seq_len=seq_len)
    part = model.part(name)
    rope = rope_of_layer(part, layer)
    before = trained_frequencies(rope.ladder)
    pairs = []
    for number, frequency in enumerate(frequencies.inv_freq.tolist()):
        unscaled = before[number] if number < len(before) else 0.0
        turns = None
        if part.trained_length is not None:
            turns = unscaled * part.trained_length / math.tau
        pairs.append(
            {
                "pair": number,
                "inv_freq": frequency,
                "wavelength": math.tau / frequency if frequency else None,
                "turns": turns,
                "scaled_by": frequency / unscaled if unscaled else None,
            }
        )
    return {
        "model_type": model.model_type,
        "part": name,
        "layer": layer,
        "applies_to": rope.applies_to,
        "seq_len": seq_len,
        "rope_type": rope.rope_type,
        "base": rope.base,
        "trained_length": part.trained_length,
        "attention_factor": frequencies.attention_factor,
        "pairs": pairs,
    }


def _layer_text(numbers: dict[str, Any]) -> str:
    name = numbers["model_type"] or "a config without model_type"
    kind = "" if numbers["applies_to"] == "all" else f" ({numbers['applies_to']})"
    lines = [one_line(f"{name}, {numbers['part']}, layer {numbers['layer']}{kind}"), ""]
    rows = {
        "rope type": f"{numbers['rope_type']}, base {numbers['base']:.10g}",
        "attention factor": f"{numbers['attention_factor']:.6g}",
        "trained length": f"{_plain(numbers['trained_length'])} tokens",
        "frequencies for": "a text within the trained length"
        if numbers["seq_len"] is None
        else f"a text of {numbers['seq_len']} tokens",
    }
    for label, text in rows.items():
        lines += columns((label, text), LABELLED)
    lines += ["", *_right("pair", "frequency", "wavelength", "turns", "scaled by")]
    for pair in numbers["pairs"]:
        lines += _right(*map(_plain, pair.values()))
    lines += [
        "",
        "  frequency   radians per token",
        "  wavelength  tokens for one turn",
        "  turns       within the trained length, before scaling",
        "  scaled by   what the rope type multiplies the frequency by",
    ]
    return "\n".join(lines)


def _right(*cells: str) -> list[str]:
    return ["".join(f"{cell:>{width}}" for cell, width in zip(cells, PAIRS, strict=True))]


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def groups_at(model: ModelPositions, seq_len: int) -> list[dict[str, Any]]:
    """Each group of rotated layers, for a text of so many tokens."""
    groups = []
    for part in model.parts:
        for rope in part.ropes:
            frequencies = frequencies_at(rope.ladder, seq_len)
            groups.append(
                {
                    "part": part.name,
                    "applies_to": rope.applies_to,
                    "attention_factor": frequencies.attention_factor,
                    "inv_freq": frequencies.inv_freq.tolist(),
                }
            )
    return groups


def _length_text(model: ModelPositions, groups: list[dict[str, Any]], seq_len: int) -> str:
    lines = [f"For a text of {seq_len} tokens"]
    ropes = [rope for part in model.parts for rope in part.ropes]
    for rope, group in zip(ropes, groups, strict=True):
        kind = "" if rope.applies_to == "all" else f" ({rope.applies_to})"
        now, within = np.array(group["inv_freq"]), rope.inv_freq
        changed = int(np.count_nonzero(now != within))
        text = "frequencies as above"
        if changed:
            text = (
                f"{changed} of {len(now)} pairs turn at another speed than above, the slowest in "
                f"{math.tau / now[now > 0].min():,.0f} tokens"
            )
        text += f"; attention factor {group['attention_factor']:.6g}"
        lines += columns((group["part"] + kind, text), GROUPS)
    for part in model.parts:
        for line in _past_the_end(part, seq_len):
            lines += columns((part.name, line), GROUPS)
    return "\n".join(lines) if len(lines) > 1 else f"{lines[0]}: no number here depends on it."


def _past_the_end(part: Part, seq_len: int) -> list[str]:
    """What becomes of tokens beyond a table, or beyond what the model has seen."""
    rows = part.facts.get("usable_positions")
    if isinstance(rows, int) and not isinstance(rows, bool) and seq_len > rows:
        return [f"the table has {rows} positions: {seq_len - rows} tokens have none"]
    reach = part.extended_length or part.trained_length
    if reach is not None and seq_len > reach:
        return [f"{seq_len - reach} tokens beyond the {reach} that the config is made for"]
    return []
