"""What Sybil runs: the fences of every page, the docstrings of the package, the notebooks.

`-p tests.docs_plugin` hands these to pytest. Paths are absolute: with a relative one Sybil collects
nothing and says so to nobody.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sybil import Document, Example, Region, Sybil
from sybil.parsers.rest import DocTestParser
from sybil.sybil import SybilCollection

from _hooks.fences import RUN, Fence, Refusal, expand, find_fences, find_refusals
from _hooks.run import TIMEOUT, run

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BASE_PATH = [ROOT, DOCS]  # where `--8<--` looks, as in mkdocs.yml

_MAGIC = re.compile(r"^\s*(?:# )?(?:%(?!%)|%%|!)[A-Za-z].*$|\bget_ipython\b", re.MULTILINE)
_CELL = re.compile(r"^# %%(?P<kind>[^\n]*)\n?", re.MULTILINE)
_HEADER = re.compile(r"\A# ---\n(?:#[^\n]*\n)*?# ---\n")


class Page(Document):
    """A page as Markdown renders it: with its includes put in."""

    @classmethod
    def parse(cls, path, *parsers, encoding="utf-8"):
        document = cls(read_page(Path(path)), path)
        for parser in parsers:
            for region in parser(document):
                document.add(region)
        return document


def read_page(path: Path) -> str:
    return expand(path.read_text("utf-8"), BASE_PATH)


def parse_page(document: Document) -> Iterator[Region]:
    """Every Python fence, to be run; everything that a page must not hold, to fail."""
    refusals = find_refusals(document.text)
    refused = {refusal.start for refusal in refusals}
    for refusal in refusals:
        yield Region(refusal.start, refusal.end, refusal, refuse)
    for fence in find_fences(document.text):
        if fence.language == RUN and fence.start not in refused:
            yield Region(fence.start, fence.end, fence, run_fence)


def refuse(example: Example) -> str:
    refusal: Refusal = example.parsed
    return refusal.message


def run_fence(example: Example) -> str | None:
    return complaint(example.parsed)


def complaint(fence: Fence, timeout: float = TIMEOUT) -> str | None:
    """What is wrong with a fence: it fails, or the page does not show what it prints and draws."""
    result = run(fence.source, timeout=timeout)
    if result.error:
        return f"the block fails:\n{result.error}"
    if fence.output is None and result.stdout:
        return f"it prints, but no text block stands right below it:\n{result.stdout}"
    if fence.output is not None and not result.stdout:
        return "a text block stands right below it, but it prints nothing"
    if fence.output and fence.output.source.removesuffix("\n") != result.stdout.removesuffix("\n"):
        return f"the page shows\n{fence.output.source}but it prints\n{result.stdout}"
    if len(result.drawings) > 1:
        return f"it leaves {len(result.drawings)} figures open: one block draws one figure"
    if result.drawings and fence.drawing is None:
        return "it draws, but no line ![alt text](drawn) stands below it"
    if fence.drawing and not result.drawings:
        return "![…](drawn) stands below it, but it draws nothing"
    if fence.drawing and not fence.drawing.alt:
        return "![](drawn) needs a text for those who cannot see it"
    return None


class Cell(NamedTuple):
    """A cell of a percent notebook."""

    kind: str
    source: str


def find_cells(text: str) -> list[Cell]:
    """The cells of a percent notebook, as jupytext reads them; a test compares the two."""
    text = _HEADER.sub("", text, count=1)
    parts = _CELL.split(text)
    cells = [Cell("code", parts[0].strip("\n"))] if parts[0].strip() else []
    for options, source in zip(parts[1::2], parts[2::2], strict=True):
        kind = re.match(r"\s*\[(\w+)\]", options)
        cells.append(Cell(kind[1] if kind else "code", source.strip("\n")))
    return cells


def parse_notebook(document: Document) -> Iterator[Region]:
    yield Region(0, len(document.text), document.text, run_notebook)


def run_notebook(example: Example) -> str | None:
    """A percent notebook is a Python file: all cells, top to bottom, in one namespace."""
    magic = _MAGIC.search(example.parsed)
    if magic:
        return f"no magics in notebooks, a reader may run them as files: {magic[0].strip()}"
    result = run(example.parsed)
    return f"the notebook fails:\n{result.error}" if result.error else None


pages = Sybil(
    parsers=[parse_page],
    patterns=["*.md"],
    excludes=["_*/*.md", "assets/*.md", "assets/*/*.md"],  # notes beside sources, not pages
    path=str(DOCS),
    document_types={".md": Page},
    name="page",
)
docstrings = Sybil(
    parsers=[DocTestParser()],
    patterns=["*.py"],
    path=str(ROOT / "posenc_ref"),
    name="docstring",
)
notebooks = Sybil(
    parsers=[parse_notebook],
    patterns=["*.py"],
    path=str(DOCS / "examples"),
    document_types={".py": Document},
    name="notebook",
)
everything = SybilCollection([pages, docstrings, notebooks])


def sources(sybil: Sybil) -> list[Path]:
    """The files of one of the three above."""
    return sorted(path for path in sybil.path.rglob("*") if sybil.should_parse(path))
