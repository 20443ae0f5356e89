"""The numbers of a page that no code stands behind.

Every number that a reader sees in prose, lists, headings, captions, tables and alt texts must be
tied to code (see `numbers.py`), or match one of the few patterns that are names, not results.
Where whole numbers are settings or counts (a block's title, a comment in it, code or a formula that
is but a number), only those with a fraction count.
"""

import io
import re
import tokenize
from collections.abc import Iterator

from _hooks.fences import RUN, Fence, find_fences
from _hooks.numbers import CODE_OR_COMMENT, examine
from _hooks.shown import NUMBER

_INDEXED = (
    "position|seat|token|row|column|dimension|dim|pair|head|layer|index|distance|width|lesson|step"
    "|frame|hint|question|exercise"
)
_SETTING = "d_model|d_k|d|n_positions|n_heads|n|base|p|q|i|k|T"
_WHOLE = r"\d+(?:,\d{3})*(?![\d,.]*\d)"
_INTEGER = rf"[−-]?{_WHOLE}"
_SECTION = r"[1-9]\d?(?:\.[1-9]\d?)*(?![\d,.]*\d)"
_VERSION = r"[1-9]\d*(?:\.\d+)*"

EXEMPT: dict[str, re.Pattern[str]] = {
    "year": re.compile(r"(?:\(|\bin |\bal\. |[A-Z]\w+ )(?:19[5-9]\d|20[0-3]\d)\b(?![\d,.]*\d)"),
    "section of a source": re.compile(
        rf"(?:[Ss]ections?|[Cc]hapter|[Aa]ppendix|§)\s?{_SECTION}(?:(?:, | and ){_SECTION})*"
        rf"|(?:[Tt]able|[Ff]igure|[Ee]quation)s?\s{_WHOLE}(?:(?:, | and ){_WHOLE})*"
    ),
    "shape": re.compile(r"\(\d+(?:, \d+)+\)|\b\d+ × \d+(?= (?:matri|block|table))"),
    "setting": re.compile(rf"\b(?:{_SETTING}) = {_INTEGER}"),
    "name and index": re.compile(
        rf"\b(?:{_INDEXED})s? (?:\d+, )*{_INTEGER}(?:(?:,? and |,? or | to |–){_INTEGER})?",
        re.IGNORECASE,
    ),
    "name with a number in it": re.compile(
        rf"\b(?:[A-Z]\w*-{_WHOLE}|GPT-{_VERSION}"
        rf"|(?:Llama|Qwen|Gemma|Phi|Falcon|Python|CC BY) {_VERSION}|\d-[Dd]\b|\d+-bit\b)"
    ),
    "arXiv number or DOI": re.compile(r"\barXiv:\d{4}\.\d{4,5}(?:v\d+)?|\bdoi:\S+", re.IGNORECASE),
}
"""What a number may be without code behind it. A test counts these: adding one is a decision."""

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_DISPLAYED = re.compile(r"\$\$.*?\$\$|\\\[.*?\\\]", re.DOTALL)
_INLINE_MATH = re.compile(
    r"(?<![\\$])\$(?![\s$])(?:[^$\n]|\n(?!\n))*?(?<![\s\\])\$(?!\d)|\\\(.*?\\\)"
)
_LINK_TARGET = re.compile(r"(?<=\])\([^)\n]*\)|^[ \t]*\[[^\]\n]+\]:.*$", re.MULTILINE)
_TAG = re.compile(r"""</?[A-Za-z](?:"[^"]*"|'[^']*'|[^<>"'])*>""")
_ADDRESS_OR_NOTE = re.compile(r"https?://\S+|\[\^[^\]\n]+\]")
_ATTRIBUTES = re.compile(r"\{:?[ ]*(?:[#.][\w-]|[\w-]+=)[^{}\n]*\}")
_ENTITY_OR_ICON = re.compile(r"&#?\w+;|:[a-z][\w-]*:")
_READ_ALOUD = re.compile(r"""\b(?:alt|aria-label|title)=("[^"]*"|'[^']*')""")
_LIST = re.compile(r"(?:\A|^[ \t>]*\n)[ \t>]*\d+\.[ \t].*(?:\n[ \t>]*[^\s>].*)*", re.MULTILINE)
_MARKER = re.compile(r"^[ \t>]*\d+\.(?=[ \t])", re.MULTILINE)  # Markdown counts by itself
_TITLE = re.compile(r"""\btitle=("[^"\n]*"|'[^'\n]*')""")
_ALONE = re.compile(rf"[`$\s]*(?:=|≈|\\approx)?\s*(?:{NUMBER.pattern})[`$\s]*", re.VERBOSE)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")

