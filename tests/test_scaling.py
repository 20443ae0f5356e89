"""Rotary scaling: by hand, by property, by second routes, against real models, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    apply_rotary,
    rotary_cos_sin,
    rotary_inv_freq,
    scale_dynamic,
    scale_linear,
    scale_llama3,
    scale_ntk,
    scale_proportional,
)
from tests.calls import called, holding
from tests.recorded import load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

widths = st.sampled_from([4, 6, 10, 64, 128])
bases = st.sampled_from([1.5, 100.0, 10000.0, 5e5])
factors = st.floats(1, 100)
lengths = st.integers(1, 10**6)

LLAMA3 = {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "trained_length": 1024}


def unscaled(rotary_dim, base):
    return float(base) ** (-np.arange(0, rotary_dim, 2) / rotary_dim)


def implied_base(inv_freq):
    """The base that a list of frequencies is the powers of."""
    return inv_freq[1] ** -len(inv_freq)


def dynamic_base(rotary_dim, base, **options):
    return implied_base(scale_dynamic(rotary_dim, base, **options).inv_freq)


# By hand


def test_linear_divides_every_frequency():
    scaled = scale_linear(unscaled(8, 1e4), factor=4)

    np.testing.assert_allclose(scaled.inv_freq, [0.25, 0.025, 0.0025, 0.00025], rtol=1e-15)


def test_linear_reads_position_8_as_position_2_under_factor_4():
    """PE-28: multiplied, the angles would be 32 and 0.32."""
    scaled = scale_linear(unscaled(4, 1e4), factor=4.0)

    np.testing.assert_allclose(8 * scaled.inv_freq, [2.0, 0.02], rtol=1e-15)


def test_linear_as_the_global_layers_of_gemma_3_have_it():
    """PE-46: they start at 1/8, the local ones, which are not scaled, at 1."""
    assert scale_linear(unscaled(256, 1e6), factor=8.0).inv_freq[0] == 0.125


def test_linear_divides_where_the_interpolation_of_yarn_does():
    """PE-13: a factor inside the power would give 1, 0.0707, 0.005, 0.00035."""
    scaled = scale_linear(unscaled(8, 1e4), factor=4.0)

    np.testing.assert_allclose(scaled.inv_freq, 1 / (4 * 1e4 ** (np.arange(4) / 4)), rtol=1e-15)


def test_ntk_with_four_pairs():
    """The base becomes 1e4 * 4 ** (8/6); pair i is divided by 4 ** (i/3)."""
    scaled = scale_ntk(8, 1e4, factor=4)

    np.testing.assert_allclose(implied_base(scaled.inv_freq), 63496.042, rtol=1e-8)
    expected = [1, 0.062996, 0.003969, 0.00025]
    np.testing.assert_allclose(scaled.inv_freq, expected, rtol=0, atol=5e-7)


def test_dynamic_stays_at_the_base_up_to_the_trained_length_and_grows_beyond():
    def base(seq_len):
        return dynamic_base(8, 1e4, factor=2, trained_length=32, seq_len=seq_len)

    expected = {16: 1e4, 32: 1e4, 33: 10841.896, 64: 43267.487, 128: 133905.183}

    np.testing.assert_allclose([base(n) for n in expected], [*expected.values()], rtol=1e-7)


def test_the_base_of_dynamic_ntk_follows_the_length():
    """PE-26: an engine kept 135402 for all lengths."""

    def base(seq_len):
        return dynamic_base(128, 1e4, factor=4.0, trained_length=2048, seq_len=seq_len)

    bases = [base(seq_len) for seq_len in (512, 2048, 4096, 8192)]

    np.testing.assert_allclose(bases, [1e4, 1e4, 51293.787268, 135401.973042], rtol=1e-11)


def test_dynamic_ntk_is_not_defined_by_a_negative_stretch():
    """PE-27: without a floor, 512 of 2048 tokens give a stretch of -0.5."""
    short = scale_dynamic(64, 1000.0, factor=2.0, trained_length=2048, seq_len=512)

    np.testing.assert_allclose(short.inv_freq[1], 0.8058421877614819, rtol=1e-15)
    np.testing.assert_array_equal(short.inv_freq, rotary_inv_freq(64, 1000.0))


def test_a_long_text_leaves_no_trace_on_a_short_one():
    """PE-53: a cached base stayed at 30528."""

    def base(seq_len):
        return dynamic_base(128, 1e4, factor=2.0, trained_length=2048, seq_len=seq_len)

    bases = [base(seq_len) for seq_len in (100, 4096, 100)]

    np.testing.assert_allclose(bases, [1e4, 30527.736749, 1e4], rtol=1e-11)
    assert bases[0] == bases[2]


def test_keys_of_one_length_do_not_fit_queries_of_another():
    """PE-54: at one distance, scores differ unless both sides have one base."""
    q = np.array([0.1257302211, -0.1321048633, 0.6404226504, 0.1049001172])
    q = np.append(q, [-0.5356693732, 0.3615950549, 1.3040000451, 0.9470809631])
    k = np.array([-0.7037352358, -1.265421471, -0.6232744625, 0.0413259793])
    k = np.append(k, [-2.3250307746, -0.2187916639, -1.2459109473, -0.7322673547])
    long = scale_dynamic(8, 1e4, factor=2, trained_length=32, seq_len=64).inv_freq
    short = scale_dynamic(8, 1e4, factor=2, trained_length=32, seq_len=32).inv_freq

    def score(query_position, key_position, key_frequencies):
        turned = rotary_cos_sin([query_position], long)
        key_turned = rotary_cos_sin([key_position], key_frequencies)
        query = apply_rotary(q[None], turned, layout="half")
        return (query @ apply_rotary(k[None], key_turned, layout="half").T).item()

    one_base = [score(4000, 3990, long), score(4095, 4085, long)]
    two_bases = [score(4000, 3990, short), score(4095, 4085, short)]

    np.testing.assert_allclose(one_base, [-2.938365814, -2.938365814], rtol=0, atol=1e-8)
    np.testing.assert_allclose(two_bases, [0.1149813656, 1.9005152692], rtol=0, atol=1e-8)


def test_llama3_keeps_divides_and_joins():
    """Pair 2 makes 1024/628.3 = 1.63 turns, so 0.2099 of it is kept."""
    scaled = scale_llama3(unscaled(8, 1e4), **LLAMA3)

    np.testing.assert_allclose(scaled.inv_freq, [1, 0.1, 0.003087, 0.000125], rtol=0, atol=5e-7)


def test_llama3_joins_in_turns_and_not_in_wavelength():
    """PE-15: a draft, linear in wavelength, left 0.161 of pair 31."""
    scaled = scale_llama3(unscaled(128, 5e5), **LLAMA3 | {"trained_length": 8192})

    ratio = scaled.inv_freq[31] / unscaled(128, 5e5)[31]
    np.testing.assert_allclose(scaled.inv_freq[31], 0.0008567514129196321, rtol=1e-13)
    np.testing.assert_allclose(ratio, 0.4935071227, rtol=0, atol=1e-10)


def test_llama3_of_llama_3_2_1b_pair_by_pair():
    """PE-16: a block that is read but never used leaves all ratios at 1."""
    scaled = scale_llama3(unscaled(64, 5e5), **LLAMA3 | {"factor": 32, "trained_length": 8192})

    ratios = scaled.inv_freq / unscaled(64, 5e5)
    np.testing.assert_allclose(ratios[:15], 1, rtol=1e-15)
    np.testing.assert_allclose(ratios[15:18], [0.6055727545, 0.3037425238, 0.103447609], atol=1e-10)
    np.testing.assert_allclose(ratios[18:], 1 / 32, rtol=1e-15)


def test_llama3_of_llama_3_1_8b_interpolates_pairs_29_to_34():
    """PE-30."""
    scaled = scale_llama3(unscaled(128, 5e5), **LLAMA3 | {"trained_length": 8192})

    ratios = scaled.inv_freq / unscaled(128, 5e5)
    between = np.flatnonzero((ratios < 1 - 1e-12) & (ratios > 1 / 8 + 1e-12))
    np.testing.assert_array_equal(between, np.arange(29, 35))


def test_llama3_without_a_ramp_is_a_step():
    turns = np.array([2.0, 1.01, 1.0, 0.99, 0.0])
    step = LLAMA3 | {"factor": 16, "high_freq_factor": 1, "trained_length": 1}

    scaled = scale_llama3(2 * np.pi * turns, **step)

    expected = [2, 1.01, 1, 0.99 / 16, 0]
    np.testing.assert_allclose(scaled.inv_freq / (2 * np.pi), expected, rtol=1e-15)


def test_llama3_at_its_two_ends_is_exact():
    turns = 2 * np.pi * np.array([4.0, 1.0])

    scaled = scale_llama3(turns, **LLAMA3 | {"factor": 3, "trained_length": 1})

    np.testing.assert_array_equal(scaled.inv_freq, turns / [1, 3])


def test_proportional_keeps_the_exponents_of_the_whole_head():
    """Of 6 rotated features alone, the third frequency would be 0.002154."""
    scaled = scale_proportional(8, 1e4, rotated_fraction=0.75)

    np.testing.assert_allclose(scaled.inv_freq, [1, 0.1, 0.01, 0], rtol=1e-15)


@pytest.mark.parametrize(
    ("head_dim", "fraction", "rotated"),
    [(8, 1, 4), (8, 0.99, 3), (8, 0.25, 1), (8, 0.24, 0), (8, 0, 0), (10, 0.5, 2), (2, 1, 1)],
)
def test_proportional_leaves_out_a_part_of_a_pair(head_dim, fraction, rotated):
    scaled = scale_proportional(head_dim, 1e4, rotated_fraction=fraction)

    assert np.count_nonzero(scaled.inv_freq) == rotated
    assert (scaled.inv_freq[:rotated] > 0).all()
    assert len(scaled.inv_freq) == head_dim // 2


def test_proportional_divides_what_rotates():
    plain = scale_proportional(8, 1e4, rotated_fraction=0.75)
    slowed = scale_proportional(8, 1e4, rotated_fraction=0.75, factor=4)

    np.testing.assert_allclose(slowed.inv_freq, plain.inv_freq / 4, rtol=1e-15)


def test_no_frequencies_scale_to_none():
    assert scale_linear([], factor=2).inv_freq.shape == (0,)
    assert scale_llama3([], **LLAMA3).inv_freq.shape == (0,)


# By property


RULES = {
    "linear": lambda d, base, s: scale_linear(rotary_inv_freq(d, base), factor=s),
    "ntk": lambda d, base, s: scale_ntk(d, base, factor=s),
    "dynamic": lambda d, base, s: scale_dynamic(d, base, factor=s, trained_length=10, seq_len=20),
    "llama3": lambda d, base, s: scale_llama3(rotary_inv_freq(d, base), **LLAMA3 | {"factor": s}),
    "proportional": lambda d, base, s: scale_proportional(d, base, rotated_fraction=1, factor=s),
}
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@every_rule
@BOUNDED
@given(widths, bases, factors)
def test_no_pair_gets_faster_and_none_slower_than_by_the_whole_factor(rule, width, base, factor):
    before = rotary_inv_freq(width, base)
    whole = 1 + factor if rule is RULES["dynamic"] else factor

    scaled = rule(width, base, factor)

    assert scaled.attention_factor == 1
    assert isinstance(scaled.attention_factor, float)
    assert scaled.inv_freq.dtype == np.float64
    assert scaled.inv_freq.shape == (width // 2,)
    assert (scaled.inv_freq <= before * (1 + 1e-14)).all()
    assert (scaled.inv_freq >= before / whole * (1 - 1e-14)).all()
    assert (np.diff(scaled.inv_freq) <= 0).all()


@pytest.mark.parametrize("rule", [RULES[name] for name in RULES if name != "dynamic"])
@BOUNDED
@given(widths, bases)
def test_factor_one_changes_nothing(rule, width, base):
    scaled = rule(width, base, 1)

    np.testing.assert_allclose(scaled.inv_freq, rotary_inv_freq(width, base), rtol=2e-16)


@BOUNDED
@given(widths, bases, factors)
def test_ntk_keeps_the_fastest_pair_and_slows_the_slowest_by_the_factor(width, base, factor):
    before, after = rotary_inv_freq(width, base), scale_ntk(width, base, factor=factor).inv_freq

    assert after[0] == 1
    np.testing.assert_allclose(before[-1] / after[-1], factor, rtol=1e-14)


@BOUNDED
@given(widths, bases, factors, lengths, lengths)
def test_dynamic_depends_on_the_ratio_of_lengths_alone(width, base, factor, trained, length):
    def scaled(times):
        return scale_dynamic(
            width, base, factor=factor, trained_length=times * trained, seq_len=times * length
        )

    np.testing.assert_allclose(scaled(7).inv_freq, scaled(1).inv_freq, rtol=1e-12)


@BOUNDED
@given(widths, bases, factors, lengths)
def test_dynamic_starts_one_token_past_the_trained_length(width, base, factor, trained):
    def scaled(seq_len):
        return scale_dynamic(
            width, base, factor=factor, trained_length=trained, seq_len=seq_len
        ).inv_freq

    before = rotary_inv_freq(width, base)

    np.testing.assert_array_equal(scaled(trained), before)
    np.testing.assert_array_equal(scaled(0), before)
    assert (scaled(trained + 1)[1:] < before[1:]).all()


@pytest.mark.parametrize(
    "scale",
    [lambda w: scale_linear(w, factor=1), lambda w: scale_llama3(w, **LLAMA3)],
    ids=["linear", "llama3"],
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_given_frequencies_are_neither_changed_nor_handed_back(scale, dtype):
    given_ones = np.array([1, 0.5, 0.25], dtype)
    kept = given_ones.copy()

    scaled = scale(given_ones)
    scaled.inv_freq[:] = 7

    assert scaled.inv_freq.dtype == np.float64
    np.testing.assert_array_equal(given_ones, kept)


def test_whole_numbers_are_frequencies_too():
    np.testing.assert_array_equal(scale_linear([4, 2, 0], factor=2).inv_freq, [2, 1, 0])


# By a second route


@BOUNDED
@given(widths, bases, factors)
def test_ntk_divides_pair_i_by_a_power_of_the_factor(width, base, factor):
    last = width // 2 - 1
    by_pair = [base ** (-2 * i / width) / factor ** (i / last) for i in range(last + 1)]

    np.testing.assert_allclose(scale_ntk(width, base, factor=factor).inv_freq, by_pair, rtol=1e-13)


@BOUNDED
@given(widths, bases, factors, lengths, lengths)
def test_dynamic_is_ntk_with_the_stretch_as_transformers_writes_it(
    width, base, factor, trained, more
):
    length = trained + more
    stretch = factor * length / trained - (factor - 1)

    dynamic = scale_dynamic(width, base, factor=factor, trained_length=trained, seq_len=length)

    expected = scale_ntk(width, base, factor=max(stretch, 1)).inv_freq
    np.testing.assert_allclose(dynamic.inv_freq, expected, rtol=1e-12)


@BOUNDED
@given(widths, bases, lengths, lengths)
def test_dynamic_of_factor_one_is_the_papers_form(width, base, trained, length):
    """Which takes max(1, length / trained) as the factor of NTK-aware scaling."""
    paper = scale_ntk(width, base, factor=max(1, length / trained))

    ours = scale_dynamic(width, base, factor=1, trained_length=trained, seq_len=length)

    np.testing.assert_allclose(ours.inv_freq, paper.inv_freq, rtol=1e-13)


def test_dynamic_of_another_factor_is_not_the_papers_form():
    paper = scale_ntk(128, 1e4, factor=2)

    ours = scale_dynamic(128, 1e4, factor=2, trained_length=4096, seq_len=8192)

    assert not np.allclose(ours.inv_freq, paper.inv_freq, rtol=0.1)


@BOUNDED
@given(widths, bases, factors, st.floats(0.1, 5), st.sampled_from([0, 0.5, 3, 31]), lengths)
def test_llama3_by_wavelength_one_pair_at_a_time(width, base, factor, low, ramp, trained):
    high = low + ramp

    def slowed(frequency):
        wavelength = 2 * math.pi / frequency
        if wavelength < trained / high:
            return frequency
        if wavelength > trained / low:
            return frequency / factor
        smooth = (trained / wavelength - low) / (high - low)
        return (1 - smooth) * frequency / factor + smooth * frequency

    frequencies = rotary_inv_freq(width, base)
    options = {"factor": factor, "low_freq_factor": low, "high_freq_factor": high}
    scaled = scale_llama3(frequencies, **options, trained_length=trained)

    # Rounding of the number of turns is divided by the ramp, which may be narrow.
    tolerance = 1e-13 * (1 + high / ramp) if ramp > 0 else 1e-13
    expected = [slowed(frequency) for frequency in frequencies]
    np.testing.assert_allclose(scaled.inv_freq, expected, rtol=tolerance)


@BOUNDED
@given(widths, bases, st.floats(0, 1), factors)
def test_proportional_by_its_formula(width, base, fraction, factor):
    n = math.floor(fraction * width / 2)
    expected = [base ** (-2 * i / width) / factor if i < n else 0 for i in range(width // 2)]

    scaled = scale_proportional(width, base, rotated_fraction=fraction, factor=factor)

    np.testing.assert_allclose(scaled.inv_freq, expected, rtol=1e-14)


# Against real models

CASES = load("scaling")
# float32 arithmetic of the recorded classes: 3.2e-7 is the largest difference found.
RTOL = 4e-7
MODULE = ("dynamic", "linear", "llama3", "ntk", "proportional")


def of(*functions, output="inv_freq"):
    cases = [case for case in CASES if set(functions) & set(case.functions)]
    return pytest.mark.parametrize("case", holding(cases, output), ids=lambda case: case.name)


@of("rotary_inv_freq")
def test_unscaled_frequencies_are_those_of_the_model(case):
    wanted = case.inputs.get("pairs", slice(None))

    inv_freq = called(case).inv_freq[wanted]

    assert case.outputs["attention_factor"] == 1
    np.testing.assert_allclose(inv_freq, case.outputs["inv_freq"], rtol=RTOL)


@of(*(f"scale_{rule}" for rule in MODULE))
def test_frequencies_are_those_of_the_model(case):
    scaled = called(case)

    assert scaled.attention_factor == case.outputs["attention_factor"]
    np.testing.assert_allclose(scaled.inv_freq, case.outputs["inv_freq"], rtol=RTOL)


def neighbours(case):
    """What a case would give by a rule that is easily taken for the right one."""
    call = dict(case.inputs["call"])
    factor = call.get("factor", 1.0)
    match call["function"]:
        case "scale_linear":
            yield scale_ntk(*call["inv_freq_of"], factor=factor)
        case "scale_ntk":
            yield scale_linear(rotary_inv_freq(call["rotary_dim"], call["base"]), factor=factor)
        case "scale_dynamic":
            yield called(case, factor=1.0)
            yield called(case, trained_length=call["trained_length"] + 1)
        case "scale_llama3":
            yield scale_linear(rotary_inv_freq(*call["inv_freq_of"]), factor=factor)
            yield called(case, trained_length=2 * call["trained_length"])
        case "scale_proportional":
            partial = rotary_inv_freq(int(call["head_dim"] * call["rotated_fraction"]), 1e6)
            padding = np.zeros(call["head_dim"] // 2 - len(partial))
            yield scale_linear([*partial, *padding], factor=1)


@of(*(f"scale_{rule}" for rule in MODULE))
def test_a_neighbouring_rule_misses_the_model(case):
    others = list(neighbours(case))

    assert others
    for other in others:
        assert not np.allclose(other.inv_freq, case.outputs["inv_freq"], rtol=10 * RTOL, atol=0)


def test_the_published_figures_of_the_librarys_own_tests():
    """transformers, tests/utils/test_modeling_rope_utils.py: width 128, base 1e4, 2048 tokens."""
    dynamic = scale_dynamic(128, 1e4, factor=10, trained_length=2048, seq_len=16384)
    options = LLAMA3 | {"factor": 10, "trained_length": 2048}
    llama3 = scale_llama3(rotary_inv_freq(128), **options)

    np.testing.assert_allclose(dynamic.inv_freq[[1, 63]], [0.80931, 1.6265e-6], rtol=5e-5)
    expected = [0.013335, 0.010730, 3.4539e-4, 2.7384e-4]
    np.testing.assert_allclose(llama3.inv_freq[[30, 31, 40, 41]], expected, rtol=4e-5)


@of("scale_dynamic", output="cos")
def test_cosines_and_sines_of_a_text_are_those_of_the_class(case):
    """Its angles are float32: 47 rad rounded to 24 bits is off by 2e-6, and sums to 4e-6."""
    inv_freq, factor = called(case)
    cos, sin = rotary_cos_sin(
        np.arange(case.inputs["n_positions"]), inv_freq, attention_factor=factor
    )

    np.testing.assert_allclose(cos, case.outputs["cos"], rtol=0, atol=5e-6)
    np.testing.assert_allclose(sin, case.outputs["sin"], rtol=0, atol=5e-6)


@of("scale_dynamic", output="inv_freq_kept")
def test_the_class_remembers_the_longest_text_and_the_function_does_not(case):
    lengths = case.inputs["each"]["seq_len"]
    assert lengths == [20, 47, 40, 32, 31]
    ours = called(case).inv_freq

    of_length = dict(zip(lengths, ours, strict=True))
    remembered = np.stack([of_length[length] for length in (20, 47, 47, 47, 31)])
    np.testing.assert_allclose(remembered, case.outputs["inv_freq_kept"], rtol=RTOL)
    assert not np.allclose(ours, case.outputs["inv_freq_kept"], rtol=1e-3, atol=0)


# On bad input

FACTOR = [
    (
        {"factor": 0.25},
        ValueError,
        "factor must be at least 1 (it slows pairs down), got 0.25",
    ),
    ({"factor": 0}, ValueError, "factor must be at least 1 (it slows pairs down), got 0"),
    ({"factor": -4.0}, ValueError, "factor must be at least 1 (it slows pairs down), got -4.0"),
    ({"factor": math.nextafter(1, 0)}, ValueError, "factor must be at least 1"),
    ({"factor": math.nan}, ValueError, "factor must be finite, got nan"),
    ({"factor": math.inf}, ValueError, "factor must be finite, got inf"),
    ({"factor": "4"}, TypeError, "factor must be a number (int or float), got '4' (str)"),
    ({"factor": None}, TypeError, "factor must be a number (int or float), got None (NoneType)"),
    ({"factor": True}, TypeError, "factor must be a number (int or float), got True (bool)"),
    ({"factor": 2j}, TypeError, "factor must be a number (int or float), got 2j (complex)"),
    ({"factor": [2]}, TypeError, "factor must be a number (int or float), got [2] (list)"),
]
BASE = [
    ({"base": 0.0}, ValueError, "base must be at least 1, got 0.0"),
    ({"base": 0.99}, ValueError, "base must be at least 1, got 0.99"),
    ({"base": math.nan}, ValueError, "base must be finite, got nan"),
    ({"base": "1e4"}, TypeError, "base must be a number (int or float), got '1e4' (str)"),
]
WIDTH = [
    (5, ValueError, "must be even and at least 2 (features go in pairs), got 5"),
    (0, ValueError, "must be even and at least 2 (features go in pairs), got 0"),
    (-4, ValueError, "must be even and at least 2 (features go in pairs), got -4"),
    (4.0, TypeError, "must be a whole number (int), got 4.0 (float)"),
    (True, TypeError, "must be a whole number (int), got True (bool)"),
    (None, TypeError, "must be a whole number (int), got None (NoneType)"),
    (2**60, ValueError, "must be below 2**58 entries, got "),
    (2**80, ValueError, "must be below 2**58 entries, got "),
]
ROTARY_DIM = [
    *(({"rotary_dim": width}, error, f"rotary_dim {rule}") for width, error, rule in WIDTH),
    (
        {"rotary_dim": 2},
        ValueError,
        "rotary_dim must be at least 4 (two pairs to tell apart), got 2",
    ),
]
INV_FREQ = [
    ({"inv_freq": [0.5, -0.5]}, ValueError, "inv_freq must be at least 0 everywhere, got -0.5"),
    ({"inv_freq": [0.5, math.nan]}, ValueError, "inv_freq must be finite, got an entry nan"),
    ({"inv_freq": [math.inf]}, ValueError, "inv_freq must be finite, got an entry inf"),
    ({"inv_freq": 1.0}, ValueError, "inv_freq must have shape (n_pairs,), got ()"),
    ({"inv_freq": [[1.0]]}, ValueError, "inv_freq must have shape (n_pairs,), got (1, 1)"),
    ({"inv_freq": [[1.0], [1.0, 2.0]]}, ValueError, "inv_freq must be one array, got [[1.0], "),
    ({"inv_freq": None}, TypeError, "inv_freq must be numbers (int or float), got dtype object"),
    ({"inv_freq": ["1"]}, TypeError, "inv_freq must be numbers (int or float), got dtype <U1"),
    ({"inv_freq": [1j]}, TypeError, "inv_freq must be numbers (int or float), got dtype complex"),
    ({"inv_freq": [True]}, TypeError, "inv_freq must be numbers (int or float), got dtype bool"),
]


def length(name, at_least):
    return [
        ({name: at_least - 1}, ValueError, f"{name} must be at least {at_least}, got "),
        ({name: 2**53 + 1}, ValueError, f"{name} must be at most 9007199254740992, got 9007199"),
        ({name: 2**2000}, ValueError, f"{name} must be at most 9007199254740992, got "),
        ({name: 32.0}, TypeError, f"{name} must be a whole number (int), got 32.0 (float)"),
        ({name: True}, TypeError, f"{name} must be a whole number (int), got True (bool)"),
        ({name: None}, TypeError, f"{name} must be a whole number (int), got None (NoneType)"),
    ]


def turns(name):
    return [
        ({name: 0}, ValueError, f"{name} must be above 0, got 0"),
        ({name: -1.0}, ValueError, f"{name} must be above 0, got -1.0"),
        ({name: math.inf}, ValueError, f"{name} must be finite, got inf"),
        ({name: "1"}, TypeError, f"{name} must be a number (int or float), got '1' (str)"),
        ({name: None}, TypeError, f"{name} must be a number (int or float), got None"),
    ]


GOOD = {
    scale_linear: {"inv_freq": [1.0, 0.5], "factor": 2},
    scale_ntk: {"rotary_dim": 8, "base": 1e4, "factor": 2},
    scale_dynamic: {
        "rotary_dim": 8,
        "base": 1e4,
        "factor": 2,
        "trained_length": 32,
        "seq_len": 64,
    },
    scale_llama3: {"inv_freq": [1.0, 0.5], **LLAMA3},
    scale_proportional: {"head_dim": 8, "base": 1e4, "rotated_fraction": 0.5},
}
TOO_LARGE = (
    "factor must keep the scaled base finite, base * stretch ** (rotary_dim / (rotary_dim - 2)), "
    "got base {} with a stretch of {}"
)
BAD = {
    scale_linear: [*INV_FREQ, *FACTOR],
    scale_ntk: [
        *ROTARY_DIM,
        *BASE,
        *FACTOR,
        ({"factor": 1e300}, ValueError, TOO_LARGE.format("10000.0", "1e+300")),
        ({"base": 1e300, "factor": 1e10}, ValueError, TOO_LARGE.format("1e+300", "10000000000.0")),
    ],
    scale_dynamic: [
        *ROTARY_DIM,
        *BASE,
        *FACTOR,
        *length("trained_length", 1),
        *length("seq_len", 0),
        ({"factor": 1e280, "seq_len": 2**53}, ValueError, TOO_LARGE.format("10000.0", "2.8")),
        ({"factor": 1e308, "seq_len": 2**53}, ValueError, TOO_LARGE.format("10000.0", "inf")),
    ],
    scale_llama3: [
        *INV_FREQ,
        *FACTOR,
        *turns("low_freq_factor"),
        *turns("high_freq_factor"),
        (
            {"low_freq_factor": 4, "high_freq_factor": 1.0},
            ValueError,
            "high_freq_factor must be at least low_freq_factor, 4, got 1.0",
        ),
        *length("trained_length", 1),
    ],
    scale_proportional: [
        *(({"head_dim": width}, error, f"head_dim {rule}") for width, error, rule in WIDTH),
        *BASE,
        *FACTOR,
        ({"rotated_fraction": -0.1}, ValueError, "rotated_fraction must be in 0..1, got -0.1"),
        ({"rotated_fraction": 1.1}, ValueError, "rotated_fraction must be in 0..1, got 1.1"),
        ({"rotated_fraction": math.nan}, ValueError, "rotated_fraction must be finite, got nan"),
        ({"rotated_fraction": None}, TypeError, "rotated_fraction must be a number (int or float)"),
    ],
}


@pytest.mark.parametrize(
    ("function", "changed", "error", "message"),
    [(function, *row) for function, rows in BAD.items() for row in rows],
)
def test_a_bad_argument_is_named(function, changed, error, message):
    """PE-37: a base of 0, a factor of 0.5 or '4' gave infinities, or passed with a warning."""
    with pytest.raises(error, match="^" + re.escape(message)):
        function(**GOOD[function] | changed)


@pytest.mark.parametrize("function", GOOD)
def test_the_limits_themselves_are_allowed(function):
    limits = {
        "inv_freq": [0.0],
        "rotary_dim": 4,
        "head_dim": 2,
        "base": 1,
        "factor": 1,
        "trained_length": 1,
        "seq_len": 0,
        "low_freq_factor": 5e-324,
        "high_freq_factor": 5e-324,
        "rotated_fraction": 0,
    }
    farthest = {"trained_length": 2**53, "seq_len": 2**53}
    for edge in (limits, limits | farthest):
        arguments = {name: edge[name] for name in GOOD[function]}

        assert np.isfinite(function(**arguments).inv_freq).all()
