"""What the commands of `posenc lab` do, once there is but one thread."""

import argparse
import tempfile
from pathlib import Path

from posenc_ref.lab import experiments, runner
from posenc_ref.lab.config import Config
from posenc_ref.lab.generate import generate
from posenc_ref.lab.gpt import GPT
from posenc_ref.lab.measure import estimate_loss
from posenc_ref.lab.plot import plot
from posenc_ref.lab.report import report
from posenc_ref.lab.results import Results, load_results, values
from posenc_ref.lab.text import corpus, grammar_text, read_text, text_batches
from posenc_ref.lab.train import Settings, train

MEASURED = 40  # times in a run
WORSE, FLAT, LOST = 0.1, 0.05, 0.5  # nats: what the smoke run is held to


def train_one(options: argparse.Namespace) -> int:
    """Train a model, and print how its loss fell and what it writes."""
    text = read_text(options.text) if options.text else grammar_text(runner.GRAMMAR)
    parts = corpus(text)
    if len(parts.validation) <= options.block:
        raise ValueError(
            f"--block must be below {len(parts.validation)}, the tenth of the text that is kept "
            f"apart, got {options.block}"
        )
    config = Config(
        positions=options.positions,
        n_tokens=len(parts.vocabulary),
        block=options.block,
        d_model=options.d_model,
        n_heads=options.n_heads,
        n_layers=options.n_layers,
    )
    settings = Settings(steps=options.steps, learning_rate=options.learning_rate)
    draw = text_batches(parts.training, block=options.block, batch=options.batch, seed=options.seed)
    some = parts.validation[: 64 * options.block + 1]
    done = train(
        GPT(config, seed=options.seed),
        draw,
        settings,
        measure=lambda model: estimate_loss(model, some),
        measure_at=range(1, options.steps + 1, max(1, options.steps // MEASURED)),
        checkpoint=options.checkpoint,
        label=options.positions,
    )
    if done.measured:
        curves = {options.positions: done.measured}
        print(plot(curves, x_label="step", y_label="validation loss (nats)"), end="\n\n")
    taken = len(done.losses)
    print(
        f"{taken} of {options.steps} steps in {done.seconds:.1f} s, {done.model.n_weights} weights"
    )
    loss = estimate_loss(done.model, parts.validation)
    print(f"validation loss {loss:.3f} nats a character")
    if options.sample:
        start = parts.vocabulary.characters[0]  # a line end, in most texts
        ids = generate(
            done.model, parts.vocabulary.encode(start), options.sample, seed=options.seed
        )
        print(f"\n{parts.vocabulary.decode(ids[1:])}")
    if done.finished:
        return 0
    raise KeyboardInterrupt


def smoke(options: argparse.Namespace) -> int:
    """Run the small experiment, and say whether the schemes stand as is known."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(options.out or Path(folder) / "smoke.json")
        results = runner.run(experiments.smoke(), out, jobs=options.jobs)
    print(report(results), end="\n\n")
    wrong = 0
    for rule, difference, holds in rules(results):
        print(f"{'holds' if holds else 'FAILS'}: {rule}, by {difference:.3f}")
        wrong += not holds
    return 1 if wrong else 0


def rules(results: Results) -> list[tuple[str, float, bool]]:
    """What the smoke run must show: the rule, the difference in nats, and whether it holds."""

    def loss(variant: str, length: str) -> float:
        return values(results, "smoke", variant, "lengths", "none", length)[0]

    none_rope = loss("none", "64") - loss("rope", "64")
    alibi = loss("alibi", "512") - loss("alibi", "64")
    learned = loss("learned", "512") - loss("learned", "64")
    return [
        (f"none is worse than RoPE by more than {WORSE}", none_rope, none_rope > WORSE),
        (f"ALiBi loses less than {FLAT} at 8 times the length", alibi, alibi < FLAT),
        (f"learned loses more than {LOST} at 8 times the length", learned, learned > LOST),
    ]


def full(options: argparse.Namespace) -> int:
    """Run all experiments, or one of them, and print what came out."""
    chosen = experiments.full()
    if options.only:
        names = [experiment.name for experiment in chosen]
        if options.only not in names:
            raise ValueError(f"--only must be one of {', '.join(names)}, got {options.only}")
        chosen = tuple(experiment for experiment in chosen if experiment.name == options.only)
    text = read_text(options.text)
    print(report(runner.run(chosen, options.out, text=text, jobs=options.jobs)))
    return 0


def show(options: argparse.Namespace) -> int:
    """Print the results in a file."""
    path = Path(options.file)
    path.stat()  # a file that is not there is an error here
    print(report(load_results(path)))
    return 0
