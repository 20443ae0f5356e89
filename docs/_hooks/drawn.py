"""A snippet that draws shows its own picture: the build runs it in the site's two colour schemes.

On a page, the line `![alt text](drawn)` stands below the block (and below its output). Here it
becomes a figure. The pictures are made by the code that the reader sees and by nothing else.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from _hooks.cache import fingerprint, package_fingerprint
from _hooks.fences import Fence, find_fences, short_hash
from _hooks.figures import pixels
from _hooks.run import run

FONTS = Path(__file__).parents[1] / "_figures"  # what `style` writes with
SCHEMES = ("light", "dark")
CAPTION = "What the code above drew, run when this page was built, in this site’s colours."
NO_ALT = "![](drawn) needs a text for those who cannot see it"

Cache = Callable[[str, Callable[[], bytes]], bytes]


def wear(scheme: str) -> None:
    """Put on the site's style. Called in the process that will run a snippet."""
    import matplotlib

    from _hooks import style

    colors = style.SCHEMES[scheme]
    values = style.diverging(colors)
    matplotlib.colormaps.register(values, name="posenc")
    # A grid lies over an image, and a snippet's author has not asked for one.
    settings: Any = style.rc(colors) | {"image.cmap": "posenc", "axes.grid": False}
    matplotlib.rcParams.update(settings)


def draw(source: str, scheme: str) -> bytes:
    """The one figure that a snippet leaves open, as SVG in the site's colours.

    Raises:
        ValueError: If the snippet fails, or leaves open no figure or several.
    """
    result = run(source, scheme=scheme)
    if result.error:
        raise ValueError(f"in the {scheme} colours it failed:\n{result.error}")
    if len(result.drawings) != 1:
        raise ValueError(f"it must leave one figure open, not {len(result.drawings)}")
    return result.drawings[0]


def insert(markdown: str, where: str, cached: Cache) -> tuple[str, dict[str, bytes]]:
    """Replace each `![alt](drawn)` by its figure.

    Args:
        markdown: The page, after `fences.expand`.
        where: The page's path from docs/, which gives the pictures' address and names errors.
        cached: Called with a key of all that a picture depends on, and what makes it.

    Returns:
        The new Markdown, and the content of each picture by its path from docs/.

    Raises:
        ValueError: If a picture has no text, or its snippet does not draw it.
    """
    pictures: dict[str, bytes] = {}
    drawing_fences = [fence for fence in find_fences(markdown) if fence.drawing]
    sources = [Path(__file__).with_name(f"{name}.py") for name in ("drawn", "style", "warm")]
    style = fingerprint([*sources, *FONTS.glob("*.ttf")])
    for fence in reversed(drawing_fences):  # from the end, so that earlier offsets stay true
        assert fence.drawing
        if not fence.drawing.alt:
            line = markdown.count("\n", 0, fence.drawing.start) + 1
            raise ValueError(f"{where}: line {line}: {NO_ALT}")
        paths = {}
        for scheme in SCHEMES:
            key = f"drawn {fence.source} {package_fingerprint()} {style} {scheme}"
            path = f"assets/drawn/{short_hash(fence.source)}-{scheme}.svg"
            try:
                pictures[path] = cached(key, partial(draw, fence.source, scheme))
            except ValueError as error:
                raise ValueError(f"{where}: the drawing {fence.drawing.alt!r}: {error}") from None
            paths[scheme] = path
        width, height = pixels(pictures[paths["light"]])
        figure = _figure(fence, "../" * where.count("/"), paths, width, height)
        markdown = markdown[: fence.drawing.start] + figure + markdown[fence.drawing.end :]
    return markdown, pictures


def _figure(fence: Fence, base: str, paths: dict[str, str], width: int, height: int) -> str:
    """Blocks of `pymdownx.blocks.html`, since these keep their indentation in notes and tabs."""
    assert fence.drawing
    images = [
        f"![{fence.drawing.alt}]({base}{paths[scheme]}#only-{scheme})"
        f"{{ loading=lazy width={width} height={height} }}"
        for scheme in SCHEMES
    ]
    lines = ["/// html | figure.drawn", "", *images, "", "//// html | figcaption", CAPTION]
    lines += ["////", "", "///"]
    return "\n".join(f"{fence.prefix}{line}".rstrip() for line in lines)
