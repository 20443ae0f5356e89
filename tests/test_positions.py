"""Relative positions: by hand, by property, by a second route, and on bad input.

No released model is compared here: what models share is the sign, and that is ours to fix.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import relative_positions

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)


@st.composite
def counts(draw):
    n_keys = draw(st.integers(1, 40))
    return draw(st.integers(1, n_keys)), n_keys


def test_the_past_is_negative_and_the_future_positive():
    np.testing.assert_array_equal(relative_positions(2, 2), [[0, 1], [-1, 0]])


def test_the_last_query_stands_on_the_last_key():
    np.testing.assert_array_equal(relative_positions(2, 4), [[-2, -1, 0, 1], [-3, -2, -1, 0]])


def test_one_token_is_at_distance_zero_from_itself():
    np.testing.assert_array_equal(relative_positions(1, 1), [[0]])


def test_distances_are_int64():
    assert relative_positions(3, 5).dtype == np.int64


def test_counts_of_numpy_are_counts():
    np.testing.assert_array_equal(
        relative_positions(np.int32(2), np.uint8(3)), relative_positions(2, 3)
    )


@BOUNDED
@given(counts())
def test_one_key_on_is_one_token_more_and_one_query_on_one_less(shape):
    distance = relative_positions(*shape)

    assert distance.shape == shape
    assert (np.diff(distance, axis=1) == 1).all()
    assert (np.diff(distance, axis=0) == -1).all()
    assert distance[-1, -1] == 0


@BOUNDED
@given(counts())
def test_new_queries_get_the_last_rows_of_the_full_square(shape):
    n_queries, n_keys = shape

    full = relative_positions(n_keys, n_keys)

    np.testing.assert_array_equal(relative_positions(n_queries, n_keys), full[-n_queries:])


@BOUNDED
@given(counts())
def test_two_loops_give_the_same(shape):
    n_queries, n_keys = shape

    loops = [
        [key - (n_keys - n_queries + query) for key in range(n_keys)] for query in range(n_queries)
    ]

    np.testing.assert_array_equal(relative_positions(n_queries, n_keys), loops)


@pytest.mark.parametrize(
    ("n_queries", "n_keys", "error", "message"),
    [
        (0, 3, ValueError, "n_queries must be in 1..3 (n_keys), got 0"),
        (-1, 3, ValueError, "n_queries must be in 1..3 (n_keys), got -1"),
        (4, 3, ValueError, "n_queries must be in 1..3 (n_keys), got 4"),
        (1, 0, ValueError, "n_keys must be at least 1, got 0"),
        (2.0, 3, TypeError, "n_queries must be a whole number (int), got 2.0 (float)"),
        (True, 3, TypeError, "n_queries must be a whole number (int), got True (bool)"),
        (1, "3", TypeError, "n_keys must be a whole number (int), got '3' (str)"),
        (1, None, TypeError, "n_keys must be a whole number (int), got None (NoneType)"),
    ],
)
def test_a_bad_count_is_named(n_queries, n_keys, error, message):
    with pytest.raises(error, match=re.escape(message)):
        relative_positions(n_queries, n_keys)
