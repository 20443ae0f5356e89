"""What every sub-command reads and prints: configs in, text for a terminal or a pipe out."""

import json
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from posenc_ref.config import read_config
from posenc_ref.config_source import object_in, text_in
from posenc_ref.expressions import ConfigError
from posenc_ref.model_positions import ModelPositions
from posenc_ref.printable import printable

WIDTH = 80
STANDARD_INPUT = "-"

BOLD, RED, YELLOW, PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
HEADING = re.compile(r"\S")
MARKS = ((re.compile(r"  != "), RED), (re.compile(r"  [?!]  "), YELLOW))


def load(path: str) -> ModelPositions:
    """The positions of the config at a path, in a folder, or on standard input.

    Raises:
        ConfigError: If it cannot be; the message begins with the path.
        OSError: If it cannot be read.
    """
    try:
        if path != STANDARD_INPUT:
            return read_config(Path(path))
        if sys.stdin is None:
            raise ConfigError("there is no standard input")
        return read_config(object_in(text_in(sys.stdin.buffer, "standard input")))
    except ConfigError as error:
        name = "standard input" if path == STANDARD_INPUT else path
        told = str(error)
        raise ConfigError(told if name in told else f"{name}: {told}") from None


def say(text: str) -> None:
    """Print text that may hold words of a config; headings stand out on a terminal."""
    stream = sys.stdout
    text = _encodable(printable(text, kept="\n"), stream)
    if in_colour(stream):
        text = "\n".join(map(_coloured, text.split("\n")))
    print(text)


def one_line(text: str) -> str:
    """The same text on one line."""
    return " ".join(text.split())


def say_json(value: Any) -> None:
    """Print JSON, in ASCII, so that no character of it gives orders."""
    print(json.dumps(value, indent=2, allow_nan=False))


def in_colour(stream: TextIO | None) -> bool:
    """Only on a terminal that has colours, and never against the reader's wish (no-color.org)."""
    wished = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wished and stream is not None and stream.isatty()


def _coloured(line: str) -> str:
    if HEADING.match(line):
        return f"{BOLD}{line}{PLAIN}"
    for mark, colour in MARKS:
        if mark.match(line):
            return f"{colour}{line}{PLAIN}"
    return line


def _encodable(text: str, stream: TextIO | None) -> str:
    """What the stream cannot write is written out, as in an error message of Python."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def columns(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """One row of a table whose cells may take several lines."""
    wrapped = [
        textwrap.wrap(cell, width - 2) or [""] for cell, width in zip(cells, widths, strict=True)
    ]
    height = max(map(len, wrapped))
    padded = [lines + [""] * (height - len(lines)) for lines in wrapped]
    rows = zip(*padded, strict=True)
    return [
        f"  {''.join(f'{cell:<{width}}' for cell, width in zip(row, widths, strict=True))}".rstrip()
        for row in rows
    ]


def part_name(model: ModelPositions, name: str | None) -> str:
    """The part that was asked for; else the text, or the first part where there is no text.

    Raises:
        ValueError: If the model has no such part.
    """
    if not model.parts:
        raise ConfigError("the config must have a part with positions, got none")
    names = [part.name for part in model.parts]
    if name is not None:
        return model.part(name).name
    return "text" if "text" in names else names[0]
