"""YaRN: by hand, by property, by second routes, against real models, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from posenc_ref import (
    apply_rotary,
    attention_weights,
    causal_mask,
    query_temperature,
    rotary_cos_sin,
    rotary_inv_freq,
    scale_linear,
    scale_yarn,
    yarn_bounds,
    yarn_mscale,
)
from tests.calls import called, holding
from tests.recorded import load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

GPT_OSS = {"beta_fast": 32.0, "beta_slow": 1.0, "trained_length": 4096, "truncate": False}
SMALL = {"factor": 4, "trained_length": 4096}


def unscaled(rotary_dim, base):
    return float(base) ** (-np.arange(0, rotary_dim, 2) / rotary_dim)


# By hand


def test_four_pairs_with_the_released_ramp():
    """The cut-offs 1.309 and 2.814 become 1 and 3, so that pair 2 stands half-way."""
    scaled = scale_yarn(8, 1e4, **SMALL)

    np.testing.assert_allclose(scaled.inv_freq, [1, 0.1, 0.00625, 0.00025], rtol=1e-14)
    np.testing.assert_allclose(scaled.attention_factor, 1.138629, rtol=0, atol=5e-7)


def test_four_pairs_with_the_ramp_of_the_paper():
    """Pair 2 makes 6.519 turns, and keeps (6.519 - 1) / 31 of itself."""
    scaled = scale_yarn(8, 1e4, **SMALL, ramp="rotations")

    np.testing.assert_allclose(scaled.inv_freq, [1, 0.1, 0.003835, 0.00025], rtol=0, atol=5e-7)
    np.testing.assert_allclose(scaled.attention_factor, 1.138629, rtol=0, atol=5e-7)


def test_the_two_ramps_keep_different_shares_of_pair_32_of_64():
    def share(ramp):
        return scale_yarn(128, 1e4, **SMALL, ramp=ramp).inv_freq[32] * 100

    np.testing.assert_allclose(share("index"), 0.653846, rtol=0, atol=5e-7)
    np.testing.assert_allclose(share("rotations"), 0.383524, rtol=0, atol=5e-7)


def test_the_two_ramps_differ_by_a_factor_of_up_to_1_7():
    """As the docstring says: 1.73, at pair 34."""
    ratio = (
        scale_yarn(128, 1e4, **SMALL).inv_freq
        / scale_yarn(128, 1e4, **SMALL, ramp="rotations").inv_freq
    )

    assert ratio.argmax() == 34
    assert f"{ratio.max():.2f}" == "1.73"


def test_both_ramps_keep_21_pairs_of_64_and_divide_18():
    for ramp in ("index", "rotations"):
        kept = scale_yarn(128, 1e4, **SMALL, ramp=ramp).inv_freq / unscaled(128, 1e4)

        assert (kept > 1 - 1e-12).sum() == 21
        assert (kept < 0.25 + 1e-12).sum() == 18


def test_bounds_come_from_the_fast_beta_below_and_the_slow_one_above():
    """PE-14: one code base read them the other way round."""
    bounds = yarn_bounds(64, 150000.0, **GPT_OSS)

    np.testing.assert_allclose(bounds, [8.092779115512402, 17.39802450158856], rtol=1e-14)


def test_bounds_are_rounded_outwards_unless_told_not_to():
    """PE-23 and PE-36: a truncate of false was ignored, or read outside its block."""
    rounded = yarn_bounds(64, 150000.0, **GPT_OSS | {"truncate": True})
    pair_12 = [
        scale_yarn(64, 150000.0, factor=32, **GPT_OSS | {"truncate": truncate}).inv_freq[12]
        for truncate in (False, True)
    ]

    assert rounded == (8.0, 18.0)
    assert [type(bound) for bound in rounded] == [float, float]
    np.testing.assert_allclose(pair_12, [0.006794959489732219, 0.007015713910504388], rtol=1e-13)


def test_the_upper_bound_may_lie_beyond_the_last_pair():
    """PE-24: a bound of at most d / 2 - 1 gives 3.334e-5."""
    options = {"trained_length": 131072, "beta_fast": 32, "beta_slow": 1}
    _, high = yarn_bounds(64, 1e4, **options, truncate=False)
    last = scale_yarn(64, 1e4, factor=4, trained_length=131072).inv_freq[-1]

    np.testing.assert_allclose(high, 34.55464046343652, rtol=1e-14)
    np.testing.assert_allclose(last, 6.411160731554442e-05, rtol=1e-13)


@pytest.mark.parametrize(
    ("base", "trained_length", "beta_fast", "beta_slow", "expected"),
    [
        (1e4, 10**6, 32, 1, (3, 6)),  # 3.70 and 5.20
        (1e4, 100, 32, 1, (0, 2)),  # -0.30 and 1.20: no pair makes 32 turns
        (1e4, 6, 32, 1, (0, 0)),  # -1.5 and -0.02: 6 tokens are just less than one turn
        (100, 10**4, 0.25, 0.125, (7, 7)),  # 7.61 and 8.21 of 8 features
    ],
)
def test_bounds_stay_within_the_features(base, trained_length, beta_fast, beta_slow, expected):
    bounds = yarn_bounds(
        8,
        base,
        trained_length=trained_length,
        beta_fast=beta_fast,
        beta_slow=beta_slow,
        truncate=True,
    )

    assert bounds == expected


def test_bounds_that_meet_make_a_step():
    """Kimi K2 has equal betas; without rounding the two bounds are one number."""
    betas = {"beta_fast": 5, "beta_slow": 5, "truncate": False}
    low, high = yarn_bounds(128, 1e4, trained_length=4096, **betas)

    ratio = unscaled(128, 1e4) / scale_yarn(128, 1e4, factor=8, trained_length=4096, **betas)[0]

    assert low == high
    expected = np.where(np.arange(64) < low, 1, 8)
    np.testing.assert_allclose(ratio, expected, rtol=1e-14)


def test_bounds_that_meet_on_a_pair_keep_it():
    """The step begins at the bound and is 0.001 wide, so the pair on it is not slowed."""
    betas = {"beta_fast": 32, "beta_slow": 1}
    assert yarn_bounds(8, 1e4, trained_length=6, **betas, truncate=True) == (0, 0)

    scaled = scale_yarn(8, 1e4, factor=4, trained_length=6, **betas)

    np.testing.assert_allclose(scaled.inv_freq, [1, 0.1 / 4, 0.01 / 4, 0.001 / 4], rtol=1e-14)


def test_mscale_by_hand():
    assert yarn_mscale(1) == 1
    assert yarn_mscale(0.5) == 1
    np.testing.assert_allclose(yarn_mscale(math.e**2), 1.2, rtol=1e-15)
    np.testing.assert_allclose(yarn_mscale(math.e**0.1), 1.01, rtol=1e-15)
    np.testing.assert_allclose(yarn_mscale(math.e**2, 0.5), 1.1, rtol=1e-15)
    assert yarn_mscale(40, 0) == 1
    np.testing.assert_allclose(1 / yarn_mscale(4) ** 2, 0.771321, rtol=0, atol=5e-7)


def test_mscale_of_deepseek_v3_squared_is_what_its_softmax_is_multiplied_by():
    """PE-21."""
    np.testing.assert_allclose(yarn_mscale(40.0, 1.0) ** 2, 1.8738542071, rtol=0, atol=1e-10)


def attention_factor(factor, **options):
    return scale_yarn(64, 1e4, factor=factor, trained_length=4096, **options).attention_factor


def test_a_given_attention_factor_wins():
    """PE-18: it was computed again, 1.4159."""
    assert attention_factor(64.0, attention_factor=1.0) == 1
    assert attention_factor(64.0, attention_factor=1.5, mscale=1.0, mscale_all_dim=0.5) == 1.5


def test_the_attention_factor_is_the_last_word_and_no_mscale():
    """PE-19: engines that took it for an mscale applied it twice."""
    factors = [attention_factor(factor) for factor in (128.0, 64.0, 32.0)]

    expected = [1.4852030263919618, 1.4158883083359672, 1.3465735902799727]
    np.testing.assert_allclose(factors, expected, rtol=1e-15)
    assert attention_factor(128.0, attention_factor=factors[0]) == factors[0]


def test_another_tools_multiplier_of_the_attention_factor():
    """PE-20: its attn_factor multiplies 0.1 ln 4 + 1, here down to 1."""
    np.testing.assert_allclose(0.8782488562869419 * attention_factor(4.0), 1, rtol=1e-15)
    np.testing.assert_allclose(attention_factor(4.0), 1.1386294361, rtol=0, atol=1e-10)


def test_two_equal_mscales_cancel():
    """PE-21: 1, not 1.277."""
    assert attention_factor(16.0, mscale=1.0, mscale_all_dim=1.0) == 1
    np.testing.assert_allclose(attention_factor(16.0), 1.2772588722, rtol=0, atol=1e-10)


def test_two_mscales_give_a_ratio():
    """ln of e ** 2 is 2: (1 + 0.2) / (1 + 0.1)."""
    ratio = attention_factor(math.e**2, mscale=1, mscale_all_dim=0.5)

    np.testing.assert_allclose(ratio, 1.2 / 1.1, rtol=1e-15)


@pytest.mark.parametrize(
    "scales",
    [
        {"mscale": 0.5},
        {"mscale_all_dim": 0.5},
        {"mscale": 0.5, "mscale_all_dim": 0},
        {"mscale": 0, "mscale_all_dim": 0.5},
        {"mscale": None, "mscale_all_dim": None},
    ],
)
def test_one_mscale_alone_changes_nothing(scales):
    assert attention_factor(16.0, **scales) == yarn_mscale(16.0)


def test_a_given_factor_is_not_the_ratio_of_the_lengths():
    """PE-22: 40960 tokens over 32768 would make it 1.25 and the attention factor 1.022."""
    scaled = scale_yarn(128, 1e6, factor=4.0, trained_length=32768)

    np.testing.assert_allclose(scaled.attention_factor, 1.1386294361, rtol=0, atol=1e-10)
    np.testing.assert_allclose(unscaled(128, 1e6)[-1] / scaled.inv_freq[-1], 4, rtol=1e-13)


def test_slow_pairs_are_divided_by_the_factor_itself():
    """PE-13: the factor does not belong inside the power."""
    scaled = scale_yarn(8, 1e4, factor=4.0, trained_length=7, beta_fast=32, beta_slow=1.12)

    linear = scale_linear(unscaled(8, 1e4), factor=4.0)
    np.testing.assert_allclose(scaled.inv_freq[1:], linear.inv_freq[1:], rtol=1e-14)


def test_a_factor_of_one_changes_nothing():
    scaled = scale_yarn(8, 1e4, factor=1, trained_length=4096)

    np.testing.assert_allclose(scaled.inv_freq, unscaled(8, 1e4), rtol=1e-15)
    assert scaled.attention_factor == 1


# By property

widths = st.sampled_from([2, 6, 10, 64, 128])
bases = st.sampled_from([100.0, 10000.0, 5e5])
factors = st.floats(1, 100)
lengths = st.integers(64, 200_000)
betas = st.tuples(st.floats(0.5, 8), st.floats(1, 16)).map(
    lambda pair: {"beta_slow": pair[0], "beta_fast": pair[0] * pair[1]}
)
ramps = st.sampled_from(
    [
        {"ramp": "index", "truncate": True},
        {"ramp": "index", "truncate": False},
        {"ramp": "rotations"},
    ]
)


@BOUNDED
@given(widths, bases, factors, lengths, betas, ramps)
def test_fast_pairs_are_kept_slow_ones_divided_and_the_rest_lie_between(
    width, base, factor, trained, beta, ramp
):
    before = unscaled(width, base)
    turns = trained * before / (2 * np.pi)
    if ramp["ramp"] == "index":
        assume(turns[0] > beta["beta_slow"])
        assume(beta["beta_fast"] > trained / (2 * np.pi * base ** (2 - 2 / width)))

    scaled = scale_yarn(width, base, factor=factor, trained_length=trained, **beta, **ramp)

    ratio = scaled.inv_freq / before
    assert scaled.inv_freq.dtype == np.float64
    assert scaled.inv_freq.shape == (width // 2,)
    np.testing.assert_allclose(ratio[turns > beta["beta_fast"] * (1 + 1e-9)], 1, rtol=1e-13)
    assert (ratio <= 1 + 1e-13).all()
    assert (ratio >= 1 / factor * (1 - 1e-13)).all()
    assert (np.diff(ratio) <= 1e-13).all()
    if ramp["ramp"] == "rotations":
        slow = turns < beta["beta_slow"] * (1 - 1e-9)
        np.testing.assert_allclose(ratio[slow], 1 / factor, rtol=1e-13)


@BOUNDED
@given(widths, bases, lengths, betas)
def test_rounding_widens_the_ramp_by_less_than_a_pair_at_each_end(width, base, trained, beta):
    assume(trained > 2 * np.pi * beta["beta_slow"])
    assume(beta["beta_fast"] > trained / (2 * np.pi * base ** (2 - 2 / width)))
    sizes = {"trained_length": trained, **beta}

    low, high = yarn_bounds(width, base, **sizes, truncate=False)
    wide_low, wide_high = yarn_bounds(width, base, **sizes, truncate=True)

    assert 0 <= wide_low <= low <= high <= wide_high <= width - 1
    assert low - wide_low < 1
    assert wide_high - high < 1
    assert wide_low.is_integer()
    assert wide_high.is_integer()


@BOUNDED
@given(widths, factors, factors)
def test_the_attention_factor_does_not_depend_on_the_frequencies(width, factor, beta):
    scaled = scale_yarn(
        width, 1e4, factor=factor, trained_length=4096, beta_slow=beta, beta_fast=beta + 1
    )

    assert isinstance(scaled.attention_factor, float)
    assert scaled.attention_factor == yarn_mscale(factor)


def test_defaults_are_those_of_released_code():
    plain = scale_yarn(128, 1e4, **SMALL)
    spelt_out = scale_yarn(
        128, 1e4, **SMALL, beta_fast=32, beta_slow=1, truncate=True, ramp="index"
    )

    np.testing.assert_array_equal(plain.inv_freq, spelt_out.inv_freq)
    assert yarn_mscale(7) == yarn_mscale(7, 1)


@pytest.mark.parametrize(
    "changed", [{"beta_fast": 31}, {"beta_slow": 1.1}, {"truncate": True}, {"ramp": "rotations"}]
)
def test_each_option_counts(changed):
    plain = scale_yarn(128, 1e4, **SMALL, truncate=False).inv_freq

    other = scale_yarn(128, 1e4, **SMALL | {"truncate": False} | changed).inv_freq

    assert not np.allclose(other, plain, rtol=1e-3, atol=0)


# By a second route


@BOUNDED
@given(widths, bases, factors, lengths, betas, st.booleans())
def test_the_released_ramp_one_pair_at_a_time(width, base, factor, trained, beta, truncate):
    assume(trained > 2 * np.pi * beta["beta_slow"])
    assume(beta["beta_fast"] > trained / (2 * np.pi * base ** (2 - 2 / width)))

    def index(turns):
        """Solved from turns = trained / (2 pi) * base ** (-2 index / width)."""
        return width / 2 * (math.log(trained) - math.log(2 * math.pi * turns)) / math.log(base)

    low, high = index(beta["beta_fast"]), index(beta["beta_slow"])
    if truncate:
        low, high = np.floor(low), np.ceil(high)
    low, high = np.clip([low, high], 0, width - 1)
    assume(high - low > 0.1)
    expected = []
    for i in range(width // 2):
        share = 0 if i < low else 1 if i > high else (i - low) / (high - low)
        frequency = base ** (-2 * i / width)
        expected.append(share * frequency / factor + (1 - share) * frequency)

    scaled = scale_yarn(
        width, base, factor=factor, trained_length=trained, **beta, truncate=truncate
    )

    # Rounding of an index of up to 100 is divided by the ramp and grows with the factor.
    np.testing.assert_allclose(scaled.inv_freq, expected, rtol=1e-10)


@BOUNDED
@given(widths, bases, factors, lengths, betas)
def test_the_ramp_of_the_paper_one_pair_at_a_time(width, base, factor, trained, beta):
    slow, fast = beta["beta_slow"], beta["beta_fast"]
    assume(fast - slow > 0.1)
    expected = []
    for i in range(width // 2):
        frequency = base ** (-2 * i / width)
        turns = trained / (2 * math.pi / frequency)  # trained length over wavelength
        kept = 0 if turns < slow else 1 if turns > fast else (turns - slow) / (fast - slow)
        expected.append((1 - kept) * frequency / factor + kept * frequency)

    scaled = scale_yarn(
        width, base, factor=factor, trained_length=trained, **beta, ramp="rotations"
    )

    # Rounding of up to 30000 turns is divided by the ramp and grows with the factor.
    np.testing.assert_allclose(scaled.inv_freq, expected, rtol=1e-8)


# Against real models

CASES = [case for case in load("scaling") if "scale_yarn" in case.functions]
BUILT = holding(CASES, "inv_freq")
# float32 arithmetic of the recorded classes: 3.2e-7 is the largest difference found.
RTOL = 4e-7


@pytest.mark.parametrize("case", BUILT, ids=lambda case: case.name)
def test_frequencies_and_attention_factor_are_those_of_the_model(case):
    scaled = called(case)

    np.testing.assert_allclose(scaled.inv_freq, case.outputs["inv_freq"], rtol=RTOL)
    np.testing.assert_allclose(
        scaled.attention_factor, case.outputs["attention_factor"], rtol=1e-15
    )


def has_a_ramp(case):
    """Equal betas make a step, which is the same in pair index and in turns."""
    call = case.inputs["call"]
    return call.get("beta_fast", 32) > call.get("beta_slow", 1)


@pytest.mark.parametrize("case", [*filter(has_a_ramp, BUILT)], ids=lambda case: case.name)
def test_the_ramp_of_the_paper_and_other_rounding_miss_the_model(case):
    truncate = case.inputs["call"].get("truncate", True)

    for changed in ({"ramp": "rotations"}, {"truncate": not truncate}):
        other = called(case, **changed).inv_freq
        assert not np.allclose(other, case.outputs["inv_freq"], rtol=1e-3, atol=0)


def test_the_published_figures_of_the_librarys_own_tests():
    """transformers, tests/utils/test_modeling_rope_utils.py: width 128, base 1e4, 2048 tokens."""
    inv_freq = scale_yarn(128, 1e4, factor=10, trained_length=2048).inv_freq

    expected = [0.1, 0.083479, 4.3007e-4, 2.7384e-4, 1.1548e-5]
    np.testing.assert_allclose(inv_freq[[16, 17, 40, 41, 63]], expected, rtol=5e-5)


@pytest.mark.parametrize("case", holding(load("scaling"), "scale"), ids=lambda case: case.name)
def test_the_softmax_scale_is_that_of_the_layer(case):
    weight = case.inputs["mscale_all_dim"]

    scale = case.inputs["head_dim"] ** -0.5 * yarn_mscale(case.inputs["factor"], weight) ** 2

    np.testing.assert_allclose(scale, case.outputs["scale"], rtol=1e-15)
    if weight:
        assert abs(case.inputs["head_dim"] ** -0.5 / case.outputs["scale"] - 1) > 0.3


def test_softmax_scales_of_deepseek():
    """Published widths, 128 + 64 features: 192 ** -0.5 times 1.3689 squared, and V2 with 0.707."""
    scales = [192**-0.5 * yarn_mscale(40, weight) ** 2 for weight in (1.0, 0.707)]

    np.testing.assert_allclose(scales, [0.135234, 0.114721], rtol=0, atol=5e-7)


def deepseek_weights(case, scaled, mscale):
    q, k, n_still = case.inputs["q"], case.inputs["k"], case.inputs["n_still"]
    rotation = rotary_cos_sin(
        np.arange(10), scaled.inv_freq, attention_factor=scaled.attention_factor
    )

    def turned(x):  # the recorded order of features is that of halves
        return np.concatenate(
            [x[..., :n_still], apply_rotary(x[..., n_still:], rotation, layout="half")], axis=-1
        )

    scale = q.shape[-1] ** -0.5 * mscale**2
    return attention_weights(turned(q), turned(k), mask=causal_mask(10, 10), scale=scale)


[DEEPSEEK] = [case for case in CASES if "yarn_mscale" in case.functions]


def test_weights_are_those_of_a_layer_of_deepseek_v3():
    """cos and sin are float32: angles of 9 rad are off by 5e-7, and scores are of size 10."""
    call = DEEPSEEK.inputs["call"]

    weights = deepseek_weights(
        DEEPSEEK, called(DEEPSEEK), yarn_mscale(call["factor"], call["mscale_all_dim"])
    )

    np.testing.assert_allclose(weights, DEEPSEEK.outputs["weights"], rtol=0, atol=1e-6)


def test_other_places_of_the_mscale_miss_the_layer_of_deepseek_v3():
    mscale = yarn_mscale(40)
    scaled = called(DEEPSEEK)
    others = [
        deepseek_weights(DEEPSEEK, scaled, 1),
        deepseek_weights(DEEPSEEK, scaled._replace(attention_factor=mscale), 1),
        deepseek_weights(DEEPSEEK, scaled._replace(attention_factor=mscale), mscale),
        deepseek_weights(DEEPSEEK, scaled._replace(inv_freq=rotary_inv_freq(8)), mscale),
    ]

    for other in others:
        assert np.abs(other - DEEPSEEK.outputs["weights"]).max() > 0.02


[MINISTRAL] = [case for case in CASES if "query_temperature" in case.functions]


def ministral_output(case, scaled, **temperature):
    """One layer of grouped-query attention: 2 query heads of 8 features share a key head."""
    x = case.inputs["x"]
    n = len(x)
    rotation = rotary_cos_sin(
        np.arange(n), scaled.inv_freq, attention_factor=scaled.attention_factor
    )

    def heads(weight):
        return (x @ case.inputs[weight].T).reshape(n, -1, 8).transpose(1, 0, 2)

    q = apply_rotary(heads("w_q"), rotation, layout="half")
    k = apply_rotary(heads("w_k"), rotation, layout="half")
    q = q * query_temperature(np.arange(n), **case.inputs["temperature"] | temperature)[:, None]
    weights = attention_weights(q, k, mask=causal_mask(n, n))
    mixed = (weights @ heads("w_v")).transpose(1, 0, 2).reshape(n, -1)
    return weights, mixed @ case.inputs["w_o"].T


def test_a_layer_of_ministral_3_end_to_end():
    """cos and sin are float32: angles of 11 rad are off by 5e-7, and scores are of size 10."""
    weights, out = ministral_output(MINISTRAL, called(MINISTRAL))

    np.testing.assert_allclose(weights, MINISTRAL.outputs["weights"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(out, MINISTRAL.outputs["out"], rtol=0, atol=5e-6)


@pytest.mark.parametrize(
    ("changed", "temperature"),
    [
        ({"ramp": "rotations"}, {}),
        ({"truncate": False}, {}),
        ({"attention_factor": 1.0}, {}),
        ({}, {"count_from": 1}),
        ({}, {"beta": 0}),
    ],
)
def test_other_rules_miss_the_layer_of_ministral_3(changed, temperature):
    weights, _ = ministral_output(MINISTRAL, called(MINISTRAL, **changed), **temperature)

    assert np.abs(weights - MINISTRAL.outputs["weights"]).max() > 2e-3


# On bad input


def number(name, below, rule, value=-1.0):
    return [
        ({name: value}, ValueError, f"{name} must be {rule}, got {value}"),
        ({name: math.nan}, ValueError, f"{name} must be finite, got nan"),
        ({name: math.inf}, ValueError, f"{name} must be finite, got inf"),
        ({name: "1"}, TypeError, f"{name} must be a number (int or float), got '1' (str)"),
        ({name: True}, TypeError, f"{name} must be a number (int or float), got True (bool)"),
        ({name: [1]}, TypeError, f"{name} must be a number (int or float), got [1] (list)"),
        *([({name: below}, ValueError, f"{name} must be {rule}, got {below}")]),
    ]


NOT_NONE = "must be a number (int or float), got None (NoneType)"
SIZES = [
    (
        {"rotary_dim": 7},
        ValueError,
        "rotary_dim must be even and at least 2 (features go in pairs), got 7",
    ),
    ({"rotary_dim": 0}, ValueError, "rotary_dim must be even and at least 2"),
    ({"rotary_dim": -8}, ValueError, "rotary_dim must be even and at least 2"),
    ({"rotary_dim": 8.0}, TypeError, "rotary_dim must be a whole number (int), got 8.0 (float)"),
    ({"rotary_dim": True}, TypeError, "rotary_dim must be a whole number (int), got True (bool)"),
    ({"rotary_dim": 2**60}, ValueError, "rotary_dim must be below 2**58 entries, got rotary_dim 1"),
    *number("base", 0.5, "at least 1"),
    ({"base": 1}, ValueError, "base must be above 1 (its logarithm divides), got 1"),
    ({"base": None}, TypeError, f"base {NOT_NONE}"),
    ({"trained_length": 0}, ValueError, "trained_length must be at least 1, got 0"),
    (
        {"trained_length": 2**53 + 1},
        ValueError,
        "trained_length must be at most 9007199254740992, got 9007199254740993",
    ),
    ({"trained_length": 2**2000}, ValueError, "trained_length must be at most 9007199254740992"),
    ({"trained_length": 4e3}, TypeError, "trained_length must be a whole number (int), got 4000.0"),
    ({"trained_length": None}, TypeError, "trained_length must be a whole number (int), got None"),
    *number("beta_fast", 0, "above 0"),
    *number("beta_slow", 0, "above 0"),
    ({"beta_fast": None}, TypeError, f"beta_fast {NOT_NONE}"),
    ({"beta_slow": None}, TypeError, f"beta_slow {NOT_NONE}"),
    (
        {"beta_fast": 1, "beta_slow": 32.0},
        ValueError,
        "beta_fast must be at least beta_slow, 32.0, got 1",
    ),
    ({"truncate": 0}, TypeError, "truncate must be True or False, got 0 (int)"),
    ({"truncate": None}, TypeError, "truncate must be True or False, got None (NoneType)"),
    (
        {"trained_length": 1},
        ValueError,
        "trained_length must let some pair make about beta_fast to beta_slow turns, got 1: "
        "the ramp would run from 0 down to -1",
    ),
    (
        {"trained_length": 2**53},
        ValueError,
        "trained_length must let some pair make about beta_fast to beta_slow turns, "
        "got 9007199254740992: the ramp would run from 27 down to 7",
    ),
]
MSCALE = number("mscale", -1e-300, "in 0..1e+300")


@pytest.mark.parametrize(("changed", "error", "message"), SIZES)
def test_a_bad_argument_of_the_bounds_is_named(changed, error, message):
    good = {"rotary_dim": 8, "base": 100.0, "trained_length": 4096, "truncate": True}
    betas = {"beta_fast": 32, "beta_slow": 1}
    with pytest.raises(error, match="^" + re.escape(message)):
        yarn_bounds(**good | betas | changed)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *SIZES,
        ({"factor": 0.25}, ValueError, "factor must be at least 1 (it slows pairs down), got 0.25"),
        ({"factor": 0}, ValueError, "factor must be at least 1 (it slows pairs down), got 0"),
        ({"factor": math.nan}, ValueError, "factor must be finite, got nan"),
        ({"factor": None}, TypeError, f"factor {NOT_NONE}"),
        ({"factor": "4"}, TypeError, "factor must be a number (int or float), got '4' (str)"),
        ({"ramp": "paper"}, ValueError, "ramp must be one of 'index', 'rotations', got 'paper'"),
        ({"ramp": None}, TypeError, "ramp must be one of 'index', 'rotations', got None"),
        *number("attention_factor", 0, "above 0"),
        *MSCALE,
        *number("mscale_all_dim", -1e-300, "in 0..1e+300"),
        ({"attention_factor": 1, "mscale": -1}, ValueError, "mscale must be in 0..1e+300, got -1"),
    ],
)
def test_a_bad_argument_of_the_scaling_is_named(changed, error, message):
    good = {"rotary_dim": 8, "base": 100.0, "factor": 4, "trained_length": 4096}
    with pytest.raises(error, match="^" + re.escape(message)):
        scale_yarn(**good | changed)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [*number("factor", 0, "above 0"), ({"factor": None}, TypeError, f"factor {NOT_NONE}"), *MSCALE],
)
def test_a_bad_argument_of_the_mscale_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        yarn_mscale(**{"factor": 4} | changed)


def test_the_paper_s_ramp_needs_no_bounds():
    """All pairs on one side of the ramp: all divided, or all kept."""
    slow = scale_yarn(8, 1e4, factor=4, trained_length=4, ramp="rotations").inv_freq
    fast = scale_yarn(8, 100.0, factor=4, trained_length=2**53, ramp="rotations").inv_freq

    np.testing.assert_allclose(slow, unscaled(8, 1e4) / 4, rtol=1e-14)
    np.testing.assert_allclose(fast, unscaled(8, 100.0), rtol=1e-14)


def test_the_limits_themselves_are_allowed():
    equal = {"beta_fast": 0.5, "beta_slow": 0.5}
    smallest = scale_yarn(2, 1.5, factor=1, trained_length=4, **equal, mscale=0, mscale_all_dim=0)

    np.testing.assert_allclose(smallest.inv_freq, [1])
    assert scale_yarn(2, 1e4, factor=1, trained_length=1, ramp="rotations").inv_freq == [1]
    assert yarn_bounds(2, 1e308, trained_length=2**53, **equal, truncate=True) == (0, 1)


def test_an_mscale_so_large_that_it_would_overflow_is_refused():
    for name in ("mscale", "mscale_all_dim"):
        with pytest.raises(ValueError, match=rf"^{name} must be in 0\.\.1e\+300, got 1e\+308"):
            scale_yarn(8, 1e4, factor=1e308, trained_length=4096, **{name: 1e308})
    assert math.isfinite(yarn_mscale(1e308, 1e300))
