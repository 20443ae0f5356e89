"""Exact arithmetic for the published vectors: whole numbers, and decimals of fifty digits.

Nothing under tests/worked imports posenc_ref or NumPy. Each number is made from its formula with
the decimals of Python's standard library and becomes a float once, at the end.
"""

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from functools import cache

DIGITS = 50
CLOSE_ENOUGH = Decimal(10) ** -(DIGITS + 5)


def with_enough_digits(make):
    """Run a function with fifty digits, and ten more for what is lost on the way."""

    def run(*arguments):
        with localcontext() as context:
            context.prec = DIGITS + 10
            return make(*arguments)

    return run


@cache
def pi():
    """Machin's formula: 16 arctan(1/5) - 4 arctan(1/239)."""
    return 16 * _arctan_of_one_over(5) - 4 * _arctan_of_one_over(239)


def _arctan_of_one_over(n):
    power, total, k, sign = Decimal(1) / n, Decimal(0), 1, 1
    while power > CLOSE_ENOUGH:
        total += sign * power / k
        power, k, sign = power / (n * n), k + 2, -sign
    return total


def cos_sin(angle):
    """Cosine and sine by their power series, after whole turns are taken away."""
    turns = (angle / (2 * pi())).to_integral_value(ROUND_HALF_EVEN)
    x = angle - turns * 2 * pi()
    sums, term, k = [Decimal(0), Decimal(0)], Decimal(1), 0
    while abs(term) > CLOSE_ENOUGH or k < 2:
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term = term * x / k
    return sums[0], sums[1]


def frequency(i, width, base):
    """Of pair i, in radians a token: base ** (-2 i / width)."""
    return Decimal(base) ** (Decimal(-2 * i) / width)


def frequencies(width, base):
    return [frequency(i, width, base) for i in range(width // 2)]


def clamp(x):
    return min(max(x, Decimal(0)), Decimal(1))


def floats(value):
    """Decimals, in lists or not, as the nearest float64."""
    if isinstance(value, list):
        return [floats(item) for item in value]
    if isinstance(value, dict):
        return {key: floats(item) for key, item in value.items()}
    return value + 0.0 if isinstance(value, float) else float(value) + 0.0  # no -0.0
