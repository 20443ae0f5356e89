"""The build's own jobs: each does what it says, or stops the build with a clear word."""

import base64
import json
import re

import markdown
import pytest
from mkdocs.exceptions import PluginError
from pymdownx.superfences import SuperFencesException

from _hooks import (
    cache,
    diagrams,
    figures,
    lighten,
    mathml,
    metadata,
    notebooks,
    scripts,
    search,
    widgets,
)

# ---- formulas


def test_a_formula_becomes_mathml_and_keeps_its_source():
    out = mathml.typeset(r'<span class="arithmatex">\(\frac{p}{100}\)</span>', "page.md")

    assert out.startswith("<math")
    assert "<mfrac>" in out
    assert r"\frac{p}{100}" in out


def test_punctuation_behind_a_formula_stays_on_its_line():
    inline, block = (
        '<span class="arithmatex">\\(x\\)</span>',
        '<div class="arithmatex">\\[x\\]</div>',
    )
    out = mathml.typeset(f"{inline}, {inline} and {inline}). {block}.", "page.md")

    assert out.count('<span class="stuck"><math') == 2  # not the one in the middle, not the block
    assert "</math>,</span> " in out
    assert "</math>).</span> " in out


def test_a_bad_formula_stops_the_build_and_names_the_page():
    with pytest.raises(PluginError, match=r"lesson.md: bad formula.*nosuch"):
        mathml.mathml(r"\nosuch{x}", block=False, where="lesson.md")


def test_a_colour_in_a_formula_becomes_the_class_of_its_meaning():
    out = mathml.mathml(r"\textcolor{magenta}{q}", block=False, where="page.md")

    assert 'class="query"' in out
    assert "#" not in re.sub("&#.*?;", "", out)


def test_every_letter_of_a_formula_keeps_its_italic_form_in_the_font():
    assert mathml.glyphs("<math><mi>p</mi></math>") >= {"p", "\N{MATHEMATICAL ITALIC SMALL P}"}
    assert "\N{PLANCK CONSTANT}" in mathml.glyphs("<math><mi>h</mi></math>")
    assert "z" not in mathml.glyphs("<math><mi>p</mi><annotation>z</annotation></math>")


def test_a_root_needs_its_sign_although_no_text_holds_it():
    root = mathml.mathml(r"\sqrt{d}", block=False, where="page.md")

    assert "√" not in root
    assert "√" in mathml.glyphs(root)


def test_the_cut_font_holds_what_was_asked_for_and_little_else(tmp_path):
    from fontTools.ttLib import TTFont

    path = tmp_path / "font.woff2"
    asked_for = "p√(\N{MATHEMATICAL ITALIC SMALL P}"
    path.write_bytes(mathml.cut_font(asked_for))
    with TTFont(path) as font:
        held = set(font.getBestCmap())
        tables = set(font.keys())

    assert {ord(c) for c in asked_for} <= held
    assert len(held) < 12
    assert "MATH" in tables
    assert path.stat().st_size < len(mathml.FULL_FONT.read_bytes()) / 4


# ---- diagrams


def test_a_diagram_without_a_drawing_stops_the_build_with_the_command():
    fences = [{"name": "mermaid", "class": "diagram", "format": diagrams.fence}]
    page = "```mermaid\nflowchart LR\n  nobody --> drew\n```"
    superfences = {"pymdownx.superfences": {"custom_fences": fences}}

    with pytest.raises(SuperFencesException, match="make diagrams"):
        markdown.markdown(page, extensions=list(superfences), extension_configs=superfences)


def test_every_diagram_is_drawn_and_no_drawing_is_left_over():
    assert {path.stem for path in diagrams.FOLDER.glob("*.svg")} == set(diagrams.sources())


@pytest.mark.parametrize("path", sorted(diagrams.FOLDER.glob("*.svg")), ids=lambda p: p.stem)
def test_a_drawing_has_a_title_a_description_and_text_that_is_text(path):
    svg = path.read_text("utf-8")

    assert re.search(r"<title[^>]*>[^<]{5,}</title>", svg)
    assert re.search(r"<desc[^>]*>[^<]{20,}</desc>", svg)
    assert "aria-labelledby" in svg
    assert "foreignObject" not in svg
    assert "http" not in svg.replace("http://www.w3.org/", "")


