"""One cell of an experiment, from its plain values to its plain results.

The results of a cell on a text:

    losses     rows of [step, training loss of the last 25 steps, validation loss]
    lengths    scaling -> length -> validation loss; every length reads the same text
    by_place   validation loss in a text of the greatest length, by 16 places
    sample     what the model writes after a line end

and on a task:

    losses     rows of [step, training loss of the last 25 steps]
    sizes      size -> loss, and shares of characters and of rows that are right

Each has `n_weights`, and `seconds` spent on the steps alone.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from posenc_ref.lab import tasks
from posenc_ref.lab.config import Config
from posenc_ref.lab.experiments import TIMES, Cell
from posenc_ref.lab.generate import generate
from posenc_ref.lab.gpt import GPT
from posenc_ref.lab.measure import estimate_loss, losses_by_place
from posenc_ref.lab.text import Corpus, Tokens, corpus, text_batches
from posenc_ref.lab.train import Settings, Trained, train

ON_THE_WAY, AT_THE_END = 16_384, 32_768  # tokens of the validation text, at most
RECENT = 25  # steps that a training loss is the mean of
BIN = 16  # places
DIGITS = 4


def run_cell(
    cell: Cell, text: str, *, checkpoint: Path | None = None, label: str | None = None
) -> dict[str, Any] | None:
    """Train the model of a cell and measure it.

    Args:
        cell: Which.
        text: What to train on; not used by tasks.
        checkpoint: As for `train`.
        label: As for `train`.

    Returns:
        The results as plain values, or None if the training was interrupted.

    Raises:
        ValueError: If a setting is bad, or the text too short.
    """
    if cell.source == "task":
        return _run_task(cell, checkpoint, label)
    return _run_text(cell, corpus(text), checkpoint, label)


def _run_text(
    cell: Cell, parts: Corpus, checkpoint: Path | None, label: str | None
) -> dict[str, Any] | None:
    config = Config(n_tokens=len(parts.vocabulary), **cell.config)
    lengths = [times * config.block for times in TIMES]
    some = _whole_pieces(parts.validation, ON_THE_WAY, config.block)
    many = _whole_pieces(parts.validation, AT_THE_END, lengths[-1])
    draw = text_batches(parts.training, block=config.block, batch=cell.batch, seed=cell.seed)
    settings = Settings(**cell.settings)
    done = train(
        GPT(config, seed=cell.seed),
        draw,
        settings,
        measure=lambda model: estimate_loss(model, some),
        measure_at=cell.measure_at or (settings.steps,),
        checkpoint=checkpoint,
        label=label,
    )
    if not done.finished:
        return None
    long = done.model.changed(past_end="repeat")  # of these experiments, and they say so
    result: dict[str, Any] = _common(done)
    result["losses"] = [
        [step, _recent(done.losses, step), round(loss, DIGITS)] for step, loss in done.measured
    ]
    result["lengths"] = {
        scaling: {
            str(length): round(
                estimate_loss(stretched(long, scaling, length), many, length=length), DIGITS
            )
            for length in lengths
        }
        for scaling in ("none", *cell.stretched)
    }
    places = losses_by_place(long, many, length=lengths[-1])
    result["by_place"] = np.round(places.reshape(-1, BIN).mean(1), DIGITS).tolist()
    if cell.sample:
        start = "\n" if "\n" in parts.vocabulary.characters else parts.vocabulary.characters[0]
        ids = generate(done.model, parts.vocabulary.encode(start), cell.sample, seed=cell.seed)
        result["sample"] = parts.vocabulary.decode(ids[1:])
    return result


def _run_task(cell: Cell, checkpoint: Path | None, label: str | None) -> dict[str, Any] | None:
    [task] = [name for name in tasks.TASKS if name == cell.task]
    causal, largest = cell.config["causal"], cell.sizes[1]
    config = Config(
        n_tokens=len(tasks.vocabulary(task)),
        block=tasks.row_length(task, largest, causal=causal),
        **cell.config,
    )
    settings = Settings(**cell.settings)
    draw = tasks.task_batches(
        task, sizes=cell.sizes, batch=cell.batch, seed=cell.seed, causal=causal
    )
    model = GPT(config, seed=cell.seed)
    done = train(model, draw, settings, checkpoint=checkpoint, label=label)
    if not done.finished:
        return None
    long = done.model.changed(past_end="repeat")
    result = _common(done)
    steps = range(settings.steps // 12, settings.steps + 1, settings.steps // 12)
    result["losses"] = [[step, _recent(done.losses, step)] for step in steps]
    result["sizes"] = {}
    for size in (largest, 2 * largest):
        reached = tasks.score(long, task, size=size)
        result["sizes"][str(size)] = {
            name: round(value, DIGITS) for name, value in reached._asdict().items()
        }
    return result


def _common(done: Trained) -> dict[str, Any]:
    return {"seconds": round(done.seconds, 1), "n_weights": done.model.n_weights}


def _recent(losses: list[float], step: int) -> float:
    some = losses[max(0, step - RECENT) : step]
    return round(sum(some) / len(some), DIGITS)


def _whole_pieces(tokens: Tokens, most: int, length: int) -> Tokens:
    """The beginning of a text: whole pieces of a length, and the token after the last of them."""
    n_pieces = min(most, len(tokens) - 1) // length
    if n_pieces < 1:
        raise ValueError(
            f"the validation text, a tenth of all, must be longer than {length} characters, "
            f"got {len(tokens)}"
        )
    piece: NDArray[np.int64] = tokens[: n_pieces * length + 1]
    return piece


def stretched(model: GPT, scaling: str, length: int) -> GPT:
    """The model with its RoPE stretched just as far as the text is longer than those trained on."""
    factor = length / model.config.block
    return model if scaling == "none" else model.changed(scaling=scaling, factor=factor)
