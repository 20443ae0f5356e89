"""Every other page in a real browser, and what the site as a whole owes its readers."""

import pytest

from tests.conftest import page_addresses
from tests.server import serving
from tests.whole_page import (
    OF_ONE_TEMPLATE,
    OPEN_ALL,
    PAGES,
    check_whole_page,
    check_without_scripts,
    scroll_through,
    violations,
)

OTHERS = [address for address in PAGES if not address.startswith("lessons/")]
WITH_WORDS = sorted({*page_addresses()} & {*OTHERS} - OF_ONE_TEMPLATE)


@pytest.mark.parametrize("address", OTHERS)
def test_page_is_whole_private_and_accessible(address, base, new_page):
    check_whole_page(address, base, new_page)


@pytest.mark.parametrize("address", WITH_WORDS)
def test_page_reads_without_scripts(address, base, new_page):
    check_without_scripts(address, base, new_page)


def test_the_site_works_below_a_path_and_says_so_when_a_page_is_missing(new_page, fork):
    with serving(fork, "/fork/") as base:
        page = new_page()
        failed = []
        page.on("response", lambda r: failed.append(r.url) if r.status >= 400 else None)
        page.goto(f"{base}lessons/sinusoidal/", wait_until="networkidle")
        assert failed == []

        page.goto(f"{base}lessons/nobody/wrote/this/", wait_until="networkidle")
        assert failed == [f"{base}lessons/nobody/wrote/this/"]
        assert page.get_by_role("heading", name="404").is_visible()
        page.locator("a.md-logo").first.click()
        page.wait_for_url(base)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_explorer_in_a_frame_keeps_its_contrast(scheme, base, new_page):
    page = new_page(color_scheme=scheme, viewport={"width": 320, "height": 800})
    page.goto(f"{base}embed/bias-map/", wait_until="networkidle")
    page.evaluate(OPEN_ALL.replace(".md-content", "main"))

    assert violations(page) == {}


def transferred(page, base, address):
    """Bytes that came over the wire for a page, compressed as served, the search index apart."""
    sizes = {}

    def count(response):
        if "search_index.json" not in response.url and "/workers/search" not in response.url:
            sizes[response.url] = int(response.headers.get("content-length", 0))

    page.on("response", count)
    page.goto(base + address, wait_until="networkidle")
    scroll_through(page)
    page.remove_listener("response", count)
    return sizes


def test_weight_of_a_first_visit_and_of_the_next_page(base, new_page):
    """The reader scrolls to the end, so what loads late counts too."""
    page = new_page(reduced_motion="reduce")
    first = transferred(page, base, "lessons/sinusoidal/")
    following = transferred(page, base, "examples/d4_by_hand/")
    new = {url: size for url, size in following.items() if url not in first}

    assert sum(first.values()) <= 240 * 1024, sorted(first.items(), key=lambda item: -item[1])
    assert sum(new.values()) <= 60 * 1024, sorted(new.items(), key=lambda item: -item[1])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hairlines_have_the_colour_of_their_scheme(scheme, base, new_page):
    page = new_page(color_scheme=scheme)
    page.goto(f"{base}practice/not-a-bug/")

    for line in (".md-header", ".md-typeset td"):
        drawn, meant = page.evaluate(
            """line => {
              const style = getComputedStyle(document.querySelector(line));
              const swatch = document.body.appendChild(document.createElement("i"));
              swatch.style.color = "var(--pe-rule)";
              const side = line === ".md-header" ? "borderBottomColor" : "borderTopColor";
              return [style[side], getComputedStyle(swatch).color];
            }""",
            line,
        )
        assert drawn == meant


def test_the_colour_scheme_stays_after_a_reload(base, new_page):
    page = new_page(color_scheme="light")
    page.goto(base)
    page.locator("[data-md-component=palette] label:not([hidden])").click()
    page.reload()

    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"


def test_search_finds_a_section_and_leads_to_it(base, new_page):
    page = new_page()
    page.goto(base, wait_until="networkidle")  # what is typed before the scripts run is lost
    page.locator(".md-search__input").click()
    page.keyboard.type("longest wave")
    result = page.locator(".md-search-result__link[href*='#longest-wave']").first
    result.wait_for(state="attached")
    page.goto(result.get_attribute("href"))

    assert page.get_by_role("heading", name="How long is the longest wave?").is_visible()
