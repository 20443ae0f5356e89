"""The parts of a model, each read by the row of its type."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from posenc_ref.alibi import alibi_slopes
from posenc_ref.config_layers import Evaluate, layer_types_of, read_layers
from posenc_ref.expressions import (
    LARGEST,
    ConfigError,
    Read,
    Scope,
    at_path,
    evaluate,
    keys_read,
    number,
    refuse,
    whole,
)
from posenc_ref.model_positions import Finding, Part, Rope
from posenc_ref.model_table import joined_over, row_of, table, whole_row
from posenc_ref.rope_blocks import HEAD_DIM, Reader, find_blocks, origin_of, read_ropes
from posenc_ref.yarn import yarn_mscale


class Context(NamedTuple):
    """What reading fills beside the parts."""

    notes: list[Finding]
    origin: dict[str, str]
    read_keys: set[str]


def read_parts(
    config: Mapping[str, Any],
    row: Mapping[str, Any],
    context: Context,
    *,
    where: str,
    label: str | None,
) -> list[Part]:
    """The parts that a row describes, and those of the configs nested in this one.

    `where` is the path of this config within the file, `label` what the outer
    config calls it.
    """
    parts: list[Part] = []
    try:
        if row.get("kind"):
            parts.append(_read_part(config, row, context, where, label))
        for extra in row.get("parts", ()):
            shared = {key: row[key] for key in ("defaults", "names") if key in row}
            inner = joined_over(joined_over(whole_row(extra), extra), shared)
            inner |= {"class": row["class"]} if "class" in row else {}
            parts.append(_read_part(config, inner, context, where, label))
    except ConfigError as error:
        if not where or str(error).startswith(where):
            raise
        raise ConfigError(f"{where}{error}") from None
    untold = [path for path in row.get("untold", ()) if config.get(path) is not None]
    if untold:
        text = f"Not told here, as its model type is not known: {', '.join(untold)}."
        context.notes.append(Finding("note", tuple(f"{where}{key}" for key in untold), text))
    for name, paths, default_type in row.get("nested", ()):
        inner_config, path = _nested(config, paths)
        if not inner_config and path in row.get("no_defaults", ()):
            text = f"{where}{path} is missing, and what the library puts there is not known here."
            context.notes.append(Finding("fallback", (f"{where}{path}",), text))
            continue
        chosen = _nested_type(inner_config, path, default_type, f"{where}{path}", context)
        below = f"{where}{path}." if path else where
        trace: list[Read] = []
        inner_row = row_of(chosen, inner_config, trace)
        context.read_keys.update(f"{below}{read.key}" for read in trace)
        parts += read_parts(inner_config, inner_row, context, where=below, label=name)
    return parts


def _nested_type(
    config: Mapping[str, Any], path: str, default: str | None, where: str, context: Context
) -> str | None:
    """The row that a nested config is read by: its own type's, or what the outer type expects."""
    own = config.get("model_type") if path else None
    if own is None:
        return default
    if not isinstance(own, str):
        raise refuse(f"{where}.model_type", "a word", own)
    types = table()["types"]
    if own in types and "nested" not in types[own]:
        return own
    if own not in types:
        how = "by its keys" if default is None else f"as {default!r}"
        text = f"{where}.model_type is {own!r}, which is not known here. Read {how}."
        context.notes.append(Finding("fallback", (f"{where}.model_type",), text))
    return default


def _nested(config: Mapping[str, Any], paths: Sequence[str]) -> tuple[Mapping[str, Any], str]:
    """The first block that is there; an empty path is the config itself."""
    for path in paths:
        inner = at_path(config, path) if path else config
        if inner is not None and not isinstance(inner, Mapping):
            raise refuse(path, "an object with keys of its own", inner)
        if inner is not None:
            return inner, path
    return {}, paths[0]  # the library makes the part from its defaults


def _read_part(
    config: Mapping[str, Any],
    row: Mapping[str, Any],
    context: Context,
    where: str,
    label: str | None,
) -> Part:
    of_defaults = "default" if "class" in row else "rule"
    scope = Scope(config, row.get("names", {}), row.get("defaults", {}), [], of_defaults)
    own = row.get("part", "text")
    name = own if label is None or own not in ("text", label) else label
    origin: dict[str, str] = {}

    def value(rule: Any, field: str) -> Any:
        start = len(scope.trace)
        result = evaluate(rule, scope)
        reads = scope.trace[start:]
        if result is not None:
            origin[field] = origin_of(reads)
        if field in COUNTS and result:
            return whole(keys_read(reads) or field, result, at_least=0, at_most=LARGEST)
        return result

    kind = str(value(row["kind"], "kind"))
    facts = {key: value(rule, key) for key, rule in row.get("facts", {}).items()}
    facts = {key: item for key, item in facts.items() if item is not None or key == "limit"}
    context.read_keys.update(f"{where}{key}" for key in row.get("no_effect", ()))
    idle = [key for key in row.get("no_effect", ()) if config.get(key) is not None]
    if idle:
        text = f"There, and without effect for this model type: {', '.join(idle)}."
        context.notes.append(Finding("note", tuple(f"{where}{key}" for key in idle), text))
    if "note" in row:
        context.notes.append(Finding("note", ("model_type",), row["note"]))
    if kind == "alibi":
        facts |= _slopes(facts, origin)
    if kind.startswith("rope") or row.get("layers"):
        part = _rotating_part(config, row, context, scope, name, kind, facts, value, origin)
    else:
        part = Part(
            name,
            kind,
            layout=row.get("layout"),
            head_dim=_head_dims(value(row.get("head_dim"), "head_dim")),
            softmax_scale=value(row.get("softmax_scale"), "softmax_scale"),
            facts=facts,
        )
    context.origin.update({f"{name}.{field}": text for field, text in origin.items()})
    context.read_keys.update(f"{where}{read.key}" for read in scope.trace if read.origin == "key")
    return part


