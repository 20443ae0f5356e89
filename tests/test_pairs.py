"""Which features make a pair, and which rotations fit: by hand."""

import re

import numpy as np
import pytest

from posenc_ref import pairs
from posenc_ref.kinds import Rotation


def table(*shape, dtype=np.float64):
    return Rotation(np.ones(shape, dtype), np.zeros(shape, dtype))


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


@pytest.mark.parametrize(
    ("layout", "reads", "writes"),
    [
        ("half", "half", "half"),
        ("interleaved", "interleaved", "interleaved"),
        ("interleaved_to_half", "interleaved", "half"),
    ],
)
def test_a_layout_reads_and_writes_pairs(layout, reads, writes):
    assert pairs.check_layout(layout) is None
    assert pairs.read_pairing(layout) == reads
    assert pairs.written_pairing(layout) == writes


def test_the_two_features_of_six():
    row = np.arange(6)

    halves = [row[part].tolist() for part in pairs.pair_columns(6, "half")]
    neighbours = [row[part].tolist() for part in pairs.pair_columns(6, "interleaved")]

    assert halves == [[0, 1, 2], [3, 4, 5]]
    assert neighbours == [[0, 2, 4], [1, 3, 5]]


def test_the_columns_stay_within_the_features_that_turn():
    row = np.arange(9)

    assert [row[part].tolist() for part in pairs.pair_columns(4, "half")] == [[0, 1], [2, 3]]
    assert [row[part].tolist() for part in pairs.pair_columns(4, "interleaved")] == [[0, 2], [1, 3]]


@pytest.mark.parametrize(
    ("where", "turning", "passing"),
    [("leading", [0, 1], [2, 3, 4]), ("trailing", [3, 4], [0, 1, 2])],
)
def test_features_that_turn_and_features_that_pass(where, turning, passing):
    row = np.arange(5)

    assert pairs.check_where(where) is None
    assert [row[part].tolist() for part in pairs.split_features(5, 2, where)] == [turning, passing]


def test_all_features_may_turn():
    for where in ("leading", "trailing"):
        turning, passing = pairs.split_features(4, 4, where)

        assert np.arange(4)[turning].tolist() == [0, 1, 2, 3]
        assert np.arange(4)[passing].tolist() == []


def test_names_that_are_none_are_refused():
    with refused(ValueError, "layout must be one of 'half', 'interleaved', 'interleaved_to_half'"):
        pairs.check_layout("neox")
    with refused(ValueError, "where must be one of 'leading', 'trailing', got 'last'"):
        pairs.check_where("last")


def test_frequencies_are_a_list_of_finite_numbers():
    frequencies = pairs.inverse_frequencies([1, 0])

    np.testing.assert_array_equal(frequencies, [1.0, 0.0])
    assert frequencies.dtype == np.float64
    for bad in (1.0, [], [[1.0]]):
        with refused(ValueError, "inv_freq must have shape (rotary_dim // 2,), not empty, got ("):
            pairs.inverse_frequencies(bad)
    with pytest.raises(ValueError, match=r"^inv_freq must be finite"):
        pairs.inverse_frequencies([np.nan])


def test_tables_of_the_type_of_x_are_not_copied():
    given = table(4, 3)
    fitting = pairs.fitting_rotation(np.ones((2, 4, 6)), given)

    assert np.shares_memory(fitting.cos, given.cos)
    assert np.shares_memory(fitting.sin, given.sin)


@pytest.mark.parametrize(
    ("x_shape", "shape"),
    [
        ((4, 6), (4, 3)),
        ((4, 6), (4, 1)),
        ((2, 3, 4, 6), (4, 3)),
        ((2, 3, 4, 6), (1, 1, 4, 3)),
        ((2, 3, 4, 6), (2, 1, 4, 3)),
        ((2, 3, 4, 6), (2, 3, 4, 3)),
        ((2, 0, 6), (0, 3)),
    ],
    ids=str,
)
def test_rotations_that_fit(x_shape, shape):
    for dtype in (np.float32, np.float64):
        cos, sin = pairs.fitting_rotation(np.ones(x_shape, dtype), table(*shape))

        assert cos.shape == sin.shape == shape
        assert cos.dtype == sin.dtype == dtype


