"""Rotary scores at any distance: by hand, by property, by second routes, against real models."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    apply_rotary,
    relative_positions,
    rotary_cos_sin,
    rotary_inv_freq,
    rotary_scores,
)
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
LAYOUTS = ["half", "interleaved", "interleaved_to_half"]
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
every_place = pytest.mark.parametrize("where", ["leading", "trailing"])


def vectors(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


# By hand


def test_a_key_behind_and_ahead_of_a_query_of_another_direction():
    """q = (1, 0) and k = (0, 1) stand a quarter turn apart: cos(90 degrees + distance)."""
    scores = rotary_scores([[1, 0]], [[0, 1]] * 3, [[-1, 0, 1]], [1.0], layout="half")

    expected = [math.sin(1), 0, -math.sin(1)]
    np.testing.assert_allclose(scores, [expected], rtol=0, atol=1e-15)


def test_layouts_choose_the_partners():
    q, k = [[1, 2, 3, 4]], [[5, 6, 7, 8]]
    quarter = [[math.pi / 2]]

    def score(layout):
        return rotary_scores(q, k, quarter, [1.0, 1.0], layout=layout).item()

    # turned by a quarter, k is (-7, -8, 5, 6) in halves and (-6, 5, -8, 7) interleaved
    np.testing.assert_allclose(score("half"), -7 - 16 + 15 + 24)
    np.testing.assert_allclose(score("interleaved"), -6 + 10 - 24 + 28)
    np.testing.assert_allclose(score("interleaved_to_half"), -6 + 10 - 24 + 28)


def test_features_that_do_not_turn_count_as_they_are():
    q, k, half_turn = [[1, 2, 3]], [[5, 6, 7]], [[math.pi]]

    leading = rotary_scores(q, k, half_turn, [1.0], layout="half")
    trailing = rotary_scores(q, k, half_turn, [1.0], layout="half", where="trailing")

    np.testing.assert_allclose(leading, [[-5 - 12 + 21]])
    np.testing.assert_allclose(trailing, [[5 - 12 - 21]])


def test_rectified_distances():
    """ReRoPE with window 4 and its leaky form: distance 9 reads 4, or 4 + 5 / 2."""
    score = [
        rotary_scores([[1, 0]], [[1, 0]], [[-distance]], [1.0], layout="half").item()
        for distance in (4, 6.5)
    ]

    np.testing.assert_allclose(score, [-0.653644, 0.976588], atol=5e-7)


def test_no_queries_or_no_keys_give_empty_scores():
    frequencies = [1.0]

    none = rotary_scores(
        np.ones((0, 2)), np.ones((3, 2)), np.ones((0, 3)), frequencies, layout="half"
    )
    assert none.shape == (0, 3)
    none = rotary_scores(
        np.ones((2, 1, 3, 2)), np.ones((5, 0, 2)), np.ones((3, 0)), frequencies, layout="half"
    )
    assert none.shape == (2, 5, 3, 0)


# By property


@BOUNDED
@given(st.floats(-1e6, 1e6), st.sampled_from(LAYOUTS))
def test_exchanging_query_and_key_and_the_way_round_leaves_the_score(distance, layout):
    q, k, frequencies = vectors(1, 8), vectors(1, 8, seed=1), rotary_inv_freq(8)

    there = rotary_scores(q, k, [[distance]], frequencies, layout=layout)
    back = rotary_scores(k, q, [[-distance]], frequencies, layout=layout)

    np.testing.assert_allclose(there, back, rtol=0, atol=1e-14)


def test_distance_zero_is_the_plain_product():
    q, k = vectors(3, 10), vectors(4, 10, seed=1)

    scores = rotary_scores(q, k, np.zeros((3, 4)), rotary_inv_freq(6), layout="half")

    np.testing.assert_allclose(scores, q @ k.T, rtol=0, atol=1e-14)


def test_cached_decoding_gives_the_last_rows():
    q, k, frequencies = vectors(7, 8), vectors(7, 8, seed=1), rotary_inv_freq(8)

    whole = rotary_scores(q, k, relative_positions(7, 7), frequencies, layout="half")
    last = rotary_scores(q[-2:], k, relative_positions(2, 7), frequencies, layout="half")

    np.testing.assert_allclose(last, whole[-2:], rtol=0, atol=1e-14)


# By a second route


@every_layout
@every_place
@pytest.mark.parametrize("rotary_dim", [8, 6])
def test_turned_vectors_have_the_same_scores(layout, where, rotary_dim):
    q, k = vectors(2, 3, 5, 8), vectors(2, 1, 5, 8, seed=1)  # one key head for three
    frequencies = rotary_inv_freq(rotary_dim)
    rotation = rotary_cos_sin(np.arange(100, 105), frequencies)
    options = {"layout": layout, "where": where}

    scores = rotary_scores(q, k, relative_positions(5, 5), frequencies, **options)

    turned_q, turned_k = (apply_rotary(x, rotation, **options) for x in (q, k))
    np.testing.assert_allclose(scores, turned_q @ turned_k.swapaxes(-1, -2), rtol=0, atol=1e-13)


@every_layout
def test_grouped_distances_are_those_of_vectors_turned_by_group(layout):
    """Self-Extend: distances of groups beyond a window, of tokens within."""
    n, window, group = 11, 4, 2
    q, k, frequencies = vectors(n, 8), vectors(n, 8, seed=1), rotary_inv_freq(8)
    position = np.arange(n)
    near = relative_positions(n, n) > -window
    shifted = position // group + window - window // group  # of the queries
    far = (position // group)[None, :] - shifted[:, None]
    relative = np.where(near, relative_positions(n, n), far)

    ours = rotary_scores(q, k, relative, frequencies, layout=layout)

    def scores(q_positions, k_positions):
        turned_q = apply_rotary(q, rotary_cos_sin(q_positions, frequencies), layout=layout)
        return turned_q @ apply_rotary(k, rotary_cos_sin(k_positions, frequencies), layout=layout).T

    by_parts = np.where(near, scores(position, position), scores(shifted, position // group))
    np.testing.assert_allclose(ours, by_parts, rtol=0, atol=1e-13)


def test_angles_are_exact_at_long_distances():
    """The angle in float64 alone would be off by 1e-8 there."""
    distance, frequencies = 10**8 + 1, rotary_inv_freq(8)
    cos, sin = rotary_cos_sin([distance], frequencies)
    q, k = vectors(1, 8), vectors(1, 8, seed=1)

    scores = rotary_scores(q, k, [[distance]], frequencies, layout="half")

    turned = np.concatenate(
        [k[:, :4] * cos - k[:, 4:] * sin, k[:, 4:] * cos + k[:, :4] * sin], axis=-1
    )
    np.testing.assert_allclose(scores, q @ turned.T, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("of_q", "of_k", "result"),
    [("f4", "f4", "f4"), ("f4", "f8", "f8"), ("i8", "f4", "f8"), ("f2", "f2", "f4")],
)
def test_the_types_of_q_and_k_decide_the_type_of_the_scores(of_q, of_k, result):
    q, k = (10 * vectors(2, 4)).astype(of_q), (10 * vectors(3, 4, seed=1)).astype(of_k)

    scores = rotary_scores(q, k, np.ones((2, 3)), rotary_inv_freq(2), layout="half")

    assert scores.dtype == result
    exact = rotary_scores(q.astype(float), k.astype(float), np.ones((2, 3)), [1.0], layout="half")
    np.testing.assert_array_equal(scores, exact.astype(result))


# Against real models


@each_case("rotary", "rotary_scores")
def test_layers_of_released_models_have_these_scores(case):
    """Their turned queries and keys, or their attention output made from our scores."""
    layout = case.inputs["layout"]
    frequencies = case.inputs["inv_freq"].astype(np.float32)
    x, n_tokens = case.inputs["x"], len(case.inputs["x"])
    n_heads, n_kv_heads = case.inputs["n_heads"], case.inputs["n_kv_heads"]

    def heads(name, n):
        projected = x @ case.inputs[name].T + case.inputs.get(f"{name}_bias", 0)
        return projected.reshape(n_tokens, n, -1).swapaxes(0, 1)

    q = heads("q", n_heads)
    k, v = (heads(name, n_kv_heads).repeat(n_heads // n_kv_heads, axis=0) for name in "kv")
    relative = relative_positions(n_tokens, n_tokens)

    scores = rotary_scores(q, k, relative, frequencies, layout=layout)

    weights = np.where(relative <= 0, np.exp(scores / math.sqrt(q.shape[-1])), 0)
    mixed = weights / weights.sum(axis=-1, keepdims=True) @ v
    output = mixed.swapaxes(0, 1).reshape(n_tokens, -1) @ case.inputs["o"].T
    # Their angles are rounded to float32, so off by up to 1e-6 at position 8.
    np.testing.assert_allclose(
        output + case.inputs.get("o_bias", 0), case.outputs["output"], rtol=0, atol=2e-6
    )


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"q": np.ones(4)}, ValueError, "q must have shape (..., n_queries, head_dim), got (4,)"),
        ({"q": None}, TypeError, "q must be numbers (int or float), got dtype object"),
        (
            {"q": np.ones((2, 4), complex)},
            TypeError,
            "q must be numbers (int or float), got dtype c",
        ),
        ({"k": np.ones((3, 5))}, ValueError, "k must have shape (..., n_keys, 4), got (3, 5)"),
        ({"k": "abc"}, TypeError, "k must be numbers (int or float), got dtype <U3"),
        (
            {"q": np.ones((2, 2, 4)), "k": np.ones((3, 3, 4))},
            ValueError,
            "k must have leading axes that broadcast with those of q (2,), got (3,)",
        ),
        (
            {"relative": np.ones((3, 2))},
            ValueError,
            "relative must have shape (n_queries, n_keys) = (2, 3), got (3, 2)",
        ),
        ({"relative": 1}, ValueError, "relative must have shape (n_queries, n_keys) = (2, 3), got"),
        (
            {"relative": [[math.nan] * 3] * 2},
            ValueError,
            "relative must be finite and less than 2**",
        ),
        (
            {"relative": [["a"] * 3] * 2},
            TypeError,
            "relative must be numbers (int or float), got dt",
        ),
        ({"inv_freq": []}, ValueError, "inv_freq must have shape (rotary_dim // 2,), not empty"),
        (
            {"inv_freq": [math.nan]},
            ValueError,
            "inv_freq must be finite and less than 2**53 in size",
        ),
        (
            {"inv_freq": [1, 1, 1]},
            ValueError,
            "inv_freq must turn at most head_dim = 4 features, two an entry, got 3 entries",
        ),
        (
            {"layout": "gptj"},
            ValueError,
            "layout must be one of 'half', 'interleaved', 'interleaved",
        ),
        (
            {"layout": None},
            TypeError,
            "layout must be one of 'half', 'interleaved', 'interleaved_to",
        ),
        (
            {"where": "middle"},
            ValueError,
            "where must be one of 'leading', 'trailing', got 'middle'",
        ),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    arguments = {
        "q": np.ones((2, 4)),
        "k": np.ones((3, 4)),
        "relative": np.ones((2, 3)),
        "inv_freq": [1.0, 1.0],
        "layout": "half",
    }

    with refused(error, message):
        rotary_scores(**{**arguments, **changed})
