"""A snippet runs as a reader's file would: alone, in an empty folder, without input."""

import os
import sys
import tempfile
import time

import pytest

from _hooks.run import run
from _hooks.warm import installed


def test_output_is_what_was_printed():
    assert run("print('a')\nprint('é − ü')") == ("a\né − ü\n", "", ())


def test_output_of_a_subprocess_is_heard_too():
    source = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(7)'])"

    assert run(source).stdout == "7\n"


def test_the_folder_holds_the_snippet_alone_and_is_searched_for_modules():
    source = (
        "import os, sys\n"
        "print(__name__, os.listdir(), sys.path[0] == os.getcwd(), sys.argv == [__file__])"
    )

    assert run(source).stdout == "__main__ ['snippet.py'] True True\n"


def test_a_temporary_folder_may_be_a_link(tmp_path, monkeypatch):
    """As on macOS, where /tmp is one."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.setattr(tempfile, "tempdir", str(link))

    assert run("import os, sys\nprint(sys.path[0] == os.getcwd())").stdout == "True\n"
    assert run("1 / 0").error.splitlines()[1] == '  File "snippet.py", line 1, in <module>'


def test_a_checkout_below_the_installed_python_stays_out_of_reach(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/usr/venv")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    added = ["/usr/src/app", "/usr/src/app/docs"]
    kept = ["/usr/lib/python311.zip", "/usr/lib/python3.11", "/usr/venv/lib/site-packages"]

    assert installed([*added, *kept, "/usr-local/app", "/srv/app", ""], added) == kept


@pytest.mark.parametrize("module", ["tests", "docs", "_hooks", "_figures", "conftest"])
def test_nothing_of_the_checkout_but_the_package_can_be_imported(module):
    assert f"No module named '{module}'" in run(f"import posenc_ref\nimport {module}").error


def test_a_module_of_the_package_can_be_imported():
    assert run("import posenc_ref.positions").error == ""


@pytest.mark.parametrize(
    ("leave", "look"),
    [
        ("x = 1", "x"),
        ("import numpy\nnumpy.mark = 1", "import numpy\nnumpy.mark"),
        ("import builtins\nbuiltins.mark = 1", "mark"),
        ("import os\nos.environ['MARK'] = ''", "import os\nos.environ['MARK']"),
        ("open('mark', 'x').close()", "open('mark').close()"),
        ("import sys\nsys.modules['mark'] = sys", "import mark"),
    ],
)
def test_nothing_that_one_snippet_leaves_reaches_another(leave, look):
    assert run(f"{leave}\n{look}").error == ""
    assert run(leave).error == ""
    assert run(look).error.startswith("Traceback")


def test_settings_of_numpy_start_afresh():
    assert run("import numpy as np\nnp.set_printoptions(precision=2)").error == ""
    assert run("import numpy as np\nprint(np.array([1 / 3]))").stdout == "[0.33333333]\n"


@pytest.mark.parametrize("other", ["", "import matplotlib\n"])
def test_random_numbers_are_as_random_as_in_a_program_of_its_own(other):
    """A seed that all forks share would hide an example whose output changes with every run."""
    source = f"{other}import random\nimport numpy as np\nprint(random.random(), np.random.rand())"

    assert run(source).stdout.split()[0] != run(source).stdout.split()[0]
    assert run(source).stdout.split()[1] != run(source).stdout.split()[1]


def test_figures_of_one_snippet_are_not_those_of_another():
    draws = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"

    assert [len(run(draws).drawings) for _ in range(2)] == [1, 1]
    assert run("import matplotlib").drawings == ()


def test_the_same_snippet_draws_the_same_bytes_in_a_fork_and_in_a_new_interpreter():
    draws = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nprint(1)"

    assert run(draws) == run(draws, fork=False)


def test_a_traceback_starts_in_the_snippet():
    error = run("def f():\n    return 1 / 0\n\n\nf()").error

    assert error.splitlines()[1] == '  File "snippet.py", line 5, in <module>'
    assert error.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("x = (", "SyntaxError: '(' was never closed"),
        ("import sys\nsys.exit(0)", "the snippet called sys.exit(0)"),
        ("import os\nos._exit(0)", "left with exit code 0 before it was done"),
        ("import os\nos.abort()", "killed by SIGABRT"),
        ("input()", "EOFError"),
        ("import warnings\nwarnings.warn('old', DeprecationWarning)", "DeprecationWarning: old"),
        ("import numpy as np\nnp.ones(1) / 0", "RuntimeWarning: divide by zero"),
        ("open('x', 'w').write('')", "ResourceWarning: unclosed file"),
        ("import sys\nprint('hm', file=sys.stderr)", "wrote to stderr:\nhm"),
        (
            "import threading\nthreading.Thread(target=lambda: 1 / 0).start()",
            "ZeroDivisionError: division by zero",
        ),
    ],
)
def test_whatever_goes_wrong_is_said(source, error):
    assert error in run(source).error


def test_what_happens_at_the_end_of_a_program_happens():
    source = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'last')\n"
        "threading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()\n"
        "print('first')"
    )

    assert run(source).stdout == "first\nlate\nlast\n"


def test_a_snippet_that_hangs_is_killed_with_all_that_it_started(tmp_path):
    """A pipe whose writing end the snippet hands to a child: it ends when nobody holds it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    source = (
        "import os, subprocess, sys, time\n"
        f"end = os.open({str(pipe)!r}, os.O_WRONLY)\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(20)']\n"
        "child = subprocess.Popen(sleep, pass_fds=[end])\n"
        "os.write(end, b'x')\n"
        "time.sleep(20)"
    )

    assert "still running after 1 s, so it was killed" in run(source, timeout=1).error
    assert os.read(reader, 1) == b"x"
    os.set_blocking(reader, True)
    start = time.monotonic()
    assert os.read(reader, 1) == b""
    assert time.monotonic() - start < 5
    os.close(reader)


def test_a_warning_stops_the_snippet():
    result = run("import warnings\nprint(1)\nwarnings.warn('old')\nprint(2)")

    assert result.stdout == "1\n"
    assert result.error.startswith("Traceback")


def test_the_parent_lives_on_after_a_snippet_that_was_killed():
    assert "killed" in run("while True: pass", timeout=0.2).error
    assert run("print(1)").stdout == "1\n"


def test_the_interpreter_is_this_one():
    assert run("import sys\nprint(sys.executable)").stdout.strip() == sys.executable
