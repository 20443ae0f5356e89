"""The programs of "Check your implementation" that need more than this site has: run, where it is.

A block that a page shows without running it must be one of these files, and what stands below it is
what they print.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from _hooks import vectors
from _hooks.fences import find_fences
from tests import clinic_checks
from tests.conftest import DOCS, ROOT
from tests.docs_examples import pages, read_page, sources

FOLDER = DOCS / "vectors" / "run"
PAGE = DOCS / "tools" / "conformance.md"
OF_THE_CLINIC = clinic_checks.PAGES  # tests/test_clinic.py holds their blocks in PyTorch
PEERS = ROOT / ".cache/peers/bin/python"  # made by `make golden`


def commands():
    """Each command that the page shows, with the lines that it prints."""
    shown = [f.source for f in find_fences(read_page(PAGE)) if f.language == "console"]
    parts = re.split(r"^\$ (.*)\n", "\n".join(shown), flags=re.MULTILINE)[1:]
    return {
        command: printed.rstrip() for command, printed in zip(parts[0::2], parts[1::2], strict=True)
    }


def run(folder, *command):
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.rstrip()


@pytest.fixture
def folder(tmp_path):
    for path in FOLDER.iterdir():
        shutil.copy(path, tmp_path)
    for name, content in vectors.published().items():
        (tmp_path / Path(name).name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("path", sources(pages), ids=lambda path: path.stem)
def test_a_program_that_is_shown_without_being_run_is_one_of_these_files(path):
    files = {file.read_text("utf-8").rstrip() for file in FOLDER.iterdir()}

    programs = () if path in OF_THE_CLINIC else ("py", "cpp", "javascript")
    for fence in find_fences(read_page(path)):
        if fence.language in programs:
            assert fence.source.rstrip() in files, f"{path.name}:{fence.line}"


def test_every_program_is_shown():
    shown = {fence.source.rstrip() for fence in find_fences(read_page(PAGE))}

    assert {
        path.name for path in FOLDER.iterdir() if path.read_text().rstrip() not in shown
    } == set()
    assert list(commands()) == [
        "python rope_torch.py",
        "python rope_jax.py",
        "c++ -O2 -shared -fPIC -o rope.so rope.cpp",
        "python rope_cpp.py",
        "node rope.mjs rope-half.json",
        "node rope.mjs rope-interleaved.json",
    ]


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_python_with_another_library_prints_what_the_page_shows(folder, library):
    pythons = [python for python in (PEERS, Path(sys.executable)) if has(python, library)]
    if not pythons:
        pytest.skip(f"{library} is not installed here: gigabytes that only `make golden` asks for")

    name = f"rope_{library}.py"
    assert run(folder, str(pythons[0]), name) == commands()[f"python {name}"]


def has(python, library):
    code = f"import importlib.util as u, sys; sys.exit(u.find_spec({library!r}) is None)"
    return python.exists() and subprocess.run([python, "-c", code], check=False).returncode == 0


@pytest.mark.skipif(
    shutil.which("c++") is None,
    reason="no C++ compiler here, and it is no package that `make` could install",
)
def test_c_plus_plus_prints_what_the_page_shows(folder):
    compiling, checking = list(commands())[2:4]

    assert run(folder, *compiling.split()) == commands()[compiling] == ""
    assert run(folder, sys.executable, *checking.split()[1:]) == commands()[checking]


@pytest.mark.skipif(
    shutil.which("node") is None,
    reason="no Node.js here, and it is no package that `make` could install",
)
def test_javascript_prints_what_the_page_shows(folder):
    for command in list(commands())[4:]:
        assert run(folder, *command.split()) == commands()[command]
