"""Tables of real models and of model types, each under controls that filter it.

A page asks for a table by a comment on a line of its own:

    <!-- table of real models -->   each real config of tests/configs.json
    <!-- table of model types -->   each type of posenc_ref/model_types.json, by its defaults
    <!-- table of columns -->       what the columns of the published files hold
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from _hooks import model_words as words
from _hooks.models import OF_REAL, OF_TYPES, Row, real_rows, type_rows

REQUEST = re.compile(r"<!-- table of ([\w ]+) -->")
ATTRIBUTES = {"": "", "words": ' class="words"', "number": ' style="text-align: right"'}


def expand(content: str, where: str) -> str:
    """Put each table that a page asks for in the place of its request.

    Raises:
        ValueError: If it asks for one that does not exist.
    """

    def answer(request: re.Match[str]) -> str:
        if request[1] not in TABLES:
            raise ValueError(f"{where}: there is no table of {request[1]!r}")
        return TABLES[request[1]]()

    return REQUEST.sub(answer, content)


def _real_table() -> str:
    heads = {
        "model": "",
        "part": "",
        "scheme": "",
        "layout": "",
        "base": "number",
        "base from": "",
        "head width": "number",
        "share turned": "number",
        "trained length": "number",
        "extension": "",
        "reaches": "number",
        "exceptions": "words",
        "source": "",
        "certainty, doubts": "words",
    }
    return _table("real models", heads, [_real_cells(row) for row in real_rows()])


def _real_cells(row: Row) -> list[str]:
    doubts = f": {escape(row['doubts'])}" if row["doubts"] else ""
    return [
        _name(row["model"]),
        words.part(row),
        row["scheme"],
        row["layout"] or "–",
        _number(row["base"]),
        _code_if_key(row["base_from"]),
        _number(row["head_width"]),
        _number(row["rotated_share"]),
        _number(row["trained_length"]),
        words.extension(row),
        _number(row["extended_length"]),
        escape(row["exceptions"] or "–"),
        _source(row),
        f"{row['certainty']}{doubts}",
    ]


def _source(row: Row) -> str:
    """Where the copy was found, at a commit that cannot change."""
    named = _name(row["repository"])
    if row["commit"] is None:
        return named
    link = f"https://github.com/{row['repository']}/blob/{row['commit']}/{row['path']}"
    return f'<a href="{escape(link)}">{named}</a> at <code>{row["commit"][:7]}</code>'


def _name(text: str) -> str:
    """A name that a line may break behind its owner, and that no one should translate."""
    return f'<span translate="no">{escape(text).replace("/", "/<wbr>")}</span>'


def _types_table() -> str:
    heads = {
        "model type": "",
        "part": "",
        "scheme": "",
        "layout": "",
        "default base": "number",
        "default length": "number",
        "exceptions": "words",
        "file": "",
    }
    return _table("model types", heads, [_type_cells(row) for row in type_rows()])


def _type_cells(row: Row) -> list[str]:
    file = row["file"]
    return [
        f"<code>{escape(row['model_type'])}</code>",
        words.part(row),
        row["scheme"],
        row["layout"] or "–",
        _number(row["base"]),
        _number(row["trained_length"]),
        escape(row["exceptions"] or "–"),
        f"<code>{escape(Path(file).name)}</code>" if file else "not in transformers",
    ]


def _columns() -> str:
    rows = [
        [f"<code>{name}</code>", meaning, _yes(name in OF_REAL), _yes(name in OF_TYPES)]
        for name, meaning in (OF_REAL | OF_TYPES).items()
    ]
    top = "".join(f"<th>{head}</th>" for head in ("column", "what", "models", "model-types"))
    body = "".join(
        f'<tr><td style="white-space: nowrap">{name}</td>'
        f"{''.join(f'<td>{cell}</td>' for cell in rest)}</tr>"
        for name, *rest in rows
    )
    return f"<table data-search-exclude><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _yes(there: bool) -> str:
    return "yes" if there else "–"


TABLES = {"real models": _real_table, "model types": _types_table, "columns": _columns}


def _table(name: str, heads: Mapping[str, str], rows: Sequence[Sequence[str]]) -> str:
    """A table that can be sorted, under controls that hide rows of it."""
    style = {head: ATTRIBUTES[kind] for head, kind in heads.items()}
    top = "".join(f"<th{style[head]}>{head}</th>" for head in heads)
    body = "".join(
        "<tr>"
        + "".join(f"<td{style[h]}>{cell}</td>" for h, cell in zip(heads, row, strict=True))
        + "</tr>\n"
        for row in rows
    )
    return (
        f'<div class="filter" role="group" aria-label="Filter the table of {name}" '
        'data-search-exclude><label>Contains <input type="search" autocomplete="off"></label>'
        f"{_select('scheme', heads, rows)}{_select('layout', heads, rows)}"
        f'<output>{len(rows)} rows</output></div><div class="sortable long">'
        f"<table data-search-exclude><thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody></table>"
        "</div>"
    )


def _select(column: str, heads: Mapping[str, str], rows: Sequence[Sequence[str]]) -> str:
    at = list(heads).index(column)
    options = "".join(f"<option>{value}</option>" for value in sorted({row[at] for row in rows}))
    name = column.capitalize()
    return (
        f'<label>{name} <select data-column="{at}"><option value="">any</option>{options}'
        "</select></label>"
    )


def _number(value: float | None) -> str:
    """With commas, and no more digits than it has; a third is cut to three."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"


def _code_if_key(origin: str | None) -> str:
    if origin is None:
        return "–"
    if origin in words.NO_KEYS:
        return origin
    return f"<code>{escape(origin).replace('.', '.<wbr>')}</code>"
