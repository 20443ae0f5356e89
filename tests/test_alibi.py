"""ALiBi: by hand, by property, by second routes, against released models, and on bad input.

Numbers PE-65, PE-69, ... are those of known confusions, each with its right and its wrong result.
"""

import re
import time
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    alibi_bias,
    alibi_bias_at,
    alibi_slopes,
    attention,
    attention_weights,
    causal_mask,
    relative_positions,
)
from tests.recorded import load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
FLOAT32 = 2.0**-24  # half a unit in the last place, relative

heads = st.integers(1, 130)


@st.composite
def shapes(draw):
    n_keys = draw(st.integers(1, 30))
    return draw(st.integers(1, n_keys)), n_keys


def cases(*starts):
    """Recorded cases whose names start like one of these."""
    chosen = [case for case in load("alibi") if case.name.startswith(starts)]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name)


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


# By hand


def test_eight_heads_halve_from_one_half():
    """The list of the paper, section 3; PE-69: it does not start at 1."""
    np.testing.assert_array_equal(alibi_slopes(8), 0.5 ** np.arange(1, 9))


def test_twelve_heads_take_every_second_slope_of_sixteen():
    """PE-82: no plain geometric series; 2 ** -0.5 comes after 2 ** -8."""
    exponents = [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]

    np.testing.assert_allclose(alibi_slopes(12), 2.0 ** -np.array(exponents), rtol=1e-15)


def test_slopes_are_not_sorted():
    """PE-83: the order belongs to the trained heads."""
    np.testing.assert_array_equal(alibi_slopes(6), [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8])
    np.testing.assert_allclose(
        alibi_slopes(10), [*(0.5 ** np.arange(1, 9)), 0.5**0.5, 0.5**1.5], rtol=1e-15
    )


def test_one_head_has_the_smallest_slope():
    np.testing.assert_array_equal(alibi_slopes(1), [1 / 256])


def test_another_max_bias_moves_the_smallest_slope():
    np.testing.assert_array_equal(alibi_slopes(4, max_bias=4), [1 / 2, 1 / 4, 1 / 8, 1 / 16])


def test_the_bias_of_three_tokens():
    expected = [[0, -0.25, -0.5], [-0.25, 0, -0.25], [-0.5, -0.25, 0]]

    np.testing.assert_array_equal(alibi_bias(4, 3, 3)[0], expected)


def test_the_bias_takes_max_bias():
    np.testing.assert_array_equal(
        alibi_bias(2, 1, 3, max_bias=2), [[[-1, -0.5, 0]], [[-0.5, -0.25, 0]]]
    )


def test_equal_content_gives_powers_of_e():
    """Slope 1/2, four tokens: weights in proportion to e^-1.5, e^-1, e^-0.5, 1."""
    bias = alibi_bias(8, 1, 4)[0]

    weights = attention_weights([[0.0]], np.zeros((4, 1)), bias=bias)

    np.testing.assert_allclose(weights, [[0.102, 0.167, 0.276, 0.455]], atol=5e-4)


def test_the_diagonal_is_zero_without_a_sign():
    bias = alibi_bias(3, 4, 4)

    assert not np.signbit(bias[:, np.arange(4), np.arange(4)]).any()
    assert not np.signbit(alibi_bias_at([0.5], [3], [3])).any()


def test_padding_on_the_left_does_not_count():
    """PE-65: real tokens are numbered from 0, wherever their row starts."""
    positions = [0, 0, 0, 1, 2]
    slopes = np.array([0.25, 0.0625, 0.015625, 0.00390625])

    last_query = alibi_bias_at(alibi_slopes(4), [2], positions)[:, 0, 2:]

    key_index = slopes[:, None] * np.array([0, 1, 2])  # what the released form gives real tokens
    np.testing.assert_allclose(last_query - last_query[:, :1], key_index, atol=1e-15)


# By property


@BOUNDED
@given(heads)
def test_slopes_are_distinct_and_lie_between_the_smallest_and_1(n_heads):
    slopes = alibi_slopes(n_heads)

    assert slopes.shape == (n_heads,)
    assert slopes.dtype == np.float64
    assert len(set(slopes)) == n_heads
    assert slopes.min() == 2**-8
    assert slopes.max() < 1


