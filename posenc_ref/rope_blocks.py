"""The rotary part of a config: from its keys to sets of frequencies.

Config files have had three forms. A base at the top level (`rope_theta`) with a
block `rope_scaling` beside it; one block `rope_parameters` with everything in
it; and `rope_parameters` with a block for each kind of layer. What is read here
is what transformers 5.24 makes of them: which block wins, what fills a gap.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from posenc_ref.expressions import (
    LARGEST,
    ConfigError,
    Read,
    Scope,
    at_path,
    evaluate,
    is_number,
    keys_read,
    number,
    refuse,
    whole,
)
from posenc_ref.ladders import Ladder, checked_frequencies
from posenc_ref.model_positions import Finding, Rope

WIDEST_HEAD = 2**16
MOST_KINDS = 64  # of layers: each has frequencies of its own, which take time to compute
SAME = {"su": "longrope", "mrope": "default", "axial": "default"}
REQUIRED = {
    "default": (),
    "linear": ("factor",),
    "ntk": ("alpha",),
    "dynamic": ("factor",),
    "yarn": (),
    "longrope": ("short_factor", "long_factor"),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "proportional": (),
}
READ = {
    "yarn": (
        "attention_factor",
        "beta_fast",
        "beta_slow",
        "mscale",
        "mscale_all_dim",
        "truncate",
    ),
    "longrope": ("short_factor", "long_factor", "attention_factor"),
    "llama3": ("low_freq_factor", "high_freq_factor"),
    "ntk": ("alpha",),
}
HAS_FACTOR = ("linear", "dynamic", "yarn", "longrope", "llama3", "proportional")
EXTENDS = ("yarn", "longrope", "llama3")
IN_EVERY_BLOCK = (
    "type",
    "rope_type",
    "rope_theta",
    "factor",
    "partial_rotary_factor",
    "original_max_position_embeddings",
    "mrope_section",
    "mrope_interleaved",
)


class Blocks(NamedTuple):
    """What the file says about rotation, under the key that wins."""

    key: str
    """`rope_scaling`, `rope_parameters`, or empty where the file has neither."""

    flat: Mapping[str, Any]
    """The one block for all layers, or empty."""

    by_layer: Mapping[str, Mapping[str, Any] | None]
    """The block of each kind of layer, or empty."""


def find_blocks(config: Mapping[str, Any], found: list[Finding]) -> Blocks:
    """The block that wins, checked to be one; the loser is told of."""
    blocks = {}
    for key in ("rope_scaling", "rope_parameters"):
        block = config.get(key)
        if block is not None and not isinstance(block, Mapping):
            raise refuse(key, "an object with keys of its own, or null", block)
        if block:
            blocks[key] = block
    if not blocks:
        return Blocks("", {}, {})
    key, block = next(iter(blocks.items()))
    if len(blocks) == 2 and blocks["rope_scaling"] != blocks["rope_parameters"]:
        text = (
            "rope_scaling and rope_parameters are both there and differ. transformers reads "
            "rope_scaling, the older key, and drops rope_parameters."
        )
        found.append(Finding("contradiction", ("rope_scaling", "rope_parameters"), text))
    inner = {name: item for name, item in block.items() if isinstance(item, Mapping)}
    if inner:
        by_layer = {name: block[name] for name in block if name in inner or block[name] is None}
        return Blocks(key, {}, by_layer)
    return Blocks(key, block, {})


class Reader(NamedTuple):
    """All that one part's rotation is read from."""

    scope: Scope
    row: Mapping[str, Any]
    blocks: Blocks
    layer_types: Sequence[str]
    found: list[Finding]
    note_origin: Callable[[str, str], None]


def read_ropes(reader: Reader) -> tuple[Rope, ...]:
    """One set of frequencies for each group of layers."""
    groups = reader.row.get("ropes", [{"applies_to": "all"}])
    nested = reader.blocks.by_layer
    if len(nested) > MOST_KINDS:
        raise ConfigError(
            f"{reader.blocks.key} must have blocks for at most {MOST_KINDS} kinds of layer, "
            f"got {len(nested)}"
        )
    if nested and all(group["applies_to"] not in nested for group in groups):
        pattern = dict(groups[0])
        used = [name for name in nested if not reader.layer_types or name in reader.layer_types]
        groups = [{**pattern, "applies_to": name} for name in used or nested]
    ropes = []
    for group in groups:
        label = group["applies_to"]
        if label in nested and nested[label] is None:
            continue  # these layers have no rotation
        if label != "all" and reader.layer_types and label not in reader.layer_types:
            continue
        ropes.append(_read_rope(reader, group))
    return tuple(ropes)


