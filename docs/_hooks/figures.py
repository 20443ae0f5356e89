"""Figures and data: each `_figures/NAME.py` becomes two SVG files, or the JSON of a widget."""

import ast
import importlib
import json
import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from _hooks.cache import cached, fingerprint, package_fingerprint

FOLDER = Path(__file__).parents[1] / "_figures"
MEASURED = [FOLDER.parent / "lab/results.json", FOLDER.parents[1] / "bench/results.json"]
"""Results that figures are drawn from."""
SCHEMES = ("light", "dark")
IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<path>[^)\s]*assets/figures/[\w-]+)\.svg\)")
SIZE = re.compile(rb'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"', re.DOTALL)


def sources() -> Iterator[tuple[str, Path, set[str]]]:
    """Name, file and function names of each figure and widget.

    Read, not imported: a figure loads matplotlib, which costs half a second, and a build whose
    figures are all in the cache need not pay for it.
    """
    for path in sorted(FOLDER.glob("[!_]*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        yield path.stem.replace("_", "-"), path, functions


def load(path: Path) -> ModuleType:
    return importlib.import_module(f"_figures.{path.stem}")


@cache
def data_of(name: str) -> Any:
    """What a figure, a stepper or an explorer shows, computed once a build."""
    return load(FOLDER / f"{name.replace('-', '_')}.py").data()


def to_json(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def drawing_fingerprint() -> str:
    """Changes with anything that figures are drawn by, except the package."""
    hooks = Path(__file__).parent
    shared = [hooks / "style.py", hooks / "draw.py", *FOLDER.glob("*.ttf"), *FOLDER.glob("*.py")]
    return fingerprint([*shared, *MEASURED])


def published() -> dict[str, bytes]:
    """Every file that figures and widgets put on the site, by path."""
    files = {}
    made_from = package_fingerprint() + drawing_fingerprint()
    for name, path, functions in sources():
        if "draw" in functions:
            for scheme in SCHEMES:
                files[f"assets/figures/{name}-{scheme}.svg"] = cached(
                    f"figure {name} {scheme} {made_from}", partial(draw, path, scheme)
                )
        elif "parts" in functions:
            module = load(path)
            for part, data in module.parts(data_of(name)).items():
                files[f"assets/data/{name}-{part}.json"] = to_json(data)
        elif "widget" in functions:
            files[f"assets/data/{name}.json"] = to_json(data_of(name))
    return files


def draw(path: Path, scheme: str) -> bytes:
    from _hooks import style

    module = load(path)
    size = getattr(module, "SIZE", style.SIZE)
    return style.render(module.draw, data_of(path.stem), scheme, size)


def pixels(svg: bytes) -> tuple[int, int]:
    """Width and height for the page to reserve, in CSS pixels."""
    size = SIZE.search(svg)
    assert size, "matplotlib writes the size in points into the first tag"
    return round(float(size[1]) * 4 / 3), round(float(size[2]) * 4 / 3)


def twins(markdown: str, files: dict[str, bytes]) -> str:
    """One image line of an author becomes two, of which each colour scheme shows and loads one."""

    def both(found: re.Match[str]) -> str:
        name = found["path"].rsplit("/", 1)[1]
        if not found["alt"].strip():
            raise ValueError(f"the figure {name} has no alt text; say what is seen in it")
        try:
            svg = files[f"assets/figures/{name}-light.svg"]
        except KeyError:
            raise ValueError(f"there is no docs/_figures/{name.replace('-', '_')}.py") from None
        width, height = pixels(svg)
        attributes = f"{{ loading=lazy width={width} height={height} }}"
        return "".join(
            f"![{found['alt']}]({found['path']}-{scheme}.svg#only-{scheme}){attributes}"
            for scheme in SCHEMES
        )

    return IMAGE.sub(both, markdown)
