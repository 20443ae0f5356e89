"""What a conformance check says. Result: a report, and the first mismatch in it.

Results are compared entry by entry: an entry agrees if

    |got - expected| <= atol + rtol * |expected|

A shape, a type or a NaN that does not fit is a mismatch too, and is told plainly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Mismatch:
    """Where a result first differs from the vectors."""

    case: str
    """Name of the case."""

    problem: str
    """What is wrong, in a sentence."""

    index: tuple[int, ...] | None = None
    """Axis by axis, of the first entry that differs; None if shape or type do not fit."""

    expected: float | None = None
    """That entry of the vectors."""

    got: float | None = None
    """That entry of the result."""

    largest_error: float | None = None
    """In the whole case; infinite if the result has a NaN."""


@dataclass(frozen=True)
class Report:
    """What came of running a function through a set of vectors; `print` it."""

    name: str
    """Of the set."""

    n_cases: int
    """How many cases were run: all of the set."""

    n_passed: int
    """How many of them agree."""

    tolerance: str
    """How far apart numbers may be."""

    mismatch: Mismatch | None
    """The first one; None if all cases agree."""

    likely: str | None
    """A mistake that gives all the results that came, right ones and wrong ones; None if none
    of the known ones does."""

    @property
    def passed(self) -> bool:
        """Whether all cases agree."""
        return self.mismatch is None

    def __str__(self) -> str:
        """Some lines for a person."""
        if self.mismatch is None:
            return f"{self.name}: all {self.n_cases} cases pass ({self.tolerance})"
        failed = self.n_cases - self.n_passed
        lines = [
            f"{self.name}: {failed} of {self.n_cases} cases fail ({self.tolerance})",
            f"first mismatch, case {self.mismatch.case!r}:",
            f"  {self.mismatch.problem}",
        ]
        if self.mismatch.largest_error is not None:
            lines.append(f"  largest error of the case: {self.mismatch.largest_error:.3g}")
        if self.likely is None:
            lines.append("no known mistake gives these results")
        else:
            lines += ["these results fit a known mistake:", f"  {self.likely}"]
        return "\n".join(lines)


def parts_of(expected: object, result: object) -> list[tuple[str, object, object]] | str:
    """Name, expected and result of each part; or a sentence, if the result lacks parts.

    A set may ask for several arrays, which its vectors name: a result has them by name, or in
    that order.
    """
    if not isinstance(expected, dict):
        return [("", expected, result)]
    names = list(expected)
    if isinstance(result, Mapping) and all(name in result for name in names):
        return [(name, expected[name], result[name]) for name in names]
    if isinstance(result, tuple | list) and len(result) == len(names):
        return list(zip(names, expected.values(), result, strict=True))
    return f"the result must be {len(names)} things, {', '.join(names)}; got {_kind(result)}"


def first_mismatch(
    case: str, expected: object, result: object, rtol: float, atol: float
) -> Mismatch | None:
    """The first entry of a result that differs from what a case expects."""
    parts = parts_of(expected, result)
    if isinstance(parts, str):
        return Mismatch(case, parts)
    found = (_mismatch(case, *part, rtol, atol) for part in parts)
    return next((mismatch for mismatch in found if mismatch is not None), None)


def _mismatch(
    case: str, part: str, expected: object, result: object, rtol: float, atol: float
) -> Mismatch | None:
    wanted = np.array(expected)
    of_part = f" of {part}" if part else ""
    got = as_array(result)
    if got is None:
        return Mismatch(case, f"the result{of_part} is no array of numbers; got {_kind(result)}")
    whole = wanted.dtype.kind in "iu"
    if got.dtype.kind not in ("iu" if whole else "iuf"):
        kind = "whole numbers" if whole else "real numbers"
        return Mismatch(case, f"the result{of_part} must hold {kind}; its dtype is {got.dtype}")
    if got.shape != wanted.shape:
        return Mismatch(
            case, f"the result{of_part} must have shape {wanted.shape}, not {got.shape}"
        )
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(np.float64) - wanted)
        wrong = ~(error <= atol + rtol * np.abs(wanted))  # NaN is in no order
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    right, found = float(wanted[index]), float(got[index])
    where = f"entry {index if len(index) != 1 else index[0]}{of_part}" if index else part
    return Mismatch(
        case,
        f"{where or 'the number'} must be {right:.10g}, got {found:.10g}",
        index,
        right,
        found,
        float(np.where(np.isnan(error), np.inf, error).max()),
    )


def as_array(result: object) -> NDArray[Any] | None:
    """Anything that NumPy reads as numbers: an array, lists, a tensor in the processor's memory."""
    try:
        array = np.asarray(result)
    except Exception:  # every library has its own for "not on this device", or "of no such type"
        return None
    return array if array.dtype.kind in "biufc" else None


def agrees(wanted: object, got: object, rtol: float, atol: object) -> bool:
    """Whether two results are the same to a tolerance, NaN and infinity included."""
    one, two = as_array(wanted), as_array(got)
    if one is None or two is None or one.shape != two.shape:
        return False
    with np.errstate(all="ignore"):
        near = np.abs(one - two) <= np.asarray(atol) + rtol * np.abs(one)
    return bool((near | (one == two) | (np.isnan(one) & np.isnan(two))).all())


def _kind(result: object) -> str:
    size = f" of {len(result)}" if isinstance(result, tuple | list) else ""
    return f"{type(result).__name__}{size}"
