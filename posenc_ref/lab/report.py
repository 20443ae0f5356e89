"""Results in words: tables and curves in text, of 80 columns."""

from collections.abc import Iterator, Sequence
from typing import Any

from posenc_ref.lab.intervals import interval
from posenc_ref.lab.plot import Points, plot
from posenc_ref.lab.results import Results

NAME = 18  # columns


def report(results: Results) -> str:
    """All experiments of a file of results, one after another.

    Means over the seeds, and after the sign ± half the width of the 95 % interval, if
    there are two seeds or more (see `intervals`).

    Raises:
        ValueError: If there are no results.
    """
    names = list(dict.fromkeys(key.split("/")[0] for key in results["cells"]))
    if not names:
        raise ValueError("there are no results to report")
    return "\n\n".join(text for name in names for text in _experiment(results, name))


def _experiment(results: Results, name: str) -> Iterator[str]:
    variants: dict[str, list[dict[str, Any]]] = {}
    for key, cell in results["cells"].items():
        experiment, variant, _ = key.split("/")
        if experiment == name:
            variants.setdefault(variant, []).append(cell)
    n_seeds = max(map(len, variants.values()))
    title = f"{name}: {n_seeds} seed{'s' if n_seeds > 1 else ''}"
    if "sizes" in next(iter(variants.values()))[0]:
        yield f"{title}, share of characters that are right\n\n{_tasks(variants)}"
        return
    yield f"{title}, validation loss in nats, by length of the text\n\n{_lengths(variants)}"
    if max(len(cell["losses"]) for cells in variants.values() for cell in cells) > 1:
        yield plot(
            {variant: _by_step(cells) for variant, cells in variants.items()},
            x_label="step",
            y_label="validation loss (nats) at the trained length",
        )
    yield plot(
        {variant: _by_length(cells) for variant, cells in variants.items()},
        x_label="tokens",
        y_label="validation loss (nats) by length of the text",
        doubling=True,
    )


def _lengths(variants: dict[str, list[dict[str, Any]]]) -> str:
    rows: dict[str, list[str]] = {}
    lengths: list[str] = []
    for variant, cells in variants.items():
        for scaling, losses in cells[0]["lengths"].items():
            lengths = list(losses)
            label = variant if scaling == "none" else f"{variant}, {scaling}"
            rows[label] = [
                mean_and_half([cell["lengths"][scaling][length] for cell in cells])
                for length in lengths
            ]
    return _table(lengths, rows)


def _tasks(variants: dict[str, list[dict[str, Any]]]) -> str:
    """One table for each task and kind of model."""
    tables: dict[str, dict[str, list[str]]] = {}
    heads: dict[str, list[str]] = {}
    for variant, cells in variants.items():
        task, kind, scheme = variant.split()
        title = f"{task}, {kind}"
        heads[title] = [f"size {size}" for size in cells[0]["sizes"]]
        tables.setdefault(title, {})[scheme] = [
            mean_and_half([cell["sizes"][size]["characters"] for cell in cells])
            for size in cells[0]["sizes"]
        ]
    return "\n\n".join(f"{title}\n{_table(heads[title], rows)}" for title, rows in tables.items())


def _table(heads: Sequence[str], rows: dict[str, list[str]]) -> str:
    lines = ["".join([f"{'':{NAME}}", *(f"{head:>15}" for head in heads)])]
    lines += [
        "".join([f"{label:{NAME}}", *(f"{cell:>15}" for cell in cells)])
        for label, cells in rows.items()
    ]
    return "\n".join(lines)


def mean_and_half(values: Sequence[float]) -> str:
    """A mean, and how far its interval reaches to each side.

    Examples:
        >>> from posenc_ref.lab.report import mean_and_half
        >>> mean_and_half([1.0, 1.1, 1.2]), mean_and_half([1.0])
        ('1.100 ± 0.248', '1.000')
    """
    if len(values) < 2:
        return f"{values[0]:.3f}"
    mean, low, high = interval(values)
    return f"{mean:.3f} ± {(high - low) / 2:.3f}"


def _by_step(cells: list[dict[str, Any]]) -> Points:
    steps = [row[0] for row in cells[0]["losses"]]
    return [
        (step, sum(cell["losses"][i][2] for cell in cells) / len(cells))
        for i, step in enumerate(steps)
    ]


def _by_length(cells: list[dict[str, Any]]) -> Points:
    return [
        (int(length), sum(cell["lengths"]["none"][length] for cell in cells) / len(cells))
        for length in cells[0]["lengths"]["none"]
    ]
