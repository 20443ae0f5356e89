"""Steppers, explorers, ticks and the small tools of a page, used as a reader uses them."""

import json
import re

import pytest

from tests.conftest import ALL_DRAWN, DOCS

LESSON = "lessons/sinusoidal/"


@pytest.fixture
def lesson(base, new_page):
    page = new_page()
    page.goto(base + LESSON)
    page.add_style_tag(content=ALL_DRAWN)
    page.wait_for_function("customElements.get('pe-steps') !== undefined")
    return page


# ---- stepper


def test_a_stepper_plays_when_seen_and_stops_for_good_at_a_touch(lesson):
    steps = lesson.locator("#watch-add pe-steps")
    steps.scroll_into_view_if_needed()
    steps.locator("[data-play]", has_text="Pause").wait_for()
    steps.locator("[data-go='1']").click()
    lesson.locator("#quiz").scroll_into_view_if_needed()
    steps.scroll_into_view_if_needed()
    lesson.wait_for_timeout(400)

    assert steps.locator("[data-play]").text_content() == "Play"


def test_a_stepper_is_driven_by_keys_and_says_where_it_is(lesson):
    steps = lesson.locator("#watch-add pe-steps")
    steps.locator("[data-go='1']").click()
    height = steps.bounding_box()["height"]
    lesson.keyboard.press("End")

    assert steps.locator(".count").text_content() == "6 / 6"
    assert steps.locator(".said").text_content().startswith("Step 6 of 6. Same word")
    lesson.keyboard.press("ArrowLeft")
    assert steps.locator(".count").text_content() == "5 / 6"
    lesson.keyboard.press("Home")
    assert steps.locator(".count").text_content() == "1 / 6"
    assert steps.bounding_box()["height"] == height


def test_a_thing_that_changes_place_glides(lesson):
    steps = lesson.locator("#watch-add pe-steps")
    steps.locator("[data-go='1']").click()
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight"):
        lesson.keyboard.press(key)
    lesson.wait_for_timeout(1000)
    where = (
        "new DOMMatrix(getComputedStyle(document.querySelector("
        "'#watch-add .stage [data-k=dog]')).transform).e"
    )
    start = lesson.evaluate(where)
    lesson.keyboard.press("ArrowRight")
    lesson.wait_for_timeout(200)
    between = lesson.evaluate(where)
    lesson.wait_for_timeout(1000)

    assert start < between < lesson.evaluate(where)


def test_reduced_motion_keeps_a_stepper_still(base, new_page):
    page = new_page(reduced_motion="reduce")
    page.goto(base + LESSON)
    page.locator("#watch-add").scroll_into_view_if_needed()
    page.wait_for_timeout(800)

    assert page.locator("#watch-add [data-play]").text_content() == "Play"
    assert page.locator("#watch-add .count").text_content() == "1 / 6"


# ---- explorers


def test_the_table_explorer_by_keyboard_shows_the_arithmetic_of_a_cell(lesson):
    box = lesson.locator("pe-sinusoidal-explorer")
    box.locator("[name=position]").focus()
    lesson.keyboard.press("ArrowRight")

    # sin(6 / 10000**(2/16)) by hand: 6 / 3.1623 = 1.8974, sine 0.9471
    box.locator(".says", has_text="0.9471").wait_for()
    assert "sin(6 / 3.1623) = sin(1.8974) = 0.9471" in box.locator(".says").inner_text()


def test_the_convention_switch_shows_the_well_known_0_0001(lesson):
    box = lesson.locator("pe-sinusoidal-explorer")
    box.locator("[name=width][value='4']").check(force=True)
    box.get_by_label("Tensor2Tensor").check(force=True)
    box.locator("[name=position]").fill("1")
    box.locator("[name=dimension]").fill("1")

    said = box.locator(".says")
    said.get_by_text("0.0001").first.wait_for()
    assert "sin(1 / 10000) = sin(0.0001) = 0.0001" in said.inner_text()


