"""TeX becomes MathML, so that formulas need no script, and a font of just their glyphs."""

import html
import io
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from math_core import LatexToMathML
from mkdocs.exceptions import PluginError

# A formula, and the punctuation right behind it, which does not begin a line without it.
ARITHMATEX = re.compile(
    r'<(span|div) class="arithmatex">\\[(\[](.*?)\\([)\]])</\1>([,.;:?!)]*)', re.DOTALL
)
FULL_FONT = Path(__file__).parent / "fonts" / "math.woff2"
FONT = "assets/fonts/math.woff2"

# \textcolor{magenta}{q} names a meaning. The converter writes a fixed colour for it; the page wants
# the class whose colour follows light and dark.
MEANINGS = {"blue": "token", "orange": "position", "magenta": "query", "green": "key"}

_converter = LatexToMathML(annotation=True)
_COLOR = re.compile(r'style="color:(#[0-9A-Fa-f]{6});"')


def _convert(tex: str, block: bool) -> str:
    return _converter.convert_with_local_state(tex, displaystyle=block)


def _class_of_color(tex_color: str) -> str:
    painted = _COLOR.search(_convert(rf"\textcolor{{{tex_color}}}{{x}}", block=False))
    assert painted, "math-core no longer writes colours as it did: see its changelog"
    return painted[1]


_CLASSES = {_class_of_color(tex_color): name for tex_color, name in MEANINGS.items()}


def mathml(tex: str, *, block: bool, where: str) -> str:
    """MathML of one formula; a formula that cannot be read fails the build."""
    try:
        markup = _convert(html.unescape(tex).strip(), block)
    except Exception as error:
        raise PluginError(f"{where}: bad formula {tex!r}: {error}") from error
    return _COLOR.sub(lambda found: f'class="{_CLASSES[found[1]]}"', markup)


def typeset(content: str, where: str) -> str:
    """Replace every formula that arithmatex marked in a page."""

    def one(found: re.Match[str]) -> str:
        block = found[1] == "div"
        formula = mathml(found[2], block=block, where=where)
        behind = found[4]
        if block or not behind:
            return formula + behind
        return f'<span class="stuck">{formula}{behind}</span>'

    return ARITHMATEX.sub(one, content)


def glyphs(content: str) -> set[str]:
    """The characters that the formulas of a page show."""
    used: set[str] = set()
    for formula in re.findall(r"<math.*?</math>", content, re.DOTALL):
        shown = re.sub(r"<annotation.*?</annotation>", "", formula, flags=re.DOTALL)
        used |= set(html.unescape(re.sub(r"<[^>]+>", "", shown)))
        if "<msqrt" in shown or "<mroot" in shown:
            used.add("√")  # the browser draws it of its own accord
    # A browser draws a lone letter of <mi> in mathematical italics, which are other code points.
    return used | {italic for letter in used for italic in _italics(letter)}


def _italics(letter: str) -> list[str]:
    if letter == "h":
        return ["\N{PLANCK CONSTANT}"]
    try:
        name = unicodedata.name(letter)
    except ValueError:
        return []
    kind = re.fullmatch(r"(?:LATIN|GREEK) (SMALL|CAPITAL) LETTER (\w+)", name)
    if not kind:
        return []
    try:
        return [unicodedata.lookup(f"MATHEMATICAL ITALIC {kind[1]} {kind[2]}")]
    except KeyError:
        return []


def cut_font(characters: Iterable[str]) -> bytes:
    """The math font with the given characters only, and what stretches them."""
    from fontTools import subset

    options = subset.Options(flavor="woff2", layout_features=["*"])
    buffer = io.BytesIO()
    with subset.load_font(FULL_FONT, options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text="".join(sorted(characters)))
        subsetter.subset(font)
        subset.save_font(font, buffer, options)
    return buffer.getvalue()
