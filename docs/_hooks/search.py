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


FIRST_PARAGRAPH = re.compile(
    r"(?:reference/[^/]+/|claims/#claim-|parts/|practice/(?:prove|cases)/"
    r"|practice/clinic/(?:#find$|[\w-]+/#(?!top$))"
    r"|lessons/[^/]+/#(?:words|worked|sentence|quiz|prove|sources|ex-[\w-]+)$)"
)
"""Of these parts, all is searched by its title and opening words: a function of the reference, a
claim with its verdict, numbers worked by hand, an exercise, questions, what a bug's page says below
its symptom; and what stands on another page too: terms, sources, self-checks, lists of pages."""
LISTS = ("glossary/", "sources/")
LONGEST = 800
"""Of any other section but these lists', what is searched are its first paragraphs and points, up
to so many characters: they say what it is about."""
BLOCK = re.compile(r"<(p|li|dt|dd)\b.*?</\1>", re.DOTALL)
NOTES_ON_A_SOURCE = re.compile(r" (?:Where|Code|Taken|Best at|Read) .*(?=</p>)", re.DOTALL)


def beginning(text: str) -> str:
    """Whole paragraphs and points from the start; the first one in any case."""
    if len(text) <= LONGEST:
        return text
    kept = ""
    for block in BLOCK.finditer(text):
        if kept and len(kept) + len(block[0]) > LONGEST:
            break
        kept += block[0]
    return kept


def trim(index: Path) -> None:
    """Leave out what readers do not search for, so that the index loads soon.

    Every title stays, and the first paragraph under it. The theme's own mark fails here: it loses
    count where an element that is left out holds another of its kind, as reference bodies do.
    """
    content = json.loads(index.read_text("utf-8"))
    for entry in content["docs"]:
        if entry["location"].startswith("practice/clinic/"):
            entry["boost"] = 2  # who types a symptom has a model that is wrong
        if FIRST_PARAGRAPH.match(entry["location"]):
            paragraph = re.search(r"<p>.*?</p>", entry["text"], re.DOTALL)
            entry["text"] = paragraph[0] if paragraph else ""
        elif entry["location"].startswith("sources/#"):
            entry["text"] = NOTES_ON_A_SOURCE.sub("", entry["text"])
        elif not entry["location"].startswith(LISTS):
            entry["text"] = beginning(entry["text"])
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    index.write_text(text, "utf-8")
