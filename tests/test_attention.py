"""Attention: by hand, by property, by a second route, against PyTorch, and on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention, attention_weights, causal_mask, segment_mask
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def random_arrays(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


# By hand


def test_self_attention_of_three_tokens_by_hand():
    """exp(1 / sqrt 2) = 2.028 and exp(sqrt 2) = 4.113, so the last row is 1/4, 1/4, 1/2."""
    x = [[1, 0], [0, 1], [1, 1]]

    weights = attention_weights(x, x)

    e = math.exp(1 / math.sqrt(2))
    np.testing.assert_allclose(weights[0], np.array([e, 1, e]) / (2 * e + 1))
    np.testing.assert_allclose(weights[2], np.array([e, e, e * e]) / (2 * e + e * e))
    np.testing.assert_allclose(
        attention(x, x, x), [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]], atol=5e-4
    )


def test_scale_multiplies_the_scores():
    weights = attention_weights([[1.0]], [[1.0], [0.0]], scale=math.log(3))

    np.testing.assert_allclose(weights, [[0.75, 0.25]])


def test_bias_is_added_after_the_scale():
    weights = attention_weights([[1.0]], [[5.0], [5.0]], bias=[[0.0, math.log(3)]], scale=7.0)

    np.testing.assert_allclose(weights, [[0.25, 0.75]])


def test_the_causal_mask_by_hand():
    np.testing.assert_array_equal(causal_mask(2, 3), [[True, True, False], [True, True, True]])


def test_documents_see_themselves_only():
    np.testing.assert_array_equal(
        segment_mask([7, 7, 2]),
        [[True, True, False], [True, True, False], [False, False, True]],
    )


def test_segments_of_a_batch_have_one_mask_a_row():
    segments = np.array([[0, 0, 1], [0, 1, 1]])

    np.testing.assert_array_equal(
        segment_mask(segments), [segment_mask(segments[0]), segment_mask(segments[1])]
    )


def test_packed_documents_attend_as_if_alone():
    first, second = random_arrays(0, (3, 4), (2, 4))
    packed = np.concatenate([first, second])
    mask = causal_mask(5, 5) & segment_mask([0, 0, 0, 1, 1])

    together = attention(packed, packed, packed, mask=mask)

    alone = [attention(x, x, x, mask=causal_mask(len(x), len(x))) for x in (first, second)]
    np.testing.assert_allclose(together, np.concatenate(alone))


@pytest.mark.parametrize(
    ("segments", "shape"),
    [([], (0, 0)), ((), (0, 0)), ([[], []], (2, 0, 0)), (np.zeros((3, 0), int), (3, 0, 0))],
    ids=repr,
)
def test_no_tokens_give_an_empty_mask(segments, shape):
    mask = segment_mask(segments)

    assert mask.shape == shape
    assert mask.dtype == bool


# A query that may attend to nothing


def test_a_row_whose_keys_are_all_masked_is_zero():
    mask = np.array([[False, False], [True, True]])

    weights = attention_weights([[1.0], [1.0]], [[1.0], [1.0]], mask=mask)

    np.testing.assert_array_equal(weights, [[0, 0], [0.5, 0.5]])


def test_a_row_masked_by_a_bias_of_minus_infinity_is_zero_too():
    result = attention([[1.0]], [[1.0], [2.0]], [[3.0], [4.0]], bias=[[-np.inf, -np.inf]])

    np.testing.assert_array_equal(result, [[0]])


def test_a_batch_padded_at_the_left_gives_no_nan():
    (x,) = random_arrays(1, (2, 4, 6))
    real = np.array([[False, False, True, True], [True, True, True, True]])
    mask = causal_mask(4, 4) & real[:, None, :]

    result = attention(x, x, x, mask=mask)

    np.testing.assert_array_equal(result[0, :2], 0)
    unpadded = x[0, 2:]
    np.testing.assert_allclose(
        result[0, 2:], attention(unpadded, unpadded, unpadded, mask=causal_mask(2, 2))
    )


def test_no_keys_at_all_gives_zeros():
    result = attention(np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 5)))

    np.testing.assert_array_equal(result, np.zeros((2, 5)))


def test_a_mask_over_no_keys_may_be_an_empty_list():
    result = attention(np.ones((1, 3)), np.ones((0, 3)), np.ones((0, 5)), mask=[[]])

    np.testing.assert_array_equal(result, np.zeros((1, 5)))


# By property


@BOUNDED
@given(seeds, st.integers(1, 6), st.integers(1, 6), st.integers(1, 5))
def test_weights_are_shares(seed, n_queries, n_keys, head_dim):
    q, k = random_arrays(seed, (n_queries, head_dim), (n_keys, head_dim))

    weights = attention_weights(q, k)

    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1)


@BOUNDED
@given(seeds, st.integers(1, 7))
def test_without_mask_and_bias_a_shuffled_input_gives_the_shuffled_output(seed, n):
    (x,) = random_arrays(seed, (n, 4))
    order = np.random.default_rng(seed).permutation(n)

    np.testing.assert_allclose(
        attention(x[order], x[order], x[order]), attention(x, x, x)[order], atol=1e-12
    )


@BOUNDED
@given(seeds, st.integers(2, 6))
def test_under_the_causal_mask_the_future_changes_nothing(seed, n):
    x, other = random_arrays(seed, (n, 3), (1, 3))
    changed = np.concatenate([x[:-1], other])
    mask = causal_mask(n, n)

    before = attention(x, x, x, mask=mask)[:-1]

    np.testing.assert_array_equal(attention(changed, changed, changed, mask=mask)[:-1], before)


@BOUNDED
@given(seeds, st.floats(-1000, 1000))
def test_a_bias_that_is_the_same_for_every_key_changes_nothing(seed, height):
    q, k = random_arrays(seed, (3, 4), (5, 4))

    np.testing.assert_allclose(
        attention_weights(q, k, bias=np.full((3, 5), height)), attention_weights(q, k), atol=1e-12
    )


def test_scores_of_any_size_neither_overflow_nor_warn():
    weights = attention_weights([[1e4]], [[1e4], [-1e4], [1e4]], scale=1.0)

    np.testing.assert_array_equal(weights, [[0.5, 0, 0.5]])


def test_a_masked_key_is_as_good_as_absent():
    q, k, v = random_arrays(3, (2, 4), (5, 4), (5, 3))
    keep = np.array([True, False, True, True, False])

    np.testing.assert_allclose(
        attention(q, k, v, mask=keep[None, :]), attention(q, k[keep], v[keep])
    )


@pytest.mark.parametrize(
    ("tokens", "last"), [([1, 0, 0], 11 / 18), ([0, 1, 0], 5 / 18), ([0, 0, 1], 2 / 18)]
)
def test_without_positions_two_causal_layers_know_the_order(tokens, last):
    """Equal scores: one layer gives running means, the next their mean, (1 + 1/2 + 1/3) / 3.

    So a model without any position (NoPE) is not blind to order, if its mask is causal.
    """
    zeros, x = np.zeros((3, 1)), np.array(tokens, float)[:, None]

    def layer(values, mask):
        return attention(zeros, zeros, values, mask=mask)

    causal = causal_mask(3, 3)
    np.testing.assert_allclose(layer(layer(x, causal), causal)[-1], last, rtol=1e-15)
    np.testing.assert_allclose(layer(layer(x, None), None)[-1], 1 / 3, rtol=1e-15)


def test_a_cached_step_gives_the_last_row_of_the_full_run():
    (x,) = random_arrays(4, (6, 4))

    full = attention(x, x, x, mask=causal_mask(6, 6))

    step = attention(x[-1:], x, x, mask=causal_mask(1, 6))
    np.testing.assert_allclose(step, full[-1:])


# By a second route


@BOUNDED
@given(seeds, st.integers(1, 4), st.integers(1, 4))
def test_loops_over_queries_and_keys_give_the_same(seed, n_queries, n_keys):
    q, k, v, bias = random_arrays(
        seed, (n_queries, 3), (n_keys, 3), (n_keys, 2), (n_queries, n_keys)
    )
    mask = np.random.default_rng(seed).random((n_queries, n_keys)) < 0.8
    mask[:, 0] = True

    loops = np.zeros((n_queries, 2))
    for i in range(n_queries):
        shares = [
            math.exp(sum(q[i] * k[j]) / math.sqrt(3) + bias[i, j]) if mask[i, j] else 0.0
            for j in range(n_keys)
        ]
        for j in range(n_keys):
            loops[i] += shares[j] / sum(shares) * v[j]

    np.testing.assert_allclose(attention(q, k, v, bias=bias, mask=mask), loops)


def test_batch_and_heads_broadcast():
    q, k, v, bias = random_arrays(5, (2, 3, 4, 8), (1, 3, 5, 8), (2, 1, 5, 6), (3, 4, 5))

    result = attention(q, k, v, bias=bias)

    assert result.shape == (2, 3, 4, 6)
    for b in range(2):
        for h in range(3):
            alone = attention(q[b, h], k[0, h], v[b, 0], bias=bias[h])
            np.testing.assert_allclose(result[b, h], alone)


def test_a_batch_may_come_from_the_bias_the_mask_and_the_values_alone():
    """Three values, two biases and four masks on one pair of q and k: 24 results."""
    q, k, v, bias = random_arrays(8, (4, 8), (5, 8), (3, 1, 1, 5, 6), (2, 1, 4, 5))
    mask = np.random.default_rng(8).random((4, 4, 5)) < 0.6

    result = attention(q, k, v, bias=bias, mask=mask)

    assert result.shape == (3, 2, 4, 4, 6)
    for a, b, c in np.ndindex(3, 2, 4):
        alone = attention(q, k, v[a, 0, 0], bias=bias[b, 0], mask=mask[c])
        np.testing.assert_allclose(result[a, b, c], alone)


# Types


@pytest.mark.parametrize(
    ("given_type", "result_type"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.float16, np.float32),
        (np.int64, np.float64),
        (np.int8, np.float64),
        (np.uint16, np.float64),
    ],
)
def test_the_result_has_the_type_of_the_arguments_but_at_least_float32(given_type, result_type):
    x = np.ones((2, 2), given_type)

    assert attention(x, x, x).dtype == result_type


def test_small_integers_do_not_overflow():
    x = np.array([[100], [100]], np.int8)

    np.testing.assert_array_equal(attention_weights(x, x), 0.5)


def test_no_argument_is_changed():
    q, k, v, bias = random_arrays(6, (3, 2), (3, 2), (3, 2), (3, 3))
    mask = causal_mask(3, 3)
    before = [array.copy() for array in (q, k, v, bias, mask)]

    attention(q, k, v, bias=bias, mask=mask)

    for array, copy in zip((q, k, v, bias, mask), before, strict=True):
        np.testing.assert_array_equal(array, copy)


# Against released code


@each_case("attention", "attention")
def test_attention_is_that_of_pytorch(case):
    """Both in float64; the sums of 4 and 5 products are in different order."""
    inputs = dict(case.inputs)

    ours = attention(inputs.pop("q"), inputs.pop("k"), inputs.pop("v"), **inputs)

    np.testing.assert_allclose(ours, case.outputs["out"], rtol=0, atol=1e-14)


# On bad input

Q, K, V = np.ones((2, 4)), np.ones((3, 4)), np.ones((3, 5))


BAD = [
    ({"q": np.ones(4)}, ValueError, "q must have shape (..., tokens, features), got (4,)"),
    ({"k": np.ones(4)}, ValueError, "k must have shape (..., tokens, features), got (4,)"),
    ({"v": 1.0}, ValueError, "v must have shape (..., tokens, features), got ()"),
    ({"q": [["a"]]}, TypeError, "q must be numbers (int or float), got dtype <U1"),
    ({"q": np.ones((2, 4), bool)}, TypeError, "q must be numbers (int or float), got dtype bool"),
    (
        {"k": np.ones((3, 4), complex)},
        TypeError,
        "k must be numbers (int or float), got dtype comp",
    ),
    ({"v": [[1, 2], [3]]}, ValueError, "v must be one array, got [[1, 2], [3]]"),
    (
        {"q": np.ones((2, 5))},
        ValueError,
        "q and k must have the same head_dim, at least 1, in their last axis, "
        "got shapes (2, 5) and (3, 4)",
    ),
    (
        {"q": np.ones((2, 0)), "k": np.ones((3, 0))},
        ValueError,
        "q and k must have the same head_dim, at least 1",
    ),
    (
        {"v": np.ones((2, 5))},
        ValueError,
        "v must have one row for each of 3 keys, got shape (2, 5)",
    ),
    (
        {"q": np.ones((2, 2, 4)), "k": np.ones((3, 3, 4))},
        ValueError,
        "k must have leading axes that broadcast with those of q (2,), got (3,)",
    ),
    (
        {"q": np.ones((2, 2, 4)), "v": np.ones((3, 3, 5))},
        ValueError,
        "v must have leading axes that broadcast with those of q (2,), k (), got (3,)",
    ),
    (
        {"bias": np.ones(3)},
        ValueError,
        "bias must end in the axes (n_queries, n_keys) = (2, 3), got shape (3,)",
    ),
    (
        {"bias": np.ones((3, 2))},
        ValueError,
        "bias must end in the axes (n_queries, n_keys) = (2, 3), got shape (3, 2)",
    ),
    (
        {"q": np.ones((2, 2, 4)), "bias": np.ones((3, 2, 3))},
        ValueError,
        "bias must have leading axes that broadcast with those of q (2,), k (), got (3,)",
    ),
    (
        {"k": np.ones((2, 1, 3, 4)), "mask": np.ones((3, 2, 2, 3), bool)},
        ValueError,
        "mask must have leading axes that broadcast with those of q (), k (2, 1), got (3, 2)",
    ),
    (  # each of the two fits q and k, but they do not fit each other
        {"bias": np.ones((2, 2, 3)), "mask": np.ones((3, 2, 3), bool)},
        ValueError,
        "mask must have leading axes that broadcast with those of q (), k (), bias (2,), got (3,)",
    ),
    (  # the same where q has a batch of 1, which the bias makes one of 2
        {
            "q": np.ones((1, 2, 4)),
            "bias": np.ones((2, 2, 3)),
            "mask": np.ones((3, 2, 3), bool),
        },
        ValueError,
        "mask must have leading axes that broadcast with those of q (1,), k (), "
        "bias (2,), got (3,)",
    ),
    (
        {"bias": np.ones((2, 2, 3)), "v": np.ones((3, 3, 5))},
        ValueError,
        "v must have leading axes that broadcast with those of q (), k (), bias (2,), got (3,)",
    ),
    (
        {"mask": np.ones((2, 2, 3), bool), "v": np.ones((3, 3, 5))},
        ValueError,
        "v must have leading axes that broadcast with those of q (), k (), mask (2,), got (3,)",
    ),
    ({"v": "x"}, TypeError, "v must be numbers (int or float), got dtype <U1"),
    ({"bias": [[True]]}, TypeError, "bias must be numbers (int or float), got dtype bool"),
    (
        {"mask": np.ones((2, 3))},
        TypeError,
        "mask must be boolean, got dtype float64",
    ),
    ({"mask": np.ones((2, 3), int)}, TypeError, "mask must be boolean, got dtype int64"),
    (
        {"mask": np.ones(3, bool)},
        ValueError,
        "mask must end in the axes (n_queries, n_keys) = (2, 3), got shape (3,)",
    ),
    (
        {"mask": np.True_},
        ValueError,
        "mask must end in the axes (n_queries, n_keys) = (2, 3), got shape ()",
    ),
    (
        {"k": np.ones((2, 4)), "v": np.ones((2, 5)), "mask": np.ones(2, bool)},
        ValueError,
        "mask must end in the axes (n_queries, n_keys) = (2, 2), got shape (2,)",
    ),
    ({"scale": math.nan}, ValueError, "scale must be finite, got nan"),
    ({"scale": math.inf}, ValueError, "scale must be finite, got inf"),
    ({"scale": "1"}, TypeError, "scale must be a number (int or float), got '1' (str)"),
    ({"scale": True}, TypeError, "scale must be a number (int or float), got True (bool)"),
]


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


@pytest.mark.parametrize(("changed", "error", "message"), BAD)
def test_a_bad_argument_is_named(changed, error, message):
    with refused(error, message):
        attention(**{"q": Q, "k": K, "v": V, **changed})


@pytest.mark.parametrize(("changed", "error", "message"), [row for row in BAD if "v" not in row[0]])
def test_a_bad_argument_of_the_weights_is_named(changed, error, message):
    with refused(error, message):
        attention_weights(**{"q": Q, "k": K, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"), [row for row in BAD if not {"q", "k"} & row[0].keys()]
)
def test_a_bad_argument_is_refused_before_scores_are_computed(changed, error, message):
    """Scores of these q and k overflow, so an error that came after them would be another."""
    huge = {"q": np.full((2, 4), 1e200), "k": np.full((3, 4), 1e200), "v": V}

    with np.errstate(over="raise"), refused(error, message):
        attention(**huge | changed)


def test_scores_that_overflow_are_seen_to():
    """The test above rests on this."""
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        attention_weights(np.full((2, 4), 1e200), np.full((3, 4), 1e200))


@BOUNDED
@given(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=5, max_size=5))
def test_leading_axes_of_any_shape_fit_or_are_refused_in_our_words(leading):
    lasts = {"q": (2, 4), "k": (3, 4), "v": (3, 5), "bias": (2, 3), "mask": (1, 3)}
    shapes = [(*axes, *last) for axes, last in zip(leading, lasts.values(), strict=True)]
    arrays = {name: np.zeros(shape) for name, shape in zip(lasts, shapes, strict=True)}
    arrays["mask"] = arrays["mask"] == 0

    try:
        together = np.broadcast_shapes(*map(tuple, leading))
    except ValueError:
        with pytest.raises(ValueError, match="must have leading axes that broadcast with those of"):
            attention(**arrays)
    else:
        assert attention(**arrays).shape == (*together, 2, 5)


@pytest.mark.parametrize(
    ("segments", "error", "message"),
    [
        (3, ValueError, "segments must have shape (..., T), got a single number, 3"),
        ([0.0, 1.0], TypeError, "segments must be whole numbers, got dtype float64"),
        (np.array([]), TypeError, "segments must be whole numbers, got dtype float64"),
        ([True, False], TypeError, "segments must be whole numbers, got dtype bool"),
        ([[0, 1], [2]], ValueError, "segments must be one array, got [[0, 1], [2]]"),
    ],
)
def test_bad_segments_are_named(segments, error, message):
    with refused(error, message):
        segment_mask(segments)


def test_a_bad_count_for_the_causal_mask_is_named():
    with refused(ValueError, "n_queries must be in 1..2 (n_keys), got 3"):
        causal_mask(3, 2)
