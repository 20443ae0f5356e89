"""Checks of arguments, made before any work is done.

Each function takes the name of an argument and the value received, and gives
the value back in the type that the caller computes with. If the value breaks
the rule, the error names the argument, the rule and the value: `TypeError` for
a wrong type, `ValueError` for a wrong value.
"""

import math
import operator
import sys
from reprlib import repr as short_repr  # a received value may be a whole array
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

EXACT_INTEGERS = 2**53  # float64 holds every whole number up to here, and not the next one
MOST_ENTRIES = 2**58  # of a result: 16 bytes each stay below the 2**63 that an address can reach


def _received(value: object) -> str:
    return f"got {short_repr(value)} ({type(value).__name__})"


def whole_number(
    name: str, value: object, *, at_least: int | None = None, at_most: int | None = None
) -> int:
    """An integer of Python or NumPy; `True` and `4.0` are refused, as a slip is likelier."""
    message = f"{name} must be a whole number (int), {_received(value)}"
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(message)
    try:
        number = operator.index(value)
    except TypeError:  # an array promises an index, and has one only if it is a single integer
        raise TypeError(message) from None
    if at_least is not None and number < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {short_repr(number)}")
    if at_most is not None and number > at_most:
        raise ValueError(f"{name} must be at most {at_most}, got {short_repr(number)}")
    return number


def result_fits(**counts: int) -> None:
    """The counts that make up a result must leave it a size that NumPy can name at all.

    Beyond that NumPy's own error names no argument. Below it, a result that is
    too large for the machine is a MemoryError, which says so.
    """
    if math.prod(max(count, 1) for count in counts.values()) >= MOST_ENTRIES:
        sizes = ", ".join(f"{name} {short_repr(count)}" for name, count in counts.items())
        raise ValueError(f"{' x '.join(counts)} must be below 2**58 entries, got {sizes}")


def flag(name: str, value: object) -> bool:
    """`True` or `False`, of Python or NumPy; 0, 1 and None are refused."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, {_received(value)}")
    return bool(value)


def height_and_width(name: str, value: object, *, at_least: int = 1) -> tuple[int, int]:
    """The size of a grid, as a pair of counts."""
    rule = f"{name} must be a pair (height, width)"
    if not isinstance(value, tuple | list):
        raise TypeError(f"{rule}, {_received(value)}")
    if len(value) != 2:
        raise ValueError(f"{rule}, got {short_repr(value)}")
    height, width = value
    return (
        whole_number(f"{name}[0]", height, at_least=at_least),
        whole_number(f"{name}[1]", width, at_least=at_least),
    )


def even_width(name: str, value: object) -> int:
    """A width whose features go in pairs."""
    width = whole_number(name, value)
    if width < 2 or width % 2:
        rule = f"{name} must be even and at least 2 (features go in pairs)"
        raise ValueError(f"{rule}, got {short_repr(width)}")
    result_fits(**{name: width})
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


def positive_number(name: str, value: object) -> float:
    """A finite number above 0."""
    number = finite_number(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {short_repr(value)}")
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


def length_factor(name: str, value: object) -> float:
    """How many times longer a text is than those trained on, finite and at least 1."""
    factor = finite_number(name, value)
    if factor < 1:
        raise ValueError(
            f"{name} must be at least 1 (it slows pairs down), got {short_repr(value)}"
        )
    return factor


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
    except Exception:  # NumPy has a kind of error for each kind of nonsense
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
    masked = sys.modules.get("numpy.ma")  # loaded if anyone has made such an array
    if masked is not None and isinstance(value, masked.MaskedArray):
        raise TypeError(f"{name} must be a plain array: a masked one would lose its mask")
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
    smallest, largest = positions.min(initial=0), positions.max(initial=0)
    if not -EXACT_INTEGERS < smallest <= largest < EXACT_INTEGERS:  # NaN is in no order
        refused = positions[~(np.abs(positions) < EXACT_INTEGERS)].flat[0]
        raise ValueError(f"{name} must be finite and less than 2**53 in size, got {refused}")
    return positions


def _check_axes(name: str, array: NDArray[Any], axes: tuple[int | str, ...], leading: bool) -> None:
    shape = array.shape[array.ndim - len(axes) :] if leading else array.shape
    fits = len(shape) == len(axes) and all(
        size == axis for size, axis in zip(shape, axes, strict=True) if isinstance(axis, int)
    )
    if not fits:
        wanted = ", ".join([*(["..."] if leading else []), *map(str, axes)])
        wanted += "," if len(axes) == 1 and not leading else ""
        raise ValueError(f"{name} must have shape ({wanted}), got {array.shape}")


def real_array(
    name: str,
    value: ArrayLike,
    *axes: int | str,
    leading: bool = False,
    finite: bool = False,
) -> NDArray[np.floating]:
    """Real numbers with the axes named: float32 stays, float16 becomes float32, all else float64.

    An axis given as a number must have that size; a word stands for any size, and
    for itself in the message. `leading` allows any axes before those. `finite`
    refuses infinity and NaN, for parameters; data is let through unread.
    """
    array = array_of(name, value, "iuf", "numbers (int or float)")
    _check_axes(name, array, axes, leading)
    narrow = array.dtype in (np.float16, np.float32)
    array = array.astype(np.float32 if narrow else np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        refused = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"{name} must be finite, got an entry {refused}")
    return array


def whole_array(
    name: str,
    value: ArrayLike,
    *axes: int | str,
    leading: bool = False,
    at_least: int | None = None,
    at_most: int | None = None,
) -> NDArray[np.int64]:
    """Whole numbers with the axes named, as in `real_array`, each within the bounds given."""
    array = array_of(name, value, "iu", "whole numbers (int)")
    _check_axes(name, array, axes, leading)
    low = np.iinfo(np.int64).min if at_least is None else at_least
    high = np.iinfo(np.int64).max if at_most is None else at_most
    if array.size and int(array.min()) < low:
        raise ValueError(f"{name} must be at least {low} everywhere, got {array.min()}")
    if array.size and int(array.max()) > high:
        raise ValueError(f"{name} must be at most {high} everywhere, got {array.max()}")
    return array.astype(np.int64, copy=False)


def mask_array(
    name: str, value: ArrayLike, *axes: int | str, leading: bool = False
) -> NDArray[np.bool_]:
    """A mask with the axes named, as in `real_array`: booleans, or the whole numbers 0 and 1."""
    array = array_of(name, value, "biu", "booleans, or 0 and 1")
    _check_axes(name, array, axes, leading)
    if array.dtype.kind != "b" and not np.isin(array, (0, 1)).all():
        refused = array[~np.isin(array, (0, 1))].flat[0]
        raise ValueError(f"{name} must hold 0 and 1 only, got {refused}")
    return array.astype(np.bool_, copy=False)


def rows_read(table: NDArray[np.floating], name: str, numbers: ArrayLike, one: str) -> NDArray[Any]:
    """The rows of a table that the numbers name, finite; `one` is what a single number is called.

    Only these rows are scanned: a vocabulary is large, and decoding reads one row at a time.
    """
    array = array_of(name, numbers, "iu", "whole numbers (int)")
    outside = (array < 0) | (array >= len(table))
    if outside.any():
        raise ValueError(
            f"{name} must be at least 0 and below {len(table)} "
            f"(table has {len(table)} rows), got {one} {array[outside].flat[0]}"
        )
    return real_array("table", table[array.astype(np.int64)], leading=True, finite=True)
