"""The bug clinic: its finder, and the public reports behind its pages.

A page of `practice/clinic/` says in its front matter which symptoms its bug has and how well each
fits (the one to rule out first, typical, possible), and one line that tests for it.
`practice/cases.json` holds the public reports, each with the page that answers it. A page asks for
what is gathered by a comment on a line of its own:

    <!-- finder of bugs -->          every symptom, with its suspects in order
    <!-- reports of this bug -->     the reports that this page answers
    <!-- reports of #section -->     those that this section of it answers
    <!-- table of all reports -->    every report, with its page
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from mkdocs.utils.meta import get_data

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "practice" / "clinic"
CASES = DOCS / "practice" / "cases.json"
REQUEST = re.compile(
    r"^<!-- (finder of bugs|reports of|table of all reports)(?: (this bug|#[\w-]+))? -->$",
    re.MULTILINE,
)

SYMPTOMS = {
    "gibberish": "fine at first, then gibberish",
    "slowly-worse": "fine at first, then slowly worse",
    "first-token": "wrong from the start, on any text",
    "everywhere": "a little worse at every length",
    "nan": "NaN or infinity",
    "shape-error": "a shape or index error",
    "batches": "only in batches",
    "decoding": "only when decoding",
    "long": "only on long text",
    "images": "only with images or video",
    "conversion": "only after conversion, or in another engine",
    "bf16": "only in bfloat16 or float16",
}
REPORT = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+")
FITS = {"first": 3, "typical": 2, "possible": 1}


class Bug(NamedTuple):
    name: str
    title: str
    fits: dict[str, str]
    """Symptom → how well it fits, a key of `FITS`."""
    test: str
    n_reports: int


def cases() -> list[dict[str, Any]]:
    return list(json.loads(CASES.read_text("utf-8")))


@cache
def bugs() -> tuple[Bug, ...]:
    """Every page of the clinic, by name.

    Raises:
        ValueError: If a page names a symptom or a fit that does not exist, or has no test.
    """
    return tuple(_bug(path) for path in sorted(FOLDER.glob("*.md")))


def _bug(path: Path) -> Bug:
    text, meta = get_data(path.read_text("utf-8"))
    fits = meta.get("symptoms", {})
    if not fits or not {*fits} <= {*SYMPTOMS} or not {*fits.values()} <= {*FITS}:
        raise ValueError(
            f"{path.name}: symptoms must map some of {list(SYMPTOMS)} to one of {list(FITS)}, "
            f"got {fits}"
        )
    if not meta.get("test"):
        raise ValueError(f"{path.name}: test must be one line that tells this bug from others")
    threads = {source for case in _of(f"practice/clinic/{path.name}") for source in case["sources"]}
    threads |= {*REPORT.findall(text)}  # those that the page names itself
    return Bug(path.stem, meta["title"], fits, meta["test"], len(threads))


def suspects(symptom: str) -> list[Bug]:
    """Bugs with a symptom, by how well it fits; then those with more public reports first."""
    found = [bug for bug in bugs() if symptom in bug.fits]
    return sorted(found, key=lambda bug: (-FITS[bug.fits[symptom]], -bug.n_reports, bug.title))


def expand(markdown: str, where: str) -> str:
    """Answer every request of a page.

    Raises:
        ValueError: If a section is named that answers no report.
    """

    def answer(request: re.Match[str]) -> str:
        lines = list(ANSWERS[request[1]](where, (request[2] or "").removeprefix("this bug")))
        if not lines:
            raise ValueError(f"{where}: cases.json has nothing for {request[0]!r}")
        return "\n".join(lines)

    return REQUEST.sub(answer, markdown)


def _finder(*_: str) -> Iterable[str]:
    yield '<div class="finder" data-search-exclude>'
    yield "<fieldset><legend>What do you see? Tick all that is so.</legend>"
    for name, words in SYMPTOMS.items():
        yield f'<label><input type="checkbox" value="{name}"> {words}</label>'
    yield '</fieldset><output></output><button type="button" hidden>Clear</button></div>'
    links = ", ".join(f'<a href="#{name}">{words}</a>' for name, words in SYMPTOMS.items())
    yield f'<p class="jump">What do you see? {links}.</p>'
    yield '<div class="suspects"><table>'
    yield "<thead><tr><th>suspect</th><th>the test in a line</th></tr></thead>"
    for name, words in SYMPTOMS.items():
        title = words[0].upper() + words[1:]
        yield f'<tbody data-symptom="{name}">'
        yield f'<tr><th colspan="2" scope="rowgroup" id="{name}">{title}</th></tr>'
        for bug in suspects(name):
            fit = FITS[bug.fits[name]]
            yield (
                f'<tr data-bug="{bug.name}" data-fit="{fit}">'
                f'<td><a href="{bug.name}/">{_code(bug.title)}</a></td>'
                f"<td>{_code(bug.test)}</td></tr>"
            )
        yield "</tbody>"
    yield "</table></div>"


def _code(text: str) -> str:
    return re.sub("`(.*?)`", r"<code>\1</code>", escape(text, quote=False))


def _of(place: str) -> list[dict[str, Any]]:
    """The cases that a page answers, or a section of one."""
    return [case for case in cases() if case["page"] == place]


def _reports(where: str, section: str) -> Iterable[str]:
    for case in _of(where + section):
        sources = ", ".join(map(_source, case["sources"]))
        yield f"- **{case['id']}**: {_in_words(case)} {sources}"


def _all_reports(where: str, _: str) -> Iterable[str]:
    up = "../" * where.count("/")
    yield from (
        "| case | what was seen | how it fails | answered in | reports |",
        "|---|---|---|---|---|",
    )
    for case in cases():
        sources = ", ".join(map(_source, case["sources"]))
        title = _title(case["page"].partition("#")[0])
        yield (
            f'| <span style="white-space: nowrap">{case["id"]}</span> | {_in_words(case)} '
            f"| {case['mode']} | [{title}]({up}{case['page']}) "
            f"| {sources} |"
        )


def _in_words(case: dict[str, Any]) -> str:
    return str(case["symptom"]).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def _source(address: str) -> str:
    """An issue by its short name: owner/repository#number."""
    owner, name, _, number = address.removeprefix("https://github.com/").split("/")
    return f'<a href="{address}" translate="no">{owner}/{name}#{number}</a>'


def _title(where: str) -> str:
    return str(get_data((DOCS / where).read_text("utf-8"))[1]["title"])


ANSWERS: dict[str, Callable[[str, str], Iterable[str]]] = {
    "finder of bugs": _finder,
    "reports of": _reports,
    "table of all reports": _all_reports,
}