@BOUNDED
@given(heads, st.floats(0.5, 20))
def test_another_max_bias_is_a_power_of_the_slopes(n_heads, max_bias):
    np.testing.assert_allclose(
        alibi_slopes(n_heads, max_bias=max_bias),
        alibi_slopes(n_heads) ** (max_bias / 8),
        rtol=1e-13,
    )


@BOUNDED
@given(heads, shapes())
def test_a_nearer_key_always_scores_higher(n_heads, shape):
    last_query = alibi_bias(n_heads, *shape)[:, -1]

    assert (np.diff(last_query) > 0).all()


@BOUNDED
@given(heads, shapes())
def test_the_bias_is_symmetric_in_past_and_future(n_heads, shape):
    square = alibi_bias(n_heads, shape[1], shape[1])

    np.testing.assert_array_equal(square, square.swapaxes(1, 2))


@BOUNDED
@given(heads, shapes())
def test_new_queries_on_a_cache_get_the_last_rows(n_heads, shape):
    n_queries, n_keys = shape

    full = alibi_bias(n_heads, n_keys, n_keys)

    np.testing.assert_array_equal(alibi_bias(n_heads, n_queries, n_keys), full[:, -n_queries:])


@BOUNDED
@given(st.integers(-(10**9), 10**9), shapes())
def test_moving_all_positions_changes_nothing(shift, shape):
    queries, keys = np.arange(shape[0]), np.arange(shape[1])

    np.testing.assert_array_equal(
        alibi_bias_at([0.3, 0.7], queries + shift, keys + shift),
        alibi_bias_at([0.3, 0.7], queries, keys),
    )


def test_a_key_index_bias_gives_the_same_weights_under_a_causal_mask():
    """PE-84: BLOOM's and MPT's positive bias, equal in all rows."""
    rng = np.random.default_rng(84)
    q, k = rng.normal(size=(2, 4, 7, 6))
    key_index = alibi_slopes(4)[:, None, None] * np.arange(7)

    ours = attention_weights(q, k, bias=alibi_bias(4, 7, 7), mask=causal_mask(7, 7))

    theirs = attention_weights(q, k, bias=key_index, mask=causal_mask(7, 7))
    np.testing.assert_allclose(ours, theirs, atol=1e-14)


def test_a_key_index_bias_is_wrong_without_a_causal_mask():
    """PE-85: in an encoder it favours the last key."""
    rng = np.random.default_rng(85)
    q, k = rng.normal(size=(2, 4, 7, 6))
    key_index = alibi_slopes(4)[:, None, None] * np.arange(7)

    ours = attention_weights(q, k, bias=alibi_bias(4, 7, 7))

    theirs = attention_weights(q, k, bias=key_index)
    assert np.abs(ours - theirs).max() > 0.1


SCORES = [
    [-0.5442589829, -0.3163001564, 0.4116305364, 1.0425133694],
    [-0.1285346629, 1.3664634705, -0.6651946735, 0.3515100701],
    [0.9034701817, 0.0940122978, -0.7434992494, -0.9217253763],
    [-0.4577258257, 0.2201951235, -1.0096181835, -0.2091755749],
]


def test_published_rows_of_both_forms():
    """PE-84, row 3 of a decoder, and PE-85, row 0 of an encoder, with slope 1/4."""
    scores = np.array(SCORES)
    symmetric = scores + alibi_bias(4, 4, 4)[0]
    key_index = scores + 0.25 * np.arange(4)

    last = [0.1390236608, 0.3516249377, 0.1319933817, 0.3773580198]
    np.testing.assert_allclose(softmax(symmetric[3]), last, atol=1e-8)
    np.testing.assert_allclose(softmax(key_index[3]), last, atol=1e-8)
    right = [0.1705123274, 0.1667951515, 0.2689961628, 0.3936963583]
    wrong = [0.0579748493, 0.093500624, 0.2486133313, 0.5999111953]
    np.testing.assert_allclose(softmax(symmetric[0]), right, atol=1e-8)
    np.testing.assert_allclose(softmax(key_index[0]), wrong, atol=1e-8)


# By a second route


