"""Every page in a real browser: nothing leaves the site, nothing fails, nobody is shut out."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.conftest import ALL_DRAWN, embed_addresses, page_addresses
from tests.server import serving

NO_PAGE = "no/such/page/"
PAGES = [*page_addresses(), *embed_addresses(), NO_PAGE]
# The pages of modules are one template around docstrings. The longest stands for them where only
# the theme and the width are asked about. Pages of explorers have no theme to switch.
OF_ONE_TEMPLATE = {address for address in PAGES if address.startswith(("reference/", "embed/"))} - {
    "reference/",
    "reference/rotary/",
}
# One page of each kind is asked everything at the width of a phone too, the others what the width
# can change.
EVERY_KIND = ("", "lessons/sinusoidal/", "compare/methods/", "practice/prove/", "glossary/")
BY_WIDTH = ["scrollable-region-focusable", "target-size", "landmark-unique", "aria-hidden-focus"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WATCH = """
window.shift = 0;
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (!entry.hadRecentInput) window.shift += entry.value;
})).observe({type: "layout-shift", buffered: true});
window.refused = [];
document.addEventListener("securitypolicyviolation",
  event => window.refused.push(`${event.violatedDirective}: ${event.blockedURI}`));
"""
OPEN_ALL = "document.querySelectorAll('.md-content details').forEach(d => { d.open = true })"
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


def violations(page, only=None):
    """What axe finds, as rule: first places. Asked for violations alone, it takes half the time."""
    options = {
        "runOnly": {"type": "rule", "values": only} if only else RULES,
        "resultTypes": ["violations"],
    }
    found = Axe().run(page, options=options).response["violations"]
    return {rule["id"]: [node["target"] for node in rule["nodes"]][:3] for rule in found}


def scroll_through(page):
    """Down to the end and back, so that everything that loads late has loaded."""
    page.evaluate(
        """async () => {
          for (let y = 0; y < document.body.scrollHeight; y += 600) {
            scrollTo(0, y);
            await new Promise(done => setTimeout(done, 20));
          }
          scrollTo(0, 0);
        }"""
    )
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("address", PAGES)
def test_page_is_whole_private_and_accessible(address, base, new_page):
    page = new_page(color_scheme="light", reduced_motion="reduce")
    page.add_init_script(WATCH)
    elsewhere, errors = [], []
    page.on(
        "request",
        lambda r: None if r.url.startswith((base, "data:", "blob:")) else elsewhere.append(r.url),
    )
    page.on("console", lambda m: errors.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(base + address, wait_until="networkidle")
    scroll_through(page)

    assert elsewhere == []
    assert [e for e in errors if not (address == NO_PAGE and "404" in e)] == []
    assert page.evaluate("refused") == []
    assert page.evaluate("shift") <= 0.02
    assert page.context.cookies() == []

    page.evaluate(OPEN_ALL)
    page.add_style_tag(content=ALL_DRAWN)
    scroll_through(page)
    assert violations(page) == {}

    if address not in OF_ONE_TEMPLATE:
        page.locator("[data-md-component=palette] label:not([hidden])").click()
        assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
        assert violations(page, only=["color-contrast"]) == {}

        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_timeout(200)  # the theme folds its side bars with a short delay
        assert violations(page, only=None if address in EVERY_KIND else BY_WIDTH) == {}
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate(SIDEWAYS) <= 0


@pytest.mark.parametrize("address", sorted(set(page_addresses()) - OF_ONE_TEMPLATE))
def test_page_reads_without_scripts(address, base, new_page):
    page = new_page(java_script_enabled=False)
    page.goto(base + address, wait_until="load")
    steps = page.locator("pe-steps")

    for k in range(steps.count()):
        frames = steps.nth(k).locator("li")
        assert frames.locator("svg:visible").count() == frames.count() >= 2
        assert frames.locator("p:visible").count() == frames.count()
        assert not steps.nth(k).locator("[data-play]").is_visible()
    for summary in page.locator("article details > summary").all():
        summary.click()
    assert page.locator("article details:not([open])").count() == 0


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
