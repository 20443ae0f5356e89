"""The bug clinic: each page fails as it says, its checks catch that, and the finder leads to it."""

import json
import re
from pathlib import Path

import pytest

from _hooks import clinic
from _hooks.fences import find_fences
from tests.clinic_checks import (
    NUMPY,
    PAGES,
    RECORD,
    TORCH,
    blocks,
    check_of,
    fingerprint,
    is_caught,
    named,
    parameters,
)
from tests.conftest import DOCS

FRAME = ["top", "bug", "apart", "test", "mend", "reports"]
CASES = clinic.cases()
RECORDED = json.loads(RECORD.read_text("utf-8"))["pages"]

every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def headings(path):
    return re.findall(r"^#{1,2} .*\{ #([\w-]+) \}$", path.read_text("utf-8"), re.MULTILINE)


def section(path, name):
    text = path.read_text("utf-8")
    found = re.search(rf"^## .*\{{ #{name} \}}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def test_there_are_at_least_twenty_bugs():
    assert len(PAGES) >= 20


@every_page
def test_a_page_has_every_part_in_order(path):
    assert headings(path) == FRAME


@every_page
def test_a_page_says_first_what_one_sees(path):
    assert re.search(r"^\*\*You see\*\* .*\n\{ \.oneline \}$", path.read_text("utf-8"), re.M)


@every_page
def test_the_faulty_code_stands_first_and_the_mended_code_in_the_mend(path):
    assert "def faulty(" in section(path, "bug")
    assert "def mended(" in section(path, "mend")
    assert re.search("^```text", section(path, "bug"), re.M), "what goes wrong must be shown"


@every_page
@pytest.mark.parametrize("language", [NUMPY, TORCH])
def test_the_blocks_that_are_checked_are_those_of_the_page(path, language):
    fences = find_fences(path.read_text("utf-8"))

    assert blocks(path, language) == [f.source for f in fences if f.language == language]


@every_page
def test_the_check_is_to_be_copied_for_numpy_and_for_pytorch(path):
    fences = find_fences(section(path, "test"))

    assert [fence.language for fence in fences if "def check_" in fence.source] == [NUMPY, TORCH]
    [ours] = re.findall(r"^def (check_\w+)\((\w+)\):", "\n".join(blocks(path, NUMPY)), re.M)
    [theirs] = re.findall(r"^def (check_\w+)\((\w+)\):", "\n".join(blocks(path, TORCH)), re.M)
    assert ours == theirs


@every_page
def test_the_check_catches_the_bug_and_lets_the_mended_code_pass(path):
    names = named(path, NUMPY)
    check = check_of(names)

    assert len(parameters(check)) == 1
    assert parameters(names["faulty"]) == parameters(names["mended"])
    assert is_caught(check, names["faulty"])
    assert not is_caught(check, names["mended"])


@every_page
def test_the_check_in_pytorch_was_run_on_this_very_code_and_did_the_same(path):
    """Run again with `make clinic`, which installs PyTorch."""
    assert RECORDED[path.stem] == {
        "code": fingerprint(path),
        "faulty is caught": True,
        "mended is caught": False,
    }


def test_no_other_page_is_recorded():
    assert set(RECORDED) == {path.stem for path in PAGES}


@every_page
def test_look_alikes_are_pages_of_the_clinic_with_the_difference(path):
    rows = re.findall(r"^\| \[.*?\]\((.*?)\) \| (.+) \|$", section(path, "apart"), re.MULTILINE)

    assert len(rows) >= 2
    assert path.name not in [target for target, _ in rows]
    for target, difference in rows:
        assert (path.parent / target.partition("#")[0]).exists(), target
        assert len(difference) > 15


@every_page
def test_a_page_names_public_reports(path):
    reports = section(path, "reports")
    known = [case for case in CASES if case["page"] == f"practice/clinic/{path.name}"]

    assert ("<!-- reports of this bug -->" in reports) == bool(known)
    assert known or re.search(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", reports)


def test_every_case_is_answered_on_a_page_at_a_place_that_is_there():
    for case in CASES:
        page, _, anchor = case["page"].partition("#")
        text = (DOCS / page).read_text("utf-8")
        assert not anchor or f"{{ #{anchor} }}" in text, case["id"]
    assert len({case["id"] for case in CASES}) == len(CASES) == 70


@pytest.mark.parametrize("symptom", clinic.SYMPTOMS)
def test_every_symptom_has_suspects_and_one_to_rule_out_first(symptom):
    suspects = clinic.suspects(symptom)

    assert len(suspects) >= 2
    assert [bug.fits[symptom] for bug in suspects].count("first") == 1
    assert suspects[0].fits[symptom] == "first"


def test_every_bug_is_typical_of_some_symptom():
    assert [bug.name for bug in clinic.bugs() if {*bug.fits.values()} <= {"possible"}] == []


def test_suspects_come_by_fit_then_by_reports():
    for symptom in clinic.SYMPTOMS:
        order = [(-clinic.FITS[b.fits[symptom]], -b.n_reports) for b in clinic.suspects(symptom)]
        assert order == sorted(order)


def finder(site):
    """Symptom → names and tests of its suspects, as the built page has them without scripts."""
    html = (site / "practice/clinic/index.html").read_text("utf-8")
    groups = re.findall(r'<tbody data-symptom="([\w-]+)">(.*?)</tbody>', html, re.DOTALL)
    row = re.compile(r'<tr data-bug="([\w-]+)".*?<td>.*?</td><td>(.*?)</td></tr>')
    return {symptom: row.findall(rows) for symptom, rows in groups}


def test_the_table_of_the_finder_is_what_the_pages_say_of_themselves(site):
    shown = finder(site)

    assert list(shown) == list(clinic.SYMPTOMS)
    told = {
        (symptom, path.stem)
        for path in PAGES
        for line in re.findall(r"^symptoms: \{(.*)\}$", path.read_text("utf-8"), re.MULTILINE)
        for symptom in re.findall(r"([\w-]+): \w", line)
    }
    assert {(symptom, name) for symptom, rows in shown.items() for name, _ in rows} == told
    assert all(len(test) > 15 for rows in shown.values() for _, test in rows)


@every_page
def test_the_reports_of_a_page_are_listed_with_their_addresses(path, site):
    html = (site / f"practice/clinic/{path.stem}/index.html").read_text("utf-8")

    for case in CASES:
        if case["page"] == f"practice/clinic/{path.name}":
            assert f"<strong>{case['id']}</strong>" in html
            assert all(f'href="{source}"' in html for source in case["sources"])


def test_a_symptom_that_does_not_exist_is_refused(tmp_path: Path, monkeypatch):
    page = tmp_path / "odd.md"
    page.write_text("---\ntitle: Odd\nsymptoms: {tired: typical}\ntest: look\n---\n# Odd\n")
    monkeypatch.setattr(clinic, "FOLDER", tmp_path)
    clinic.bugs.cache_clear()

    with pytest.raises(ValueError, match=r"odd\.md: symptoms must map some of .* got \{'tired'"):
        clinic.bugs()
    clinic.bugs.cache_clear()
