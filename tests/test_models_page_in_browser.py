"""The tables of models as a reader uses them: filtered by keyboard, sorted, without scripts."""

import pytest

from _hooks import models

ALL = len(models.real_rows())
SHOWN = ".long >> nth=0 >> tbody tr:not([hidden])"


@pytest.fixture
def page(base, new_page):
    page = new_page(viewport={"width": 390, "height": 800})
    elsewhere = []
    page.on("request", lambda r: None if r.url.startswith(base) else elsewhere.append(r.url))
    page.goto(f"{base}compare/models/", wait_until="networkidle")
    yield page
    assert elsewhere == []


def test_the_keyboard_filters_and_hears_how_many_rows_are_left(page):
    said = page.locator(".filter output").first
    page.locator(".filter input").first.focus()
    page.keyboard.type("qwen3 rope")

    expected = [r for r in models.real_rows() if "Qwen3" in r["model"] and "RoPE" in r["scheme"]]
    assert page.locator(SHOWN).count() == len(expected) > 2
    assert said.inner_text() == f"{len(expected)} of {ALL} rows"
    assert said.get_attribute("aria-live") in (None, "polite")  # an output is a live region

    page.keyboard.press("Tab")
    page.keyboard.type("RoPE")
    text = [r for r in expected if r["scheme"] == "RoPE"]
    assert said.inner_text() == f"{len(text)} of {ALL} rows"

    page.keyboard.press("Tab")
    page.keyboard.type("interleaved")
    assert said.inner_text() == f"0 of {ALL} rows"


def test_a_filtered_table_is_sorted_by_number_and_stays_filtered(page):
    page.locator(".filter select[data-column='2']").first.select_option("RoPE")
    count = page.locator(SHOWN).count()
    head = page.locator(".long thead th").nth(4)
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    bases = [
        float(text.replace(",", ""))
        for text in page.locator(f"{SHOWN} >> td:nth-child(5)").all_inner_texts()
    ]

    assert head.get_attribute("aria-sort") == "ascending"
    assert bases == sorted(r["base"] for r in models.real_rows() if r["scheme"] == "RoPE")
    assert len(bases) == count < ALL


def test_names_stay_in_sight_when_the_table_scrolls(page):
    page.locator(".filter").first.scroll_into_view_if_needed()
    wrap = page.locator(".long .md-typeset__scrollwrap").first
    wrap.evaluate("wrap => wrap.scrollTo(500, 400)")
    lefts = wrap.evaluate(
        "wrap => [...wrap.querySelectorAll('th:first-child, td:first-child')].map("
        "cell => Math.round(cell.getBoundingClientRect().left - wrap.getBoundingClientRect().left))"
    )
    top = wrap.evaluate(
        "wrap => wrap.querySelector('th').getBoundingClientRect().top"
        " - wrap.getBoundingClientRect().top"
    )

    assert set(lefts) == {0}
    assert top == 0


def test_without_scripts_the_tables_are_whole_and_the_filters_hidden(base, new_page):
    page = new_page(java_script_enabled=False)
    page.goto(f"{base}compare/models/", wait_until="load")

    assert page.locator(SHOWN).count() == ALL
    assert not page.locator(".filter").first.is_visible()