Span = tuple[int, int]


def unbacked(markdown: str) -> list[tuple[int, str]]:
    """Line and text of each number without backing, in page order.

    `markdown` is the whole file, front matter included, after `fences.expand`.
    """
    page, fractions_only = _visible(markdown)
    spans = examine(markdown).backed
    spans += [match.span() for pattern in EXEMPT.values() for match in pattern.finditer(page)]
    found = []
    for number in NUMBER.finditer(page):
        at = number.start("fraction" if number["fraction"] else "digits")
        held = _inside(at, spans) or (_inside(at, fractions_only) and not has_fraction(number[0]))
        if not held and not _ORDINAL.match(page, number.end()):
            found.append((page.count("\n", 0, number.start()) + 1, number[0].strip()))
    return found


def has_fraction(number: str) -> bool:
    """Whether a number as shown has digits behind the point, or is a sign such as ½."""
    return "." in number or not any(sign.isdecimal() for sign in number)


def _inside(at: int, spans: list[Span]) -> bool:
    return any(start <= at < end for start, end in spans)


def _visible(markdown: str) -> tuple[str, list[Span]]:
    """What a reader sees as text, at its old place; the rest is blank.

    Also the spans in which whole numbers do not count.
    """
    page = _blank(markdown, _FRONT_MATTER)
    fractions_only: list[Span] = []
    for fence in find_fences(page):
        kept = list(_texts_of_fence(page, fence))
        fractions_only += kept
        page = _blank_but(page, (fence.start, fence.end), kept)
    # Code first: a dollar in it opens no formula.
    for pattern in (CODE_OR_COMMENT, _DISPLAYED, _INLINE_MATH):
        for match in pattern.finditer(page):
            alone = pattern is not _DISPLAYED and _ALONE.fullmatch(match[0])
            kept = [match.span()] if alone else []
            fractions_only += kept
            page = _blank_but(page, match.span(), kept)
    for block in _LIST.finditer(_TAG.sub(lambda tag: " " * len(tag[0]), page)):
        for marker in _MARKER.finditer(page, *block.span()):
            page = _blank_but(page, marker.span(), [])
    for pattern in (_LINK_TARGET, _TAG, _ADDRESS_OR_NOTE, _ATTRIBUTES, _ENTITY_OR_ICON):
        page = _blank(page, pattern)
    return page, fractions_only


def _texts_of_fence(page: str, fence: Fence) -> Iterator[Span]:
    """What an author says in a fence: its title and, in Python, the comments."""
    first, *lines = page[fence.start : fence.end].splitlines(keepends=True)
    for title in _TITLE.finditer(first):
        yield fence.start + title.start(1), fence.start + title.end(1)
    if fence.language != RUN:
        return
    starts = [fence.start + len(first)]
    for line in lines:
        starts.append(starts[-1] + len(line))
    try:
        for token in tokenize.generate_tokens(io.StringIO(fence.source).readline):
            if token.type == tokenize.COMMENT:
                start = starts[token.start[0] - 1] + len(fence.prefix) + token.start[1]
                yield start, start + len(token.string)
    except (tokenize.TokenError, SyntaxError):
        return  # the block cannot run, which the tests say


def _blank(page: str, unseen: re.Pattern[str]) -> str:
    """Without what a pattern finds, but for the attributes that are read to the blind."""
    for match in unseen.finditer(page):
        kept = [found.span(1) for found in _READ_ALOUD.finditer(page, *match.span())]
        page = _blank_but(page, match.span(), kept if unseen in (_TAG, _ATTRIBUTES) else [])
    return page


def _blank_but(page: str, span: Span, kept: list[Span]) -> str:
    """Blanks in a span, in the same lines, but for some spans in it."""
    pieces, at = [], span[0]
    for start, end in [*kept, (span[1], span[1])]:
        pieces += [re.sub(r"[^\n]", " ", page[at:start]), page[start:end]]
        at = end
    return page[: span[0]] + "".join(pieces) + page[span[1] :]
