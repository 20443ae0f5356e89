"""`posenc check-configs`: a folder of config files against the answers beside them."""

import argparse
import json
import math
from pathlib import Path
from typing import Any

from posenc_ref.command_io import say
from posenc_ref.config import read_config
from posenc_ref.expressions import ConfigError, is_number

TOLERANCE = 1e-6  # relative: recorded frequencies are float32
RECORDED_BESIDE = "f32_vs_f64"  # says how far the recorded run strayed, and is no answer
SHOWN = 6  # mismatches of one file


def run(options: argparse.Namespace) -> int:
    """Print each mismatch and a summary. Exit code 0 if there is none, else 1."""
    folder = Path(options.folder)
    answers = _answers(folder / "expected.json")
    wrong = {f"{name}.json": mismatches(folder / f"{name}.json", answers[name]) for name in answers}
    summary = _summary("configs", wrong, "give the expected answers")
    unread = folder / "malformed" / "malformed.json"
    if unread.exists():
        cases = _object(unread)
        faults = {
            f"malformed/{name}.json": not_refused(unread.with_name(f"{name}.json"), cases[name])
            for name in cases
        }
        summary += "\n" + _summary("malformed configs", faults, "are refused or warned of")
        wrong |= faults
    lines = []
    for name, found in wrong.items():
        more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
        lines += [f"{name}: {text}" for text in found[:SHOWN] + more]
    unasked = sorted({path.name for path in folder.glob("*.json")} - {*wrong, "expected.json"})
    if unasked:
        lines.append(f"without an answer in expected.json: {', '.join(unasked)}")
    say("\n".join([*lines, summary]))
    return 1 if any(wrong.values()) else 0


def _summary(what: str, wrong: dict[str, list[str]], right: str) -> str:
    good = sum(not found for found in wrong.values())
    return f"{good} of {len(wrong)} {what} {right}"


def _object(path: Path) -> dict[str, Any]:
    """A file of answers.

    Raises:
        ValueError: If it is no JSON object of objects.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} must be JSON, got: {error}") from None
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
        raise ValueError(f"{path} must be an object whose values are objects")
    return value


def _answers(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} must be JSON, got: {error}") from None
    answers = value.get("configs") if isinstance(value, dict) else None
    if not isinstance(answers, dict) or not all(
        isinstance(answer, dict) and isinstance(answer.get("parts"), list)
        for answer in answers.values()
    ):
        raise ValueError(f"{path} must have 'configs', with a list 'parts' for each name")
    return answers


def mismatches(path: Path, answer: dict[str, Any]) -> list[str]:
    """Where the parts that are read differ from the answer, each with its key."""
    try:
        parts = read_config(path).to_dict()["parts"]
    except ConfigError as error:
        return [f"refused: {error}"]
    except OSError as error:
        return [f"cannot be read: {error.strerror}"]
    return differences(parts, answer["parts"], "parts")


def differences(value: Any, expected: Any, key: str) -> list[str]:
    """What differs below a key; what is there and not expected does not count.

    Numbers may differ by a relative 1e-6.
    """
    if isinstance(expected, dict):
        if not isinstance(value, dict):
            return [_differs(key, value, expected)]
        return [
            text
            for name, item in expected.items()
            if name != RECORDED_BESIDE
            for text in (
                differences(value[name], item, f"{key}.{name}")
                if name in value
                else [f"{key}.{name} must be {_short(item)}, got nothing"]
            )
        ]
    if isinstance(expected, list):
        if not isinstance(value, list):
            return [_differs(key, value, expected)]
        if len(value) != len(expected):
            return [f"{key} must have {len(expected)} entries, got {len(value)}"]
        pairs = enumerate(zip(value, expected, strict=True))
        return [
            text for i, (one, other) in pairs for text in differences(one, other, f"{key}[{i}]")
        ]
    if is_number(expected):
        close = is_number(value) and math.isclose(value, expected, rel_tol=TOLERANCE, abs_tol=1e-30)
        return [] if close else [_differs(key, value, expected)]
    same = type(value) is type(expected) and value == expected
    return [] if same else [_differs(key, value, expected)]


def _differs(key: str, value: Any, expected: Any) -> str:
    return f"{key} must be {_short(expected)}, got {_short(value)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def not_refused(path: Path, case: dict[str, Any]) -> list[str]:
    """What is wrong with the way in which a malformed config is read."""
    wished = case.get("a_good_reader")
    keys = case.get("names_the_keys", [])
    try:
        warnings = read_config(path).warnings
    except OSError as error:
        return [f"cannot be read: {error.strerror}"]
    except ConfigError as error:
        if wished != "error":
            return [f"must be read with a warning, got the error: {error}"]
        return [f"the error must name {key}, got: {error}" for key in keys if key not in str(error)]
    if wished == "error":
        return ["must be refused, got an answer"]
    named = {key for found in warnings for key in found.keys}
    return [
        f"a warning must name {key}, got {len(warnings)} others" for key in keys if key not in named
    ]
