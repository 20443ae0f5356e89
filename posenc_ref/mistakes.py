"""The likeliest mistake behind results that differ. Result: its name, or none.

For each set of vectors there is a list of mistakes, each a few words and a
function that computes what the mistake gives. If such a function has the same
results as the caller's in every case, right ones and wrong ones alike, then that
mistake fits. Where none does, nothing is said: a guess would mislead.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from posenc_ref.comparison import agrees, parts_of
from posenc_ref.mistaken_biases import BIASES
from posenc_ref.mistaken_frequencies import FREQUENCIES
from posenc_ref.mistaken_places import PLACES
from posenc_ref.mistaken_ramps import RAMPS
from posenc_ref.mistaken_rotations import ROTATIONS

Mistakes: TypeAlias = Mapping[str, Callable[..., Any]]

MISTAKES: Mapping[str, Mistakes] = {
    **ROTATIONS,
    **FREQUENCIES,
    **RAMPS,
    **BIASES,
    **PLACES,
}
FLOAT32 = "angles in float32: right at first, worse as positions grow"
FLOAT32_ANGLE = 1e-6  # of the angle; frequency, position and product are rounded, each to 6e-8


class Case(NamedTuple):
    """One case of a set."""

    name: str
    inputs: Mapping[str, Any]
    expected: Any

    def arguments(self) -> list[Any]:
        """The inputs in order, made anew each time: a function may write into what it gets."""
        values = self.inputs.values()
        return [np.array(value) if isinstance(value, list) else value for value in values]


def likely_mistake(
    name: str, cases: list[Case], results: list[object], rtol: float, atol: float
) -> str | None:
    """The first mistake of a set that gives these results.

    Results may have angles in float32 besides: what that costs grows with the
    position, and is allowed for.
    """
    slack = [atol + _float32_slack(case) for case in cases]
    known = MISTAKES.get(name.removesuffix("-large"), {})
    with np.errstate(all="ignore"):
        for words, mistaken in known.items():
            if all(
                _gives(mistaken, case, result, rtol, allowed)
                for case, result, allowed in zip(cases, results, slack, strict=True)
            ):
                return words
    if any(np.max(allowed) > atol for allowed in slack) and all(
        _fits(case, case.expected, result, rtol, allowed)
        for case, result, allowed in zip(cases, results, slack, strict=True)
    ):
        return FLOAT32
    return None


def _gives(
    mistaken: Callable[..., Any], case: Case, result: object, rtol: float, atol: object
) -> bool:
    try:
        given = mistaken(*case.arguments())
    except Exception:  # a mistake may have no result at all, in a set that a caller made
        return False
    return _fits(case, given, result, rtol, atol)


def _fits(case: Case, mistaken: object, result: object, rtol: float, atol: object) -> bool:
    ours, theirs = parts_of(case.expected, mistaken), parts_of(case.expected, result)
    if isinstance(ours, str) or isinstance(theirs, str):
        return False
    return all(
        agrees(one, two, rtol, atol) for (_, _, one), (_, _, two) in zip(ours, theirs, strict=True)
    )


def _float32_slack(case: Case) -> NDArray[np.float64]:
    """How far a row may be off if its angle was made in float32; 0 where there are no angles."""
    if "positions" not in case.inputs:
        return np.zeros(1)
    size = max(1.0, np.abs(case.inputs.get("x", 1.0)).max())
    slack: NDArray[np.float64] = FLOAT32_ANGLE * size * np.abs(case.inputs["positions"])
    return slack[:, None]
