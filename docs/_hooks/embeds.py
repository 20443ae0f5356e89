"""A page of its own for every explorer, to be shown inside somebody's course page.

It is the explorer and a line of credit, nothing else. Its address stays, its first state can be
chosen in the query (`?query=7&key=3`), and it tells the page around it how tall it is.
"""

import html
import re
from pathlib import Path
from typing import NamedTuple

from _hooks import figures
from _hooks.widgets import ELEMENT, FIGURE, module

USE = re.compile(FIGURE.format(kind="explorer"), re.DOTALL)
STYLES = re.compile(r'<link rel="stylesheet" href="(?:\./)?(assets/[^"]+)">')
HEAD = re.compile(r'<div class="head">\s*(.*?)\s*(?:<span|</div>)', re.DOTALL)


class Use(NamedTuple):
    """Where an explorer stands: the page that credits lead to."""

    name: str
    page: str
    """Address from the site's root."""
    anchor: str
    title: str
    """Of the page."""


def uses(markdown: str, page: str, title: str) -> list[Use]:
    """The explorers of a page."""
    found = []
    for figure in USE.finditer(markdown):
        anchor = re.search(r'id="([\w-]+)"', figure[0])
        if anchor is None:
            raise ValueError(f"{page}: the explorer {figure[2]} stands in a figure without an id")
        found.append(Use(figure[2], page, anchor[1], title))
    return found


def line_to_copy(name: str, base: str, site_url: str, title: str) -> str:
    """The folded line under an explorer.

    Args:
        name: Of the explorer.
        base: Address of the site's root as seen from the page, for the link.
        site_url: The same in full, for the line that goes to another site.
        title: What the explorer calls itself.
    """
    address = f"{site_url}embed/{name}/"
    frame = (
        f'<iframe src="{address}" title="{title}" loading="lazy" '
        'style="width:100%;height:640px;border:0"></iframe>'
    )
    return (
        '<details class="embed" data-search-exclude><summary>Show this in your own page</summary>'
        f"<p><code>{html.escape(frame)}</code></p>"
        f'<p>Or link <a href="{base}embed/{name}/">its page</a>. '
        "The names of the controls, put behind a question mark, choose the first state; the frame "
        'posts <code>{action: "resize", height}</code>. CC BY 4.0: keep the line of credit.</p>'
        "</details>"
    )


def title_of(markup: str) -> str:
    """What an explorer calls itself."""
    found = HEAD.search(markup)
    if found is None:
        raise ValueError(f"an explorer needs a head, got {markup[:80]!r}")
    return re.sub(r"<[^>]*>", "", found[1])


def page(use: Use, home: str, site: str) -> str:
    """The whole page of one explorer.

    Args:
        use: Where it stands.
        home: HTML of the built home page, whose style sheets it takes.
        site: Name of the site.
    """
    up = "../../"
    data = figures.data_of(use.name)
    markup = module(use.name).widget(data, f"{up}assets/data/{use.name}")
    title = title_of(markup)
    found = STYLES.findall(home)
    if not found:
        raise ValueError("the home page names no style sheet that a page of an explorer could take")
    styles = "".join(f'<link rel="stylesheet" href="{up}{path}">' for path in found)
    element = ELEMENT.search(markup)
    assert element, "every explorer is an element of ours"
    script = element[1].removeprefix("pe-")
    lesson = f"{up}{use.page}#{use.anchor}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title} – {html.escape(site)}</title>"
        f'<link rel="icon" href="{up}assets/logo.svg">'
        f'<link rel="canonical" href="{up}{use.page}">{styles}'
        f'<script src="{up}assets/js/{script}.js" type="module"></script>'
        f'<script src="{up}assets/js/embed.js" type="module"></script></head>'
        '<body class="embedded" dir="ltr" data-md-color-scheme="default" '
        'data-md-color-primary="custom" data-md-color-accent="custom">'
        f'<main class="md-typeset"><h1 class="said">{title}</h1>'
        f'<article><figure class="explore" id="{use.anchor}">{markup}</figure></article>'
        f'<p class="credit">From <a href="{lesson}" target="_top">{html.escape(use.title)}</a>, '
        f"{html.escape(site)}, CC BY 4.0</p></main></body></html>\n"
    )


def write(site_dir: Path, found: list[Use], site: str) -> None:
    """Publish the pages of all explorers; where one stands twice, the first page is credited."""
    home = (site_dir / "index.html").read_text("utf-8")
    for use in reversed(found):
        target = site_dir / "embed" / use.name / "index.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page(use, home, site), "utf-8")
