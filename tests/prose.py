"""The running text of built pages, for the spelling test and for the report of `make reading`."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup

NOT_PROSE = (
    "code, pre, math, svg, script, style, noscript, .headerlink, .md-code__nav, [translate=no]"
)
FOLDED = ".exercise, .quiz, details, pe-steps, .explorer, .task-list-item, #sources ~ *"
WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
VOWELS = re.compile(r"[aeiouy]+")
WORDS_A_MINUTE = 200


class Reading(NamedTuple):
    """How long and how hard a page is; the level is that of Flesch and Kincaid, in school years."""

    words: int
    minutes: float
    words_a_sentence: float
    level: float


def article(page: Path, left_out: str = NOT_PROSE) -> BeautifulSoup:
    found = BeautifulSoup(page.read_text("utf-8"), "html.parser").article
    assert found is not None, page
    for element in found.select(left_out):
        element.replace_with(" ")
    return found


def words(page: Path) -> list[str]:
    """Every word that a reader of a page can see, outside code and formulas."""
    text = article(page).get_text(" ")
    # An address, a file or an identifier is no word.
    return WORD.findall(re.sub(r"\S*[/_@.\d]\S*[\w/]|\S*\d\S*", " ", text))


def reading(page: Path) -> Reading:
    """Of the text that is read from start to end: exercises, quizzes and folds apart."""
    text = article(page, f"{NOT_PROSE}, {FOLDED}").get_text(" ")
    found = WORD.findall(text)
    sentences = max(1, len(re.findall(r"[.!?:](?:\s|$)", text)))
    syllables = sum(max(1, len(VOWELS.findall(word.lower()))) for word in found)
    length = len(found) / sentences
    level = 0.39 * length + 11.8 * syllables / max(1, len(found)) - 15.59
    return Reading(len(found), len(found) / WORDS_A_MINUTE, length, level)


def main(site: Path) -> None:
    print("words  minutes  a sentence  level  page")
    for page in sorted(site.glob("**/index.html")):
        address = page.parent.relative_to(site).as_posix()
        if address.split("/")[0] in ("lessons", "compare", "practice", "parts"):
            found = reading(page)
            print(
                f"{found.words:5}  {found.minutes:7.1f}  {found.words_a_sentence:10.1f}"
                f"  {found.level:5.1f}  {address}"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