def _rotating_part(
    config: Mapping[str, Any],
    row: Mapping[str, Any],
    context: Context,
    scope: Scope,
    name: str,
    kind: str,
    facts: dict[str, Any],
    value: Evaluate,
    origin: dict[str, str],
) -> Part:
    blocks = find_blocks(config, context.notes)
    types = layer_types_of(value(row.get("layer_types"), "layer_types"))
    reader = Reader(scope, row, blocks, types, context.notes, origin.__setitem__)
    ropes = read_ropes(reader) if kind.startswith("rope") else ()
    layers = read_layers(row, types, ropes, value)
    max_length = value("$max_position_embeddings", "max_position_embeddings")
    if max_length is not None:
        max_length = whole("max_position_embeddings", max_length, at_least=1, at_most=LARGEST)
    original = next((rope.trained_length for rope in ropes if rope.trained_length), None)
    extended = value(row.get("extended_length"), "extended_length")
    if extended is not None:
        key = origin["extended_length"].removeprefix("key ")
        extended = whole(key, extended, at_least=1, at_most=LARGEST)
    if extended is None and original and max_length != original:
        extended = max_length
    heads = {rope.applies_to: rope.head_dim for rope in ropes}
    head_dim: int | dict[str, int] | None
    if len(set(heads.values())) > 1:
        head_dim = heads
    elif heads:
        head_dim = next(iter(heads.values()))
    else:
        head_dim = _head_dims(value(row.get("head_dim", HEAD_DIM), "head_dim"))
    scale = value(row.get("softmax_scale"), "softmax_scale")
    query_dim = value(row.get("query_dim"), "query_dim")
    if query_dim is None and isinstance(head_dim, int):
        query_dim = head_dim
    if scale is not None:
        scale = float(number("softmax_scale", scale)) * _mscale(row, ropes)
    sections = _sections(row, ropes, scope)
    return Part(
        name,
        kind,
        layout=row.get("layout"),
        head_dim=head_dim,
        ropes=ropes,
        layers=layers,
        softmax_scale=scale,
        query_dim=query_dim,
        trained_length=original or max_length,
        extended_length=extended,
        max_length=max_length,
        facts=facts | sections,
    )


def _head_dims(value: Any) -> int | dict[str, int] | None:
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: _head_dim(item) for key, item in value.items()}
    return _head_dim(value)


def _head_dim(value: Any) -> int:
    return whole("head_dim", value, at_least=1, at_most=2**16)


def _mscale(row: Mapping[str, Any], ropes: Sequence[Rope]) -> float:
    """What DeepSeek's classes multiply the softmax scale by, besides cosines and sines."""
    if not row.get("softmax_mscale"):
        return 1.0
    for rope in ropes:
        all_dim = rope.ladder.parameters.get("mscale_all_dim")
        if rope.rope_type == "yarn" and all_dim and rope.factor:
            return yarn_mscale(rope.factor, float(all_dim)) ** 2
    return 1.0


def _sections(row: Mapping[str, Any], ropes: Sequence[Rope], scope: Scope) -> dict[str, Any]:
    """M-RoPE: how many pairs each axis turns, and in which order they stand."""
    if "mrope" not in row or not ropes:
        return {}
    rule = row["mrope"]
    given = ropes[0].ladder.parameters.get("mrope_section")
    section = given if given is not None else rule.get("section")
    if section is None:
        return {}
    pairs = ropes[0].rotary_dim // 2
    key = "mrope_section"
    if not isinstance(section, list) or not 1 <= len(section) <= 8:
        raise refuse(key, "a list with a number of pairs for each axis", section)
    counts = [whole(f"{key}[{i}]", n, at_least=0, at_most=2**16) for i, n in enumerate(section)]
    if sum(counts) * rule.get("times", 1) != pairs:
        raise refuse(key, f"such that its sum is the number of pairs, {pairs}", section)
    return {
        "mrope": {"section": counts, "order": rule["order"], "axes": rule.get("axes", "t, h, w")}
    }


COUNTS = (
    "rows",
    "usable_positions",
    "first_row_used",
    "width",
    "heads",
    "num_buckets",
    "max_distance",
    "kernel",
    "groups",
    "trained_length",
)


def _slopes(facts: Mapping[str, Any], origin: Mapping[str, str]) -> dict[str, Any]:
    name = origin.get("heads", "").removeprefix("key ") or "number of heads"
    heads = whole(name, facts.get("heads"), at_least=1, at_most=2**16)
    bias = number("alibi_bias_max", facts.get("bias_max", 8))
    if bias <= 0:
        raise refuse("alibi_bias_max", "above 0", bias)
    slopes = alibi_slopes(heads, max_bias=float(bias)).tolist()
    return {"slopes_first3": slopes[:3], "slopes_last": slopes[-1], "slopes": slopes}