# ---- inline scripts


def test_neighbouring_scripts_share_a_file_and_data_stays():
    data = '<script type="application/json">{}</script>'
    page = f"<script>a()</script>\n<script>b()</script><p></p>{data}"

    out, files = scripts.move_out(page, "../")

    assert list(files.values()) == ["a();\nb()\n"]
    assert out.count("<script src=") == 1
    assert "../assets/js/inline/" in out
    assert data in out


# ---- search


@pytest.mark.parametrize(
    "markup",
    [
        '<math display="block"></math>',
        "<svg viewBox='0 0 1 1'></svg>",
        '<pe-similarity-guess class="explorer"></pe-similarity-guess>',
        '<figure class="diagram"></figure>',
        '<details class="answer"></details>',
        '<div class="language-python highlight"></div>',
        '<details class="yes"></details>',
    ],
)
def test_search_leaves_it_out(markup):
    assert "data-search-exclude" in search.mark(markup)


def test_search_keeps_captions_and_notes():
    markup = '<pe-steps><ol><li><p>words</p></li></ol></pe-steps><details class="note"></details>'

    assert search.mark(markup) == markup


def entry_of_a_trimmed_index(folder, location, text):
    path = folder / "search_index.json"
    path.write_text(json.dumps({"docs": [{"location": location, "title": "t", "text": text}]}))
    search.trim(path)
    [entry] = json.loads(path.read_text())["docs"]
    return entry


@pytest.mark.parametrize(
    "location",
    [
        *("reference/m/#f", "lessons/l/#worked", "lessons/l/#ex-one", "claims/#claim-01"),
        *("practice/clinic/bug/#apart", "practice/clinic/#find", "practice/cases/#all"),
    ],
)
def test_search_keeps_a_title_and_its_first_paragraph(location, tmp_path):
    body = "<pre><code>f(x)</code></pre> <p>What it gives.</p> <p>More.</p>"
    entry = entry_of_a_trimmed_index(tmp_path, location, body)

    assert (entry["title"], entry["text"]) == ("t", "<p>What it gives.</p>")


@pytest.mark.parametrize(
    "location",
    ["lessons/l/#how", "lessons/l/#a", "claims/#top", "mistakes/", "practice/clinic/bug/#top"],
)
def test_search_keeps_the_text_that_teaches(location, tmp_path):
    body = "<p>What it gives.</p> <ul><li>More.</li></ul>"

    assert entry_of_a_trimmed_index(tmp_path, location, body)["text"] == body


def test_search_keeps_the_beginning_of_a_long_section(tmp_path):
    one, two = f"<p>{'a' * 500}</p>", f"<ul><li>{'b' * 200}</li><li>{'c' * 200}</li></ul>"
    entry = entry_of_a_trimmed_index(tmp_path, "lessons/l/#how", one + two)

    assert entry["text"] == one + f"<li>{'b' * 200}</li>"


@pytest.mark.parametrize(("location", "boost"), [("practice/clinic/bug/", 2), ("mistakes/", None)])
def test_search_shows_bugs_before_pages_that_mention_them(location, boost, tmp_path):
    assert entry_of_a_trimmed_index(tmp_path, location, "<p>x</p>").get("boost") == boost


def test_search_keeps_the_work_and_leaves_out_the_notes_on_it(tmp_path):
    body = "<p>Su 2021. RoFormer, arXiv:2104.09864. Where section 3. Taken RoPE. Read it all.</p>"
    entry = entry_of_a_trimmed_index(tmp_path, "sources/#su-2021", body)

    assert entry["text"] == "<p>Su 2021. RoFormer, arXiv:2104.09864.</p>"


# ---- steppers


def test_a_stepper_whose_captions_do_not_fit_stops_the_build():
    page = '<figure class="steps" data-scene="word-order"><ol><li>only one</li></ol></figure>'

    with pytest.raises(PluginError, match="word-order has 2 frames but 1 captions"):
        widgets.insert(page, "../", "page.md")


def test_a_stepper_holds_every_frame_before_any_script_runs():
    page = '<figure data-scene="word-order"><ol><li>one</li><li>two</li></ol></figure>'

    out = widgets.insert(page, "../", "page.md")

    assert out.count("<svg") == 2
    assert out.index("<svg") < out.index("<p>one</p>") < out.index("<p>two</p>")


