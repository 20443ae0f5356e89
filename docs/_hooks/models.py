"""What real configs and model types say about positions, row by row, and as files to download.

A row is one part of a model (its text, its pictures, its encoder) with one set of frequencies, so
a model with two bases has two rows. Every value is what the package's reader gives.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from _hooks import model_words as words
from posenc_ref import ConfigError, read_config
from posenc_ref.model_positions import ModelPositions, Rope
from posenc_ref.model_table import table, whole_row

GOLDEN = Path(__file__).parents[2] / "tests" / "configs.json"
LICENCE = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"

Row = dict[str, Any]

POSITIONS = {
    "part": "text, vision, audio, encoder, decoder and others: which stack of the model",
    "layers": "the layers that the row is about: all, or one kind of them",
    "scheme": "how positions enter",
    "layout": "which features of a head turn together, for a rotation",
    "base": "the number whose powers are the frequencies (rope_theta)",
    "base_from": "where the base was read: a key of the file, a library default or a rule",
    "head_width": "features that a query and a key are compared over",
    "rotated": "features of these that turn",
    "rotated_share": "rotated / head_width",
    "trained_length": "tokens before any extension, as the file or the default has it",
    "length_from": "where that length was read",
    "rope_type": "the rule that stretches the frequencies",
    "factor": "its factor",
    "extended_length": "tokens after it",
    "exceptions": "what a reader of the columns before would not expect",
}
OF_REAL = {
    "name": "the name of the config among the golden ones of this project",
    "model": "the model; (cut) where a test made it smaller",
    "model_type": "the key model_type, by which transformers chooses the code",
    **POSITIONS,
    "repository": "where the copy of the config was found: a repository on GitHub, or a package",
    "path": "its path there",
    "commit": "and the commit; empty for a package",
    "certainty": "high, medium or low: whether the copy has the values of the published file",
    "doubts": "what is known to differ, or is not settled",
    "traps": "what a reader of this file is likely to get wrong",
}
OF_TYPES = {
    "model_type": OF_REAL["model_type"],
    **{
        name: POSITIONS[name]
        for name in ("part", "layers", "scheme", "layout", "base", "trained_length", "exceptions")
    },
    "file": "the file of transformers that the facts were read in; empty for code kept elsewhere",
}


# ---- rows


@cache
def configs() -> dict[str, Any]:
    """The real configs with their sources and doubts."""
    found: dict[str, Any] = json.loads(GOLDEN.read_text("utf-8"))["configs"]
    return found


@cache
def real_rows() -> tuple[Row, ...]:
    """What each real config says, part by part."""
    names = sorted(configs(), key=lambda name: configs()[name]["model"].lower())
    return tuple(row for name in names for row in _of_real(name))


def _of_real(name: str) -> Iterator[Row]:
    entry = configs()[name]
    source = entry["source"]
    about = {
        "repository": source.get("repository") or source.get("package"),
        "path": source["path"],
        "commit": source.get("commit"),
        "certainty": source["certainty"],
        "doubts": "; ".join([*filter(None, [source.get("note")]), *entry["doubts"]]) or None,
        "traps": "; ".join(entry["traps"]) or None,
    }
    model = read_config(entry["config"])
    idle = [key for key in model.unknown_keys if key in words.WOULD_MATTER]
    for row in positions(model):
        said = [row["exceptions"]]
        if row["length_from"] == "library default":
            said.append("the length is the library's default")
        if idle:
            said.append(f"without effect here: {', '.join(idle)}")
        row["exceptions"] = "; ".join(filter(None, said)) or None
        yield {"name": name, "model": entry["model"], "model_type": model.model_type, **row} | about


def positions(model: ModelPositions) -> Iterator[Row]:
    """One row for each part, and for each set of frequencies in it."""
    for part in model.parts:
        ropes: Sequence[Rope | None] = part.ropes or (None,)
        for rope in ropes:
            length, length_from = words.length(model, part, rope)
            head, rotated = words.widths(part, rope)
            layout = part.layout if rope else part.facts.get("layout")
            yield {
                "part": part.name,
                "layers": rope.applies_to if rope else "all",
                "scheme": words.scheme(part.kind),
                "layout": words.layout(part.kind, layout),
                "base": words.base(part, rope),
                "base_from": words.base_from(model, part, rope),
                "head_width": head,
                "rotated": rotated,
                "rotated_share": rotated / head if head and rotated else None,
                "trained_length": length,
                "length_from": length_from,
                "rope_type": rope.rope_type if rope else None,
                "factor": rope.factor if rope and words.stretched(rope) else None,
                "extended_length": words.extended_length(part, rope),
                "exceptions": "; ".join(words.exceptions(model, part, rope)) or None,
            }


@cache
def type_rows() -> tuple[Row, ...]:
    """What a config with no key but its type would mean."""
    return tuple(row for name in table()["types"] for row in _of_type(name))


def _of_type(name: str) -> Iterator[Row]:
    row = whole_row(table()["types"][name])
    try:
        found = list(positions(read_config({"model_type": name})))
    except ConfigError:
        found = []
    if not found:  # a key without a default, or parts without one
        needs: Row = {"exceptions": "a file must give more than its type"}
        if "no_defaults" in row:
            needs |= {"base": None, "trained_length": None}
        found = [each | needs for each in _unread(row)]
    other = words.other_cases(row)
    for each in found:
        said = "; ".join(filter(None, [each["exceptions"], other])) or None
        given = {"model_type": name, **each, "exceptions": said, "file": row.get("file")}
        yield {key: given.get(key) for key in OF_TYPES}


def _unread(row: Mapping[str, Any], part: str = "text") -> Iterator[Row]:
    """Scheme and defaults of a type that needs keys which have no default."""
    if "nested" in row:
        for inner, _, like in row["nested"]:
            yield from _unread(whole_row(table()["types"][like]), inner)
        return
    for each in row.get("parts") or [row]:
        each = whole_row(each)
        kind = each["kind"]
        defaults = row.get("defaults", {}) if kind.startswith("rope") else {}
        yield {
            "part": each.get("part", part),
            "layers": "all",
            "scheme": words.scheme(kind),
            "layout": words.layout(kind, each.get("layout")),
            "base": defaults.get("rope_theta"),
            "trained_length": defaults.get("max_position_embeddings"),
        }


# ---- as files


def files() -> dict[str, bytes]:
    """What is published beside the page, by its address."""
    real, types = real_rows(), type_rows()
    about = "What real configs of models say about positions, read by posenc_ref.read_config."
    whole = {"about": about, "licence": LICENCE, "columns": OF_REAL, "rows": real}
    return {
        "assets/data/models.csv": _csv(OF_REAL, real),
        "assets/data/models.json": json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n",
        "assets/data/model-types.csv": _csv(OF_TYPES, types),
    }


def _csv(columns: Mapping[str, str], rows: Sequence[Row]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()
