"""Golden values: what released code gave, recorded by `make golden` (see tests/record)."""

import functools
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

GOLDEN = Path(__file__).parent / "golden"


@functools.cache
def load(name):
    """The cases of one file; `inputs` and `outputs` are dicts, in which lists are arrays."""
    record = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return [
        SimpleNamespace(
            **{
                **case,
                "inputs": {key: _array(value) for key, value in case["inputs"].items()},
                "outputs": {key: _array(value) for key, value in case["outputs"].items()},
            }
        )
        for case in record["cases"]
    ]


def _array(value):
    """Lists of numbers as arrays; lists of words, and of rows of unequal length, as they are."""
    if not isinstance(value, list):
        return value
    try:
        array = np.array(value)
    except ValueError:
        return value
    return array if array.dtype.kind in "biuf" else value


def each_case(name, function):
    """Run a test with every case of a file that was recorded for that function of posenc_ref."""
    cases = [case for case in load(name) if function in case.functions]
    assert cases, f"{name}.json records nothing for {function}"
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)
