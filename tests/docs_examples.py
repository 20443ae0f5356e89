"""What Sybil runs: the fences of every page, the docstrings of the package, the notebooks.

`-p tests.docs_plugin` hands these to pytest. Paths are absolute: with a relative one Sybil collects
nothing and says so to nobody.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sybil import Document, Example, Region, Sybil
from sybil.parsers.rest import DocTestParser
from sybil.sybil import SybilCollection

from _hooks.drawn import NO_ALT
from _hooks.fences import OUTPUT, RUN, Fence, Refusal, expand, find_fences, find_refusals
from _hooks.numbers import examine
from _hooks.run import TIMEOUT, run
from _hooks.unbacked import has_fraction, unbacked
from tests.rendered import code_in_text

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BASE_PATH = [ROOT, DOCS]  # where `--8<--` looks, as in mkdocs.yml

MAY_IMPORT = sys.stdlib_module_names | {"numpy", "matplotlib", "posenc_ref"}

_DIRECTIVE = re.compile(r"#\s*doctest:")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
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
    if lacking(fence.source):
        return lacking(fence.source)
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
        return NO_ALT
    return None


def lacking(source: str) -> str | None:
    """What is wrong with the imports of a program that runs."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    strangers = {name.partition(".")[0] for name in names} - MAY_IMPORT
    return f"a reader may lack {', '.join(sorted(strangers))}" if strangers else None


def lies(page: str) -> list[str]:
    """The numbers of a page that are wrong and, on a lesson, those that no code stands behind."""
    said = [f"line {line}: {what}" for line, what in examine(page).mistakes]
    if is_lesson(page):
        said += [f"line {line}: nothing stands behind {number}" for line, number in unbacked(page)]
    return said


def is_lesson(page: str) -> bool:
    front_matter = _FRONT_MATTER.match(page)
    return bool(front_matter and "\nkind:" in front_matter[0])


def parse_docstrings(document: Document) -> Iterator[Region]:
    """Every prompt, to be run as it stands: a directive would bend what its output is held to."""
    for region in DocTestParser()(document):
        if _DIRECTIVE.search(document.text[region.start : region.end]):
            line = document.text.count("\n", 0, region.start) + 1
            message = "no doctest directives: print what is the same each time"
            parsed = Refusal(region.start, region.end, line, message)
            region = Region(region.start, region.end, parsed, refuse)
        yield region


class Cell(NamedTuple):
    """A cell of a percent notebook."""

    kind: str
    source: str
    options: str

    @property
    def text(self) -> str:
        """What a cell says in words."""
        return re.sub(r"^# ?", "", self.source, flags=re.MULTILINE)


def find_cells(text: str) -> list[Cell]:
    """The cells of a percent notebook, as jupytext reads them; a test compares the two."""
    text = _HEADER.sub("", text, count=1)
    parts = _CELL.split(text)
    cells = [Cell("code", parts[0].strip("\n"), "")] if parts[0].strip() else []
    for options, source in zip(parts[1::2], parts[2::2], strict=True):
        kind = re.match(r"\s*\[(\w+)\]", options)
        cells.append(Cell(kind[1] if kind else "code", source.strip("\n"), options))
    return cells


def parse_notebook(document: Document) -> Iterator[Region]:
    yield Region(0, len(document.text), document.text, run_notebook)


def run_notebook(example: Example) -> str | None:
    """A percent notebook is a Python file: all cells, top to bottom, in one namespace."""
    magic = _MAGIC.search(example.parsed)
    if magic:
        return f"no magics in notebooks, a reader may run them as files: {magic[0].strip()}"
    wrong = [what for cell in find_cells(example.parsed) for what in wrong_in_words(cell)]
    if wrong:
        return "\n".join(wrong)
    result = run(example.parsed)
    if result.error:
        return f"the notebook fails:\n{result.error}"
    return lacking(example.parsed)


def wrong_in_words(cell: Cell) -> list[str]:
    """What a cell must not say: code that is not run, numbers that nothing stands behind."""
    words = cell.text if cell.kind == "markdown" else cell.options
    code = code_in_text(words)
    said = [f"code belongs in a cell that runs:\n{code}"] if code else []
    said += [what for _, what in examine(words).mistakes]
    return said + [
        f"nothing stands behind {number} in: {words.splitlines()[line - 1].strip()}"
        for line, number in unbacked(words)
        if has_fraction(number)
    ]


def notebook_blocks(text: str) -> list[tuple[str, str]]:
    """The code of each cell of a notebook and what it prints, as language and text."""
    mark = "\x1e"
    codes = [cell.source for cell in find_cells(text) if cell.kind == "code"]
    printed = run("".join(f"{code}\nprint(end={mark!r})\n" for code in codes)).stdout.split(mark)
    pairs = zip(codes, printed[: len(codes)], strict=True)
    return [block for code, out in pairs for block in [(RUN, code), (OUTPUT, out)] if block[1]]


pages = Sybil(
    parsers=[parse_page],
    patterns=["*.md"],
    excludes=["_*/*.md", "assets/*.md", "assets/*/*.md"],  # notes beside sources, not pages
    path=str(DOCS),
    document_types={".md": Page},
    name="page",
)
docstrings = Sybil(
    parsers=[parse_docstrings],
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
