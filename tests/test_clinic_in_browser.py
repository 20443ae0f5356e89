"""The clinic's finder, used as a reader would: ticked, unticked, by keyboard, without scripts."""

import pytest

from _hooks import clinic

PAGE = "practice/clinic/"


@pytest.fixture
def page(base, new_page):
    page = new_page()
    page.goto(base + PAGE, wait_until="networkidle")
    return page


def shown(page):
    """The suspects on the page, by their addresses, in order."""
    links = page.locator(".suspects tbody tr:visible td:first-child a")
    return [link.get_attribute("href").strip("/") for link in links.all()]


def ranked(*symptoms):
    """By the points of all symptoms; equal ones stay in the order of the first."""

    def points(bug):
        return sum(clinic.FITS[bug.fits[symptom]] for symptom in symptoms)

    bugs = [bug for bug in clinic.suspects(symptoms[0]) if {*symptoms} <= {*bug.fits}]
    return [bug.name for bug in sorted(bugs, key=points, reverse=True)]


def tick(page, symptom):
    page.locator(f".finder input[value={symptom}]").click()


def test_at_first_every_symptom_has_its_list(page):
    everything = [bug.name for name in clinic.SYMPTOMS for bug in clinic.suspects(name)]

    assert shown(page) == everything


@pytest.mark.parametrize("symptom", clinic.SYMPTOMS)
def test_a_symptom_leaves_its_suspects(page, symptom):
    tick(page, symptom)

    assert shown(page) == ranked(symptom)
    assert page.locator(".suspects tbody:visible").count() == 1


@pytest.mark.parametrize("pair", [("long", "decoding"), ("gibberish", "conversion")])
def test_two_symptoms_leave_the_suspects_that_have_both(page, pair):
    for symptom in pair:
        tick(page, symptom)
    first, second = sorted(pair, key=list(clinic.SYMPTOMS).index)

    assert shown(page) == ranked(first, second)
    assert 0 < len(shown(page)) < min(len(ranked(first)), len(ranked(second)))


def test_the_count_is_said_and_unticking_brings_all_back(page):
    before = shown(page)
    tick(page, "bf16")
    count = len(ranked("bf16"))
    said = page.locator(".finder output").inner_text()
    tick(page, "bf16")

    assert said == f"{count} suspects fit all that you ticked."
    assert page.locator(".finder output").inner_text() == ""
    assert shown(page) == before


def test_nothing_in_common_is_said_too(page):
    for symptom in ("images", "bf16"):
        tick(page, symptom)

    assert ranked("images", "bf16") == []
    assert page.locator(".finder output").inner_text() == "No suspects fit all that you ticked."


def test_the_keyboard_ticks_and_the_first_suspect_is_reached(page):
    page.locator(".finder input").first.focus()
    page.keyboard.press("Space")
    page.locator(".suspects tr:visible a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{PAGE}{ranked('gibberish')[0]}/")


def test_without_scripts_the_table_is_whole_and_nothing_asks_to_be_ticked(base, new_page):
    page = new_page(java_script_enabled=False)
    page.goto(f"{base}{PAGE}#nan", wait_until="load")

    assert not page.locator(".finder").is_visible()
    assert page.locator(".suspects tbody:visible").count() == len(clinic.SYMPTOMS)
    assert page.locator("#nan").is_visible()
