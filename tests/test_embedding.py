"""Token embeddings: by hand, by property, by a second route, against real models, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import embed, lookup_positions, tied_logits
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
TABLE = [[0, 0, 0, 1], [2, 2, 2, 2], [5, 6, 7, 8]]
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def random_table(seed, n_tokens, d_model):
    return np.random.default_rng(seed).normal(size=(n_tokens, d_model))


def end_to_end(name):
    [case] = [case for case in load("embedding") if case.name.startswith(name)]
    return case.inputs, case.outputs


# By hand


def test_a_token_reads_its_row():
    np.testing.assert_array_equal(embed([2, 0], TABLE), [[5, 6, 7, 8], [0, 0, 0, 1]])


def test_the_first_and_the_last_token_have_rows():
    np.testing.assert_array_equal(embed([0, 2], TABLE)[:, 3], [1, 8])


def test_rows_are_not_scaled_unless_that_is_asked_for():
    np.testing.assert_array_equal(embed([1], TABLE), embed([1], TABLE, scale=False))


def test_the_scale_is_the_root_of_the_width():
    np.testing.assert_array_equal(embed([1], TABLE, scale=True), [[4, 4, 4, 4]])
    np.testing.assert_array_equal(embed([1], [[0, 0], [1, 3]], scale=True), [[2**0.5, 3 * 2**0.5]])


def test_rows_of_unit_variance_over_the_width_come_out_the_size_of_a_sinusoidal_table():
    """Variance 1 / 512 becomes 1; a sine or cosine has mean square 1/2."""
    table = np.random.default_rng(0).normal(0, 512**-0.5, size=(100, 512))

    np.testing.assert_allclose(embed(range(100), table, scale=True).std(), 1, rtol=0.02)


def test_a_single_token_gives_a_single_row():
    np.testing.assert_array_equal(embed(2, TABLE), [5, 6, 7, 8])


def test_leading_axes_are_kept():
    rows = embed([[[0, 1]], [[2, 2]]], TABLE)

    assert rows.shape == (2, 1, 2, 4)
    np.testing.assert_array_equal(rows[1, 0, 0], TABLE[2])


def test_no_tokens_give_no_rows():
    assert embed([], TABLE).shape == (0, 4)
    assert embed(np.zeros((2, 0), int), TABLE).shape == (2, 0, 4)
    assert tied_logits(np.zeros((0, 4)), TABLE).shape == (0, 3)


def test_logits_are_dot_products_with_the_rows():
    np.testing.assert_array_equal(tied_logits([[1, 2, 0, 1]], TABLE), [[1, 8, 25]])


def test_one_hidden_vector_gives_one_row_of_logits():
    np.testing.assert_array_equal(tied_logits([0, 0, 0, 3], TABLE), [3, 6, 24])


# By property


@BOUNDED
@given(seeds, sizes, sizes)
def test_the_row_of_a_token_does_not_depend_on_its_neighbours(seed, n_tokens, d_model):
    table = random_table(seed, n_tokens, d_model)
    ids = np.random.default_rng(seed).integers(n_tokens, size=9)

    together = embed(ids, table, scale=True)

    for token, row in zip(ids, together, strict=True):
        np.testing.assert_array_equal(row, embed(int(token), table, scale=True))


def test_with_rows_at_right_angles_a_token_scores_its_own_row_alone():
    np.testing.assert_array_equal(
        tied_logits(embed([2, 0], np.eye(4)), np.eye(4)), np.eye(4)[[2, 0]]
    )


@pytest.mark.parametrize(
    ("given_dtype", "dtype"),
    [("float64", "float64"), ("float32", "float32"), ("float16", "float32"), ("int64", "float64")],
)
@pytest.mark.parametrize("scale", [False, True])
def test_the_dtype_is_that_of_the_table(given_dtype, dtype, scale):
    table = np.array(TABLE, given_dtype)

    assert embed([1], table, scale=scale).dtype == dtype
    assert tied_logits(table, table).dtype == dtype


def test_logits_take_the_wider_dtype():
    table = np.array(TABLE, np.float32)

    assert tied_logits(np.ones((1, 4)), table).dtype == np.float64
    assert tied_logits(np.ones((1, 4), np.float32), table.astype(float)).dtype == np.float64


def test_ids_of_numpy_are_ids():
    for dtype in (np.uint8, np.int16, np.uint64):
        np.testing.assert_array_equal(embed(np.array([2, 0], dtype), TABLE), embed([2, 0], TABLE))


def test_the_result_is_a_copy():
    table = np.array(TABLE, float)

    embed([1], table)[:] = 9
    embed([1], table, scale=True)[:] = 9

    np.testing.assert_array_equal(table, TABLE)


def test_only_the_rows_read_must_be_finite():
    table = [[np.nan, 0], [1, 2]]

    np.testing.assert_array_equal(embed([1], table), [[1, 2]])


def test_hidden_vectors_are_let_through_unread():
    assert np.isnan(tied_logits([[np.nan, 0.0]], [[1.0, 2.0]])).all()


# By a second route


@BOUNDED
@given(seeds, sizes, sizes)
def test_a_one_hot_product_reads_the_same_rows(seed, n_tokens, d_model):
    table = random_table(seed, n_tokens, d_model)
    ids = np.random.default_rng(seed).integers(n_tokens, size=(2, 5))

    np.testing.assert_allclose(embed(ids, table), np.eye(n_tokens)[ids] @ table, rtol=1e-15)


@BOUNDED
@given(seeds, sizes, sizes)
def test_loops_give_the_same_logits(seed, n_tokens, d_model):
    table = random_table(seed, n_tokens, d_model)
    hidden = random_table(seed + 1, 3, d_model)

    loops = [[sum(h[f] * e[f] for f in range(d_model)) for e in table] for h in hidden]

    np.testing.assert_allclose(tied_logits(hidden, table), loops, rtol=1e-12, atol=1e-13)


# Against real models, run in float64


def test_gpt2_adds_token_and_position_rows_without_a_factor():
    inputs, outputs = end_to_end("GPT-2")
    positions = lookup_positions(inputs["position_table"], range(5))

    ours = embed(inputs["token_ids"], inputs["table"]) + positions

    np.testing.assert_allclose(ours, outputs["embedded"], rtol=0, atol=1e-14)
    scaled = embed(inputs["token_ids"], inputs["table"], scale=True) + positions
    assert np.abs(scaled - outputs["embedded"]).max() > 0.5


def test_gemma_multiplies_by_the_root_of_the_width():
    """Its factor was rounded to float32, which is 6e-8 of it at most."""
    inputs, outputs = end_to_end("Gemma, tied")

    ours = embed(inputs["token_ids"], inputs["table"], scale=True)

    np.testing.assert_allclose(ours, outputs["embedded"], rtol=6e-8)
    assert np.abs(embed(inputs["token_ids"], inputs["table"]) - outputs["embedded"]).max() > 0.5


def test_gemma_in_bfloat16_rounds_the_factor():
    """To 8 bits of mantissa: 55.5 where the root of 3072 is 55.43, so 4e-3 at most."""
    inputs, outputs = end_to_end("Gemma's factor")
    d_model = inputs["d_model"]

    factor = embed([0], np.ones((1, d_model)), scale=True)[0, 0]

    assert outputs["first_entry"] == 55.5
    assert factor == math.sqrt(d_model)
    np.testing.assert_allclose(factor, outputs["first_entry"], rtol=2**-8)


def test_marian_multiplies_before_it_adds_positions():
    inputs, outputs = end_to_end("Marian")
    positions = lookup_positions(inputs["position_table"], range(5))

    ours = embed(inputs["token_ids"], inputs["table"], scale=True) + positions

    np.testing.assert_allclose(ours, outputs["embedded"], rtol=0, atol=1e-14)


def test_t5_reads_rows_as_they_are():
    inputs, outputs = end_to_end("T5")

    ours = embed(inputs["token_ids"], inputs["table"])

    np.testing.assert_array_equal(ours, outputs["embedded"])


@each_case("embedding", "tied_logits")
def test_logits_are_those_of_the_model(case):
    hidden, table = case.outputs["hidden"], case.inputs["table"]
    if case.name.startswith("T5"):
        hidden = hidden / math.sqrt(table.shape[1])

    ours = tied_logits(hidden, table) + case.inputs.get("logits_bias", 0)

    np.testing.assert_allclose(ours, case.outputs["logits"], rtol=0, atol=1e-13)


def test_every_record_is_compared_above():
    names = {case.name.split(",")[0] for case in load("embedding")}

    assert names == {"GPT-2", "Gemma", "Gemma's factor in bfloat16", "Marian", "T5"}


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"token_ids": [0, 3]},
            ValueError,
            "token_ids must be at least 0 and below 3 (table has 3 rows), got id 3",
        ),
        (
            {"token_ids": [[0], [-1]]},
            ValueError,
            "token_ids must be at least 0 and below 3 (table has 3 rows), got id -1",
        ),
        ({"token_ids": 2**64 - 1}, ValueError, "token_ids must be at least 0 and below 3 (table"),
        ({"token_ids": [2**80]}, TypeError, "token_ids must be whole numbers (int), got dtype ob"),
        ({"token_ids": [1.0]}, TypeError, "token_ids must be whole numbers (int), got dtype fl"),
        ({"token_ids": [True]}, TypeError, "token_ids must be whole numbers (int), got dtype bool"),
        ({"token_ids": "ab"}, TypeError, "token_ids must be whole numbers (int), got dtype <U2"),
        ({"token_ids": None}, TypeError, "token_ids must be whole numbers (int), got dtype object"),
        ({"token_ids": [1j]}, TypeError, "token_ids must be whole numbers (int), got dtype comp"),
        ({"token_ids": [[0], [0, 1]]}, ValueError, "token_ids must be one array, got [[0], [0, 1"),
        ({"table": [1, 2]}, ValueError, "table must have shape (n_tokens, d_model), got (2,)"),
        ({"table": [[[1]]]}, ValueError, "table must have shape (n_tokens, d_model), got (1, 1, 1"),
        ({"table": [[1], [1, 2]]}, ValueError, "table must be one array, got [[1], [1, 2]]"),
        ({"table": [["a"]]}, TypeError, "table must be numbers (int or float), got dtype <U1"),
        ({"table": [[True]]}, TypeError, "table must be numbers (int or float), got dtype bool"),
        ({"table": None}, TypeError, "table must be numbers (int or float), got dtype object"),
        ({"table": [[0.0], [np.nan]]}, ValueError, "table must be finite, got an entry nan"),
        ({"table": [[0.0], [np.inf]]}, ValueError, "table must be finite, got an entry inf"),
        (
            {"table": np.zeros((0, 2))},
            ValueError,
            "token_ids must be at least 0 and below 0 (table has 0 rows), got id 0",
        ),
        ({"scale": 1}, TypeError, "scale must be True or False, got 1 (int)"),
        ({"scale": 2.0}, TypeError, "scale must be True or False, got 2.0 (float)"),
        ({"scale": None}, TypeError, "scale must be True or False, got None (NoneType)"),
    ],
)
def test_a_bad_argument_of_the_lookup_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        embed(**{"token_ids": [0, 1], "table": TABLE, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"hidden": [[1, 2, 3]]}, ValueError, "hidden must have shape (..., 4), got (1, 3)"),
        ({"hidden": 1.0}, ValueError, "hidden must have shape (..., 4), got ()"),
        ({"hidden": [[1], [1, 2]]}, ValueError, "hidden must be one array, got [[1], [1, 2]]"),
        ({"hidden": ["a"]}, TypeError, "hidden must be numbers (int or float), got dtype <U1"),
        ({"hidden": [1j] * 4}, TypeError, "hidden must be numbers (int or float), got dtype comp"),
        ({"hidden": None}, TypeError, "hidden must be numbers (int or float), got dtype object"),
        ({"table": [1, 2]}, ValueError, "table must have shape (n_tokens, d_model), got (2,)"),
        ({"table": [[0, 0, 0, np.nan]]}, ValueError, "table must be finite, got an entry nan"),
        ({"table": [["a"]]}, TypeError, "table must be numbers (int or float), got dtype <U1"),
    ],
)
def test_a_bad_argument_of_the_logits_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        tied_logits(**{"hidden": [[1, 0, 0, 0]], "table": TABLE, **changed})
