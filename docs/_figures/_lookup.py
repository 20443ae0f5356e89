"""Explorers that only look up: data says what each named thing on the page shows in every state.

A state is one value of each control. `Lookup` collects, for every named thing, a table of what it
shows, indexed by the controls that matter to it. `View` writes the first state as markup, and
`assets/js/lookup.js` writes the others, so no explorer needs a script of its own.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Self

import numpy as np

from _figures._controls import choices, slider
from _hooks.draw import number

Axis = str | tuple[str, ...]


class Lookup:
    """What an explorer shows, as plain data.

    Args:
        controls: Each control's values: a count for a slider from 0, or the names of its choices.
        start: The first state: a number for a slider, a name for a choice.
    """

    def __init__(
        self, controls: Mapping[str, int | Sequence[str]], start: Mapping[str, int | str]
    ) -> None:
        # A form answers to these names itself, so a control of that name could not be reached.
        if reserved := {"length", "item", "namedItem", "elements", "name", "action"} & set(
            controls
        ):
            raise ValueError(f"controls must not be named {sorted(reserved)}")
        if set(controls) != set(start):
            raise ValueError(f"start must name each of {sorted(controls)}, got {sorted(start)}")
        self._axes: dict[str, int | list[str]] = {
            name: values if isinstance(values, int) else list(values)
            for name, values in controls.items()
        }
        self._start = dict(start)
        self._sums: dict[str, Any] = {}
        self._shown: dict[str, dict[str, Any]] = {}

    def difference(self, name: str, plus: str, minus: str) -> Self:
        """An axis of its own: one slider less another, from the lowest difference on."""
        last = self._size(minus) - 1
        self._sums[name] = {"plus": plus, "minus": minus, "add": last}
        self._axes[name] = self._size(plus) + last
        return self

    def text(self, name: str, by: Sequence[str], values: Any) -> Self:
        """Words."""
        return self._add(name, by, {"as": "text"}, values)

    def number(self, name: str, by: Sequence[str], values: Any, digits: int = 3) -> Self:
        """A number with fixed digits."""
        return self._add(name, by, {"as": "number", "digits": digits}, values)

    def cell(
        self, name: str, by: Sequence[str], values: Any, digits: int = 3, bound: float = 1
    ) -> Self:
        """A number in a cell, shaded on the scale from -bound to bound; None is an empty cell."""
        return self._add(name, by, {"as": "cell", "digits": digits, "bound": bound}, values)

    def turn(self, name: str, by: Sequence[str], values: Any) -> Self:
        """A drawing turned by degrees, anticlockwise."""
        return self._add(name, by, {"as": "turn"}, values)

    def move(self, name: str, by: Sequence[str], values: Any) -> Self:
        """A drawing moved to a place [x, y]."""
        return self._add(name, by, {"as": "move"}, values)

    def scale(self, name: str, by: Sequence[str], values: Any) -> Self:
        """A drawing stretched from its origin by [across, down]: bars."""
        return self._add(name, by, {"as": "scale"}, values)

    def path(self, name: str, by: Sequence[str], values: Any) -> Self:
        """The line of an SVG path, as its `d`."""
        return self._add(name, by, {"as": "path"}, values)

    def show(self, name: str, by: Sequence[str], values: Any) -> Self:
        """Whether a thing is there at all."""
        return self._add(name, by, {"as": "show"}, values)

    def mark(self, name: str, by: Sequence[str], values: Any) -> Self:
        """Whether a thing is the chosen one: it gets an outline in ink."""
        return self._add(name, by, {"as": "mark"}, values)

    def _add(self, name: str, by: Sequence[str], how: dict[str, Any], values: Any) -> Self:
        if name in self._shown:
            raise ValueError(f"name must be new, got {name!r} twice")
        table = values.tolist() if isinstance(values, np.ndarray) else values
        if "digits" in how:
            table = _rounded(table, how["digits"])
        _check(name, table, [self._size(axis) for axis in by])
        self._shown[name] = {**how, "by": list(by), "values": table}
        return self

    def _size(self, axis: str) -> int:
        values = self._axes[axis]
        return values if isinstance(values, int) else len(values)

    def data(self) -> dict[str, Any]:
        """For `data()` of the explorer."""
        return {
            "axes": self._axes,
            "sums": self._sums,
            "start": self._start,
            "shown": self._shown,
        }


def _rounded(table: Any, digits: int) -> Any:
    """To the digits shown, and only here: what is rounded twice may show another last digit."""
    if isinstance(table, (list, tuple, np.ndarray)):
        return [_rounded(part, digits) for part in table]
    return None if table is None else float(f"{table:.{digits}f}") + 0.0


def _check(name: str, table: Any, sizes: Sequence[int]) -> None:
    if not sizes:
        return
    if len(table) != sizes[0]:
        raise ValueError(f"{name}: values must have {sizes[0]} entries here, got {len(table)}")
    for part in table:
        _check(name, part, sizes[1:])


class View:
    """The first state of an explorer, as markup."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._at = {name: self._index(name) for name in data["start"]}
        for name, total in data["sums"].items():
            self._at[name] = self._at[total["plus"]] - self._at[total["minus"]] + total["add"]

    def _index(self, name: str) -> int:
        values, start = self._data["axes"][name], self._data["start"][name]
        return int(start) if isinstance(values, int) else list(values).index(start)

    def value(self, name: str) -> Any:
        """What a thing shows now, as it stands in the data."""
        shown = self._data["shown"][name]
        value = shown["values"]
        for axis in shown["by"]:
            value = value[self._at[axis]]
        return value

    def words(self, name: str) -> str:
        shown, value = self._data["shown"][name], self.value(name)
        if value is None:
            return ""
        return str(value) if shown["as"] == "text" else number(value, shown["digits"])

    def blank(self, name: str) -> str:
        """A place in a sentence, for text or a number."""
        return f'<b data-k="{name}">{escape(self.words(name))}</b>'

    def sentence(self, name: str) -> str:
        """Words that change as a whole, so they are not set in bold."""
        return f'<span data-k="{name}">{escape(self.words(name))}</span>'

    def cell(self, name: str, tag: str = "td", classes: str = "", pick: str = "") -> str:
        """A cell of a table. `pick` ("query=3 key=2") lets the pointer choose that state."""
        value, bound = self.value(name), self._data["shown"][name]["bound"]
        shade = 0 if value is None else max(-1.0, min(1.0, value / bound))
        picks = f' data-pick="{pick}"' if pick else ""
        return (
            f'<{tag} class="v {classes}" data-k="{name}"{picks} style="--v:{shade:g}">'
            f"{self.words(name)}</{tag}>"
        )

    def group(self, name: str, inner: str) -> str:
        """A part of a drawing that moves, turns, stretches, or comes and goes."""
        how, value = self._data["shown"][name]["as"], self.value(name)
        if how == "show":
            return f'<g data-k="{name}"{"" if value else " data-off"}>{inner}</g>'
        place = {
            "turn": lambda: f"rotate({-value:g}deg)",
            "move": lambda: f"translate({value[0]:g}px,{value[1]:g}px)",
            "scale": lambda: f"scale({value[0]:g},{value[1]:g})",
        }[how]()
        return f'<g data-k="{name}" style="transform:{place}">{inner}</g>'

    def line(self, name: str, classes: str) -> str:
        """A path whose line changes."""
        return f'<path data-k="{name}" class="{classes}" d="{self.value(name)}"/>'

    def only(self, name: str, words: str) -> str:
        """A part of a sentence that stands there in some states only (words may be markup)."""
        return f'<span data-k="{name}"{"" if self.value(name) else " data-off"}>{words}</span>'

    def slider(self, name: str, label: str, what: str = "") -> str:
        last = self._data["axes"][name] - 1
        return slider(name, label, self._data["start"][name], last, what=what)

    def choices(self, name: str, legend: str, words: Sequence[str] = ()) -> str:
        """Radio buttons; `words` say each choice where its name would not do."""
        names = self._data["axes"][name]
        return choices(
            name, legend, list(zip(names, words or names, strict=True)), self._data["start"][name]
        )


