"""`posenc compare`: what differs between the positions of two configs."""

import argparse
import math
from typing import Any

from posenc_ref.command_io import STANDARD_INPUT, columns, load, one_line, say, say_json
from posenc_ref.explain import ranges
from posenc_ref.model_positions import ModelPositions

CELLS = (26, 26, 26)
FOLLOWS = (
    *("inv_freq_first3", "inv_freq_last", "n_freqs", "slopes_first3", "slopes_last"),
    "softmax_scale_over_inverse_sqrt_head_dim",
)
"""Keys that say again what others say."""
FIRST = ("kind", "layout", "head_dim")
Values = dict[str, Any]


def run(options: argparse.Namespace) -> int:
    """Print the differences. Exit code 0 if there is none, else 1."""
    if options.a == options.b == STANDARD_INPUT:
        raise ValueError("A and B must not both be standard input")
    models = load(options.a), load(options.b)
    found = differences(*models)
    if options.json:
        a, b = (
            {"path": path, "model_type": model.model_type}
            for path, model in zip((options.a, options.b), models, strict=True)
        )
        say_json({"a": a, "b": b, "same": not found, "differences": found})
    else:
        say(_text(options, models, found))
    return 1 if found else 0


def differences(a: ModelPositions, b: ModelPositions) -> list[Values]:
    """Part, key and both values, for each value that differs; what is not there is None.

    The number of layers is left out: by itself it says nothing of positions.
    """
    left, right = _values(a), _values(b)
    found = []
    for part in dict.fromkeys([*left, *right]):
        if part not in left or part not in right:
            kinds = (side[part]["kind"] if part in side else None for side in (left, right))
            found.append(dict(zip(("part", "key", "a", "b"), (part, "kind", *kinds), strict=True)))
            continue
        for key in dict.fromkeys([*left[part], *right[part]]):
            one, other = left[part].get(key), right[part].get(key)
            if not same(one, other):
                found.append({"part": part, "key": key, "a": one, "b": other})
    return found


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, numbers to a relative 1e-9."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=0.0)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def _values(model: ModelPositions) -> dict[str, Values]:
    """The values of each part by key; a second part of one name is counted."""
    found: dict[str, Values] = {}
    for part in model.to_dict()["parts"]:
        name, number = part.pop("part"), 1
        while (label := name if number == 1 else f"{name} {number}") in found:
            number += 1
        ropes, layers = part.pop("ropes", []), part.pop("layers", {})
        values = {key: part.pop(key) for key in FIRST if key in part}
        for rope in ropes:
            kind = rope.pop("applies_to")
            prefix = "" if kind == "all" else f"{kind}: "
            values |= {f"{prefix}{key}": value for key, value in rope.items()}
        values |= part
        values |= {f"layers: {key}": value for key, value in layers.items() if key != "n"}
        found[label] = {
            key: value for key, value in values.items() if key.rpartition(": ")[2] not in FOLLOWS
        }
    return found


def _text(
    options: argparse.Namespace,
    models: tuple[ModelPositions, ModelPositions],
    found: list[Values],
) -> str:
    lines = []
    for label, path, model in zip("AB", (options.a, options.b), models, strict=True):
        lines.append(one_line(f"{label}  {path} ({model.model_type or 'no model_type'})"))
        if not model.known:
            lines.append("   not in the table of model types: only its keys are compared")
    lines.append("")
    if not found:
        return "\n".join([*lines, "No difference in positions."])
    part = None
    for item in found:
        if item["part"] != part:
            part = item["part"]
            lines += ([""] if lines[-1] else []) + [part]
        lines += _row(item["key"], item["a"], item["b"])
    return "\n".join(lines)


def _row(key: str, a: Any, b: Any) -> list[str]:
    label = key.replace("_", " ")
    if key.endswith(("inv_freq", "inv_freq_long")) and a and b and len(a) == len(b):
        ratios = [y / x for x, y in zip(a, b, strict=True) if x and y and not same(x, y)]
        if ratios:
            text = f"{len(ratios)} of {len(a)} pairs differ; B over A from "
            text += f"{min(ratios):.4g} to {max(ratios):.4g}"
            return columns((label, text), (CELLS[0], CELLS[1] + CELLS[2]))
    return columns((label, _shown(key, a), _shown(key, b)), CELLS)


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if key.endswith(("inv_freq", "inv_freq_long", "slopes")):
        return f"{len(value)} numbers, {value[0]:.6g} to {value[-1]:.6g}"
    if isinstance(value, dict):
        words = (f"{name} {_shown(key, item)}" for name, item in value.items())
        return "; ".join(words) or "none"
    if isinstance(value, list) and key.startswith("layers: "):
        return ranges(value)
    if isinstance(value, list):
        return ", ".join(_shown("", item) for item in value) or "none"
    return str(value)
