"""Native controls of the explorers, labelled, in their first state."""

from collections.abc import Iterable, Sequence
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


def blank(name: str, words: object) -> str:
    """A place in a sentence that the script fills anew."""
    return f'<b data-say="{name}">{escape(str(words))}</b>'


def number_table(heads: Sequence[str], rows: Iterable[str]) -> str:
    """A table of numbers; `rows` come from `number_row`."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    return (
        f'<div class="numbers"><table class="values"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def number_row(words: Iterable[str], values: Iterable[float] = (), digits: int = 4) -> str:
    """Cells of text, then cells of values from -1 to 1, which are shaded by the scale."""
    plain = "".join(f"<td>{escape(word)}</td>" for word in words)
    shaded = "".join(
        f'<td class="v" style="--v:{value:g}">{number(value, digits)}</td>' for value in values
    )
    return f"<tr>{plain}{shaded}</tr>"
