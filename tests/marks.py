"""Marks what a run must know about a test; no test has to remember a mark.

Tests that need the built site or a browser can be left out, as `make quick` does: the fixtures that
they ask for say which they are. Where two workers share the work, the tests of a file stay
together, since the examples of a page share a namespace; only the tests of whole pages are dealt
out one by one, which are half of the work and each for itself.
"""

import pytest

DEALT_OUT = "test_pages_in_browser.py"


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config, items):
    shared = config.pluginmanager.hasplugin("xdist")
    for item in items:
        for name, mark in (("site", "site"), ("fork", "site"), ("browser", "browser")):
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
        if shared and item.path.name != DEALT_OUT:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
