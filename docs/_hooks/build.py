"""The one file that MkDocs loads: it calls each job at its moment, in order.

What a job does stands in the module of its name, as plain functions that know little of MkDocs.
"""

import functools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS))  # for the imports below; MkDocs takes it back afterwards

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

import posenc_ref
from _hooks import (
    addresses,
    cache,
    clinic,
    course,
    decoder,
    diagrams,
    drawn,
    embeds,
    fences,
    figures,
    glossary,
    lighten,
    mathml,
    metadata,
    model_tables,
    models,
    notebooks,
    numbers,
    reference,
    scripts,
    search,
    vectors,
    widgets,
)

P = ParamSpec("P")
R = TypeVar("R")

# What one build passes from an early moment to a later one.
_figures: dict[str, bytes] = {}
_inline_scripts: dict[str, str] = {}
_formula_glyphs: set[str] = set()
_compared_with: dict[str, dict[str, str]] = {}
_used_on: list[tuple[str, str, set[str]]] = []
_explorers: list[embeds.Use] = []
_code_of_last_build = ""


def in_plain_words(event: Callable[P, R]) -> Callable[P, R]:
    """A mistake of the author stops the build with its message; a traceback is for our own."""

    @functools.wraps(event)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return event(*args, **kwargs)
        except ValueError as mistake:
            raise PluginError(str(mistake)) from mistake

    return run


def on_startup(**_: Any) -> None:
    sys.path.insert(0, str(DOCS))
    # Dates in the site come from the last commit, so that the same sources give the same bytes.
    os.environ.setdefault("SOURCE_DATE_EPOCH", date_of_last_commit() or "0")


def date_of_last_commit() -> str:
    """In seconds since 1970; empty where there is no git, or no repository."""
    ask = ["git", "log", "-1", "--format=%ct"]
    try:
        return subprocess.run(ask, cwd=DOCS, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    if not config.site_url:
        raise PluginError("SITE_URL is set but empty; give the address of the site, or unset it")
    notebooks.prepare_kernel()
    config.plugins["mkdocs-jupyter"].config["cache_dir"] = notebooks.cache_folder()
    config.mdx_configs["pymdownx.superfences"] = {
        "custom_fences": [{"name": "mermaid", "class": "diagram", "format": diagrams.fence}]
    }
    return config


def on_pre_build(config: MkDocsConfig) -> None:
    """While serving, what a figure is drawn by may have changed since the last build."""
    global _code_of_last_build
    code = cache.package_fingerprint() + figures.drawing_fingerprint()
    if _code_of_last_build not in ("", code):
        for name in list(sys.modules):
            if re.match(r"(posenc_ref|_figures|_hooks\.style|_hooks\.draw)\b", name):
                del sys.modules[name]
    _code_of_last_build = code


@in_plain_words
def on_files(files: Files, config: MkDocsConfig) -> Files:
    figures.data_of.cache_clear()
    _figures.clear()
    _figures.update(figures.published())
    _inline_scripts.clear()
    _formula_glyphs.clear()
    _compared_with.clear()
    _compared_with.update(reference.compared())
    _used_on[:] = reference.pages()
    _explorers.clear()
    course.lessons.cache_clear()
    clinic.bugs.cache_clear()
    glossary.terms.cache_clear()
    for rows in (models.configs, models.real_rows, models.type_rows):
        rows.cache_clear()
    made: dict[str, bytes] = _figures | models.files() | decoder.published()
    for path in notebooks.all_of(DOCS):
        address = f"examples/{path.stem}/"
        made[f"{address}{path.stem}.ipynb"] = notebooks.downloadable(
            path, f"{config.site_url}{address}"
        )
    made |= vectors.published()
    for old, new in addresses.redirects().items():
        made[f"{old}index.html"] = addresses.redirect_page(old, new).encode()
    add(files, config, made)
    return files


@in_plain_words
def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    where = page.file.src_uri
    if not where.endswith(".md"):
        return markdown
    if "kind" in page.meta:
        metadata.check(page.meta, where)
    markdown = vectors.listed(markdown)
    markdown = course.expand(clinic.expand(markdown, where), where)
    line = first_line(page, markdown)
    _explorers.extend(embeds.uses(markdown, page.url, str(page.meta.get("title"))))
    markdown = fences.expand(markdown, [DOCS.parent, DOCS])
    for refused in fences.find_refusals(markdown):
        raise ValueError(f"{where}:{refused.line + line - 1}: {refused.message}")
    markdown = numbers.check_numbers(markdown, where, line)
    markdown, pictures = drawn.insert(markdown, where, cache.cached)
    add(files, config, pictures)
    return figures.twins(markdown, _figures)


@in_plain_words
def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    where = page.file.src_uri
    base = root_of(page)
    if where.endswith(".py"):
        name = Path(where).stem
        html, pictures = notebooks.page(html, DOCS / where, base, where)
        add(files, config, pictures)
        html = html.replace("</h1>", "</h1>" + notebooks.links(name, config.repo_url), 1)
    if where.startswith("reference/"):
        html = reference.annotate(
            html, _compared_with, _used_on, lambda path: address(path, page, files)
        )
    html = widgets.insert(
        lighten.plain_code(html),
        base,
        where,
        lambda name, markup: embeds.line_to_copy(
            name, base, str(config.site_url), embeds.title_of(markup)
        ),
    )
    html = decoder.insert(html, base)
    html = mathml.typeset(html, where)
    _formula_glyphs.update(mathml.glyphs(html))
    if not where.startswith(("reference/", "glossary", "index")):
        html = glossary.link_first_uses(html, f"{base}glossary/")
    if "kind" in page.meta:
        html = lighten.parts(html)
        kicker, facts = metadata.lesson_head(page.meta, lambda path: address(path, page, files))
        html = re.sub(
            r"<h1.*?</h1>", lambda h1: kicker + h1[0] + facts, html, count=1, flags=re.DOTALL
        )
        html += metadata.citation(
            page.meta["title"], str(page.canonical_url), config.site_name, posenc_ref.__version__
        )
    return search.mark(model_tables.expand(html, where))


def on_env(env: Any, config: MkDocsConfig, files: Files) -> Any:
    glyphs = "".join(sorted(_formula_glyphs))
    key = (
        f"math font {cache.package_fingerprint()} {cache.fingerprint([mathml.FULL_FONT])} {glyphs}"
    )
    add(files, config, {mathml.FONT: cache.cached(key, lambda: mathml.cut_font(glyphs))})
    return env


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    base = root_of(page)
    stylesheet = '<link rel="stylesheet"'
    output = output.replace(stylesheet, preloads(output, base) + stylesheet, 1)
    head = "".join(
        f'<script src="{base}{path}" type="module"></script>' for path in widgets.scripts(output)
    )
    head += decoder.head(output, base)
    if "kind" in page.meta:
        head += metadata.json_ld(
            page.meta,
            str(page.canonical_url),
            config.site_name,
            str(config.site_url),
            posenc_ref.__version__,
        )
    return finish(output.replace("</head>", head + "</head>", 1), base)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    if template_name != "404.html":
        return output_content
    # A missing page can be at any depth, so this one page names the root in full.
    base = re.sub(r"^https?://[^/]+", "", str(config.site_url))
    help_on = (
        "<h1>404: no page here</h1><p>Nothing was ever published at this address, for what was "
        f'stays. <a href="{base}">Start from the home page</a>, or search above.</p>'
    )
    return finish(re.sub(r"<h1>404.*?</h1>", help_on, output_content), base)


def on_post_build(config: MkDocsConfig) -> None:
    search.trim(Path(config.site_dir) / "search" / "search_index.json")
    embeds.write(Path(config.site_dir), _explorers, config.site_name)
    for path, content in _inline_scripts.items():
        target = Path(config.site_dir) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, "utf-8")


