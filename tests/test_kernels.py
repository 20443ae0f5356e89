"""KERPLE, FIRE and Sandwich: by hand, by property, by second routes, and on bad input.

No released code was run here: neither transformers nor x-transformers has any of the three. The
numbers by hand follow from the published formulas, digit by digit.
"""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    alibi_bias,
    alibi_slopes,
    attention_weights,
    causal_mask,
    fire_bias,
    kerple_bias,
    relative_positions,
    sandwich_bias,
    sinusoidal_table,
)

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

READINGS = ["zero_based", "one_based"]
forms = st.sampled_from(["log", "power"])
readings = st.sampled_from(READINGS)


@st.composite
def shapes(draw):
    n_keys = draw(st.integers(1, 20))
    return draw(st.integers(1, n_keys)), n_keys


# KERPLE


@pytest.mark.parametrize(
    ("form", "r1", "r2", "expected"),
    [
        ("log", 1, 1, [0, -0.693147, -1.098612, -1.386294]),
        ("log", 0.5, 2, [0, -0.549306, -0.804719, -0.972955]),
        ("power", 0.5, 0.5, [0, -0.5, -0.707107, -0.866025]),
        ("power", 1, 2, [0, -1, -4, -9]),
    ],
)
def test_kerple_at_distances_0_to_3(form, r1, r2, expected):
    bias = kerple_bias([r1], [r2], 1, 4, form=form)

    np.testing.assert_allclose(bias[0, 0, ::-1], expected, atol=5e-7)


def test_kerple_in_its_logarithmic_form_divides_weights_by_1_plus_the_distance():
    """Equal content, r1 = r2 = 1, four tokens: 1/4, 1/3, 1/2, 1 over their sum, 25/12."""
    bias = kerple_bias([1], [1], 1, 4, form="log")[0]

    weights = attention_weights([[0.0]], np.zeros((4, 1)), bias=bias)

    np.testing.assert_allclose(weights, [[3 / 25, 4 / 25, 6 / 25, 12 / 25]], rtol=1e-14)


def test_kerple_with_exponent_1_is_alibi():
    slopes = alibi_slopes(6)

    bias = kerple_bias(slopes, np.ones(6), 5, 7, form="power")

    np.testing.assert_array_equal(bias, alibi_bias(6, 5, 7))


def test_the_diagonal_of_kerple_is_zero_without_a_sign():
    for form in ("log", "power"):
        bias = kerple_bias([1, 2], [1, 2], 3, 3, form=form)

        diagonal = bias[:, np.arange(3), np.arange(3)]
        assert (diagonal == 0).all()
        assert not np.signbit(diagonal).any()


def test_the_largest_exponent_of_kerple_is_2_in_the_power_form_only():
    np.testing.assert_array_equal(kerple_bias([1], [2], 1, 2, form="power"), [[[-1, 0]]])
    np.testing.assert_allclose(kerple_bias([1], [3], 1, 2, form="log"), [[[-math.log(4), 0]]])


@BOUNDED
@given(
    st.lists(st.tuples(st.floats(0.01, 5), st.floats(0.01, 2)), min_size=1, max_size=4),
    shapes(),
    forms,
)
def test_kerple_by_three_loops(pairs, shape, form):
    r1, r2 = np.transpose(pairs)

    def value(strength, rate, t):
        return -strength * (math.log(1 + rate * t) if form == "log" else t**rate)

    loops = [
        [[value(a, b, abs(int(t))) for t in row] for row in relative_positions(*shape)]
        for a, b in pairs
    ]

    np.testing.assert_allclose(kerple_bias(r1, r2, *shape, form=form), loops, rtol=1e-13)


@BOUNDED
@given(shapes(), forms)
def test_new_queries_of_kerple_get_the_last_rows(shape, form):
    n_queries, n_keys = shape

    full = kerple_bias([1, 0.5], [0.3, 2], n_keys, n_keys, form=form)

    new = kerple_bias([1, 0.5], [0.3, 2], n_queries, n_keys, form=form)
    np.testing.assert_array_equal(new, full[:, -n_queries:])


