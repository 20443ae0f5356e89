"""Take from the markup what no reader sees but every phone pays for."""

import re

# Pygments marks every name, operator and number; the style sheet leaves these in ink.
UNSTYLED = re.compile(r'<span class="(?:n|nn|p|o|mi|mf|w)">([^<]*)</span>')
HEADING = re.compile(r"<h2[ >].*?</h2>", re.DOTALL)


def plain_code(content: str) -> str:
    """Code without the marks that show nothing: a third of a lesson's elements."""
    return UNSTYLED.sub(r"\1", content)


def parts(content: str) -> str:
    """Put what follows each second-level heading into a box of its own.

    The style sheet lets the browser pass over a box that is far from the reader. The headings
    stand outside, since the table of contents asks where they are.
    """
    pieces = []
    done = 0
    for heading in HEADING.finditer(content):
        if pieces:
            pieces.append(f'<div class="part">{content[done : heading.start()]}</div>')
        else:
            pieces.append(content[: heading.start()])
        pieces.append(heading[0])
        done = heading.end()
    if not pieces:
        return content
    return "".join([*pieces, f'<div class="part">{content[done:]}</div>'])
