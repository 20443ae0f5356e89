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
    """Those with most of the symptoms, and those with the next number of them; best first."""
    points = {}
    for symptom in sorted(symptoms, key=list(clinic.SYMPTOMS).index):
        for bug in clinic.suspects(symptom):
            points.setdefault(bug.name, []).append(clinic.FITS[bug.fits[symptom]])
    order = sorted(points, key=lambda name: (-len(points[name]), -sum(points[name])))
    counts = sorted({len(found) for found in points.values()}, reverse=True)[:2]
    return [name for name in order if len(points[name]) in counts]


def headings(page):
    return page.locator(".suspects tbody:visible th[scope=rowgroup]").all_inner_texts()


def tick(page, symptom):
    page.locator(f".finder input[value={symptom}]").click()


def test_at_first_every_symptom_has_its_list(page):
    everything = [bug.name for name in clinic.SYMPTOMS for bug in clinic.suspects(name)]

    assert shown(page) == everything


@pytest.mark.parametrize("symptom", clinic.SYMPTOMS)
def test_a_symptom_leaves_its_suspects(page, symptom):
    tick(page, symptom)

    words = clinic.SYMPTOMS[symptom]

    assert shown(page) == ranked(symptom)
    assert headings(page) == [words[0].upper() + words[1:]]


@pytest.mark.parametrize("pair", [("long", "decoding"), ("gibberish", "conversion")])
def test_of_two_symptoms_the_suspects_of_both_stand_first(page, pair):
    for symptom in pair:
        tick(page, symptom)

    assert shown(page) == ranked(*pair)
    assert headings(page) == ["Fits all", "Fits 1 of 2"]


def test_one_tick_too_many_is_no_dead_end(page):
    for symptom in ("batches", "everywhere", "decoding"):
        tick(page, symptom)

    assert shown(page) == ranked("batches", "everywhere", "decoding")
    assert headings(page) == ["Fits 2 of 3", "Fits 1 of 3"]
    assert "left-padding" in shown(page)
    said = page.locator(".finder output").inner_text()
    assert said == "No suspects fit all that you ticked."


def test_the_count_is_said_and_clearing_brings_all_back(page):
    before = shown(page)
    tick(page, "bf16")
    said = page.locator(".finder output").inner_text()
    page.locator(".finder button").click()

    assert said == f"{len(ranked('bf16'))} suspects fit all that you ticked."
    assert page.locator(".finder output").inner_text() == ""
    assert shown(page) == before
    assert page.locator(".finder input:checked").count() == 0


def test_coming_back_finds_what_was_ticked(page, base):
    tick(page, "bf16")
    page.goto(f"{base}{PAGE}low-precision/")
    page.go_back(wait_until="networkidle")

    assert page.locator(".finder input:checked").count() == 1, "the browser keeps what was ticked"
    assert shown(page) == ranked("bf16")


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
    page.locator(".jump a", has_text="NaN").click()
    assert page.url.endswith("#nan")
    assert page.locator("#nan").is_visible()
