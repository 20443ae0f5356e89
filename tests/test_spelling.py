"""Words are spelt as the dictionary has them, or as our own list does."""

from functools import cache
from pathlib import Path

import pytest
from spellchecker import SpellChecker

from tests.conftest import page_addresses
from tests.prose import words
from tests.server import resolve

OURS = Path(__file__).with_name("words.txt").read_text("utf-8").split()
ADDRESSES = [a for a in page_addresses() if not a.startswith(("reference/", "examples/"))]


@cache
def dictionary():
    return SpellChecker(language="en")


def known(word):
    word = word.replace("’", "'")
    return word.isupper() or word in OURS or word.lower() in OURS or word.lower() in dictionary()


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_word_of_a_page_is_in_a_list(address, site):
    found = set(words(resolve(site, address)))

    assert sorted(word for word in found if not known(word) and not known(stem(word))) == []


def stem(word):
    """Without the ending of a plural or of a genitive."""
    for ending in ("'s", "’s", "es", "s"):
        if word.endswith(ending):
            return word.removesuffix(ending)
    return word


def test_our_list_is_sorted_and_used(site):
    used = {w for a in ADDRESSES for word in words(resolve(site, a)) for w in (word, stem(word))}
    used |= {word.lower() for word in used}

    assert OURS
    assert sorted(set(OURS), key=str.lower) == OURS
    assert [word for word in OURS if word not in used] == []
