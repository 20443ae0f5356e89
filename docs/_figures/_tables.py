"""Tables of the explorers: of numbers that stay, and of cells that change with the state."""

from collections.abc import Iterable
from html import escape

from _hooks.draw import number


def head(words: str, scope: str = "col", *, across: int = 1) -> str:
    """The head of a column or of a row; `words` is markup."""
    wide = f' colspan="{across}"' if across > 1 else ""
    return f'<th scope="{scope}"{wide}>{words}</th>'


def row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def cell_table(heads: Iterable[str], rows: Iterable[str], *, caption: str = "") -> str:
    """A table that scrolls sideways where it is wider than the page.

    Args:
        heads: Heads of the columns, as `head` or `View.element` write them; none for a single row.
        rows: As `row` or `View.element` write them.
        caption: A line below, in words.
    """
    below = (
        f'<caption style="caption-side:bottom;text-align:start">{escape(caption)}</caption>'
        if caption
        else ""
    )
    top = "".join(heads)
    return (
        f'<div class="numbers"><table class="values">{below}'
        f"{f'<thead>{row([top])}</thead>' if top else ''}"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def number_table(heads: Iterable[str], rows: Iterable[str]) -> str:
    """A table of numbers, with `heads` in words; `rows` come from `number_row`."""
    return cell_table((head(escape(words)) for words in heads), rows)


def number_row(words: Iterable[str], values: Iterable[float] = (), digits: int = 4) -> str:
    """Cells of text, then cells of values from -1 to 1, which are shaded by the scale."""
    plain = (f"<td>{escape(word)}</td>" for word in words)
    shaded = (
        f'<td class="v" style="--v:{value:g}">{number(value, digits)}</td>' for value in values
    )
    return row((*plain, *shaded))
