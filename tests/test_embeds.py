"""Every explorer has a page of its own that a course can show, with a state that it chooses."""

import re

import pytest
from bs4 import BeautifulSoup

from _hooks import embeds
from tests.conftest import DOCS, page_sources, pass_the_gate
from tests.server import resolve, serving
from tests.test_figures import having

NAMES = sorted(found.id.replace("_", "-") for found in having("widget"))
every_explorer = pytest.mark.parametrize("name", NAMES)


def first_use(name):
    for path in page_sources("*.md"):
        if f'data-explorer="{name}"' in path.read_text("utf-8"):
            return path
    return None


def test_there_are_at_least_ten_and_each_stands_on_a_page():
    assert len(NAMES) >= 10
    assert [name for name in NAMES if first_use(name) is None] == []


@every_explorer
def test_its_page_holds_the_first_state_and_a_line_of_credit(name, site):
    page = BeautifulSoup(resolve(site, f"embed/{name}/").read_text("utf-8"), "html.parser")
    credit = page.select_one(".credit a")

    assert page.select_one(".explorer .says").get_text().strip()
    assert page.select_one(".explorer table")
    assert page.title.string
    assert resolve(site, f"embed/{name}/{credit['href'].partition('#')[0]}").exists()


@every_explorer
def test_the_line_to_copy_stands_under_the_explorer(name, site):
    address = first_use(name).relative_to(DOCS).with_suffix("").as_posix()
    page = BeautifulSoup(resolve(site, f"{address}/").read_text("utf-8"), "html.parser")
    lines = [code.get_text() for code in page.select(".explore .embed code")]

    assert any(re.match(rf'<iframe src="http\S*/embed/{name}/" title="[^"]+"', x) for x in lines)


def test_an_explorer_without_an_id_stops_the_build():
    with pytest.raises(ValueError, match="stands in a figure without an id"):
        embeds.uses('<figure class="explore" data-explorer="x">\n</figure>', "p/", "P")


WATCH = """address => {
  window.heights = [];
  window.frame = document.createElement("iframe");
  addEventListener("message", ({ data, source }) => {
    if (data.action === "resize" && source === frame.contentWindow) heights.push(data.height);
  });
  frame.src = address;
  frame.width = 600;
  frame.height = 100;
  document.body.replaceChildren(frame);
}"""


@every_explorer
def test_it_works_inside_the_page_of_a_stranger(name, base, fork, new_page):
    """The page around it is on another host, and hears how tall the explorer is."""
    page = new_page(viewport={"width": 700, "height": 900})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    with serving(fork, "/fork/", policy="") as stranger:
        page.goto(f"{stranger}404.html")
        page.evaluate(WATCH, f"{base}embed/{name}/")
        page.wait_for_function("heights.length > 0")
        inside = page.frames[-1]
        inside.wait_for_load_state("networkidle")
        tall = "Math.ceil(document.querySelector('main').getBoundingClientRect().height)"
        first = inside.evaluate(tall)
        page.wait_for_function("height => heights.at(-1) === height", arg=first)
        inside.evaluate("document.querySelector('details').open = true")
        page.wait_for_function("height => heights.at(-1) > height", arg=first)

    assert first > 200
    assert errors == []


def shown(page):
    pass_the_gate(page)
    return page.locator(".says").inner_text()


def test_the_query_chooses_the_first_state(base, new_page):
    page = new_page()
    page.goto(f"{base}embed/rope-dial/?query=7&key=3&speed=slow&tables=1&scheme=dark")
    page.get_by_text("−0.04").first.wait_for(state="attached")

    assert "Query at 7, key at 3" in shown(page)
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"


@pytest.mark.parametrize("value", ["seven", "", "99", "-3", "7.5", "+7", "0x10", "%3Cimg%3E"])
def test_a_value_that_a_control_does_not_have_leaves_it_as_it_is(value, base, new_page):
    page = new_page()
    page.goto(f"{base}embed/rope-dial/?query={value}&key={value}&speed={value}")
    page.wait_for_load_state("networkidle")

    assert "Query at 5, key at 2" in shown(page)
    assert page.locator("article img").count() == 0
