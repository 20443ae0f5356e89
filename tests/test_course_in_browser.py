"""Pages around the lessons, used as a reader uses them: ticks, sorted tables, terms."""

import json

import pytest

from _hooks import course
from tests.conftest import ALL_DRAWN

LESSON = course.lessons()[1]


@pytest.fixture
def ticked(base, new_page):
    """A page on which the first check of the first lesson has been ticked."""
    page = new_page()
    page.goto(f"{base}{LESSON.address[1:]}")
    page.add_style_tag(content=ALL_DRAWN)
    page.locator(".task-list-item input").first.check(force=True)
    return page


@pytest.mark.parametrize("address", ["compare/speed/", LESSON.address[1:]])
def test_the_side_bar_counts_the_checks_of_a_lesson(address, ticked, base):
    ticked.goto(base + address)
    links = ticked.locator(".md-nav--primary a:has(.done)")
    all_checks = len(LESSON.self_checks)

    assert links.count() == 1
    assert links.evaluate("link => link.pathname") == LESSON.address
    assert links.locator(".done").text_content() == f"1/{all_checks}"
    assert f"1 of {all_checks} checks done" in links.text_content()


def test_a_tick_in_a_lesson_shows_on_the_page_of_all_checks_and_back(ticked, base):
    ticked.goto(f"{base}practice/prove/")
    box = ticked.locator(f"[data-ticks='{LESSON.address}'] input").first
    total = sum(len(lesson.self_checks) for lesson in course.lessons())

    assert box.is_checked()
    assert ticked.locator("[data-total]").inner_text().startswith(f"1 of {total} done")
    box.uncheck(force=True)
    assert ticked.locator("[data-total]").inner_text().startswith(f"0 of {total} done")
    ticked.goto(f"{base}{LESSON.address[1:]}")
    assert not ticked.locator(".task-list-item input").first.is_checked()


def test_loaded_ticks_show_at_once(base, new_page, tmp_path):
    file = tmp_path / "progress.json"
    file.write_text(json.dumps({LESSON.address: {LESSON.self_checks[1]: True, "of": 5}}))
    page = new_page()
    page.goto(f"{base}practice/prove/")
    page.locator("[data-progress] input[type=file]").set_input_files(file)
    page.get_by_text("Loaded: ticks of 1 page").wait_for()

    assert page.locator(f"[data-ticks='{LESSON.address}'] input").nth(1).is_checked()
    assert page.locator("[data-total]").inner_text().startswith("1 of ")


def test_where_nothing_can_be_kept_the_page_says_so(base, new_page):
    page = new_page()
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full') }")
    page.goto(f"{base}{LESSON.address[1:]}")
    page.add_style_tag(content=ALL_DRAWN)
    page.locator(".task-list-item input").first.check(force=True)

    assert "This browser keeps nothing" in page.locator(".tally").inner_text()


def test_a_table_is_sorted_by_a_column_and_back(base, new_page):
    page = new_page()
    page.goto(f"{base}compare/methods/")
    head = page.locator(".sortable thead th").first
    first_column = ".sortable table >> nth=0 >> tbody tr td:first-child"
    before = page.locator(first_column).all_inner_texts()
    head.get_by_role("button").press("Enter")
    up = page.locator(first_column).all_inner_texts()
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").press("Enter")
    down = page.locator(first_column).all_inner_texts()

    assert head.get_attribute("aria-sort") == "descending"
    assert sorted(up) == sorted(before)
    assert up == sorted(up, key=str.lower)
    assert down == up[::-1]


def test_a_term_shows_its_definition_to_pointer_and_keyboard(base, new_page):
    page = new_page()
    page.goto(f"{base}{LESSON.address[1:]}", wait_until="networkidle")
    page.add_style_tag(content=ALL_DRAWN)
    term = page.locator("article a.term").first
    term.scroll_into_view_if_needed()
    term.focus()

    tip = page.locator(".md-tooltip2--active, [role=tooltip]")
    tip.first.wait_for()
    assert len(tip.first.inner_text()) > 20