def test_a_page_asks_only_for_the_scripts_of_what_it_holds():
    assert widgets.scripts("<pe-steps></pe-steps>") == ["assets/js/steps.js"]
    assert widgets.scripts("<p></p>") == []


# ---- figures


def test_an_image_line_becomes_a_light_and_a_dark_twin_with_the_same_words():
    svg = b'<svg xmlns="x" width="360pt" height="180pt">'
    files = {"assets/figures/curve-light.svg": svg}

    out = figures.twins("![what it shows](../assets/figures/curve.svg)", files)

    assert out.count("![what it shows]") == 2
    assert "curve-light.svg#only-light" in out
    assert "curve-dark.svg#only-dark" in out
    assert "width=480 height=240" in out


def test_an_image_line_without_words_stops_the_build():
    with pytest.raises(ValueError, match="the figure curve has no alt text"):
        figures.twins("![](../assets/figures/curve.svg)", {})


def test_an_image_line_of_a_figure_that_nobody_wrote_stops_the_build():
    with pytest.raises(ValueError, match=r"docs/_figures/no_such\.py"):
        figures.twins("![x](../assets/figures/no-such.svg)", {})


def test_json_refuses_what_browsers_cannot_read():
    with pytest.raises(ValueError, match="not JSON compliant"):
        figures.to_json({"x": float("nan")})


# ---- lightening


def test_code_keeps_the_marks_that_show_and_loses_the_rest():
    code = '<span class="k">for</span> <span class="n">x</span> <span class="ow">in</span>'

    assert lighten.plain_code(code) == '<span class="k">for</span> x <span class="ow">in</span>'


def test_each_part_of_a_lesson_is_boxed_below_its_heading():
    page = '<h1>T</h1><p>lead</p><h2 id="a">A</h2><p>x</p><h3>B</h3><h2 id="c">C</h2><p>y</p>'

    assert lighten.parts(page) == (
        '<h1>T</h1><p>lead</p><h2 id="a">A</h2><div class="part"><p>x</p><h3>B</h3></div>'
        '<h2 id="c">C</h2><div class="part"><p>y</p></div>'
    )


@pytest.mark.parametrize("kind", ["exercise", "admonition quiz"])
def test_exercises_and_quizzes_are_left_unboxed(kind):
    page = f'<h2 id="a">A</h2><div class="{kind}"><p>x</p></div>'

    assert lighten.parts(page) == page


@pytest.mark.parametrize("tag", ["div", "details", "ul"])
def test_a_part_that_would_cut_an_element_in_two_stops_the_build(tag):
    with pytest.raises(ValueError, match=f"must not stand inside a {tag}"):
        lighten.parts(f"<{tag}><h2>A</h2><p>x</p></{tag}><h2>B</h2>")


def test_a_page_without_headings_stays_as_it_is():
    assert lighten.parts("<p>x</p>") == "<p>x</p>"


# ---- cache


