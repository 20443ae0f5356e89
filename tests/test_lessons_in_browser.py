"""Every lesson in a real browser: nothing leaves the site, nothing fails, nobody is shut out."""

import pytest

from tests.whole_page import PAGES, check_whole_page, check_without_scripts

LESSONS = [address for address in PAGES if address.startswith("lessons/")]


@pytest.mark.parametrize("address", LESSONS)
def test_lesson_is_whole_private_and_accessible(address, base, new_page):
    check_whole_page(address, base, new_page)


@pytest.mark.parametrize("address", LESSONS)
def test_lesson_reads_without_scripts(address, base, new_page):
    check_without_scripts(address, base, new_page)
