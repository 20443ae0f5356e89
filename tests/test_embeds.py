"""Every explorer has a page of its own that a course can show, with a state that it chooses."""

import re

import pytest
from bs4 import BeautifulSoup

from _hooks import embeds
from tests.conftest import DOCS, page_sources
from tests.server import resolve
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


@every_explorer
def test_it_works_inside_the_page_of_a_stranger(name, base, new_page):
    page = new_page(viewport={"width": 700, "height": 900})
    errors = []
    page.on("console", lambda m: errors.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{base}404.html")
    page.evaluate(
        """address => {
          window.heights = [];
          addEventListener("message", ({ data }) => {
            if (data.action === "resize") heights.push(data.height);
          });
          const frame = document.createElement("iframe");
          frame.src = address;
          frame.width = 600;
          frame.height = 900;
          document.body.replaceChildren(frame);
        }""",
        f"{base}embed/{name}/",
    )
    page.wait_for_function("heights.length > 0 && heights.at(-1) > 200")
    says = page.frame_locator("iframe").locator(".explorer .says")
    says.wait_for(state="attached")
    page.wait_for_timeout(200)

    assert errors == []
    assert says.text_content().strip()


def test_the_query_chooses_the_first_state_and_bad_values_are_passed_over(base, new_page):
    page = new_page()
    page.goto(f"{base}embed/rope-dial/?query=7&key=3&speed=slow&tables=1&scheme=dark")
    page.get_by_text("−0.04 radians").wait_for()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"

    page.goto(f"{base}embed/rope-dial/?query=seven&key=&speed=warp&key=%3Cimg%3E")
    page.get_by_text("score is −0.990").wait_for()
    assert page.locator("article img").count() == 0
