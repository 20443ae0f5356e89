"""What a reader sees on a built page: its code blocks, in page order."""

from typing import NamedTuple

from bs4 import BeautifulSoup, Tag
from nbconvert.filters import markdown2html

from _hooks.fences import find_fences


class Block(NamedTuple):
    """One code block of a page."""

    language: str
    text: str


def blocks(html: str) -> list[Block]:
    """Every block that an author wrote. Reference pages hold others, see `api_blocks`."""
    return [block(tag) for tag in _tags(html) if not _is_api(tag)]


def api_blocks(html: str) -> list[Block]:
    """Blocks that mkdocstrings made from docstrings; signatures are left out."""
    return [
        block(tag)
        for tag in _tags(html)
        if _is_api(tag) and not tag.find_parent(class_="doc-signature")
    ]


def _tags(html: str) -> list[Tag]:
    return BeautifulSoup(html, "html.parser").select("pre, figure.diagram")


def _is_api(tag: Tag) -> bool:
    return tag.find_parent(class_="doc-object") is not None


def block(tag: Tag) -> Block:
    if tag.name == "figure":
        return Block("mermaid", normal(tag["data-source"]))
    for numbers in tag.select(".linenos, .lineno"):
        numbers.decompose()
    marked = tag.find_parent(class_="highlight")
    classes = marked.get("class", []) if marked else []
    names = [name.removeprefix("language-") for name in classes if name.startswith("language-")]
    return Block(names[0] if names else "", normal(tag.get_text()))


def normal(text: str) -> str:
    """Without what Markdown drops: blanks at line ends, empty lines at either end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def promised(page: str) -> list[Block]:
    """The blocks that a page's source promises: its fences."""
    return [Block(f.language, normal(f.source)) for f in find_fences(page)]


def differences(html: str, page: str) -> list[str]:
    """Where the blocks that a reader sees are not the fences of the page."""
    shown, meant = blocks(html), promised(page)
    said = [f"shown, but no fence: {block}" for block in shown if block not in meant]
    said += [f"a fence, but not shown: {block}" for block in meant if block not in shown]
    return said or (["shown in another order"] if shown != meant else [])


def code_in_text(markdown: str) -> str:
    """The first code block that a notebook's text cell would show, and empty if there is none."""
    return next((block.text for block in blocks(markdown2html(markdown))), "")


def drawings(html: str) -> list[list[str]]:
    """The addresses in each figure that a snippet drew: light, then dark."""
    figures = BeautifulSoup(html, "html.parser").select("figure.drawn")
    return [[image["src"].partition("#")[0] for image in f.select("img")] for f in figures]
