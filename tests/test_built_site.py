"""What the build promises of every page: whole without scripts, the same each time."""

import gzip
import json
import re
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup

from tests.conftest import build_site, page_addresses
from tests.server import resolve

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(p for p in DOCS.glob("**/*.md") if not p.is_relative_to(DOCS / "assets"))
LESSONS = [a for a in page_addresses() if a.startswith("lessons/")]
NOTEBOOKS = [a for a in page_addresses() if a.startswith("examples/")]


def text_of(site, address):
    return resolve(site, address).read_text("utf-8")


def test_two_builds_give_the_same_bytes(site, tmp_path):
    """`site` was made without a cache; this one may use it, which holds the cache to the truth."""
    again = build_site(tmp_path / "site")
    files = sorted(path.relative_to(site) for path in site.rglob("*") if path.is_file())

    assert sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file()) == files
    assert [p for p in files if (site / p).read_bytes() != (again / p).read_bytes()] == []


@pytest.mark.parametrize("address", [*page_addresses(), "404.html"])
def test_no_page_holds_a_script(site, address):
    """Data blocks are not scripts; the rest must come from files, or a policy forbids it."""
    tags = re.findall(r"<script([^>]*)>", text_of(site, address))

    assert [t for t in tags if "src=" not in t and "json" not in t] == []
    assert " onclick=" not in text_of(site, address)


@pytest.mark.parametrize("address", page_addresses())
def test_no_formula_is_left_as_tex(site, address):
    page = text_of(site, address)
    page = re.sub(r"<(pre|code|annotation|script)\b.*?</\1>", "", page, flags=re.DOTALL)

    assert "\\(" not in page
    assert "\\[" not in page
    assert re.search(r"\$[^$<]*\\[a-z]+[^$<]*\$", page) is None


@pytest.mark.parametrize("address", page_addresses())
def test_number_comments_of_the_author_do_not_reach_the_reader(site, address):
    assert re.search(r"<!-- *(=|table|let|check|from)", text_of(site, address)) is None


@pytest.mark.parametrize("address", [*page_addresses(), "404.html"])
def test_nothing_is_named_on_another_host_but_links(site, address):
    page = re.sub(r'<a [^>]*href="[^"]*"', "", text_of(site, address))
    loads = re.findall(r'(?:src|srcset|href|data|poster)="(https?://[^"]*)"', page)
    canonical = re.findall(r'<link rel="canonical" href="([^"]*)"', page)

    assert set(loads) <= set(canonical)


@pytest.mark.parametrize("address", LESSONS)
def test_a_lesson_describes_itself_to_machines(site, address):
    block = re.search(r'<script type="application/ld\+json">(.*?)</script>', text_of(site, address))
    data = json.loads(block[1])

    assert data["@type"] == "LearningResource"
    assert re.fullmatch(r"PT\d+M", data["timeRequired"])
    assert data["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert data["url"].endswith(f"/{address}")
    for key in ("name", "description", "educationalLevel", "teaches", "competencyRequired"):
        assert data[key], key


def indexed(site):
    """All words of the search index."""
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))
    return " ".join(f"{entry['title']} {entry['text']}" for entry in index["docs"])


def test_the_search_index_holds_words_not_sources(site):
    words = indexed(site)

    assert "Cut a sentence into word cards" in words
    assert "Three words take seats" in words  # a caption of a stepper
    assert not re.search(r"\\(frac|sin|begin|omega)|flowchart|accTitle|data-k=", words)


@pytest.mark.parametrize("address", LESSONS)
def test_answers_are_not_given_away_by_search(site, address):
    soup = BeautifulSoup(text_of(site, address), "html.parser")
    folded = soup.select("details:is(.answer, .hint, .yes, .no) > p")
    sentences = [p.get_text().strip() for p in folded if not p.select("math, code")]
    words = BeautifulSoup(indexed(site), "html.parser").get_text()

    assert len(sentences) > 10
    assert [sentence for sentence in sentences if sentence in words] == []


@pytest.mark.parametrize("address", page_addresses())
def test_every_picture_of_a_page_was_made_by_the_build(site, address):
    """A picture from elsewhere could show anything; these were drawn by code that is tested."""
    article = BeautifulSoup(text_of(site, address), "html.parser").article
    made = re.compile(
        r"^(\.\./)*assets/(figures|drawn|notebooks)/[\w-]+\.svg(#only-(light|dark))?$"
    )
    frames = "pe-steps svg, .explorer svg, figure.diagram svg, .door svg"

    assert [i["src"] for i in article.select("img") if not made.match(i["src"])] == []
    assert [i["src"] for i in article.select("img") if not i.get("alt", "").strip()] == []
    assert [s for s in article.select("svg") if s not in article.select(frames)] == []


def test_the_search_index_holds_the_words_of_a_notebook_once_and_none_of_its_code(site):
    words = indexed(site)

    assert words.count("The divisor of a pair depends on the pair alone") == 1
    assert "for pair in range" not in words


@pytest.mark.parametrize("address", NOTEBOOKS)
def test_a_notebook_page_offers_itself_as_a_notebook(site, address):
    name = address.split("/")[-2]
    notebook = json.loads((site / address / f"{name}.ipynb").read_text("utf-8"))
    ids = [cell["id"] for cell in notebook["cells"]]

    assert f'href="{name}.ipynb"' in text_of(site, address)
    assert len(set(ids)) == len(ids)
    assert "jupytext" not in notebook["metadata"]


@pytest.mark.parametrize("address", NOTEBOOKS)
def test_a_notebook_that_was_taken_away_runs_on_its_own(site, address, tmp_path):
    import nbformat
    from nbclient import NotebookClient

    name = address.split("/")[-2]
    notebook = nbformat.read(site / address / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()

    assert all("output_type" in o for cell in notebook.cells for o in cell.get("outputs", []))


def test_without_a_repository_no_page_names_one(site):
    assert "colab.research.google.com" not in text_of(site, NOTEBOOKS[0])


def test_a_fork_publishes_under_its_own_address(fork):
    lesson = text_of(fork, LESSONS[0])
    notebook = text_of(fork, NOTEBOOKS[0])

    assert f'<link rel="canonical" href="https://someone.github.io/fork/{LESSONS[0]}">' in lesson
    assert 'href="https://github.com/someone/fork"' in lesson
    assert "colab.research.google.com/github/someone/fork/blob/gh-pages/examples/" in notebook
    assert 'href="/fork/assets/css/site.css"' in text_of(fork, "404.html")


def test_weights_that_need_no_browser(site):
    decoder = ("config-reader.js", "config-words.js", "decoder.js")  # weighed by its own tests
    ours = [path for path in (site / "assets/js").rglob("*.js") if path.name not in decoder]
    scripts = sum(len(gzip.compress(path.read_bytes(), 9)) for path in ours)
    index = len(gzip.compress((site / "search/search_index.json").read_bytes(), 9))

    assert scripts <= 20 * 1024
    assert index <= 150 * 1024


def test_sources_of_the_build_are_not_published(site):
    published = {path.name for path in site.rglob("*")}

    sources = {"_hooks", "_figures", "build.py", "d4_by_hand.py", "text-regular.ttf"}
    assert published & sources == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_front_matter_can_be_read(page):
    """Where it cannot, MkDocs prints it at the top of the page, without a word."""
    opening, front, _ = page.read_text("utf-8").split("---\n", 2)
    meta = yaml.safe_load(front)

    assert opening == ""
    assert {"title", "description"} <= meta.keys()
    assert all(isinstance(meta[key], str) for key in ("title", "description"))
