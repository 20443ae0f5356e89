"""Shaw's position vectors: by hand, by property, by a second route, in real layers, on bad input.

The second route makes the vector of every pair of tokens, as equations 3 and 4 are printed.
"""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention, attention_weights, causal_mask, shaw_attention, shaw_scores
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)

# Three tokens of width 2, tables for one token to either side
Q = [[1, 0], [0, 1], [1, 1]]
K = [[1, 1], [1, 0], [0, 1]]
V = [[1, 0], [0, 1], [1, 1]]
KEY_TABLE = [[0, 1], [0, 0], [1, 0]]
VALUE_TABLE = [[0.5, 0], [0, 0], [0, 0.5]]


@st.composite
def operands(draw):
    """Arguments of `shaw_attention`, with heads and batch, shared tables or not, cached keys."""
    rng = np.random.default_rng(draw(seeds))
    n_keys = draw(st.integers(1, 8))
    n_queries = draw(st.integers(1, n_keys))
    head_dim, d_v, n_rows = (draw(st.integers(1, 5)) for _ in range(3))
    batch, heads = draw(st.sampled_from([((), ()), ((3,), ()), ((3,), (3,)), ((2, 3), (3,))]))
    arrays = {
        "q": (*batch, n_queries, head_dim),
        "k": (*batch, n_keys, head_dim),
        "v": (*batch, n_keys, d_v),
        "key_table": (*heads, n_rows, head_dim),
        "value_table": (*heads, n_rows, d_v),
    }
    left = None if n_rows % 2 and draw(st.booleans()) else draw(st.integers(0, n_rows - 1))
    return {name: rng.normal(size=shape) for name, shape in arrays.items()} | {
        "beyond": draw(st.sampled_from(["clip", "zero"])),
        "left": left,
    }


def scores_of(arguments):
    return shaw_scores(
        **{name: value for name, value in arguments.items() if name not in ("v", "value_table")}
    )


# By hand


def test_scores_of_three_tokens_by_hand():
    """Row 0: [1, 0] meets [1, 1], then [1, 0] + [1, 0], then [0, 1] + [1, 0]."""
    scores = shaw_scores(Q, K, KEY_TABLE, beyond="clip")

    expected = np.array([[1, 2, 1], [2, 0, 1], [3, 2, 1]]) / math.sqrt(2)
    np.testing.assert_allclose(scores, expected, rtol=1e-15)


def test_outputs_of_three_tokens_by_hand():
    output = shaw_attention(Q, K, V, KEY_TABLE, VALUE_TABLE, beyond="clip")

    e = math.exp(1 / math.sqrt(2))  # row 0: scores of 1, 2, 1 over root 2
    first = (np.array([1, 0]) + e * np.array([0, 1.5]) + np.array([1, 1.5])) / (2 + e)
    np.testing.assert_allclose(output[0], first, rtol=1e-15)
    expected = [[0.496510, 1.127617], [1.147958, 0.566022], [1.145990, 0.424025]]
    np.testing.assert_allclose(output, expected, atol=5e-7)


def test_a_distance_beyond_the_table_adds_nothing_if_told_so():
    """Tokens 0 and 2 are two apart, so their scores are the bare products."""
    scores = shaw_scores(Q, K, KEY_TABLE, beyond="zero", scale=1)

    np.testing.assert_array_equal(scores, [[1, 2, 0], [2, 0, 1], [2, 2, 1]])


def test_a_distance_beyond_the_table_adds_nothing_to_the_values_either():
    """Equal scores: a third of each value, and a third of the row of each neighbour."""
    zero = np.zeros((3, 1))

    clipped = shaw_attention(zero, zero, zero, zero, [[3], [0], [6]], beyond="clip")
    cut = shaw_attention(zero, zero, zero, zero, [[3], [0], [6]], beyond="zero")

    np.testing.assert_allclose(clipped, [[4], [3], [2]])
    np.testing.assert_allclose(cut, [[2], [3], [1]])


