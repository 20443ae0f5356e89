"""Run a snippet as if a reader had saved it to a file and run it.

Each run is a process of its own: an empty folder, no input, warnings as errors, nothing importable
but what is installed. The process is forked from a warmed parent, see `warm.py`.
"""

import atexit
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TIMEOUT = 30.0
CAN_FORK = hasattr(os, "fork")

_HOOKS = Path(__file__).parent
_PLAIN = ("numpy", "posenc_ref")
_DRAWING = (*_PLAIN, "matplotlib.pyplot", "matplotlib.backends.backend_svg")
_STYLED = (*_DRAWING, "_hooks.drawn", "_hooks.style")
_DRAWS = re.compile(r"^\s*(?:import|from)\s+matplotlib\b", re.MULTILINE)


class Run(NamedTuple):
    """What one snippet did."""

    stdout: str
    error: str
    """Traceback, or what else went wrong; empty if all went well."""
    drawings: tuple[bytes, ...]
    """Figures left open, as SVG."""


class _Parent(NamedTuple):
    process: subprocess.Popen[str]
    stamp: int


_parents: dict[tuple[str, ...], _Parent] = {}


def run(
    source: str, *, scheme: str | None = None, timeout: float = TIMEOUT, fork: bool = CAN_FORK
) -> Run:
    """Run `source` alone.

    Args:
        source: The snippet.
        scheme: Draw in the site's style, "light" or "dark"; in plain matplotlib if None.
        timeout: Seconds after which the snippet is killed.
        fork: Fork a warmed parent, or else start a new interpreter: slower, the same result.
    """
    modules = _STYLED if scheme else _DRAWING if _DRAWS.search(source) else _PLAIN
    with tempfile.TemporaryDirectory(prefix="snippet-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()  # a link on some systems, and a program sees no links
        snippet = folder / "home" / "snippet.py"
        snippet.parent.mkdir()
        snippet.write_text(source, "utf-8")
        request = json.dumps(
            {"folder": str(folder), "snippet": str(snippet), "scheme": scheme, "timeout": timeout}
        )
        ask = _ask_parent if fork else _ask_once
        code = ask(modules, request, timeout)
        drawings = sorted(folder.glob("drawing-*.svg"), key=lambda path: (len(path.name), path))
        return Run(
            stdout=_read(folder / "stdout"),
            error=_what_went_wrong(folder, code, timeout),
            drawings=tuple(path.read_bytes() for path in drawings),
        )


def _read(path: Path) -> str:
    return path.read_text("utf-8", errors="replace") if path.exists() else ""


def _what_went_wrong(folder: Path, code: int | None, timeout: float) -> str:
    said = _read(folder / "stderr").replace(f"{folder / 'home'}{os.sep}", "")
    if code is None:
        return f"still running after {timeout:g} s, so it was killed\n{said}"
    if code < 0:
        return f"killed by {signal.Signals(-code).name}\n{said}"
    if not (folder / "failure").exists():
        return f"left with exit code {code} before it was done\n{said}"
    failure = _read(folder / "failure")
    return failure + (f"wrote to stderr:\n{said}" if said else "")


def _command(modules: tuple[str, ...], *, once: bool) -> list[str]:
    settings = {"modules": modules, "paths": [str(ROOT), str(_HOOKS.parent)], "once": once}
    # -I: neither the caller's folder nor PYTHON… variables reach a snippet.
    return [sys.executable, "-I", "-X", "utf8", str(_HOOKS / "warm.py"), json.dumps(settings)]


def _environment() -> dict[str, str]:
    # A process with threads must not fork, and one thread gives the same sums everywhere.
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    return os.environ | dict.fromkeys(threads, "1") | {"MPLBACKEND": "Agg"}


def _ask_once(modules: tuple[str, ...], request: str, timeout: float) -> int | None:
    command = _command(modules, once=True)
    try:
        # The start of the interpreter and the imports are not the snippet's time.
        done = subprocess.run(
            command, input=request, text=True, env=_environment(), timeout=timeout + 10
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode


def _ask_parent(modules: tuple[str, ...], request: str, timeout: float) -> int | None:
    process = _warmed(modules)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    answer = ""
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(request + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    if not answer:
        raise RuntimeError(f"the process that runs snippets ended:\n{process.stderr.read()}")
    code: int | None = json.loads(answer)
    return code


def _warmed(modules: tuple[str, ...]) -> subprocess.Popen[str]:
    """The parent that has imported `modules`, started anew when the package has changed."""
    sources = [*(ROOT / "posenc_ref").rglob("*.py"), *_HOOKS.glob("*.py")]
    stamp = max(path.stat().st_mtime_ns for path in sources)
    parent = _parents.get(modules)
    if parent and (parent.stamp != stamp or parent.process.poll() is not None):
        _close(_parents.pop(modules))
        parent = None
    if parent is None:
        process = subprocess.Popen(
            _command(modules, once=False),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment(),
        )
        parent = _parents[modules] = _Parent(process, stamp)
    return parent.process


def _close(parent: _Parent) -> None:
    parent.process.communicate()  # closes its input, at which it ends


@atexit.register
def _close_all() -> None:
    while _parents:
        _close(_parents.popitem()[1])
