"""The first state of an explorer that looks up, as markup; see `_lookup.py`."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from _figures._controls import choices, pairs, slider
from _hooks.draw import number


class View:
    """The first state of what a `Lookup` collected.

    Args:
        data: As `Lookup.data` gives it.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._axes, self._start, self._shown = data["axes"], data["start"], data["shown"]
        self._at = {name: self._place(name) for name in self._start}
        for name, total in data["sums"].items():
            self._at[name] = self._at[total["plus"]] - self._at[total["minus"]] + total["add"]

    def _place(self, name: str) -> int:
        values, start = self._axes[name], self._start[name]
        return int(start) if isinstance(values, int) else list(values).index(start)

    def _thing(self, name: str, *kinds: str) -> dict[str, Any]:
        """What the data say of a thing, which must be of one of these kinds."""
        if name not in self._shown:
            raise ValueError(f"name must be one of {sorted(self._shown)}, got {name!r}")
        thing: dict[str, Any] = self._shown[name]
        if kinds and thing["as"] not in kinds:
            raise ValueError(f"{name} must be shown as {' or '.join(kinds)}, got {thing['as']!r}")
        return thing

    def value(self, name: str) -> Any:
        """What a thing shows now, as it stands in the data."""
        thing = self._thing(name)
        value = thing["values"]
        for axis in thing["by"]:
            value = value[self._at[axis]]
        return value

    def _words(self, name: str) -> str:
        thing, value = self._thing(name, "text", "number", "cell"), self.value(name)
        if value is None:
            return ""
        return escape(value if thing["as"] == "text" else number(value, thing["digits"]))

    def element(self, tag: str, name: str, inner: str = "", **attributes: object) -> str:
        """A thing that says its words; or that is shown or marked, around `inner`.

        Args:
            tag: Of HTML or SVG.
            name: Of the thing.
            inner: Markup.
            attributes: Of the tag; `class_` for its class.
        """
        kind = self._thing(name, "text", "number", "cell", "show", "mark")["as"]
        value, state = self.value(name), ""
        if kind == "cell":
            shade = (value or 0) / self._shown[name]["bound"]
            state = f' style="--v:{max(-1.0, min(1.0, shade)):g}"'
        elif kind == "show" and not value:
            state = " data-off"
        elif kind == "mark" and value:
            state = " data-chosen"
        rest = "".join(f' {key.rstrip("_")}="{words}"' for key, words in attributes.items())
        words = inner if kind in ("show", "mark") else self._words(name)
        return f'<{tag} data-k="{name}"{rest}{state}>{words}</{tag}>'

    def blank(self, name: str) -> str:
        """A place in a sentence, for text or a number, also the number of a cell."""
        return self.element("b", name)

    def sentence(self, name: str) -> str:
        """Words that change as a whole, so they are not set in bold."""
        return self.element("span", name)

    def only(self, name: str, words: str) -> str:
        """A part of a sentence that stands there in some states only (words may be markup)."""
        return self.element("span", name, words)

    def text(self, name: str, x: float, y: float, classes: str) -> str:
        """Words in a drawing."""
        return self.element("text", name, x=f"{x:g}", y=f"{y:g}", class_=classes)

    def cell(self, name: str, **pick: int | str) -> str:
        """A cell of a table.

        With `pick` (query=3, key=2) the pointer chooses that state by the cell, and the cell is
        marked while that is the state.
        """
        self._thing(name, "cell")
        if wrong := sorted(pick.keys() - self._start):
            raise ValueError(f"pick must name some of {list(self._start)}, got {wrong}")
        attributes = {"data-pick": pairs(pick)} if pick else {}
        if pick and pick.items() <= self._start.items():
            attributes["data-chosen"] = ""
        return self.element("td", name, class_="v", **attributes)

    def cells(self, name: str, count: int) -> str:
        """The first cells of a list, side by side."""
        return "".join(self.cell(f"{name}-{j}") for j in range(count))

    def group(self, name: str, inner: str) -> str:
        """A part of a drawing that moves, turns, stretches, or comes and goes."""
        how = self._thing(name, "show", "turn", "move", "scale")["as"]
        if how == "show":
            return self.element("g", name, inner)
        value = self.value(name)
        place = {
            "turn": lambda: f"rotate({-value:g}deg)",
            "move": lambda: f"translate({value[0]:g}px,{value[1]:g}px)",
            "scale": lambda: f"scale({value[0]:g},{value[1]:g})",
        }[how]()
        return f'<g data-k="{name}" style="transform:{place}">{inner}</g>'

    def line(self, name: str, classes: str) -> str:
        """A path whose line changes."""
        self._thing(name, "path")
        return f'<path data-k="{name}" class="{classes}" d="{self.value(name)}"/>'

    def slider(self, name: str, label: str, what: str = "") -> str:
        size = self._axes[name]
        if not isinstance(size, int):
            raise ValueError(f"slider must be a count, got the choices {size} of {name!r}")
        return slider(name, label, self._start[name], size - 1, what=what)

    def choices(self, name: str, legend: str, words: Sequence[str] = ()) -> str:
        """Radio buttons; `words` say each choice where its name would not do."""
        names = self._axes[name]
        if isinstance(names, int):
            raise ValueError(f"choices must be names, got the slider {name!r}")
        if words and len(words) != len(names):
            raise ValueError(f"words must say each of {names}, got {list(words)}")
        return choices(name, legend, zip(names, words or names, strict=True), self._start[name])
