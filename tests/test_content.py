"""CoPE and forget gates: by hand, by property, by loops, against real layers, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention, attention_weights, causal_mask, cope_bias, forgetting_bias
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
INF = np.inf


@st.composite
def counts(draw):
    n_keys = draw(st.integers(1, 9))
    return draw(st.integers(1, n_keys)), n_keys


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def logit(gate):
    return math.log(gate / (1 - gate))


# By hand


def test_cope_with_logits_0_ln_3_and_minus_ln_3():
    """Gates 1/2, 3/4, 1/4; from the right 1/4, 1, 3/2; a table of 0, 1 and 3 gives 1/4, 1, 2."""
    logits = np.array([0, math.log(3), -math.log(3)])
    q = [[1.0]]

    terms = cope_bias(q, logits[:, None], [[0.0], [1.0], [3.0]])

    np.testing.assert_allclose(terms, [[2, 1, 0.25]], rtol=1e-14)
    np.testing.assert_allclose(
        attention_weights(q, logits[:, None], bias=terms),
        [[0.462628, 0.510574, 0.026798]],
        atol=5e-7,
    )


def test_the_gates_of_cope_see_scaled_scores():
    """Width 4: a product of 2 ln 3 is a logit of ln 3, a gate of 3/4."""
    q, k = [[math.log(3), 0, 0, 1]], [[2.0, 0, 0, 0]]
    table = [[0.0, 0, 0, 0], [0, 0, 0, 8]]

    np.testing.assert_allclose(cope_bias(q, k, table), [[6]], rtol=1e-14)
    np.testing.assert_allclose(cope_bias(q, k, table, scale=1), [[7.2]], rtol=1e-14)  # 9/10
    np.testing.assert_allclose(cope_bias(q, k, table, scale=-0.5), [[2]], rtol=1e-14)  # 1/4


def test_far_keys_share_the_last_row():
    terms = cope_bias([[1.0]], np.zeros((7, 1)), [[1.0], [2.0], [5.0]])

    np.testing.assert_array_equal(terms, [[5, 5, 5, 5, 3.5, 2, 1.5]])


def test_a_table_of_one_row_is_read_at_every_distance():
    terms = cope_bias([[2.0], [3.0]], [[5.0], [-4.0]], [[10.0]])

    np.testing.assert_array_equal(terms, [[20, -INF], [30, 30]])


def test_closed_gates_leave_every_key_at_row_zero():
    terms = cope_bias([[1.0]], np.full((3, 1), -1e9), [[7.0], [100.0]])

    np.testing.assert_array_equal(terms, [[7, 7, 7]])


def test_open_gates_count_tokens():
    """The key itself counts, and so the query stands at position 1."""
    terms = cope_bias([[1.0]], np.full((3, 1), 1e9), [[0.0], [1.0], [2.0], [3.0], [4.0]])

    np.testing.assert_array_equal(terms, [[3, 2, 1]])


def test_forget_gates_of_a_half_four_fifths_and_a_quarter():
    """From query 2 back: 0, ln 1/4, ln 1/4 + ln 4/5. The gate of the key itself is not counted."""
    bias = forgetting_bias([0, math.log(4), -math.log(3)])

    expected = [
        [0, -INF, -INF],
        [math.log(0.8), 0, -INF],
        [math.log(0.2), math.log(0.25), 0],
    ]
    np.testing.assert_allclose(bias, expected, rtol=1e-14)
    np.testing.assert_allclose(bias[1:, 0], [-0.223144, -1.609438], atol=5e-7)
    weights = attention_weights(np.zeros((3, 1)), np.zeros((3, 1)), bias=bias)
    np.testing.assert_allclose(weights[2], [0.137931, 0.172414, 0.689655], atol=5e-7)


def test_constant_gates_are_alibi():
    """A slope of 1/2 is a gate of exp(-1/2), 0.6065."""
    gate = math.exp(-0.5)

    bias = forgetting_bias(np.full(5, logit(gate)))

    assert f"{gate:.6f}" == "0.606531"
    distance = np.arange(5)[None, :] - np.arange(5)[:, None]
    np.testing.assert_allclose(bias[causal_mask(5, 5)], 0.5 * distance[causal_mask(5, 5)])


def test_a_gate_of_zero_forgets_all_before_it():
    bias = forgetting_bias([0.0, 0.0, -INF, 0.0])

    half = math.log(0.5)
    expected = [[0, -INF, -INF, -INF], [half, 0, -INF, -INF], [-INF, -INF, 0, -INF]]
    np.testing.assert_allclose(bias[:3], expected)
    np.testing.assert_allclose(bias[3], [-INF, -INF, half, 0])


def test_large_logits_lose_no_digits():
    """ln sigmoid(40) is -exp(-40), where sigmoid itself rounds to 1; ln sigmoid(-800) is -800."""
    np.testing.assert_allclose(forgetting_bias([0, 40])[1, 0], -math.exp(-40), rtol=1e-12)
    np.testing.assert_allclose(forgetting_bias([0, -800])[1, 0], -800, rtol=1e-15)


def test_one_token_forgets_nothing():
    np.testing.assert_array_equal(forgetting_bias([3.0]), [[0]])


# By property


@BOUNDED
@given(counts(), st.integers(1, 5))
def test_new_queries_of_cope_get_the_last_rows(shape, n_rows):
    n_queries, n_keys = shape
    q, k, table = numbers(n_keys, 3), numbers(n_keys, 3, seed=1), numbers(n_rows, 3, seed=2)

    full = cope_bias(q, k, table)

    assert full.shape == (n_keys, n_keys)
    np.testing.assert_allclose(cope_bias(q[n_keys - n_queries :], k, table), full[-n_queries:])


@BOUNDED
@given(counts())
def test_new_queries_of_forget_gates_get_the_last_rows(shape):
    n_queries, n_keys = shape
    logits = numbers(2, n_keys)

    full = forgetting_bias(logits)

    assert full.shape == (2, n_keys, n_keys)
    np.testing.assert_array_equal(
        forgetting_bias(logits, n_queries=n_queries), full[:, -n_queries:]
    )


@BOUNDED
@given(counts())
def test_the_future_and_only_the_future_is_minus_infinity(shape):
    n_queries, n_keys = shape
    q, k = numbers(n_queries, 3), numbers(n_keys, 3, seed=1)

    for terms in (cope_bias(q, k, numbers(4, 3)), forgetting_bias(k[:, 0], n_queries=n_queries)):
        np.testing.assert_array_equal(np.isneginf(terms), ~causal_mask(n_queries, n_keys))
        assert not np.isnan(terms).any()


@BOUNDED
@given(st.integers(2, 9), st.integers(0, 10))
def test_tokens_before_the_key_and_after_the_query_do_not_matter(n, seed):
    """So padding at either end needs no mask."""
    q, k, table = numbers(n, 3, seed=seed), numbers(n, 3, seed=seed + 1), numbers(4, 3)
    logits = numbers(n, seed=seed)

    middle = cope_bias(q[1:-1], k[1:-1], table) if n > 2 else cope_bias(q[1:], k[1:], table)
    end = n - 1 if n > 2 else n

    np.testing.assert_allclose(cope_bias(q, k, table)[1:end, 1:end], middle)
    np.testing.assert_allclose(
        forgetting_bias(logits)[1:end, 1:end], forgetting_bias(logits[1:end]), rtol=1e-12
    )


@BOUNDED
@given(st.integers(1, 9))
def test_less_is_left_of_an_earlier_key(n):
    last_query = forgetting_bias(numbers(n), n_queries=1)[0]

    assert (np.diff(last_query) > 0).all()
    assert last_query[-1] == 0


def test_leading_axes_broadcast():
    q, k, table = numbers(2, 3, 4, 5), numbers(3, 6, 5, seed=1), numbers(4, 5, seed=2)

    terms = cope_bias(q, k, table)

    assert terms.shape == (2, 3, 4, 6)
    np.testing.assert_allclose(terms[1, 2], cope_bias(q[1, 2], k[2], table))
    assert cope_bias(q[0, 0], k, table).shape == (3, 4, 6)
    logits = numbers(2, 3, 4)
    np.testing.assert_array_equal(forgetting_bias(logits)[1, 2], forgetting_bias(logits[1, 2]))


def test_float32_stays_float32():
    q, k, table = (x.astype(np.float32) for x in (numbers(5, 3), numbers(5, 3), numbers(4, 3)))
    past = causal_mask(5, 5)

    terms = cope_bias(q, k, table)
    bias = forgetting_bias(q[:, 0])

    assert terms.dtype == bias.dtype == np.float32
    assert cope_bias(q, k, table.astype(np.float64)).dtype == np.float64
    assert cope_bias([[1]], [[1]], [[1]]).dtype == forgetting_bias([1]).dtype == np.float64
    wide = cope_bias(*(x.astype(np.float64) for x in (q, k, table)))
    np.testing.assert_allclose(terms[past], wide[past], atol=1e-5)


def test_sums_in_float32_do_not_drift():
    """A hundred thousand gates just below 1: summed in float32 they would be off by far more."""
    logits = np.full(100_000, 12.0, np.float32)

    farthest = forgetting_bias(logits, n_queries=1)[0, 0]

    np.testing.assert_allclose(farthest, -99_999 * math.log1p(math.exp(-12)), rtol=2e-7)


def test_a_nan_stays_in_its_row():
    q, k = numbers(3, 2), numbers(3, 2, seed=1)
    q[1, 0] = k[2, 0] = np.nan

    terms = cope_bias(q, k, numbers(4, 2))
    bias = forgetting_bias([0.0, 0.0, np.nan])

    np.testing.assert_array_equal(np.isnan(terms), [[0, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(np.isnan(bias), [[0, 0, 0], [0, 0, 0], [1, 1, 0]])


def test_no_head_is_no_error():
    assert cope_bias(np.zeros((0, 2, 3)), np.zeros((2, 3)), np.zeros((4, 3))).shape == (0, 2, 2)
    assert forgetting_bias(np.zeros((0, 2))).shape == (0, 2, 2)


def test_nothing_given_is_changed():
    given = q, k, table, logits = numbers(4, 3), numbers(4, 3), numbers(3, 3), numbers(4)
    before = [x.copy() for x in given]

    cope_bias(q, k, table)
    forgetting_bias(logits)

    for x, was in zip(given, before, strict=True):
        np.testing.assert_array_equal(x, was)


# By a second route


@BOUNDED
@given(counts(), st.integers(1, 6), st.sampled_from([None, 1.0, 0.1]))
def test_loops_over_tokens_give_the_terms_of_cope(shape, n_rows, scale):
    n_queries, n_keys = shape
    q, k, table = numbers(n_queries, 3), numbers(n_keys, 3, seed=1), numbers(n_rows, 3, seed=2)
    factor = 3**-0.5 if scale is None else scale

    def term(query, key):
        m = n_keys - n_queries + query
        if key > m:
            return -INF
        position = sum(sigmoid(factor * q[query] @ k[t]) for t in range(key, m + 1))
        return np.interp(position, np.arange(n_rows), table @ q[query])  # np.interp holds the end

    expected = [[term(query, key) for key in range(n_keys)] for query in range(n_queries)]

    np.testing.assert_allclose(cope_bias(q, k, table, scale=scale), expected, rtol=0, atol=1e-12)


@BOUNDED
@given(counts())
def test_differences_of_cumulative_sums_give_the_bias_of_forget_gates(shape):
    n_queries, n_keys = shape
    logits = 3 * numbers(2, n_keys)
    total = np.cumsum(np.log(1 / (1 + np.exp(-logits))), axis=-1)

    difference = total[:, :, None] - total[:, None, :]
    expected = np.where(causal_mask(n_keys, n_keys), difference, -INF)[:, -n_queries:]

    bias = forgetting_bias(logits, n_queries=n_queries)
    np.testing.assert_allclose(bias, expected, rtol=0, atol=1e-12)


# Against released code, in float64


@each_case("content", "cope_bias")
def test_attention_with_cope_is_that_of_x_transformers(case):
    """It adds the term to the scaled scores, as the listing of the paper does."""
    q, k, v, table = (case.inputs[name] for name in ("q", "k", "v", "table"))

    terms = cope_bias(q, k, table)

    weights = attention_weights(q, k, bias=terms)
    np.testing.assert_allclose(weights, case.outputs["weights"], rtol=0, atol=1e-12)
    output = attention(q, k, v, bias=terms)
    np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=1e-12)
    masked = attention(q, k, v, bias=terms, mask=causal_mask(7, 7))
    np.testing.assert_array_equal(masked, output)
    if len(table) > 1:
        for other in (terms / math.sqrt(4), cope_bias(q, k, table, scale=1)):
            away = np.abs(attention_weights(q, k, bias=other) - case.outputs["weights"]).max()
            assert away > 0.01


@each_case("content", "forgetting_bias")
def test_attention_with_forget_gates_is_that_of_x_transformers(case):
    q, k, v = (case.inputs[name] for name in ("q", "k", "v"))
    logits = case.inputs["x"] @ case.inputs["weight"].T + case.inputs["bias"]

    bias = forgetting_bias(logits.swapaxes(-1, -2))

    weights = attention_weights(q, k, bias=bias)
    np.testing.assert_allclose(weights, case.outputs["weights"], rtol=0, atol=1e-12)
    output = attention(q, k, v, bias=bias)
    np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=1e-12)
    if q.shape[-2] > 1:
        with_the_key = bias + np.log(1 / (1 + np.exp(-logits.swapaxes(-1, -2))))[..., None, :]
        away = np.abs(attention_weights(q, k, bias=with_the_key) - case.outputs["weights"]).max()
        assert away > 0.01


# On bad input

Q, TABLE = np.zeros((2, 4)), np.zeros((3, 4))
RULE = "q must have from 1 row to as many as k, since the last query stands on the last key, got "


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((Q[0], Q, TABLE), ValueError, "q must have shape (..., n_queries, head_dim), got (4,)"),
        (([], Q, TABLE), ValueError, "q must have shape (..., n_queries, head_dim), got (0,)"),
        ((1j * Q, Q, TABLE), TypeError, "q must be numbers (int or float), got dtype complex128"),
        ((None, Q, TABLE), TypeError, "q must be numbers (int or float), got dtype object"),
        (([[1], [1, 2]], Q, TABLE), ValueError, "q must be one array, got [[1], [1, 2]]"),
        ((Q, Q[:, 1:], TABLE), ValueError, "k must have shape (..., n_keys, 4), got (2, 3)"),
        ((Q, Q > 0, TABLE), TypeError, "k must be numbers (int or float), got dtype bool"),
        ((Q, Q[0], TABLE), ValueError, "k must have shape (..., n_keys, 4), got (4,)"),
        (
            (Q[:, :0], Q[:, :0], TABLE),
            ValueError,
            "q must have at least 1 feature in its last axis, got (2, 0)",
        ),
        ((Q, Q[:1], TABLE), ValueError, RULE + "shapes (2, 4) and (1, 4)"),
        ((Q[:0], Q, TABLE), ValueError, RULE + "shapes (0, 4) and (2, 4)"),
        ((Q[:0], Q[:0], TABLE), ValueError, RULE + "shapes (0, 4) and (0, 4)"),
        (
            (np.zeros((2, 2, 4)), np.zeros((3, 2, 4)), TABLE),
            ValueError,
            "k must have leading axes that broadcast with those of q (2,), got (3,)",
        ),
        (
            (np.broadcast_to(0.0, (2**29, 1)), np.broadcast_to(0.0, (2**29, 1)), [[0.0]]),
            ValueError,
            "q x k must be below 2**58 entries, got q 536870912, k 536870912",
        ),
        ((Q, Q, TABLE[:, 1:]), ValueError, "table must have shape (n_rows, 4), got (3, 3)"),
        ((Q, Q, TABLE[0]), ValueError, "table must have shape (n_rows, 4), got (4,)"),
        ((Q, Q, TABLE[:0]), ValueError, "table must have at least one row, got shape (0, 4)"),
        ((Q, Q, TABLE + np.nan), ValueError, "table must be finite, got an entry nan"),
        ((Q, Q, "table"), TypeError, "table must be numbers (int or float), got dtype <U5"),
    ],
)
def test_a_bad_argument_of_cope_is_named(arguments, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        cope_bias(*arguments)


@pytest.mark.parametrize(
    ("scale", "error", "message"),
    [
        (np.nan, ValueError, "scale must be finite, got nan"),
        (INF, ValueError, "scale must be finite, got inf"),
        ("1", TypeError, "scale must be a number (int or float), got '1' (str)"),
        (True, TypeError, "scale must be a number (int or float), got True (bool)"),
    ],
)
def test_a_bad_scale_is_named(scale, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        cope_bias(Q, Q, TABLE, scale=scale)


@pytest.mark.parametrize(
    ("logits", "n_queries", "error", "message"),
    [
        (1.0, None, ValueError, "gate_logits must have shape (..., n_keys), got ()"),
        ([], None, ValueError, "gate_logits must have at least one key, got shape (0,)"),
        (np.zeros((2, 0)), 1, ValueError, "gate_logits must have at least one key, got shape (2,"),
        ([1j], None, TypeError, "gate_logits must be numbers (int or float), got dtype complex128"),
        ([[1], [1, 2]], None, ValueError, "gate_logits must be one array, got [[1], [1, 2]]"),
        (None, None, TypeError, "gate_logits must be numbers (int or float), got dtype object"),
        (
            np.broadcast_to(0.0, (2**29,)),
            None,
            ValueError,
            "gate_logits x n_queries must be below 2**58 entries, got gate_logits 5",
        ),
        ([0.0, 0.0], 3, ValueError, "n_queries must be in 1..2 (n_keys), got 3"),
        ([0.0, 0.0], 0, ValueError, "n_queries must be in 1..2 (n_keys), got 0"),
        ([0.0, 0.0], 2.0, TypeError, "n_queries must be a whole number (int), got 2.0 (float)"),
        ([0.0, 0.0], True, TypeError, "n_queries must be a whole number (int), got True (bool)"),
        ([0.0, 0.0], 2**80, ValueError, "n_queries must be in 1..2 (n_keys), got 12089258196146"),
    ],
)
def test_a_bad_argument_of_forget_gates_is_named(logits, n_queries, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        forgetting_bias(logits, n_queries=n_queries)


def test_one_wide_argument_widens_the_term():
    narrow = [np.ones((2, 3), np.float32)] * 3
    assert cope_bias(*narrow).dtype == np.float32

    for place in range(3):
        arguments = [*narrow]
        arguments[place] = np.ones((2, 3))
        assert cope_bias(*arguments).dtype == np.float64