def step_together(words: str, moves: Mapping[str, int]) -> str:
    """A button that moves several sliders at once; at an end none of them moves."""
    all_moves = " ".join(f"{name}={by}" for name, by in moves.items())
    return f'<button type="button" data-move="{all_moves}">{escape(words)}</button>'


def gate(question: str, answers: Sequence[str]) -> str:
    """A guess that comes first: until one answer is chosen, the explorer is not shown.

    The guess is said again beside what it was about.
    """
    control = choices("guess", question, [(str(k), words) for k, words in enumerate(answers)], "")
    control = control.replace('type="radio"', 'type="radio" required', 1)
    return (
        f'<div class="controls gate">{control}'
        '<div class="bar"><button type="button" data-commit>That is my guess</button></div></div>'
    )


def explorer(
    src: str,
    *,
    head: str,
    controls: str,
    says: str,
    picture: str = "",
    table: tuple[str, str] | None = None,
    guess: str = "",
    lines: tuple[int, int] = (4, 3),
) -> str:
    """The whole of an explorer, in the order in which all of them are read.

    Args:
        src: Address of its data, as `widget` gets it.
        head: Its title, a few words.
        controls: Sliders, choices and buttons.
        says: The finding in one or two sentences, with blanks.
        picture: A drawing or a table of cells.
        table: Summary and HTML of the same numbers as a table, folded.
        guess: From `gate`.
        lines: Height of `says` in lines, on a phone and on a wide page.
    """
    folded = (
        f'<details class="gated"><summary>{table[0]}</summary>{table[1]}</details>' if table else ""
    )
    gated = " data-gated" if guess else ""
    said = '<span class="guessed">You said: <b data-say="guess"></b>. </span>' if guess else ""
    narrow, wide = lines
    return f"""<pe-lookup class="explorer"{gated} data-src="{src}">
<form autocomplete="off">
<div class="head">{head}</div>
{guess}
<div class="controls gated">
{controls}
</div>
<div class="picture gated">{picture}</div>
<p class="says gated" role="status" style="--narrow:{narrow};--wide:{wide}">{said}{says}</p>
{folded}
</form>
</pe-lookup>"""