@pytest.mark.parametrize("n_heads", [1, 2, 3, 5, 12, 64, 71, 112, 128])
def test_slopes_by_the_recursive_rule_in_50_digits(n_heads):
    """The published recipe in words: the power of two below, then from twice as many."""
    exact = mpmath.mp.clone()
    exact.dps = 50

    def of_a_power(n):
        return [exact.mpf(2) ** (exact.mpf(-8 * (h + 1)) / n) for h in range(n)]

    below = 2 ** int(np.log2(n_heads))
    expected = of_a_power(below) + of_a_power(2 * below)[0::2][: n_heads - below]

    for slope, right in zip(alibi_slopes(n_heads), expected, strict=True):
        assert abs(slope - right) < 4e-16 * right


@BOUNDED
@given(heads, shapes(), st.sampled_from(["float32", "float64"]))
def test_the_view_equals_the_dense_matrix_bit_for_bit(n_heads, shape, dtype):
    slopes, distance = alibi_slopes(n_heads), np.abs(relative_positions(*shape))

    view = alibi_bias(n_heads, *shape, dtype=dtype)

    assert view.dtype == dtype
    np.testing.assert_array_equal(view, (slopes[:, None, None] * -distance).astype(dtype))


@BOUNDED
@given(heads, shapes())
def test_consecutive_positions_give_the_bias_of_counts(n_heads, shape):
    n_queries, n_keys = shape
    keys = np.arange(n_keys)

    at = alibi_bias_at(alibi_slopes(n_heads), keys[n_keys - n_queries :], keys)

    np.testing.assert_array_equal(at, alibi_bias(n_heads, *shape))


@BOUNDED
@given(
    st.lists(st.integers(-50, 50), max_size=5), st.lists(st.integers(-(10**15), 10**15), max_size=6)
)
def test_three_loops_give_the_bias_at_positions(queries, keys):
    slopes = [0.5, 0.0, 3.0]

    loops = np.array([[[-s * abs(k - q) for k in keys] for q in queries] for s in slopes])

    bias = alibi_bias_at(slopes, queries, keys)
    np.testing.assert_array_equal(bias, loops.reshape(3, len(queries), len(keys)))


def test_leading_axes_broadcast():
    queries, keys = np.arange(6).reshape(2, 1, 3), np.arange(20).reshape(1, 5, 4)

    bias = alibi_bias_at([1.0, 2.0], queries, keys)

    assert bias.shape == (2, 5, 2, 3, 4)
    np.testing.assert_array_equal(bias[1, 3], alibi_bias_at([1.0, 2.0], queries[1, 0], keys[0, 3]))


def test_packed_documents_start_anew():
    positions = [0, 1, 2, 0, 1]

    bias = alibi_bias_at(alibi_slopes(2), positions, positions)

    np.testing.assert_array_equal(bias[:, 3:, 3:], alibi_bias(2, 2, 2))


