"""What a reader of configs gave back, in the words of a table's cells."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from posenc_ref.model_positions import ModelPositions, Part, Rope

SCHEMES = {
    "rope": "RoPE",
    "rope_2d": "axial RoPE",
    "rope_2d_text": "RoPE, two streams",
    "learned": "learned table",
    "learned+rope_2d": "learned table + axial RoPE",
    "sinusoidal": "sinusoidal table",
    "sine_2d": "sinusoidal grid",
    "alibi": "ALiBi",
    "t5_bias": "T5 buckets",
    "deberta": "DeBERTa terms",
    "transformer_xl": "Transformer-XL terms",
    "conv": "convolution",
    "none": "none",
}
LAYOUTS = {
    "interleaved input, halves out": "interleaved in, half out",
    "sin half then cos half": "sines, then cosines",
    "sin and cos interleaved": "sines and cosines in turn",
}
NO_KEYS = ("library default", "rule", "assumed")
RULES = {"yarn": "YaRN", "longrope": "LongRoPE", "llama3": "Llama 3", "ntk": "NTK"}
LENGTH = "max_position_embeddings"
WOULD_MATTER = ("rope_theta", "partial_rotary_factor", LENGTH)
"""Keys that say something in most files; where nothing reads them, a row tells."""


def scheme(kind: str) -> str:
    """How positions enter; a kind that is new to this file keeps its own name."""
    return SCHEMES.get(kind, kind.replace("_", " "))


def layout(kind: str, name: str | None) -> str | None:
    """Which features go together, for a rotation and for sines and cosines."""
    if name is None or not kind.startswith(("rope", "sin")):
        return None
    return LAYOUTS.get(name, name)


def part(row: Mapping[str, Any]) -> str:
    """The part, and the layers where it has several kinds."""
    if row["layers"] == "all":
        return str(row["part"])
    return f"{row['part']}, {row['layers'].removesuffix('_attention').replace('_', ' ')} layers"


def origin(text: str | None) -> str | None:
    """Where a value came from: a key by its name, or one of `NO_KEYS`."""
    if text is None or text == "rule of the model type":
        return text and "rule"
    if text.startswith("library default"):
        return "library default"
    return ", ".join(step.removeprefix("key ") for step in text.split(", "))


def base(part: Part, rope: Rope | None) -> float | None:
    """The number whose powers are the frequencies, of a rotation or of a table."""
    return rope.base if rope else part.facts.get("base")


def base_from(model: ModelPositions, part: Part, rope: Rope | None) -> str | None:
    """Where that number was read."""
    where = f"{part.name}.ropes[{rope.applies_to}].base" if rope else f"{part.name}.base"
    return origin(model.origin.get(where))


def length(model: ModelPositions, part: Part, rope: Rope | None) -> tuple[int | None, str | None]:
    """Positions before any extension, and where that was read.

    A table has as many positions as rows that a token can get.
    """
    if rope and rope.trained_length:
        key = "original_max_position_embeddings"
        filled_in = any(f"{key} is missing" in found.text for found in model.warnings)
        return rope.trained_length, LENGTH if filled_in else key
    if part.trained_length:
        return part.trained_length, origin(model.origin.get(f"{part.name}.{LENGTH}"))
    for name in ("usable_positions", "trained_length"):
        if part.facts.get(name):
            return part.facts[name], origin(model.origin.get(f"{part.name}.{name}"))
    if part.facts.get("rows"):
        rows = part.facts["rows"] - part.facts.get("first_row_used", 0)
        return rows, origin(model.origin.get(f"{part.name}.rows"))
    return None, None


def widths(part: Part, rope: Rope | None) -> tuple[int | None, int | None]:
    """Features that a query and a key are compared over, and how many of them turn."""
    if rope is None:
        return (part.head_dim if isinstance(part.head_dim, int) else None), None
    streams = 2 if part.kind == "rope_2d_text" else 1  # each turns a half of the head
    head = rope.head_dim if isinstance(part.head_dim, Mapping) else part.query_dim
    return head or rope.head_dim, streams * rope.rotary_dim


def stretched(rope: Rope) -> bool:
    """Whether a rule for longer texts changes the frequencies."""
    return rope.rope_type not in ("default", "proportional")


def extended_length(part: Part, rope: Rope | None) -> int | None:
    """Tokens after the extension, on the layers that have it."""
    if rope is None or (any(map(stretched, part.ropes)) and not stretched(rope)):
        return None
    return part.extended_length


def extension(row: Mapping[str, Any]) -> str:
    """The rule and its factor."""
    rule = row["rope_type"]
    if rule is None or rule == "default":
        return "–"
    name = RULES.get(rule, rule)
    return name if row["factor"] is None else f"{name} × {row['factor']:g}"


# ---- exceptions


def exceptions(model: ModelPositions, part: Part, rope: Rope | None) -> Iterator[str]:
    """What a row's numbers do not say, most surprising first."""
    if rope:
        yield from _of_rope(rope)
    yield from _of_softmax(part)
    yield from _of_layers(part, rope)
    yield from _of_facts(part.facts)


