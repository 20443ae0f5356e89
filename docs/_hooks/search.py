"""What the search index leaves out: formulas, drawings, code, widgets, answers, reference.

The theme's search skips any element that carries `data-search-exclude`.
"""

import json
import re
from pathlib import Path

LEFT_OUT = re.compile(
    r"<(?:math|svg|noscript|pe-(?!steps)[\w-]+)(?=[\s>])"
    r'|<div(?=[^>]* class="language-[\w-]+ )'
    r'|<figure(?=[^>]* class="diagram")'
    r'|<details(?=[^>]* class="(?:answer|hint|yes|no|cite)")'
)


def mark(content: str) -> str:
    """Mark what a page keeps to itself."""
    return LEFT_OUT.sub(lambda found: f"{found[0]} data-search-exclude", content)


def trim(index: Path) -> None:
    """Keep the first sentence of each function of the reference.

    The theme's own mark fails here: it loses count where an element that is left out holds another
    of its kind, as reference bodies do.
    """
    content = json.loads(index.read_text("utf-8"))
    for entry in content["docs"]:
        if re.match(r"reference/[^/]+/", entry["location"]):
            summary = re.search(r"<p>.*?</p>", entry["text"], re.DOTALL)
            entry["text"] = summary[0] if summary else ""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    index.write_text(text, "utf-8")
