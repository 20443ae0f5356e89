"""A printed number, and which values it may stand for.

A number stands for every value within half a unit of its last digit: 0.966 for 0.9655 to 0.9665,
60,611 for 60,610.5 to 60,611.5, 49 % for 0.485 to 0.495.
"""

import re
import unicodedata
from typing import Any

import numpy as np

NUMBER = re.compile(
    r"""
    # A minus, which an en dash looks like too, unless it stands between two things.
    (?:(?<![\w)\]}%])(?<!-->)(?<![\w)\]}%][*_$`])(?<![\w)\]}%]\*\*)(?P<sign>[−–-]))?
    (?<!\w)(?<!\w[.,])                  # not inside float32 or 3.11.5
    (?: (?P<digits> \d{1,3}(?:(?:,|\{,\})\d{3})+(?:\.\d+)? | \d+(?:\.\d+)? )
        (?: e(?P<exponent>[+-]?\d+)
          | \s?(?:×|\\times)\s?10(?:\^\{?(?P<power>[−-]?\d+)\}?|(?P<raised>[⁻⁰¹²³⁴-⁹]+)) )?
        (?P<percent>[ \u00a0\u202f]?\\?%)?
      | (?P<fraction>[¼-¾⅐-⅞↉]) )
    """,
    re.VERBOSE,
)
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"[*`$]|(?<!\w)_+|_+(?!\w)")


def shows(number: re.Match[str], value: Any) -> bool:
    """Whether a match of `NUMBER` is the value, to the digits shown."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return False
    if number["fraction"]:
        shown, half_a_unit = unicodedata.numeric(number["fraction"]), 0.0
    else:
        digits = re.sub(r"[,{}]", "", number["digits"])
        raised = (number["raised"] or "0").translate(_RAISED)
        power = (number["exponent"] or number["power"] or raised).replace("−", "-")
        unit = 10.0 ** int(power) / (100 if number["percent"] else 1)
        shown = float(digits) * unit
        half_a_unit = unit * 10.0 ** -len(digits.partition(".")[2]) / 2
    if number["sign"]:
        shown = -shown
    # The slack is for the binary forms of 0.0005 and the like.
    slack = 1e-6 * half_a_unit + 1e-12 * abs(shown)
    return bool(abs(float(value) - shown) <= half_a_unit + slack)


def cell_shows(cell: str, value: Any) -> bool:
    """Whether a table's cell is the value: a text, a number, or the numbers of a vector."""
    text = _EMPHASIS.sub("", _LINK.sub(r"\1", re.sub(r"<!--.*?-->", "", cell))).strip()
    if isinstance(value, str):
        return text == value.strip()
    if np.ndim(value) == 0:
        number = NUMBER.fullmatch(text)
        return number is not None and shows(number, value)
    numbers, values = list(NUMBER.finditer(text)), np.ravel(value)
    return len(numbers) == len(values) and all(map(shows, numbers, values))


def spell(value: Any) -> str:
    """A computed value for an error message."""
    if isinstance(value, float | np.floating):
        return f"{value:.10g}"
    if isinstance(value, np.ndarray | list | tuple):
        return np.array2string(np.asarray(value), separator=", ", precision=6)
    return repr(value)
