"""The numbers of a page that no code stands behind.

Every number that a reader sees in prose, lists, headings, captions, tables and alt texts must be
tied to code (see `numbers.py`), or match one of the few patterns that are names, not results.
"""

import re

from _hooks.fences import find_fences
from _hooks.numbers import examine
from _hooks.shown import NUMBER

_INDEXED = (
    "position|seat|token|row|column|dimension|dim|pair|head|layer|index|distance|width|lesson|step"
    "|frame|hint|question|exercise"
)
_SETTING = "d_model|d_k|d|n_positions|n_heads|n|base|p|q|i|k|T"
_INTEGER = r"[−-]?\d+(?:,\d{3})*(?![\d,.]*\d)"

EXEMPT: dict[str, re.Pattern[str]] = {
    "marker of an ordered list": re.compile(r"^[ \t>]*\d+[.)][ \t]", re.MULTILINE),
    "year": re.compile(r"(?:\(|\bin |\bal\. |[A-Z]\w+ )(?:19[5-9]\d|20[0-3]\d)\b"),
    "section of a source": re.compile(
        r"(?:[Ss]ections?|[Cc]hapter|[Tt]able|[Ff]igure|[Ee]quation|[Aa]ppendix|§)\s?"
        r"\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*)*"
    ),
    "shape": re.compile(r"\(\d+(?:, \d+)+\)|\b\d+ × \d+(?= (?:matri|block|table))"),
    "setting": re.compile(rf"\b(?:{_SETTING}) = {_INTEGER}"),
    "name and index": re.compile(
        rf"\b(?:{_INDEXED})s? (?:\d+, )*{_INTEGER}(?:(?:,? and |,? or | to |–){_INTEGER})?",
        re.IGNORECASE,
    ),
    "name with a number in it": re.compile(
        r"\b(?:[A-Z]\w*-\d+(?:\.\d+)*|(?:Llama|Qwen|Gemma|Phi|Falcon|Python|CC BY) \d+(?:\.\d+)*"
        r"|\d-[Dd]\b|\d+-bit\b)"
    ),
    "arXiv number or DOI": re.compile(r"\barXiv:\d{4}\.\d{4,5}(?:v\d+)?|\bdoi:\S+", re.IGNORECASE),
}
"""What a number may be without code behind it. A test counts these: adding one is a decision."""

_UNSEEN = (
    re.compile(r"\A---\n.*?\n---\n", re.DOTALL),  # front matter
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"\$\$.*?\$\$|\\\[.*?\\\]", re.DOTALL),  # formulas
    re.compile(r"(?<![\\$])\$(?![\s$])(?:[^$\n]|\n(?!\n))*?(?<![\s\\])\$(?!\d)|\\\(.*?\\\)"),
    re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)*?(?<!`)\1(?!`)", re.DOTALL),  # inline code
    re.compile(r"(?<=\])\([^)\n]*\)|^[ \t]*\[[^\]\n]+\]:.*$", re.MULTILINE),  # link targets
    re.compile(r"</?[A-Za-z][^<>]*>|https?://\S+|\[\^[^\]\n]+\]"),  # tags, addresses, notes
    re.compile(r"\{:?[ ]*(?:[#.][\w-]|[\w-]+=)[^{}\n]*\}"),  # attribute lists
    re.compile(r"&#?\w+;|:[a-z][\w-]*:"),  # entities, icons
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")


def unbacked(markdown: str) -> list[tuple[int, str]]:
    """Line and text of each number without backing, in page order.

    `markdown` is the whole file, front matter included, after `fences.expand`.
    """
    page = _visible(markdown)
    spans = examine(markdown).backed
    spans += [match.span() for pattern in EXEMPT.values() for match in pattern.finditer(page)]
    found = []
    for number in NUMBER.finditer(page):
        at = number.start("fraction" if number["fraction"] else "digits")
        held = any(start <= at < end for start, end in spans)
        if not held and not _ORDINAL.match(page, number.end()):
            found.append((page.count("\n", 0, number.start()) + 1, number[0].strip()))
    return found


def _visible(markdown: str) -> str:
    """What a reader sees as text, at its old place; the rest is blank."""
    for fence in find_fences(markdown):
        markdown = _blank(markdown, fence.start, fence.end)
    for pattern in _UNSEEN:
        for match in pattern.finditer(markdown):
            markdown = _blank(markdown, *match.span())
    return markdown


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
