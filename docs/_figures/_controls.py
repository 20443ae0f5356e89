"""Native controls of the explorers, labelled, in their first state."""

from collections.abc import Iterable, Mapping
from html import escape

from _hooks.draw import number

Choice = tuple[str, str]  # value, words


def slider(
    name: str, label: str, value: float, stop: float, *, step: float = 1, what: str = ""
) -> str:
    """A range from 0 to `stop`, with its value written beside the label."""
    shown = number(value, 0 if step == 1 else 2)
    return (
        f'<label class="{what}">{escape(label)} <output>{shown}</output>'
        f'<input type="range" name="{name}" min="0" max="{stop:g}" step="{step:g}" '
        f'value="{value:g}"></label>'
    )


def choices(name: str, legend: str, options: Iterable[Choice], chosen: str) -> str:
    """Radio buttons in a row."""
    buttons = "".join(
        f'<label><input type="radio" name="{name}" value="{value}"'
        f"{' checked' if value == chosen else ''}><span>{escape(words)}</span></label>"
        for value, words in options
    )
    return f"<fieldset><legend>{escape(legend)}</legend>{buttons}</fieldset>"


def pairs(values: Mapping[str, object]) -> str:
    """Controls and their values as `lookup.js` reads them: "query=3 key=2"."""
    return " ".join(f"{name}={value}" for name, value in values.items())


def step_together(words: str, moves: Mapping[str, int]) -> str:
    """A button that moves several sliders at once; at an end none of them moves."""
    return f'<button type="button" data-move="{pairs(moves)}">{escape(words)}</button>'


def blank(name: str, words: object) -> str:
    """A place in a sentence that the script fills anew."""
    return f'<b data-say="{name}">{escape(str(words))}</b>'
