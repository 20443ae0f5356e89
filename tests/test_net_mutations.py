"""The net holds: each way of letting a block or a number escape or lie is caught, with its reason.

The good page of `net_site` passes. Each mutant changes one thing in it.
"""

import os
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import markdown
import pytest
from mkdocs.config import load_config
from sybil import Document
from sybil.example import SybilFailure

from _hooks.drawn import SCHEMES, draw
from _hooks.fences import expand, find_fences, short_hash
from tests import docs_examples
from tests.docs_examples import ROOT, docstrings, lies, parse_notebook, parse_page
from tests.net_mutants import MUTANTS
from tests.rendered import blocks, differences, drawings, promised

NET = Path(__file__).parent / "net_site"
GOOD = (NET / "docs" / "index.md").read_text("utf-8")
CONFIG = load_config(str(NET / "mkdocs.yml"))


@pytest.fixture(scope="module", autouse=True)
def _each_source_runs_once():
    """Most mutants share most blocks, and the same source does the same again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docs_examples, "run", cache(docs_examples.run))
        yield


def render(page):
    reader = markdown.Markdown(
        extensions=CONFIG.markdown_extensions, extension_configs=CONFIG.mdx_configs
    )
    return reader.convert(page)


def failures(document, parser=None):
    """What pytest would report for a document."""
    for region in parser(document) if parser else ():
        document.add(region)
    for example in document.examples():
        try:
            example.evaluate()
        except SybilFailure as failure:
            yield f"line {example.line}: {failure.result}"


def complaints(text):
    """All that the suite would say about a page, by the calls that the tests of pages make."""
    try:
        page = expand(text, [NET / "docs"])
    except ValueError as error:
        return [str(error)]
    said = list(failures(Document(page, "page.md"), parse_page))
    return said + differences(render(page.split("\n---\n", 1)[1]), page) + lies(page)


def test_the_good_page_passes():
    assert complaints(GOOD) == []


@pytest.mark.parametrize(("old", "new", "said"), MUTANTS.values(), ids=MUTANTS)
def test_a_page_that_lies_is_caught(old, new, said):
    assert GOOD.count(old) >= 1, "the mutant must change something"

    assert said in "\n".join(complaints(GOOD.replace(old, new, 1)))


def test_a_block_that_hangs_is_killed(monkeypatch):
    monkeypatch.setattr(docs_examples, "complaint", partial(docs_examples.complaint, timeout=0.5))
    page = Document("```python\nwhile True:\n    pass\n```\n", "page.md")

    assert "still running after 0.5 s, so it was killed" in "".join(failures(page, parse_page))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (">>> 2 + 2\n5", "Expected:\n    5\nGot:\n    4"),
        (">>> 2 + 2  # doctest: +SKIP\n5", "line 2: no doctest directives"),
        (">>> print(22)  #doctest: +ELLIPSIS\n2...", "line 2: no doctest directives"),
    ],
)
def test_a_docstring_that_lies_is_caught(code, said, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / f"lies_{short_hash(code)}.py"
    module.write_text(f'"""\n{code}\n"""\n')

    assert said in "".join(failures(docstrings.parse(module)))


NOTEBOOK = (NET / "docs" / "examples" / "notebook.py").read_text("utf-8")


def test_the_good_notebook_passes():
    assert list(failures(Document(NOTEBOOK, "notebook.py"), parse_notebook)) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("import math", "", "line 10, in <module>\n    print(math.hypot(3, 4))"),
        ("import math", "# %matplotlib inline", "no magics in notebooks"),
        ("import math", "!ls", "no magics in notebooks"),
        ("import math", "import tests", "No module named 'tests'"),
        ("import math", "import math\nimport bs4", "a reader may lack bs4"),
        (
            "# Two cells",
            "# ```python\n# 1 / 0\n# ```\n# Two cells",
            "code belongs in a cell that runs",
        ),
        ("# Two cells", "#     1 / 0\n#\n# Two cells", "code belongs in a cell that runs"),
        ("# Two cells", "# <pre>5.0</pre>\n#\n# Two cells", "code belongs in a cell that runs"),
        ("# Two cells", "# It is 0.5. Two cells", "nothing stands behind 0.5"),
        ("# Two cells", "# 0.5<!-- = 1 / 3 --> Two cells", "shows 0.5, but 1 / 3 is"),
        ("a tag that", "0.5 that", "nothing stands behind 0.5"),
    ],
)
def test_a_notebook_that_fails_is_caught(old, new, said):
    mutant = Document(NOTEBOOK.replace(old, new, 1), "notebook.py")

    assert said in "".join(failures(mutant, parse_notebook))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The good page, through the three calls that a build makes (see net_site/hook.py)."""
    target = tmp_path_factory.mktemp("net")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)],
        cwd=NET,
        env=os.environ | {"PYTHONPATH": str(ROOT / "docs"), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return target


@pytest.mark.site
def test_a_real_build_shows_the_blocks_that_the_page_promises(built):
    html = (built / "index.html").read_text("utf-8")

    assert blocks(html) == promised(expand(GOOD, [NET / "docs"]))
    assert "<!--" not in html.partition("<article")[2].partition("</article>")[0]
    assert "<code>0.5&lt;!-- = 0.6 --&gt;</code>" in html


@pytest.mark.site
def test_a_real_build_draws_what_the_snippet_draws(built):
    [fence] = [fence for fence in find_fences(GOOD) if fence.drawing]
    [addresses] = drawings((built / "index.html").read_text("utf-8"))

    assert len(addresses) == len(set(addresses)) == 2
    for address, scheme in zip(addresses, SCHEMES, strict=True):
        assert (built / address).read_bytes() == draw(fence.source, scheme)
