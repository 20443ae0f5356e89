"""Reading of a `config.json`. Result: what the positions of the model really are.

Facts about model types stand in one table, `model_types.json`; the files beside
this one know how to read it, and what keys alone say of a model that the table
does not have. No code of a config is run, and nothing is fetched.
"""

import os
from collections.abc import Mapping
from typing import Any

from posenc_ref.config_findings import findings
from posenc_ref.config_parts import Context, read_parts
from posenc_ref.config_source import check_depth, object_of
from posenc_ref.expressions import Read, refuse
from posenc_ref.model_positions import Finding, ModelPositions
from posenc_ref.model_table import row_of, table
from posenc_ref.rope_blocks import IN_EVERY_BLOCK, READ


def read_config(source: str | os.PathLike[str] | Mapping[str, Any]) -> ModelPositions:
    """What a model does about positions, from its config.

    Args:
        source: A path of a `config.json`, a folder that holds one, the JSON text
            itself, or the object that it stands for.

    Returns:
        The parts of the model, each with its kind, its numbers, and for a rotation
        its frequencies; what is risky or contradictory; and where each value came
        from. `to_dict()` gives the same in the words of config files.

    Raises:
        TypeError: If `source` is none of these.
        ConfigError: If the config cannot be: not JSON, not an object, or a value
            that breaks a rule. The message names the key, the rule and the value.
            It is a `ValueError`.
        OSError: If the file cannot be read.

    Examples:
        >>> from posenc_ref import read_config
        >>> model = read_config(
        ...     {
        ...         "model_type": "llama",
        ...         "hidden_size": 4096,
        ...         "num_attention_heads": 32,
        ...         "rope_theta": 500000.0,
        ...     }
        ... )
        >>> model.part("text").ropes[0].base
        500000.0
        >>> model.origin["text.ropes[all].base"]
        'key rope_theta'
    """
    config = object_of(source)
    check_depth(config)
    model_type = config.get("model_type")
    if model_type is not None and not isinstance(model_type, str):
        raise refuse("model_type", "a word", model_type)
    notes: list[Finding] = []
    origin: dict[str, str] = {}
    read_keys: set[str] = set()
    trace: list[Read] = []
    row = row_of(model_type, config, trace)
    read_keys.update(read.key for read in trace)
    context = Context(notes, origin, read_keys)
    parts = tuple(read_parts(config, row, context, where="", label=None))
    known = model_type in table()["types"]
    unknown = _unread(config, read_keys)
    notes.extend(findings(parts, known=known, model_type=model_type, unknown=unknown))
    return ModelPositions(
        model_type=model_type,
        known=known,
        parts=parts,
        warnings=tuple(dict.fromkeys(notes)),
        unknown_keys=unknown,
        origin=origin,
        source=row.get("file"),
    )


SOUNDS_LIKE_POSITIONS = (
    "rope", "rotary", "position", "alibi", "relative_attention", "yarn", "ntk", "mscale", "xpos"
)  # fmt: skip


def _unread(config: Mapping[str, Any], read_keys: set[str]) -> tuple[str, ...]:
    """Keys that sound like positions and were not read, and unknown keys of rope blocks."""
    unknown = []
    known = {*IN_EVERY_BLOCK, *(key for keys in READ.values() for key in keys)}
    for where, inner in (("", config), *_blocks_in(config)):
        for key in inner:
            if not isinstance(key, str):
                raise refuse("config", "an object whose keys are words", key)
            if key in ("rope_scaling", "rope_parameters"):
                block = inner[key]
                if isinstance(block, Mapping):
                    unknown += _unread_in_block(block, f"{where}{key}", known)
            elif (
                any(word in key for word in SOUNDS_LIKE_POSITIONS)
                and f"{where}{key}" not in read_keys
                and not isinstance(inner[key], Mapping)
                and inner[key] is not None
            ):
                unknown.append(f"{where}{key}")
    return tuple(dict.fromkeys(unknown))


def _unread_in_block(block: Mapping[str, Any], name: str, known: set[str]) -> list[str]:
    unknown = []
    for key, value in block.items():
        if isinstance(value, Mapping):
            unknown += _unread_in_block(value, f"{name}.{key}", known)
        elif key not in known and value is not None:
            unknown.append(f"{name}.{key}")
    return unknown


def _blocks_in(config: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (f"{key}.", value)
        for key, value in config.items()
        if isinstance(value, Mapping) and isinstance(key, str) and key.endswith("_config")
    ]
