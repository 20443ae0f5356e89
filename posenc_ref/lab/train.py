"""Training: take a batch, see how the loss changes with each weight, move a little.

A run depends on the model's first weights, on its batches and on its settings, and
on nothing else. The batch of a step is made from the number of the step, so a run
that was interrupted and taken up again is the run that was not, to the last bit
(on one machine and one thread: BLAS sums in another order on another).
"""

import dataclasses
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from posenc_ref import checks
from posenc_ref.lab.checkpoint import State, fingerprint, load, save
from posenc_ref.lab.gpt import GPT
from posenc_ref.lab.memory import keep_freed_memory
from posenc_ref.lab.optimiser import adamw, clip, learning_rate, no_moments
from posenc_ref.lab.progress import Progress
from posenc_ref.lab.text import Draw

SAVE_EVERY = 500  # steps


class Trained(NamedTuple):
    """What became of a run."""

    model: GPT
    losses: list[float]
    """Of each step, on its batch."""

    measured: list[tuple[int, float]]
    """Step, and what `measure` gave after it."""

    seconds: float
    """Spent on steps, measuring left out."""

    finished: bool
    """Whether all steps were taken; not if it was interrupted."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """How a model is trained.

    Attributes:
        steps: Batches, at least 1.
        learning_rate: The highest rate, above 0; it falls to a tenth.
        warm_up: Steps over which the rate rises, at least 0.
        weight_decay: How fast weights are drawn towards 0, at least 0.
        longest_gradient: What longer ones are shortened to, above 0.
    """

    steps: int = 2000
    learning_rate: float = 2e-3
    warm_up: int = 50
    weight_decay: float = 0.1
    longest_gradient: float = 1.0

    def __post_init__(self) -> None:
        """Check every setting."""
        checks.whole_number("steps", self.steps, at_least=1)
        checks.positive_number("learning_rate", self.learning_rate)
        checks.whole_number("warm_up", self.warm_up, at_least=0)
        checks.positive_number("longest_gradient", self.longest_gradient)
        if checks.finite_number("weight_decay", self.weight_decay) < 0:
            raise ValueError(f"weight_decay must be at least 0, got {self.weight_decay}")


def train(
    model: GPT,
    draw: Draw,
    settings: Settings,
    *,
    measure: Callable[[GPT], float] | None = None,
    measure_at: Collection[int] = (),
    checkpoint: str | Path | None = None,
    label: str | None = None,
) -> Trained:
    """Train a copy of a model.

    Ctrl-C ends the run after the step it is in, and what was reached is given back,
    and saved if there is a `checkpoint`; a second one ends it at once.

    Args:
        model: Where to begin. It stays as it is.
        draw: Gives the batch of a step, see `text_batches`.
        settings: How to train.
        measure: Anything to be measured on the way, such as a loss on other text.
        measure_at: The steps after which to measure.
        checkpoint: A file to take the run up from, if it is there, and to save it in:
            now and then, when interrupted, and at the end.
        label: What a progress bar is labelled with; none is drawn, if not given, or if
            standard error is no terminal.

    Returns:
        The trained model, the losses, and whether the run came to its end.

    Raises:
        OSError: If the checkpoint cannot be read or written.
        ValueError: If the checkpoint belongs to another run, or a batch does not fit.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref.lab import GPT, Config, Settings, text_batches, train
        >>> tokens = np.arange(1000) % 7  # the next token is certain
        >>> config = Config(positions="none", n_tokens=7, block=8, d_model=16, n_heads=2)
        >>> draw = text_batches(tokens, block=8, batch=4, seed=0)
        >>> done = train(GPT(config, seed=0), draw, Settings(steps=100, learning_rate=1e-2))
        >>> done.finished, done.losses[0] > 1.9, done.losses[-1] < 0.1
        (True, True, True)
    """
    about = {
        "config": dataclasses.asdict(model.config),
        "settings": dataclasses.asdict(settings),
        "first weights": fingerprint(list(model.weights.values())),
        "first batch": fingerprint(list(draw(1))),
    }
    keep_freed_memory()
    file = None if checkpoint is None else Path(checkpoint)
    weights = {name: array.copy() for name, array in model.weights.items()}
    state = State(weights, no_moments(weights), [], [], 0.0)
    if file is not None and file.exists():
        state = load(file, about)
    learner = model.with_weights(state.weights)
    progress = Progress(label, settings.steps)

    with _noted_interrupts() as interrupted:
        while len(state.losses) < settings.steps and not interrupted():
            began = time.perf_counter()
            step = len(state.losses) + 1
            loss, gradients = learner.loss_and_gradients(*draw(step))
            clip(gradients, settings.longest_gradient)
            rate = learning_rate(step, settings.steps, settings.learning_rate, settings.warm_up)
            adamw(
                state.weights,
                gradients,
                state.moments,
                step=step,
                rate=rate,
                weight_decay=settings.weight_decay,
            )
            state.losses.append(loss)
            state = state._replace(seconds=state.seconds + time.perf_counter() - began)
            if measure is not None and step in measure_at:
                state.measured.append((step, measure(learner)))
            progress.show(step, f"loss {loss:.3f}")
            if file is not None and step % SAVE_EVERY == 0 and step < settings.steps:
                save(file, state, about)
    progress.end()
    if file is not None:
        save(file, state, about)
    finished = len(state.losses) == settings.steps
    return Trained(learner, state.losses, state.measured, state.seconds, finished)


@contextmanager
def _noted_interrupts() -> Iterator[Callable[[], bool]]:
    """Ctrl-C is noted, so that it never comes in the middle of a step; a second one is not."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted.is_set  # only the main thread hears of it
        return

    def note(number: int, frame: FrameType | None) -> None:
        if noted.is_set():
            raise KeyboardInterrupt
        noted.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield noted.is_set
    finally:
        signal.signal(signal.SIGINT, before)
