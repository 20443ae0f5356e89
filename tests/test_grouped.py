"""Grouped and rectified positions: by hand, by property, by loops, in a rotary score, bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import grouped_positions, rectified_positions, relative_positions

BOUNDED = settings(derandomize=True, max_examples=60, deadline=None)

windows = st.integers(1, 12)
groups = st.integers(1, 7)
leaks = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0])


@st.composite
def counts(draw):
    n_keys = draw(st.integers(1, 30))
    return draw(st.integers(1, n_keys)), n_keys


def rotary_score(q, k, distance, base):
    """The score of one query and one key at a distance, pairs as complex numbers."""
    pairs = len(q) // 2
    w = base ** (-np.arange(pairs) / pairs)
    q, k = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    return (np.conj(q) * k * np.exp(1j * distance * w)).sum().real


# By hand


def test_a_window_of_four_and_groups_of_two():
    """The shift is 4 - 2; for key 0 and the query at 10 that is 5 - 0 + 2."""
    relative = grouped_positions(2, 11, window=4, group_size=2)

    np.testing.assert_array_equal(-relative[1], [7, 7, 6, 6, 5, 5, 4, 3, 2, 1, 0])
    np.testing.assert_array_equal(-relative[0, :10], [6, 6, 5, 5, 4, 4, 3, 2, 1, 0])


def test_a_trained_length_of_16_reaches_28_tokens():
    """(16 - 4) 2 + 4, with distances of 15 at most; one token more makes 16."""
    assert grouped_positions(28, 28, window=4, group_size=2).min() == -15
    assert grouped_positions(29, 29, window=4, group_size=2).min() == -16


def test_an_odd_window_shifts_by_whole_tokens():
    """Window 5, groups of 2: 5 - 2 is 3. The query at 6 sees key 1 at 3 - 0 + 3."""
    relative = grouped_positions(1, 7, window=5, group_size=2)

    np.testing.assert_array_equal(-relative, [[6, 6, 4, 3, 2, 1, 0]])


def test_rectified_distances_stop_at_the_window():
    relative = rectified_positions(1, 10, window=4)

    np.testing.assert_array_equal(-relative, [[4, 4, 4, 4, 4, 4, 3, 2, 1, 0]])


def test_leaky_distances_go_on_at_half_the_pace():
    relative = rectified_positions(1, 10, window=4, leak=0.5)

    np.testing.assert_array_equal(-relative, [[6.5, 6, 5.5, 5, 4.5, 4, 3, 2, 1, 0]])


def test_a_single_token_is_at_distance_zero():
    np.testing.assert_array_equal(grouped_positions(1, 1, window=1, group_size=1), [[0]])
    np.testing.assert_array_equal(rectified_positions(1, 1, window=1), [[0]])


def test_rotary_scores_at_distance_nine():
    """Width 2, frequency 1, q and k both (1, 0): cos 4, and cos 6.5 with the leak."""
    q = k = np.array([1.0, 0.0])

    rectified = rotary_score(q, k, rectified_positions(1, 10, window=4)[0, 0], base=1)
    leaky = rotary_score(q, k, rectified_positions(1, 10, window=4, leak=0.5)[0, 0], base=1)

    np.testing.assert_allclose([rectified, leaky], [math.cos(4), math.cos(6.5)], rtol=1e-14)
    np.testing.assert_allclose([rectified, leaky], [-0.653644, 0.976588], atol=5e-7)


# By property


@BOUNDED
@given(counts(), windows, groups, leaks)
def test_new_queries_get_the_last_rows(shape, window, group_size, leak):
    n_queries, n_keys = shape

    grouped = grouped_positions(n_keys, n_keys, window=window, group_size=group_size)
    rectified = rectified_positions(n_keys, n_keys, window=window, leak=leak)

    np.testing.assert_array_equal(
        grouped_positions(*shape, window=window, group_size=group_size), grouped[-n_queries:]
    )
    np.testing.assert_array_equal(
        rectified_positions(*shape, window=window, leak=leak), rectified[-n_queries:]
    )


@BOUNDED
@given(counts(), windows, groups, leaks)
def test_near_keys_and_the_future_keep_their_distance(shape, window, group_size, leak):
    relative = relative_positions(*shape)
    near = relative > -window

    grouped = grouped_positions(*shape, window=window, group_size=group_size)
    rectified = rectified_positions(*shape, window=window, leak=leak)

    assert grouped.dtype == np.int64
    assert rectified.dtype == np.float64
    np.testing.assert_array_equal(grouped[near], relative[near])
    np.testing.assert_array_equal(rectified[near], relative[near])


@BOUNDED
@given(counts(), windows)
def test_groups_of_one_and_a_leak_of_one_change_nothing(shape, window):
    relative = relative_positions(*shape)

    grouped = grouped_positions(*shape, window=window, group_size=1)
    rectified = rectified_positions(*shape, window=window, leak=1.0)

    np.testing.assert_array_equal(grouped, relative)
    np.testing.assert_array_equal(rectified, relative)


@BOUNDED
@given(counts(), windows, leaks)
def test_rectified_distances_depend_on_the_distance_alone(shape, window, leak):
    rectified = rectified_positions(*shape, window=window, leak=leak)

    np.testing.assert_array_equal(rectified[1:, 1:], rectified[:-1, :-1])


@BOUNDED
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 30))
def test_groups_reach_as_far_as_is_stated(times, group_size, beyond):
    window = times * group_size
    trained = window + beyond
    reach = (trained - window) * group_size + window

    within = grouped_positions(1, reach, window=window, group_size=group_size)
    outside = grouped_positions(1, reach + group_size, window=window, group_size=group_size)

    assert -within.min() <= trained - 1
    assert -outside.min() >= trained


def test_huge_windows_and_groups_are_no_trouble():
    relative = relative_positions(3, 5)

    np.testing.assert_array_equal(grouped_positions(3, 5, window=2**80, group_size=2), relative)
    np.testing.assert_array_equal(rectified_positions(3, 5, window=2**80), relative)
    one_group = grouped_positions(1, 5, window=2, group_size=2**80)
    np.testing.assert_array_equal(one_group, [[-2, -2, -2, -1, 0]])


def test_counts_of_numpy_are_counts():
    shape = np.uint8(2), np.uint8(255)

    grouped = grouped_positions(*shape, window=np.int32(4), group_size=np.uint8(2))
    rectified = rectified_positions(*shape, window=np.uint8(4))

    np.testing.assert_array_equal(grouped, grouped_positions(2, 255, window=4, group_size=2))
    np.testing.assert_array_equal(rectified, rectified_positions(2, 255, window=4))


# By a second route


@BOUNDED
@given(counts(), windows, groups)
def test_loops_give_the_same_groups(shape, window, group_size):
    n_queries, n_keys = shape

    def size(m, n):
        if m - n < window:
            return m - n
        return m // group_size - n // group_size + window - window // group_size

    expected = [[-size(m, n) for n in range(n_keys)] for m in range(n_keys)][-n_queries:]

    np.testing.assert_array_equal(
        grouped_positions(n_queries, n_keys, window=window, group_size=group_size), expected
    )


@BOUNDED
@given(counts(), windows, leaks)
def test_loops_give_the_same_rectified_distances(shape, window, leak):
    n_queries, n_keys = shape

    def size(t):
        return t if t < window else window + (t - window) * leak

    expected = [[-size(m - n) for n in range(n_keys)] for m in range(n_keys)][-n_queries:]

    rectified = rectified_positions(n_queries, n_keys, window=window, leak=leak)
    np.testing.assert_allclose(rectified, expected, rtol=1e-14)


def test_two_passes_of_ordinary_positions_give_the_same_scores():
    """Near keys from a first pass, far keys from a second, with other positions for q and k.

    Self-Extend: q at floor(m / G) + W - floor(W / G), k at floor(n / G). ReRoPE: q at W, k at 0.
    Leaky: q at (m + W (k - 1)) / k, k at n / k.
    """
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 12, 4))
    window, group_size, slower = 4, 2, 3

    def second_pass(query_position, key_position):
        return [
            [
                rotary_score(
                    q[m],
                    k[n],
                    n - m if m - n < window else key_position(n) - query_position(m),
                    100,
                )
                for n in range(12)
            ]
            for m in range(12)
        ]

    def at(relative):
        return [
            [rotary_score(q[m], k[n], relative[m, n], 100) for n in range(12)] for m in range(12)
        ]

    np.testing.assert_allclose(
        at(grouped_positions(12, 12, window=window, group_size=group_size)),
        second_pass(
            lambda m: m // group_size + window - window // group_size, lambda n: n // group_size
        ),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        at(rectified_positions(12, 12, window=window)),
        second_pass(lambda m: window, lambda n: 0),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        at(rectified_positions(12, 12, window=window, leak=1 / slower)),
        second_pass(lambda m: (m + window * (slower - 1)) / slower, lambda n: n / slower),
        atol=1e-12,
    )


# On bad input


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        ((0, 3), ValueError, "n_queries must be in 1..3 (n_keys), got 0"),
        ((4, 3), ValueError, "n_queries must be in 1..3 (n_keys), got 4"),
        ((-1, 3), ValueError, "n_queries must be in 1..3 (n_keys), got -1"),
        ((1, 0), ValueError, "n_keys must be at least 1, got 0"),
        ((2.0, 3), TypeError, "n_queries must be a whole number (int), got 2.0 (float)"),
        ((1, True), TypeError, "n_keys must be a whole number (int), got True (bool)"),
        ((None, 3), TypeError, "n_queries must be a whole number (int), got None (NoneType)"),
        ((2**29, 2**29), ValueError, "n_queries x n_keys must be below 2**58 entries, got n_quer"),
        ((1, 2**80), ValueError, "n_queries x n_keys must be below 2**58 entries, got n_queries"),
    ],
)
def test_a_bad_count_is_named(shape, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        grouped_positions(*shape, window=4, group_size=2)
    with pytest.raises(error, match="^" + re.escape(message)):
        rectified_positions(*shape, window=4)


@pytest.mark.parametrize(
    ("window", "error", "message"),
    [
        (0, ValueError, "window must be at least 1, got 0"),
        (4.0, TypeError, "window must be a whole number (int), got 4.0 (float)"),
        (True, TypeError, "window must be a whole number (int), got True (bool)"),
    ],
)
def test_a_bad_window_is_named(window, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        grouped_positions(2, 3, window=window, group_size=2)
    with pytest.raises(error, match="^" + re.escape(message)):
        rectified_positions(2, 3, window=window)


@pytest.mark.parametrize(
    ("group_size", "error", "message"),
    [
        (0, ValueError, "group_size must be at least 1, got 0"),
        (2.0, TypeError, "group_size must be a whole number (int), got 2.0 (float)"),
        (None, TypeError, "group_size must be a whole number (int), got None (NoneType)"),
    ],
)
def test_a_bad_group_size_is_named(group_size, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        grouped_positions(2, 3, window=4, group_size=group_size)


@pytest.mark.parametrize(
    ("leak", "error", "message"),
    [
        (-0.1, ValueError, "leak must be in 0..1, got -0.1"),
        (1.1, ValueError, "leak must be in 0..1, got 1.1"),
        (8, ValueError, "leak must be in 0..1, got 8.0"),
        (np.nan, ValueError, "leak must be finite, got nan"),
        ("0", TypeError, "leak must be a number (int or float), got '0' (str)"),
        (True, TypeError, "leak must be a number (int or float), got True (bool)"),
    ],
)
def test_a_bad_leak_is_named(leak, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        rectified_positions(2, 3, window=4, leak=leak)
