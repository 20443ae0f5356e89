"""Exact turns: by hand, by property, by a second route (50-digit arithmetic), on long runs."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref.turns import (
    BLOCKS,
    ExactFrequencies,
    _exact_product,
    _rows_in_block,
    geometric_frequencies,
    turn,
    turned_blocks,
    turns,
)

BOUNDED = settings(derandomize=True, max_examples=60, deadline=None)
EXACT = mpmath.mp.clone()
EXACT.dps = 60

moderate = st.floats(1e-9, 1e17) | st.floats(-1e17, -1e-9)


def exact_turn(position, base, exponent):
    """cos and sin of position * base ** -exponent to 40 digits and more."""
    angle = EXACT.mpf(position) * EXACT.power(
        base, -EXACT.mpf(exponent.numerator) / exponent.denominator
    )
    return EXACT.cos(angle), EXACT.sin(angle)


def test_three_frequencies_by_hand():
    high, low = geometric_frequencies(3, 4.0, 1)

    np.testing.assert_array_equal(high, [1, 1 / 4, 1 / 16])
    np.testing.assert_array_equal(low, 0)


def test_position_zero_does_not_turn():
    np.testing.assert_array_equal(turn(0.0, geometric_frequencies(5, 10000.0, 5)), 1)


@BOUNDED
@given(moderate, moderate)
def test_a_product_and_its_error_are_exact(a, b):
    product, error = _exact_product(np.array(a), b)

    assert product == a * b
    assert Fraction(float(product)) + Fraction(float(error)) == Fraction(a) * Fraction(b)


@pytest.mark.parametrize("base", [1.0, 2.5, 10000.0, 5e5, 1e12])
@pytest.mark.parametrize(("n_pairs", "n_steps"), [(1, 1), (2, 1), (32, 32), (33, 32), (100, 99)])
def test_frequencies_are_right_to_30_digits(base, n_pairs, n_steps):
    high, low = geometric_frequencies(n_pairs, base, n_steps)

    for i in range(n_pairs):
        exact = EXACT.power(base, -EXACT.mpf(i) / n_steps)
        assert abs((EXACT.mpf(high[i]) + EXACT.mpf(low[i])) / exact - 1) < 1e-30
        assert high[i] == float(exact)


@pytest.mark.parametrize(
    "position", [1, -1, 0.25, 999.5, 10**7, 10**9 + 7, 10**12 + 5, 2**53 - 1, -(2**53) + 1]
)
@pytest.mark.parametrize("base", [1.0, 10000.0])
def test_a_turn_is_right_to_the_last_digits_at_any_position(position, base):
    turned = turn(float(position), geometric_frequencies(32, base, 32))

    for i in range(32):
        cos, sin = exact_turn(position, base, Fraction(i, 32))
        assert abs(cos - turned[i].real) < 2e-16
        assert abs(sin - turned[i].imag) < 2e-16


def test_a_column_of_positions_turns_row_by_row():
    frequencies = geometric_frequencies(8, 10000.0, 8)
    positions = np.array([3.0, -2.5, 1e7])

    together = turn(positions[:, None], frequencies)

    np.testing.assert_array_equal(together, [turn(float(p), frequencies) for p in positions])


@BOUNDED
@given(st.integers(1, 70), st.integers(1, 1000))
def test_turns_by_doubling_are_turns_one_by_one(n, step):
    frequencies = geometric_frequencies(4, 10000.0, 4)

    doubled = turns(n, step, frequencies, to_the_last=True)

    singly = [turn(float(step * i), frequencies) for i in range(n)]
    np.testing.assert_allclose(doubled, singly, rtol=0, atol=1e-15)


@BOUNDED
@given(st.integers(1, 5000), st.integers(1, 1000))
def test_turns_by_squaring_lose_a_digit_each_time_their_number_doubles(n, step):
    """Four roundings a product: each adds 1e-16 at most to what n products pass on."""
    frequencies = geometric_frequencies(4, 10000.0, 4)

    squared = turns(n, step, frequencies, 1j, to_the_last=False)

    anew = turns(n, step, frequencies, 1j, to_the_last=True)
    np.testing.assert_allclose(squared, anew, rtol=0, atol=1e-15 + n * 4e-16)


@pytest.mark.parametrize("n_pairs", [1, 3, 64, 4096, 4097, 9000])
@pytest.mark.parametrize("offset", [0, -1, 5])
def test_the_blocks_cover_a_run_once_and_in_place(n_pairs, offset):
    """The run ends in the second span, a little past its first block."""
    dtype = np.dtype(np.complex128)
    size = _rows_in_block(min(n_pairs, 4096), dtype)
    n = size * BLOCKS + size + 3 if n_pairs > 3 else size + 3
    frequencies = ExactFrequencies(np.zeros(n_pairs), np.zeros(n_pairs))
    written = np.zeros((n, n_pairs), np.uint8)

    for rows, pairs, block, onward in turned_blocks(offset, n, frequencies, 1, dtype):
        written[rows, pairs] += (block * onward).real.astype(np.uint8)

    assert (written == 1).all()


@pytest.mark.parametrize("start", [0, 10**7 - 300, -500, 2**53 - 20000])
def test_a_run_over_many_blocks_is_its_turns_one_by_one(start):
    """Wide enough for short blocks, so that the run crosses several spans of them."""
    frequencies = geometric_frequencies(2048, 10000.0, 2048)
    n = 300
    run = np.empty((n, 2048), np.complex128)

    for rows, pairs, block, onward in turned_blocks(start, n, frequencies, 1, run.dtype):
        run[rows, pairs] = block * onward

    singly = turn(np.arange(start, start + n, dtype=float)[:, None], frequencies)
    assert np.abs((run - singly).view(float)).max() < 8e-16


def test_an_empty_run_has_no_blocks():
    frequencies = geometric_frequencies(4, 10000.0, 4)

    assert list(turned_blocks(0, 0, frequencies, 1, np.dtype(np.complex64))) == []
