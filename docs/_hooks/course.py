"""What the lessons say about themselves, gathered: maps, the index of exercises, all self-checks.

A page asks by a comment on a line of its own, which becomes Markdown before anything else happens:

    <!-- map of Rotary positions -->  the lessons of a part, in order; `all lessons` for every one
    <!-- exercises to Build -->       the exercises of one kind
    <!-- all self-checks -->          every "I can …" of every lesson, with its box
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mkdocs.utils.meta import get_data

from _hooks import metadata

DOCS = Path(__file__).parents[1]
ALMOST_A_REQUEST = re.compile(r"^<!-- (?!table of )[\w -]+ -->$", re.MULTILINE)  # of model_tables
REQUEST = re.compile(r"^<!-- (map of|exercises to|all) (.*?) -->$", re.MULTILINE)
EXERCISE = re.compile(r"^### (Explain|Derive|Build|Break) · (.*?) \{ #([\w-]+) \}$", re.MULTILINE)
SELF_CHECK = re.compile(r"^- \[ \] (.*)$", re.MULTILINE)


class Exercise(NamedTuple):
    kind: str
    title: str
    anchor: str


class Lesson(NamedTuple):
    path: str
    """From docs/, with its `.md`."""
    number: int
    title: str
    description: str
    part: str
    level: str
    minutes: int
    needs: dict[str, str]
    exercises: list[Exercise]
    self_checks: list[str]

    @property
    def address(self) -> str:
        return f"/{self.path.removesuffix('.md')}/"


def read(path: Path) -> Lesson | None:
    """A lesson from its source; None for a page that is not one."""
    text, meta = get_data(path.read_text("utf-8"))
    if "lesson" not in meta:
        return None
    metadata.check(meta, path.name)
    return Lesson(
        path.relative_to(DOCS).as_posix(),
        meta["lesson"],
        meta["title"],
        meta["description"],
        meta["part"],
        meta["level"],
        meta["minutes"],
        meta["needs"],
        [Exercise(*found) for found in EXERCISE.findall(text)],
        # The comments that tie its numbers are checked where the sentence stands.
        [re.sub(r"<!--.*?-->", "", check) for check in SELF_CHECK.findall(text)],
    )


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, by their numbers."""
    found = [lesson for path in (DOCS / "lessons").glob("*.md") if (lesson := read(path))]
    return tuple(sorted(found, key=lambda lesson: lesson.number))


def expand(markdown: str, where: str) -> str:
    """Answer every request of a page.

    Raises:
        ValueError: If a request asks for nothing that exists.
    """

    def answer(request: re.Match[str]) -> str:
        lines = list(ANSWERS[request[1]](request[2], "../" * where.count("/")))
        if not lines:
            raise ValueError(f"{where}: there is nothing for {request[0]!r}")
        return "\n".join(lines)

    markdown = REQUEST.sub(answer, markdown)
    if unknown := ALMOST_A_REQUEST.search(markdown):
        raise ValueError(f"{where}: no such request: {unknown[0]}")
    return markdown


def _map(part: str, up: str) -> Iterable[str]:
    chosen = [lesson for lesson in lessons() if part in ("all lessons", lesson.part)]
    if not chosen:
        return
    yield f'<ol class="path" start="{chosen[0].number}" markdown>'
    for lesson in chosen:
        facts = f"{lesson.minutes} min · {lesson.level}"
        known = [other for other in lessons() if other.path in lesson.needs.values()]
        if known:
            links = ", ".join(f"[{other.title}]({up}{other.path})" for other in known)
            facts += f" · builds on {links}"
        yield (
            f'<li markdown="span">**[{lesson.title}]({up}{lesson.path})** '
            f'{lesson.description} <small markdown="span">{facts}</small></li>'
        )
    yield "</ol>"


def _exercises(kind: str, up: str) -> Iterable[str]:
    rows = [
        f"| [{exercise.title}]({up}{lesson.path}#{exercise.anchor}) "
        f"| [{lesson.title}]({up}{lesson.path}) | {lesson.level} |"
        for lesson in lessons()
        for exercise in lesson.exercises
        if exercise.kind == kind
    ]
    if rows:
        yield from ("| exercise | lesson | level |", "|---|---|---|", *rows)


def _self_checks(what: str, up: str) -> Iterable[str]:
    for lesson in lessons() if what == "self-checks" else ():
        if lesson.self_checks:
            name = Path(lesson.path).stem
            yield f"### [{lesson.title}]({up}{lesson.path}) {{ #checks-{name} }}\n"
            yield f'<div data-ticks="{lesson.address}" markdown>\n'
            yield from (f"- [ ] {check}" for check in lesson.self_checks)
            yield "\n</div>\n"


ANSWERS: dict[str, Callable[[str, str], Iterable[str]]] = {
    "map of": _map,
    "exercises to": _exercises,
    "all": _self_checks,
}
