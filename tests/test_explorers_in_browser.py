"""Every explorer that looks up, driven as a reader drives it: by keyboard, and without scripts."""

import json

import pytest

from tests.conftest import pass_the_gate
from tests.test_embeds import first_use
from tests.test_figures import DOCS, LOOKUPS

NAMES = sorted(found.id.replace("_", "-") for found in LOOKUPS)
every_lookup = pytest.mark.parametrize("name", NAMES)
SHOWN = """page => [...(page ?? document).querySelectorAll("pe-lookup [data-k]")].map(element => [
  element.dataset.k, element.textContent, element.getAttribute("style")?.replaceAll(" ", ""),
  element.getAttribute("d"), element.hasAttribute("data-off"), element.hasAttribute("data-chosen"),
].join("|"))"""
SERVED = f"""async () => {{
  const text = await (await fetch(location.href)).text();
  return ({SHOWN})(new DOMParser().parseFromString(text, "text/html"));
}}"""
CONTROLS = """() => [...new Set(
  [...document.querySelectorAll(".controls:not(.gate) input")].map(input => input.name)
)]"""


@pytest.fixture
def embedded(base, new_page):
    """Open an explorer's own page and wait until the script has taken over."""

    def open_explorer(name, **options):
        page = new_page(reduced_motion="reduce", **options)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(f"{base}embed/{name}/", wait_until="networkidle")
        return page

    return open_explorer


def settle(page):
    """Until what a change asked for is done; the numbers are there, so it takes no time."""
    page.evaluate("document.querySelector('pe-lookup').refresh()")


@every_lookup
def test_the_first_state_is_the_one_that_the_script_would_write(name, embedded):
    page = embedded(name)
    settle(page)

    assert page.evaluate(SHOWN) == page.evaluate(SERVED) != []
    assert page.errors == []


@every_lookup
def test_each_control_changes_what_is_shown_by_keys_alone(name, embedded):
    page = embedded(name)
    pass_the_gate(page)
    names = page.evaluate(CONTROLS)
    assert names
    for control in names:
        shown = page.evaluate(SHOWN)
        states = set()
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
            current = page.locator(f"[name={control}]:checked, [name={control}][type=range]")
            current.focus()
            page.keyboard.press(key)
            settle(page)
            states.add(json.dumps(page.evaluate(SHOWN)))
        assert states - {json.dumps(shown)}, f"{control} changes nothing"
    assert page.errors == []


@every_lookup
def test_no_state_fails_and_every_state_says_something(name, embedded):
    """Each control through its whole range, the others as they are."""
    page = embedded(name)
    pass_the_gate(page)
    said = page.evaluate(
        """async () => {
          const explorer = document.querySelector("pe-lookup");
          const said = [];
          const inputs = [...explorer.querySelectorAll(".controls:not(.gate) input")];
          for (const control of inputs) {
            const last = control.type === "range" ? Number(control.max) : 0;
            for (let value = 0; value <= last; value++) {
              for (const input of inputs) {
                input.value = input.defaultValue;
                input.checked = input.defaultChecked;
              }
              if (control.type === "range") control.value = value;
              else control.checked = true;
              await explorer.refresh();
              said.push(explorer.querySelector(".says").innerText);
            }
          }
          return said;
        }"""
    )

    assert page.errors == []
    assert all(len(words.split()) >= 5 for words in said)
    assert not [words for words in said if "undefined" in words or "NaN" in words]
    assert len(set(said)) >= 2


@every_lookup
def test_without_scripts_it_is_a_picture_a_sentence_and_a_table(name, base, new_page):
    page = new_page(java_script_enabled=False)
    address = first_use(name).relative_to(DOCS).with_suffix("").as_posix()
    page.goto(f"{base}{address}/")
    box = page.locator(f"[data-src$='/{name}']")

    assert box.locator(".says").is_visible()
    assert not box.locator(".controls").first.is_visible()
    assert not box.locator(".guessed").count() or not box.locator(".guessed").is_visible()
    box.locator("details > summary").first.click()
    assert box.locator("table").first.is_visible()
    assert box.locator(".picture").first.inner_html().strip()


def test_two_sliders_move_together_or_not_at_all(embedded):
    page = embedded("rope-dial")
    pass_the_gate(page)
    page.get_by_role("button", name="Both forward").click()
    assert "Query at 6, key at 3" in page.locator(".says").inner_text()
    assert "−0.990" in page.locator(".says").inner_text()

    for _ in range(5):
        page.get_by_role("button", name="Both back").click()
    assert "That is the end of the scale." in page.locator(".says").inner_text()
    assert "Query at 3, key at 0" in page.locator(".says").inner_text()


def test_a_guess_comes_first_and_is_said_again(embedded):
    page = embedded("rope-dial")
    assert not page.locator(".says").is_visible()
    assert not page.locator("details").first.is_visible()

    page.get_by_role("button", name="That is my guess").click()
    assert not page.locator(".says").is_visible()  # nothing was chosen

    page.get_by_label("It stays").check(force=True)
    page.get_by_role("button", name="That is my guess").click()
    assert page.locator(".says").inner_text().startswith("You said: It stays.")
    assert page.evaluate("document.activeElement.name") == "query"


def test_without_its_script_an_explorer_still_shows_its_first_state(base, new_page):
    page = new_page()
    page.route("**/lookup.js", lambda route: route.abort())
    page.goto(f"{base}embed/rope-dial/", wait_until="networkidle")

    assert page.locator(".says").is_visible()
    assert page.locator(".picture svg").is_visible()


def test_a_cell_that_picks_a_state_is_outlined_while_that_is_the_state(embedded):
    page = embedded("bias-map")
    outlined = page.locator("td[data-chosen]")
    assert outlined.get_attribute("data-pick") == "query=7 key=4"

    page.locator("[data-pick='query=9 key=2']").click()
    settle(page)
    assert outlined.get_attribute("data-pick") == "query=9 key=2"
    assert "stands 7 tokens before the query" in page.locator(".says").inner_text()

    page.locator("[name=query]").fill("10")
    settle(page)
    assert outlined.get_attribute("data-pick") == "query=10 key=2"
