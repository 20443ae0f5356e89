"""Steppers, explorers and the marks of the home page: markup that a page asks for by name.

The build writes the first state of each, so that a page is complete before any script runs.
"""

import re
from collections.abc import Callable
from types import ModuleType

from mkdocs.exceptions import PluginError

from _hooks import figures

FIGURE = r'<figure([^>]*?) data-{kind}="([\w-]+)"([^>]*)>(.*?)</figure>'
SCENE = re.compile(FIGURE.format(kind="scene"), re.DOTALL)
EXPLORER = re.compile(FIGURE.format(kind="explorer"), re.DOTALL)
CAPTION = re.compile(r"<li>\s*(.*?)\s*</li>", re.DOTALL)
DOOR = re.compile(r'<div class="door" data-mark="(\w+)">')
SORTABLE = re.compile(r'<div class="sortable[ "]')
FILTERED = '<div class="filter"'
FINDER = '<div class="finder"'
ELEMENT = re.compile(r"<(pe-[\w-]+)")

CONTROLS = (
    '<div class="bar"><button type="button" data-go="-1">Previous</button>'
    '<button type="button" data-play>Play</button>'
    '<button type="button" data-go="1">Next</button>'
    '<span class="count" aria-hidden="true"></span>'
    '<span class="said" role="status"></span></div>'
)


def module(name: str) -> ModuleType:
    return figures.load(figures.FOLDER / f"{name.replace('-', '_')}.py")


def stepper(found: re.Match[str], where: str) -> str:
    """A list of captions becomes a stepper: frame k of the scene stands before caption k."""
    before, name, after, body = found.groups()
    scene = module(name)
    frames = scene.frames(figures.data_of(name))
    captions = CAPTION.findall(body)
    if len(captions) != len(frames):
        raise PluginError(
            f"{where}: scene {name} has {len(frames)} frames but {len(captions)} captions"
        )
    items = "".join(
        f"<li>{frame.svg()}{caption if caption.startswith('<p>') else f'<p>{caption}</p>'}</li>"
        for frame, caption in zip(frames, captions, strict=True)
    )
    rest = re.sub(r"<ol>.*</ol>", "", body, flags=re.DOTALL)
    return f"<figure{before}{after}><pe-steps><ol>{items}</ol>{CONTROLS}</pe-steps>{rest}</figure>"


def explorer(found: re.Match[str], base: str, below: Callable[[str, str], str]) -> str:
    """The first state of an explorer; what stands inside is for readers without scripts."""
    before, name, after, body = found.groups()
    markup = module(name).widget(figures.data_of(name), f"{base}assets/data/{name}")
    return (
        f"<figure{before}{after}>{markup}<noscript>{body}</noscript>{below(name, markup)}</figure>"
    )


def insert(
    content: str, base: str, where: str, below: Callable[[str, str], str] = lambda *_: ""
) -> str:
    """Write in what the page asks for.

    Args:
        content: HTML of the page.
        base: Address of the site's root as seen from the page.
        where: Path of the page, for messages.
        below: What stands under an explorer, from its name and its markup.
    """
    content = SCENE.sub(lambda found: stepper(found, where), content)
    content = EXPLORER.sub(lambda found: explorer(found, base, below), content)
    if DOOR.search(content):
        marks = module("doors").MARKS
        content = DOOR.sub(lambda found: f'<div class="door">{marks[found[1]]()}', content)
    return content


def scripts(content: str) -> list[str]:
    """Scripts that a page needs for the elements it holds, by path."""
    names = sorted({name.removeprefix("pe-") for name in ELEMENT.findall(content)})
    if SORTABLE.search(content):
        names.append("sortable")
    if FILTERED in content:
        names.append("filter")
    if FINDER in content:
        names.append("finder")
    return [f"assets/js/{name}.js" for name in names]
