"""Decomposed positions: by hand, by property, by loops, against real models, on bad input."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention_weights, decomposed_bias, resize_window_table
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)


@st.composite
def axes(draw):
    """Numbers of queries and keys along one axis, one a multiple of the other."""
    few, times = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    return draw(st.sampled_from([(few, few * times), (few * times, few)]))


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def drawn(rows, columns, head_dim=3, leading=()):
    """Queries and tables for a grid of queries and a grid of keys."""
    q = numbers(*leading, rows[0] * columns[0], head_dim, seed=1)
    row_table = numbers(2 * max(rows) - 1, head_dim, seed=2)
    column_table = numbers(2 * max(columns) - 1, head_dim, seed=3)
    return q, row_table, column_table, (rows[0], columns[0]), (rows[1], columns[1])


# By hand


def test_a_key_below_and_a_key_to_the_right():
    """Two by two patches; the table rows are for the offsets -1, 0 and 1, query minus key."""
    terms = decomposed_bias(
        [[1.0], [1.0], [1.0], [2.0]],
        [[1.0], [2.0], [4.0]],
        [[10.0], [20.0], [40.0]],
        (2, 2),
        (2, 2),
    )

    expected = [[22, 12, 21, 11], [42, 22, 41, 21], [24, 14, 22, 12], [88, 48, 84, 44]]
    np.testing.assert_array_equal(terms, expected)


def test_a_term_is_the_dot_product_of_all_features():
    terms = decomposed_bias([[1.0, 10.0]], [[1.0, 2.0]], [[3.0, 4.0]], (1, 1), (1, 1))

    np.testing.assert_array_equal(terms, [[64]])


def test_two_queries_over_four_keys_step_by_two():
    """Rows 2 i - j + 3: for query 0 from 3 down to 0, for query 1 from 5 down to 2."""
    table = np.arange(7.0)[:, None]

    terms = decomposed_bias([[1.0], [1.0]], [[0.0]], table, (1, 2), (1, 4))

    np.testing.assert_array_equal(terms, [[3, 2, 1, 0], [5, 4, 3, 2]])


def test_four_queries_over_two_keys_step_by_two():
    """Rows i - 2 j + 2."""
    table = np.arange(7.0)[:, None]

    terms = decomposed_bias(np.ones((4, 1)), table, [[0.0]], (4, 1), (2, 1))

    np.testing.assert_array_equal(terms, [[2, 0], [3, 1], [4, 2], [5, 3]])


# By property


@BOUNDED
@given(axes(), axes(), st.sampled_from([(), (2,), (2, 3)]))
def test_leading_axes_are_kept(rows, columns, leading):
    q, *rest = drawn(rows, columns, leading=leading)

    terms = decomposed_bias(q, *rest)

    assert terms.shape == (*leading, rows[0] * columns[0], rows[1] * columns[1])
    np.testing.assert_array_equal(
        terms[(0,) * len(leading)], decomposed_bias(q[(0,) * len(leading)], *rest)
    )


@BOUNDED
@given(axes(), axes())
def test_terms_are_linear_in_the_queries(rows, columns):
    q, *rest = drawn(rows, columns)

    np.testing.assert_allclose(
        decomposed_bias(3 * q, *rest), 3 * decomposed_bias(q, *rest), rtol=1e-12, atol=1e-14
    )


def test_float32_stays_float32():
    q, rows, columns, *sizes = drawn((2, 2), (3, 3))
    narrow = [x.astype(np.float32) for x in (q, rows, columns)]

    terms = decomposed_bias(*narrow, *sizes)

    assert terms.dtype == np.float32
    np.testing.assert_allclose(terms, decomposed_bias(q, rows, columns, *sizes), atol=1e-5)
    assert decomposed_bias(q, *narrow[1:], *sizes).dtype == np.float64


def test_no_head_is_no_error():
    _, *rest = drawn((2, 2), (3, 3))

    assert decomposed_bias(np.zeros((0, 6, 3)), *rest).shape == (0, 6, 6)


# By a second route


@BOUNDED
@given(axes(), axes())
def test_loops_over_patches_give_the_same(rows, columns):
    q, row_table, column_table, query_size, key_size = drawn(rows, columns)

    def row(query, key, n_queries, n_keys):
        """The published rule in exact fractions of whole numbers."""
        step, key_step = max(n_keys / n_queries, 1), max(n_queries / n_keys, 1)
        return int(query * step - key * key_step + (n_keys - 1) * key_step)

    queries = itertools.product(*map(range, query_size))
    keys = list(itertools.product(*map(range, key_size)))
    expected = [
        [
            q[m] @ row_table[row(y, key_y, *rows)] + q[m] @ column_table[row(x, key_x, *columns)]
            for key_y, key_x in keys
        ]
        for m, (y, x) in enumerate(queries)
    ]

    terms = decomposed_bias(q, row_table, column_table, query_size, key_size)
    np.testing.assert_allclose(terms, expected, rtol=0, atol=1e-13)


# Against released code


@each_case("windows", "decomposed_bias")
def test_terms_and_weights_are_those_of_vitdet_and_sam(case):
    given = case.inputs
    query_size = given.get("query_size", given.get("size")).tolist()
    key_size = given.get("key_size", given.get("size")).tolist()
    tables = [given["row_table"], given["column_table"]]
    if case.name.endswith("resized"):
        tables = [
            resize_window_table(tables[0], (2, 1), (3, 1)),
            resize_window_table(tables[1], (1, 5), (1, 2)),
        ]

    terms = decomposed_bias(given["q"], *tables, query_size, key_size)

    if "terms" in case.outputs:
        np.testing.assert_allclose(terms, case.outputs["terms"], rtol=0, atol=1e-12)
    else:
        # SAM takes its softmax in float32, ViTDet in float64.
        tolerance = 1e-6 if case.name.startswith("sam") else 1e-12
        weights = attention_weights(given["q"], given["k"], bias=terms)
        np.testing.assert_allclose(weights, case.outputs["weights"], rtol=0, atol=tolerance)
        scaled = attention_weights(given["q"], given["k"], bias=terms / np.sqrt(2))
        assert np.abs(scaled - case.outputs["weights"]).max() > 0.01  # the term is not scaled
        mirrored = decomposed_bias(given["q"], *(x[::-1] for x in tables), query_size, key_size)
        mirrored = attention_weights(given["q"], given["k"], bias=mirrored)
        assert np.abs(mirrored - case.outputs["weights"]).max() > 0.01  # query minus key


# On bad input

Q, ROWS, COLUMNS = np.zeros((6, 4)), np.zeros((3, 4)), np.zeros((5, 4))
SIZE = (2, 3)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((Q, ROWS, COLUMNS, 6, SIZE), TypeError, "query_size must be a pair (height, width), got"),
        ((Q, ROWS, COLUMNS, SIZE, "ab"), TypeError, "key_size must be a pair (height, width), got"),
        ((Q, ROWS, COLUMNS, SIZE, None), TypeError, "key_size must be a pair (height, width), got"),
        ((Q, ROWS, COLUMNS, (6,), SIZE), ValueError, "query_size must be a pair (height, width)"),
        (
            (Q, ROWS, COLUMNS, SIZE, (1, 2, 3)),
            ValueError,
            "key_size must be a pair (height, width)",
        ),
        ((Q, ROWS, COLUMNS, (0, 3), SIZE), ValueError, "query_size[0] must be at least 1, got 0"),
        ((Q, ROWS, COLUMNS, SIZE, (2, 0)), ValueError, "key_size[1] must be at least 1, got 0"),
        ((Q, ROWS, COLUMNS, (2.0, 3), SIZE), TypeError, "query_size[0] must be a whole number"),
        (
            (Q, ROWS, COLUMNS, SIZE, (2, True)),
            TypeError,
            "key_size[1] must be a whole number (int)",
        ),
        (
            (Q, ROWS, COLUMNS, SIZE, (3, 3)),
            ValueError,
            "query_size and key_size must be multiples one of the other in rows, got 2 and 3",
        ),
        (
            (Q, ROWS, COLUMNS, SIZE, (2, 2)),
            ValueError,
            "query_size and key_size must be multiples one of the other in columns, got 3 and 2",
        ),
        (
            (
                np.broadcast_to(0.0, (2**29, 1)),
                np.zeros((2**16 - 1, 1)),
                np.zeros((2**15 - 1, 1)),
                (2**15, 2**14),
                (2**15, 2**14),
            ),
            ValueError,
            "query_size x key_size must be below 2**58 entries, got query_size 536870912",
        ),
        ((Q, ROWS, COLUMNS, (2**80, 3), SIZE), ValueError, "q must have shape (..., 3626777458843"),
        ((Q, ROWS, COLUMNS, SIZE, (2**80, 3)), ValueError, "row_table must have shape (2417851639"),
        (
            (Q[:5], ROWS, COLUMNS, SIZE, SIZE),
            ValueError,
            "q must have shape (..., 6, head_dim), got",
        ),
        (
            (Q[0], ROWS, COLUMNS, SIZE, SIZE),
            ValueError,
            "q must have shape (..., 6, head_dim), got",
        ),
        (([], ROWS, COLUMNS, SIZE, SIZE), ValueError, "q must have shape (..., 6, head_dim), got"),
        (
            (None, ROWS, COLUMNS, SIZE, SIZE),
            TypeError,
            "q must be numbers (int or float), got dtype",
        ),
        (([[1], [1, 2]], ROWS, COLUMNS, SIZE, SIZE), ValueError, "q must be one array, got [[1],"),
        (
            (1j * Q, ROWS, COLUMNS, SIZE, SIZE),
            TypeError,
            "q must be numbers (int or float), got dty",
        ),
        (
            (Q, COLUMNS, COLUMNS, SIZE, SIZE),
            ValueError,
            "row_table must have shape (3, 4), got (5, 4",
        ),
        (
            (Q, ROWS, ROWS, SIZE, SIZE),
            ValueError,
            "column_table must have shape (5, 4), got (3, 4)",
        ),
        (
            (Q, ROWS[:, 1:], COLUMNS, SIZE, SIZE),
            ValueError,
            "row_table must have shape (3, 4), got",
        ),
        (
            (Q, ROWS + np.inf, COLUMNS, SIZE, SIZE),
            ValueError,
            "row_table must be finite, got an ent",
        ),
        (
            (Q, ROWS, COLUMNS * np.nan, SIZE, SIZE),
            ValueError,
            "column_table must be finite, got an",
        ),
        (
            (Q, ROWS, None, SIZE, SIZE),
            TypeError,
            "column_table must be numbers (int or float), got",
        ),
    ],
)
def test_a_bad_argument_is_named(arguments, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        decomposed_bias(*arguments)
