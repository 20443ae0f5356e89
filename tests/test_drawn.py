"""The line below a block that draws becomes a figure of its own picture, light and dark."""

import re

import pytest

from _hooks import drawn
from _hooks.drawn import insert

CODE = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n"
PAGE = f"```python\n{CODE}```\n\n![Up it goes](drawn)\n\nAfter.\n"
SVG = b'<?xml version="1.0"?>\n<svg width="360pt" height="216pt" viewBox="0 0 360 216"></svg>'


def kept(markdown, where="x.md"):
    """Insert pictures without drawing any; return page, pictures and cache keys."""
    keys = []
    page, pictures = insert(markdown, where, lambda key, make: keys.append(key) or SVG)
    return page, pictures, keys


def test_each_scheme_has_an_image_of_the_same_text_and_size():
    page, pictures, _ = kept(PAGE)
    images = re.findall(r"!\[(.*)\]\((.*)#only-(.*)\)\{ (.*) \}", page)

    assert [(alt, only, rest) for alt, _, only, rest in images] == [
        ("Up it goes", "light", "loading=lazy width=480 height=288"),
        ("Up it goes", "dark", "loading=lazy width=480 height=288"),
    ]
    assert sorted(pictures) == sorted(address for _, address, _, _ in images)


def test_the_rest_of_the_page_stays():
    page, _, _ = kept(PAGE)

    assert page.startswith(f"```python\n{CODE}```\n\n/// html | figure.drawn\n")
    assert page.endswith("///\n\nAfter.\n")


@pytest.mark.parametrize(
    ("where", "base"), [("x.md", ""), ("a/x.md", "../"), ("a/b/x.md", "../../")]
)
def test_addresses_start_from_the_source(where, base):
    page, _, _ = kept(PAGE, where)

    assert re.findall(r"\]\((.*)assets/drawn/[0-9a-f]{12}-", page) == [base, base]


@pytest.mark.parametrize("prefix", ["    ", "        ", "> "])
def test_the_figure_stands_where_its_block_stands(prefix):
    page, _, _ = kept("".join(prefix + line for line in PAGE.splitlines(keepends=True)))

    assert all(line.startswith(prefix.rstrip(" ")) for line in page.splitlines())
    assert f"\n{prefix}![Up it goes](assets/drawn/" in page
    assert f"\n{prefix}///\n" in page


def test_a_picture_is_kept_under_all_that_it_depends_on():
    _, _, keys = kept(PAGE)
    _, _, other = kept(PAGE.replace("[1, 2]", "[1, 3]"))

    assert len({*keys, *other}) == 4
    assert kept(PAGE)[2] == keys


def test_another_font_is_another_picture(tmp_path, monkeypatch):
    fonts = sorted(drawn.FONTS.glob("*.ttf"))
    assert fonts
    monkeypatch.setattr(drawn, "FONTS", tmp_path)
    (tmp_path / fonts[0].name).write_bytes(fonts[0].read_bytes())
    _, _, keys = kept(PAGE)

    (tmp_path / fonts[0].name).write_bytes(b"another")
    assert not set(kept(PAGE)[2]) & set(keys)


def test_a_picture_without_a_text_fails_the_build():
    with pytest.raises(ValueError, match=r"^a/x.md: line 6: !\[\]\(drawn\) needs a text for"):
        kept(PAGE.replace("Up it goes", " "), "a/x.md")


def test_two_drawings_of_a_page_keep_their_order():
    page, pictures, _ = kept(PAGE + PAGE.replace("[1, 2]", "[1, 3]").replace("Up", "Down"))

    without = re.sub(r"///.*?\n///\n", "FIGURE\n", page, flags=re.DOTALL)

    first = PAGE.replace("![Up it goes](drawn)", "FIGURE")
    assert without == first + first.replace("[1, 2]", "[1, 3]")
    assert page.index("Up it goes") < page.index("Down it goes")
    assert len(pictures) == 4


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import matplotlib.pyplot\n1 / 0\n", "ZeroDivisionError"),
        ("x = 1\n", "it must leave one figure open, not 0"),
        (
            "import matplotlib.pyplot as plt\nplt.figure()\nplt.figure()\n",
            "it must leave one figure open, not 2",
        ),
    ],
)
def test_a_snippet_that_does_not_draw_fails_the_build_and_names_its_page(code, said):
    with pytest.raises(ValueError, match=said) as error:
        insert(PAGE.replace(CODE, code), "a/x.md", lambda key, make: make())

    assert str(error.value).startswith("a/x.md: the drawing 'Up it goes': ")


def test_a_picture_wears_the_colours_of_its_scheme():
    """Values use the site's one scale unless the snippet names another."""
    from _hooks.style import SCHEMES

    code = "import matplotlib.pyplot as plt\nplt.plot([0, 1])\nplt.pcolormesh([[-1, 1]])\n"
    _, pictures = insert(PAGE.replace(CODE, code), "x.md", lambda key, make: make())

    for path, picture in pictures.items():
        colors = SCHEMES["light" if "light" in path else "dark"]
        for color in ("ink", "ink-2", "lo", "hi"):
            assert colors[color].encode() in picture
