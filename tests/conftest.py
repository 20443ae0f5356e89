"""What the tests of the site share: the built site, a server for it, a browser."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.chromium import ARGS, find_chromium
from tests.server import serving

pytest.register_assert_rewrite("tests.whole_page")  # so that its assertions say what they saw

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

# Parts of a page that are far from the reader are not drawn. Axe would pass them over, and a part
# that takes its true size while a test scrolls moves what the test is about to click.
ALL_DRAWN = ".part, .exercise, .quiz { content-visibility: visible !important }"


def build_site(target: Path, **environment: str) -> Path:
    """Build as the README says, warnings being errors; output of a failed build is shown."""
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"} | environment,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return target


def page_sources(pattern: str) -> list[Path]:
    """Files below docs/ that are pages, not sources of the build."""
    apart = {"_hooks", "_figures", "assets"}
    return sorted(p for p in DOCS.rglob(pattern) if not apart & {*p.relative_to(DOCS).parts})


def page_addresses() -> list[str]:
    """The address of every page, from the sources; a crawl of the built site must find the same."""
    notebooks = [path for path in page_sources("*.py") if path.parent.name == "examples"]
    pages = [*page_sources("*.md"), *notebooks]
    names = [path.relative_to(DOCS).with_suffix("").as_posix() for path in pages]
    return sorted("" if n == "index" else f"{n.removesuffix('/index')}/" for n in names)


def embed_addresses() -> list[str]:
    """The address of the page of every explorer, from the pages that hold them."""
    markdown = "".join(path.read_text("utf-8") for path in page_sources("*.md"))
    names = set(re.findall(r'data-explorer="([\w-]+)"', markdown))
    return [f"embed/{name}/" for name in sorted(names)]


def made_once(name: str, worker: str, factory: pytest.TempPathFactory, make) -> Path:
    """A folder that one worker fills, while the other waits for it: a build takes 20 seconds."""
    if worker == "master":  # no workers, as without `-n`
        return make(factory.mktemp(name))
    folder = factory.getbasetemp().parent / name  # the parent is common to the workers
    try:
        folder.mkdir()
    except FileExistsError:
        give_up = time.monotonic() + 300
        while not (folder / "made").exists():
            assert time.monotonic() < give_up, f"the other worker did not make the {name}"
            time.sleep(0.2)
        return Path((folder / "made").read_text("utf-8"))
    result = make(folder)
    part = folder / "made.part"
    part.write_text(str(result), "utf-8")
    part.rename(folder / "made")
    return result


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id) -> Path:
    """The site, built from nothing."""

    def make(folder: Path) -> Path:
        return build_site(folder / "site", POSENC_CACHE=str(folder / "cache"))

    return made_once("build", worker_id, tmp_path_factory, make)


@pytest.fixture(scope="session")
def fork(tmp_path_factory, worker_id) -> Path:
    """The site as somebody else would publish it, below a path."""

    def make(folder: Path) -> Path:
        return build_site(
            folder / "site",
            SITE_URL="https://someone.github.io/fork/",
            REPO_URL="https://github.com/someone/fork",
        )

    return made_once("fork", worker_id, tmp_path_factory, make)


@pytest.fixture(scope="session")
def base(site):
    with serving(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=list(ARGS))
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser):
    """Open pages in a context of their own; all are closed when the test ends."""
    contexts = []

    def open_page(**options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()


def pass_the_gate(page) -> None:
    """Answer the question that comes before some explorers, by keys alone."""
    gate = page.locator("[data-commit]")
    if gate.count():
        page.locator(".gate input").first.focus()
        page.keyboard.press("Space")
        gate.press("Enter")
