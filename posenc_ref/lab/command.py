"""`posenc lab`: train a small model, or run the experiments, from a shell.

NumPy reads how many threads to use when it is loaded, and one thread is what makes
a run the same each time. So the command starts itself again, with the settings for
one thread, unless they are set already.
"""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from posenc_ref.lab.config import POSITIONS
from posenc_ref.lab.threads import ONE_THREAD

INTERRUPTED = 130  # what shells report for Ctrl-C
RESULTS = "lab-results.json"

EXAMPLES = """\
examples:
  posenc lab train --positions rope
  posenc lab train --positions none --text plays.txt --steps 1500 --sample 300
  posenc lab smoke
  posenc lab full --text plays.txt --out results.json
  posenc lab report results.json
"""


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Add `train`, `smoke`, `full` and `report`; each is run by `run`."""
    add = parser.add_subparsers(
        dest="lab", metavar="COMMAND", title="commands", required=True
    ).add_parser

    train = add("train", help="train one model, and show its losses and a sample")
    train.add_argument("--positions", choices=POSITIONS, required=True, help="the scheme")
    train.add_argument("--text", metavar="FILE", help="text in UTF-8; a generated one if not given")
    for name, default, about in (
        ("steps", 1000, "batches"),
        ("block", 64, "characters in a row"),
        ("batch", 16, "rows in a batch"),
        ("d-model", 64, "width"),
        ("n-heads", 4, "heads"),
        ("n-layers", 2, "layers"),
        ("seed", 0, "of weights, batches and sample"),
        ("sample", 200, "characters to write at the end"),
    ):
        train.add_argument(
            f"--{name}", metavar="N", type=int, default=default, help=f"{about} ({default})"
        )
    train.add_argument(
        "--learning-rate", metavar="X", type=float, default=2e-3, help="the highest (0.002)"
    )
    train.add_argument(
        "--checkpoint", metavar="FILE.npz", help="take the run up from there, and save it there"
    )

    smoke = add("smoke", help="four schemes on a generated text, in half a minute")
    smoke.add_argument("--out", metavar="FILE.json", help="keep the results")
    full = add("full", help="all experiments, in half an hour on two cores")
    full.add_argument("--text", metavar="FILE", required=True, help="text in UTF-8")
    full.add_argument(
        "--out",
        metavar="FILE.json",
        default=RESULTS,
        help=f"results, also to go on from ({RESULTS})",
    )
    full.add_argument("--only", metavar="NAME", help="one experiment")
    for command in (smoke, full):
        command.add_argument("--jobs", metavar="N", type=int, default=2, help="at a time (2)")
    report = add("report", help="show results in tables and curves")
    report.add_argument("file", metavar="FILE.json", help="results")
    for command in (train, smoke, full, report):
        command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run one of the commands.

    Returns:
        0, or 1 if the smoke run shows another order than is known, or 130 if it was
        stopped by Ctrl-C; what was done is then saved, if there is a place for it.

    Raises:
        OSError: If a file cannot be read or written.
        ValueError: If an argument is bad.
    """
    if options.lab != "report" and any(os.environ.get(k) != v for k, v in ONE_THREAD.items()):
        return _again(options)
    from posenc_ref.lab import work

    try:
        return {
            "train": work.train_one,
            "smoke": work.smoke,
            "full": work.full,
            "report": work.show,
        }[options.lab](options)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED


def words(options: argparse.Namespace) -> list[str]:
    """The words that give these options again.

    Examples:
        >>> import argparse
        >>> words(argparse.Namespace(lab="smoke", out=None, jobs=2, run=print))
        ['smoke', '--jobs=2']
    """
    given = {k: v for k, v in vars(options).items() if k not in ("lab", "run") and v is not None}
    return [options.lab, *(f"--{name.replace('_', '-')}={value}" for name, value in given.items())]


def _again(options: argparse.Namespace) -> int:
    command = [sys.executable, "-m", "posenc_ref.lab", *words(options)]
    root = str(Path(__file__).parents[2])  # where this package is, installed or not
    places = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(places)}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the new one hears of Ctrl-C
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def main(arguments: list[str] | None = None) -> int:
    """`python -m posenc_ref.lab`."""
    parser = argparse.ArgumentParser(
        prog="posenc lab",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_commands(parser)
    options = parser.parse_args(arguments)
    try:
        return run(options)
    except OSError as error:
        print(f"posenc: {error.filename}: {error.strerror}", file=sys.stderr)
    except (ValueError, MemoryError) as error:
        print(f"posenc: {error}", file=sys.stderr)
    return 2
