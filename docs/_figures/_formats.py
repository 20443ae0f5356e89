"""Numbers as narrow formats hold them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def bf16(values: ArrayLike) -> Floats:
    """The nearest numbers with eight significant bits, a tie going to the even one.

    bfloat16 is the upper half of a float32, so the lower half of the bits is rounded away.
    """
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32).astype(np.float64)


def fp16(values: ArrayLike) -> Floats:
    """Eleven significant bits; infinite beyond 65,504."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(np.float16).astype(np.float64)


def float32(values: ArrayLike) -> Floats:
    """24 significant bits."""
    return np.asarray(values, np.float64).astype(np.float32).astype(np.float64)


def whole(values: ArrayLike) -> Floats:
    """Nothing is rounded, beyond float64."""
    return np.asarray(values, np.float64)


FORMATS: dict[str, Callable[[ArrayLike], Floats]] = {
    "bf16": bf16,
    "fp16": fp16,
    "float32": float32,
}