def test_left_says_which_row_is_the_token_itself():
    one, zero = np.ones((4, 1)), np.zeros((4, 1))
    table = [[10], [20], [30], [40]]

    two_back = shaw_scores(one, zero, table, beyond="clip", left=2)
    all_ahead = shaw_scores(one, zero, table, beyond="clip", left=0)

    np.testing.assert_array_equal(two_back[2], [10, 20, 30, 40])
    np.testing.assert_array_equal(two_back[3], [10, 10, 20, 30])
    np.testing.assert_array_equal(all_ahead[0], [10, 20, 30, 40])
    np.testing.assert_array_equal(all_ahead[1], [10, 10, 20, 30])


def test_the_last_row_may_be_the_token_itself():
    one, zero = np.ones((3, 1)), np.zeros((3, 1))

    scores = shaw_scores(one, zero, [[10], [20]], beyond="zero", left=1)

    np.testing.assert_array_equal(scores, [[20, 0, 0], [10, 20, 0], [0, 10, 20]])


def test_a_table_of_one_row_says_the_same_of_every_distance():
    one, zero = np.ones((3, 1)), np.zeros((3, 1))

    np.testing.assert_array_equal(
        shaw_scores(one, zero, [[7]], beyond="clip"), np.full((3, 3), 7.0)
    )
    np.testing.assert_array_equal(shaw_scores(one, zero, [[7]], beyond="zero"), 7 * np.eye(3))


def test_scale_multiplies_both_terms():
    once = shaw_scores(Q, K, KEY_TABLE, beyond="clip", scale=1)
    weights = attention_weights(np.zeros((3, 1)), np.zeros((3, 1)), bias=3 * once)

    np.testing.assert_array_equal(shaw_scores(Q, K, KEY_TABLE, beyond="clip", scale=3), 3 * once)
    np.testing.assert_allclose(
        shaw_attention(Q, K, V, KEY_TABLE, beyond="clip", scale=3), weights @ V, rtol=1e-14
    )


def test_a_query_that_sees_no_key_gets_zeros():
    mask = [[False] * 3, [True] * 3, [True] * 3]

    output = shaw_attention(Q, K, V, KEY_TABLE, VALUE_TABLE, beyond="clip", mask=mask)

    np.testing.assert_array_equal(output[0], [0, 0])
    assert (output[1:] > 0).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_float32_stays_and_float16_becomes_it(dtype):
    q, k, v, keys, values = (np.array(x, dtype) for x in (Q, K, V, KEY_TABLE, VALUE_TABLE))

    for beyond in ("clip", "zero"):
        assert shaw_scores(q, k, keys, beyond=beyond).dtype == np.float32
        assert shaw_attention(q, k, v, keys, values, beyond=beyond).dtype == np.float32
        assert shaw_attention(q, k, v, keys, beyond=beyond).dtype == np.float32


def test_whole_numbers_give_float64():
    assert shaw_scores(Q, K, KEY_TABLE, beyond="clip").dtype == np.float64


# By property


@BOUNDED
@given(operands())
def test_tables_of_zeros_leave_plain_attention(arguments):
    arguments["key_table"] *= 0
    arguments["value_table"] *= 0

    plain = attention(arguments["q"], arguments["k"], arguments["v"])

    np.testing.assert_allclose(shaw_attention(**arguments), plain, atol=1e-13)


@BOUNDED
@given(operands(), st.integers(1, 8))
def test_new_queries_get_the_last_rows_of_the_full_square(arguments, n_new):
    n_keys, head_dim = arguments["k"].shape[-2:]
    rng = np.random.default_rng(0)
    arguments["q"] = rng.normal(size=(*arguments["k"].shape[:-2], n_keys, head_dim))
    full, full_scores = shaw_attention(**arguments), scores_of(arguments)

    arguments["q"] = arguments["q"][..., -n_new:, :]

    np.testing.assert_allclose(shaw_attention(**arguments), full[..., -n_new:, :], atol=1e-13)
    np.testing.assert_allclose(scores_of(arguments), full_scores[..., -n_new:, :], atol=1e-13)


