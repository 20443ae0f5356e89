"""What is gathered from the lessons: maps, exercises, self-checks, and the items of the seeds."""

import re
import tomllib
from collections import deque
from functools import cache
from pathlib import Path, PurePosixPath

import pytest
from bs4 import BeautifulSoup

from _hooks import course
from tests.conftest import DOCS
from tests.server import resolve

ITEMS = tomllib.loads((Path(__file__).parent / "seed_items.toml").read_text("utf-8"))
PLACES = [
    pytest.param(place, id=f"{key} {place}") for key, item in ITEMS.items() for place in item["at"]
]


@cache
def soup(site, address):
    return BeautifulSoup(resolve(site, address).read_text("utf-8"), "html.parser")


def test_a_map_lists_the_lessons_of_a_part_with_what_they_build_on():
    markdown = course.expand("<!-- map of Rotary positions -->", "parts/rotary.md")

    assert re.findall(r"\*\*\[.*?\]\(\.\./(.*?)\)", markdown) == [
        "lessons/rope-in-the-plane.md",
        "lessons/rope.md",
        "lessons/rope-layouts.md",
        "lessons/what-rope-does.md",
    ]
    assert 'start="7"' in markdown
    assert "builds on [" in markdown


def test_every_part_has_a_page_with_its_map():
    pages = [path.read_text("utf-8") for path in (DOCS / "parts").glob("*/index.md")]
    asked = [name for page in pages for name in re.findall(r"<!-- map of (.*?) -->", page)]

    assert sorted(asked) == sorted({lesson.part for lesson in course.lessons()})


def test_a_request_for_nothing_stops_the_build():
    with pytest.raises(ValueError, match=r"x\.md: there is nothing for '<!-- map of Nowhere -->'"):
        course.expand("<!-- map of Nowhere -->", "x.md")


def test_a_page_that_asks_for_nothing_stays_as_it_is():
    assert (
        course.expand("text <!-- map of in a line -->", "x.md") == "text <!-- map of in a line -->"
    )


def test_every_exercise_is_in_the_index_once(site):
    links = [
        a["href"] for a in soup(site, "practice/exercises/").select("article td:first-child a")
    ]
    expected = [
        f"../..{lesson.address}#{exercise.anchor}"
        for lesson in course.lessons()
        for exercise in lesson.exercises
    ]

    assert sorted(links) == sorted(expected)


def test_every_self_check_is_on_the_page_that_gathers_them(site):
    page = soup(site, "practice/prove/")
    gathered = {
        box["data-ticks"]: [li.get_text().strip() for li in box.select("li")]
        for box in page.select("[data-ticks]")
    }
    in_lessons = {
        lesson.address: [
            li.get_text().strip() for li in soup(site, lesson.address).select(".task-list-item")
        ]
        for lesson in course.lessons()
    }

    assert gathered == in_lessons


# ---- the items of the two lessons from which the site started


def test_all_items_of_both_lessons_are_listed():
    expected = [f"A{k}" for k in range(1, 27)] + [f"B{k}" for k in range(1, 31)]

    assert list(ITEMS) == expected
    assert all(item["what"] and item["at"] for item in ITEMS.values())


@pytest.mark.parametrize("place", PLACES)
def test_an_item_stands_where_the_list_says_and_is_no_stub(place, site):
    address, _, anchor = place.partition("#")
    target = soup(site, address).find(id=anchor)

    assert target is not None
    assert len(words_below(target)) >= 12


def words_below(target):
    """The words of an element, or of what follows a heading up to the next of its rank."""
    if not re.fullmatch("h[1-6]", target.name):
        return target.get_text(" ").split()
    words = []
    for element in target.find_next_siblings():
        if re.fullmatch("h[1-6]", element.name) and element.name <= target.name:
            break
        words += element.get_text(" ").split()
    return words


@pytest.mark.parametrize("place", PLACES)
def test_an_item_is_three_clicks_from_the_home_page(place, clicks_from_home):
    assert clicks_from_home[place.partition("#")[0]] <= 3


@pytest.fixture(scope="module")
def clicks_from_home(site):
    """Clicks to every page, through links in articles alone: side bars fold on a phone."""
    clicks, queue = {"": 0}, deque([""])
    while queue:
        address = queue.popleft()
        for link in soup(site, address).select("article a[href]"):
            target = follow(address, link["href"])
            if target is not None and target not in clicks:
                clicks[target] = clicks[address] + 1
                queue.append(target)
    return clicks


def follow(address, href):
    """Address of another page of the site; None for what is none."""
    path = href.partition("#")[0].partition("?")[0]
    if "://" in path or not path.endswith("/"):
        return None
    parts = []
    for part in (PurePosixPath("/") / address / path).parts[1:]:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) + "/" if parts else ""


def test_a_lesson_calls_what_it_needs_by_its_title():
    titles = {lesson.path: lesson.title for lesson in course.lessons()}

    for lesson in course.lessons():
        for name, path in lesson.needs.items():
            assert titles.get(path, name) == name, lesson.path