UNNAMED_TOGGLE = re.compile(
    r'(<span class="md-ellipsis">\s*([^<]*?)\s*</span>\s*</a>\s*<label class="md-nav__link[^>]*)>'
)


def finish(output: str, base: str) -> str:
    """What every page of the theme needs: no inline script, and names that it leaves out.

    The search dialog has none, nor has the button that unfolds a section with a page of its own,
    from which the list below it takes its name.
    """
    output, moved = scripts.move_out(output, base)
    _inline_scripts.update(moved)
    output = UNNAMED_TOGGLE.sub(r'\1 aria-label="\2">', output)
    return output.replace(
        'data-md-component="search" role="dialog"',
        'data-md-component="search" role="dialog" aria-label="Search"',
    )


def preloads(output: str, base: str) -> str:
    """Fonts that a page shows at once; when they come late, its lines move."""
    names = ["text", "code", *(["math"] if "<math" in output else [])]
    return "".join(
        f'<link rel="preload" as="font" type="font/woff2" crossorigin'
        f' href="{base}assets/fonts/{name}.woff2">'
        for name in names
    )


def first_line(page: Page, markdown: str) -> int:
    """The line of the file on which the text after the front matter starts."""
    source = Path(page.file.abs_src_path or "").read_text("utf-8")
    return source.count("\n") - markdown.count("\n") + 1


def root_of(page: Page) -> str:
    """The site's root as seen from a page, with a slash at its end."""
    return "../" * page.url.count("/") or "./"


def address(path: str, page: Page, files: Files) -> str:
    """Where a source file, named from docs/, is published, as seen from a page."""
    name, _, fragment = path.partition("#")
    file = files.get_file_from_path(name)
    if file is None:
        raise PluginError(f"{page.file.src_uri}: needs names {name}, which is not a page")
    return get_relative_url(file.url, page.url) + (f"#{fragment}" if fragment else "")


def add(files: Files, config: MkDocsConfig, contents: dict[str, bytes]) -> None:
    """Publish files that exist nowhere but in this build."""
    for path, content in contents.items():
        known = files.get_file_from_path(path)
        if known is not None:
            files.remove(known)
        files.append(File.generated(config, path, content=content))