def test_kerple_keeps_precision_at_small_rates():
    """ln(1 + x) by way of 1 + x would be 0."""
    np.testing.assert_allclose(
        kerple_bias([1], [1e-18], 1, 2, form="log"), [[[-1e-18, 0]]], rtol=1e-15
    )


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ("f4", "f4", "f4"),
        ("f2", "f4", "f4"),
        ("f4", "f8", "f8"),
        ("f8", "f4", "f8"),
        ("i8", "f4", "f8"),
    ],
)
def test_kerple_keeps_the_type_of_its_parameters(first, second, result):
    one, other = np.ones(1, first), np.ones(1, second)

    assert kerple_bias(one, other, 1, 2, form="log").dtype == result


def test_kerple_rounds_once():
    r1, r2 = np.array([0.3], "f4"), np.array([0.7], "f4")

    bias = kerple_bias(r1, r2, 1, 3000, form="log")

    exact = kerple_bias(r1.astype("f8"), r2.astype("f8"), 1, 3000, form="log")
    np.testing.assert_array_equal(bias, exact.astype("f4"))


# FIRE


def toy():
    """f(z) = 2 relu(z) + relu(0.5 - z) - 1."""
    return {"w1": [1.0, -1.0], "b1": [0.0, 0.5], "w2": [[2.0], [1.0]], "b2": [-1.0]}


def test_fire_by_hand():
    """c = 1, threshold 4: z(3,1) = ln 3 / ln 5, z(3,2) = ln 2 / ln 5, z(7,1) = ln 7 / ln 8."""
    bias = fire_bias(**toy(), n_queries=8, n_keys=8, c=1, threshold=4, eps=0)[0]

    cells = [bias[3, 1], bias[3, 3], bias[3, 2], bias[7, 1], bias[7, 0]]
    np.testing.assert_allclose(cells, [0.365212, -0.5, -0.069323, 0.871570, 1], atol=5e-7)


def test_fire_adds_eps_to_the_divisor():
    """1e-6 unless told otherwise, which lowers (3, 1) in the seventh digit."""
    bias = fire_bias(**toy(), n_queries=8, n_keys=8, c=1, threshold=4)[0]
    told = fire_bias(**toy(), n_queries=8, n_keys=8, c=1, threshold=4, eps=0.5)[0]

    np.testing.assert_allclose(bias[3, 1], 0.365211541, atol=5e-10)
    z = math.log(3) / (math.log(5) + 0.5)
    np.testing.assert_allclose(told[3, 1], 2 * z + max(0.5 - z, 0) - 1, rtol=1e-14)


def test_fire_takes_the_size_of_c():
    options = {"n_queries": 5, "n_keys": 6, "threshold": 3}

    np.testing.assert_array_equal(
        fire_bias(**toy(), **options, c=-0.3), fire_bias(**toy(), **options, c=0.3)
    )
    assert (fire_bias(**toy(), **options, c=0.3) != fire_bias(**toy(), **options, c=3)).any()


def network(n_hidden, n_heads, dtype=np.float64):
    rng = np.random.default_rng(6)
    shapes_of = {"w1": (n_hidden,), "b1": (n_hidden,), "w2": (n_hidden, n_heads), "b2": (n_heads,)}
    return {name: rng.normal(size=shape).astype(dtype) for name, shape in shapes_of.items()}


@BOUNDED
@given(shapes(), st.floats(0.01, 3), st.floats(0.5, 30), st.floats(0, 0.1))
def test_fire_by_loops(shape, c, threshold, eps):
    """Keys after the query included: there the distance counts by its size."""
    n_queries, n_keys = shape
    net = network(5, 3)
    expected = np.empty((3, n_queries, n_keys))
    for row, m in enumerate(range(n_keys - n_queries, n_keys)):
        for n in range(n_keys):
            z = math.log(abs(c * (m - n)) + 1) / (math.log(abs(c * max(m, threshold)) + 1) + eps)
            hidden = [max(0, z * w + b) for w, b in zip(net["w1"], net["b1"], strict=True)]
            for h in range(3):
                mixed = sum(x * w for x, w in zip(hidden, net["w2"][:, h], strict=True))
                expected[h, row, n] = mixed + net["b2"][h]

    bias = fire_bias(**net, n_queries=n_queries, n_keys=n_keys, c=c, threshold=threshold, eps=eps)

    np.testing.assert_allclose(bias, expected, rtol=1e-11, atol=1e-13)


