"""Take from the markup what no reader sees but every phone pays for."""

import itertools
import re

# Pygments marks every name, operator and number; the style sheet leaves these in ink.
UNSTYLED = re.compile(r'<span class="(?:n|nn|p|o|mi|mf|w)">([^<]*)</span>')
HEADING = re.compile(r"<h2[ >]")
TALL = re.compile(r'class="(?:exercise|admonition quiz)"')


def plain_code(content: str) -> str:
    """Code without the marks that show nothing: a third of a lesson's elements."""
    return UNSTYLED.sub(r"\1", content)


def parts(content: str) -> str:
    """Put what follows each second-level heading into a box of its own.

    The style sheet lets the browser pass over a box that is far from the reader. The headings
    stand outside, since the table of contents asks where they are. A part that holds
    exercises or quizzes gets no box: together they are taller than any guess, and would overlap
    what follows until they are drawn. The style sheet passes each of them over by itself.
    """
    starts = [heading.start() for heading in HEADING.finditer(content)]
    if not starts:
        return content
    bodies = []
    for start, end in itertools.pairwise([*starts, len(content)]):
        heading, _, body = content[start:end].partition("</h2>")
        for tag in ("div", "details", "figure", "ul", "ol", "table"):
            if len(re.findall(rf"<{tag}\b", body)) != body.count(f"</{tag}>"):
                raise ValueError(f"a second-level heading must not stand inside a {tag}: {heading}")
        boxed = body if TALL.search(body) else f'<div class="part">{body}</div>'
        bodies.append(f"{heading}</h2>{boxed}")
    return "".join([content[: starts[0]], *bodies])
