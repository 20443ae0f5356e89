"""Every term once, linked from its first use, with its definition at hand."""

import re

import pytest
from bs4 import BeautifulSoup

from _hooks import glossary
from tests.conftest import DOCS, page_addresses
from tests.server import resolve

POSITION = glossary.Term("Position", "position", ("Position",), "The seat of a token.")
ROPE = glossary.Term("RoPE", "rope", ("RoPE", "rotary position embedding"), 'It "turns".')


@pytest.fixture
def two_terms(monkeypatch):
    both = glossary.Term("R & K", "rk", ("R & K",), "Two letters.")
    monkeypatch.setattr(glossary, "terms", lambda: (POSITION, ROPE, both))


def links(content):
    linked = glossary.link_first_uses(content, "../glossary/")
    return [(a["href"], a.get_text()) for a in BeautifulSoup(linked, "html.parser")("a")]


@pytest.mark.usefixtures("two_terms")
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<p>A position, a position.</p>", [("../glossary/#position", "position")]),
        ("<p>All positions</p>", [("../glossary/#position", "positions")]),
        ("<p>Rotary position embedding</p>", [("../glossary/#rope", "Rotary position embedding")]),
        (
            "<p>rotary position embedding, then RoPE</p>",
            [("../glossary/#rope", "rotary position embedding")],
        ),
        ("<h2>Position</h2><code>position</code><p>composition, position-wise</p>", []),
        ('<a href="#x">the <b>position</b></a>', [("#x", "the position")]),
        ("<pe-lookup><div><p>position</p></div></pe-lookup><p>x</p>", []),
        ('<li class="task-list-item">I can say position.</li>', []),
        ("<pe-steps><p>position</p></pe-steps><details><p>position</p></details>", []),
        ("<!-- > position --><p>r &amp; k</p>", [("../glossary/#rk", "r & k")]),
    ],
)
def test_the_first_use_in_running_text_is_linked(content, expected):
    assert links(content) == expected


def test_a_term_is_found_within_a_longer_one_that_is_linked_already(monkeypatch):
    longer = glossary.Term("Position id", "id", ("Position id",), "A number.")
    monkeypatch.setattr(glossary, "terms", lambda: (POSITION, longer))

    assert links("<p>Position ids, position ids, position</p>") == [
        ("../glossary/#id", "Position ids"),
        ("../glossary/#position", "position"),
    ]


@pytest.mark.usefixtures("two_terms")
def test_a_definition_cannot_break_the_markup():
    linked = glossary.link_first_uses("<p>RoPE</p>", "")

    assert 'title="It &quot;turns&quot;."' in linked


@pytest.mark.usefixtures("two_terms")
def test_text_stays_what_it_was():
    content = "<p>The <em>position</em> &amp; RoPE</p>"
    linked = glossary.link_first_uses(content, "")

    assert BeautifulSoup(linked, "html.parser").get_text() == "The position & RoPE"


# ---- the glossary itself


def test_entries_are_read_as_they_are_written():
    """A definition list holds nothing that the pattern passes over."""
    text = (DOCS / "glossary.md").read_text("utf-8")

    assert len(glossary.terms()) == len(re.findall(r"^:   ", text, re.MULTILINE)) >= 60


def test_terms_and_their_forms_are_unique():
    forms = [form.lower() for term in glossary.terms() for form in set(term.forms)]
    ids = [term.id for term in glossary.terms()]

    assert sorted({form for form in forms if forms.count(form) > 1}) == []
    assert len(set(ids)) == len(ids)


def test_terms_stand_in_alphabetical_order():
    names = [term.name.lower() for term in glossary.terms()]

    assert names == sorted(names)


@pytest.fixture(scope="module")
def linked(site):
    """The ids that each page links."""
    found = {}
    for address in page_addresses():
        page = BeautifulSoup(resolve(site, address).read_text("utf-8"), "html.parser")
        found[address] = [a["href"].partition("#")[2] for a in page.select("article a.term")]
    return found


def test_every_term_is_used_on_some_page(linked):
    used = {term for ids in linked.values() for term in ids}

    assert [term.id for term in glossary.terms() if term.id not in used] == []


def test_a_page_links_each_term_once(linked):
    assert {address: ids for address, ids in linked.items() if len(set(ids)) != len(ids)} == {}


@pytest.mark.parametrize(
    "path", sorted((DOCS / "lessons").glob("*.md")), ids=lambda path: path.stem
)
def test_words_to_know_are_in_the_glossary(path):
    words = path.read_text("utf-8").partition("{ #words }\n")[2].partition("\n## ")[0]
    names = re.findall(r"^(\S.*?)(?: \{.*\})?\n:   ", words, re.MULTILINE)
    forms = {form.lower() for term in glossary.terms() for form in term.forms}
    known = {form + ending for form in forms for ending in ("", "s")}

    assert [name for name in names if name.replace("*", "").lower() not in known] == []
