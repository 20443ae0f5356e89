"""DeBERTa's scores: by hand, by property, by second routes, in real layers, on bad input.

The second routes are loops over all pairs of tokens, and exact fractions for the buckets.
"""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    attention,
    attention_weights,
    deberta_buckets,
    deberta_scores,
)
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)

# Three tokens of width 2, tables of a span of 2
Q = [[1, 0], [0, 1], [1, 1]]
K = [[1, 1], [1, 0], [0, 1]]
KEY_POSITIONS = [[1, 0], [0, 1], [1, 1], [0, 0]]
QUERY_POSITIONS = [[0, 1], [1, 0], [0, 0], [1, 1]]


@st.composite
def operands(draw):
    """Arguments of `deberta_scores`, with heads and batch, cached keys, buckets or not."""
    rng = np.random.default_rng(draw(seeds))
    n_keys = draw(st.integers(1, 9))
    n_queries = draw(st.integers(1, n_keys))
    head_dim, span = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    batch, heads = draw(st.sampled_from([((), ()), ((3,), ()), ((2, 3), (3,))]))
    both = draw(st.sampled_from(["both", "key_positions", "query_positions"]))
    tables = {
        name: rng.normal(size=(*heads, 2 * span, head_dim)) if both in ("both", name) else None
        for name in ("key_positions", "query_positions")
    }
    bucketed = span > 1 and draw(st.booleans())
    return tables | {
        "q": rng.normal(size=(*batch, n_queries, head_dim)),
        "k": rng.normal(size=(*batch, n_keys, head_dim)),
        "index": draw(st.sampled_from(["code", "paper"])),
        "max_distance": draw(st.integers(span // 2 + 2, 12)) if bucketed else None,
    }


# By hand


@pytest.mark.parametrize(
    ("index", "numerators"),
    [
        ("code", [[2, 2, 2], [3, 1, 2], [4, 2, 3]]),
        ("paper", [[2, 2, 2], [2, 1, 3], [3, 2, 3]]),
    ],
)
def test_scores_of_three_tokens_by_hand(index, numerators):
    """Query 1, key 0: 1, then 0 from row 3, then 2 from row 3 (code) or 1 from row 1 (paper)."""
    scores = deberta_scores(Q, K, KEY_POSITIONS, QUERY_POSITIONS, index=index, max_distance=None)

    np.testing.assert_allclose(scores, np.array(numerators) / math.sqrt(6), rtol=1e-15)


@pytest.mark.parametrize(
    ("index", "expected"),
    [("code", [0.474655, 0.209787, 0.315558]), ("paper", [0.375261, 0.249479, 0.375261])],
)
def test_weights_of_the_last_query_by_hand(index, expected):
    scores = deberta_scores(Q, K, KEY_POSITIONS, QUERY_POSITIONS, index=index, max_distance=None)

    weights = attention_weights(Q, K, bias=scores, scale=0.0)

    np.testing.assert_allclose(weights[2], expected, atol=5e-7)


def test_one_term_is_scaled_for_two():
    """Of the products above, content and one term: query 2, key 0 has 2, 0 and 2."""
    content_to_position = deberta_scores(Q, K, KEY_POSITIONS, None, index="code", max_distance=None)
    position_to_content = deberta_scores(
        Q, K, None, QUERY_POSITIONS, index="code", max_distance=None
    )

    np.testing.assert_allclose(content_to_position[2], [1, 0.5, 1.5])
    np.testing.assert_allclose(position_to_content[2], [2, 1, 0.5])


def rows_met(n_tokens, span, index, max_distance=None):
    """Which row serves each pair, for either table, read from tables that hold their row numbers.

    Widths and factors: head_dim is 2, so two terms are divided by 2, the root of 2 * 2.
    """
    one, none = np.full((n_tokens, 2), [1, 0]), np.zeros((n_tokens, 2))
    numbers = np.stack([np.arange(2 * span), np.zeros(2 * span)], axis=-1) * 2
    options = {"index": index, "max_distance": max_distance}
    return (
        deberta_scores(one, none, numbers, None, **options),
        deberta_scores(none, one, None, numbers, **options),
    )


def test_case_pe_91_position_to_content_takes_the_index_of_content_to_position():
    """Released code gathers by key and transposes; skip the transpose, and rows run backwards."""
    effective = [[4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3], [7, 6, 5, 4]]
    without_transpose = [[4, 5, 6, 7], [3, 4, 5, 6], [2, 3, 4, 5], [1, 2, 3, 4]]

    content_to_position, position_to_content = rows_met(4, 4, "code")

    np.testing.assert_array_equal(content_to_position, effective)
    np.testing.assert_array_equal(position_to_content, effective)
    np.testing.assert_array_equal(rows_met(4, 4, "paper")[0], effective)
    np.testing.assert_array_equal(rows_met(4, 4, "paper")[1], without_transpose)


def test_far_tokens_share_the_first_and_the_last_row():
    """A span of 1 has a row for the future, and one for the token itself and the past."""
    np.testing.assert_array_equal(rows_met(3, 1, "code")[0], [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(rows_met(3, 1, "paper")[1], [[1, 1, 1], [0, 1, 1], [0, 0, 1]])


def test_buckets_choose_the_rows():
    """4 buckets to 6: 0, 1, 2 are their own, 3, 4 and 5 are the third, and 6 is the fourth."""
    assert deberta_buckets(np.arange(7), n_buckets=4, max_distance=6).tolist() == [
        0, 1, 2, 3, 3, 3, 4,
    ]  # fmt: skip

    rows, _ = rows_met(8, 4, "code", max_distance=6)

    np.testing.assert_array_equal(rows[0], [4, 3, 2, 1, 1, 1, 0, 0])
    np.testing.assert_array_equal(rows[7], [7, 7, 7, 7, 7, 6, 5, 4])


def test_buckets_by_hand():
    """mid is 4 and the factor 8 ** (1/3) = 2: buckets 5, 6, 7 end at 8, 16, 32."""
    buckets = deberta_buckets(np.arange(34), n_buckets=8, max_distance=33)

    expected = [0, 1, 2, 3, 4] + 4 * [5] + 8 * [6] + 16 * [7] + [8]
    np.testing.assert_array_equal(buckets, expected)


def test_two_buckets_tell_the_token_itself_from_the_rest():
    buckets = deberta_buckets([-9, -1, 0, 1, 9], n_buckets=2, max_distance=3)

    np.testing.assert_array_equal(buckets, [-1, -1, 0, 1, 1])


def test_buckets_keep_shape_and_are_int64():
    assert deberta_buckets(3, n_buckets=4, max_distance=9).shape == ()
    assert deberta_buckets([], n_buckets=4, max_distance=9).shape == (0,)
    assert deberta_buckets([[1], [2]], n_buckets=4, max_distance=9).shape == (2, 1)
    assert deberta_buckets(np.uint8(3), n_buckets=np.int8(4), max_distance=9).dtype == np.int64


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("max_distance", [None, 3])
def test_float32_stays_and_float16_becomes_it(dtype, max_distance):
    arrays = [np.array(x, dtype) for x in (Q, K, KEY_POSITIONS, QUERY_POSITIONS)]

    scores = deberta_scores(*arrays, index="code", max_distance=max_distance)

    assert scores.dtype == np.float32


# By property


@BOUNDED
@given(operands())
def test_tables_of_zeros_leave_plain_scores(arguments):
    tables = [arguments[name] for name in ("key_positions", "query_positions")]
    n_terms = 1 + sum(table is not None for table in tables)
    for table in tables:
        if table is not None:
            table *= 0
    q, k = arguments["q"], arguments["k"]

    scores = deberta_scores(**arguments)

    plain = q @ k.swapaxes(-1, -2) / math.sqrt(n_terms * q.shape[-1])
    np.testing.assert_allclose(scores, plain, atol=1e-13)


@BOUNDED
@given(operands(), st.integers(1, 8))
def test_new_queries_get_the_last_rows_of_the_full_square(arguments, n_new):
    arguments["q"] = np.random.default_rng(0).normal(size=arguments["k"].shape)
    full = deberta_scores(**arguments)

    arguments["q"] = arguments["q"][..., -n_new:, :]

    np.testing.assert_allclose(deberta_scores(**arguments), full[..., -n_new:, :], atol=1e-13)


@BOUNDED
@given(operands())
def test_the_indices_agree_on_the_table_that_queries_meet(arguments):
    arguments["key_positions"] = np.ones((4, arguments["q"].shape[-1]))
    arguments["query_positions"] = None
    arguments["max_distance"] = None

    code, paper = (deberta_scores(**arguments | {"index": index}) for index in ("code", "paper"))

    np.testing.assert_array_equal(code, paper)


@BOUNDED
@given(operands())
def test_arguments_are_left_as_they_were(arguments):
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    copies = {name: array.copy() for name, array in arrays.items()}

    deberta_scores(**arguments)

    for name, copy in copies.items():
        np.testing.assert_array_equal(arrays[name], copy)


settings_of_buckets = st.integers(2, 40).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(n // 2 + 2, 200))
)


@BOUNDED
@given(settings_of_buckets)
def test_buckets_are_odd_rise_and_end_where_they_should(setting):
    n_buckets, max_distance = setting
    buckets = deberta_buckets(np.arange(-300, 301), n_buckets=n_buckets, max_distance=max_distance)
    positive = buckets[300:]

    mid = n_buckets // 2
    np.testing.assert_array_equal(buckets, -buckets[::-1])
    assert (np.diff(positive) >= 0).all()
    np.testing.assert_array_equal(positive[: mid + 1], np.arange(mid + 1))
    assert positive[max_distance - 1] == 2 * mid - 1
    if mid > 1:
        assert positive[max_distance] >= 2 * mid


# By a second route


@BOUNDED
@given(operands())
def test_loops_over_all_pairs_give_the_same(arguments):
    q, k, max_distance = arguments["q"], arguments["k"], arguments["max_distance"]
    key_table, query_table = arguments["key_positions"], arguments["query_positions"]
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    span = (query_table if key_table is None else key_table).shape[-2] // 2

    def delta(a, b):
        difference = a - b
        if max_distance is not None:
            difference = int(deberta_buckets(difference, n_buckets=span, max_distance=max_distance))
        return min(max(difference + span, 0), 2 * span - 1)

    scores = deberta_scores(**arguments)

    for row in range(n_queries):
        m = n_keys - n_queries + row
        for n in range(n_keys):
            terms = [(q[..., row, :] * k[..., n, :]).sum(axis=-1)]
            if key_table is not None:
                terms.append((q[..., row, :] * key_table[..., delta(m, n), :]).sum(axis=-1))
            if query_table is not None:
                j = delta(m, n) if arguments["index"] == "code" else delta(n, m)
                terms.append((k[..., n, :] * query_table[..., j, :]).sum(axis=-1))
            expected = sum(terms) / math.sqrt(len(terms) * q.shape[-1])
            np.testing.assert_allclose(scores[..., row, n], expected, atol=1e-13)


def exact_bucket(distance, n_buckets, max_distance):
    """The least whole j with (t / mid) ** (mid - 1) <= ((max_distance - 1) / mid) ** j."""
    mid = n_buckets // 2
    if distance <= mid:
        return distance
    wanted = Fraction(distance, mid) ** (mid - 1)
    factor, reached, j = Fraction(max_distance - 1, mid), Fraction(1), 0
    while reached < wanted:
        reached, j = reached * factor, j + 1
    return mid + j


@pytest.mark.parametrize(
    ("n_buckets", "max_distance"),
    [(256, 512), (32, 128), (8, 33), (7, 20), (2, 9), (4, 9), (10, 81), (14, 449), (16, 57)],
)
def test_exact_fractions_give_the_same_buckets(n_buckets, max_distance):
    """8 to 33, 10 to 81 and 14 to 449 have whole factors: distances that end a bucket exactly."""
    distances = np.arange(max_distance + 5)

    buckets = deberta_buckets(distances, n_buckets=n_buckets, max_distance=max_distance)

    exact = [exact_bucket(int(t), n_buckets, max_distance) for t in distances]
    np.testing.assert_array_equal(buckets, exact)


# Against released code


@each_case("deberta", "deberta_buckets")
def test_buckets_are_those_of_version_2(case):
    first, n_buckets = case.inputs["first"], case.inputs["n_buckets"]
    relative = np.arange(first, -first + 1)

    buckets = deberta_buckets(
        relative, n_buckets=n_buckets, max_distance=case.inputs["max_distance"]
    )

    expected = case.outputs["buckets"]
    if (n_buckets, case.inputs["max_distance"]) == (18, 65):
        # 8 log(24/9) / log(64/9) is 4: 24 ends its bucket, and float32 puts it into the next
        assert set(np.abs(relative[buckets != expected])) == {24}
        expected = np.where(np.abs(relative) == 24, np.sign(relative) * 13, expected)
    np.testing.assert_array_equal(buckets, expected)


def in_heads(x, n_heads):
    """(..., tokens, features) to (..., heads, tokens, head_dim)."""
    return np.moveaxis(x.reshape(*x.shape[:-1], n_heads, -1), -2, -3)


def merged(heads):
    tokens_first = np.moveaxis(heads, -3, -2)
    return tokens_first.reshape(*tokens_first.shape[:-2], -1)


def operands_of(case):
    """Queries, keys, values and the two tables, as the layer of each version makes them."""
    inputs = case.inputs
    weights = {name: np.array(value) for name, value in inputs["weights"].items()}
    hidden, positions, n_heads = inputs["hidden"], inputs["positions"], inputs["n_heads"]

    def projected(name, x):
        y = x @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0)
        return in_heads(y, n_heads)

    if inputs["model"] == "deberta":
        q, k, v = np.split(projected("in_proj", hidden), 3, axis=-1)
        q = q + in_heads(weights["q_bias"][None], n_heads)
        v = v + in_heads(weights["v_bias"][None], n_heads)
        key_name, query_name = "pos_proj", "pos_q_proj"
    else:
        q, k, v = (projected(name, hidden) for name in ("query_proj", "key_proj", "value_proj"))
        key_name, query_name = "pos_key_proj", "pos_query_proj"
        if inputs["share"]:
            key_name, query_name = "key_proj", "query_proj"
    key_table = projected(key_name, positions) if "c2p" in inputs["terms"] else None
    query_table = projected(query_name, positions) if "p2c" in inputs["terms"] else None
    return q, k, v, key_table, query_table


@each_case("deberta", "deberta_scores")
def test_weights_and_outputs_are_those_of_the_layer(case):
    """In float64 throughout: what differs is the order of sums."""
    q, k, v, *tables = operands_of(case)
    scores = deberta_scores(q, k, *tables, index="code", max_distance=case.inputs["max_distance"])
    softmax = {"bias": scores, "scale": 0.0, "mask": case.inputs["allowed"]}

    weights, output = attention_weights(q, k, **softmax), merged(attention(q, k, v, **softmax))

    np.testing.assert_allclose(weights, case.outputs["attention"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=1e-12)


@each_case("deberta", "deberta_scores")
def test_the_papers_index_does_not_give_the_weights_of_the_layer(case):
    """Unless there is one token, or no term that depends on it."""
    q, k, _, *tables = operands_of(case)
    scores = deberta_scores(q, k, *tables, index="paper", max_distance=case.inputs["max_distance"])

    weights = attention_weights(q, k, bias=scores, scale=0.0, mask=case.inputs["allowed"])

    depends = "p2c" in case.inputs["terms"] and q.shape[-2] > 1
    assert (np.abs(weights - case.outputs["attention"]).max() > 0.05) == depends


@each_case("deberta", "deberta_scores")
def test_without_its_buckets_version_2_is_missed(case):
    q, k, _, *tables = operands_of(case)
    scores = deberta_scores(q, k, *tables, index="code", max_distance=None)

    weights = attention_weights(q, k, bias=scores, scale=0.0, mask=case.inputs["allowed"])

    has_buckets = case.inputs["max_distance"] is not None
    assert (np.abs(weights - case.outputs["attention"]).max() > 0.05) == has_buckets


# On bad input


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"q": [1.0]}, ValueError, "q must have shape (..., n_queries, head_dim), got (1,)"),
        ({"q": np.ones((0, 2))}, ValueError, "q must have from 1 row to as many as k, since"),
        ({"q": np.ones((4, 2))}, ValueError, "q must have from 1 row to as many as k, since"),
        ({"q": np.ones((3, 0))}, ValueError, "q must have at least 1 feature in its last axis"),
        ({"k": np.ones((3, 1))}, ValueError, "k must have shape (..., n_keys, 2), got (3, 1)"),
        ({"k": [["a", "b"]]}, TypeError, "k must be numbers (int or float), got dtype <U1"),
        (
            {"key_positions": np.ones((4, 3))},
            ValueError,
            "key_positions must have shape (..., 2 * span, 2), got (4, 3)",
        ),
        (
            {"key_positions": np.ones((3, 2))},
            ValueError,
            "key_positions must have an even number of rows, at least 2, got shape (3, 2)",
        ),
        (
            {"key_positions": np.ones((0, 2)), "query_positions": None},
            ValueError,
            "key_positions must have an even number of rows, at least 2, got shape (0, 2)",
        ),
        (
            {"query_positions": np.ones((5, 2))},
            ValueError,
            "query_positions must have an even number of rows, at least 2, got shape (5, 2)",
        ),
        (
            {"query_positions": np.ones((6, 2))},
            ValueError,
            "key_positions and query_positions must have one number of rows, and not both be "
            "None, got shapes [(4, 2), (6, 2)]",
        ),
        (
            {"key_positions": None, "query_positions": None},
            ValueError,
            "key_positions and query_positions must have one number of rows, and not both be "
            "None, got shapes []",
        ),
        (
            {"key_positions": np.full((4, 2), math.nan)},
            ValueError,
            "key_positions must be finite, got an entry nan",
        ),
        (
            {"query_positions": np.full((4, 2), math.inf)},
            ValueError,
            "query_positions must be finite, got an entry inf",
        ),
        ({"index": "released"}, ValueError, "index must be one of 'code', 'paper', got 'released'"),
        ({"index": None}, TypeError, "index must be one of 'code', 'paper', got None (NoneType)"),
        ({"max_distance": 2}, ValueError, "max_distance must be at least 3, got 2"),
        ({"max_distance": 9.0}, TypeError, "max_distance must be a whole number (int), got 9.0"),
        (
            {"q": np.ones((2, 3, 2)), "k": np.ones((4, 3, 2))},
            ValueError,
            "k must have leading axes that broadcast with those of q (2,), got (4,)",
        ),
        (
            {"q": np.ones((2, 3, 2)), "key_positions": np.ones((3, 4, 2))},
            ValueError,
            "key_positions must have leading axes that broadcast with those of q (2,), k ()",
        ),
        (
            {"q": np.ones((2, 3, 2)), "query_positions": np.ones((3, 4, 2))},
            ValueError,
            "query_positions must have leading axes that broadcast with those of q (2,), k ()",
        ),
    ],
)
def test_a_bad_argument_of_the_scores_is_named(changed, error, message):
    good = {"q": Q, "k": K, "key_positions": KEY_POSITIONS, "query_positions": QUERY_POSITIONS}

    with refused(error, message):
        deberta_scores(**{**good, "index": "code", "max_distance": None, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"relative": [1.0]}, TypeError, "relative must be whole numbers (int), got dtype float64"),
        ({"relative": True}, TypeError, "relative must be whole numbers (int), got dtype bool"),
        ({"relative": None}, TypeError, "relative must be whole numbers (int), got dtype object"),
        ({"relative": 2**80}, TypeError, "relative must be whole numbers (int), got dtype object"),
        ({"relative": [[1], []]}, ValueError, "relative must be one array, got [[1], []]"),
        (
            {"relative": [2**53]},
            ValueError,
            "relative must be finite and less than 2**53 in size, got 9007199254740992.0",
        ),
        ({"n_buckets": 1}, ValueError, "n_buckets must be at least 2, got 1"),
        ({"n_buckets": 4.0}, TypeError, "n_buckets must be a whole number (int), got 4.0 (float)"),
        ({"n_buckets": 2**80}, ValueError, "n_buckets must be at most 9007199254740992, got 1208"),
        ({"max_distance": 5}, ValueError, "max_distance must be at least 6, got 5"),
        ({"max_distance": "9"}, TypeError, "max_distance must be a whole number (int), got '9'"),
        (
            {"max_distance": 2**80},
            ValueError,
            "max_distance must be at most 9007199254740992, got 1208",
        ),
    ],
)
def test_a_bad_argument_of_the_buckets_is_named(changed, error, message):
    with refused(error, message):
        deberta_buckets(**{"relative": [0, 1], "n_buckets": 8, "max_distance": 33, **changed})


def test_the_smallest_and_the_largest_arguments_are_taken():
    at_most = deberta_buckets([2**53 - 1], n_buckets=2**53, max_distance=2**53)
    at_least = deberta_buckets([5], n_buckets=8, max_distance=6)

    assert at_most[0] == 2**53 - 1
    assert at_least[0] == 7


def test_each_table_has_the_width_of_the_heads():
    q, good, bad = np.ones((3, 4)), np.ones((6, 4)), np.ones((6, 5))

    for tables, name in (((bad, good), "key_positions"), ((good, bad), "query_positions")):
        with pytest.raises(ValueError, match=rf"^{name} must have shape \(\.\.\., 2 \* span, 4\)"):
            deberta_scores(q, q, *tables, index="code", max_distance=None)