@BOUNDED
@given(shapes(), st.floats(0.01, 3), st.floats(0.5, 30))
def test_the_share_of_fire_lies_between_0_and_1_in_the_past(shape, c, threshold):
    identity = {"w1": [1.0], "b1": [0.0], "w2": [[1.0]], "b2": [0.0]}
    n_queries, n_keys = shape

    z = fire_bias(**identity, n_queries=n_queries, n_keys=n_keys, c=c, threshold=threshold, eps=0)[
        0
    ]

    past = z[causal_mask(n_queries, n_keys)]
    assert past.min() == 0  # the token itself
    assert past.max() <= 1 + 1e-15


@BOUNDED
@given(shapes())
def test_new_queries_of_fire_get_the_last_rows(shape):
    n_queries, n_keys = shape
    options = {**network(4, 2), "n_keys": n_keys, "c": 0.1, "threshold": 6}

    full = fire_bias(**options, n_queries=n_keys)

    np.testing.assert_array_equal(fire_bias(**options, n_queries=n_queries), full[:, -n_queries:])


def test_fire_depends_on_the_query_position_beyond_the_threshold_only():
    bias = fire_bias(**toy(), n_queries=12, n_keys=12, c=0.5, threshold=6)[0]

    before = np.diagonal(bias, -2)[:5]  # queries 2 .. 6
    after = np.diagonal(bias, -2)[4:]
    np.testing.assert_allclose(before, before[0], rtol=1e-14)
    assert len(set(after.round(9))) == len(after)


@pytest.mark.parametrize(("dtype", "result"), [("f2", "f4"), ("f4", "f4"), ("f8", "f8")])
def test_fire_keeps_the_type_of_its_weights(dtype, result):
    net = network(3, 2, dtype)

    bias = fire_bias(**net, n_queries=2, n_keys=2, c=1, threshold=4)

    assert bias.dtype == result
    for name in net:
        wide = net | {name: net[name].astype("f8")}
        assert fire_bias(**wide, n_queries=2, n_keys=2, c=1, threshold=4).dtype == np.float64


# Sandwich


def test_sandwich_from_i_0_by_hand():
    """Width 4, two heads: cos 1 + cos 0.01 = 1.540252, cos 3 + cos 0.03 = 0.009558, by 4 and 8."""
    bias = sandwich_bias(2, 1, 4, reading="zero_based", d_bar=4)[:, 0]

    np.testing.assert_allclose(bias[:, 3], [0.5, 0.25])
    np.testing.assert_allclose(bias[:, 2], [0.385063, 0.192532], atol=5e-7)
    np.testing.assert_allclose(bias[:, 0], [0.002389, 0.001195], atol=5e-7)


def test_sandwich_from_i_1_by_hand():
    """cos 0.01 + cos 0.0001 - 2, by 4 and 8."""
    bias = sandwich_bias(2, 1, 2, reading="one_based", d_bar=4)[:, 0]

    np.testing.assert_allclose(bias[:, 0], [-1.250e-5, -6.25e-6], rtol=1e-3)
    np.testing.assert_array_equal(bias[:, 1], [0, 0])


@BOUNDED
@given(st.integers(1, 9), shapes(), st.sampled_from([2, 4, 6, 64, 128]))
def test_sandwich_from_i_0_is_a_product_of_sinusoidal_rows(n_heads, shape, d_bar):
    n_queries, n_keys = shape
    table = sinusoidal_table(n_keys, d_bar)
    products = table[n_keys - n_queries :] @ table.T

    bias = sandwich_bias(n_heads, *shape, reading="zero_based", d_bar=d_bar)

    for h in range(n_heads):
        np.testing.assert_allclose(bias[h], products / (8 * (h + 1) / n_heads), atol=1e-12)