def _of_rope(rope: Rope) -> Iterator[str]:
    if rope.rotary_slice.startswith("separate"):
        yield f"a rotary part of {rope.rotary_dim} beside one that does not turn"
    elif rope.rotary_slice != "all" and not rope.rotary_slice.startswith("first "):
        yield rope.rotary_slice
    if rope.inv_freq_long is not None:
        yield f"another list of divisors past {rope.trained_length:,} tokens"
    if not math.isclose(rope.attention_factor, 1):
        yield f"cosines and sines × {rope.attention_factor:.4g}"
    if rope.ladder.parameters.get("truncate") is False:
        yield "ramp not rounded (truncate false)"


def _of_softmax(part: Part) -> Iterator[str]:
    scale = part.softmax_scale
    if scale is None:
        return
    if part.query_dim is None:
        if scale == 1:
            yield "softmax scale 1"
        return
    ratio = scale * math.sqrt(part.query_dim)
    if not math.isclose(ratio, 1, rel_tol=1e-6):
        yield f"softmax scale × {ratio:.4g}"


def _of_layers(part: Part, rope: Rope | None) -> Iterator[str]:
    layers = part.layers
    if layers is None:
        return
    n = layers.n_layers
    if len(layers.attention) < n:
        yield f"{len(layers.attention)} of {n} layers attend"
    if part.ropes and layers.unpositioned:
        yield f"{len(layers.unpositioned)} of {n} layers without positions"
    if layers.window is not None and (not rope or rope.applies_to != "full_attention"):
        yield f"window of {layers.window:,} on {_share(len(layers.windowed), n)}"
    if layers.chunk is not None and layers.unpositioned:
        yield f"chunks of {layers.chunk:,} on {_share(len(layers.rotated), n)}"
    for name, some in layers.further.items():
        yield f"{len(some)} of {n} layers {name.replace('_', ' ')}"


def _share(count: int, n: int) -> str:
    return "every layer" if count == n else f"{count} of {n} layers"


def _of_facts(facts: Mapping[str, Any]) -> Iterator[str]:
    if "mrope" in facts:
        sections = " + ".join(map(str, facts["mrope"]["section"]))
        yield f"M-RoPE, {facts['mrope']['order']} pairs: {sections}"
    if "query_temperature" in facts:
        where = facts["query_temperature"]["on"].replace("nope layers", "layers without positions")
        floor = facts["query_temperature"]["floor"]
        yield f"queries grow {f'past {floor:,} tokens' if floor else 'far out'} on {where}"
    if facts.get("first_row_used"):
        yield f"the first token gets row {facts['first_row_used']}"
    if facts.get("extrapolates"):
        yield "the table grows when needed"
    if facts.get("embedding_scale", 1) != 1:
        yield f"token vectors × {facts['embedding_scale']:.4g}"
    if facts.get("stored_in_checkpoint"):
        yield "the table is stored in the checkpoint"
    if "grid" in facts:
        height, width = facts["grid"]
        rows = facts.get("prefix_rows", 0)
        yield f"grid of {height} × {width}" + (f" and {rows} more" if rows else "")
    for shape in facts.get("tables", {}).values():
        if all(shape):
            yield "table of " + " × ".join(f"{size:,}" for size in shape)
    if "num_buckets" in facts:
        reach = facts.get("max_distance")
        yield f"{facts['num_buckets']} buckets to distance {reach}"
    if "slopes" in facts:
        yield f"{len(facts['slopes'])} slopes"
    if facts.get("log_buckets"):
        yield f"distances in {2 * facts['position_buckets']} buckets"
    if facts.get("absolute_positions") is False:
        yield "no absolute table"
    if "kernel" in facts:
        yield f"kernel of {facts['kernel']}"
    for name in ("order", "what"):
        if isinstance(facts.get(name), str):
            yield facts[name]


def other_cases(row: Mapping[str, Any]) -> str | None:
    """Schemes and layouts that other keys of a file would choose."""
    found = [
        word
        for case in row.get("cases", ())
        for word in (
            scheme(case["kind"]) if "kind" in case else None,
            layout("rope", case.get("layout")) if "kind" not in case else None,
        )
        if word
    ]
    return f"some files: {', '.join(found)}" if found else None
