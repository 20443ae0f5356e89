"""The results of experiments, in one JSON file.

    form        1
    texts       source -> characters, different characters, fingerprint
    machines    where cells were run: processor, cores, system, versions
    cells       "experiment/variant/seed" -> told, machine, and the results

`told` is the `Cell`, all that decides the results; `machine` is a place in the list
of machines; the results are described in `cells`. One cell stands on a line, in the
order of the experiments, so that two files can be compared line by line.
"""

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from posenc_ref.lab.checkpoint import fingerprint
from posenc_ref.lab.experiments import Cell, Experiment

FORM = 1
Results: TypeAlias = dict[str, Any]


def machine() -> dict[str, Any]:
    """What the results depend on besides their cells."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]  # type of NumPy: Any
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": f"{blas['name']} {blas['version']}",
        "threads": 1,
    }


def about_text(text: str) -> dict[str, Any]:
    """A text, without the text."""
    return {
        "characters": len(text),
        "different": len(set(text)),
        "fingerprint": fingerprint([np.frombuffer(text.encode(), np.uint8)]),
    }


def load_results(path: Path) -> Results:
    """The results in a file; none if there is no file.

    Raises:
        OSError: If it cannot be read.
        ValueError: If it holds something else.
    """
    if not path.exists():
        return {"form": FORM, "texts": {}, "machines": [], "cells": {}}
    try:
        results = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} must hold results of the lab, got {error}") from None
    if not isinstance(results, dict) or results.get("form") != FORM:
        raise ValueError(f"{path} must hold results of the lab of form {FORM}")
    return results


def save_results(path: Path, results: Results, order: Sequence[str]) -> None:
    """Write results, the cells in order and those of no order last; whole, or not at all."""
    cells = in_order(results["cells"], order)
    parts = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in ("form", "texts")]
    parts.append(_lines("machines", "[]", [json.dumps(each) for each in results["machines"]]))
    parts.append(_lines("cells", "{}", [f"{json.dumps(k)}: {json.dumps(cells[k])}" for k in cells]))
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def in_order(cells: dict[str, Any], order: Sequence[str]) -> dict[str, Any]:
    """The same cells, those of the order first."""
    return {key: cells[key] for key in order if key in cells} | cells


def missing(results: Results, experiments: Sequence[Experiment]) -> list[Cell]:
    """The cells that are not there yet, or were run with other settings."""
    cells = [cell for experiment in experiments for cell in experiment.cells]
    told = {key: value["told"] for key, value in results["cells"].items()}
    return [cell for cell in cells if told.get(cell.key) != cell.told()]


def values(results: Results, experiment: str, variant: str, *path: str) -> list[float]:
    """One number of every seed of a variant, by its path within the cell, seeds in order.

    Raises:
        ValueError: If there is no such cell or no such number in it.
    """
    found = {}
    for key, cell in results["cells"].items():
        if key.rsplit("/", 1)[0] == f"{experiment}/{variant}":
            value = cell
            for name in path:
                if not isinstance(value, dict) or name not in value:
                    raise ValueError(f"{key} has no {'/'.join(path)}")
                value = value[name]
            found[cell["told"]["seed"]] = float(value)
    if not found:
        raise ValueError(f"there are no results of {experiment}/{variant}")
    return [found[seed] for seed in sorted(found)]


def _lines(name: str, brackets: str, items: list[str]) -> str:
    return f"{json.dumps(name)}: {brackets[0]}\n" + ",\n".join(items) + f"\n{brackets[1]}"


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"
