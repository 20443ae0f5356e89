"""A run on disk: all that is needed to take it up again as if nothing had happened.

Weights and moments, what was measured so far, and what the run is about, so that
a checkpoint is never taken for that of another run. One `.npz` file of NumPy.
"""

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from posenc_ref.kinds import Floats
from posenc_ref.lab.optimiser import Moments
from posenc_ref.lab.schemes import Weights

FORM = 1  # of the file


class State(NamedTuple):
    """Where a run stands after some steps."""

    weights: Weights
    moments: Moments
    losses: list[float]
    """Of each step, on its batch; as many as steps were taken."""

    measured: list[tuple[int, float]]
    """Step, and what was measured after it."""

    seconds: float


def fingerprint(arrays: list[Floats] | list[Any]) -> str:
    """A short name of the contents of arrays: equal for equal ones."""
    total = 0
    for array in arrays:
        total = zlib.crc32(np.ascontiguousarray(array).tobytes(), total)
    return f"{total:08x}"


def save(path: Path, state: State, about: dict[str, Any]) -> None:
    """Write a checkpoint; one that was there is replaced only when the new one is whole."""
    arrays: dict[str, Any] = {
        f"{part}/{name}": array
        for part, weights in _parts(state).items()
        for name, array in weights.items()
    }
    head = {"form": FORM, "about": about, "seconds": state.seconds}
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with partial.open("wb") as file:
            np.savez(
                file,
                allow_pickle=False,
                head=np.array(json.dumps(head)),
                losses=np.array(state.losses, np.float64),
                measured=np.array(state.measured, np.float64).reshape(-1, 2),
                **arrays,
            )
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def load(path: Path, about: dict[str, Any]) -> State:
    """Read a checkpoint of the run that is spoken of.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no checkpoint, or that of another run.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = dict(archive)
        head = json.loads(str(arrays["head"]))
        found, seconds, form = head["about"], float(head["seconds"]), head["form"]
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} must be a checkpoint of the lab, got {error}") from None
    if form != FORM:
        raise ValueError(f"{path} must be a checkpoint of form {FORM}, got {form}")
    differing = [name for name in about if found.get(name) != about[name]]
    if differing:
        name = differing[0]
        raise ValueError(
            f"{path} must be a checkpoint of this run, got one with another {name}: "
            f"{found.get(name)}, not {about[name]}"
        )

    def part(prefix: str) -> Weights:
        return {
            name.removeprefix(prefix): array
            for name, array in arrays.items()
            if name.startswith(prefix)
        }

    return State(
        part("weights/"),
        Moments(part("mean/"), part("square/")),
        arrays["losses"].tolist(),
        [(int(step), float(loss)) for step, loss in arrays["measured"]],
        seconds,
    )


def _parts(state: State) -> dict[str, Weights]:
    moments = state.moments
    return {"weights": state.weights, "mean": moments.mean, "square": moments.square}