@pytest.mark.parametrize(
    ("x_shape", "shape", "message"),
    [
        ((4, 6), (5, 3), "rotation must have one row for each of 4 tokens, got shape (5, 3)"),
        ((4, 6), (4, 4), "rotation must turn at most head_dim = 6 features, two a pair, got shape"),
        ((4, 7), (4, 4), "rotation must turn at most head_dim = 7 features, two a pair, got shape"),
        ((4, 6), (1, 4, 3), "rotation must have the axes of x, (4, 6), each leading one full or 1"),
        ((2, 2, 4, 6), (2, 4, 3), "rotation must have the axes of x, (2, 2, 4, 6), each leading o"),
        ((2, 3, 4, 6), (3, 1, 4, 3), "rotation must have the axes of x, (2, 3, 4, 6), each leadin"),
        ((1, 4, 6), (2, 4, 3), "rotation must have the axes of x, (1, 4, 6), each leading one ful"),
        ((4, 6), (4, 0), "rotation must have cos and sin of one shape, with at least one pair, go"),
    ],
    ids=str,
)
def test_rotations_that_do_not_fit(x_shape, shape, message):
    with refused(ValueError, message):
        pairs.fitting_rotation(np.ones(x_shape), table(*shape))


@pytest.mark.parametrize(
    ("rotation", "error", "message"),
    [
        (None, TypeError, "rotation must be a Rotation(cos, sin), got NoneType"),
        ([[[1.0]], [[0.0]]], TypeError, "rotation must be a Rotation(cos, sin), got list"),
        (([[1.0]],), TypeError, "rotation must be a Rotation(cos, sin), got tuple"),
        (([[1.0]], [[0.0]], 1), TypeError, "rotation must be a Rotation(cos, sin), got tuple"),
        (([1.0], [[0.0]]), ValueError, "rotation.cos must have shape (..., T, pairs), got (1,)"),
        (([[1.0]], [0.0]), ValueError, "rotation.sin must have shape (..., T, pairs), got (1,)"),
        (([[1.0]], [[np.inf]]), ValueError, "rotation.sin must be finite, got an entry inf"),
        (([[1.0]], [[0.0, 0.0]]), ValueError, "rotation must have cos and sin of one shape"),
    ],
)
def test_what_is_no_rotation(rotation, error, message):
    with refused(error, message):
        pairs.rotation_tables(rotation)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_table_that_float32_cannot_hold_does_not_turn_a_float32_vector(sign):
    large = Rotation(np.full((4, 3), sign * 1e39), np.zeros((4, 3)))
    x = np.ones((4, 6), np.float32)

    for rotation in (large, Rotation(large.sin, large.cos)):
        with refused(ValueError, "rotation must hold numbers that float32 holds, as x is float32"):
            pairs.fitting_rotation(x, rotation)
    assert pairs.fitting_rotation(x.astype(np.float64), large).cos[0, 0] == sign * 1e39


def test_tables_must_be_finite_and_hold_a_pair():
    ones = np.ones((4, 3))
    for name, bad in (
        ("cos", Rotation(np.full((4, 3), np.nan), ones)),
        ("sin", Rotation(ones, np.full((4, 3), np.nan))),
    ):
        with pytest.raises(
            ValueError, match=rf"^rotation\.{name} must be finite, got an entry nan"
        ):
            pairs.rotation_tables(bad)
    with refused(ValueError, "rotation must have cos and sin of one shape, with at least one pair"):
        pairs.rotation_tables(table(1, 1, 4, 0))


def test_the_largest_number_of_float32_is_held_by_float32():
    largest = float(np.finfo(np.float32).max)
    x = np.ones((4, 6), np.float32)

    assert pairs.fitting_rotation(x, Rotation(*np.full((2, 4, 3), largest))).cos[0, 0] == largest
    with pytest.raises(ValueError, match=r"^rotation must hold numbers that float32 holds"):
        pairs.fitting_rotation(x, Rotation(*np.full((2, 4, 3), 2 * largest)))
