"""Find every fenced block of a Markdown page, with its output and its drawing.

Sybil's raw lexer finds the fences, because it knows admonitions, lists, tabs,
quotes and both kinds of fence. The info line is read here: Sybil's own patterns
pass over `title="…"`, `{ .python … }` and a blank before the language, and what
they pass over would never be tested.

Everything works on expanded text (see `expand`), which is what Markdown renders.
"""

import re
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import markdown
from pymdownx.snippets import SnippetMissingError
from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

RUN = "python"
OUTPUT = "text"
SHOWN = frozenset(
    {
        *("bash", "bibtex", "console", "css", "html", "json", "make", "mermaid", "toml", "yaml"),
        *("cpp", "javascript", "py"),
    }
)
"""Languages that a page may show without running them.

Those of the second line are programs that need more than this site has. Each is a file that a test
runs where it can (tests/test_conformance_programs.py); `py` is Python with another library.
"""

_INFO = re.compile(r"(?P<info>[^\n]*)\n?")
_OPENING = re.compile(
    r"(?P<prefix>(?:[ \t]*>)+[ \t]*|[ \t]*(?:[-*+]|\d+[.)])[ \t]+|[ \t]*)(?P<fence>`{3,}|~{3,})"
)
_LANGUAGE = re.compile(r"\s*(?:\{\s*\.(?P<braced>[^\s}]+)|\.?(?P<plain>[^\s{]+))")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s}"']+))""")
_DRAWING = re.compile(r"^(?P<prefix>[ \t>]*)!\[(?P<alt>[^\n]*)\]\(drawn\)[ \t]*$", re.MULTILINE)
_STRAY_DRAWING = re.compile(r"\]\(\s*drawn\b")
_SKIP = re.compile(r"<!--[-\s;]*skip\b[^\n]*|\bdoctest:\s*\+SKIP\b", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PROMPT = re.compile(r"^\s*>>> ?", re.MULTILINE)


class Drawing(NamedTuple):
    """The line `![alt](drawn)` below a fence."""

    alt: str
    start: int
    end: int


class Fence(NamedTuple):
    """One fenced block, and what belongs to it."""

    language: str
    attributes: dict[str, str]
    source: str
    start: int
    end: int
    line: int
    prefix: str
    closed: bool
    output: "Fence | None" = None
    drawing: Drawing | None = None


class Refusal(NamedTuple):
    """Something that a page must not hold, with the text that it refuses."""

    start: int
    end: int
    line: int
    message: str


def short_hash(source: str) -> str:
    """Name of a file made from a fence: the first twelve digits of its SHA-256."""
    return sha256(source.strip().encode()).hexdigest()[:12]


def expand(text: str, base_path: list[Path]) -> str:
    """Put the included files (`--8<--`) where a page asks for them.

    Lines after an include are counted in the expanded page.

    Raises:
        ValueError: If an included file or section is missing.
    """
    if "--8<--" not in text:
        return text
    snippets = {"base_path": [str(path) for path in base_path], "check_paths": True}
    reader = markdown.Markdown(
        extensions=["pymdownx.snippets"], extension_configs={"pymdownx.snippets": snippets}
    )
    try:
        lines = reader.preprocessors["snippet"].run(text.split("\n"))
    except SnippetMissingError as error:
        raise ValueError(f"an include cannot be found: {error}") from None
    return "\n".join(lines)


def find_fences(text: str) -> list[Fence]:
    """Outermost fences in page order, each with the output and the drawing below it."""
    regions = RawFencedCodeBlockLexer(_INFO)(Document(text, ""))
    found: list[Fence] = []
    for region in sorted(regions, key=lambda region: (region.start, -region.end)):
        if not found or region.start >= found[-1].end:
            found.append(_fence(text, region.start, region.end))
    for index, fence in enumerate(found):
        after = found[index + 1] if index + 1 < len(found) else None
        if fence.language == RUN:
            found[index] = _with_what_follows(text, fence, after)
    return found


def _fence(text: str, start: int, end: int) -> Fence:
    opening = _OPENING.match(text, start)
    if opening is None:
        raise AssertionError(f"Sybil found a fence where none opens: {text[start : start + 40]!r}")
    prefix = opening["prefix"]
    info, *lines = text[opening.end() : end].split("\n")
    closing = _OPENING.match(lines[-1]) if lines else None
    closed = (
        closing is not None
        and len(closing["prefix"]) == len(prefix)
        and closing["fence"].startswith(opening["fence"])
        and not lines[-1][closing.end() :].strip()
    )
    if closed:
        lines.pop()
    # Cut exactly the fence's own indentation: the first space of an output may matter.
    source = "".join(f"{line[len(prefix) :]}\n" for line in lines)
    language = _LANGUAGE.match(info)
    return Fence(
        language=(language["braced"] or language["plain"]) if language else "",
        attributes={m[1]: m[2] or m[3] or m[4] or "" for m in _ATTRIBUTE.finditer(info)},
        source=source,
        start=start,
        end=end,
        line=text.count("\n", 0, start) + 1,
        prefix=prefix,
        closed=closed,
    )


def _with_what_follows(text: str, fence: Fence, after: Fence | None) -> Fence:
    """Attach the `text` fence right below, and the drawing below that."""
    end = fence.end
    if (
        after is not None
        and after.language == OUTPUT
        and after.prefix == fence.prefix
        and _blank(text[end : after.start])
    ):
        fence, end = fence._replace(output=after), after.end
    drawing = _DRAWING.search(text, end)
    if (
        drawing is not None
        and drawing["prefix"].rstrip() == fence.prefix.rstrip()
        and _blank(text[end : drawing.start()])
    ):
        line = Drawing(drawing["alt"].strip(), drawing.start(), drawing.end())
        fence = fence._replace(drawing=line)
    return fence


def _blank(between: str) -> bool:
    return not between.strip(" \t\n>")


def _nothing_shown(between: str) -> bool:
    return _blank(_COMMENT.sub("", between))


def find_refusals(text: str) -> list[Refusal]:
    """What no page may hold, in page order: all of it would escape the tests."""
    fences = find_fences(text)
    outputs = [fence.output.start for fence in fences if fence.output]
    drawings = [fence.drawing.start for fence in fences if fence.drawing]
    refused = []
    for index, fence in enumerate(fences):
        above = fences[index - 1] if index else None
        why = _why_refused(
            fence,
            is_output=fence.start in outputs,
            looks_like_output=above is not None
            and above.language in (RUN, OUTPUT)
            and _nothing_shown(text[above.end : fence.start]),
        )
        if why:
            refused.append(Refusal(fence.start, fence.end, fence.line, why))

    def refuse(match: re.Match[str], message: str) -> None:
        inside = any(f.start <= match.start() < f.end for f in fences)
        line_start = text.rfind("\n", 0, match.start()) + 1
        if not inside and line_start not in drawings:
            line = text.count("\n", 0, match.start()) + 1
            refused.append(Refusal(match.start(), match.end(), line, message))

    for match in _STRAY_DRAWING.finditer(text):
        refuse(match, "![…](drawn) must stand right below a python block that draws")
    for match in _SKIP.finditer(text):
        refuse(match, "nothing is skipped here: remove the skip comment and let the block run")
    return sorted(refused)


def _why_refused(fence: Fence, *, is_output: bool, looks_like_output: bool) -> str:
    if not fence.closed:
        return "this fence is never closed"
    if fence.language in ("pycon", "doctest") or _PROMPT.search(fence.source):
        return "prompts (>>>) are for docstrings: write a python block and a text block below it"
    if fence.language == OUTPUT and not is_output:
        return "a text block is the output of the python block right above it"
    if fence.language in SHOWN and looks_like_output:
        return "only the output stands right below a python block; put words between them"
    if fence.language not in {RUN, OUTPUT} | SHOWN:
        allowed = ", ".join(sorted({RUN, OUTPUT} | SHOWN))
        return f"language {fence.language!r} is not one of {allowed}"
    if fence.language == RUN and _SKIP.search(fence.source):
        return "nothing is skipped here: remove the skip comment and let the block run"
    return ""
