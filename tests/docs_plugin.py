"""Makes pytest collect pages, docstrings and notebooks: `addopts = "-p tests.docs_plugin"`."""

from tests.docs_examples import everything

pytest_collect_file = everything.pytest()
