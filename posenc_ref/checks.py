"""Checks of arguments, made before any work is done.

Each function takes the name of an argument and the value received, and gives
the value back in the type that the caller computes with. If the value breaks
the rule, the error names the argument, the rule and the value: `TypeError` for
a wrong type, `ValueError` for a wrong value.
"""

import math
import operator
from reprlib import repr as short_repr  # a received value may be a whole array
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

EXACT_INTEGERS = 2**53  # float64 holds every whole number up to here, and not the next one


def _received(value: object) -> str:
    return f"got {short_repr(value)} ({type(value).__name__})"


def whole_number(name: str, value: object, *, at_least: int | None = None) -> int:
    """An integer of Python or NumPy; `True` and `4.0` are refused, as a slip is likelier."""
    message = f"{name} must be a whole number (int), {_received(value)}"
    if isinstance(value, bool):
        raise TypeError(message)
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # that is what is being tried
    except TypeError:
        raise TypeError(message) from None
    if at_least is not None and number < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {number}")
    return number


def even_width(name: str, value: object) -> int:
    """A width whose features go in pairs."""
    width = whole_number(name, value)
    if width < 2 or width % 2:
        raise ValueError(f"{name} must be even and at least 2 (features go in pairs), got {width}")
    return width


def finite_number(name: str, value: object) -> float:
    """A real number of Python or NumPy, neither infinite nor NaN."""
    number_types = (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, number_types):
        raise TypeError(f"{name} must be a number (int or float), {_received(value)}")
    try:
        number = float(value)
    except OverflowError:  # an int beyond the floats
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {short_repr(value)}")
    return number


def frequency_base(name: str, value: object) -> float:
    """The number whose powers are the frequencies, at least 1.

    From 1 on, no frequency exceeds one radian a token, so no angle outgrows its
    position and the exactness that `turns` promises holds. A base below 1 is
    nearly always 1/base given by mistake.
    """
    base = finite_number(name, value)
    if base < 1:
        raise ValueError(f"{name} must be at least 1, got {short_repr(value)}")
    return base


def one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """A convention, by its name."""
    rule = f"{name} must be one of {', '.join(map(repr, choices))}"
    if not isinstance(value, str):
        raise TypeError(f"{rule}, {_received(value)}")
    if value not in choices:
        raise ValueError(f"{rule}, got {value!r}")


def float_dtype(name: str, value: DTypeLike) -> np.dtype[np.floating]:
    """float32 or float64: narrower types cannot hold a table to the accuracy stated."""
    rule = f"{name} must be float32 or float64"
    if value is None:  # NumPy would read it as float64
        raise TypeError(f"{rule}, got None")
    try:
        dtype = np.dtype(value)
    except TypeError:
        raise TypeError(f"{rule}, {_received(value)}") from None
    for allowed in (np.dtype(np.float32), np.dtype(np.float64)):
        if dtype == allowed:
            return allowed
    raise ValueError(f"{rule}, got {dtype}")


def output_array(
    name: str, value: object, shape: tuple[int, ...], dtype: np.dtype[np.floating]
) -> NDArray[np.floating]:
    """An array to write a result into."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, {_received(value)}")
    if value.dtype != dtype:
        raise TypeError(f"{name} must have dtype {dtype}, as the argument says, got {value.dtype}")
    if value.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {value.shape}")
    if not value.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous, got strides {value.strides}")
    if not value.flags.writeable:
        raise ValueError(f"{name} must be writeable, got a read-only array")
    return value


def array_of(name: str, value: ArrayLike, kinds: str, rule: str) -> NDArray[Any]:
    """An array of the given NumPy kinds: "b" boolean, "i" and "u" integer, "f" float."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of unequal length
        raise ValueError(f"{name} must be one array, got {short_repr(value)}") from None
    if array.size == 0 and isinstance(value, list | tuple):
        return array  # NumPy calls it float64, but nothing in it is of a wrong type
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} must be {rule}, got dtype {array.dtype}")
    return array


def exact_positions(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Real positions, fractional too, of a size at which float64 still tells neighbours apart."""
    positions = array_of(name, value, "iuf", "numbers (int or float)").astype(np.float64)
    allowed = np.abs(positions) < EXACT_INTEGERS  # false for NaN
    if not allowed.all():
        refused = positions[~allowed].flat[0]
        raise ValueError(f"{name} must be finite and less than 2**53 in size, got {refused}")
    return positions
