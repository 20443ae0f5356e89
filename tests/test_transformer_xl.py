"""Transformer-XL's scores: by hand, by property, by a second route, in real layers, on bad input.

The second route looks up the row of each pair's distance, where the package shifts.
"""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    attention,
    attention_weights,
    relative_positions,
    relative_shift,
    sinusoidal_at,
    transformer_xl_distances,
    transformer_xl_scores,
)
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)

# Three tokens of width 2; r of the distances 2, 1, 0
Q = [[1, 0], [0, 1], [1, 1]]
K = [[1, 1], [1, 0], [0, 1]]
R = [[0, 1], [1, 0], [0, 0]]
U = [1, 0]
V = [0, 1]


@st.composite
def operands(draw):
    """Arguments of `transformer_xl_scores`, with heads and batch, cached keys, one way or both."""
    rng = np.random.default_rng(draw(seeds))
    n_keys = draw(st.integers(1, 8))
    n_queries = draw(st.integers(1, n_keys))
    head_dim = draw(st.integers(1, 5))
    causal = draw(st.booleans())
    batch, heads = draw(st.sampled_from([((), ()), ((3,), (3,)), ((2, 3), (3,))]))
    n_distances = n_keys if causal else n_keys + n_queries - 1
    arrays = {
        "q": (*batch, n_queries, head_dim),
        "k": (*batch, n_keys, head_dim),
        "r": (*heads, n_distances, head_dim),
        "u_bias": (*heads, head_dim),
        "v_bias": (*heads, head_dim),
    }
    return {name: rng.normal(size=shape) for name, shape in arrays.items()}


# By hand


def test_scores_of_three_tokens_by_hand():
    """Query 2, key 0: [2, 1] · [1, 1] is 3, [1, 2] · [0, 1] is 2, and so on."""
    scores = transformer_xl_scores(Q, K, R, U, V)

    never = -math.inf
    expected = np.array([[2, never, never], [2, 1, never], [5, 3, 1]]) / math.sqrt(2)
    np.testing.assert_allclose(scores, expected, rtol=1e-15)


def test_weights_of_the_last_query_by_hand():
    scores = transformer_xl_scores(Q, K, R, U, V)

    weights = attention_weights(Q, K, bias=scores, scale=0.0)

    np.testing.assert_allclose(weights[2], [0.767918, 0.186694, 0.045388], atol=5e-7)
    np.testing.assert_array_equal(weights[0], [1, 0, 0])


def test_keys_after_the_query_have_rows_of_their_own_if_both_ways_are_given():
    """r of the distances 1, 0, -1; content adds nothing."""
    zero = np.zeros((2, 1))

    scores = transformer_xl_scores(zero, zero, [[10], [20], [30]], [0], [1])

    np.testing.assert_array_equal(scores, [[20, 30], [10, 20]])


def test_the_shift_by_hand_with_its_junk():
    """Position scores of three queries for distances 2, 1, 0; the 2 at the right end is junk."""
    shifted = relative_shift([[1, 1, 0], [2, 0, 0], [2, 1, 0]])

    np.testing.assert_array_equal(shifted, [[0, 0, 2], [0, 0, 0], [2, 1, 0]])


def test_the_shift_of_more_distances_than_queries_by_hand():
    shifted = relative_shift([[1, 2, 3, 4], [5, 6, 7, 8]])

    np.testing.assert_array_equal(shifted, [[2, 3, 4, 0], [5, 6, 7, 8]])


def test_one_query_is_not_shifted():
    np.testing.assert_array_equal(relative_shift([[3, 2, 1]]), [[3, 2, 1]])


def test_nothing_shifted_is_nothing():
    assert relative_shift(np.zeros((2, 0, 3))).shape == (2, 0, 3)
    assert relative_shift(np.zeros((0, 2, 3))).shape == (0, 2, 3)


def test_distances_fall_from_the_far_past():
    np.testing.assert_array_equal(transformer_xl_distances(2, 4, causal=True), [3, 2, 1, 0])
    np.testing.assert_array_equal(transformer_xl_distances(2, 4, causal=False), [3, 2, 1, 0, -1])
    np.testing.assert_array_equal(transformer_xl_distances(1, 1, causal=False), [0])


