"""Drawings for steppers and explorers: SVG text made from plain numbers.

Nothing here knows a colour. Classes name the meaning of a thing (`token`, `position`, `sum`), and
`site.css` gives each its colour in light and dark.

A scene is as wide as a small phone, so its text is 14 px there and larger elsewhere.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import cos, degrees, pi, sin
from typing import Self

WIDTH = 360


def number(value: float, digits: int = 3) -> str:
    """Text of a number with a true minus sign, and never a negative zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def numbers(values: Iterable[float], digits: int = 3) -> str:
    """Numbers in a sentence."""
    return ", ".join(number(value, digits) for value in values)


def listed(words: Sequence[str]) -> str:
    """Two words or more in a sentence: "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}"


def svg(alt: str, height: float, inner: str, classes: str = "") -> str:
    """A whole drawing."""
    named = f'class="{classes}" ' if classes else ""
    box = f'viewBox="0 0 {WIDTH} {height:g}"'
    return f'<svg {named}{box} role="img" aria-label="{escape(alt, quote=True)}">{inner}</svg>'


def text(x: float, y: float, words: object, classes: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{classes}">{escape(str(words))}</text>'


def cell(x: float, value: float, classes: str, width: float, height: float, shown: str = "") -> str:
    """One value: its outline says what it is, its fill how much, on the scale from -1 to 1."""
    shade = max(-1.0, min(1.0, float(value)))
    box = (
        f'<rect class="v {classes}" style="--v:{shade:.3f}" x="{x:g}" '
        f'width="{width:g}" height="{height:g}" rx="{min(4, height / 6):.2g}"/>'
    )
    return box + (text(x + width / 2, height / 2 + 5, shown, "num") if shown else "")


def cells(
    values: Iterable[float],
    classes: str,
    *,
    pitch: float = 64,
    height: float = 34,
    digits: int = 3,
) -> str:
    """A row of values with their numbers, one every `pitch` units."""
    return "".join(
        cell(j * pitch, value, classes, pitch - 4, height, number(value, digits))
        for j, value in enumerate(values)
    )


def slots(count: int, *, x: float = 0, y: float = 0, pitch: float = 64, height: float = 34) -> str:
    """Empty places for a row of cells."""
    return "".join(
        f'<rect class="slot" x="{x + j * pitch:g}" y="{y:g}" width="{pitch - 4:g}" '
        f'height="{height:g}" rx="4"/>'
        for j in range(count)
    )


def card(word: str, classes: str = "token", *, width: float = 96, height: float = 32) -> str:
    """A word on a card."""
    box = f'<rect class="box {classes}" width="{width:g}" height="{height:g}" rx="6"/>'
    return box + text(width / 2, height / 2 + 5, word, "mid strong")


def hand(length: float, classes: str) -> str:
    """A clock hand from the origin to the right; `Frame.put(..., turn=)` turns it."""
    line = f'<path class="hand {classes}" d="M0 0H{length - 4:g}"/>'
    return line + f'<circle class="tip {classes}" cx="{length:g}" r="5"/>'


def face(radius: float) -> str:
    """The dial behind hands: a circle with a cross."""
    r = f"{radius:g}"
    return f'<circle class="faint" r="{r}"/><path class="faint" d="M-{r} 0H{r}M0 -{r}V{r}"/>'


def arc(angle: float, radius: float) -> str:
    """`d` of a part of a circle from the x axis on, anticlockwise, the short way round."""
    angle = (angle + pi) % (2 * pi) - pi
    end = f"{radius * cos(angle):.1f} {-radius * sin(angle):.1f}"
    return f"M{radius:g} 0A{radius:g} {radius:g} 0 0 {int(angle < 0)} {end}"


def near(radians: float) -> float:
    """Degrees of a turn, without most of the full turns of far positions (they would only blur)."""
    return degrees(radians) if radians < 50 else degrees(radians) % 360 + 360


class Frame:
    """One picture of a stepper.

    A thing that keeps its key from frame to frame glides to its new place, turn, fill and text.
    A new one fades in, or grows out of the thing named by `enter`. A missing one fades.
    """

    def __init__(self, alt: str, height: int) -> None:
        self.alt = alt
        self.height = height
        self.things: dict[str, str] = {}

    def put(
        self, key: str, x: float, y: float, inner: str, *, turn: float = 0, enter: str = ""
    ) -> Self:
        """Add a thing at (x, y), turned by `turn` degrees anticlockwise."""
        if key in self.things:
            raise ValueError(f"key must be new in its frame, got {key!r} twice")
        origin = f' data-enter="{enter}"' if enter else ""
        # A style, not an attribute: only CSS transforms glide in every browser.
        place = f"transform:translate({x:g}px,{y:g}px) rotate({-turn:g}deg)"
        self.things[key] = f'<g data-k="{key}"{origin} style="{place}">{inner}</g>'
        return self

    def svg(self) -> str:
        return svg(self.alt, self.height, "".join(self.things.values()))
