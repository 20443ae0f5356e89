"""Which layers attend, rotate, and see a window: from the rules of a model type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from posenc_ref.expressions import LARGEST, MOST_LAYERS, ConfigError, refuse, whole
from posenc_ref.model_positions import Layers, Rope

# Kinds of layer without self-attention, under the names that configs and the table have for them.
NOT_ATTENTION = ("linear_attention", "conv", "mamba", "moe", "mlp", "recurrent", "cross_attention")
Evaluate = Callable[[Any, str], Any]


def layer_types_of(value: Any) -> tuple[str, ...]:
    """The kind of each layer, checked to be words; empty where the model type has no kinds."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise refuse("layer_types", "a list of words, one for each layer", value)
    if len(value) > MOST_LAYERS:
        raise ConfigError(f"layer_types must be at most {MOST_LAYERS} long, got {len(value)}")
    return tuple(value)


def read_layers(
    row: Mapping[str, Any], types: tuple[str, ...], ropes: Sequence[Rope], value: Evaluate
) -> Layers | None:
    """Which layer does what; None where the number of layers is not known."""
    count = value("$num_hidden_layers", "layers.n")
    if count is None and types:
        count = len(types)
    if count is None:
        return None
    n = whole("num_hidden_layers", count, at_least=0, at_most=MOST_LAYERS)
    if types and len(types) != n:
        raise ConfigError(
            f"layer_types must have one entry for each of num_hidden_layers ({n}), got {len(types)}"
        )
    attention = tuple(i for i in range(n) if not types or types[i] not in NOT_ATTENTION)
    groups = {rope.applies_to for rope in ropes}
    turning = set(attention)
    if groups and "all" not in groups and types:
        turning = {i for i in attention if types[i] in groups}
    flags = value(row.get("rotates"), "layers.rope")
    if flags is not None:
        turning &= _flagged(flags, n, types)
    only = row.get("rotates_types")
    if only and types:
        turning = {i for i in turning if types[i] in only}
    rotated = tuple(i for i in attention if i in turning) if ropes else ()
    window, windowed = _window(row, types, attention, value)
    chunk = value(row.get("chunk"), "layers.attention_chunk_size")
    further = {k: value(rule, f"layers.{k}") for k, rule in row.get("layer_facts", {}).items()}
    return Layers(
        n,
        attention,
        rotated,
        windowed,
        window,
        types if len(set(types)) > 1 else (),
        None
        if chunk is None
        else whole("attention_chunk_size", chunk, at_least=1, at_most=LARGEST),
        {key: item for key, item in further.items() if item is not None},
    )


def _flagged(flags: Any, n: int, types: Sequence[str]) -> set[int]:
    """Layers whose flag is 1: in `no_rope_layers` too, 1 says that a layer rotates."""
    if not isinstance(flags, list) or len(flags) != n:
        raise refuse("no_rope_layers", f"a list with 0 or 1 for each of the {n} layers", flags)
    for flag in flags:
        if flag not in (0, 1):
            raise refuse("no_rope_layers", "made of 0 and 1 (1: the layer rotates)", flag)
    return {i for i in range(n) if flags[i]}


def _window(
    row: Mapping[str, Any], types: Sequence[str], attention: Sequence[int], value: Evaluate
) -> tuple[int | None, tuple[int, ...]]:
    rule = row.get("window")
    if rule is None:
        return None, ()
    size = value(rule.get("size", "$sliding_window"), "layers.window")
    if size is None or size is False or (size == -1):
        return None, ()
    window = whole("sliding_window", size, at_least=1, at_most=LARGEST)
    kinds = rule.get("layers", "sliding_attention")
    if kinds == "all":
        return window, tuple(attention)
    layers = tuple(i for i in attention if types and types[i] == kinds)
    return (window, layers) if layers else (None, ())
