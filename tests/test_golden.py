"""The golden values: whole, honest about their origin, and what is recorded today."""

import inspect
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import posenc_ref

ROOT = Path(__file__).parents[1]
RECORDERS = sorted(p.stem for p in (ROOT / "tests/record").glob("[!_]*.py") if p.stem != "form")
FILES = sorted((ROOT / "tests/golden").glob("*.json"))
# Made by `make golden`; nothing else needs it.
PYTHON = ROOT / ".cache/peers/bin/python"

# A class or function by its full name; which part of it, or what it was given, may follow.
RELEASED = re.compile(
    r"(torch|transformers|x_transformers|rotary_embedding_torch|positional_encodings)"
    r"(\.\w+)+(, .+)?"
)

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def test_each_file_has_its_recorder():
    assert [path.stem for path in FILES] == RECORDERS


@every_file
def test_a_case_names_what_ran_and_what_is_compared_with_it(path):
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
        assert re.fullmatch(RELEASED, case["source"]), case["name"]
        assert case["outputs"], case["name"]
        assert case["functions"], case["name"]
        for function in case["functions"]:
            assert inspect.isfunction(getattr(posenc_ref, function)), case["name"]


@every_file
def test_each_function_that_a_file_names_is_used_where_the_file_is_read(path):
    """The reference names what a function was compared with; this is what stands behind it."""
    readers = [
        text
        for text in (p.read_text(encoding="utf-8") for p in (ROOT / "tests").glob("test_*.py"))
        if re.search(rf'\b(load|each_case|CASES|cases)\w*\(\s*"{path.stem}"', text)
    ]
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]

    for function in sorted({name for case in cases for name in case["functions"]}):
        assert any(re.search(rf"\b{function}\b", text) for text in readers), function


@every_file
def test_the_versions_are_those_that_are_pinned(path):
    pins = dict(re.findall(r"^([\w-]+)==(\S+)", requirements(), re.MULTILINE))

    for library, version in json.loads(path.read_text(encoding="utf-8"))["versions"].items():
        assert version.split("+")[0] == pins[library]


@every_file
def test_a_file_of_golden_values_is_small_enough_to_read(path):
    assert path.stat().st_size < 400_000


# Recording needs two gigabytes of libraries, which only `make golden` installs; what they gave is
# compared with the package in every run all the same.
@pytest.mark.skipif(not PYTHON.exists(), reason="`make golden` has not been run here: no torch")
def test_what_is_committed_is_what_is_recorded_today():
    done = subprocess.run(
        [PYTHON, "-m", "tests.record", "--check"],
        cwd=ROOT, env=os.environ | {"HF_HUB_OFFLINE": "1"},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


def requirements():
    return (ROOT / "peers.txt").read_text(encoding="utf-8")
