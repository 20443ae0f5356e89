"""What the pages of the lab share: its results, with means and intervals over the seeds.

Pages tie their numbers to these functions, and their sentences about an order to `above` and
`level`, so that no page can say what the results do not.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from posenc_ref.lab.intervals import Interval, differences, interval
from posenc_ref.lab.results import Results, values

RESULTS = Path(__file__).parents[1] / "lab" / "results.json"
LENGTHS = (64, 128, 256, 512)
TRAINED = LENGTHS[0]
BIN = 16  # places that a loss by place is the mean of
NAMES = {
    "none": "no positions",
    "learned": "learned",
    "sinusoidal_scaled": "sinusoidal",
    "rope": "RoPE",
    "alibi": "ALiBi",
    "t5": "T5",
    "t5_near": "T5, near buckets",
}
"""Variants of the experiment "schemes", in words."""
STRETCHED = {"rope_linear": "RoPE, linear", "rope_ntk": "RoPE, NTK"}
"""RoPE stretched when it is tested, after a training without."""
TASKS = ("reverse", "copy", "previous", "alternating", "addition")
KINDS = ("decoder", "encoder")
SCHEMES = tuple(name for name in NAMES if name != "t5_near")
"""Schemes that do the toy tasks."""


@cache
def results() -> Results:
    return dict(json.loads(RESULTS.read_text("utf-8")))


def split(variant: str) -> tuple[str, str, str]:
    """Experiment, variant and scaling: of "schemes" without a slash, else "layers/none 1"."""
    if variant in STRETCHED:
        name, scaling = variant.split("_")
        return "schemes", name, scaling
    experiment, slash, name = variant.rpartition("/")
    return experiment if slash else "schemes", name, "none"


@cache
def by_seed(variant: str, length: int = TRAINED) -> tuple[float, ...]:
    """The validation loss of each seed, in nats a character, read in pieces of a length."""
    experiment, name, scaling = split(variant)
    return tuple(values(results(), experiment, name, "lengths", scaling, str(length)))


def loss(variant: str, length: int = TRAINED) -> float:
    """The mean over the seeds."""
    return interval(by_seed(variant, length)).mean


def half(variant: str, length: int = TRAINED) -> float:
    """How far the 95 % interval reaches to each side of the mean."""
    return _half(interval(by_seed(variant, length)))


def rise(variant: str, length: int) -> Interval:
    """How much larger the loss is than at the trained length, seed by seed."""
    return differences(by_seed(variant, length), by_seed(variant))


def gap(first: str, second: str, length: int = TRAINED) -> Interval:
    """How much larger the loss of the first is than that of the second, seed by seed."""
    return differences(by_seed(first, length), by_seed(second, length))


def above(first: str, second: str, length: int = TRAINED, by: float = 0) -> bool:
    """Whether the loss of the first is larger, by more than so much, beyond doubt of the seeds."""
    return gap(first, second, length).low > by


def level(first: str, second: str, length: int = TRAINED) -> bool:
    """Whether three seeds do not tell the two apart."""
    between = gap(first, second, length)
    return between.low <= 0 <= between.high


def rises(variant: str, length: int, by: float = 0) -> bool:
    """Whether the loss grows by more than so much, beyond doubt of the seeds."""
    return rise(variant, length).low > by


def flat(variant: str, length: int, within: float) -> bool:
    """Whether the loss does not change by more than so much either way, beyond doubt of seeds."""
    change = rise(variant, length)
    return -within < change.low and change.high < within


def cells(variant: str) -> list[Results]:
    """The cells of all seeds, seeds in order."""
    experiment, name, _ = split(variant)
    found = [
        cell
        for key, cell in results()["cells"].items()
        if key.rsplit("/", 1)[0] == f"{experiment}/{name}"
    ]
    return sorted(found, key=lambda cell: int(cell["told"]["seed"]))


def steps() -> list[int]:
    """Where validation losses were measured on the way."""
    return [row[0] for row in cells("none")[0]["losses"]]


@cache
def on_the_way(variant: str, step: int) -> tuple[float, ...]:
    """The validation loss of each seed after some steps (on less text than at the end)."""
    rows = [{row[0]: row[2] for row in cell["losses"]} for cell in cells(variant)]
    return tuple(row[step] for row in rows)


def gap_after(first: str, second: str, step: int) -> Interval:
    """How much larger the loss of the first is after some steps, seed by seed."""
    return differences(on_the_way(first, step), on_the_way(second, step))


def curve(variant: str) -> list[float]:
    """Means over the seeds, on the way."""
    return [interval(on_the_way(variant, step)).mean for step in steps()]


def by_place(variant: str) -> list[float]:
    """Loss in a text of the greatest length, by stretches of places: means over the seeds."""
    rows = [cell["by_place"] for cell in cells(variant)]
    return [sum(column) / len(column) for column in zip(*rows, strict=True)]


def at_places(variant: str, first: int, end: int) -> Interval:
    """Mean loss at the places from `first` to before `end` in a text of the greatest length."""
    rows = [cell["by_place"] for cell in cells(variant)]
    some = slice(first // BIN, end // BIN)
    return interval([sum(row[some]) / len(row[some]) for row in rows])


def samples(variant: str) -> list[str]:
    return [cell["sample"] for cell in cells(variant)]


def lines(variant: str) -> int:
    """Whole lines in the samples of all seeds."""
    return sum(sample.count("\n") for sample in samples(variant))


def speakers(variant: str) -> int:
    """Those of them that are a name in capitals and a colon, as speakers are written."""
    named = re.compile(r"^[A-Z][A-Z ]*:$", re.MULTILINE)
    return sum(len(named.findall(sample)) for sample in samples(variant))


# ---- toy tasks ----


def sizes(task: str) -> tuple[int, int]:
    """The largest size that is trained, and twice that."""
    small, large = cells(f"tasks/{task} decoder rope")[0]["sizes"]
    return int(small), int(large)


@cache
def score(task: str, kind: str, scheme: str, *, double: bool = False) -> tuple[float, ...]:
    """Share of characters that each seed gets right, at the largest trained size or at twice it."""
    size = str(sizes(task)[double])
    variant = f"{task} {kind} {scheme}"
    return tuple(values(results(), "tasks", variant, "sizes", size, "characters"))


def right(task: str, kind: str, scheme: str, *, double: bool = False) -> float:
    """The mean over the seeds."""
    return interval(score(task, kind, scheme, double=double)).mean


def right_half(task: str, kind: str, scheme: str, *, double: bool = False) -> float:
    return _half(interval(score(task, kind, scheme, double=double)))


def lowest(task: str, kind: str, scheme: str, *, double: bool = False) -> float:
    """Of the seeds."""
    return min(score(task, kind, scheme, double=double))


def highest(task: str, kind: str, scheme: str, *, double: bool = False) -> float:
    return max(score(task, kind, scheme, double=double))


# ---- words ----


def seconds(variants: Sequence[str] = SCHEMES) -> float:
    """Of training one model, on average."""
    each = [float(cell["seconds"]) for variant in variants for cell in cells(variant)]
    return sum(each) / len(each)


def _half(bounds: Interval) -> float:
    return (bounds.high - bounds.low) / 2