def test_the_curve_is_hidden_until_the_reader_has_guessed(lesson):
    box = lesson.locator("pe-similarity-guess")
    curve = "document.querySelector('pe-similarity-guess .truth')"
    hidden = f"getComputedStyle({curve}).strokeDashoffset"
    assert lesson.evaluate(hidden) != "0px"

    box.locator("[name=guess]").focus()
    lesson.keyboard.press("ArrowLeft")
    box.get_by_role("button", name="That is my guess").press("Enter")
    lesson.wait_for_timeout(1800)

    assert lesson.evaluate(hidden) == "0px"
    assert "You said" in box.locator(".says").inner_text()


# ---- ticks


def test_ticks_survive_a_reload(lesson):
    box = lesson.get_by_role("checkbox", name="I can say why one sine is not enough.")
    box.check(force=True)
    lesson.reload()

    assert box.is_checked()
    assert "1 of 6 done" in lesson.locator(".tally").inner_text()


def test_progress_leaves_as_a_file_and_comes_back_elsewhere(lesson, base, new_page, tmp_path):
    lesson.get_by_role("checkbox", name="I can say why one sine is not enough.").check(force=True)
    lesson.goto(base)
    with lesson.expect_download() as download:
        lesson.get_by_role("button", name="Save my progress").click()
    file = tmp_path / "progress.json"
    download.value.save_as(file)
    assert "I can say why one sine is not enough." in file.read_text()

    other = new_page()
    other.goto(base)
    other.locator("[data-progress] input[type=file]").set_input_files(file)
    other.get_by_text("Loaded: ticks of 1 page").wait_for()
    other.goto(base + LESSON)
    assert other.get_by_role("checkbox", name="I can say why one sine is not enough.").is_checked()


@pytest.mark.parametrize(
    "content", ["not json", "[1, 2]", '{"/x/": "<img src=x onerror=alert(1)>"}']
)
def test_a_file_that_is_no_progress_changes_nothing(base, new_page, tmp_path, content):
    file = tmp_path / "progress.json"
    file.write_text(content)
    page = new_page()
    page.goto(base)
    page.locator("[data-progress] input[type=file]").set_input_files(file)
    page.get_by_text("Nothing was changed").wait_for()

    assert page.evaluate("localStorage.getItem('posenc')") in (None, json.dumps({}))
    assert page.locator("img[src=x]").count() == 0


# ---- copy, print


def test_the_copy_button_copies_exactly_the_snippet(base, new_page):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(base + LESSON, wait_until="networkidle")
    source = (DOCS / "lessons/sinusoidal.md").read_text("utf-8")
    first = re.search(r'```python title="Plain Python"\n(.*?)```', source, re.DOTALL)[1]
    block = page.locator(".highlight", has_text="for position in range").first
    block.scroll_into_view_if_needed()
    block.hover()
    block.locator(".md-code__button, [data-clipboard-target], .md-clipboard").first.click()
    page.wait_for_timeout(200)

    assert page.evaluate("navigator.clipboard.readText()").rstrip("\n") == first.rstrip("\n")


def test_the_copy_button_of_a_reference_example_leaves_prompts_and_output_behind(base, new_page):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{base}reference/sinusoidal/", wait_until="networkidle")
    block = page.locator(".highlight", has_text=">>> sinusoidal_inv_freq(8)").first
    block.scroll_into_view_if_needed()
    block.hover()
    block.locator(".md-code__button").first.click()
    page.wait_for_timeout(200)

    copied = page.evaluate("navigator.clipboard.readText()")
    assert [line for line in copied.splitlines() if line] == [
        "from posenc_ref import sinusoidal_inv_freq",
        "sinusoidal_inv_freq(8)",
        'sinusoidal_inv_freq(8, base=1000, exponent="tensor2tensor")',
    ]


def test_print_shows_what_is_folded_and_hides_what_is_for_the_screen(lesson):
    lesson.emulate_media(media="print")
    lesson.evaluate("dispatchEvent(new Event('beforeprint'))")
    lesson.wait_for_timeout(200)

    assert lesson.get_by_text("That is the identity W(x + r)").is_visible()
    assert lesson.locator("article details:not([open])").count() == 0
    assert not lesson.locator(".md-header").is_visible()
    assert not lesson.locator("#watch-add [data-play]").is_visible()
    frames = lesson.locator("#watch-add li svg")
    assert all(frames.nth(k).is_visible() for k in range(frames.count()))
    lesson.evaluate("dispatchEvent(new Event('afterprint'))")
    assert lesson.locator("article details.answer[open]").count() == 0