@BOUNDED
@given(operands())
def test_a_table_reversed_serves_the_sequence_reversed(arguments):
    """Where released code counts query minus key, its table is ours upside down."""
    arguments["q"] = arguments["k"][..., ::-1, :].copy()
    n_rows = arguments["key_table"].shape[-2]
    arguments["left"] = n_rows // 2 if arguments["left"] is None else arguments["left"]
    before = shaw_attention(**arguments)

    for name in arguments.keys() - {"beyond", "left"}:
        arguments[name] = arguments[name][..., ::-1, :]
    arguments["left"] = n_rows - 1 - arguments["left"]

    np.testing.assert_allclose(shaw_attention(**arguments)[..., ::-1, :], before, atol=1e-13)


@BOUNDED
@given(operands())
def test_arguments_are_left_as_they_were(arguments):
    copies = {name: np.copy(value) for name, value in arguments.items() if name != "left"}

    shaw_attention(**arguments)

    for name, copy in copies.items():
        np.testing.assert_array_equal(arguments[name], copy)


# By a second route


def vectors(table, n_queries, n_keys, beyond, left):
    """The vector of each pair of tokens, `(..., n_queries, n_keys, features)`, in two loops."""
    n_rows = table.shape[-2]
    left = n_rows // 2 if left is None else left
    chosen = np.zeros((*table.shape[:-2], n_queries, n_keys, table.shape[-1]))
    for m in range(n_queries):
        for n in range(n_keys):
            row = n - (n_keys - n_queries + m) + left
            if beyond == "clip" or 0 <= row < n_rows:
                chosen[..., m, n, :] = table[..., min(max(row, 0), n_rows - 1), :]
    return chosen


@BOUNDED
@given(operands(), st.booleans())
def test_a_vector_for_every_pair_gives_the_same(arguments, causal):
    q, k, v = arguments["q"], arguments["k"], arguments["v"]
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    of_pairs = (n_queries, n_keys, arguments["beyond"], arguments["left"])
    mask = causal_mask(n_queries, n_keys) if causal else np.ones((n_queries, n_keys), bool)

    keys = k[..., None, :, :] + vectors(arguments["key_table"], *of_pairs)
    scores = np.einsum("...md,...mnd->...mn", q, keys) / math.sqrt(q.shape[-1])
    weights = np.where(mask, np.exp(scores), 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    values = v[..., None, :, :] + vectors(arguments["value_table"], *of_pairs)

    np.testing.assert_allclose(scores_of(arguments), scores, atol=1e-13)
    np.testing.assert_allclose(
        shaw_attention(**arguments, mask=mask),
        np.einsum("...mn,...mnd->...md", weights, values),
        atol=1e-12,
    )


# Against released layers, in float64 throughout: what differs is the order of sums

PROJECTIONS = {
    "vits": ["q_proj", "k_proj", "v_proj", "out_proj"],
    "speecht5": ["q_proj", "k_proj", "v_proj", "out_proj"],
    "wav2vec2_bert": ["linear_q", "linear_k", "linear_v", "linear_out"],
    "granite_speech": ["to_q", "to_k", "to_v", "to_out"],
}


def weights_of(case):
    weights = {name: np.array(value) for name, value in case.inputs["weights"].items()}
    if case.inputs["model"] == "granite_speech":  # keys and values in one matrix
        weights["to_k.weight"], weights["to_v.weight"] = np.split(weights["to_kv.weight"], 2)
    return weights


def in_heads(x, n_heads):
    """(batch, tokens, features) to (batch, heads, tokens, head_dim)."""
    return np.moveaxis(x.reshape(*x.shape[:-1], n_heads, -1), -2, -3)


def merged(heads):
    tokens_first = np.moveaxis(heads, -3, -2)
    return tokens_first.reshape(*tokens_first.shape[:-2], -1)


def layer_norm(x, scale, shift, eps):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * scale + shift


def arguments_of(case):
    """What the layer of each model hands to attention, in our words."""
    inputs, weights = case.inputs, weights_of(case)
    hidden = inputs["hidden"]
    if inputs["model"] == "granite_speech":
        norm = weights["pre_norm.weight"], weights["pre_norm.bias"], inputs["layer_norm_eps"]
        hidden = layer_norm(hidden, *norm)
    arguments = {"mask": inputs.get("allowed"), "beyond": "clip", "left": None}
    for argument, name in zip("qkv", PROJECTIONS[inputs["model"]][:3], strict=True):
        x = hidden @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0)
        arguments[argument] = in_heads(x, inputs["n_heads"])
    match inputs["model"]:
        case "vits":
            arguments["key_table"] = weights["emb_rel_k"]
            arguments["value_table"] = weights["emb_rel_v"]
            arguments["beyond"] = "zero"
        case "speecht5":
            arguments["key_table"] = weights["pe_k.weight"][::-1]
            arguments["left"] = inputs["max_length"] - 1
        case "wav2vec2_bert":
            arguments["key_table"] = weights["distance_embedding.weight"]
            arguments["left"] = inputs["left"]
        case "granite_speech":
            arguments["key_table"] = weights["rel_pos_emb.weight"][::-1]
    return arguments


