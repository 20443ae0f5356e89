"""Query temperature: by hand, by property, by a second route, against real models, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention_weights, causal_mask, query_temperature
from tests.calls import holding
from tests.recorded import load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

GOOD = {"positions": [0, 1], "beta": 0.1, "length": 8192, "count_from": 0}

# By hand


def test_factors_by_hand():
    """Of 5 tokens each: 0 to 4, 5 to 9, 10; logarithms of 1, 2, 3."""
    factors = query_temperature([0, 4, 5, 9, 10], beta=0.5, length=5, count_from=0)

    expected = 1 + 0.5 * np.log([1, 1, 2, 2, 3])
    np.testing.assert_allclose(factors, expected, rtol=1e-15)
    np.testing.assert_allclose(factors[-1], 1.549306, rtol=0, atol=5e-7)


def test_llama_4_rises_one_token_before_ministral_3():
    positions = [8190, 8191, 8192, 16383]

    llama4 = query_temperature(positions, beta=0.1, length=8192, count_from=1)
    ministral3 = query_temperature(positions, beta=0.1, length=8192, count_from=0)

    once, twice = 1 + 0.1 * math.log(2), 1 + 0.1 * math.log(3)
    np.testing.assert_allclose(llama4, [1, once, once, twice], rtol=1e-15)
    np.testing.assert_allclose(ministral3, [1, 1, once, once], rtol=1e-15)


def test_a_step_is_exact_to_the_far_end():
    """Division of floats would round (2 ** 53 - 2) / (2 ** 53 - 1) up to 1, one token too early."""
    far = 2**53 - 1

    factors = query_temperature([far - 1, far], beta=1, length=far, count_from=0)
    counted = query_temperature([far], beta=1, length=2**53, count_from=1)

    np.testing.assert_allclose(factors, [1, 1 + math.log(2)], rtol=1e-15)
    np.testing.assert_allclose(counted, [1 + math.log(2)], rtol=1e-15)


def test_no_positions_have_no_factors():
    assert query_temperature([], beta=0.1, length=4, count_from=0).shape == (0,)
    assert query_temperature(np.zeros((3, 0), int), beta=0, length=4, count_from=0).shape == (3, 0)


# By property

positions = st.lists(st.integers(0, 10**6), min_size=1, max_size=20)
options = st.fixed_dictionaries(
    {
        "beta": st.floats(0, 10),
        "length": st.integers(1, 10**5),
        "count_from": st.sampled_from([0, 1]),
    }
)


@BOUNDED
@given(positions, options)
def test_factors_are_at_least_one_and_never_fall(tokens, option):
    factors = query_temperature(np.sort(tokens), **option)

    assert factors.dtype == np.float64
    assert (factors >= 1).all()
    assert (np.diff(factors) >= 0).all()


@BOUNDED
@given(positions, options)
def test_counting_from_one_is_the_next_position(tokens, option):
    ahead = query_temperature(np.add(tokens, 1), **option | {"count_from": 0})

    np.testing.assert_array_equal(query_temperature(tokens, **option | {"count_from": 1}), ahead)


@BOUNDED
@given(options)
def test_new_tokens_of_a_cached_text_have_the_last_factors_of_all(option):
    whole = query_temperature(np.arange(50), **option)

    np.testing.assert_array_equal(query_temperature([48, 49], **option), whole[-2:])


def test_leading_axes_are_kept_and_positions_left_alone():
    tokens = np.array([[[0, 1, 2]], [[7, 7, 0]]], np.int32)
    kept = tokens.copy()

    factors = query_temperature(tokens, beta=1, length=2, count_from=0)

    assert factors.shape == (2, 1, 3)
    np.testing.assert_allclose(factors[1, 0], 1 + np.log([4, 4, 1]), rtol=1e-15)
    np.testing.assert_array_equal(tokens, kept)


# By a second route


@BOUNDED
@given(positions, options)
def test_by_whole_number_division_one_position_at_a_time(tokens, option):
    beta, length, first = option["beta"], option["length"], option["count_from"]
    expected = [1 + beta * math.log(1 + (token + first) // length) for token in tokens]

    np.testing.assert_allclose(query_temperature(tokens, **option), expected, rtol=1e-14)


# Against real models

CASES = [case for case in load("scaling") if "query_temperature" in case.functions]
[LLAMA4] = [case for case in CASES if case.name.startswith("Llama 4")]


@pytest.mark.parametrize("case", holding(CASES, "factors"), ids=lambda case: case.name)
def test_factors_are_those_of_the_model(case):
    """Computed in float32, which rounds by 6e-8, twice."""
    factors = query_temperature(**case.inputs)

    np.testing.assert_allclose(factors, case.outputs["factors"], rtol=2e-7)
    from_one = query_temperature(**case.inputs | {"count_from": 1})
    assert np.abs(from_one - case.outputs["factors"]).max() > 0.05


def llama4_output(case, **changed):
    """One layer of grouped-query attention: 2 query heads of 4 features share a key head."""
    x = case.inputs["x"]
    n = len(x)

    def heads(weight):
        return (x @ case.inputs[weight].T).reshape(n, -1, 4).transpose(1, 0, 2)

    factors = query_temperature(np.arange(n), **case.inputs["temperature"] | changed)
    weights = attention_weights(
        heads("w_q") * factors[:, None], heads("w_k"), mask=causal_mask(n, n)
    )
    mixed = (weights @ heads("w_v")).transpose(1, 0, 2).reshape(n, -1)
    return weights, mixed @ case.inputs["w_o"].T


def test_a_layer_of_llama_4_end_to_end():
    """The factors are float32, off by 1e-7; scores are of size 10."""
    weights, out = llama4_output(LLAMA4)

    np.testing.assert_allclose(weights, LLAMA4.outputs["weights"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(out, LLAMA4.outputs["out"], rtol=0, atol=5e-6)


@pytest.mark.parametrize("changed", [{"count_from": 0}, {"beta": 0.4}, {"beta": 0}, {"length": 4}])
def test_other_temperatures_miss_the_layer_of_llama_4(changed):
    weights, _ = llama4_output(LLAMA4, **changed)

    assert np.abs(weights - LLAMA4.outputs["weights"]).max() > 2e-3


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"positions": [0, -1]}, ValueError, "positions must be at least 0 everywhere, got -1"),
        (
            {"positions": [2**53]},
            ValueError,
            "positions must be at most 9007199254740991 everywhere, got 9007199254740992",
        ),
        ({"positions": 3}, ValueError, "positions must have shape (..., T), got ()"),
        ({"positions": [[0], [0, 1]]}, ValueError, "positions must be one array, got [[0], [0, 1]"),
        ({"positions": [0.5]}, TypeError, "positions must be whole numbers (int), got dtype float"),
        ({"positions": [True]}, TypeError, "positions must be whole numbers (int), got dtype bool"),
        ({"positions": ["1"]}, TypeError, "positions must be whole numbers (int), got dtype <U1"),
        ({"positions": None}, TypeError, "positions must be whole numbers (int), got dtype object"),
        ({"positions": [2**80]}, TypeError, "positions must be whole numbers (int), got dtype o"),
        ({"beta": -0.1}, ValueError, "beta must be at least 0, got -0.1"),
        ({"beta": math.nan}, ValueError, "beta must be finite, got nan"),
        ({"beta": None}, TypeError, "beta must be a number (int or float), got None (NoneType)"),
        ({"beta": "0.1"}, TypeError, "beta must be a number (int or float), got '0.1' (str)"),
        ({"length": 0}, ValueError, "length must be at least 1, got 0"),
        ({"length": 2**53 + 1}, ValueError, "length must be at most 9007199254740992, got 90071"),
        ({"length": 8192.0}, TypeError, "length must be a whole number (int), got 8192.0 (float)"),
        ({"length": True}, TypeError, "length must be a whole number (int), got True (bool)"),
        ({"count_from": -1}, ValueError, "count_from must be at least 0, got -1"),
        ({"count_from": 2}, ValueError, "count_from must be at most 1, got 2"),
        ({"count_from": True}, TypeError, "count_from must be a whole number (int), got True"),
        ({"count_from": 0.0}, TypeError, "count_from must be a whole number (int), got 0.0"),
        ({"count_from": None}, TypeError, "count_from must be a whole number (int), got None"),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        query_temperature(**GOOD | changed)


def test_the_limits_themselves_are_allowed():
    limits = {"positions": [0, 2**53 - 1], "beta": 0, "length": 1, "count_from": 1}

    np.testing.assert_array_equal(query_temperature(**limits), [1, 1])
    np.testing.assert_array_equal(query_temperature(**limits | {"length": 2**53}), [1, 1])


def test_a_beta_so_large_that_it_would_overflow_is_refused():
    options = {"length": 1, "count_from": 0}

    with pytest.raises(ValueError, match=r"^beta must be at most 1e\+300, got 1e\+301"):
        query_temperature([2**53 - 1], beta=1e301, **options)
    assert np.isfinite(query_temperature([2**53 - 1], beta=1e300, **options)).all()
