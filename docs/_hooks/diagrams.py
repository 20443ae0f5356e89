"""Mermaid fences become inline SVG, drawn once and committed under a hash of the source.

A normal build only looks the drawing up. Run as a script, with a browser and Mermaid's
`mermaid.min.js`, this draws what is missing and removes what no page uses (`make diagrams`).
"""

import html
import sys
from pathlib import Path
from typing import Any

from pymdownx.superfences import SuperFencesException

from _hooks.fences import find_fences, short_hash

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "assets" / "diagrams"

# Shapes take the page's colours, so one drawing serves light and dark. A class after `:::` in the
# source names the meaning of a box, as everywhere: the outline says what it is.
THEME = """
.node rect, .node circle, .node polygon, .node path {
  fill: var(--pe-raised) !important; stroke: var(--pe-edge) !important; stroke-width: 1.5px; }
.node.token rect { stroke: var(--pe-token) !important; }
.node.position rect { stroke: var(--pe-position) !important; }
.node.sum rect, .node.sum circle { stroke: var(--pe-ink) !important; }
.nodeLabel, .label, text, tspan, .edgeLabel { fill: var(--pe-ink) !important; }
.flowchart-link { stroke: var(--pe-edge) !important; }
.marker, .arrowMarkerPath { fill: var(--pe-edge) !important; stroke: var(--pe-edge) !important; }
"""

DRAW = """async ([key, source, css]) => {
  mermaid.initialize({
    startOnLoad: false, deterministicIds: true, deterministicIDSeed: key, theme: "neutral",
    htmlLabels: false, flowchart: {htmlLabels: false}, fontFamily: "inherit", themeCSS: css });
  return (await mermaid.render("d" + key, source)).svg;
}"""


def fence(
    source: str, language: str, css_class: str, options: dict[str, Any], md: Any, **_: Any
) -> str:
    """What a Mermaid fence becomes; the signature is that of a superfences formatter."""
    path = FOLDER / f"{short_hash(source)}.svg"
    if not path.exists():
        # Any other exception is swallowed by superfences, and the source shown as code.
        raise SuperFencesException(f"no drawing yet for this; run `make diagrams`:\n{source}")
    return (
        f'<figure class="diagram" data-source="{html.escape(source.strip(), quote=True)}">'
        f"{path.read_text('utf-8')}</figure>"
    )


def sources() -> dict[str, str]:
    """Every Mermaid fence of the site, by key."""
    pages = [path.read_text("utf-8") for path in DOCS.rglob("*.md")]
    fences = [fence for page in pages for fence in find_fences(page)]
    return {short_hash(f.source): f.source.strip() for f in fences if f.language == "mermaid"}


def draw_missing(mermaid_js: Path, chromium: str, arguments: list[str]) -> list[str]:
    """Draw the fences that have no drawing; give back their keys."""
    from playwright.sync_api import sync_playwright

    wanted = sources()
    for path in FOLDER.glob("*.svg"):
        if path.stem not in wanted:
            path.unlink()
    missing = {k: s for k, s in wanted.items() if not (FOLDER / f"{k}.svg").exists()}
    if not missing:
        return []
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        page = browser.new_page()
        page.set_content("<body></body>")
        page.add_script_tag(path=mermaid_js)
        for name, source in missing.items():
            svg = page.evaluate(DRAW, [name, source, THEME])
            (FOLDER / f"{name}.svg").write_text(svg, "utf-8")
        browser.close()
    return sorted(missing)


if __name__ == "__main__":
    sys.path.insert(0, str(DOCS.parent))
    from tests.chromium import ARGS, find_chromium

    drawn = draw_missing(Path(sys.argv[1]), str(find_chromium()), list(ARGS))
    print("drawn:", ", ".join(drawn) if drawn else "nothing was missing")
