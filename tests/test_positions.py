"""Positions: by hand, by property, by a second route, against real models, on bad input.

Relative positions have no released model beside them: what models share is the sign, and that is
ours to fix.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    grid_positions,
    next_positions,
    offset_positions,
    opt_positions,
    packed_positions,
    packed_segments,
    positions_from_mask,
    relative_positions,
    segment_mask,
    sinusoidal_table,
)
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)


@st.composite
def counts(draw):
    n_keys = draw(st.integers(1, 40))
    return draw(st.integers(1, n_keys)), n_keys


masks = st.integers(0, 9).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=4).map(
        lambda rows: np.array(rows, bool)
    )
)
lengths = st.lists(st.integers(0, 7), max_size=6)


# By hand


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


def test_a_count_may_be_as_large_as_its_result_can_be_named():
    """2**57 keys are refused by the machine only, and 2**58 by us."""
    with pytest.raises(MemoryError):
        relative_positions(1, 2**57)
    with pytest.raises(ValueError, match="n_keys must be below 2"):
        relative_positions(1, 2**58)


def test_case_pe_58_padding_on_the_left_takes_no_position():
    positions = positions_from_mask([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])

    np.testing.assert_array_equal(positions, [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4]])


def test_padding_on_the_right_and_in_between_reads_0():
    np.testing.assert_array_equal(positions_from_mask([1, 1, 0, 1, 0]), [0, 1, 0, 2, 0])


def test_padding_alone_reads_0():
    np.testing.assert_array_equal(positions_from_mask([0, 0]), [0, 0])


def test_case_pe_68_after_a_prompt_of_9_come_9_10_11():
    mask = np.ones(9, int)

    decoded = []
    for _ in range(3):
        decoded.append(int(next_positions(mask)))
        mask = np.append(mask, 1)

    assert decoded == [9, 10, 11]


def test_the_next_position_of_each_row_counts_its_real_tokens():
    np.testing.assert_array_equal(next_positions([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]), [3, 5])


def test_before_any_token_the_next_position_is_0():
    np.testing.assert_array_equal(next_positions([[0, 0], [0, 0]]), [0, 0])
    np.testing.assert_array_equal(next_positions(np.zeros((2, 0), bool)), [0, 0])


def test_case_pe_61_packed_documents_start_again():
    np.testing.assert_array_equal(packed_positions([3, 2, 4]), [0, 1, 2, 0, 1, 0, 1, 2, 3])


def test_packed_tokens_know_their_document():
    np.testing.assert_array_equal(packed_segments([3, 2, 4]), [0, 0, 0, 1, 1, 2, 2, 2, 2])


def test_a_document_without_tokens_keeps_its_number():
    np.testing.assert_array_equal(packed_positions([2, 0, 1]), [0, 1, 0])
    np.testing.assert_array_equal(packed_segments([2, 0, 1]), [0, 0, 2])


def test_case_pe_63_positions_skip_padding_and_padding_reads_its_own_row():
    positions = offset_positions([[0, 13, 54, 2, 1, 1], [0, 55, 12, 24, 9, 2]], padding_idx=1)

    np.testing.assert_array_equal(positions, [[2, 3, 4, 5, 1, 1], [2, 3, 4, 5, 6, 7]])


def test_padding_0_is_an_offset_too():
    np.testing.assert_array_equal(offset_positions([0, 0, 5, 6], padding_idx=0), [0, 0, 1, 2])


def test_a_padding_idx_far_out_is_allowed():
    np.testing.assert_array_equal(offset_positions([4], padding_idx=2**53), [2**53 + 1])


def test_opt_reads_from_row_2_and_row_1_for_padding():
    np.testing.assert_array_equal(opt_positions([[0, 0, 1, 1, 1]]), [[1, 1, 2, 3, 4]])


def test_patches_are_counted_row_by_row():
    expected = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]

    np.testing.assert_array_equal(grid_positions(2, 3), expected)


def test_a_grid_of_one_patch_starts_at_0():
    np.testing.assert_array_equal(grid_positions(1, 1), [[0, 0]])


def test_no_tokens_have_no_positions():
    for function in (positions_from_mask, opt_positions):
        assert function([]).shape == (0,)
        assert function(np.zeros((2, 0), bool)).shape == (2, 0)
    assert offset_positions([], padding_idx=1).shape == (0,)
    assert packed_positions([]).shape == packed_segments([]).shape == (0,)
    assert packed_positions([0, 0]).shape == packed_segments([0, 0]).shape == (0,)


def test_positions_are_int64():
    mask = np.array([[0, 1, 1]], np.int8)

    for result in (
        positions_from_mask(mask),
        positions_from_mask([]),
        next_positions(mask),
        next_positions([True]),
        packed_positions(np.array([2, 1], np.uint8)),
        packed_segments(np.array([2, 1], np.uint8)),
        packed_positions([]),
        packed_segments([]),
        offset_positions(np.array([3, 1], np.int16), padding_idx=np.uint8(1)),
        opt_positions(mask),
        grid_positions(np.int32(2), 2),
    ):
        assert result.dtype == np.int64


def test_more_than_127_tokens_of_a_narrow_dtype_are_counted():
    ones, tokens = np.ones(300, np.int8), np.full(300, 2, np.int8)

    assert positions_from_mask(ones)[-1] == 299
    assert next_positions(ones) == 300
    assert opt_positions(ones)[-1] == 301
    assert offset_positions(tokens, padding_idx=1)[-1] == 301
    assert packed_positions(np.array([100, 100], np.int8))[-1] == 99


def test_masks_of_booleans_and_of_numbers_are_the_same():
    mask = np.array([[False, True, True], [True, False, True]])

    for function in (positions_from_mask, next_positions, opt_positions):
        np.testing.assert_array_equal(function(mask), function(mask.astype(int)))


def test_leading_axes_are_kept():
    mask = [[[0, 1, 1]], [[1, 1, 1]]]

    assert positions_from_mask(mask).shape == opt_positions(mask).shape == (2, 1, 3)
    assert next_positions(mask).shape == (2, 1)
    assert offset_positions(mask, padding_idx=0).shape == (2, 1, 3)


def test_arguments_are_left_alone():
    mask, tokens = np.array([0, 1, 1]), np.array([1, 7, 7])

    positions_from_mask(mask), next_positions(mask), opt_positions(mask)
    offset_positions(tokens, padding_idx=1), packed_positions(tokens), packed_segments(tokens)

    np.testing.assert_array_equal(mask, [0, 1, 1])
    np.testing.assert_array_equal(tokens, [1, 7, 7])


# By property


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
@given(masks)
def test_the_real_tokens_of_a_padded_row_stand_where_they_would_alone(mask):
    for row, real in zip(positions_from_mask(mask), mask, strict=True):
        np.testing.assert_array_equal(row[real], np.arange(real.sum()))
        assert (row[~real] == 0).all()


@BOUNDED
@given(masks)
def test_the_next_position_is_the_one_that_a_longer_row_would_have(mask):
    longer = np.append(mask, np.ones((len(mask), 1), bool), axis=1)

    np.testing.assert_array_equal(next_positions(mask), positions_from_mask(longer)[:, -1])


@BOUNDED
@given(masks)
def test_opt_reads_the_rows_that_the_fairseq_rule_gives_to_padding_1(mask):
    tokens = np.where(mask, 7, 1)

    np.testing.assert_array_equal(opt_positions(mask), offset_positions(tokens, padding_idx=1))


@BOUNDED
@given(masks, st.integers(0, 9))
def test_offset_positions_are_plain_ones_moved_and_padding(mask, padding_idx):
    tokens = np.where(mask, padding_idx + 3, padding_idx)

    positions = offset_positions(tokens, padding_idx=padding_idx)

    moved = positions_from_mask(mask) + padding_idx + 1
    np.testing.assert_array_equal(positions, np.where(mask, moved, padding_idx))


@BOUNDED
@given(lengths)
def test_packed_positions_are_those_of_each_document_alone(lengths):
    expected = np.concatenate([np.arange(n) for n in [0, *lengths]])

    np.testing.assert_array_equal(packed_positions(lengths), expected)


@BOUNDED
@given(lengths)
def test_each_document_has_as_many_tokens_as_its_length(lengths):
    counted = np.bincount(packed_segments(lengths), minlength=len(lengths))

    np.testing.assert_array_equal(counted, lengths)


@BOUNDED
@given(lengths)
def test_within_a_document_packed_tokens_are_as_far_apart_as_ever(lengths):
    positions, segments = packed_positions(lengths), packed_segments(lengths)

    distance = positions[None, :] - positions[:, None]

    together = segment_mask(segments)
    token = np.arange(len(segments))
    expected = token[None, :] - token[:, None]
    np.testing.assert_array_equal(distance[together], expected[together])


@BOUNDED
@given(st.integers(1, 7), st.integers(1, 7))
def test_row_and_column_give_the_patch_back(height, width):
    row, column = grid_positions(height, width).T

    np.testing.assert_array_equal(row * width + column, np.arange(height * width))
    assert row.max() == height - 1
    assert column.max() == width - 1


# By a second route


@BOUNDED
@given(counts())
def test_two_loops_give_the_same(shape):
    n_queries, n_keys = shape

    loops = [
        [key - (n_keys - n_queries + query) for key in range(n_keys)] for query in range(n_queries)
    ]

    np.testing.assert_array_equal(relative_positions(n_queries, n_keys), loops)


@BOUNDED
@given(masks)
def test_counting_aloud_gives_the_same_positions(mask):
    def count(row):
        seen = 0
        for real in row:
            yield seen if real else 0
            seen += real

    np.testing.assert_array_equal(positions_from_mask(mask), [[*count(row)] for row in mask])


@BOUNDED
@given(st.integers(1, 7), st.integers(1, 7))
def test_two_loops_give_the_same_grid(height, width):
    loops = [[row, column] for row in range(height) for column in range(width)]

    np.testing.assert_array_equal(grid_positions(height, width), loops)


# Against real models (what they read from learned tables is compared in test_learned.py)


@each_case("positions", "positions_from_mask")
def test_gpt2_is_given_these_positions_by_generate(case):
    mask = case.inputs["mask"].astype(bool)

    ours = positions_from_mask(mask)

    np.testing.assert_array_equal(ours[mask], case.outputs["positions"][mask])
    plain = np.broadcast_to(np.arange(mask.shape[1]), mask.shape)
    assert (plain[mask] != case.outputs["positions"][mask]).any()


@each_case("positions", "next_positions")
def test_gpt2_decodes_at_these_positions(case):
    mask = case.inputs["mask"]

    for decoded in case.outputs["decoded"]:
        np.testing.assert_array_equal(next_positions(mask), decoded)
        mask = np.append(mask, np.ones((len(mask), 1), int), axis=1)


@each_case("positions", "embed")
def test_roberta_numbers_its_tokens_so(case):
    ours = offset_positions(case.inputs["token_ids"], padding_idx=case.inputs["padding_idx"])

    np.testing.assert_array_equal(ours, case.outputs["position_ids"])


@each_case("positions", "sinusoidal_table")
def test_m2m100_reads_the_sinusoids_at_these_positions(case):
    """Its table is made in float32: angles up to 8 are off by 5e-7, their sines by no more."""
    tokens, padding_idx = case.inputs["token_ids"], case.inputs["padding_idx"]
    table = sinusoidal_table(
        15, case.inputs["d_model"], layout="concatenated", exponent="tensor2tensor"
    )
    table[padding_idx] = 0

    ours = table[offset_positions(tokens, padding_idx=padding_idx)]

    np.testing.assert_allclose(ours, case.outputs["vectors"], rtol=0, atol=1e-6)


# On bad input


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
        (2, 2**60, ValueError, "n_queries x n_keys must be below 2**58 entries, got n_queries 2, "),
        (2**29, 2**29, ValueError, "n_queries x n_keys must be below 2**58 entries, got n_queries"),
    ],
)
def test_a_bad_count_is_named(n_queries, n_keys, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        relative_positions(n_queries, n_keys)


MASKS = [
    ([0, 2], ValueError, "mask must hold 0 and 1 only, got 2"),
    ([-1, 0], ValueError, "mask must hold 0 and 1 only, got -1"),
    (1, ValueError, "mask must have shape (..., T), got ()"),
    ([[1], [1, 1]], ValueError, "mask must be one array, got [[1], [1, 1]]"),
    ([1.0, 0.0], TypeError, "mask must be booleans, or 0 and 1, got dtype float64"),
    (["1"], TypeError, "mask must be booleans, or 0 and 1, got dtype <U1"),
    (None, TypeError, "mask must be booleans, or 0 and 1, got dtype object"),
    ([1j], TypeError, "mask must be booleans, or 0 and 1, got dtype complex128"),
    ([2**80], TypeError, "mask must be booleans, or 0 and 1, got dtype object"),
]


@pytest.mark.parametrize("function", [positions_from_mask, next_positions, opt_positions])
@pytest.mark.parametrize(("mask", "error", "message"), MASKS)
def test_a_bad_mask_is_named(function, mask, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        function(mask)


@pytest.mark.parametrize("function", [packed_positions, packed_segments])
@pytest.mark.parametrize(
    ("lengths", "error", "message"),
    [
        ([2, -1], ValueError, "lengths must be at least 0 everywhere, got -1"),
        (3, ValueError, "lengths must have shape (n_documents,), got ()"),
        ([[1, 2]], ValueError, "lengths must have shape (n_documents,), got (1, 2)"),
        ([2.0], TypeError, "lengths must be whole numbers (int), got dtype float64"),
        ([True], TypeError, "lengths must be whole numbers (int), got dtype bool"),
        (["2"], TypeError, "lengths must be whole numbers (int), got dtype <U1"),
        (None, TypeError, "lengths must be whole numbers (int), got dtype object"),
        ([2**80], TypeError, "lengths must be whole numbers (int), got dtype object"),
        (
            [2**58],
            ValueError,
            "lengths must be below 2**58 entries, got lengths 288230376151711744",
        ),
        ([2**63 - 1] * 3, ValueError, "lengths must be below 2**58 entries, got lengths 27670"),
        ([[1], [1, 2]], ValueError, "lengths must be one array, got [[1], [1, 2]]"),
    ],
)
def test_a_bad_length_is_named(function, lengths, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        function(lengths)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"token_ids": [-1]}, ValueError, "token_ids must be at least 0 everywhere, got -1"),
        ({"token_ids": 3}, ValueError, "token_ids must have shape (..., T), got ()"),
        ({"token_ids": [1.0]}, TypeError, "token_ids must be whole numbers (int), got dtype flo"),
        ({"token_ids": [True]}, TypeError, "token_ids must be whole numbers (int), got dtype bo"),
        ({"token_ids": None}, TypeError, "token_ids must be whole numbers (int), got dtype obj"),
        ({"token_ids": "ab"}, TypeError, "token_ids must be whole numbers (int), got dtype <U2"),
        ({"token_ids": [2**80]}, TypeError, "token_ids must be whole numbers (int), got dtype o"),
        ({"token_ids": [[1], [1, 2]]}, ValueError, "token_ids must be one array, got [[1], [1, 2"),
        ({"padding_idx": -1}, ValueError, "padding_idx must be at least 0, got -1"),
        ({"padding_idx": 2**53 + 1}, ValueError, "padding_idx must be at most 9007199254740992, "),
        ({"padding_idx": 1.0}, TypeError, "padding_idx must be a whole number (int), got 1.0"),
        ({"padding_idx": True}, TypeError, "padding_idx must be a whole number (int), got True"),
        ({"padding_idx": None}, TypeError, "padding_idx must be a whole number (int), got None"),
    ],
)
def test_a_bad_argument_of_the_offset_rule_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        offset_positions(**{"token_ids": [0, 1], "padding_idx": 1, **changed})


def test_the_offset_rule_has_no_usual_padding():
    with pytest.raises(TypeError, match="padding_idx"):
        offset_positions([0, 1])


@pytest.mark.parametrize(
    ("height", "width", "error", "message"),
    [
        (0, 3, ValueError, "height must be at least 1, got 0"),
        (3, 0, ValueError, "width must be at least 1, got 0"),
        (-1, 3, ValueError, "height must be at least 1, got -1"),
        (2.0, 3, TypeError, "height must be a whole number (int), got 2.0 (float)"),
        (True, 3, TypeError, "height must be a whole number (int), got True (bool)"),
        (3, "3", TypeError, "width must be a whole number (int), got '3' (str)"),
        (3, None, TypeError, "width must be a whole number (int), got None (NoneType)"),
        (2**29, 2**29, ValueError, "height x width must be below 2**58 entries, got height 5368"),
        (2**80, 1, ValueError, "height x width must be below 2**58 entries, got height 12089"),
    ],
)
def test_a_bad_grid_is_named(height, width, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        grid_positions(height, width)
