"""T5's bias: by hand, by property, by second routes, against released models, and on bad input.

Numbers PE-87, PE-88 and PE-89 are those of known confusions, each with its right and wrong result.
"""

import itertools
import math
import re
import time
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    attention,
    attention_weights,
    causal_mask,
    relative_positions,
    t5_bias,
    t5_buckets,
)
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)


@st.composite
def shapes(draw):
    n_keys = draw(st.integers(1, 30))
    return draw(st.integers(1, n_keys)), n_keys


@st.composite
def rules(draw):
    """Allowed settings, the smallest of them too."""
    both = draw(st.booleans())
    n_buckets = 2 * draw(st.integers(2, 40)) if both else draw(st.integers(2, 80))
    least = (n_buckets // 4 if both else n_buckets // 2) + 1
    far = draw(st.integers(least, least + 200))
    return {"bidirectional": both, "n_buckets": n_buckets, "max_distance": far}


def table(n_buckets=32, n_heads=4, dtype=np.float64):
    return np.random.default_rng(5).normal(size=(n_buckets, n_heads)).astype(dtype)


# By hand


def test_known_distances_in_a_decoder():
    """20 before: 16 + floor(16 ln(20/16) / ln 8) = 17, and so on; the last bucket starts at 113."""
    buckets = t5_buckets([-20, -50, -112, -113, -128, -5000], bidirectional=False)

    np.testing.assert_array_equal(buckets, [17, 24, 30, 31, 31, 31])


def test_known_distances_in_an_encoder():
    """20 before: 8 + floor(8 ln(20/8) / ln 16) = 10; after the query, 16 more; the last from 91."""
    buckets = t5_buckets([-20, 20, -90, -91, 90, 91, 5000], bidirectional=True)

    np.testing.assert_array_equal(buckets, [10, 26, 14, 15, 30, 31, 31])


def test_buckets_are_logarithmic_and_the_future_comes_second():
    """PE-87: neither linear nor with the sign reversed."""
    relative = [-200, -128, -64, -20, -8, -7, -1, 0, 1, 7, 8, 20, 64, 127, 128]

    buckets = t5_buckets(relative, bidirectional=True)

    expected = [15, 15, 14, 10, 8, 7, 1, 0, 17, 23, 24, 26, 30, 31, 31]
    np.testing.assert_array_equal(buckets, expected)


def test_buckets_are_halved_twice():
    """PE-88: once for the side, once for the single distances."""
    np.testing.assert_array_equal(t5_buckets([-15, -9, 9, 15], bidirectional=True), [9, 8, 24, 25])


def test_the_future_of_a_decoder_shares_the_bucket_of_the_token_itself():
    np.testing.assert_array_equal(t5_buckets([0, 1, 500], bidirectional=False), [0, 0, 0])


def test_the_last_row_of_a_decoder():
    """PE-89, the causal buckets of the row that stands on key 4."""
    relative = np.arange(7) - 4

    np.testing.assert_array_equal(t5_buckets(relative, bidirectional=False), [4, 3, 2, 1, 0, 0, 0])


def test_the_fewest_buckets():
    """One single distance and one for all the others, on each side."""
    relative = [-9, -2, -1, 0, 1, 2, 9]

    both = t5_buckets(relative, bidirectional=True, n_buckets=4, max_distance=2)
    past = t5_buckets(relative, bidirectional=False, n_buckets=2, max_distance=2)

    np.testing.assert_array_equal(both, [1, 1, 1, 0, 3, 3, 3])
    np.testing.assert_array_equal(past, [1, 1, 1, 0, 0, 0, 0])


def test_an_odd_number_of_buckets_in_a_decoder():
    """Two single distances of five, three shared: borders at 2 * 4 ** (k / 3), 3.17 and 5.04."""
    buckets = t5_buckets(-np.arange(10), bidirectional=False, n_buckets=5, max_distance=8)

    np.testing.assert_array_equal(buckets, [0, 1, 2, 2, 3, 3, 4, 4, 4, 4])


def test_the_least_max_distance_leaves_buckets_empty():
    """From 2 * (3/2) ** (k / 2), k = 1, on: all at 3 already."""
    buckets = t5_buckets([0, -1, -2, -3, -4], bidirectional=False, n_buckets=4, max_distance=3)

    np.testing.assert_array_equal(buckets, [0, 1, 2, 3, 3])


def test_heads_are_columns_of_the_weights():
    weights = np.array([[0.5, 5.0], [0.25, 2.5]])  # bucket 0 and all others

    bias = t5_bias(weights, 2, 3, bidirectional=False, max_distance=2)

    np.testing.assert_array_equal(bias[0], [[0.25, 0.5, 0.5], [0.25, 0.25, 0.5]])
    np.testing.assert_array_equal(bias[1], 10 * bias[0])


# By property


@BOUNDED
@given(rules(), st.integers(0, 10**6))
def test_buckets_never_fall_with_distance_and_stay_in_the_table(rule, start):
    near = -np.arange(rule["max_distance"] + 5)
    buckets = t5_buckets(near, **rule)

    assert buckets[0] == 0
    assert (np.diff(buckets) >= 0).all()
    last = rule["n_buckets"] // 2 - 1 if rule["bidirectional"] else rule["n_buckets"] - 1
    assert (buckets[rule["max_distance"] :] == last).all()
    assert t5_buckets(-start - rule["max_distance"], **rule) == last


@BOUNDED
@given(rules(), st.integers(1, 500))
def test_keys_after_the_query_have_the_second_half_or_bucket_0(rule, distance):
    before, after = t5_buckets([-distance, distance], **rule)

    assert after == (before + rule["n_buckets"] // 2 if rule["bidirectional"] else 0)


@BOUNDED
@given(shapes(), st.booleans())
def test_new_queries_on_a_cache_get_the_last_rows(shape, both):
    n_queries, n_keys = shape

    full = t5_bias(table(), n_keys, n_keys, bidirectional=both)

    new = t5_bias(table(), n_queries, n_keys, bidirectional=both)
    np.testing.assert_array_equal(new, full[:, -n_queries:])


# By a second route


def exact_bucket(relative, bidirectional, n_buckets, max_distance):
    """The definition in fractions: count how often the border is passed."""
    side = n_buckets // 2 if bidirectional else n_buckets
    distance = abs(relative) if bidirectional else max(-relative, 0)
    single = side // 2
    bucket = distance
    if distance >= single:
        reached = Fraction(distance, single) ** (side - single)
        steps = (k for k in range(side) if Fraction(max_distance, single) ** (k + 1) > reached)
        bucket = min(side - 1, single + next(steps, side))
    return bucket + (side if bidirectional and relative > 0 else 0)


@BOUNDED
@given(rules(), st.lists(st.integers(-300, 300), max_size=8))
def test_buckets_in_exact_fractions(rule, relative):
    expected = [exact_bucket(r, **rule) for r in relative]

    np.testing.assert_array_equal(t5_buckets(relative, **rule), expected)


@pytest.mark.parametrize(
    ("n_buckets", "max_distance", "ties"),
    [(32, 128, [16, 32, 64]), (8, 32, [8]), (24, 96, [24]), (64, 256, [32, 64, 128])],
)
def test_borders_at_whole_numbers_are_reached_not_passed(n_buckets, max_distance, ties):
    """n_single * ratio ** (k / n) is whole there, so the distance begins a bucket."""
    rule = {"bidirectional": True, "n_buckets": n_buckets, "max_distance": max_distance}
    for tie in ties:
        at, before = t5_buckets([-tie, -(tie - 1)], **rule)

        assert at > before, tie
        assert at == exact_bucket(-tie, **rule)


@pytest.mark.parametrize(
    ("n_buckets", "max_distance", "begins", "bucket"),
    [
        (21, 1006, 435, 19),  # the border is 435 less 2e-9
        (5, 184211, 4080, 4),  # the border is 4079 and 6e-8
        (5, 1473688, 16317, 4),  # the border is 16316 and 2e-7
        (11, 1893305, 26171, 9),  # the border is 26170 and 1e-6
    ],
)
def test_a_border_that_is_almost_a_whole_number_is_told_apart(
    n_buckets, max_distance, begins, bucket
):
    rule = {"bidirectional": False, "n_buckets": n_buckets, "max_distance": max_distance}

    at, before = t5_buckets([-begins, 1 - begins], **rule)

    assert (at, before) == (bucket, bucket - 1)
    assert (at, before) == (exact_bucket(-begins, **rule), exact_bucket(1 - begins, **rule))


def test_borders_are_exact_to_the_largest_max_distance():
    far = 2**31
    rule = {"bidirectional": False, "n_buckets": 4, "max_distance": far}
    begins = 2**16  # sqrt(2 * 2 ** 31)

    np.testing.assert_array_equal(t5_buckets([1 - begins, -begins, -far], **rule), [2, 3, 3])


def test_many_buckets_take_no_longer_than_their_number():
    rule = {"bidirectional": False, "n_buckets": 2**15, "max_distance": 2**15}

    buckets = t5_buckets([-(2**14) + 1, -(2**14), -(2**15)], **rule)

    np.testing.assert_array_equal(buckets, [2**14 - 1, 2**14, 2**15 - 1])


def test_the_formula_in_float64_gives_the_same_off_the_borders():
    relative = np.arange(-400, 0)
    with np.errstate(divide="ignore"):
        exponent = np.log(-relative / 16) / math.log(128 / 16) * 16
    clear = np.abs(exponent - np.round(exponent)) > 1e-9
    formula = np.where(-relative < 16, -relative, np.minimum(31, 16 + np.floor(exponent)))

    ours = t5_buckets(relative, bidirectional=False)

    np.testing.assert_array_equal(ours[clear], formula[clear])
    assert clear.sum() > 390


@BOUNDED
@given(shapes(), st.booleans(), st.sampled_from(["f4", "f8"]))
def test_the_view_equals_the_dense_gather_bit_for_bit(shape, both, dtype):
    weights = table(8, 3, dtype)
    rule = {"bidirectional": both, "max_distance": 6}
    buckets = t5_buckets(relative_positions(*shape), n_buckets=8, **rule)

    view = t5_bias(weights, *shape, **rule)

    assert view.dtype == dtype
    np.testing.assert_array_equal(view, np.moveaxis(weights[buckets], -1, 0))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64])
