"""The command `posenc`: what a config says about positions, from a shell.

`python -m posenc_ref` is the same. Each sub-command stands in a file of its own;
here is what becomes of an error: one line on standard error, and an exit code.
"""

import contextlib
import os
import sys
from collections.abc import Sequence

from posenc_ref.command_arguments import WRONG, parser
from posenc_ref.command_io import one_line
from posenc_ref.printable import printable

INTERRUPTED, NO_READER = 130, 141  # what shells report for Ctrl-C and for a closed pipe


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: Words after `posenc`; if not given, those that Python was started
            with.

    Returns:
        The exit code: 0 if all is well and nothing differs, 1 if something differs, 2
        for wrong usage, a file that cannot be read or written, or a config that
        cannot be. `posenc --help` names the others.

    Examples:
        >>> main(["--version"])
        posenc 0.1.0
        0
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if words[:1] == ["lab"]:
            from posenc_ref.lab import command as lab  # as slow to load as all the rest

            return lab.main(words[1:])
        options = parser().parse_args(words)
        code: int = options.run(options)
        _flush()
        return code
    except SystemExit as end:  # of argparse: after --help, or a line about wrong usage
        return end.code if isinstance(end.code, int) else 0
    except BrokenPipeError:
        _drop_output()
        return NO_READER
    except OSError as error:
        return _wrong(f"{error.filename or 'output'}: {error.strerror or error}")
    except (ValueError, MemoryError) as error:
        return _wrong(str(error) or "not enough memory")
    except KeyboardInterrupt:
        _wrong("interrupted")
        return INTERRUPTED


def _wrong(message: str) -> int:
    _drop_output()
    with contextlib.suppress(OSError):
        print(f"posenc: {printable(one_line(message))}", file=sys.stderr)
    return WRONG


def _flush() -> None:
    """An error of the output is told of here, and not after the end."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _drop_output() -> None:
    """Keep the interpreter from trying again, at its end, to write what nobody takes."""
    try:
        _flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
