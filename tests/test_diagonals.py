"""Diagonals: against relative positions, by property, as views, and on bad input.

The schemes that stand on it are compared with released code in their own tests.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import relative_positions
from posenc_ref.diagonals import by_distance, checked_shape, distances

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)


@st.composite
def shapes(draw):
    n_keys = draw(st.integers(1, 30))
    return draw(st.integers(1, n_keys)), n_keys


def test_two_queries_on_four_keys_by_hand():
    np.testing.assert_array_equal(distances(2, 4), [-3, -2, -1, 0, 1])
    np.testing.assert_array_equal(
        by_distance(np.array([30, 20, 10, 0, 1]), 4), [[20, 10, 0, 1], [30, 20, 10, 0]]
    )


def test_one_query_on_one_key():
    np.testing.assert_array_equal(distances(1, 1), [0])


def test_distances_are_int64():
    assert distances(2, 2).dtype == np.int64


@BOUNDED
@given(shapes())
def test_distances_spread_out_are_the_relative_positions(shape):
    """So the sign is the one that `positions` fixes."""
    np.testing.assert_array_equal(
        by_distance(distances(*shape), shape[1]), relative_positions(*shape)
    )


@BOUNDED
@given(shapes())
def test_there_is_one_distance_for_each_diagonal(shape):
    np.testing.assert_array_equal(distances(*shape), np.unique(relative_positions(*shape)))


@BOUNDED
@given(shapes(), st.sampled_from(["f4", "f8", "i8"]))
def test_leading_axes_and_the_type_are_kept(shape, dtype):
    values = np.arange(6 * len(distances(*shape))).astype(dtype).reshape(2, 3, -1)

    spread = by_distance(values, shape[1])

    assert spread.dtype == dtype
    for a, b in np.ndindex(2, 3):
        np.testing.assert_array_equal(spread[a, b], by_distance(values[a, b], shape[1]))


def test_the_result_is_a_view_that_cannot_be_written():
    values = np.zeros(5)

    spread = by_distance(values, 4)

    assert np.shares_memory(values, spread)
    with pytest.raises(ValueError, match="read-only"):
        spread[0, 0] = 1


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 3)])
def test_from_one_query_to_as_many_as_keys_are_allowed(shape):
    assert checked_shape(1, *shape) == shape


def test_counts_of_numpy_become_counts():
    assert checked_shape(1, np.int8(2), np.uint16(3)) == (2, 3)


@pytest.mark.parametrize(
    "shape", [(0, 3), (-1, 3), (4, 3), (1, 0), (2.0, 3), (True, 3), (1, "3"), (1, None), (2**80, 3)]
)
def test_a_bad_count_is_refused_as_by_relative_positions(shape):
    with pytest.raises((TypeError, ValueError)) as expected:
        relative_positions(*shape)

    with pytest.raises(expected.type, match=re.escape(str(expected.value))):
        checked_shape(1, *shape)


def test_a_result_beyond_all_memory_is_refused():
    message = "n_queries x n_keys x n_heads must be below 2**58 entries, got n_queries 268435456, "

    with pytest.raises(ValueError, match=re.escape(message)):
        checked_shape(3, 2**28, 2**29)
    assert checked_shape(1, 2**28, 2**29) == (2**28, 2**29)
