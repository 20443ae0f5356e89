"""What a few seeds say about all: a mean, and how far it is to be trusted.

With the values x of n seeds, their mean m, and their standard deviation s (the sum
of squares divided by n - 1), the mean of all possible seeds lies with 95 % in

    m - t s / sqrt(n)  to  m + t s / sqrt(n)

where t, of Student's distribution with n - 1 degrees of freedom, makes up for s
being estimated from so few: 4.303 for three seeds. It takes the values of the
seeds to be spread like a bell.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from posenc_ref import checks

# 97.5 % of Student's distribution lie below these; the first is for 1 degree of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


class Interval(NamedTuple):
    """A mean, and the bounds of the mean of all possible seeds."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """The mean of the values of some seeds, with its 95 % interval.

    Args:
        values: One for each seed, two to ten, finite.

    Returns:
        The mean and the two bounds, in the unit of the values.

    Raises:
        TypeError: If a value is not a number.
        ValueError: If there are too few values or too many.

    Examples:
        >>> from posenc_ref.lab.intervals import interval
        >>> [round(bound, 3) for bound in interval([1.0, 2.0, 3.0])]
        [2.0, -0.484, 4.484]
    """
    numbers = [checks.finite_number(f"values[{i}]", value) for i, value in enumerate(values)]
    n = len(numbers)
    if not 2 <= n <= len(STUDENT) + 1:
        raise ValueError(f"values must be 2 to {len(STUDENT) + 1}, got {n}")
    mean = math.fsum(numbers) / n
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in numbers) / (n - 1))
    half = STUDENT[n - 2] * deviation / math.sqrt(n)
    return Interval(mean, mean - half, mean + half)


def differences(first: Sequence[float], second: Sequence[float]) -> Interval:
    """How much larger the first is than the second, seed by seed.

    Two schemes that are trained with one seed start with the same weights and see the
    same batches. Their difference therefore varies less than each of them.

    Args:
        first: One value for each seed.
        second: One value for each of the same seeds, in the same order.

    Returns:
        The mean difference with its 95 % interval; 0 outside of it means that the
        two are told apart.

    Raises:
        TypeError: If a value is not a number.
        ValueError: If the two are not as many, or too few or too many.

    Examples:
        >>> from posenc_ref.lab.intervals import differences
        >>> [round(bound, 3) for bound in differences([2.0, 3.0, 4.0], [1.0, 2.0, 3.1])]
        [0.967, 0.823, 1.11]
    """
    if len(first) != len(second):
        raise ValueError(f"first and second must be as many, got {len(first)} and {len(second)}")
    return interval([a - b for a, b in zip(first, second, strict=True)])