@each_case("shaw", "shaw_attention")
def test_outputs_are_those_of_the_layer(case):
    heads, weights = shaw_attention(**arguments_of(case)), weights_of(case)
    last = PROJECTIONS[case.inputs["model"]][3]

    output = merged(heads) @ weights[f"{last}.weight"].T + weights[f"{last}.bias"]

    np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=1e-12)


@each_case("shaw", "shaw_scores")
def test_weights_are_those_of_the_layer(case):
    arguments = arguments_of(case)
    q, k, v, mask = (arguments[name] for name in ("q", "k", "v", "mask"))
    left_out = {"v", "value_table", "mask"}
    scores = shaw_scores(**{n: value for n, value in arguments.items() if n not in left_out})

    weights = attention_weights(q, k, bias=scores, mask=mask, scale=0.0)

    np.testing.assert_allclose(weights, case.outputs["attention"], rtol=0, atol=1e-13)
    if "value_table" not in arguments:
        np.testing.assert_allclose(
            attention(q, k, v, bias=scores, mask=mask, scale=0.0),
            shaw_attention(**arguments),
            rtol=0,
            atol=1e-13,
        )


@each_case("shaw", "shaw_attention")
def test_another_convention_does_not_give_the_outputs_of_the_layer(case):
    """Upside down never; the other rule for far tokens only where tokens are far."""
    arguments = arguments_of(case)
    upside_down = arguments | {"key_table": arguments["key_table"][..., ::-1, :]}
    other = arguments | {"beyond": "zero" if arguments["beyond"] == "clip" else "clip"}
    n_tokens, n_rows = arguments["k"].shape[-2], arguments["key_table"].shape[-2]

    right = shaw_attention(**arguments)

    assert np.abs(shaw_attention(**upside_down) - right).max() > 0.01
    far = n_tokens > n_rows // 2 + 1
    assert (np.abs(shaw_attention(**other) - right).max() > 0.01) == far


# On bad input