def test_distances_are_int64():
    assert transformer_xl_distances(np.int32(2), np.uint8(3), causal=np.True_).dtype == np.int64


def test_scale_multiplies_both_terms():
    once = transformer_xl_scores(Q, K, R, U, V, scale=1)

    np.testing.assert_array_equal(once[2], [5, 3, 1])
    np.testing.assert_array_equal(transformer_xl_scores(Q, K, R, U, V, scale=3), 3 * once)


def test_what_has_no_axis_for_heads_serves_every_head():
    heads = np.stack([Q, Q, Q])

    scores = transformer_xl_scores(heads, K, R, U, V)

    np.testing.assert_array_equal(scores, [transformer_xl_scores(Q, K, R, U, V)] * 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_float32_stays_and_float16_becomes_it(dtype):
    arrays = [np.array(x, dtype) for x in (Q, K, R, U, V)]

    assert transformer_xl_scores(*arrays).dtype == np.float32
    assert relative_shift(arrays[0].T).dtype == np.float32


def test_whole_numbers_give_float64():
    assert transformer_xl_scores(Q, K, R, U, V).dtype == np.float64
    assert relative_shift([[2, 1]]).dtype == np.float64


# By property


@BOUNDED
@given(operands())
def test_without_biases_and_distances_plain_scores_are_left(arguments):
    q, k = arguments["q"], arguments["k"]
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    nothing = {name: 0 * arguments[name] for name in ("r", "u_bias", "v_bias")}

    scores = transformer_xl_scores(q, k, **nothing)

    plain = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if arguments["r"].shape[-2] == n_keys:
        plain = np.where(relative_positions(n_queries, n_keys) > 0, -np.inf, plain)
    np.testing.assert_allclose(scores, plain, atol=1e-13)


@BOUNDED
@given(operands(), st.integers(1, 8))
def test_new_queries_get_the_last_rows_of_the_full_square(arguments, n_new):
    n_queries, head_dim = arguments["q"].shape[-2:]
    arguments["k"] = np.random.default_rng(0).normal(size=arguments["q"].shape)
    n_distances = 2 * n_queries - 1
    arguments["r"] = np.random.default_rng(1).normal(size=(n_distances, head_dim))
    full = transformer_xl_scores(**arguments)
    n_new = min(n_new, n_queries)

    arguments["q"] = arguments["q"][..., -n_new:, :]
    arguments["r"] = arguments["r"][: n_queries + n_new - 1]

    np.testing.assert_allclose(
        transformer_xl_scores(**arguments), full[..., -n_new:, :], atol=1e-13
    )


@BOUNDED
@given(operands())
def test_the_past_scores_the_same_whether_the_future_has_rows_or_not(arguments):
    n_queries, n_keys = arguments["q"].shape[-2], arguments["k"].shape[-2]
    r = np.random.default_rng(0).normal(size=(n_keys + n_queries - 1, arguments["q"].shape[-1]))
    both = transformer_xl_scores(**arguments | {"r": r})

    causal = transformer_xl_scores(**arguments | {"r": r[:n_keys]})

    past = relative_positions(n_queries, n_keys) <= 0
    np.testing.assert_array_equal(causal[..., past], both[..., past])
    if n_queries > 1:  # with one query the two are one
        assert np.isneginf(causal[..., ~past]).all()
        assert np.isfinite(both).all()


@BOUNDED
@given(operands())
def test_arguments_are_left_as_they_were(arguments):
    copies = {name: value.copy() for name, value in arguments.items()}

    transformer_xl_scores(**arguments)
    relative_shift(arguments["r"][..., :1, :])

    for name, copy in copies.items():
        np.testing.assert_array_equal(arguments[name], copy)


@BOUNDED
@given(st.integers(1, 30), st.integers(0, 30), st.booleans())
def test_distances_are_those_between_queries_and_keys_each_once(n_queries, n_cached, causal):
    n_keys = n_queries + n_cached
    between = -relative_positions(n_queries, n_keys)

    distances = transformer_xl_distances(n_queries, n_keys, causal=causal)

    wanted = between[between >= 0] if causal else between
    np.testing.assert_array_equal(distances, np.unique(wanted)[::-1])


# By a second route


@BOUNDED
@given(operands())
def test_the_row_of_each_distance_gives_the_same(arguments):
    q, k, r = (arguments[name] for name in "qkr")
    u, v = arguments["u_bias"][..., None, :], arguments["v_bias"][..., None, :]
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    distances = transformer_xl_distances(n_queries, n_keys, causal=r.shape[-2] == n_keys)
    row_of = {int(distance): row for row, distance in enumerate(distances)}

    scores = transformer_xl_scores(**arguments)

    for m in range(n_queries):
        for n in range(n_keys):
            row = row_of.get(n_keys - n_queries + m - n)
            if row is None:
                expected = -math.inf
            else:
                four_parts = [
                    (q[..., m, :] * k[..., n, :]).sum(axis=-1),
                    (u[..., 0, :] * k[..., n, :]).sum(axis=-1),
                    (q[..., m, :] * r[..., row, :]).sum(axis=-1),
                    (v[..., 0, :] * r[..., row, :]).sum(axis=-1),
                ]
                expected = sum(four_parts) / math.sqrt(q.shape[-1])
            np.testing.assert_allclose(scores[..., m, n], expected, atol=1e-13)


@BOUNDED
@given(seeds, st.integers(1, 7), st.integers(0, 7))
def test_the_shift_is_a_choice_of_columns(seed, n_queries, more):
    by_distance = np.random.default_rng(seed).normal(size=(2, n_queries, n_queries + more))

    shifted = relative_shift(by_distance)

    assert shifted.shape == by_distance.shape
    for m in range(n_queries):
        sound = n_queries + more - (n_queries - 1 - m)
        np.testing.assert_array_equal(shifted[:, m, :sound], by_distance[:, m, n_queries - 1 - m :])
        if m < n_queries - 1:
            np.testing.assert_array_equal(shifted[:, m, sound], 0)


# Against released layers, in float64 throughout: what differs is the order of sums


@each_case("transformer_xl", "relative_shift")
def test_the_shift_is_xlnets(case):
    """XLNet's scores have a column more in front, which plays the part of the zeros."""
    shifted = relative_shift(case.inputs["scores"][..., 1:])[..., : case.inputs["n_keys"]]

    np.testing.assert_array_equal(shifted, case.outputs["shifted"])


def in_heads(x, n_heads):
    """(batch, tokens, features) to (batch, heads, tokens, head_dim)."""
    return np.moveaxis(x.reshape(*x.shape[:-1], n_heads, -1), -2, -3)


def merged(heads):
    tokens_first = np.moveaxis(heads, -3, -2)
    return tokens_first.reshape(*tokens_first.shape[:-2], -1)


def projected(case, name, x):
    weights, n_heads = case.inputs["weights"], case.inputs["n_heads"]
    if case.inputs["model"] == "xlnet":  # (features, heads, head_dim), no bias
        return np.einsum("...td,dhe->...hte", x, np.array(weights[name]))
    bias = weights.get(f"linear_{name}.bias", 0)
    return in_heads(x @ np.array(weights[f"linear_{name}.weight"]).T + np.array(bias), n_heads)


def arguments_of(case):
    inputs, weights = case.inputs, case.inputs["weights"]
    xlnet = inputs["model"] == "xlnet"
    u_bias, v_bias = ("r_w_bias", "r_r_bias") if xlnet else ("pos_bias_u", "pos_bias_v")
    table = inputs["table"][1:] if xlnet else inputs["table"]  # XLNet: one row too many in front
    return {
        "q": projected(case, "q", inputs["hidden"][:, -inputs["n_queries"] :]),
        "k": projected(case, "k", inputs["hidden"]),
        "r": projected(case, "r" if xlnet else "pos", table),
        "u_bias": weights[u_bias],
        "v_bias": weights[v_bias],
    }


def output_of(case, heads):
    inputs, weights = case.inputs, case.inputs["weights"]
    if inputs["model"] == "wav2vec2_conformer":
        x = merged(heads) @ np.array(weights["linear_out.weight"]).T
        return x + weights["linear_out.bias"]
    x = np.einsum("bhte,dhe->btd", heads, np.array(weights["o"]))
    x = x + inputs["hidden"][:, -inputs["n_queries"] :]
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + inputs["layer_norm_eps"])
    return x * weights["layer_norm.weight"] + weights["layer_norm.bias"]


