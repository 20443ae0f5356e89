"""The table of model types, and the row of one type with all that it takes over."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posenc_ref.expressions import Read, Scope, evaluate
from posenc_ref.unknown_types import row_from_keys

TABLE = Path(__file__).with_name("model_types.json")


@functools.cache
def table() -> dict[str, Any]:
    """The table of model types, as it stands in its file."""
    content: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return content


def row_of(
    model_type: str | None, config: Mapping[str, Any], trace: list[Read]
) -> Mapping[str, Any]:
    """The facts about a model type, with what it takes over from another row.

    The keys that decide between cases of a row are added to the trace.
    """
    types = table()["types"]
    if model_type is None or model_type not in types:
        return row_from_keys(config)
    row = whole_row(types[model_type])
    for case in row.get("cases", ()):
        if evaluate(case["if"], Scope(config, {}, row.get("defaults", {}), trace)):
            return joined_over(row, case)
    return row


def whole_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with all that it takes over from the row or family that it is like."""
    if "like" not in row:
        return row
    content = table()
    name = row["like"]
    below = content["families"].get(name) or content["types"][name]
    return joined_over(whole_row(below), row)


def joined_over(below: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """A row over another: its entries win, defaults and names are joined."""
    joined = {**below, **row}
    for key in ("defaults", "names"):
        if key in below and key in row:
            joined[key] = {**below[key], **row[key]}
    return joined
