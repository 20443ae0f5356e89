"""Serves the conformance vectors, a set a file, at an address that stays: /vectors/v1/NAME.json.

The large sets and the schema stand in docs/vectors/v1 and are copied like any file. The small ones
are in the package, all in one file; here they get a file each, and all together an index. A page
lists them where it says so, on a line of its own:

    <!-- sets of vectors -->
"""

import html
import json
import re
from pathlib import Path
from typing import Any

import posenc_ref

FOLDER = Path(__file__).parents[1] / "vectors" / "v1"
SMALL = Path(posenc_ref.__file__).with_name("vectors.json")
REQUEST = "<!-- sets of vectors -->"

Set = dict[str, Any]


def small() -> list[Set]:
    return list(json.loads(SMALL.read_text("utf-8")).values())


def large() -> list[Set]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*-large.json"))]


def published() -> dict[str, bytes]:
    """Address from the site's root → content, of the files that stand nowhere else."""
    files = {f"vectors/v1/{one['name']}.json": dumped(one) for one in small()}
    return files | {"vectors/v1/index.json": index()}


def dumped(one: Set) -> bytes:
    """A line for each key and each case, so that a person can read it."""
    lines = [f"{text(key)}: {text(value)}," for key, value in one.items() if key != "cases"]
    cases = ",\n".join(map(text, one["cases"]))
    return "\n".join(["{", *lines, '"cases": [', cases, "]", "}", ""]).encode()


def index() -> bytes:
    """All sets, for a program that wants every one."""
    sets = [
        {"name": one["name"], "file": f"{one['name']}.json", "what": one["what"]}
        for one in [*small(), *large()]
    ]
    head = {"version": 1, "licence": "CC0-1.0", "schema": "schema.json"}
    return (json.dumps(head | {"sets": sets}, ensure_ascii=False, indent=1) + "\n").encode()


def listed(markdown: str) -> str:
    """A page with its table of sets, if it asks for one."""
    if REQUEST not in markdown:
        return markdown
    of_large = {one["name"].removesuffix("-large") for one in large()}
    rows = ["| set and arguments | what it holds |", "|---|---|"]
    for one in small():
        name, arguments = one["name"], ", ".join(a["name"] for a in one["signature"])
        files = f"[`{name}`](../vectors/v1/{name}.json)"
        if name in of_large:
            files += f", [large](../vectors/v1/{name}-large.json)"
        words = html.escape(f"{one['what']} {one['convention']}", quote=False)
        rows.append(f"| {files}<br>`({arguments})` | {literally(words)} |")
    return markdown.replace(REQUEST, "\n".join(rows))


def literally(words: str) -> str:
    """Words that Markdown leaves as they are."""
    return re.sub(r"([*_|\[\]`])", r"\\\1", words)


def text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