@pytest.mark.parametrize(
    ("dtype", "result"), [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i8", "f8")]
)
def test_the_type_of_the_slopes_is_kept(dtype, result):
    assert alibi_bias_at(np.ones(2, dtype), [1], [0]).dtype == result


def test_float32_is_rounded_once():
    """By way of float32 slopes it would be twice, and other."""
    bias = alibi_bias(12, 1, 5000, dtype="float32")

    exact = alibi_bias(12, 1, 5000)
    np.testing.assert_array_equal(bias, exact.astype("float32"))


def test_the_bias_is_read_only_and_a_copy_is_not():
    bias = alibi_bias(2, 3, 3)

    with pytest.raises(ValueError, match="read-only"):
        bias[0, 0, 0] = 1
    bias.copy()[0, 0, 0] = 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_bias_takes_the_memory_of_its_distances(dtype):
    tracemalloc.start()
    bias = alibi_bias(32, 4096, 4096, dtype=dtype)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert bias.shape == (32, 4096, 4096)
    assert peak < 5e6


def test_the_bias_is_quick():
    """Half a millisecond; a dense one takes over a second."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        alibi_bias(32, 4096, 4096)
        times.append(time.perf_counter() - start)

    assert min(times) < 0.05


# Against released models


def split(x, weight, n_heads):
    """(batch, T, d) by a linear layer to (batch, heads, T, head_dim)."""
    y = x @ weight.T
    return y.reshape(*y.shape[:2], n_heads, -1).swapaxes(1, 2)


def interleaved_qkv(inputs):
    """BLOOM and Falcon: q, k and v of a head stand side by side."""
    fused = inputs["hidden"] @ inputs["qkv_weight"].T + inputs["qkv_bias"]
    shape = (*fused.shape[:2], inputs["n_heads"], 3, -1)
    return np.moveaxis(fused.reshape(shape), [3, 2], [0, 2])


def merged(values, inputs):
    """Heads side by side, and through the output layer."""
    mixed = values.swapaxes(1, 2).reshape(*inputs["hidden"].shape)
    return mixed @ inputs["dense_weight"].T + inputs.get("dense_bias", 0)


def bloom_bias(inputs):
    mask = inputs["mask"]
    if mask.all():
        return alibi_bias(inputs["n_heads"], 5, 5)
    positions = (np.cumsum(mask, axis=1) - 1) * mask
    return alibi_bias_at(alibi_slopes(inputs["n_heads"]), positions, positions)


def bloom_allowed(inputs):
    return causal_mask(5, 5) & (inputs["mask"][:, None, None, :] == 1)


bloom_layers = cases("BLOOM attention, whole", "BLOOM attention, padded")


@cases("BLOOM slopes", "MPT bias")
def test_slopes_are_those_of_released_models(case):
    n_heads = case.inputs["n_heads"]
    if "slopes" in case.outputs:
        slopes = case.outputs["slopes"]
        # BLOOM takes powers of a float32 base: the k-th is off by k roundings at most.
        rtol = 40 * FLOAT32
    else:
        slopes = -case.outputs["bias"][:, 0, -2]
        rtol = 8 * FLOAT32  # MPT rounds the exponent, at most 16, and the slope

    ours = alibi_slopes(n_heads, max_bias=case.inputs.get("max_bias", 8))

    np.testing.assert_allclose(ours, slopes, rtol=rtol)


@cases("BLOOM bias of padded rows")
def test_padded_rows_are_those_of_bloom_but_for_a_constant(case):
    n_heads, mask = case.inputs["n_heads"], case.inputs["mask"]
    positions = (np.cumsum(mask, axis=1) - 1) * mask

    ours = alibi_bias_at(alibi_slopes(n_heads), positions, positions)

    for row, heads_row, real in zip(ours, case.outputs["bias"], mask == 1, strict=True):
        lasts = row[:, -1, real]  # the last query sees all
        theirs = heads_row[:, real]
        shift = theirs - lasts
        np.testing.assert_allclose(shift, shift[:, :1] + 0 * shift, atol=4 * 8 * FLOAT32)
        assert (theirs[:, 1:] > 0).all()  # and ours are not: the forms differ


@bloom_layers
def test_scores_of_bloom_differ_by_a_constant_in_each_row(case):
    q, k, _ = interleaved_qkv(case.inputs)
    ours = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + bloom_bias(case.inputs)

    differences = np.where(bloom_allowed(case.inputs), case.outputs["scores"] - ours, np.nan)

    real = np.broadcast_to(case.inputs["mask"][:, None, :] == 1, differences.shape[:3])
    spread = np.nanmax(differences[real], axis=-1) - np.nanmin(differences[real], axis=-1)
    assert spread.max() < 1e-12
    assert np.nanmax(differences[real]) > 0.1  # slope * query position


@bloom_layers
def test_a_layer_of_bloom_end_to_end(case):
    q, k, v = interleaved_qkv(case.inputs)
    options = {"bias": bloom_bias(case.inputs), "mask": bloom_allowed(case.inputs)}

    weights, mixed = attention_weights(q, k, **options), attention(q, k, v, **options)

    real = case.inputs["mask"] == 1
    rows = np.broadcast_to(real[:, None, :], weights.shape[:3])
    # The scores are double, the softmax is float32: shares are off by a few of its roundings.
    np.testing.assert_allclose(weights[rows], case.outputs["probs"][rows], atol=8 * FLOAT32)
    expected = case.outputs["mixed"][real]
    np.testing.assert_allclose(merged(mixed, case.inputs)[real], expected, atol=1e-6)
    without = merged(attention(q, k, v, mask=options["mask"]), case.inputs)
    assert np.abs(without[real] - expected).max() > 1e-3


@cases("BLOOM attention, padded rows")
def test_real_tokens_of_a_padded_row_have_the_bias_of_a_row_without_padding(case):
    mask = case.inputs["mask"]

    by_row = bloom_bias(case.inputs)

    real = mask[0] == 1
    np.testing.assert_array_equal(by_row[0][:, real][:, :, real], alibi_bias(4, 3, 3))


@cases("BLOOM attention, two new")
def test_new_tokens_on_a_cache_of_bloom_get_the_last_rows(case):
    by_name = {case.name: case for case in load("alibi")}
    whole = by_name["BLOOM attention, whole rows"]
    q, k, _ = interleaved_qkv(whole.inputs)
    n_queries, n_keys = case.inputs["n_queries"], case.inputs["n_keys"]

    weights = attention_weights(
        q[:, :, -n_queries:],
        k,
        bias=alibi_bias(4, n_queries, n_keys),
        mask=causal_mask(n_queries, n_keys),
    )

    np.testing.assert_allclose(weights, case.outputs["probs"], atol=8 * FLOAT32)


@cases("MPT bias")
def test_the_row_of_mpt_is_that_of_the_last_query(case):
    inputs = case.inputs

    ours = alibi_bias(inputs["n_heads"], 1, inputs["n_keys"], max_bias=inputs["max_bias"])

    np.testing.assert_allclose(ours, case.outputs["bias"], rtol=8 * FLOAT32)


@cases("MPT attention")
def test_a_layer_of_mpt_end_to_end(case):
    """It computes with 8 whatever `alibi_bias_max` of its config is."""
    n_heads = case.inputs["n_heads"]
    parts = np.split(case.inputs["qkv_weight"], 3)
    q, k, v = (split(case.inputs["hidden"], weight, n_heads) for weight in parts)
    options = {"bias": alibi_bias(n_heads, 5, 5), "mask": causal_mask(5, 5)}
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])

    weights, mixed = attention_weights(q, k, **options), attention(q, k, v, **options)

    # Slopes, scores and softmax are float32, scores are below 32 in size.
    theirs = case.outputs["scores"]
    shift = np.where(options["mask"], theirs - scores - options["bias"], np.nan)
    assert (np.nanmax(shift, axis=-1) - np.nanmin(shift, axis=-1)).max() < 32 * 8 * FLOAT32
    np.testing.assert_allclose(weights, case.outputs["probs"], atol=32 * FLOAT32)
    np.testing.assert_allclose(merged(mixed, case.inputs), case.outputs["mixed"], atol=2e-5)
    if case.inputs["config_max_bias"] != 8:
        asked = alibi_bias(n_heads, 5, 5, max_bias=case.inputs["config_max_bias"])
        other = attention_weights(q, k, bias=asked, mask=options["mask"])
        assert np.abs(other - case.outputs["probs"]).max() > 1e-2


@cases("Falcon bias")
def test_far_keys_of_falcon_tie_in_bfloat16(case):
    n_heads, first = case.inputs["n_heads"], case.inputs["first_key"]
    theirs = case.outputs["bias"]

    ours = alibi_slopes(n_heads)[:, None] * np.arange(first, first + theirs.shape[1])

    np.testing.assert_allclose(theirs, ours, rtol=3 * 2.0**-8)  # slope, position, product
    assert (np.diff(theirs, axis=1) == 0).any()
    assert (np.diff(ours, axis=1) > 0).all()


@cases("Falcon attention")
def test_a_layer_of_falcon_end_to_end(case):
    """The bias is divided by sqrt(head_dim); the eager path adds it twice."""
    q, k, v = interleaved_qkv(case.inputs)
    bias = alibi_bias(case.inputs["n_heads"], 5, 5)
    scaled = case.inputs["times"] * bias / np.sqrt(q.shape[-1])

    mixed = attention(q, k, v, bias=scaled, mask=causal_mask(5, 5))

    expected = case.outputs["mixed"]
    np.testing.assert_allclose(merged(mixed, case.inputs), expected, rtol=0, atol=1e-12)
    plain = attention(q, k, v, bias=bias, mask=causal_mask(5, 5))
    assert np.abs(merged(plain, case.inputs) - expected).max() > 1e-3


@cases("x-transformers bias,")
def test_the_bias_of_x_transformers_is_symmetric_too(case):
    ours = alibi_bias(case.inputs["n_heads"], case.inputs["n_queries"], case.inputs["n_keys"])

    np.testing.assert_allclose(ours, case.outputs["bias"], rtol=4 * FLOAT32)


@cases("x-transformers bias at given positions")
def test_the_bias_of_x_transformers_at_given_positions(case):
    positions = case.inputs["query_positions"], case.inputs["key_positions"]

    ours = alibi_bias_at(alibi_slopes(case.inputs["n_heads"]), *positions)

    np.testing.assert_array_equal(ours, case.outputs["bias"])


@cases("x-transformers attention of an encoder")
def test_an_encoder_of_x_transformers_end_to_end(case):
    n_heads, hidden = case.inputs["n_heads"], case.inputs["hidden"]
    q, k, v = (split(hidden, case.inputs[f"{name}_weight"], n_heads) for name in "qkv")

    mixed = attention(q, k, v, bias=alibi_bias(n_heads, 5, 5))

    # The layer is double, its softmax float32.
    np.testing.assert_allclose(merged(mixed, case.inputs), case.outputs["mixed"], atol=1e-6)
    key_index = alibi_slopes(n_heads)[:, None, None] * np.arange(5)
    wrong = merged(attention(q, k, v, bias=key_index), case.inputs)
    assert np.abs(wrong - case.outputs["mixed"]).max() > 1e-3


# On bad input


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


HEAD_COUNTS = [
    ({"n_heads": 0}, ValueError, "n_heads must be at least 1, got 0"),
    ({"n_heads": -3}, ValueError, "n_heads must be at least 1, got -3"),
    ({"n_heads": 8.0}, TypeError, "n_heads must be a whole number (int), got 8.0 (float)"),
    ({"n_heads": True}, TypeError, "n_heads must be a whole number (int), got True (bool)"),
    ({"n_heads": "8"}, TypeError, "n_heads must be a whole number (int), got '8' (str)"),
    ({"n_heads": [8]}, TypeError, "n_heads must be a whole number (int), got [8] (list)"),
    ({"n_heads": 2**80}, ValueError, "n_heads must be below 2**58 entries, got n_heads 12089"),
    ({"n_heads": 2**58}, ValueError, "n_heads must be below 2**58 entries, got n_heads 28823"),
    ({"max_bias": 0}, ValueError, "max_bias must be above 0, got 0"),
    ({"max_bias": -8.0}, ValueError, "max_bias must be above 0, got -8.0"),
    ({"max_bias": np.nan}, ValueError, "max_bias must be finite, got nan"),
    ({"max_bias": np.inf}, ValueError, "max_bias must be finite, got inf"),
    ({"max_bias": None}, TypeError, "max_bias must be a number (int or float), got None"),
    ({"max_bias": True}, TypeError, "max_bias must be a number (int or float), got True"),
    ({"max_bias": 8j}, TypeError, "max_bias must be a number (int or float), got 8j"),
]


@pytest.mark.parametrize(("changed", "error", "message"), HEAD_COUNTS)
def test_a_bad_argument_of_the_slopes_is_named(changed, error, message):
    with refused(error, message):
        alibi_slopes(**{"n_heads": 8, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *HEAD_COUNTS,
        ({"n_queries": 0}, ValueError, "n_queries must be in 1..4 (n_keys), got 0"),
        ({"n_queries": 5}, ValueError, "n_queries must be in 1..4 (n_keys), got 5"),
        ({"n_queries": 2.0}, TypeError, "n_queries must be a whole number (int), got 2.0 (float)"),
        ({"n_queries": None}, TypeError, "n_queries must be a whole number (int), got None"),
        ({"n_keys": 0}, ValueError, "n_keys must be at least 1, got 0"),
        ({"n_keys": True}, TypeError, "n_keys must be a whole number (int), got True (bool)"),
        (
            {"n_keys": 2**60},
            ValueError,
            "n_queries x n_keys x n_heads must be below 2**58 entries, got n_queries 3, n_keys 11",
        ),
        ({"dtype": "float16"}, ValueError, "dtype must be float32 or float64, got float16"),
        ({"dtype": int}, ValueError, "dtype must be float32 or float64, got int64"),
        ({"dtype": None}, TypeError, "dtype must be float32 or float64, got None"),
    ],
)
def test_a_bad_argument_of_the_bias_is_named(changed, error, message):
    with refused(error, message):
        alibi_bias(**{"n_heads": 8, "n_queries": 3, "n_keys": 4, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"slopes": 0.5}, ValueError, "slopes must have shape (n_heads,), got ()"),
        ({"slopes": [[0.5]]}, ValueError, "slopes must have shape (n_heads,), got (1, 1)"),
        ({"slopes": [0.5, -0.25]}, ValueError, "slopes must be at least 0 everywhere, got -0.25"),
        ({"slopes": [np.nan]}, ValueError, "slopes must be finite, got an entry nan"),
        ({"slopes": [np.inf]}, ValueError, "slopes must be finite, got an entry inf"),
        ({"slopes": ["a"]}, TypeError, "slopes must be numbers (int or float), got dtype <U1"),
        ({"slopes": [1j]}, TypeError, "slopes must be numbers (int or float), got dtype complex"),
        ({"slopes": None}, TypeError, "slopes must be numbers (int or float), got dtype object"),
        ({"slopes": [True]}, TypeError, "slopes must be numbers (int or float), got dtype bool"),
        ({"slopes": [[1], [1, 2]]}, ValueError, "slopes must be one array, got [[1], [1, 2]]"),
        ({"query_positions": 2}, ValueError, "query_positions must have shape (..., n_queries)"),
        ({"query_positions": [0.5]}, TypeError, "query_positions must be whole numbers (int), got"),
        ({"query_positions": [True]}, TypeError, "query_positions must be whole numbers (int)"),
        ({"query_positions": [2**80]}, TypeError, "query_positions must be whole numbers (int)"),
        (
            {"query_positions": [-(2**53) - 1]},
            ValueError,
            f"query_positions must be at least -{2**53} everywhere, got -{2**53 + 1}",
        ),
        ({"key_positions": 2}, ValueError, "key_positions must have shape (..., n_keys), got ()"),
        ({"key_positions": [[1], []]}, ValueError, "key_positions must be one array"),
        (
            {"key_positions": [2**53 + 1]},
            ValueError,
            f"key_positions must be at most {2**53} everywhere, got {2**53 + 1}",
        ),
        (
            {"query_positions": [[1], [2]], "key_positions": [[1], [2], [3]]},
            ValueError,
            "key_positions must have leading axes that broadcast with those of query_positions "
            "(2,), got (3,)",
        ),
        (
            {"slopes": np.broadcast_to(1.0, 2**20),
             "query_positions": np.broadcast_to(0, (2, 1, 2**19)),
             "key_positions": np.broadcast_to(0, (1, 2, 2**18))},
            ValueError,
            "slopes x query_positions x key_positions x rows must be below 2**58 entries, got slo",
        ),
    ],
)  # fmt: skip
def test_a_bad_argument_of_the_bias_at_positions_is_named(changed, error, message):
    good = {"slopes": [0.5, 0.25], "query_positions": [2], "key_positions": [0, 1, 2]}

    with refused(error, message):
        alibi_bias_at(**{**good, **changed})


def test_the_farthest_positions_are_taken():
    np.testing.assert_array_equal(alibi_bias_at([1.0], [-(2**53)], [2**53]), [[[-(2.0**54)]]])


def test_no_tokens_and_no_heads_give_an_empty_bias():
    assert alibi_bias_at([0.5], [], [0, 1]).shape == (1, 0, 2)
    assert alibi_bias_at([0.5], [0], []).shape == (1, 1, 0)
    assert alibi_bias_at([], [0], [0]).shape == (0, 1, 1)


def test_numbers_of_numpy_are_numbers():
    np.testing.assert_array_equal(
        alibi_bias(np.int8(3), np.uint8(2), np.int64(3), max_bias=np.float32(8)),
        alibi_bias(3, 2, 3),
    )


def test_positions_of_any_whole_type_are_taken():
    narrow = alibi_bias_at([0.5], np.array([0], np.uint8), np.array([200], np.int16))

    np.testing.assert_array_equal(narrow, [[[-100.0]]])
