"""Every link, image, script and anchor of the built site leads somewhere, in notebooks too."""

import re
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.conftest import embed_addresses, page_addresses
from tests.server import resolve

ORIGIN = "http://site.test/"


class Links(HTMLParser):
    """The ids of a page and everything that it points to."""

    def __init__(self, page: str):
        super().__init__()
        self.ids = set()
        self.links = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids |= {values.get("id"), values.get("name") if tag == "a" else None}
        if tag == "link" and values.get("rel") == "canonical":
            return
        self.links += [values[name] for name in ("href", "src") if values.get(name)]


def own_addresses(page):
    """The page's own full address, which the block on citing shows."""
    return re.findall(r'<link rel="canonical" href="([^"]*)"', page.read_text("utf-8"))


@cache
def ids_in(file):
    return Links(file.read_text("utf-8")).ids


def dead_links(site, address):
    """Links of one page that lead nowhere, or only on the author's machine, with the reason."""
    page = resolve(site, address)
    dead = []
    for link in Links(page.read_text("utf-8")).links:
        target = urlsplit(urljoin(ORIGIN + address, link))
        if target.hostname in ("localhost", "127.0.0.1") and link not in own_addresses(page):
            dead.append(f"{link}: an address of this machine")
        if link.startswith("/") and address != "404.html":
            dead.append(f"{link}: breaks where the site is below a path")
        if target.netloc != "site.test":
            continue
        file = resolve(site, target.path)
        if file is None:
            dead.append(f"{link}: no such file")
        elif file.suffix == ".html" and unquote(target.fragment) not in {"", *ids_in(file)}:
            dead.append(f"{link}: no such anchor")
    return dead


@pytest.mark.parametrize("address", [*page_addresses(), *embed_addresses()])
def test_every_link_of_a_page_leads_somewhere(site, address):
    assert dead_links(site, address) == []


def test_links_of_the_page_for_unknown_addresses_lead_somewhere(site):
    assert dead_links(site, "404.html") == []


def test_a_crawl_from_the_home_page_finds_every_page(site):
    found, ahead = set(), [""]
    while ahead:
        address = ahead.pop()
        if address in found:
            continue
        found.add(address)
        for link in Links(resolve(site, address).read_text("utf-8")).links:
            target = urlsplit(urljoin(ORIGIN + address, link))
            if target.netloc == "site.test" and target.path.endswith("/"):
                ahead.append(target.path.lstrip("/"))

    assert sorted(found) == sorted([*page_addresses(), *embed_addresses()])


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ('<a href="../nowhere/">x</a>', "no such file"),
        ('<a href="#nothing">x</a>', "no such anchor"),
        ('<img src="missing.svg">', "no such file"),
        ('<a href="/page/">x</a>', "below a path"),
        ('<a href="http://127.0.0.1:8000/page/">x</a>', "of this machine"),
    ],
)
def test_the_check_sees_a_dead_link(tmp_path, markup, reason):
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "index.html").write_text(markup)

    assert reason in dead_links(tmp_path, "page/")[0]
