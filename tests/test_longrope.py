"""LongRoPE: by hand, by property, by a second route, against real models, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import apply_rotary, rotary_cos_sin, rotary_inv_freq, scale_linear, scale_longrope
from tests.calls import called, holding
from tests.recorded import load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

GOOD = {
    "rotary_dim": 8,
    "base": 1e4,
    "short_factor": [1, 1, 1, 1],
    "long_factor": [1, 1.5, 3, 8],
    "trained_length": 4096,
    "max_length": 131072,
    "seq_len": 4097,
}


def scaled(**changed):
    return scale_longrope(**GOOD | changed)


# By hand


def test_each_pair_is_divided_by_its_own_factor():
    expected = [1, 1 / 15, 1 / 300, 1 / 8000]

    np.testing.assert_allclose(scaled().inv_freq, expected, rtol=1e-15)


def test_a_text_of_the_trained_length_is_still_short():
    short = [1, 0.1, 0.01, 0.001]

    np.testing.assert_allclose(scaled(seq_len=4096).inv_freq, short, rtol=1e-15)
    np.testing.assert_allclose(scaled(seq_len=0).inv_freq, short, rtol=1e-15)
    assert not np.allclose(scaled(seq_len=4097).inv_freq, short, rtol=0.1, atol=0)


def test_the_attention_factor_of_phi_3():
    """PE-25: sqrt(1 + ln 32 / ln 4096) = sqrt(17/12), at all lengths; a code base dropped it."""
    factors = [scaled(seq_len=n).attention_factor for n in (1, 4096, 4097, 131072)]

    np.testing.assert_allclose(factors, math.sqrt(17 / 12), rtol=1e-15)
    np.testing.assert_allclose(factors, 1.1902380714238083, rtol=1e-15)


def test_a_factor_replaces_the_ratio_of_the_lengths():
    """sqrt(1 + ln 8 / ln 4096) = sqrt(1 + 3/12)."""
    np.testing.assert_allclose(scaled(factor=8).attention_factor, math.sqrt(1.25), rtol=1e-15)
    np.testing.assert_allclose(scaled(factor=8).inv_freq, scaled().inv_freq, rtol=1e-15)


@pytest.mark.parametrize(
    "changed", [{"factor": 1}, {"factor": 0.5}, {"max_length": 4096}, {"max_length": 1}]
)
def test_no_more_than_the_trained_length_has_no_attention_factor(changed):
    assert scaled(**changed).attention_factor == 1


def test_a_given_attention_factor_wins():
    assert scaled(attention_factor=1.5).attention_factor == 1.5
    assert scaled(attention_factor=0.5, factor=8).attention_factor == 0.5


def test_lists_have_an_entry_for_each_rotated_pair():
    """PE-44: 0.75 of 128 features are 96, so 48 entries; with 64 there is an error."""
    ones = np.ones(48)
    result = scaled(rotary_dim=96, short_factor=ones, long_factor=2 * ones)

    assert result.inv_freq.shape == (48,)
    message = "short_factor must have one entry for each of 48 pairs (rotary_dim // 2), got 64"
    with pytest.raises(ValueError, match=re.escape(message)):
        scaled(rotary_dim=96, short_factor=np.ones(64), long_factor=np.ones(64))


def test_a_cache_from_before_the_switch_gives_other_scores():
    """PE-55: a query of the long list, and a key that was rotated with the short one."""
    q = np.array([0.1257302211, -0.1321048633, 0.6404226504, 0.1049001172])
    q = np.append(q, [-0.5356693732, 0.3615950549, 1.3040000451, 0.9470809631])
    k = np.array([-0.7037352358, -1.265421471, -0.6232744625, 0.0413259793])
    k = np.append(k, [-2.3250307746, -0.2187916639, -1.2459109473, -0.7322673547])
    long = scaled(long_factor=[1, 2, 4, 8]).inv_freq
    short = scaled(long_factor=[1, 2, 4, 8], seq_len=11).inv_freq

    def score(key_frequencies):
        query = apply_rotary(q[None], rotary_cos_sin([4100], long), layout="half")
        key = apply_rotary(k[None], rotary_cos_sin([10], key_frequencies), layout="half")
        return (query @ key.T).item()

    np.testing.assert_allclose(score(long), 1.8320730601, rtol=0, atol=1e-8)
    np.testing.assert_allclose(score(short), 2.1741077654, rtol=0, atol=1e-8)


# By property


@BOUNDED
@given(st.sampled_from([2, 6, 10, 64]), st.floats(1, 70), st.sampled_from([1.0, 1e4, 5e5]))
def test_equal_factors_are_linear_scaling(width, factor, base):
    sizes = {"rotary_dim": width, "base": base}
    lists = {"short_factor": np.ones(width // 2), "long_factor": np.full(width // 2, factor)}

    result = scaled(**sizes, **lists)

    linear = scale_linear(rotary_inv_freq(width, base), factor=factor)
    np.testing.assert_allclose(result.inv_freq, linear.inv_freq, rtol=1e-15)
    assert result.inv_freq.dtype == np.float64


@BOUNDED
@given(st.integers(2, 10**6), st.integers(1, 1000), st.integers(1, 10**6))
def test_the_attention_factor_by_logarithms_to_the_base_of_the_trained_length(trained, times, more):
    """1 + ln s / ln L is the logarithm of s L to the base L."""
    result = scaled(trained_length=trained, max_length=times * trained, seq_len=more)

    expected = math.sqrt(math.log(times * trained, trained))
    np.testing.assert_allclose(result.attention_factor, expected, rtol=1e-13)
    assert isinstance(result.attention_factor, float)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_given_lists_are_neither_changed_nor_handed_back(dtype):
    ones, twos = np.ones(4, dtype), np.full(4, 2, dtype)

    for seq_len in (1, 5000):
        result = scaled(base=1, short_factor=ones, long_factor=twos, seq_len=seq_len)
        assert result.inv_freq.dtype == np.float64
        result.inv_freq[:] = 7

    assert (ones == 1).all()
    assert (twos == 2).all()


# By a second route


@BOUNDED
@given(
    st.lists(st.floats(0.5, 70), min_size=1, max_size=9),
    st.sampled_from([10.0, 1e4]),
    st.booleans(),
)
def test_by_its_formula_one_pair_at_a_time(factors, base, long):
    width = 2 * len(factors)
    others = [factor + 1 for factor in factors]
    lists = {"short_factor": others, "long_factor": factors}
    if not long:
        lists = {"short_factor": factors, "long_factor": others}

    result = scaled(rotary_dim=width, base=base, **lists, seq_len=4096 + long)

    expected = [1 / (f * base ** (2 * i / width)) for i, f in enumerate(factors)]
    np.testing.assert_allclose(result.inv_freq, expected, rtol=1e-14)


# Against real models

CASES = [case for case in load("scaling") if "scale_longrope" in case.functions]
# float32 arithmetic of the recorded classes: 3.2e-7 is the largest difference found.
RTOL = 4e-7


@pytest.mark.parametrize("case", holding(CASES, "inv_freq"), ids=lambda case: case.name)
def test_frequencies_and_attention_factor_are_those_of_the_model(case):
    result = called(case)

    np.testing.assert_allclose(result.inv_freq, case.outputs["inv_freq"], rtol=RTOL)
    np.testing.assert_allclose(
        result.attention_factor, case.outputs["attention_factor"], rtol=1e-15
    )


@pytest.mark.parametrize("case", holding(CASES, "inv_freq"), ids=lambda case: case.name)
def test_lists_in_the_other_order_miss_the_model(case):
    call = case.inputs["call"]
    lists = {"short_factor": call["long_factor"], "long_factor": call["short_factor"]}

    for row, of_model in zip(called(case, **lists).inv_freq, case.outputs["inv_freq"], strict=True):
        assert not np.allclose(row, of_model, rtol=0.1, atol=0)


def cos_and_sin(case, **changed):
    inv_freq, factor = called(case, **changed)
    positions = np.arange(case.inputs["n_positions"])
    return rotary_cos_sin(positions, inv_freq, attention_factor=factor)


@pytest.mark.parametrize("case", holding(CASES, "cos"), ids=lambda case: case.name)
def test_cosines_and_sines_of_a_text_are_those_of_the_class(case):
    """Its angles are float32: 32 rad rounded to 24 bits is off by 2e-6 at most."""
    cos, sin = cos_and_sin(case)

    np.testing.assert_allclose(cos, case.outputs["cos"], rtol=0, atol=4e-6)
    np.testing.assert_allclose(sin, case.outputs["sin"], rtol=0, atol=4e-6)


@pytest.mark.parametrize("case", holding(CASES, "cos"), ids=lambda case: case.name)
def test_the_other_list_misses_the_text_of_the_class(case):
    other = 33 if case.inputs["call"]["seq_len"] == 32 else 32

    cos, _ = cos_and_sin(case, seq_len=other)

    assert np.abs(cos - case.outputs["cos"]).max() > 0.1


# On bad input

NUMBER = "must be a number (int or float), got"


def a_list(name):
    return [
        (
            {name: [1, 2, 3]},
            ValueError,
            f"{name} must have one entry for each of 4 pairs (rotary_dim // 2), got 3",
        ),
        ({name: []}, ValueError, f"{name} must have one entry for each of 4 pairs"),
        ({name: [1, 1, 1, 1, 1]}, ValueError, f"{name} must have one entry for each of 4 pairs"),
        ({name: [1, 2, 0.0, 4]}, ValueError, f"{name} must be at least 1e-300 everywhere, got 0.0"),
        ({name: [1, 2, 3, -4]}, ValueError, f"{name} must be at least 1e-300 everywhere, got -4.0"),
        ({name: [1, 2, 3, math.nan]}, ValueError, f"{name} must be finite, got an entry nan"),
        ({name: [1, 2, 3, math.inf]}, ValueError, f"{name} must be finite, got an entry inf"),
        ({name: 2.0}, ValueError, f"{name} must have shape (n_pairs,), got ()"),
        ({name: [[1, 2, 3, 4]]}, ValueError, f"{name} must have shape (n_pairs,), got (1, 4)"),
        ({name: [[1], [1, 2]]}, ValueError, f"{name} must be one array, got [[1], [1, 2]]"),
        ({name: None}, TypeError, f"{name} must be numbers (int or float), got dtype object"),
        ({name: ["1"] * 4}, TypeError, f"{name} must be numbers (int or float), got dtype <U1"),
        ({name: [1j] * 4}, TypeError, f"{name} must be numbers (int or float), got dtype complex"),
    ]


def a_count(name, at_least):
    return [
        ({name: at_least - 1}, ValueError, f"{name} must be at least {at_least}, got "),
        ({name: 2**53 + 1}, ValueError, f"{name} must be at most 9007199254740992, got 9007199"),
        ({name: 2**2000}, ValueError, f"{name} must be at most 9007199254740992, got "),
        ({name: 32.0}, TypeError, f"{name} must be a whole number (int), got 32.0 (float)"),
        ({name: True}, TypeError, f"{name} must be a whole number (int), got True (bool)"),
        ({name: None}, TypeError, f"{name} must be a whole number (int), got None (NoneType)"),
    ]


def above_zero(name):
    return [
        ({name: 0}, ValueError, f"{name} must be above 0, got 0"),
        ({name: -1.0}, ValueError, f"{name} must be above 0, got -1.0"),
        ({name: math.nan}, ValueError, f"{name} must be finite, got nan"),
        ({name: "1"}, TypeError, f"{name} {NUMBER} '1' (str)"),
        ({name: [1]}, TypeError, f"{name} {NUMBER} [1] (list)"),
        ({name: True}, TypeError, f"{name} {NUMBER} True (bool)"),
    ]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"rotary_dim": 7},
            ValueError,
            "rotary_dim must be even and at least 2 (features go in pairs), got 7",
        ),
        ({"rotary_dim": 0}, ValueError, "rotary_dim must be even and at least 2"),
        ({"rotary_dim": 8.0}, TypeError, "rotary_dim must be a whole number (int), got 8.0"),
        ({"rotary_dim": 2**60}, ValueError, "rotary_dim must be below 2**58 entries, got rotary"),
        ({"base": 0.0}, ValueError, "base must be at least 1, got 0.0"),
        ({"base": None}, TypeError, f"base {NUMBER} None (NoneType)"),
        *a_list("short_factor"),
        *a_list("long_factor"),
        *a_count("trained_length", 2),
        *a_count("max_length", 1),
        *a_count("seq_len", 0),
        *above_zero("factor"),
        *above_zero("attention_factor"),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        scaled(**changed)


def test_the_limits_themselves_are_allowed():
    ones = {"short_factor": [1], "long_factor": [1]}
    smallest = scaled(rotary_dim=2, base=1, **ones, trained_length=2, max_length=1, seq_len=0)
    longest = {"trained_length": 2**53, "max_length": 2**53, "seq_len": 2**53}

    assert smallest.inv_freq == [1]
    assert scaled(rotary_dim=2, **ones, **longest).attention_factor == 1


def test_the_least_factor_leaves_a_frequency_finite():
    lengths = {"trained_length": 10, "max_length": 100, "seq_len": 1}

    scaled = scale_longrope(4, 1e4, short_factor=[1e-300, 1], long_factor=[1, 1], **lengths)

    assert scaled.inv_freq[0] == pytest.approx(1e300)