@BOUNDED
@given(st.integers(1, 9), shapes(), st.sampled_from([2, 4, 6, 64]), readings)
def test_sandwich_by_loops(n_heads, shape, d_bar, reading):
    first, constant = (0, 0) if reading == "zero_based" else (1, d_bar / 2)

    def total(t):
        return sum(math.cos(t / 10000 ** (2 * i / d_bar)) for i in range(first, first + d_bar // 2))

    products = np.array([[total(int(t)) for t in row] for row in relative_positions(*shape)])
    divisors = 8 * np.arange(1, n_heads + 1) / n_heads

    bias = sandwich_bias(n_heads, *shape, reading=reading, d_bar=d_bar)

    expected = (products - constant) / divisors[:, None, None]
    np.testing.assert_allclose(bias, expected, rtol=0, atol=1e-13 * d_bar)


@pytest.mark.parametrize("reading", READINGS)
def test_sandwich_takes_128_unless_told_otherwise(reading):
    bias = sandwich_bias(3, 4, 5, reading=reading)

    np.testing.assert_array_equal(bias, sandwich_bias(3, 4, 5, reading=reading, d_bar=128))


def test_the_readings_of_sandwich_give_different_weights():
    q = k = np.zeros((2, 9, 4))
    weights = [
        attention_weights(
            q, k, bias=sandwich_bias(2, 9, 9, reading=reading), mask=causal_mask(9, 9)
        )
        for reading in READINGS
    ]

    assert np.abs(weights[0] - weights[1]).max() > 0.01


def test_the_constant_of_sandwich_does_not_change_the_weights():
    q, k = np.random.default_rng(8).normal(size=(2, 2, 9, 4))
    bias = sandwich_bias(2, 9, 9, reading="one_based", d_bar=8)
    constant = 4 / (8 * np.array([1, 2]) / 2)[:, None, None]

    np.testing.assert_allclose(
        attention_weights(q, k, bias=bias),
        attention_weights(q, k, bias=bias + constant),
        rtol=1e-13,
    )


@pytest.mark.parametrize("reading", READINGS)
def test_sandwich_is_largest_on_the_token_itself_and_not_monotone(reading):
    last = sandwich_bias(1, 1, 3000, reading=reading)[0, 0]

    assert (last[:-1] < last[-1]).all()
    assert (np.diff(last) < 0).any()


@BOUNDED
@given(shapes(), readings)
def test_new_queries_of_sandwich_get_the_last_rows(shape, reading):
    n_queries, n_keys = shape

    full = sandwich_bias(2, n_keys, n_keys, reading=reading, d_bar=16)

    new = sandwich_bias(2, n_queries, n_keys, reading=reading, d_bar=16)
    np.testing.assert_array_equal(new, full[:, -n_queries:])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sandwich_is_rounded_once_to_its_type(dtype):
    bias = sandwich_bias(3, 4, 9, reading="zero_based", dtype=dtype)

    exact = sandwich_bias(3, 4, 9, reading="zero_based")
    assert exact.dtype == np.float64
    assert bias.dtype == dtype
    np.testing.assert_array_equal(bias, exact.astype(dtype))


# All three


@pytest.mark.parametrize(
    "bias",
    [
        kerple_bias([1, 2], [1, 2], 3, 4, form="log"),
        kerple_bias([1, 2], [1, 2], 3, 4, form="power"),
        sandwich_bias(2, 3, 4, reading="zero_based"),
    ],
    ids=["log", "power", "sandwich"],
)
def test_a_function_of_distance_is_a_read_only_view_of_one_number_for_each(bias):
    with pytest.raises(ValueError, match="read-only"):
        bias[0, 0, 0] = 1
    assert bias.strides[-2] == -bias.strides[-1]
    bias.copy()[0, 0, 0] = 1


def test_fire_can_be_written():
    bias = fire_bias(**toy(), n_queries=3, n_keys=4, c=1, threshold=4)

    bias[0, 0, 0] = 7
    assert bias[0, 0, 0] == 7


# On bad input


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


COUNTS = [
    ({"n_queries": 0}, ValueError, "n_queries must be in 1..4 (n_keys), got 0"),
    ({"n_queries": 5}, ValueError, "n_queries must be in 1..4 (n_keys), got 5"),
    ({"n_queries": 3.0}, TypeError, "n_queries must be a whole number (int), got 3.0 (float)"),
    ({"n_keys": 0}, ValueError, "n_keys must be at least 1, got 0"),
    ({"n_keys": True}, TypeError, "n_keys must be a whole number (int), got True (bool)"),
    ({"n_keys": None}, TypeError, "n_keys must be a whole number (int), got None (NoneType)"),
    (
        {"n_keys": 2**60},
        ValueError,
        "n_queries x n_keys x n_heads must be below 2**58 entries, got n_queries 3, n_keys 11",
    ),
]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *COUNTS,
        ({"form": "linear"}, ValueError, "form must be one of 'log', 'power', got 'linear'"),
        ({"form": None}, TypeError, "form must be one of 'log', 'power', got None (NoneType)"),
        ({"r1": 1.0}, ValueError, "r1 must have shape (n_heads,), got ()"),
        ({"r1": [[1.0]]}, ValueError, "r1 must have shape (n_heads,), got (1, 1)"),
        ({"r1": [], "r2": []}, ValueError, "r1 must have at least one head, got shape (0,)"),
        ({"r1": [1.0, 0.0]}, ValueError, "r1 must be above 0 everywhere, got 0.0"),
        ({"r1": [1.0, -0.5]}, ValueError, "r1 must be above 0 everywhere, got -0.5"),
        ({"r1": [1.0, np.nan]}, ValueError, "r1 must be finite, got an entry nan"),
        ({"r1": ["a", "b"]}, TypeError, "r1 must be numbers (int or float), got dtype <U1"),
        ({"r1": None}, TypeError, "r1 must be numbers (int or float), got dtype object"),
        ({"r1": [1j, 1]}, TypeError, "r1 must be numbers (int or float), got dtype complex128"),
        ({"r1": [True, True]}, TypeError, "r1 must be numbers (int or float), got dtype bool"),
        ({"r1": [[1], [1, 2]]}, ValueError, "r1 must be one array, got [[1], [1, 2]]"),
        ({"r2": [1.0]}, ValueError, "r2 must have shape (2,), got (1,)"),
        ({"r2": [1.0, 0.0]}, ValueError, "r2 must be above 0 everywhere, got 0.0"),
        ({"r2": [np.inf, 1.0]}, ValueError, "r2 must be finite, got an entry inf"),
        (
            {"r2": [1.0, 2.5], "form": "power"},
            ValueError,
            "r2 must be at most 2 everywhere if form is 'power', got 2.5",
        ),
    ],
)
def test_a_bad_argument_of_kerple_is_named(changed, error, message):
    good = {"r1": [1.0, 2.0], "r2": [0.5, 2.0], "n_queries": 3, "n_keys": 4, "form": "log"}

    with refused(error, message):
        kerple_bias(**(good | changed))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *COUNTS,
        ({"w1": [[1.0], [2.0], [3.0]]}, ValueError, "w1 must have shape (n_hidden,), got (3, 1)"),
        ({"w1": [1, 2, np.nan]}, ValueError, "w1 must be finite, got an entry nan"),
        ({"w1": None}, TypeError, "w1 must be numbers (int or float), got dtype object"),
        ({"b1": [1.0, 2.0]}, ValueError, "b1 must have shape (3,), got (2,)"),
        ({"b1": [1, 2, np.inf]}, ValueError, "b1 must be finite, got an entry inf"),
        ({"w2": np.ones((2, 3))}, ValueError, "w2 must have shape (3, n_heads), got (2, 3)"),
        ({"w2": np.ones(3)}, ValueError, "w2 must have shape (3, n_heads), got (3,)"),
        ({"w2": np.ones((3, 0))}, ValueError, "w2 must have at least one head, got shape (3, 0)"),
        ({"w2": [[np.nan, 1]] * 3}, ValueError, "w2 must be finite, got an entry nan"),
        ({"w2": [["a"]] * 3}, TypeError, "w2 must be numbers (int or float), got dtype <U1"),
        ({"b2": [1.0]}, ValueError, "b2 must have shape (2,), got (1,)"),
        ({"b2": [1.0, np.nan]}, ValueError, "b2 must be finite, got an entry nan"),
        ({"c": 0}, ValueError, "c must not be 0, as all distances would be alike, got 0"),
        ({"c": np.nan}, ValueError, "c must be finite, got nan"),
        ({"c": [1.0]}, TypeError, "c must be a number (int or float), got [1.0] (list)"),
        ({"threshold": 0}, ValueError, "threshold must be above 0, got 0"),
        ({"threshold": -4}, ValueError, "threshold must be above 0, got -4"),
        ({"threshold": np.inf}, ValueError, "threshold must be finite, got inf"),
        ({"threshold": None}, TypeError, "threshold must be a number (int or float), got None"),
        ({"eps": -1e-9}, ValueError, "eps must be at least 0, got -1e-09"),
        ({"eps": np.nan}, ValueError, "eps must be finite, got nan"),
        ({"eps": True}, TypeError, "eps must be a number (int or float), got True (bool)"),
    ],
)
def test_a_bad_argument_of_fire_is_named(changed, error, message):
    good = {**network(3, 2), "n_queries": 3, "n_keys": 4, "c": 0.1, "threshold": 512}

    with refused(error, message):
        fire_bias(**(good | changed))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *COUNTS,
        ({"n_heads": 0}, ValueError, "n_heads must be at least 1, got 0"),
        ({"n_heads": 2.0}, TypeError, "n_heads must be a whole number (int), got 2.0 (float)"),
        (
            {"n_heads": 2**80},
            ValueError,
            "n_queries x n_keys x n_heads must be below 2**58 entries, got n_queries 3, n_keys 4",
        ),
        (
            {"reading": 0},
            TypeError,
            "reading must be one of 'zero_based', 'one_based', got 0 (int)",
        ),
        (
            {"reading": "paper"},
            ValueError,
            "reading must be one of 'zero_based', 'one_based', got 'paper'",
        ),
        ({"d_bar": 5}, ValueError, "d_bar must be even and at least 2 (features go in pairs), got"),
        ({"d_bar": 0}, ValueError, "d_bar must be even and at least 2 (features go in pairs), got"),
        ({"d_bar": 4.0}, TypeError, "d_bar must be a whole number (int), got 4.0 (float)"),
        (
            {"d_bar": 2**60},
            ValueError,
            "d_bar must be below 2**58 entries, got d_bar 1152921504606846976",
        ),
        ({"dtype": "float16"}, ValueError, "dtype must be float32 or float64, got float16"),
        ({"dtype": None}, TypeError, "dtype must be float32 or float64, got None"),
    ],
)
def test_a_bad_argument_of_sandwich_is_named(changed, error, message):
    good = {"n_heads": 2, "n_queries": 3, "n_keys": 4, "reading": "zero_based", "d_bar": 8}

    with refused(error, message):
        sandwich_bias(**(good | changed))


