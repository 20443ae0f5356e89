"""Every code block that a reader sees is one that was run: same language, same text, same order."""

import ast
import re
import subprocess
import sys
from collections import Counter

import jupytext
import pytest

import posenc_ref
from _hooks.drawn import SCHEMES, draw
from _hooks.fences import OUTPUT, RUN, SHOWN, find_fences
from tests import clinic_checks
from tests.docs_examples import (
    DOCS,
    ROOT,
    complaint,
    docstrings,
    find_cells,
    notebook_blocks,
    notebooks,
    pages,
    read_page,
    run_fence,
    run_notebook,
    sources,
)
from tests.rendered import Block, api_blocks, blocks, differences, drawings, normal

PAGES, NOTEBOOKS, MODULES = sources(pages), sources(notebooks), sources(docstrings)
OF_THE_CLINIC = clinic_checks.PAGES  # tests/test_clinic.py holds their blocks in PyTorch
BESIDE_THE_SITE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def name(path):
    return path.relative_to(ROOT).as_posix()


def built(path, site):
    """The built page of a source under docs/."""
    place = path.relative_to(DOCS).with_suffix("")
    folder = place.parent if place.name == "index" else place
    return site / folder / "index.html"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_the_blocks_of_a_built_page_are_those_that_were_found(path, site):
    assert differences(built(path, site).read_text("utf-8"), read_page(path)) == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_python_block_is_run_and_every_other_block_is_allowed(path):
    fences = find_fences(read_page(path))
    examples = [e for e in pages.parse(path).examples() if e.region.evaluator is run_fence]

    assert [e.parsed for e in examples] == [f for f in fences if f.language == RUN]
    assert {fence.language for fence in fences} <= {RUN, OUTPUT} | SHOWN


def test_few_blocks_are_shown_without_being_run_and_another_one_is_a_decision():
    elsewhere = [path for path in PAGES if path not in OF_THE_CLINIC]
    languages = [fence.language for path in elsewhere for fence in find_fences(read_page(path))]

    shown = Counter(name for name in languages if name not in (RUN, OUTPUT))
    programs = {"py": 3, "cpp": 1, "javascript": 1}  # run by tests/test_conformance_programs.py
    assert shown == {"mermaid": 1, "html": 2, "bibtex": 1, "bash": 3, "console": 4, **programs}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_built_notebook_shows_its_code_and_what_that_prints_and_no_other_block(path, site):
    [example] = notebooks.parse(path).examples()
    run_today = [Block(kind, normal(text)) for kind, text in notebook_blocks(example.parsed)]

    assert blocks(built(path, site).read_text("utf-8")) == run_today
    assert example.region.evaluator is run_notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_cells_are_those_that_jupytext_reads(path):
    ours = [cell.source for cell in find_cells(path.read_text("utf-8")) if cell.kind == "code"]

    assert ours == [c.source for c in jupytext.read(path).cells if c.cell_type == "code"]


def test_a_built_page_without_a_source_has_no_blocks(site):
    """Such as 404.html, the search page, or a redirect."""
    known = {built(path, site) for path in [*PAGES, *NOTEBOOKS]}
    others = [path for path in site.rglob("*.html") if path not in known]

    assert {path.relative_to(site): blocks(path.read_text("utf-8")) for path in others} == {
        path.relative_to(site): [] for path in others
    }


def docstring_texts():
    nodes = [node for path in MODULES for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    with_docstring = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) for node in nodes if isinstance(node, with_docstring)]
    return [text for text in texts if text]


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_blocks_of_a_reference_page_stand_in_docstrings(path, site):
    texts = [normal(text) for text in docstring_texts()]
    shown = api_blocks(built(path, site).read_text("utf-8"))

    # In the source an example is indented under its heading.
    strays = [b for b in shown if not any(unindented(b.text) in unindented(t) for t in texts)]
    assert strays == []


def test_blocks_of_the_reference_are_prompts_or_formulas(site):
    """Prompts are run. A formula calls nothing of ours, as a false example would."""
    shown = [b.text for path in PAGES for b in api_blocks(built(path, site).read_text("utf-8"))]
    formulas = [text for text in shown if ">>> " not in text]
    of_ours = "|".join(name for name in posenc_ref.__all__ if name[0].islower())
    code = re.compile(
        rf"^\s*(import|from|print|def)\b|\b({of_ours})\([^)]*=|posenc_ref\.", re.MULTILINE
    )

    assert len(formulas) > 50
    assert [text for text in formulas if code.search(text)] == []


def unindented(text):
    return re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_prompt_of_the_package_is_run(path):
    prompts = re.findall(r"^\s*>>> ", path.read_text("utf-8"), re.MULTILINE)

    assert len(list(docstrings.parse(path).examples())) == len(prompts)


@pytest.mark.parametrize("path", BESIDE_THE_SITE, ids=name)
def test_python_beside_the_site_runs_and_prints_what_is_shown(path):
    fences = [fence for fence in find_fences(read_page(path)) if fence.language == RUN]

    assert {f"line {fence.line}": complaint(fence) for fence in fences} == {
        f"line {fence.line}": None for fence in fences
    }


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_drawing_on_the_site_is_what_its_snippet_draws_today(path, site):
    fences = [fence for fence in find_fences(read_page(path)) if fence.drawing]
    page = built(path, site)
    shown = drawings(page.read_text("utf-8"))

    assert len(shown) == len(fences)
    for fence, addresses in zip(fences, shown, strict=True):
        fresh = [draw(fence.source, scheme) for scheme in SCHEMES]
        assert [(page.parent / address).read_bytes() for address in addresses] == fresh


def test_nothing_is_skipped():
    skip = re.compile(r"<!--[-\s;]*skip\b|#\s*doctest:|pragma: no run", re.IGNORECASE)
    files = [*PAGES, *NOTEBOOKS, *MODULES, *BESIDE_THE_SITE]

    assert sum(len(skip.findall(path.read_text("utf-8"))) for path in files) == 0


def test_pytest_collects_every_example():
    """Run alone, the plugin must find what Sybil finds; it is easy to hook it in wrongly."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "docs", "posenc_ref"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    found = {
        kind.name: sum(len(list(kind.parse(path).examples())) for path in sources(kind))
        for kind in (pages, docstrings, notebooks)
    }

    assert {kind: listed.count(f"::sybil:{kind},") for kind in found} == found
