"""Addresses are a promise: nothing published disappears, and what moves leaves a way on."""

import re
import shutil
import subprocess

import pytest

from _hooks import addresses
from tests.conftest import DOCS, ROOT, page_sources


def test_every_promised_address_is_answered(site):
    published = addresses.published(site)

    assert addresses.broken(addresses.registered(), published, addresses.redirects()) == []


def test_every_published_address_is_in_the_register(site):
    new = addresses.published(site) - addresses.registered()

    assert new == set(), "run `make addresses` and commit the register"


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.skipif(
    shutil.which("git") is None or git("rev-parse", "--git-dir").returncode != 0,
    reason="an archive of the sources has no history to compare with; every clone has one",
)
def test_the_register_never_shrank():
    """Neither in any commit, nor between the last one and the file as it is now."""
    path = addresses.REGISTER.relative_to(ROOT).as_posix()
    committed = git("show", f"HEAD:{path}")
    history = git("log", "--format=", "--numstat", "--", path)
    lines_removed = {line.split()[1] for line in history.stdout.splitlines() if line}

    assert git("rev-parse", "--is-shallow-repository").stdout.strip() == "false", (
        "this clone has no history; clone without --depth, or run git fetch --unshallow"
    )
    assert committed.returncode == 0
    assert set(committed.stdout.split()) <= addresses.registered()
    assert lines_removed <= {"0"}


def test_a_page_that_vanished_is_reported():
    assert addresses.broken({"/a/", "/a/#x"}, {"/a/"}, {}) == ["/a/#x"]


def test_a_moved_page_keeps_its_addresses_through_the_redirect():
    answered = {"/new/", "/new/#x"}

    assert addresses.broken({"/old/", "/old/#x"}, answered, {"old/": "new/"}) == []


def test_a_redirect_to_nowhere_is_reported():
    assert addresses.broken({"/old/"}, {"/a/"}, {"old/": "new/"}) == ["/old/"]


def test_ids_of_drawings_and_of_the_theme_are_not_promised():
    page = (
        '<p id="out"></p><article><h2 id="how"></h2>'
        '<svg><g id="g1"></g></svg><i id="__code_0"></i></article>'
    )

    assert addresses.ids(page) == ["how"]


def test_a_redirect_page_leads_on_with_and_without_scripts(new_page, base, site):
    old = site / "test-of-moving"
    old.mkdir()
    (old / "index.html").write_text(
        addresses.redirect_page("test-of-moving/", "lessons/sinusoidal/"), "utf-8"
    )

    try:
        page = new_page()
        page.goto(f"{base}test-of-moving/#how")
        page.wait_for_url(f"{base}lessons/sinusoidal/#how")
        page = new_page(java_script_enabled=False)
        page.goto(f"{base}test-of-moving/")
        page.wait_for_url(f"{base}lessons/sinusoidal/")
    finally:
        shutil.rmtree(old)


@pytest.mark.parametrize(
    "path", page_sources("*.md"), ids=lambda path: path.relative_to(DOCS).as_posix()
)
def test_headings_have_ids_of_their_own(path):
    """An id made from a heading's words changes with the words, and a link to it breaks."""
    text = re.sub(r"^( *)```.*?^\1```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)

    assert [h for h in re.findall(r"^#{1,3} .*$", text, re.MULTILINE) if "{ #" not in h] == []
