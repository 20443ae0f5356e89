"""What a page says about itself: the head of a lesson, how to cite it, and JSON-LD for machines."""

import html
import json
from collections.abc import Callable, Mapping
from typing import Any

from mkdocs.exceptions import PluginError

ENTERS = {
    "table": "added to the vectors",
    "rotation": "turns queries and keys",
    "bias": "added to the scores",
    "terms": "part of the scores",
    "none": "nowhere",
    "all": "each way in turn",
}
REQUIRED = (
    "title",
    "description",
    "part",
    "lesson",
    "level",
    "minutes",
    "kind",
    "needs",
    "teaches",
)
LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def check(meta: Mapping[str, Any], where: str) -> None:
    missing = [key for key in REQUIRED if key not in meta]
    if missing:
        raise PluginError(f"{where}: a lesson's front matter lacks {', '.join(missing)}")
    if meta["kind"] not in ENTERS:
        raise PluginError(f"{where}: kind must be one of {', '.join(ENTERS)}, got {meta['kind']!r}")


def lesson_head(meta: Mapping[str, Any], link: Callable[[str], str]) -> tuple[str, str]:
    """The line above a lesson's title and the strip of facts below it.

    Args:
        meta: Front matter.
        link: Address of a source path as seen from the page.
    """
    needs = ", ".join(
        f'<a href="{link(path)}">{html.escape(title)}</a>' for title, path in meta["needs"].items()
    )
    facts = {
        "Level": html.escape(meta["level"]),
        "Time": f"{meta['minutes']} min",
        "The position": ENTERS[meta["kind"]],
        "First read": needs,
    }
    strip = "".join(f"<div><dt>{name}</dt><dd>{fact}</dd></div>" for name, fact in facts.items())
    place = f"{html.escape(meta['part'])} · Lesson {meta['lesson']}"
    kicker = f'<p class="kicker" data-search-exclude>{place}</p>'
    return kicker, f'<dl class="facts">{strip}</dl>'


def citation(title: str, address: str, site: str, version: str) -> str:
    """A folded block at a page's end: its lasting address and a reference to copy."""
    key = "posenc_" + "".join(c if c.isalnum() else "_" for c in title.lower())
    bibtex = (
        f"@misc{{{key},\n  author = {{{{The posenc_ref authors}}}},\n  title = {{{title}}},\n"
        f"  howpublished = {{{site}}},\n  note = {{Version {version}}},\n  url = {{{address}}}\n}}"
    )
    return (
        '<details class="cite" id="cite"><summary>Cite and link this page</summary>'
        f'<p>Its address: <a href="{address}">{html.escape(address)}</a>. '
        "Every heading, figure and exercise has an address of its own, "
        "shown by the ¶ beside it or in its id; none of them will go away.</p>"
        f'<p class="bibtex"><code>{html.escape(bibtex)}</code></p>'
        f'<p>Text and figures may be used under <a href="{LICENCE}">CC BY 4.0</a>, '
        "code under the MIT licence.</p></details>"
    )


def json_ld(meta: Mapping[str, Any], address: str, site: str, site_url: str, version: str) -> str:
    """A lesson as schema.org's LearningResource; plain data, which no script policy forbids."""
    data = {
        "@context": "https://schema.org",
        "@type": "LearningResource",
        "@id": address,
        "url": address,
        "name": meta["title"],
        "description": meta["description"],
        "inLanguage": "en",
        "learningResourceType": "lesson",
        "educationalLevel": meta["level"],
        "timeRequired": f"PT{meta['minutes']}M",
        "teaches": meta["teaches"],
        "competencyRequired": list(meta["needs"]),
        "isAccessibleForFree": True,
        "license": LICENCE,
        "version": version,
        "author": {"@type": "Organization", "name": "The posenc_ref authors"},
        "isPartOf": {"@type": "WebSite", "name": site, "url": site_url},
    }
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>'
