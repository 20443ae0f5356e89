"""Explorers that only look up: data says what each named thing on the page shows in every state.

A state is one value of each control. `Lookup` collects, for every named thing, a table of what it
shows, indexed by the controls that matter to it. `_view.py` writes the first state as markup, and
`assets/js/lookup.js` writes the others, so no explorer needs a script of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from _figures._kinds import DIGITS, check, plain, rounded

# A form answers to these names itself, so a control of that name could not be reached.
RESERVED = {"length", "item", "namedItem", "elements", "name", "action"}


class Lookup:
    """What an explorer shows, as plain data.

    Each method but `difference` and `data` adds one thing, by what it does with its values:

    - `name`: of the thing. The page may show it in several places, so nothing is added twice.
    - `by`: the controls that matter to it.
    - `values`: lists in lists, as deep as `by`; or a function, called with a value of each control
      in `by`: the number of a slider, or a choice as it was given.

    Numbers are rounded here, once, to the digits shown: what comes in rounded may show another
    last digit.

    Args:
        controls: Each control's values: a count for a slider from 0, or its choices.
        start: The first state: a number for a slider, the name of a choice.
    """

    def __init__(
        self, controls: Mapping[str, int | Iterable[object]], start: Mapping[str, int | str]
    ) -> None:
        if reserved := RESERVED & set(controls):
            raise ValueError(f"controls must not be named {sorted(reserved)}")
        if set(controls) != set(start):
            raise ValueError(f"start must name each of {sorted(controls)}, got {sorted(start)}")
        self._values: dict[str, Sequence[Any]] = {
            name: range(values) if isinstance(values, int) else list(values)
            for name, values in controls.items()
        }
        self._axes: dict[str, int | list[str]] = {
            name: len(values) if isinstance(values, range) else [str(value) for value in values]
            for name, values in self._values.items()
        }
        for name, value in start.items():
            _check_start(name, self._axes[name], value)
        self._start = dict(start)
        self._sums: dict[str, dict[str, Any]] = {}
        self._shown: dict[str, dict[str, Any]] = {}

    def difference(self, name: str, plus: str, minus: str) -> Self:
        """An axis of its own: one control less another, from the lowest difference on.

        A slider counts by its number, a choice by its place in the list of choices.
        """
        if name in self._values:
            raise ValueError(f"name must be new, got {name!r}, which is an axis already")
        for argument, control in (("plus", plus), ("minus", minus)):
            if control not in self._start:
                raise ValueError(f"{argument} must be one of {list(self._start)}, got {control!r}")
        last = len(self._values[minus]) - 1
        self._values[name] = range(-last, len(self._values[plus]))
        self._axes[name] = len(self._values[name])
        self._sums[name] = {"plus": plus, "minus": minus, "add": last}
        return self

    def text(self, name: str, by: Sequence[str], values: Any) -> Self:
        """Words."""
        return self._add(name, by, {"as": "text"}, values)

    def echo(self, name: str, axis: str, add: int = 0) -> Self:
        """The control itself, in words: the name of a choice, or a slider's number and `add`."""
        axes = self._axes.get(axis)
        names = axes if isinstance(axes, list) else lambda number: str(number + add)
        return self.text(name, (axis,), names)

    def number(self, name: str, by: Sequence[str], values: Any, digits: int = 3) -> Self:
        """A number with fixed digits."""
        return self._add(name, by, {"as": "number", "digits": digits}, values)

    def cell(
        self, name: str, by: Sequence[str], values: Any, digits: int = 3, bound: float = 1
    ) -> Self:
        """A number in a cell, shaded on the scale from -bound to bound; None is an empty cell."""
        return self._add(name, by, {"as": "cell", "digits": digits, "bound": bound}, values)

    def cells(
        self, name: str, by: Sequence[str], values: Any, digits: int = 3, bound: float = 1
    ) -> Self:
        """A list or table in each state: the cells `name-0`, `name-1`, … or `name-0-0`, …"""
        table = np.array(self._table(by, values), dtype=object)
        for place in np.ndindex(table.shape[len(by) :]):
            self.cell("-".join((name, *map(str, place))), by, table[..., *place], digits, bound)
        return self

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
        table = self._table(by, values)
        check(name, table, [(axis, len(self._values[axis])) for axis in by], how["as"])
        digits = how.get("digits", DIGITS.get(how["as"]))
        shown = table if digits is None else rounded(table, digits)
        self._shown[name] = {**how, "by": list(by), "values": shown}
        return self

    def _table(self, by: Sequence[str], values: Any) -> Any:
        for axis in by:
            if axis not in self._axes:
                raise ValueError(f"by must be some of {list(self._axes)}, got {axis!r}")
        return plain(self._each(values, by) if callable(values) else values)

    def _each(self, shown: Callable[..., Any], by: Sequence[str]) -> Any:
        if not by:
            return shown()
        return [self._each(partial(shown, value), by[1:]) for value in self._values[by[0]]]

    def data(self) -> dict[str, Any]:
        """For `data()` of the explorer."""
        return {
            "axes": self._axes,
            "sums": self._sums,
            "start": self._start,
            "shown": self._shown,
        }


def _check_start(name: str, values: int | list[str], start: int | str) -> None:
    if isinstance(values, int):
        if not isinstance(start, int) or not 0 <= start < values:
            raise ValueError(f"start of {name} must be from 0 to {values - 1}, got {start!r}")
    elif start not in values:
        raise ValueError(f"start of {name} must be one of {values}, got {start!r}")
