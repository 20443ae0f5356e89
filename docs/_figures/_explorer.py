"""The frame of an explorer that looks up: what all of them have, in one order."""

from collections.abc import Sequence

from _figures._controls import choices


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