SHARED = [
    ({"q": [1.0]}, ValueError, "q must have shape (..., n_queries, head_dim), got (1,)"),
    ({"q": [["a"]]}, TypeError, "q must be numbers (int or float), got dtype <U1"),
    ({"q": [[True]]}, TypeError, "q must be numbers (int or float), got dtype bool"),
    ({"q": [[1j]]}, TypeError, "q must be numbers (int or float), got dtype complex128"),
    ({"q": [[2**80]]}, TypeError, "q must be numbers (int or float), got dtype object"),
    ({"q": None}, TypeError, "q must be numbers (int or float), got dtype object"),
    ({"q": [[1.0], [1.0, 2.0]]}, ValueError, "q must be one array, got [[1.0], [1.0, 2.0]]"),
    ({"q": np.ones((2, 0))}, ValueError, "q must have at least 1 feature in its last axis, got"),
    (
        {"q": np.ones((0, 2))},
        ValueError,
        "q must have from 1 row to as many as k, since the last query stands on the last key, "
        "got shapes (0, 2) and (3, 2)",
    ),
    ({"q": np.ones((4, 2))}, ValueError, "q must have from 1 row to as many as k, since the last"),
    ({"k": np.ones((0, 2))}, ValueError, "q must have from 1 row to as many as k, since the last"),
    ({"k": np.ones((3, 4))}, ValueError, "k must have shape (..., n_keys, 2), got (3, 4)"),
    ({"k": np.ones(2)}, ValueError, "k must have shape (..., n_keys, 2), got (2,)"),
    (
        {"key_table": np.ones((3, 4))},
        ValueError,
        "key_table must have shape (..., n_rows, 2), got (3, 4)",
    ),
    (
        {"key_table": [[0, math.nan]]},
        ValueError,
        "key_table must be finite, got an entry nan",
    ),
    (
        {"key_table": np.ones((0, 2))},
        ValueError,
        "key_table must have at least 1 row, got shape (0, 2)",
    ),
    (
        {"key_table": np.ones((4, 2))},
        ValueError,
        "left must be given if key_table has an even number of rows, got 4",
    ),
    ({"beyond": "wrap"}, ValueError, "beyond must be one of 'clip', 'zero', got 'wrap'"),
    ({"beyond": None}, TypeError, "beyond must be one of 'clip', 'zero', got None"),
    ({"left": -1}, ValueError, "left must be at least 0, got -1"),
    ({"left": 3}, ValueError, "left must be at most 2, got 3"),
    ({"left": 1.0}, TypeError, "left must be a whole number (int), got 1.0 (float)"),
    ({"left": True}, TypeError, "left must be a whole number (int), got True (bool)"),
    ({"scale": math.inf}, ValueError, "scale must be finite, got inf"),
    ({"scale": "1"}, TypeError, "scale must be a number (int or float), got '1' (str)"),
    (
        {"q": np.ones((2, 3, 2)), "k": np.ones((4, 3, 2))},
        ValueError,
        "k must have leading axes that broadcast with those of q (2,), got (4,)",
    ),
    (
        {"q": np.ones((2, 3, 2)), "key_table": np.ones((4, 3, 2))},
        ValueError,
        "key_table must have leading axes that broadcast with those of q (2,), k ()",
    ),
]


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


@pytest.mark.parametrize(("changed", "error", "message"), SHARED)
def test_a_bad_argument_of_the_scores_is_named(changed, error, message):
    with refused(error, message):
        shaw_scores(**{"q": Q, "k": K, "key_table": KEY_TABLE, "beyond": "clip", **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *SHARED,
        ({"v": np.ones((2, 2))}, ValueError, "v must have shape (..., 3, d_v), got (2, 2)"),
        ({"v": [1.0]}, ValueError, "v must have shape (..., 3, d_v), got (1,)"),
        ({"v": None}, TypeError, "v must be numbers (int or float), got dtype object"),
        (
            {"value_table": np.ones((4, 2))},
            ValueError,
            "value_table must have shape (..., 3, 2), got (4, 2)",
        ),
        (
            {"value_table": np.ones((3, 1))},
            ValueError,
            "value_table must have shape (..., 3, 2), got (3, 1)",
        ),
        (
            {"value_table": np.full((3, 2), -math.inf)},
            ValueError,
            "value_table must be finite, got an entry -inf",
        ),
        (
            {"q": np.ones((2, 3, 2)), "v": np.ones((4, 3, 2))},
            ValueError,
            "v must have leading axes that broadcast with those of q (2,), k (), got (4,)",
        ),
        (
            {"q": np.ones((2, 3, 2)), "value_table": np.ones((4, 3, 2))},
            ValueError,
            "value_table must have leading axes that broadcast with those of q (2,), k (), v ()",
        ),
        ({"mask": np.ones((3, 3))}, TypeError, "mask must be boolean, got dtype float64"),
        ({"mask": [True] * 3}, ValueError, "mask must end in the axes (n_queries, n_keys) = (3"),
    ],
)
def test_a_bad_argument_of_the_attention_is_named(changed, error, message):
    good = {"q": Q, "k": K, "v": V, "key_table": KEY_TABLE, "beyond": "clip"}

    with refused(error, message):
        shaw_attention(**{**good, **changed})