@each_case("transformer_xl", "transformer_xl_scores")
def test_weights_and_outputs_are_those_of_the_layer(case):
    arguments = arguments_of(case)
    q, k, v = arguments["q"], arguments["k"], projected(case, "v", case.inputs["hidden"])
    softmax = {"bias": transformer_xl_scores(**arguments), "scale": 0.0}
    softmax["mask"] = case.inputs["allowed"]

    weights = attention_weights(q, k, **softmax)
    output = output_of(case, attention(q, k, v, **softmax))

    np.testing.assert_allclose(weights, case.outputs["attention"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=1e-12)


@each_case("transformer_xl", "transformer_xl_scores")
def test_biases_exchanged_or_rows_reversed_do_not_give_the_weights_of_the_layer(case):
    arguments = arguments_of(case)
    exchanged = arguments | {"u_bias": arguments["v_bias"], "v_bias": arguments["u_bias"]}
    reversed_rows = arguments | {"r": arguments["r"][..., ::-1, :]}
    n_keys = arguments["k"].shape[-2]

    for wrong in (exchanged, reversed_rows):
        scores = transformer_xl_scores(**wrong)
        weights = attention_weights(
            arguments["q"], arguments["k"], bias=scores, scale=0.0, mask=case.inputs["allowed"]
        )
        differs = np.abs(weights - case.outputs["attention"]).max() > 0.01
        assert differs == (n_keys > 1)  # one key has all the weight, whatever its score


@each_case("transformer_xl", "transformer_xl_distances")
def test_rows_are_the_sinusoids_of_the_distances(case):
    """Made in float32: each angle is rounded, at most 7 tokens times 6e-8, and each sine."""
    inputs = case.inputs
    n_keys = inputs["hidden"].shape[1]
    distances = transformer_xl_distances(inputs["n_queries"], n_keys, causal=inputs["causal"])
    xlnet = inputs["model"] == "xlnet"
    if xlnet:
        distances = np.concatenate([[n_keys], distances])
    layout = "concatenated" if xlnet else "interleaved"

    rows = sinusoidal_at(distances, inputs["table"].shape[-1], layout=layout)

    np.testing.assert_allclose(inputs["table"], rows, rtol=0, atol=1e-6)


def test_layers_with_cached_keys_and_one_way_and_both_were_recorded():
    recorded = [c.inputs for c in load("transformer_xl") if "model" in c.inputs]

    assert {(c["causal"], c["n_queries"] < c["hidden"].shape[1]) for c in recorded} == {
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    }


# On bad input


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"q": [1.0]}, ValueError, "q must have shape (..., n_queries, head_dim), got (1,)"),
        ({"q": [[None]]}, TypeError, "q must be numbers (int or float), got dtype object"),
        ({"q": np.ones((0, 2))}, ValueError, "q must have from 1 row to as many as k, since"),
        ({"q": np.ones((4, 2))}, ValueError, "q must have from 1 row to as many as k, since"),
        ({"q": np.ones((3, 0))}, ValueError, "q must have at least 1 feature in its last axis"),
        ({"k": np.ones((3, 1))}, ValueError, "k must have shape (..., n_keys, 2), got (3, 1)"),
        ({"r": np.ones((3, 1))}, ValueError, "r must have shape (..., n_distances, 2), got (3, 1)"),
        (
            {"r": np.ones((4, 2))},
            ValueError,
            "r must have 3 rows (n_keys, the past alone) or 5 (n_keys + n_queries - 1, both ways), "
            "got shape (4, 2)",
        ),
        ({"r": np.ones((6, 2))}, ValueError, "r must have 3 rows"),
        ({"r": np.ones((2, 2))}, ValueError, "r must have 3 rows"),
        ({"r": [[0, math.inf]] * 3}, ValueError, "r must be finite, got an entry inf"),
        ({"r": "far"}, TypeError, "r must be numbers (int or float), got dtype <U3"),
        ({"u_bias": 1.0}, ValueError, "u_bias must have shape (..., 2), got ()"),
        ({"u_bias": [1.0]}, ValueError, "u_bias must have shape (..., 2), got (1,)"),
        ({"u_bias": [math.nan, 0]}, ValueError, "u_bias must be finite, got an entry nan"),
        ({"v_bias": [1.0]}, ValueError, "v_bias must have shape (..., 2), got (1,)"),
        ({"v_bias": [math.nan, 0]}, ValueError, "v_bias must be finite, got an entry nan"),
        ({"v_bias": None}, TypeError, "v_bias must be numbers (int or float), got dtype object"),
        ({"scale": math.nan}, ValueError, "scale must be finite, got nan"),
        ({"scale": True}, TypeError, "scale must be a number (int or float), got True (bool)"),
        (
            {"q": np.ones((2, 3, 2)), "k": np.ones((4, 3, 2))},
            ValueError,
            "k must have leading axes that broadcast with those of q (2,), got (4,)",
        ),
        (
            {"q": np.ones((2, 3, 2)), "r": np.ones((4, 3, 2))},
            ValueError,
            "r must have leading axes that broadcast with those of q (2,), k (), got (4,)",
        ),
        (
            {"q": np.ones((2, 3, 2)), "u_bias": np.ones((4, 2))},
            ValueError,
            "u_bias must have leading axes that broadcast with those of q (2,), k (), r (), got",
        ),
        (
            {"q": np.ones((2, 3, 2)), "v_bias": np.ones((4, 2))},
            ValueError,
            "v_bias must have leading axes that broadcast with those of q (2,), k (), r (), u_bias",
        ),
    ],
)
def test_a_bad_argument_of_the_scores_is_named(changed, error, message):
    with refused(error, message):
        transformer_xl_scores(**{"q": Q, "k": K, "r": R, "u_bias": U, "v_bias": V, **changed})


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ([1.0], ValueError, "scores must have shape (..., n_queries, n_distances), got (1,)"),
        (
            [[1.0], [2.0]],
            ValueError,
            "scores must have at least as many distances as queries, got shape (2, 1)",
        ),
        ([["a"]], TypeError, "scores must be numbers (int or float), got dtype <U1"),
        ([[1.0], []], ValueError, "scores must be one array, got [[1.0], []]"),
    ],
)
def test_bad_scores_are_named(scores, error, message):
    with refused(error, message):
        relative_shift(scores)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"n_queries": 0}, ValueError, "n_queries must be at least 1, got 0"),
        ({"n_queries": 4}, ValueError, "n_queries must be at most 3, got 4"),
        ({"n_queries": 1.0}, TypeError, "n_queries must be a whole number (int), got 1.0 (float)"),
        ({"n_keys": 0}, ValueError, "n_keys must be at least 1, got 0"),
        ({"n_keys": True}, TypeError, "n_keys must be a whole number (int), got True (bool)"),
        ({"n_keys": 2**80}, ValueError, "n_keys must be below 2**58 entries, got"),
        (
            {"n_queries": 2**57 + 1, "n_keys": 2**57 + 1, "causal": False},
            ValueError,
            "n_keys must be below 2**58 entries, got",
        ),
        ({"causal": 1}, TypeError, "causal must be True or False, got 1 (int)"),
        ({"causal": None}, TypeError, "causal must be True or False, got None (NoneType)"),
    ],
)
def test_a_bad_argument_of_the_distances_is_named(changed, error, message):
    with refused(error, message):
        transformer_xl_distances(**{"n_queries": 2, "n_keys": 3, "causal": True, **changed})
