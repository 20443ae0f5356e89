"""A warmed parent: a Python that has imported what snippets need, and forks once for each of them.

`run.py` starts this file as a program of its own and writes one JSON request a line; each is
answered by one JSON line. A fork costs milliseconds where a new interpreter costs up to half a
second, and still no snippet can see what another one did.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def main() -> None:
    settings = json.loads(sys.argv[1])
    sys.path += settings["paths"]
    for module in settings["modules"]:
        importlib.import_module(module)
    if settings["once"]:
        os._exit(work(json.loads(sys.stdin.readline()), settings["paths"]))
    gc.freeze()  # a child that collects garbage then leaves the parent's memory alone
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.setsid()
            os._exit(work(request, settings["paths"]))
        print(json.dumps(wait(child, request["timeout"])), flush=True)


def wait(child: int, timeout: float) -> int | None:
    """The child's exit code, or None if it was killed for taking too long."""
    give_up = time.monotonic() + timeout
    pause = 0.001
    done = 0
    try:
        while time.monotonic() < give_up:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(pause)
            pause = min(2 * pause, 0.005)
        return None
    finally:
        kill_group(child)
        if not done:
            os.waitpid(child, 0)


def kill_group(leader: int) -> None:
    """End a child and whatever it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of it is left
        os.killpg(leader, signal.SIGKILL)


def work(request: dict[str, Any], added: list[str]) -> int:
    """Run one snippet in this process; what it said and drew is left in the request's folder.

    `added` is what was put on the path for the imports of this process, not for the snippet.
    """
    folder, snippet = Path(request["folder"]), Path(request["snippet"])
    atexit._clear()
    redirect(folder)
    if request["scheme"]:
        sys.modules["_hooks.drawn"].wear(request["scheme"])
    lock_in(snippet, added)
    failure = attempt(snippet, lambda: runpy.run_path(str(snippet), run_name="__main__"))
    failure += attempt(snippet, finish)
    failure += attempt(snippet, lambda: save_figures(folder))
    (folder / "failure").write_text(failure, "utf-8")
    flush()
    return 1 if failure else 0


def redirect(folder: Path) -> None:
    """No input, and output to files. At the level of descriptors, so that C code and
    subprocesses are heard too."""
    for descriptor, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, folder / "stdout", os.O_WRONLY | os.O_CREAT),
        (2, folder / "stderr", os.O_WRONLY | os.O_CREAT),
    ):
        opened = os.open(path, flags)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = os.fdopen(0, closefd=False)


def lock_in(snippet: Path, added: list[str]) -> None:
    """Make the process look like `python snippet.py` in the snippet's own folder.

    What the checkout holds beside the package (tests, hooks) is out of reach: a reader lacks it.
    """
    here = str(snippet.parent)
    os.chdir(here)
    sys.argv = [str(snippet)]
    sys.path[:] = [here, *installed(sys.path, added)]
    for name in list(sys.modules):
        if name.partition(".")[0] in ("_hooks", "_figures"):
            del sys.modules[name]
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot:
        vars(pyplot)["show"] = lambda *args, **kwargs: None  # there is no window here
    warnings.simplefilter("error")


def installed(entries: Iterable[str], added: list[str]) -> list[str]:
    """The folders of this Python and its packages.

    A checkout may lie below them, as /usr/src/app does below /usr, so `added` is named.
    """
    prefixes = (sys.prefix, sys.base_prefix)
    return [
        entry
        for entry in entries
        if entry not in added and any(Path(entry).is_relative_to(prefix) for prefix in prefixes)
    ]


def attempt(snippet: Path, action: Any) -> str:
    """The traceback of what went wrong, from the snippet's own first line on."""
    try:
        action()
    except SystemExit as stop:
        return f"SystemExit: the snippet called sys.exit({stop.code!r})\n"
    except BaseException as error:
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename != str(snippet):
            frames = frames.tb_next
        lines = traceback.format_exception(type(error), error, frames)
        return "".join(lines).replace(str(snippet), snippet.name)
    return ""


def finish() -> None:
    """What an interpreter does at its end, without the time it takes to tear down its modules."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    gc.collect()  # unclosed files complain now
    flush()


def flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def save_figures(folder: Path) -> None:
    """Every figure that the snippet left open, as SVG without date or random names."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if not pyplot:
        return
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "posenc"}):
        for number in pyplot.get_fignums():
            pyplot.figure(number).savefig(
                folder / f"drawing-{number}.svg",
                format="svg",
                metadata={"Date": None, "Creator": None},
            )


if __name__ == "__main__":
    main()
