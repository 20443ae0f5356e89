"""What is asked of every page in a real browser, for the tests of lessons and of the other pages.

They stand in two files, so that two workers can share them.
"""

from zlib import crc32

from axe_playwright_python.sync_playwright import Axe

from tests.conftest import ALL_DRAWN, embed_addresses, page_addresses

NO_PAGE = "no/such/page/"
PAGES = [*page_addresses(), *embed_addresses(), NO_PAGE]
# The pages of modules are one template around docstrings, those of bugs another around code. One
# page stands for each where only the theme and the width are asked about. Pages of explorers have
# no theme to switch.
OF_ONE_TEMPLATE = {
    address for address in PAGES if address.startswith(("reference/", "embed/", "practice/clinic/"))
} - {"reference/", "reference/rotary/", "practice/clinic/", "practice/clinic/pair-layout/"}
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
# Parts of a stepper's stage that do not look as their frame has them, step by step.
STAGE_FAULTS = """() => [...document.querySelectorAll("pe-steps")].flatMap(steps => {
  const drawn = ({ attributes }) => [...attributes].filter(({ name }) => name !== "style");
  const looks = part => [...part.querySelectorAll("*")].map(shape => [
    shape.tagName, shape.children.length ? "" : shape.textContent, shape.style.cssText,
    ...drawn(shape).map(({ name, value }) => `${name}=${value}`).sort(),
  ].join(" ")).join("; ");
  steps.setUp();
  const faults = steps.items.flatMap((item, k) => {
    steps.show(k);
    return [...item.querySelectorAll("[data-k]")]
      .filter(goal => looks(goal) !== looks(steps.parts.get(goal.dataset.k)))
      .map(goal => `step ${k + 1}: ${goal.dataset.k}`);
  });
  steps.show(0);
  return faults;
})"""
OPEN_ALL = "document.querySelectorAll('.md-content details').forEach(d => { d.open = true })"
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


# Where a side bar is scrolled, its edge cuts a link in two, which axe would call too small.
UNCUT = ".md-sidebar__scrollwrap { overflow: visible !important; height: auto !important; }"


def schemes_for_contrast(address):
    """Contrast takes axe as long as all other rules together, and is a matter of the style sheet,
    which `test_palette.py` checks in both schemes: so most pages show it one scheme, half of them
    either."""
    return (
        {"light", "dark"}
        if address in EVERY_KIND
        else {("light", "dark")[crc32(address.encode()) % 2]}
    )


def violations(page, only=None, apart=(), contrast=True):
    """What axe finds, as rule: first places. Asked for violations alone, it takes half the time."""
    context = {"exclude": [[place] for place in apart]} if apart else None
    options = {
        "runOnly": {"type": "rule", "values": only} if only else RULES,
        "resultTypes": ["violations"],
        "rules": {} if contrast or only else {"color-contrast": {"enabled": False}},
    }
    found = Axe().run(page, context=context, options=options).response["violations"]
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


def smallest_shift(page, tries=3):
    """The layout shift of a load, or of another one if a busy machine drew the first in pieces."""
    shift = page.evaluate("shift")
    while shift > 0.02 and (tries := tries - 1):
        page.reload(wait_until="networkidle")
        scroll_through(page)
        shift = min(shift, page.evaluate("shift"))
    return shift


def check_whole_page(address, base, new_page):
    """A page is whole, keeps to itself, and shuts nobody out."""
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
    assert smallest_shift(page) <= 0.02
    assert page.context.cookies() == []
    assert page.evaluate(STAGE_FAULTS) == []

    page.evaluate(OPEN_ALL)
    page.add_style_tag(content=ALL_DRAWN + UNCUT)
    scroll_through(page)
    # The side bar is the same on all pages of a template.
    apart = [".md-sidebar"] if address in OF_ONE_TEMPLATE else []
    schemes = {"light"} if address in OF_ONE_TEMPLATE else schemes_for_contrast(address)
    assert violations(page, apart=apart, contrast="light" in schemes) == {}

    if address not in OF_ONE_TEMPLATE:
        page.locator("[data-md-component=palette] label:not([hidden])").click()
        assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
        if "dark" in schemes:
            assert violations(page, only=["color-contrast"]) == {}

        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_timeout(200)  # the theme folds its side bars with a short delay
        scroll_through(page)
        assert violations(page, only=None if address in EVERY_KIND else BY_WIDTH) == {}
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate(SIDEWAYS) <= 0


def check_without_scripts(address, base, new_page):
    """Frames, captions and folds of a page can be read where no script runs."""
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
