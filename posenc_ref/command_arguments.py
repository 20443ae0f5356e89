"""The arguments of the command `posenc`, and what `--help` says of them."""

import argparse
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

import posenc_ref
from posenc_ref import command_check, command_compare, command_explain, command_tables
from posenc_ref.command_io import WIDTH, one_line
from posenc_ref.printable import printable

WRONG = 2  # the exit code of argparse too

CODES = """\
exit codes:
  0  done, and nothing differs
  1  compare found a difference, check-configs a mismatch
  2  wrong usage, a file that cannot be read or written, or a config that
     cannot be; one line on standard error says which
  130, 141  stopped by Ctrl-C, or because nobody reads the output any more
"""
EXAMPLES = {
    "": """\
examples:
  posenc explain config.json
  posenc explain model-folder --layer 0 --seq-len 40000
  posenc compare llama-2/config.json llama-3/config.json
  posenc tables config.json --out tables.npz --seq-len 4096
  posenc explain --help
""",
    "explain": """\
examples:
  posenc explain config.json
  posenc explain model-folder --json
  cat config.json | posenc explain -
  posenc explain config.json --layer 0
  posenc explain config.json --layer 0 --seq-len 40000 --json
  posenc explain config.json --part vision
""",
    "compare": """\
examples:
  posenc compare base/config.json long-context/config.json
  cat config.json | posenc compare - other/config.json
  posenc compare a.json b.json --json

The number of layers alone is no difference in positions, nor is model_type.
""",
    "tables": """\
examples:
  posenc tables config.json --out tables.npz
  posenc tables config.json --out tables.npz --seq-len 40000 --layer 5
  posenc tables t5/config.json --out decoder.npz --part decoder --seq-len 512

arrays, in float64 or int64, read with numpy.load:
  RoPE        cos, sin (positions, pairs), inv_freq, attention_factor;
              cos and sin are multiplied by attention_factor already
  ALiBi       slopes (heads,), distance, bias (heads, distances)
  T5          relative (key minus query), buckets
  sinusoidal  table (positions, width); row t is what token t gets
""",
    "check-configs": """\
examples:
  posenc check-configs configs

The folder holds NAME.json files, and expected.json with
{"configs": {NAME: {"parts": [...]}}}, whose parts are those that
`posenc explain NAME.json --json` prints. Every key that stands there must be
right, numbers to a relative 1e-6. A folder `malformed` with malformed.json,
{NAME: {"a_good_reader": "error" or "warning", "names_the_keys": [...]}}, is
checked too.
""",
}


class _Parser(argparse.ArgumentParser):
    """With one line for wrong usage, where argparse prints the usage too."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and leave."""
        text = printable(one_line(message))
        self.exit(WRONG, f"posenc: {text} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The arguments of all sub-commands, each with the function that runs it, as `run`."""
    top = _made(
        _Parser,
        "",
        "What a model's config.json says about positions. Nothing is fetched, and no code of a "
        "config is run.",
        prog="posenc",
    )
    top.add_argument("--version", action="version", version=f"posenc {posenc_ref.__version__}")
    add = top.add_subparsers(metavar="COMMAND", title="commands", required=True).add_parser
    path = "a config.json, a folder that holds one, or - for standard input"

    explain = _made(add, "explain", "Say what a config means: in words, or one layer in numbers.")
    explain.add_argument("path", metavar="PATH", help=path)
    _add_choice(explain, "print the frequencies of layer N, counted from 0")
    explain.add_argument("--json", action="store_true", help="print JSON")
    explain.set_defaults(run=command_explain.run)

    compare = _made(add, "compare", "Say what differs between the positions of two configs.")
    compare.add_argument("a", metavar="A", help=path)
    compare.add_argument("b", metavar="B", help="the other one")
    compare.add_argument("--json", action="store_true", help="print JSON")
    compare.set_defaults(run=command_compare.run)

    tables = _made(add, "tables", "Write the arrays of a config into a file for NumPy.")
    tables.add_argument("path", metavar="PATH", help=path)
    tables.add_argument("--out", metavar="FILE.npz", required=True, help="the file to write")
    tables.add_argument("--force", action="store_true", help="write over a file that is there")
    _add_choice(tables, "take the frequencies of layer N; if not given, of the first that rotates")
    tables.set_defaults(run=command_tables.run)

    check = _made(add, "check-configs", "Compare a folder of configs with the answers beside them.")
    check.add_argument("folder", metavar="FOLDER", help="a folder with expected.json")
    check.set_defaults(run=command_check.run)

    add("lab", help="train a small GPT with and without positions (posenc lab --help)")
    return top


def _made(
    make: Callable[..., argparse.ArgumentParser], name: str, description: str, **options: Any
) -> argparse.ArgumentParser:
    if name:
        options |= {"name": name, "help": f"{description[0].lower()}{description[1:].rstrip('.')}"}
    return make(
        **options,
        description=textwrap.fill(description, WIDTH - 2),
        epilog=f"{EXAMPLES[name]}\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # so that a new option never changes what an old line means
    )


def _add_choice(command: argparse.ArgumentParser, layer: str) -> None:
    command.add_argument("--layer", metavar="N", type=int, help=layer)
    command.add_argument("--part", metavar="NAME", help="such as text, vision, encoder, decoder")
    command.add_argument("--seq-len", metavar="N", type=_length, help="for a text of N tokens")


def _length(text: str) -> int:
    length = int(text)
    if not 1 <= length <= 2**53:
        raise argparse.ArgumentTypeError(f"must be from 1 to 2**53, got {text}")
    return length
