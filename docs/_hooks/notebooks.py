"""Notebooks: percent `.py` files that are run at each build and shown in the site's own markup.

mkdocs-jupyter surrounds a notebook with more than half a megabyte of style and script. Here only
what the reader came for is kept: text, code, output, pictures.
"""

import base64
import html
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import jupytext
import nbformat
from bs4 import BeautifulSoup, Tag
from mkdocs.exceptions import PluginError

from _hooks.cache import CACHE, ROOT, package_fingerprint
from _hooks.figures import pixels
from _hooks.mathml import mathml

DATA = "data:image/svg+xml;base64,"
RELATIVE_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")
TEX = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?!\s)(?P<inline>.+?)(?<!\s)\$", re.DOTALL)

# Read by the kernel that runs a notebook: it draws in the site's style, without a word of that in
# the notebook, which must also run where the site is not.
KERNEL_SETTINGS = """
import os, sys
# matplotlib reads this when it loads, which is here, before the kernel itself sets it.
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
sys.path.insert(0, {docs!r})
from _hooks.style import SCHEMES, rc
sys.path.remove({docs!r})
c.InlineBackend.figure_formats = {{"svg"}}
c.InlineBackend.rc = rc(SCHEMES["light"])
c.InlineBackend.print_figure_kwargs = {{
    "bbox_inches": None, "metadata": {{"Date": None, "Creator": None}}}}
"""


def prepare_kernel() -> None:
    """Point the kernels of this build at our settings, not at those of whoever builds."""
    folder = CACHE / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    settings = KERNEL_SETTINGS.format(docs=str(ROOT / "docs"))
    (profile / "ipython_kernel_config.py").write_text(settings, "utf-8")
    os.environ["IPYTHONDIR"] = str(folder)


def cache_folder() -> str:
    """The plugin's cache knows the notebook alone; what it prints also depends on the package."""
    style = Path(__file__).with_name("style.py").read_bytes()
    key = sha256(f"{package_fingerprint()}{KERNEL_SETTINGS}".encode() + style).hexdigest()[:12]
    return str(CACHE / "notebooks" / key)


def read(path: Path) -> Any:
    """The notebook of a percent file; each cell's id comes from its content, so builds repeat."""
    notebook = jupytext.read(path)
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        seen[cell.source] = seen.get(cell.source, 0) + 1
        text = f"{cell.cell_type}\0{cell.source}\0{seen[cell.source]}"
        cell.id = sha256(text.encode()).hexdigest()[:8]
    return notebook


def downloadable(path: Path, address: str) -> bytes:
    """The `.ipynb` that a reader can take away; it needs nothing of this site.

    Args:
        path: The percent file.
        address: Where its page is published; links in the notebook are made whole with it.
    """
    notebook = read(path)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = RELATIVE_LINK.sub(
                lambda found: f"]({urljoin(address, found[1])})", cell.source
            )
    notebook.metadata.pop("jupytext", None)
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)
    return f"{text}\n".encode()


def page(content: str, path: Path, base: str, where: str) -> tuple[str, dict[str, bytes]]:
    """The notebook's page in the site's markup, and the pictures it drew by path."""
    alts = [cell.metadata.get("alt") for cell in read(path).cells if cell.cell_type == "code"]
    soup = BeautifulSoup(content, "html.parser")
    cells = [cell for cell in soup.select(".jp-Cell") if not cell.select(".jp-Cell")]
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    code_cells = iter(alts)
    for cell in cells:
        text = cell.select_one(".jp-RenderedMarkdown")
        if text:
            parts.append(_text(text, where))
            continue
        alt = next(code_cells)
        parts.append(_code(cell))
        drew = False
        for output in cell.select(".jp-OutputArea-output"):
            svg = _svg(output)
            if svg is None:
                parts.append(_output(output, where))
                continue
            drew = True
            markup, picture = _picture(svg, alt, base, where)
            pictures |= picture
            parts.append(markup)
        if alt and not drew:
            raise PluginError(f"{where}: a cell has alt text but drew nothing: {alt!r}")
    return "\n".join(parts), pictures


def _text(text: Tag, where: str) -> str:
    for link in text.select("a.anchor-link"):
        link["class"] = "headerlink"
        link["title"] = "Link to this section"
    if text.select_one("pre"):
        raise PluginError(f"{where}: a code block in a text cell runs nowhere; make it a code cell")
    for words in text.find_all(string=TEX):
        if words.find_parent("code"):
            continue
        typeset = TEX.sub(
            lambda found: mathml(
                found["block"] or found["inline"], block=bool(found["block"]), where=where
            ),
            html.escape(words, quote=False),
        )
        words.replace_with(BeautifulSoup(typeset, "html.parser"))
    return text.decode_contents()


def _block(language: str, markup: str) -> str:
    return (
        f'<div class="language-{language} highlight"><pre><span></span>'
        f"<code>{markup}</code></pre></div>"
    )


def _code(cell: Tag) -> str:
    code = cell.select_one(".highlight-ipynb pre")
    assert code, "mkdocs-jupyter marks a cell's code with .highlight-ipynb"
    return _block("python", code.decode_contents().removeprefix("<span></span>"))


def _svg(output: Tag) -> bytes | None:
    """The picture in an output, which the plugin writes into the page as a data address."""
    image = output.select_one(f'img[src^="{DATA}"]')
    return base64.b64decode(str(image["src"]).removeprefix(DATA)) if image else None


def _output(output: Tag, where: str) -> str:
    kind = output.get("data-mime-type")
    if kind != "text/plain":
        raise PluginError(f"{where}: a cell gave {kind}; the page shows text and SVG pictures only")
    return _block("text", html.escape(output.get_text().strip("\n"), quote=False) + "\n")


def _picture(source: bytes, alt: str | None, base: str, where: str) -> tuple[str, dict[str, bytes]]:
    if not alt:
        raise PluginError(f'{where}: a cell draws without alt text; write `# %% alt="…"` above it')
    width, height = pixels(source)
    path = f"assets/notebooks/{sha256(source).hexdigest()[:12]}.svg"
    return (
        f'<figure class="plot"><img src="{base}{path}" alt="{html.escape(alt, quote=True)}"'
        f' width="{width}" height="{height}" loading="lazy"></figure>',
        {path: source},
    )


def links(name: str, repo_url: str | None) -> str:
    """Under the title: take the notebook away, or open it elsewhere."""
    items = [f'<a href="{name}.ipynb" download>Download this page as a notebook (.ipynb)</a>']
    repository = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)/?", repo_url or "")
    if repository:
        address = (
            f"https://colab.research.google.com/github/{repository[1]}/blob/gh-pages/"
            f"examples/{name}/{name}.ipynb"
        )
        items.append(f'<a href="{address}">Open it in Colab</a>')
    return f'<p class="takeaway">{" · ".join(items)}</p>'


def all_of(docs: Path) -> Iterator[Path]:
    yield from sorted((docs / "examples").glob("*.py"))