def test_the_cache_makes_a_thing_once_for_each_key(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    made = []

    def make():
        made.append(1)
        return b"content"

    assert cache.cached("a", make) == cache.cached("a", make) == b"content"
    assert cache.cached("b", make) == b"content"
    assert len(made) == 2


def test_a_changed_line_changes_the_fingerprint(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("x = 1")
    before = cache.fingerprint([path])
    path.write_text("x = 2")

    assert cache.fingerprint([path]) != before


# ---- metadata


def test_a_lesson_without_its_facts_stops_the_build():
    with pytest.raises(PluginError, match=r"page.md: a lesson's front matter lacks .*minutes"):
        metadata.check({"title": "x", "kind": "table"}, "page.md")


def test_json_ld_cannot_close_its_own_script():
    meta = {"title": "</script><b>", "description": "", "level": "", "minutes": 1}
    out = metadata.json_ld(meta | {"teaches": [], "needs": {}}, "", "", "", "1")

    assert out.count("</script>") == 1
    assert json.loads(out[out.index("{") : -len("</script>")])["name"] == "</script><b>"


# ---- notebooks


def percent(cell, option=""):
    return f"# %% [markdown]\n# # Title\n\n# %%{option}\n{cell}\n"


def rendered(output):
    """What mkdocs-jupyter writes for one code cell with one output, cut to what matters."""
    return (
        '<div class="jp-Cell"><div class="jp-RenderedMarkdown"><h1 id="t">Title</h1></div></div>'
        '<div class="jp-Cell"><div class="highlight-ipynb"><pre><span></span>x</pre></div>'
        f"{output}</div>"
    )


SVG = b'<svg width="72pt" height="36pt" viewBox="0 0 72 36"></svg>'
PICTURE = (
    '<div class="jp-OutputArea-output" data-mime-type="image/svg+xml">'
    f'<img src="data:image/svg+xml;base64,{base64.b64encode(SVG).decode()}"></div>'
)


def test_a_cell_that_draws_without_alt_text_stops_the_build(tmp_path):
    path = tmp_path / "n.py"
    path.write_text(percent("x"))

    with pytest.raises(PluginError, match=r"n.py: a cell draws without alt text"):
        notebooks.page(rendered(PICTURE), path, "../", "n.py")


def test_alt_text_without_a_drawing_stops_the_build(tmp_path):
    path = tmp_path / "n.py"
    path.write_text(percent("x", ' alt="A line"'))

    with pytest.raises(PluginError, match="has alt text but drew nothing"):
        notebooks.page(rendered(""), path, "../", "n.py")


def test_a_drawing_becomes_a_file_of_its_own_with_its_words(tmp_path):
    path = tmp_path / "n.py"
    path.write_text(percent("x", ' alt="A line"'))

    out, pictures = notebooks.page(rendered(PICTURE), path, "../", "n.py")

    assert 'alt="A line"' in out
    assert 'width="96" height="48"' in out
    assert list(pictures.values()) == [SVG]


@pytest.mark.parametrize("kind", ["application/vnd.jupyter.stderr", "text/html"])
def test_a_warning_or_a_widget_in_a_notebook_stops_the_build(tmp_path, kind):
    path = tmp_path / "n.py"
    path.write_text(percent("x"))
    output = f'<div class="jp-OutputArea-output" data-mime-type="{kind}">UserWarning</div>'

    with pytest.raises(PluginError, match=f"a cell gave {kind}"):
        notebooks.page(rendered(output), path, "../", "n.py")


def test_dollars_in_code_are_no_formula(tmp_path):
    path = tmp_path / "n.py"
    path.write_text(percent("x"))
    text = "<p><code>$HOME</code> and <code>$PATH</code>, but $p_1 < 2$</p>"
    page = rendered("").replace("</h1>", f"</h1>{text}")

    out, _ = notebooks.page(page.replace("< 2", "&lt; 2"), path, "../", "n.py")

    assert "<code>$HOME</code> and <code>$PATH</code>" in out
    assert out.count("<math") == 1


def test_a_code_block_in_a_text_cell_stops_the_build(tmp_path):
    path = tmp_path / "n.py"
    path.write_text(percent("x"))
    page = rendered("").replace("</h1>", "</h1><pre><code>1 / 0</code></pre>")

    with pytest.raises(PluginError, match="runs nowhere"):
        notebooks.page(page, path, "../", "n.py")


def test_links_of_a_notebook_that_was_taken_away_still_lead_to_the_site(tmp_path):
    path = tmp_path / "n.py"
    path.write_text("# %% [markdown]\n# [a](../../lessons/a/) [b](https://x.org/b) [c](#c)\n")

    [cell] = json.loads(notebooks.downloadable(path, "https://s.org/examples/n/"))["cells"]

    text = "".join(cell["source"])
    assert text == "[a](https://s.org/lessons/a/) [b](https://x.org/b) [c](#c)"


def test_a_notebook_has_the_same_ids_each_time_it_is_read(tmp_path):
    path = tmp_path / "n.py"
    path.write_text(percent("x") + percent("x"))
    first, second = ([cell.id for cell in notebooks.read(path).cells] for _ in range(2))

    assert first == second
    assert len(set(first)) == 4


def test_only_a_github_address_gives_a_colab_link():
    assert "colab" in notebooks.links("n", "https://github.com/a/b/")
    assert "colab" not in notebooks.links("n", "https://gitlab.example/a/b")
    assert "colab" not in notebooks.links("n", None)
