"""Experiments run cell by cell, some at a time, each in a process with one thread.

Two cells on two cores take as long as one, and one thread sums in one order, so the
results of a machine are the same to the bit. A cell that is in the results is not
run again, so a run that was stopped goes on where it was.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from posenc_ref import checks
from posenc_ref.lab.cells import run_cell
from posenc_ref.lab.experiments import Cell, Experiment, Source
from posenc_ref.lab.progress import Progress
from posenc_ref.lab.results import (
    Results,
    about_text,
    in_order,
    load_results,
    machine,
    missing,
    save_results,
)
from posenc_ref.lab.text import grammar_text
from posenc_ref.lab.threads import ONE_THREAD

GRAMMAR = 100_000  # characters


def run(
    experiments: Sequence[Experiment], out: str | Path, *, text: str = "", jobs: int = 2
) -> Results:
    """Run all cells that are not in a file yet, and put them there, one by one.

    Ctrl-C stops it: what is done is in the file, and the steps that were taken of the
    cells under way are in a folder beside it, so that another run goes on from there.

    Args:
        experiments: What to run.
        out: The JSON file, see `results`.
        text: What experiments on a text train on.
        jobs: Cells at a time, at least 1.

    Returns:
        All that is in the file.

    Raises:
        KeyboardInterrupt: If it was stopped.
        OSError: If a file cannot be read or written.
        ValueError: If there is no text and one is needed, or the file holds the results
            of another text.
    """
    jobs = checks.whole_number("jobs", jobs, at_least=1)
    path = Path(out)
    results = load_results(path)
    order = [cell.key for experiment in experiments for cell in experiment.cells]
    cells = missing(results, experiments)
    texts: dict[Source, str] = {"text": text, "grammar": grammar_text(GRAMMAR), "task": ""}
    _note_texts(results, {cell.source for cell in cells} - {"task"}, texts)
    here = machine()
    if cells and here not in results["machines"]:
        results["machines"].append(here)

    kept = path.with_name(f"{path.stem}.steps")  # of the cells under way
    kept.mkdir(parents=True, exist_ok=True)
    progress = Progress("cells", len(order))
    with _one_thread(), ProcessPoolExecutor(jobs, get_context("spawn"), _deaf) as pool:
        try:
            for cell, result in _finished(pool, cells, texts, kept, jobs):
                place = results["machines"].index(here)
                results["cells"][cell.key] = {"told": cell.told(), "machine": place, **result}
                save_results(path, results, order)
                _file(kept, cell).unlink()
                progress.show(sum(key in results["cells"] for key in order))
        finally:
            progress.end()
    results["cells"] = in_order(results["cells"], order)
    if not any(kept.iterdir()):
        kept.rmdir()
    return results


def _finished(
    pool: Executor, cells: Sequence[Cell], texts: dict[Source, str], kept: Path, jobs: int
) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """Each cell with its results, when it is finished; after Ctrl-C no other is begun."""
    waiting, working = list(cells), dict[Future[Any], Cell]()
    stopped = False
    while working or (waiting and not stopped):
        while waiting and len(working) < jobs and not stopped:
            cell = waiting.pop(0)
            text = texts[cell.source]
            working[pool.submit(run_cell, cell, text, checkpoint=_file(kept, cell))] = cell
        try:
            done, _ = wait(working, return_when=FIRST_COMPLETED)
        except KeyboardInterrupt:
            stopped = True  # those at work heard of it too, and end after their step
            continue
        for job in done:
            cell, result = working.pop(job), job.result()
            if result is None:
                stopped = True
            else:
                yield cell, result
    if stopped:
        raise KeyboardInterrupt


def _note_texts(results: Results, sources: set[Source], texts: dict[Source, str]) -> None:
    for source in sources:
        if not texts[source]:
            raise ValueError("text must be given for experiments on a text, got none")
        about = about_text(texts[source])
        if results["texts"].setdefault(source, about) != about:
            raise ValueError(
                f"the file holds results of another {source}: {results['texts'][source]}, "
                f"not {about}"
            )


def _file(folder: Path, cell: Cell) -> Path:
    return folder / f"{cell.key.replace('/', '-').replace(' ', '-')}.npz"


def _deaf() -> None:
    """A process at work hears Ctrl-C while it trains, when it can be noted, and else never."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _one_thread() -> Iterator[None]:
    """For the processes that are begun here: NumPy reads these when it is loaded."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