def test_conventions_have_no_default():
    with pytest.raises(TypeError, match="form"):
        kerple_bias([1], [1], 1, 1)
    with pytest.raises(TypeError, match="reading"):
        sandwich_bias(1, 1, 1)
    with pytest.raises(TypeError, match="threshold"):
        fire_bias(**toy(), n_queries=1, n_keys=1, c=1)
    with pytest.raises(TypeError, match="'c'"):
        fire_bias(**toy(), n_queries=1, n_keys=1, threshold=1)


def test_a_network_of_fire_without_hidden_units_gives_its_last_bias():
    bias = fire_bias([], [], np.empty((0, 2)), [1.0, 2.0], 1, 3, c=1, threshold=4)

    np.testing.assert_array_equal(bias, [[[1, 1, 1]], [[2, 2, 2]]])


def test_numbers_of_numpy_are_numbers():
    np.testing.assert_array_equal(
        sandwich_bias(np.int8(2), np.uint8(3), np.int64(4), reading="one_based", d_bar=np.int16(8)),
        sandwich_bias(2, 3, 4, reading="one_based", d_bar=8),
    )
    np.testing.assert_array_equal(
        fire_bias(
            **toy(), n_queries=2, n_keys=3, c=np.float32(0.5), threshold=np.int8(4), eps=np.int8(0)
        ),
        fire_bias(**toy(), n_queries=2, n_keys=3, c=0.5, threshold=4, eps=0),
    )


def test_a_threshold_that_leaves_no_divisor_is_refused():
    identity = [1.0], [0.0], [[1.0]], [0.0]

    with pytest.raises(ValueError, match=r"^threshold must be large enough for c = 1e-200"):
        fire_bias(*identity, 2, 2, c=1e-200, threshold=1e-200, eps=0)
