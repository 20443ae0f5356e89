"""Conformance vectors. Result: a report on anybody's implementation of a scheme.

A set of vectors is a list of small cases, each with inputs and the outputs that
follow from the published formula in one convention. The numbers were not made by
this package: they come from the formula, in decimals of fifty digits, and where
released code was recorded they are what it gives. They are in the public domain
(CC0), and each set stands as one JSON file at an address that stays.

`check` runs a function of yours through a set. If something differs, it tries the
mistakes that are usual in that place (the other layout, the other sign, positions
that count from 1) and says which of them gives the same results as yours.
"""

import json
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from posenc_ref import checks
from posenc_ref.comparison import Report, first_mismatch
from posenc_ref.mistakes import Case, likely_mistake

Vectors: TypeAlias = dict[str, Any]


def vectors(name: str) -> Vectors:
    """A set of vectors, as its JSON file has it.

    Args:
        name: Of the set, such as `"rope-half"`; a wrong name is answered with all
            of them.

    Returns:
        A dict of its own, with the keys `name`, `version`, `licence`, `what`,
        `convention`, `source`, `signature` (the arguments in order, each with
        `name`, `meaning` and `shape`), `returns`, `tolerance` (`rtol`, `atol` and
        their `reason`) and `cases` (each with `name`, `inputs` and `expected`).
        Numbers are Python numbers, arrays are lists.

    Raises:
        TypeError: If `name` is not a string.
        ValueError: If there is no set of that name.

    Examples:
        >>> from posenc_ref import vectors
        >>> slopes = vectors("alibi-slopes")
        >>> [argument["name"] for argument in slopes["signature"]]
        ['n_heads']
        >>> slopes["cases"][3]["inputs"], slopes["cases"][3]["expected"]
        ({'n_heads': 3}, [0.0625, 0.00390625, 0.25])
    """
    stored = pkgutil.get_data("posenc_ref", "vectors.json")
    sets: dict[str, Vectors] = json.loads(stored or b"{}")
    checks.one_of("name", name, tuple(sets))
    return sets[name]


def check(
    name: str | Mapping[str, Any],
    function: Callable[..., Any],
    *,
    rtol: float | None = None,
    atol: float | None = None,
) -> Report:
    """Run a function through a set of vectors.

    The function gets the inputs of a case in the order of the signature, by
    position: lists become NumPy arrays (float64, int64), single numbers stay
    Python numbers. It gives back anything that `np.asarray` reads, so a PyTorch
    tensor in the processor's memory will do; it converts what it is given itself.

    `report.likely` is a mistake that gives the results of your function in every
    case, right ones and wrong ones alike. That is no proof that your code makes
    it, only that it behaves as if it did.

    Args:
        name: Of the set, as in `vectors`; or a set itself, such as one of the
            large ones that stand beside the small ones on the site, read from its
            JSON file.
        function: Your implementation.
        rtol: Relative tolerance, at least 0; if not given, that of the set, which
            lets float32 results pass. 1e-12 for an implementation in float64.
        atol: Absolute tolerance, at least 0; if not given, that of the set.

    Returns:
        The report, with `passed`, `n_cases`, `n_passed`, the first `mismatch`, and
        the `likely` mistake if the results fit one. `print` says it in words.

    Raises:
        TypeError: If `function` cannot be called, or another argument has the
            wrong type.
        ValueError: If there is no set of that name, a tolerance is negative, or
            your function raises an error: the message names the case, and the
            error is chained to it.

    Examples:
        >>> from posenc_ref import check
        >>> def slopes(n):  # right for a power of two, and for nothing else
        ...     return [2 ** (-8 * head / n) for head in range(1, n + 1)]
        >>> print(check("alibi-slopes", slopes))
        alibi-slopes: 3 of 7 cases fail (rtol 2e-06, atol 0)
        first mismatch, case '3 heads':
          entry 0 must be 0.0625, got 0.1574901312
          largest error of the case: 0.246
        these results fit a known mistake:
          the rule for powers of two, at any number of heads
    """
    chosen = vectors(name) if isinstance(name, str) else _given("name", name)
    if not callable(function):
        raise TypeError(f"function must be callable, got {type(function).__name__}")
    published = chosen["tolerance"]
    relative = published["rtol"] if rtol is None else _tolerance("rtol", rtol)
    absolute = published["atol"] if atol is None else _tolerance("atol", atol)

    cases = [Case(case["name"], case["inputs"], case["expected"]) for case in chosen["cases"]]
    results = [_answer(function, case) for case in cases]
    found = [
        first_mismatch(case.name, case.expected, result, relative, absolute)
        for case, result in zip(cases, results, strict=True)
    ]
    mismatches = [mismatch for mismatch in found if mismatch is not None]
    likely = None
    if mismatches:
        likely = likely_mistake(
            chosen["name"], cases, results, published["rtol"], published["atol"]
        )
    return Report(
        chosen["name"],
        len(cases),
        len(cases) - len(mismatches),
        "exact" if relative == absolute == 0 else f"rtol {relative:g}, atol {absolute:g}",
        mismatches[0] if mismatches else None,
        likely,
    )


def _answer(function: Callable[..., Any], case: Case) -> object:
    try:
        return function(*case.arguments())
    except Exception as error:
        raise ValueError(
            f"function must answer every case; in case {case.name!r} it raised "
            f"{type(error).__name__}: {error}"
        ) from error


def _given(name: str, value: object) -> Mapping[str, Any]:
    """A set that a caller brought: of the form that the published ones have."""
    if not isinstance(value, Mapping):
        raise TypeError(
            f"{name} must be the name of a set, or a set read from its file (dict), "
            f"got {type(value).__name__}"
        )
    try:
        numbers = [value["tolerance"]["rtol"], value["tolerance"]["atol"]]
        whole = isinstance(value["name"], str) and all(n >= 0 for n in numbers)
        for case in value["cases"]:
            whole = whole and isinstance(case["inputs"], dict) and {"name", "expected"} <= set(case)
    except (KeyError, TypeError):
        whole = False
    if not whole:
        raise ValueError(
            f"{name} must be a set of vectors of the published form (schema.json), "
            f"got keys {sorted(map(str, value))}"
        )
    return value


def _tolerance(name: str, value: object) -> float:
    number = checks.finite_number(name, value)
    if number < 0:
        raise ValueError(f"{name} must be at least 0, got {value}")
    return number
