"""Terms: the first use of each on a page leads to the glossary and shows its definition.

The glossary is a definition list. A term's other forms stand beside its id:

    Rotary position embedding { #rope data-forms="RoPE|rotary" }
    :   A rotation of …
"""

import html
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "glossary.md"
ENTRY = re.compile(
    r"^(?P<name>\S.*?) \{ #(?P<id>[\w-]+)(?: data-forms=\"(?P<forms>.*?)\")? \}\n"
    r":   (?P<definition>.*)$",
    re.MULTILINE,
)
TAG = re.compile(r"""(<!--.*?-->|<(?:[^>"']|"[^"]*"|'[^']*')*>)""", re.DOTALL)
NAME = re.compile(r"</?([\w-]+)")
# A link inside these would be one too many, or none at all; and what is folded away, or shown
# later, is not where a reader meets a term first.
CLOSED = re.compile(
    r"a|code|pre|math|svg|h[1-6]|script|button|th|label|noscript|details|pe-[\w-]+|figcaption"
)
VOID = {"br", "img", "input", "hr", "wbr", "meta", "link", "path", "rect", "circle"}


class Term(NamedTuple):
    name: str
    id: str
    forms: tuple[str, ...]
    definition: str
    """Plain text, for a tooltip."""


@cache
def terms() -> tuple[Term, ...]:
    return tuple(
        Term(
            found["name"],
            found["id"],
            (found["name"], *(found["forms"].split("|") if found["forms"] else ())),
            plain(found["definition"]),
        )
        for found in ENTRY.finditer(SOURCE.read_text("utf-8"))
    )


def plain(markdown: str) -> str:
    """Without links, emphasis and the comments that tie numbers."""
    text = re.sub(r"<!--.*?-->|[*`$]", "", markdown)
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text).strip()


def link_first_uses(content: str, glossary: str) -> str:
    """Link the first use of every term.

    Args:
        content: HTML of a page's article.
        glossary: Address of the glossary as seen from the page.
    """
    waiting = {form.lower(): term for term in terms() for form in term.forms}
    forms = tuple(waiting)
    if not forms:
        return content
    pieces = TAG.split(content)
    closed: list[str] = []
    for k, piece in enumerate(pieces):
        if piece.startswith("<"):
            _follow(piece, closed)
        elif not closed and piece.strip() and waiting:
            pieces[k] = _link(piece, waiting, forms, glossary)
    return "".join(pieces)


def _follow(tag: str, closed: list[str]) -> None:
    """Keep the stack of open elements in which nothing is linked."""
    name = NAME.match(tag)
    if not name or name[1] in VOID or tag.endswith("/>"):
        return
    if tag.startswith("</"):
        if closed and closed[-1] == name[1]:
            closed.pop()
        return
    # The words of a self-check are the key of its tick, and a label; they stay plain.
    shuts = CLOSED.fullmatch(name[1]) or "task-list-item" in tag
    opens = name[1] == closed[-1] if closed else shuts
    if opens:
        closed.append(name[1])


def _link(text: str, waiting: dict[str, Term], forms: tuple[str, ...], glossary: str) -> str:
    """Link what a piece of text uses for the first time; `waiting` loses those terms."""
    pattern, shorter = _pattern(forms), _shorter(forms)
    done: list[str] = []
    linked = at = 0
    while waiting and (found := pattern.search(text, at)):
        word = html.unescape(found[1]).lower()
        form = next((form for form in (word, *shorter[word]) if form in waiting), None)
        if form is None:
            at = found.start() + 1
            continue
        term = waiting[form]
        for other in term.forms:
            waiting.pop(other.lower(), None)
        end = found.end() if form == word else found.start() + len(_escaped(form))
        tip = html.escape(html.unescape(term.definition), quote=True)
        done += [
            text[linked : found.start()],
            f'<a class="term" href="{glossary}#{term.id}" title="{tip}">'
            f"{text[found.start() : end]}</a>",
        ]
        linked = at = end
    return "".join([*done, text[linked:]])


def _escaped(form: str) -> str:
    return html.escape(form, quote=False)


@cache
def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the forms as a whole word, longer ones first, also in the plural.

    It is made once, of all forms: to make one of those that still wait took half of a build.
    """
    longest_first = sorted(forms, key=len, reverse=True)
    words = "|".join(re.escape(_escaped(form)) for form in longest_first)
    return re.compile(rf"(?<![\w-])({words})s?(?![\w-])", re.IGNORECASE)


@cache
def _shorter(forms: tuple[str, ...]) -> dict[str, list[str]]:
    """For each form those that are its first words, longest first."""
    return {
        form: sorted(
            (other for other in forms if re.match(rf"{re.escape(other)}(?![\w-])", form[:-1])),
            key=len,
            reverse=True,
        )
        for form in forms
    }
