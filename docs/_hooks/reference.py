"""Under each function of the reference: the released code it was compared with, and its pages.

The first comes from the recorded golden values, the second from the code on the pages and in
their figures. So neither list can say more than what is so.
"""

import ast
import html
import json
import re
from collections.abc import Callable
from pathlib import Path

from _hooks import fences

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GOLDEN = ROOT / "tests" / "golden"

FUNCTION = re.compile(r'<h2 id="posenc_ref\.\w+\.(?P<name>\w+)" class="doc doc-heading">')
# What closes the text of a function and its box; no other boxes end so closely together.
END = re.compile(r"\n *</div>\n\n</div>\n")
TITLE = re.compile(r'^(?:title:|# #) *"?(?P<title>[^\n"]+?)"? *$', re.MULTILINE)
MODULE = re.compile(r"\btransformers\.models\.(\w+\.)\w+\.")
FIGURE = re.compile(r'(?:data-scene="|data-explorer="|assets/figures/)(?P<name>[\w-]+)')


def compared() -> dict[str, dict[str, str]]:
    """For each function, the released code that its golden values come from, with its version."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(GOLDEN.glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        for case in record["cases"]:
            library = case["source"].split(".")[0].replace("_", "-")
            version = record["versions"][library].split("+")[0]
            for function in case["functions"]:
                found.setdefault(function, {})[case["source"]] = f"{library} {version}"
    return found


def names_used(code: str) -> set[str]:
    """Names of the package that a piece of code imports from it, or takes from it."""
    used = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "posenc_ref":
            used |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("posenc_ref", "pe"):
            used.add(node.attr)
    return used


def pages() -> list[tuple[str, str, set[str]]]:
    """Each page outside the reference: source path from docs/, title, names of the package."""
    figures = {
        path.stem.replace("_", "-"): names_used(path.read_text("utf-8"))
        for path in (DOCS / "_figures").glob("[!_]*.py")
    }
    found = []
    for path in sorted([*DOCS.glob("**/*.md"), *DOCS.glob("examples/*.py")]):
        where = path.relative_to(DOCS).as_posix()
        if where.startswith(("_", "assets/", "reference/")):
            continue
        text = path.read_text("utf-8")
        title = TITLE.search(text)
        if title is None:
            raise ValueError(f"{where}: no title")
        if path.suffix == ".py":
            used = names_used(text)
        else:
            text = fences.expand(text, [ROOT, DOCS])
            code = [fence for fence in fences.find_fences(text) if fence.language == fences.RUN]
            used = set().union(*(names_used(fence.source) for fence in code))
            for figure in FIGURE.finditer(text):
                used |= figures.get(figure["name"], set())
        found.append((where, title["title"], used))
    return found


def annotate(
    content: str,
    sources: dict[str, dict[str, str]],
    users: list[tuple[str, str, set[str]]],
    link: Callable[[str], str],
) -> str:
    """Add the two lists to each function of a reference page.

    Args:
        content: HTML of the page.
        sources: What `compared` gives.
        users: What `pages` gives.
        link: Address of a source path as seen from the page.
    """
    pieces, done = [], 0
    for heading in FUNCTION.finditer(content):
        end = END.search(content, heading.end())
        if end is None:
            raise ValueError(f"the box of {heading['name']} has no end that is known")
        name = heading["name"]
        facts = _compared_with(sources.get(name, {})) + _used_on(
            [(link(where), title) for where, title, used in users if name in used]
        )
        pieces += [content[done : end.start()], facts]
        done = end.start()
    return "".join([*pieces, content[done:]])


def _compared_with(sources: dict[str, str]) -> str:
    """One paragraph for each library, with the short names of its classes."""
    by_library: dict[str, list[str]] = {}
    for source, version in sorted(sources.items()):
        by_library.setdefault(version, []).append(f"<code>{html.escape(short(source))}</code>")
    return "".join(
        f'\n<p><span class="doc-section-title">Compared in the tests with</span> '
        f"{html.escape(version)}: {', '.join(names)}</p>\n"
        for version, names in by_library.items()
    )


def short(source: str) -> str:
    """`whisper.sinusoids` for `transformers.models.whisper.modeling_whisper.sinusoids`."""
    return MODULE.sub(r"\1", source)


def _used_on(users: list[tuple[str, str]]) -> str:
    if not users:
        return ""
    links = ", ".join(f'<a href="{path}">{html.escape(title)}</a>' for path, title in users)
    return f'\n<p><span class="doc-section-title">Used on:</span> {links}</p>\n'
