"""Addresses are a promise: a register of every published page and id, and redirects for what moved.

The register may grow, never shrink. Run as a script on a built site, this adds what is new
(`make addresses`).
"""

import html
import re
import sys
import tomllib
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).parent
REGISTER = HERE / "addresses.txt"
REDIRECTS = HERE / "redirects.toml"
# Made by the theme for its own use, numbered by order, so not fit to be linked.
NOT_PROMISED = re.compile(r"^__")


class _Ids(HTMLParser):
    """The ids inside a page's article, SVG drawings left out."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.inside = 0
        self.drawing = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "article":
            self.inside += 1
        if tag == "svg":
            self.drawing += 1
        name = dict(attrs).get("id")
        if name and self.inside and not self.drawing and not NOT_PROMISED.match(name):
            self.ids.append(name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self.inside -= 1
        if tag == "svg":
            self.drawing -= 1


def ids(page: str) -> list[str]:
    parser = _Ids()
    parser.feed(page)
    return parser.ids


def published(site: Path) -> set[str]:
    """Addresses that a built site answers: `path/` for each page, `path/#id` for each id in it."""
    found = set()
    for file in site.rglob("index.html"):
        page = file.read_text("utf-8")
        address = file.relative_to(site).as_posix().removesuffix("index.html")
        found.add(f"/{address}")
        found |= {f"/{address}#{name}" for name in ids(page)}
    return found


def registered() -> set[str]:
    return set(REGISTER.read_text("utf-8").split())


def redirects() -> dict[str, str]:
    """Old path → new path, both from the site's root, with a slash at the end."""
    return tomllib.loads(REDIRECTS.read_text("utf-8"))


def broken(register: Iterable[str], answered: set[str], moved: dict[str, str]) -> list[str]:
    """Promised addresses that no longer lead to what they named."""

    def leads(address: str) -> bool:
        path, sharp, name = address.partition("#")
        new = moved.get(path.lstrip("/"))
        return f"/{new}{sharp}{name}" in answered if new is not None else address in answered

    return sorted(address for address in register if not leads(address))


def redirect_page(old: str, new: str) -> str:
    """A page at an old path that leads on; the script, where it runs, keeps the fragment."""
    up = "../" * old.count("/")
    target = html.escape(up + new, quote=True)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title>'
        f'<link rel="canonical" href="{target}"><meta name="robots" content="noindex">'
        f'<script src="{up}assets/js/moved.js"></script>'
        f'<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript></head>'
        f'<body><h1>Moved</h1><p>This page is now <a href="{target}">here</a>.</p></body></html>\n'
    )


if __name__ == "__main__":
    known = registered() if REGISTER.exists() else set()
    new = published(Path(sys.argv[1])) - known
    REGISTER.write_text("".join(f"{line}\n" for line in sorted(known | new)), "utf-8")
    print(f"{len(new)} new addresses, {len(known | new)} in all")
