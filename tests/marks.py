"""Marks the tests that need the built site or a browser, so that `make quick` can leave them out.

The fixtures they ask for say which they are; no test has to remember a mark.
"""

import pytest


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items):
    for item in items:
        for name, mark in (("site", "site"), ("fork", "site"), ("browser", "browser")):
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
