"""Learned tables: by hand, by property, by a second route, against real models, on bad input."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    embed,
    grid_positions,
    lookup_positions,
    offset_positions,
    opt_positions,
    positions_from_mask,
    row_column_table,
)
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
TABLE = [[0, 1], [2, 3], [4, 5]]
ROWS = [[10.0, 11.0], [20.0, 21.0]]
COLUMNS = [[1.0], [2.0], [3.0]]
counts = st.integers(1, 6)


# By hand


def test_a_position_reads_its_row():
    np.testing.assert_array_equal(lookup_positions(TABLE, [2, 0, 2]), [[4, 5], [0, 1], [4, 5]])


def test_a_single_position_gives_a_single_row():
    np.testing.assert_array_equal(lookup_positions(TABLE, 1), [2, 3])


def test_leading_axes_are_kept():
    rows = lookup_positions(TABLE, [[[0, 1]], [[2, 2]]])

    assert rows.shape == (2, 1, 2, 2)
    np.testing.assert_array_equal(rows[1, 0, 1], TABLE[2])


def test_no_positions_give_no_rows():
    assert lookup_positions(TABLE, []).shape == (0, 2)
    assert lookup_positions(np.zeros((0, 2)), []).shape == (0, 2)


def test_case_pe_77_the_last_of_1024_rows_is_position_1023():
    """Positions 0 and 1023 have rows, and position 1024 is named beside the rows."""
    table = np.arange(2048.0).reshape(1024, 2)

    np.testing.assert_array_equal(lookup_positions(table, [0, 1023]), table[[0, -1]])
    with pytest.raises(ValueError, match=r"1024 rows.*position 1024"):
        lookup_positions(table, [0, 1023, 1024])


def test_case_pe_66_roberta_needs_514_rows_for_512_tokens():
    """With padding 1 the rows read are 2 to 513, and a table of 512 rows fails at 511 tokens."""
    table = np.arange(514.0)[:, None]
    tokens = np.full(512, 7)

    rows = lookup_positions(table, offset_positions(tokens, padding_idx=1))

    np.testing.assert_array_equal(rows[:, 0], np.arange(2, 514))
    lookup_positions(table[:512], offset_positions(tokens[:510], padding_idx=1))
    with pytest.raises(ValueError, match=r"512 rows.*position 512"):
        lookup_positions(table[:512], offset_positions(tokens[:511], padding_idx=1))


def test_the_column_comes_before_the_row_by_hand():
    np.testing.assert_array_equal(
        row_column_table(ROWS, COLUMNS, 2, 3),
        [[1, 10, 11], [2, 10, 11], [3, 10, 11], [1, 20, 21], [2, 20, 21], [3, 20, 21]],
    )


def test_a_smaller_image_reads_the_first_rows_and_columns():
    np.testing.assert_array_equal(row_column_table(ROWS, COLUMNS, 1, 1), [[1, 10, 11]])
    np.testing.assert_array_equal(row_column_table(ROWS, COLUMNS, 2, 1), [[1, 10, 11], [1, 20, 21]])


# By property


@pytest.mark.parametrize(
    ("given_dtype", "dtype"),
    [("float64", "float64"), ("float32", "float32"), ("float16", "float32"), ("int64", "float64")],
)
def test_the_dtype_is_that_of_the_table(given_dtype, dtype):
    table = np.array(TABLE, given_dtype)

    assert lookup_positions(table, [1]).dtype == dtype
    assert row_column_table(table, table, 1, 2).dtype == dtype


def test_two_tables_give_the_wider_dtype():
    narrow, wide = np.ones((2, 2), np.float32), np.ones((2, 2))

    assert row_column_table(narrow, wide, 1, 1).dtype == np.float64
    assert row_column_table(wide, narrow, 1, 1).dtype == np.float64


def test_positions_of_numpy_are_positions():
    for dtype in (np.uint8, np.int16, np.uint64):
        np.testing.assert_array_equal(lookup_positions(TABLE, np.array([2], dtype)), [TABLE[2]])


def test_the_results_are_copies():
    table, rows = np.array(TABLE, float), np.array(ROWS)

    lookup_positions(table, [1])[:] = 9
    row_column_table(rows, rows, 1, 1)[:] = 9

    np.testing.assert_array_equal(table, TABLE)
    np.testing.assert_array_equal(rows, ROWS)


def test_only_the_rows_read_must_be_finite():
    np.testing.assert_array_equal(lookup_positions([[np.nan], [1]], [1]), [[1]])


@BOUNDED
@given(st.lists(st.integers(0, 8), min_size=1, max_size=12))
def test_new_tokens_get_the_last_rows_of_the_full_result(positions):
    table = np.random.default_rng(0).normal(size=(9, 3))

    full = lookup_positions(table, positions)

    np.testing.assert_array_equal(lookup_positions(table, positions[-1:]), full[-1:])


@BOUNDED
@given(counts, counts)
def test_a_shift_by_one_column_changes_the_columns_features_alone(height, width):
    rng = np.random.default_rng(height * 10 + width)
    rows, columns = rng.normal(size=(7, 3)), rng.normal(size=(8, 2))

    grid = row_column_table(rows, columns, height, width + 1).reshape(height, width + 1, 5)

    np.testing.assert_array_equal(grid[:, :-1, 2:], grid[:, 1:, 2:])
    assert (grid[:, :-1, :2] != grid[:, 1:, :2]).all()


# By a second route


@BOUNDED
@given(counts, counts)
def test_two_lookups_give_the_same_grid(height, width):
    rng = np.random.default_rng(height * 10 + width)
    rows, columns = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    row, column = grid_positions(height, width).T

    ours = row_column_table(rows, columns, height, width)

    looked_up = [lookup_positions(columns, column), lookup_positions(rows, row)]
    np.testing.assert_array_equal(ours, np.concatenate(looked_up, axis=1))


# Against real models, run in float64


@each_case("positions", "opt_positions")
def test_opt_and_biogpt_read_these_rows(case):
    table, mask = case.inputs["table"], case.inputs["mask"]

    rows = lookup_positions(table, opt_positions(mask))

    np.testing.assert_array_equal(rows, case.outputs["vectors"])
    np.testing.assert_array_equal(rows[:, 4:], case.outputs["decoded"])
    without_the_mask = lookup_positions(table, np.arange(5) + 2)
    assert (without_the_mask != case.outputs["vectors"]).any()


def test_bart_counts_from_two_whatever_the_padding():
    [case] = [case for case in load("positions") if case.name.startswith("Bart")]
    table, mask = case.inputs["table"], case.inputs["mask"]

    rows = lookup_positions(table, np.broadcast_to(np.arange(5) + 2, mask.shape))

    np.testing.assert_array_equal(rows, case.outputs["vectors"])
    np.testing.assert_array_equal(rows[:, 4:], case.outputs["decoded"])
    assert (lookup_positions(table, opt_positions(mask)) != case.outputs["vectors"]).any()


def layer_norm(x, weight, bias, eps):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * weight + bias


def roberta(inputs, positions):
    total = (
        embed(inputs["token_ids"], inputs["token_table"])
        + inputs["type_row"]
        + lookup_positions(inputs["table"], positions)
    )
    return layer_norm(total, inputs["norm_weight"], inputs["norm_bias"], inputs["norm_eps"])


@each_case("positions", "embed")
def test_roberta_embeds_these_rows(case):
    positions = offset_positions(case.inputs["token_ids"], padding_idx=case.inputs["padding_idx"])

    ours = roberta(case.inputs, positions)

    np.testing.assert_allclose(ours, case.outputs["embedded"], rtol=0, atol=1e-12)
    from_zero = roberta(case.inputs, positions - case.inputs["padding_idx"])
    assert case.inputs["padding_idx"] == 0 or np.abs(from_zero - ours).max() > 0.1


@each_case("positions", "next_positions")
def test_gpt2_generating_from_padded_rows_reads_these_rows(case):
    table, mask = case.inputs["table"], case.inputs["mask"].astype(bool)

    rows = lookup_positions(table, positions_from_mask(mask))

    np.testing.assert_array_equal(rows[mask], case.outputs["vectors"][mask])


@each_case("positions", "row_column_table")
def test_detr_and_florence2_put_the_column_first(case):
    rows, columns = case.inputs["row_table"], case.inputs["column_table"]
    height, width = map(int, case.inputs["size"])

    ours = row_column_table(rows, columns, height, width)

    np.testing.assert_array_equal(ours, case.outputs["vectors"])
    row_first = np.roll(ours, rows.shape[1], axis=1)
    assert (row_first != case.outputs["vectors"]).any()


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"positions": [0, 3]},
            ValueError,
            "positions must be at least 0 and below 3 (table has 3 rows), got position 3",
        ),
        (
            {"positions": [[0], [-1]]},
            ValueError,
            "positions must be at least 0 and below 3 (table has 3 rows), got position -1",
        ),
        ({"positions": 2**64 - 1}, ValueError, "positions must be at least 0 and below 3 (table"),
        ({"positions": [2**80]}, TypeError, "positions must be whole numbers (int), got dtype ob"),
        ({"positions": [1.0]}, TypeError, "positions must be whole numbers (int), got dtype float"),
        ({"positions": [True]}, TypeError, "positions must be whole numbers (int), got dtype bool"),
        ({"positions": "ab"}, TypeError, "positions must be whole numbers (int), got dtype <U2"),
        ({"positions": None}, TypeError, "positions must be whole numbers (int), got dtype object"),
        ({"positions": [1j]}, TypeError, "positions must be whole numbers (int), got dtype comp"),
        ({"positions": [[0], [0, 1]]}, ValueError, "positions must be one array, got [[0], [0, 1"),
        ({"table": [1, 2]}, ValueError, "table must have shape (n_positions, d_model), got (2,)"),
        ({"table": [[1], [1, 2]]}, ValueError, "table must be one array, got [[1], [1, 2]]"),
        ({"table": [["a"]]}, TypeError, "table must be numbers (int or float), got dtype <U1"),
        ({"table": None}, TypeError, "table must be numbers (int or float), got dtype object"),
        ({"table": [[0.0], [np.nan]]}, ValueError, "table must be finite, got an entry nan"),
        (
            {"table": np.zeros((0, 2))},
            ValueError,
            "positions must be at least 0 and below 0 (table has 0 rows), got position 0",
        ),
    ],
)
def test_a_bad_argument_of_the_lookup_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        lookup_positions(**{"table": TABLE, "positions": [0, 1], **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"height": 3}, ValueError, "height must be in 1..2 (rows of row_table), got 3"),
        ({"height": 0}, ValueError, "height must be in 1..2 (rows of row_table), got 0"),
        ({"height": -1}, ValueError, "height must be in 1..2 (rows of row_table), got -1"),
        ({"height": 2**80}, ValueError, "height must be in 1..2 (rows of row_table), got 12089"),
        ({"height": 2.0}, TypeError, "height must be a whole number (int), got 2.0 (float)"),
        ({"height": True}, TypeError, "height must be a whole number (int), got True (bool)"),
        ({"width": 4}, ValueError, "width must be in 1..3 (rows of column_table), got 4"),
        ({"width": 0}, ValueError, "width must be in 1..3 (rows of column_table), got 0"),
        ({"width": "1"}, TypeError, "width must be a whole number (int), got '1' (str)"),
        ({"width": None}, TypeError, "width must be a whole number (int), got None (NoneType)"),
        (
            {"row_table": [1.0]},
            ValueError,
            "row_table must have shape (n_rows, n_row_features), got (1,)",
        ),
        (
            {"column_table": [1.0]},
            ValueError,
            "column_table must have shape (n_columns, n_column_features), got (1,)",
        ),
        ({"row_table": [[np.nan]]}, ValueError, "row_table must be finite, got an entry nan"),
        ({"column_table": [[np.inf]]}, ValueError, "column_table must be finite, got an entry inf"),
        ({"row_table": [["a"]]}, TypeError, "row_table must be numbers (int or float), got dtype"),
        ({"column_table": None}, TypeError, "column_table must be numbers (int or float), got dt"),
        ({"row_table": np.zeros((0, 2))}, ValueError, "height must be in 1..0 (rows of row_table)"),
    ],
)
def test_a_bad_argument_of_the_grid_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        row_column_table(
            **{"row_table": ROWS, "column_table": COLUMNS, "height": 1, "width": 1, **changed}
        )
