"""What a thing of each kind may show: words, numbers, places; checked, and rounded once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

DIGITS = {"turn": 2, "move": 1, "scale": 3}  # of a drawing: finer than an eye can see


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


# What one value of each kind must be, and how an error says it.
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "text": ("words", lambda value: isinstance(value, str)),
    "path": ("words", lambda value: isinstance(value, str)),
    "number": ("a number", _is_number),
    "cell": ("a number or None", lambda value: value is None or _is_number(value)),
    "turn": ("a number", _is_number),
    "move": ("two numbers", _is_pair),
    "scale": ("two numbers", _is_pair),
    "show": ("true or false", lambda value: value in (True, False)),
    "mark": ("true or false", lambda value: value in (True, False)),
}


def check(name: str, table: Any, sizes: Sequence[tuple[str, int]], kind: str) -> None:
    """As deep as its axes and as long as each of them, and the right thing at the end."""
    if not sizes:
        rule, is_right = KINDS[kind]
        if not is_right(table):
            raise ValueError(f"values of {name} must be {rule} in each state, got {table!r}")
        return
    (axis, size), *rest = sizes
    if not isinstance(table, list):
        raise ValueError(f"values of {name} must be a list over {axis}, got {table!r}")
    if len(table) != size:
        raise ValueError(f"values of {name} must have {size} entries over {axis}, got {len(table)}")
    for part in table:
        check(name, part, rest, kind)


def plain(table: Any) -> Any:
    """Lists and plain values, all the way down."""
    if isinstance(table, (np.ndarray, np.generic)):
        return table.tolist()
    return [plain(part) for part in table] if isinstance(table, (list, tuple)) else table


def rounded(table: Any, digits: int) -> Any:
    if isinstance(table, list):
        return [rounded(part, digits) for part in table]
    if table is None:
        return None
    value = float(f"{table:.{digits}f}")
    return int(value) if value.is_integer() else value  # short in JSON, and never a negative zero
