"""The checks that score terms share: what they give back, and what they refuse.

The bad input of each scheme goes through them too, in that scheme's tests.
"""

import math
import re

import numpy as np
import pytest

from posenc_ref.operands import check_leading_axes, queries_and_keys, score_scale


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int8, np.float64),
    ],
)
def test_queries_and_keys_are_floats(given, kept):
    q, k = queries_and_keys(np.ones((2, 1), given), np.ones((3, 1), given))

    assert (q.dtype, k.dtype) == (kept, kept)
    assert (q.shape, k.shape) == ((2, 1), (3, 1))


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (1, 3), (3, 3)])
def test_there_may_be_as_many_queries_as_keys_and_no_fewer_than_one(n_queries, n_keys):
    q, k = queries_and_keys(np.ones((2, n_queries, 4)), np.ones((5, 2, n_keys, 4)))

    assert (q.shape, k.shape) == ((2, n_queries, 4), (5, 2, n_keys, 4))


@pytest.mark.parametrize(
    ("q", "k", "error", "message"),
    [
        ([1.0], [[1.0]], ValueError, "q must have shape (..., n_queries, head_dim), got (1,)"),
        ([[1.0]], [1.0], ValueError, "k must have shape (..., n_keys, 1), got (1,)"),
        ([[1.0]], [[1.0, 2.0]], ValueError, "k must have shape (..., n_keys, 1), got (1, 2)"),
        ([["1"]], [[1.0]], TypeError, "q must be numbers (int or float), got dtype <U1"),
        ([[1.0]], [[None]], TypeError, "k must be numbers (int or float), got dtype object"),
        (
            np.ones((1, 0)),
            np.ones((1, 0)),
            ValueError,
            "q must have at least 1 feature in its last axis, got (1, 0)",
        ),
        (
            np.ones((2, 1)),
            np.ones((1, 1)),
            ValueError,
            "q must have from 1 row to as many as k, since the last query stands on the last key, "
            "got shapes (2, 1) and (1, 1)",
        ),
        (np.ones((0, 1)), np.ones((1, 1)), ValueError, "q must have from 1 row to as many as k"),
        (np.ones((0, 1)), np.ones((0, 1)), ValueError, "q must have from 1 row to as many as k"),
    ],
)
def test_queries_and_keys_that_do_not_fit_are_refused(q, k, error, message):
    with refused(error, message):
        queries_and_keys(q, k)


def test_the_scale_is_one_over_the_root_of_the_width_unless_given():
    assert score_scale(None, 4) == 0.5
    assert score_scale(3, 4) == 3.0
    assert score_scale(0.0, 4) == 0.0
    with refused(ValueError, "scale must be finite, got nan"):
        score_scale(math.nan, 4)


def test_leading_axes_that_broadcast_are_let_through():
    check_leading_axes(q=(2, 3), k=(3,), table=(), bias=(2, 1))
    check_leading_axes()


def test_leading_axes_must_fit_all_together():
    """b fits a, and c fits a; b and c do not fit each other."""
    with refused(
        ValueError,
        "c must have leading axes that broadcast with those of a (1,), b (2,), got (3,)",
    ):
        check_leading_axes(a=(1,), b=(2,), c=(3,))