def test_whole_numbers_of_any_type_are_taken_to_their_ends(dtype):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)

    buckets = t5_buckets(ends, bidirectional=True, n_buckets=8, max_distance=16)

    assert buckets.dtype == np.int64
    np.testing.assert_array_equal(buckets, [3 if ends[0] < 0 else 0, 7])


def test_the_shape_is_kept():
    for shape in [(), (0,), (3,), (2, 0, 3), (2, 1, 4)]:
        buckets = t5_buckets(np.full(shape, -3), bidirectional=True)

        assert isinstance(buckets, np.ndarray)
        assert buckets.shape == shape
        assert (buckets == 3).all()
    assert t5_buckets([], bidirectional=False).shape == (0,)


@pytest.mark.parametrize(
    ("given", "result"), [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i8", "f8")]
)
def test_the_type_of_the_weights_is_kept(given, result):
    assert t5_bias(np.ones((4, 1), given), 1, 1, bidirectional=True).dtype == result


def test_arguments_are_left_alone():
    relative, weights = np.array([-300, 300]), table()
    before = relative.copy(), weights.copy()

    t5_buckets(relative, bidirectional=True)
    bias = t5_bias(weights, 3, 3, bidirectional=True)

    np.testing.assert_array_equal(relative, before[0])
    np.testing.assert_array_equal(weights, before[1])
    assert not np.shares_memory(bias, weights)


def test_the_bias_is_read_only_and_a_copy_is_not():
    bias = t5_bias(table(), 3, 3, bidirectional=True)

    with pytest.raises(ValueError, match="read-only"):
        bias[0, 0, 0] = 1
    bias.copy()[0, 0, 0] = 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bias_takes_the_memory_of_its_distances(dtype):
    weights = table(32, 32, dtype)

    tracemalloc.start()
    bias = t5_bias(weights, 4096, 4096, bidirectional=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert bias.shape == (32, 4096, 4096)
    assert peak < 5e6


def test_the_bias_is_quick():
    """Under a millisecond; a dense one takes over a second."""
    weights = table(32, 32)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        t5_bias(weights, 4096, 4096, bidirectional=True)
        times.append(time.perf_counter() - start)

    assert min(times) < 0.05


# Against released models


def spread(case):
    """The recorded runs of equal buckets, written out."""
    reach = case.inputs["reach"]
    relative = np.arange(-reach, reach + 1)
    run = np.searchsorted(case.outputs["starts"], relative, side="right") - 1
    return relative, case.outputs["buckets"][run]


@each_case("t5", "t5_buckets")
def test_buckets_are_those_of_released_models(case):
    rule = {key: case.inputs[key] for key in ("bidirectional", "n_buckets", "max_distance")}
    relative, theirs = spread(case)

    ours = t5_buckets(relative, **rule)

    missed = [-60] if "tie that float32 misses" in case.name else []  # (60 / 36) ** 2 is 100 / 36
    np.testing.assert_array_equal(relative[ours != theirs], missed)


def test_the_tie_that_float32_misses_is_ours():
    rule = {"bidirectional": False, "n_buckets": 72, "max_distance": 100}

    assert Fraction(60, 36) ** 2 == Fraction(100, 36)
    assert t5_buckets(-60, **rule) == 36 + 18  # half of the 36 steps
    assert t5_buckets(-59, **rule) < 36 + 18


def bias_of(inputs, **changed):
    options = {"bidirectional": inputs["bidirectional"], "max_distance": inputs["max_distance"]}
    shape = inputs.get("n_queries", 9), inputs.get("n_keys", 9)
    return t5_bias(inputs["weights"], *shape, **(options | changed))


def cases(of_layers):
    chosen = [
        case
        for case in load("t5")
        if "t5_bias" in case.functions and ("hidden" in case.inputs) == of_layers
    ]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name)


@cases(of_layers=False)
def test_the_bias_is_that_of_released_models(case):
    np.testing.assert_array_equal(bias_of(case.inputs), case.outputs["bias"])
    for wrong in ({"bidirectional": not case.inputs["bidirectional"]}, {"max_distance": 128}):
        assert np.abs(bias_of(case.inputs, **wrong) - case.outputs["bias"]).max() > 0.01


def split(x, weight, n_heads):
    y = x @ weight.T
    return y.reshape(*y.shape[:2], n_heads, -1).swapaxes(1, 2)


@cases(of_layers=True)
def test_a_layer_end_to_end(case):
    """Without dividing by sqrt(head_dim); PE-89: without bias where a decoder reads its encoder."""
    inputs = case.inputs
    q = split(inputs["hidden"], inputs["q_weight"], inputs["n_heads"])
    k, v = (
        split(inputs["memory"], inputs[name], inputs["n_heads"])
        for name in ("k_weight", "v_weight")
    )
    crossing = "weights" not in inputs
    options = {"scale": 1.0}
    if not crossing:
        options["bias"] = bias_of(inputs)
        options["mask"] = None if inputs["bidirectional"] else causal_mask(9, 9)

    weights, mixed = attention_weights(q, k, **options), attention(q, k, v, **options)

    exact = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(weights, case.outputs["probs"], **exact)
    output = mixed.swapaxes(1, 2).reshape(inputs["hidden"].shape) @ inputs["dense_weight"].T
    np.testing.assert_allclose(output, case.outputs["mixed"], **exact)
    scaled = attention_weights(q, k, **(options | {"scale": None}))
    assert np.abs(scaled - case.outputs["probs"]).max() > 1e-3
    if not crossing:
        for wrong in (
            None,
            bias_of(inputs, max_distance=128),
            -options["bias"],
            options["bias"].swapaxes(-1, -2),
        ):
            other = attention_weights(q, k, **(options | {"bias": wrong}))
            assert np.abs(other - case.outputs["probs"]).max() > 1e-3


# On bad input


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


RULES = [
    ({"bidirectional": 1}, TypeError, "bidirectional must be True or False, got 1 (int)"),
    ({"bidirectional": None}, TypeError, "bidirectional must be True or False, got None"),
    ({"bidirectional": "yes"}, TypeError, "bidirectional must be True or False, got 'yes' (str)"),
    (
        {"max_distance": 8},
        ValueError,
        "max_distance must be above 8, as so many distances have a bucket each, got 8",
    ),
    ({"max_distance": -1}, ValueError, "max_distance must be above 8, as so many"),
    (
        {"max_distance": 16, "bidirectional": False},
        ValueError,
        "max_distance must be above 16, as so many distances have a bucket each, got 16",
    ),
    ({"max_distance": 2**31 + 1}, ValueError, "max_distance must be at most 2147483648, got 21"),
    ({"max_distance": 2**80}, ValueError, "max_distance must be at most 2147483648, got 12"),
    ({"max_distance": 128.0}, TypeError, "max_distance must be a whole number (int), got 128.0"),
    ({"max_distance": True}, TypeError, "max_distance must be a whole number (int), got True"),
    ({"max_distance": None}, TypeError, "max_distance must be a whole number (int), got None"),
]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *RULES,
        ({"relative": [0.5]}, TypeError, "relative must be whole numbers (int), got dtype float64"),
        ({"relative": [True]}, TypeError, "relative must be whole numbers (int), got dtype bool"),
        ({"relative": None}, TypeError, "relative must be whole numbers (int), got dtype object"),
        ({"relative": [2**80]}, TypeError, "relative must be whole numbers (int), got dtype obj"),
        ({"relative": [1j]}, TypeError, "relative must be whole numbers (int), got dtype complex"),
        ({"relative": "1"}, TypeError, "relative must be whole numbers (int), got dtype <U1"),
        ({"relative": [[1], [1, 2]]}, ValueError, "relative must be one array, got [[1], [1, 2]]"),
        ({"n_buckets": 32.0}, TypeError, "n_buckets must be a whole number (int), got 32.0"),
        ({"n_buckets": True}, TypeError, "n_buckets must be a whole number (int), got True"),
        (
            {"n_buckets": 33},
            ValueError,
            "n_buckets must be even and at least 4 if bidirectional, got 33",
        ),
        (
            {"n_buckets": 2},
            ValueError,
            "n_buckets must be even and at least 4 if bidirectional, got 2",
        ),
        ({"n_buckets": -4}, ValueError, "n_buckets must be even and at least 4 if bidirectional"),
        (
            {"n_buckets": 1, "bidirectional": False},
            ValueError,
            "n_buckets must be at least 2, got 1",
        ),
        (
            {"n_buckets": 0, "bidirectional": False},
            ValueError,
            "n_buckets must be at least 2, got 0",
        ),
        ({"n_buckets": 2**80}, ValueError, "max_distance must be above 302231454903657"),
    ],
)
def test_a_bad_argument_of_the_buckets_is_named(changed, error, message):
    good = {"relative": [-3, 4], "bidirectional": True, "n_buckets": 32, "max_distance": 128}

    with refused(error, message):
        t5_buckets(**(good | changed))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *RULES,
        ({"weights": np.ones(32)}, ValueError, "weights must have shape (n_buckets, n_heads), got"),
        ({"weights": 1.0}, ValueError, "weights must have shape (n_buckets, n_heads), got ()"),
        ({"weights": np.ones((32, 0))}, ValueError, "weights must have at least one head, got sha"),
        (
            {"weights": np.ones((33, 2))},
            ValueError,
            "weights.shape[0] (n_buckets) must be even and at least 4 if bidirectional, got 33",
        ),
        (
            {"weights": np.ones((1, 2)), "bidirectional": False},
            ValueError,
            "weights.shape[0] (n_buckets) must be at least 2, got 1",
        ),
        ({"weights": [[np.nan]] * 32}, ValueError, "weights must be finite, got an entry nan"),
        ({"weights": [[np.inf]] * 32}, ValueError, "weights must be finite, got an entry inf"),
        ({"weights": [["a"]] * 32}, TypeError, "weights must be numbers (int or float), got dtype"),
        (
            {"weights": [[1j]] * 32},
            TypeError,
            "weights must be numbers (int or float), got dtype c",
        ),
        ({"weights": None}, TypeError, "weights must be numbers (int or float), got dtype object"),
        ({"weights": [[1.0], []]}, ValueError, "weights must be one array, got [[1.0], []]"),
        ({"n_queries": 0}, ValueError, "n_queries must be in 1..4 (n_keys), got 0"),
        ({"n_queries": 5}, ValueError, "n_queries must be in 1..4 (n_keys), got 5"),
        ({"n_queries": True}, TypeError, "n_queries must be a whole number (int), got True"),
        ({"n_keys": 0}, ValueError, "n_keys must be at least 1, got 0"),
        ({"n_keys": 4.0}, TypeError, "n_keys must be a whole number (int), got 4.0 (float)"),
        (
            {"n_keys": 2**60},
            ValueError,
            "n_queries x n_keys x n_heads must be below 2**58 entries, got n_queries 3, n_keys 11",
        ),
    ],
)
def test_a_bad_argument_of_the_bias_is_named(changed, error, message):
    good = {"weights": np.ones((32, 2)), "n_queries": 3, "n_keys": 4, "bidirectional": True}

    with refused(error, message):
        t5_bias(**(good | changed))


def test_the_convention_has_no_default():
    with pytest.raises(TypeError, match="bidirectional"):
        t5_buckets([1])
    with pytest.raises(TypeError, match="bidirectional"):
        t5_bias(table(), 2, 2)


def test_numbers_of_numpy_are_numbers():
    ours = t5_buckets(
        np.int8(-20), bidirectional=np.True_, n_buckets=np.uint8(32), max_distance=np.int16(128)
    )

    assert ours == 10


def test_defaults_are_those_of_t5():
    relative = np.arange(-200, 200)
    for both in (True, False):
        np.testing.assert_array_equal(
            t5_buckets(relative, bidirectional=both),
            t5_buckets(relative, bidirectional=both, n_buckets=32, max_distance=128),
        )
        np.testing.assert_array_equal(
            t5_bias(table(), 1, 200, bidirectional=both),
            t5_bias(table(), 1, 200, bidirectional=both, max_distance=128),
        )
    for far in itertools.chain(range(100, 128), range(129, 140)):
        other = t5_buckets(relative, bidirectional=True, max_distance=far)

        assert (other != t5_buckets(relative, bidirectional=True)).any()