def _read_rope(reader: Reader, group: Mapping[str, Any]) -> Rope:
    label = group["applies_to"]
    block, name = _block_of(reader, group)
    rope_type = _type_of(reader, group, block, name)
    base = _base_of(reader, group, block, name)
    head_dim = _head_dim_of(reader, group)
    rotary_dim, partial = _width_of(reader, group, block, name, rope_type, head_dim)
    max_length = _length(reader, ["or", "$max_position_embeddings"], "max_position_embeddings")
    parameters = _parameters(block, name, rope_type, rotary_dim // 2)
    if partial is not None:
        parameters["partial_rotary_factor"] = partial
    trained = None
    if rope_type in EXTENDS:
        trained = _original_length(reader, block, name, rope_type, max_length)
    factor = _factor(block, name, rope_type)
    if factor is not None:
        parameters["factor"] = factor
    elif rope_type in ("yarn", "longrope") and max_length and trained:
        factor = max_length / trained
        if rope_type == "yarn" and factor < 1:
            raise ConfigError(
                f"{name}.factor must be at least 1, or max_position_embeddings ({max_length}) at "
                f"least {name}.original_max_position_embeddings ({trained}), got no factor"
            )
    if rope_type == "ntk":
        factor = float(parameters["alpha"])
    ladder = Ladder(rope_type, base, rotary_dim, head_dim, factor, trained, max_length, parameters)
    within = checked_frequencies(ladder, name)
    beyond = None
    if rope_type == "longrope":
        beyond = checked_frequencies(ladder, name, LARGEST).inv_freq
    return Rope(
        applies_to=label,
        rotary_slice=_slice(reader, group, rope_type, head_dim, rotary_dim),
        ladder=ladder,
        inv_freq=within.inv_freq,
        attention_factor=within.attention_factor,
        inv_freq_long=beyond,
    )


def _block_of(reader: Reader, group: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The block that a group of layers reads, and its name for messages."""
    key, flat, nested = reader.blocks
    label = group["applies_to"]
    if label in nested:
        block = nested[label]
        return (block or {}), f"{key}.{label}"
    if group.get("scaled", True) and flat:
        return flat, key
    sections = {name: flat[name] for name in ("mrope_section", "mrope_interleaved") if name in flat}
    return {**group.get("block", {}), **sections}, key or "rope_scaling"


def _type_of(reader: Reader, group: Mapping[str, Any], block: Mapping[str, Any], name: str) -> str:
    new, old = block.get("rope_type"), block.get("type")
    for key, value in (("rope_type", new), ("type", old)):
        if value is not None and not isinstance(value, str):
            raise refuse(f"{name}.{key}", "a word", value)
    if new is not None and old is not None and SAME.get(new, new) != SAME.get(old, old):
        text = (
            f"{name}.rope_type says {new!r} and {name}.type says {old!r}. rope_type, the newer "
            "key, wins."
        )
        reader.found.append(Finding("contradiction", (f"{name}.rope_type", f"{name}.type"), text))
    said = new if new is not None else old
    rope_type = "default" if said is None else SAME.get(said, said)
    if rope_type == "dynamic" and reader.row.get("alpha") and block.get("alpha") is not None:
        return "ntk"  # HunYuan's classes: a fixed stretch of the base under another name
    if rope_type not in REQUIRED or rope_type == "ntk":
        known = ", ".join(sorted({*REQUIRED, *SAME} - {"ntk"}))
        raise refuse(
            f"{name}.{'rope_type' if new is not None else 'type'}", f"one of {known}", said
        )
    return rope_type


def _base_of(
    reader: Reader, group: Mapping[str, Any], block: Mapping[str, Any], name: str
) -> float:
    label = f"ropes[{group['applies_to']}].base"
    if block.get("rope_theta") is not None and "fixed_base" not in group:
        key, value = f"{name}.rope_theta", block["rope_theta"]
        reader.note_origin(label, f"key {key}")
    elif "fixed_base" in group:
        key, value = "base", group["fixed_base"]
        reader.note_origin(label, "rule of the model type")
    else:
        start = len(reader.scope.trace)
        value = evaluate(group.get("base", "$rope_theta"), reader.scope)
        if value is None and "rope_theta" in reader.scope.defaults:  # the key is there, and null
            value = evaluate("$rope_theta", reader.scope._replace(config={}))
        reads = reader.scope.trace[start:]
        key = reads[0].key if reads else "rope_theta"
        reader.note_origin(label, origin_of(reads))
        if value is None:
            value = 10000.0
            reader.note_origin(label, "assumed")
            text = (
                "rope_theta is not in the file and this model type is not known: 10000 is assumed, "
                "the default of most libraries."
            )
            reader.found.append(Finding("fallback", ("rope_theta",), text))
        elif reads and all(read.origin == "default" for read in reads):
            text = (
                f"{key} is not in the file: {value:g} is the default of the library for this "
                "model type, which another engine may not have."
            )
            reader.found.append(Finding("fallback", (key,), text))
    base = number(key, value)
    if base <= 1:
        raise refuse(key, "a finite number above 1 (the powers of it are the frequencies)", value)
    return float(base)


def origin_of(reads: Sequence[Any]) -> str:
    """Where a value came from, in words."""
    told = [read for read in reads if not read.key.startswith("_") and read.origin != "rule"]
    keys = dict.fromkeys(f"{read.origin} {read.key}" for read in told)
    words = [word.replace("default ", "library default of ") for word in keys]
    return ", ".join(words) or "rule of the model type"


def _head_dim_of(reader: Reader, group: Mapping[str, Any]) -> int:
    start = len(reader.scope.trace)
    rule = group.get("head_dim") or reader.row.get("head_dim") or HEAD_DIM
    value = evaluate(rule, reader.scope)
    reads = reader.scope.trace[start:]
    reader.note_origin(f"ropes[{group['applies_to']}].head_dim", origin_of(reads))
    if value is None:
        raise ConfigError(
            "head_dim must be given, or hidden_size and num_attention_heads, got none of them"
        )
    key = reads[0].key if reads else "head_dim"
    if key == "hidden_size":
        key = "hidden_size // num_attention_heads"
    return whole(key, value, at_least=1, at_most=WIDEST_HEAD)


HEAD_DIM = ["or", "$head_dim", ["//", "$hidden_size", "$num_attention_heads"]]


def _width_of(
    reader: Reader,
    group: Mapping[str, Any],
    block: Mapping[str, Any],
    name: str,
    rope_type: str,
    head_dim: int,
) -> tuple[int, float | None]:
    """How many features turn, and the fraction if one was read."""
    label = f"ropes[{group['applies_to']}].rotary_dim"
    row = reader.row
    start = len(reader.scope.trace)
    count = evaluate(group.get("rotary_dim", row.get("rotary_dim")), reader.scope)
    if count is not None:
        reads = reader.scope.trace[start:]
        key = keys_read(reads) or "rotary_dim"
        width = whole(key, count, at_least=0, at_most=head_dim)
        reader.note_origin(label, origin_of(reads))
        fraction = None
    else:
        start = len(reader.scope.trace)
        fraction = block.get("partial_rotary_factor")
        key = f"{name}.partial_rotary_factor"
        if fraction is None:
            fraction = evaluate(group.get("partial", row.get("partial")), reader.scope)
            reads = reader.scope.trace[start:]
            key = reads[0].key if reads else "partial_rotary_factor"
            reader.note_origin(label, origin_of(reads))
        else:
            written = "partial_rotary_factor" not in group.get("block", {})
            where = f"key {key}" if written or _in_file(reader, group) else "rule of the model type"
            reader.note_origin(label, where)
        if fraction is not None and row.get("partial_ignored") and rope_type == "default":
            if fraction != 1:
                text = (
                    f"{key} is {fraction}, but this model type's class does not read it for the "
                    f"default rope type: all {head_dim} features turn."
                )
                reader.found.append(Finding("contradiction", (key,), text))
            fraction = None
        if fraction is None:
            width, key = head_dim, "head_dim"
        else:
            share = number(key, fraction)
            if not 0 < share <= 1:
                raise refuse(key, "above 0 and at most 1", fraction)
            width = int(head_dim * share)
    if rope_type == "proportional":
        return _proportional_width(head_dim, 1.0 if fraction is None else float(fraction)), fraction
    if width < 2 or width % 2:
        what = f"{head_dim} x {fraction}" if fraction is not None else str(width)
        raise ConfigError(
            f"{key} must give an even rotary width of at least 2 (features turn in pairs), "
            f"got {what} = {width}"
            if fraction is not None
            else f"{key} must be even and at least 2 for a rotation (features turn in pairs), "
            f"got {what}"
        )
    return width, fraction


def _in_file(reader: Reader, group: Mapping[str, Any]) -> bool:
    """Whether the file itself gives the share that a model type has a default block for."""
    block = reader.blocks.by_layer.get(group["applies_to"]) or reader.blocks.flat
    return block.get("partial_rotary_factor") is not None


def _proportional_width(head_dim: int, fraction: float) -> int:
    if head_dim % 2:
        raise refuse("head_dim", "even (features turn in pairs)", head_dim)
    return 2 * int(fraction * head_dim // 2)


def _length(reader: Reader, rule: Any, key: str) -> int | None:
    value = evaluate(rule, reader.scope)
    return None if value is None else whole(key, value, at_least=1, at_most=LARGEST)


def _original_length(
    reader: Reader, block: Mapping[str, Any], name: str, rope_type: str, max_length: int | None
) -> int:
    """The length before extension; the top level wins over the block, as in the library."""
    key = "original_max_position_embeddings"
    top = at_path(reader.scope.config, key)
    if top is not None:
        reader.scope.trace.append(Read(key, top, "key"))
    if top is None and key in reader.scope.defaults and block.get(key) is None:
        top = reader.scope.defaults[key]
    if top is not None:
        inner = block.get(key)
        if inner is not None and inner != top:
            text = (
                f"{key} is {top} at the top level and {inner} in {name}. transformers takes the "
                "top level."
            )
            reader.found.append(Finding("contradiction", (key, f"{name}.{key}"), text))
        return whole(key, top, at_least=2, at_most=LARGEST)
    if block.get(key) is not None:
        return whole(f"{name}.{key}", block[key], at_least=2, at_most=LARGEST)
    if max_length is None:
        raise ConfigError(
            f"{name}.{key} must be given for {rope_type!r}, and max_position_embeddings is not "
            "there to fall back on, got neither"
        )
    text = (
        f"{name}.{key} is missing: transformers takes max_position_embeddings ({max_length}) as "
        "the trained length, so the extended length is not known."
    )
    reader.found.append(Finding("fallback", (f"{name}.{key}",), text))
    return whole("max_position_embeddings", max_length, at_least=2, at_most=LARGEST)


def _factor(block: Mapping[str, Any], name: str, rope_type: str) -> float | None:
    """The factor as it stands in the file, checked."""
    value = block.get("factor")
    if rope_type not in HAS_FACTOR or value is None:
        return None
    factor = number(f"{name}.factor", value)
    if factor < 1:
        rule = "at least 1 (it makes pairs slower; a number below 1 is the reciprocal)"
        raise refuse(f"{name}.factor", rule, value)
    return value if isinstance(value, int | float) else float(factor)


def _parameters(
    block: Mapping[str, Any], name: str, rope_type: str, n_pairs: int
) -> dict[str, Any]:
    """What else the rule reads, each checked, in the words of the file."""
    for key in REQUIRED[rope_type]:
        if block.get(key) is None:
            raise ConfigError(f"{name}.{key} must be given for {rope_type!r}, got nothing")
    given: dict[str, Any] = {}
    for key in READ.get(rope_type, ()):
        value = block.get(key)
        if value is None:
            continue
        if key == "truncate":
            if not isinstance(value, bool):
                raise refuse(f"{name}.{key}", "true or false", value)
        elif key in ("short_factor", "long_factor"):
            _check_factors(f"{name}.{key}", value, n_pairs)
        else:
            number(f"{name}.{key}", value)
        given[key] = value
    for key in ("low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow"):
        if key in given and given[key] < 0:
            raise refuse(f"{name}.{key}", "at least 0", given[key])
    if "attention_factor" in given and given["attention_factor"] <= 0:
        raise refuse(f"{name}.attention_factor", "above 0", given["attention_factor"])
    for key in ("mrope_section", "mrope_interleaved"):
        if block.get(key) is not None:
            given[key] = block[key]
    return given


def _check_factors(key: str, value: object, n_pairs: int) -> None:
    if not isinstance(value, list):
        raise refuse(key, "a list of numbers, one for each pair", value)
    if len(value) != n_pairs:
        raise ConfigError(
            f"{key} must have one entry for each of {n_pairs} pairs, got {len(value)} entries"
        )
    for index, item in enumerate(value):
        if not is_number(item) or not 1e-300 <= item <= LARGEST:
            raise refuse(f"{key}[{index}]", "a finite number above 0", item)


def _slice(
    reader: Reader, group: Mapping[str, Any], rope_type: str, head_dim: int, rotary_dim: int
) -> str:
    """Which features turn, in words."""
    words = group.get("slice", reader.row.get("slice"))
    if words is not None:
        return str(words).format(head_dim=head_dim, rotary_dim=rotary_dim)
    if rope_type == "proportional" and rotary_dim < head_dim:
        return f"pairs (i, i+{head_dim // 2}) for i < {rotary_dim // 2}"
    return "all" if rotary_dim == head_dim else f"first {rotary_dim} of {head_dim}"
