"""The experiments, as data: which model is trained on what, and what is measured.

A cell is one model with one seed. All cells of an experiment differ from one
another in what its name says and in nothing else.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from posenc_ref.lab.config import POSITIONS
from posenc_ref.lab.tasks import TASKS

Source: TypeAlias = Literal["text", "grammar", "task"]

SEEDS = (0, 1, 2)
TIMES = (1, 2, 4, 8)  # the trained length
ON_THE_WAY = (
    *(25, 50, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900, 1000),
    *(1200, 1400, 1600, 1800, 2000),
)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One model with one seed; plain values only, so that it can be written down.

    Attributes:
        experiment: Name of the experiment.
        variant: What differs within it, by name.
        seed: Of weights, batches and samples.
        source: Where batches come from: a text that is given, the generated grammar,
            or a toy task.
        config: Settings of `Config`, but for the vocabulary.
        settings: Settings of `Settings`.
        batch: Rows in a batch.
        task: Name of the task.
        sizes: The sizes of the task that are trained with.
        measure_at: Steps after which the validation loss is measured.
        stretched: Scalings of RoPE to be measured at long lengths, besides none.
        sample: Characters of a sample to write; 0 for none.
    """

    experiment: str
    variant: str
    seed: int
    source: Source
    config: dict[str, Any]
    settings: dict[str, Any]
    batch: int = 16
    task: str = ""
    sizes: tuple[int, int] = (2, 2)
    measure_at: tuple[int, ...] = ()
    stretched: tuple[str, ...] = ()
    sample: int = 0

    @property
    def key(self) -> str:
        """Its name in the results."""
        return f"{self.experiment}/{self.variant}/{self.seed}"

    def told(self) -> dict[str, Any]:
        """All that decides its results, as JSON has it."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(self).items()
        }


class Experiment(NamedTuple):
    """Cells that answer one question."""

    name: str
    asks: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Plan:
    """What the cells of an experiment have in common."""

    name: str
    asks: str
    seeds: tuple[int, ...]
    common: dict[str, Any] = field(default_factory=dict)

    def of(self, variants: dict[str, dict[str, Any]]) -> Experiment:
        """One cell for each variant and seed."""
        cells = [
            Cell(experiment=self.name, variant=variant, seed=seed, **self.common | changed)
            for variant, changed in variants.items()
            for seed in self.seeds
        ]
        return Experiment(self.name, self.asks, tuple(cells))


def full(seeds: tuple[int, ...] = SEEDS) -> tuple[Experiment, ...]:
    """All experiments on a text: half an hour on two cores."""
    text = {"source": "text", "settings": {"steps": 2000}, "measure_at": ON_THE_WAY}
    return (
        Plan("schemes", "Which scheme learns what, and at which lengths?", seeds, text).of(
            {p: _scheme(p) for p in POSITIONS if p != "sinusoidal"}
            | {"t5_near": {"config": {"positions": "t5", "n_buckets": 16, "max_distance": 32}}}
        ),
        Plan("sinusoids", "How large may sinusoids be beside the tokens?", seeds, text).of(
            {"raw": {"config": {"positions": "sinusoidal"}}}
            | {
                f"from {start}": {
                    "config": {"positions": "sinusoidal_scaled", "start_scale": start}
                }
                for start in (1.0, 0.028)  # from 0.1 is in "schemes"
            }
        ),
        Plan("layers", "What does the causal mask tell, by layers?", seeds, text).of(
            {
                f"{p} {n}": {"config": {"positions": p, "n_layers": n}}
                for p in ("none", "learned")
                for n in (1, 3)  # 2 is in "schemes"
            }
        ),
        Plan("tasks", "Who can do what needs order?", seeds).of(dict(_tasks())),
    )


def smoke() -> tuple[Experiment, ...]:
    """One small experiment on the generated grammar: half a minute, one seed."""
    common = {"source": "grammar", "settings": {"steps": 300, "learning_rate": 3e-3}}
    plan = Plan("smoke", "Do the schemes stand in the order that is known?", (0,), common)
    return (
        plan.of({p: {"config": {"positions": p}} for p in ("none", "learned", "rope", "alibi")}),
    )


def _scheme(positions: str) -> dict[str, Any]:
    changed: dict[str, Any] = {"config": {"positions": positions}, "sample": 300}
    if positions == "rope":
        changed["stretched"] = ("linear", "ntk")
    return changed


def _tasks() -> Iterator[tuple[str, dict[str, Any]]]:
    schemes = [p for p in POSITIONS if p != "sinusoidal"]
    for task in TASKS:
        for causal in (True, False):
            for positions in schemes:
                kind = "decoder" if causal else "encoder"
                yield (
                    f"{task} {kind} {positions}",
                    {
                        "source": "task",
                        "task": task,
                        "config": {"positions": positions, "causal": causal},
                        "settings": {"steps": STEPS[task], "learning_rate": 3e-3},
                        "batch": 32,
                        "sizes": SIZES[task],
                    },
                )


SIZES = {
    "reverse": (2, 6),
    "copy": (2, 6),
    "previous": (4, 10),
    "alternating": (4, 10),
    "addition": (2, 2),
}
STEPS = {"reverse": 2000, "copy": 2000, "previous": 600, "alternating": 600, "addition": 2000}
