"""M-RoPE: by hand, by property, by second routes, against real models, and on bad input."""

import functools
import itertools
import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention, mrope_axes, mrope_cos_sin, mrope_positions
from posenc_ref.rotary import apply_rotary, rotary_cos_sin, rotary_inv_freq
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
EXACT = mpmath.mp.clone()
EXACT.dps = 50

ORDERS = ["chunked", "interleaved", "time_last"]
every_order = pytest.mark.parametrize("order", ORDERS)


# By hand


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("interleaved", ["T", "H", "W", "T", "H", "W", "T", "T"]),
        ("chunked", ["T", "T", "T", "T", "H", "H", "W", "W"]),
        ("time_last", ["H", "W", "H", "W", "T", "T", "T", "T"]),
    ],
)
def test_pe_50_the_axis_of_each_pair_depends_on_the_order(order, expected):
    """A model of one order that is run in the other reads text alike, and images wrongly."""
    axes = mrope_axes([4, 2, 2], order=order)

    assert ["THW"[axis] for axis in axes] == expected
    assert axes.dtype == np.int64


def test_the_sections_of_qwen2_vl():
    axes = mrope_axes([16, 24, 24], order="chunked")

    assert axes.tolist() == [0] * 16 + [1] * 24 + [2] * 24


def test_the_sections_of_qwen3_vl():
    """Height at 1, 4, ..., 58 and width at 2, 5, ..., 59; time has 0, 3, ..., and all from 60."""
    axes = mrope_axes([24, 20, 20], order="interleaved")

    assert axes.tolist() == [0, 1, 2] * 20 + [0] * 4


def test_the_sections_of_ernie():
    axes = mrope_axes([20, 22, 22], order="time_last")

    assert axes.tolist() == [1, 2] * 22 + [0] * 20


@pytest.mark.parametrize(
    ("order", "sections", "expected"),
    [
        ("chunked", [0, 1, 2], [1, 2, 2]),
        ("chunked", [0, 0, 1], [2]),
        ("interleaved", [3, 0, 0], [0, 0, 0]),
        ("interleaved", [1, 1, 0], [0, 1]),
        ("interleaved", [2, 1, 1], [0, 1, 2, 0]),
        ("interleaved", [2, 2, 1], [0, 1, 2, 0, 1]),  # as many of height as there is room for
        ("interleaved", [1, 1, 1], [0, 1, 2]),
        ("interleaved", [2, 0, 1], [0, 0, 2]),
        ("time_last", [0, 1, 1], [1, 2]),
        ("time_last", [2, 0, 0], [0, 0]),
    ],
)
def test_small_and_empty_sections(order, sections, expected):
    assert mrope_axes(sections, order=order).tolist() == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("chunked", [0.1, 0.2, 0.04, 0.003]),  # time, time, height, width
        ("interleaved", [0.1, 0.8, 0.03, 0.001]),  # time, height, width, time
        ("time_last", [0.4, 0.6, 0.01, 0.001]),  # height, width, time, time
    ],
)
def test_the_angles_of_one_token(order, expected):
    positions, inv_freq = [[0.1], [0.4], [0.3]], [1, 2, 0.1, 0.01]

    rotation = mrope_cos_sin(positions, inv_freq, sections=[2, 1, 1], order=order)

    np.testing.assert_allclose(np.arctan2(rotation.sin, rotation.cos), [expected], rtol=1e-14)


def test_leading_axes_are_kept():
    positions = np.arange(3 * 2 * 5).reshape(3, 2, 5)
    rotate = functools.partial(
        mrope_cos_sin, inv_freq=[1, 0.5, 0.2, 0.1], sections=[2, 1, 1], order="chunked"
    )

    rotation = rotate(positions)

    assert rotation.cos.shape == rotation.sin.shape == (2, 5, 4)
    np.testing.assert_array_equal(rotation.sin[1], rotate(positions[:, 1]).sin)


def test_no_tokens_give_an_empty_rotation():
    rotation = mrope_cos_sin(np.zeros((3, 0)), [1, 0.1], sections=[1, 1, 0], order="chunked")

    assert rotation.cos.shape == rotation.sin.shape == (0, 2)


# By property


@BOUNDED
@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_every_order_gives_each_axis_as_many_pairs_as_its_section(time, height, width):
    sections = [time, height, width]
    n_pairs = sum(sections)
    room = {
        "chunked": n_pairs > 0,
        "interleaved": n_pairs > 0 and 3 * height <= n_pairs + 1 and 3 * width <= n_pairs,
        "time_last": n_pairs > 0 and height == width,
    }
    for order in ORDERS:
        if room[order]:
            counts = np.bincount(mrope_axes(sections, order=order), minlength=3)

            assert counts.tolist() == sections
        else:
            with pytest.raises(ValueError, match="sections must"):
                mrope_axes(sections, order=order)


@every_order
def test_text_turns_as_in_a_model_of_one_axis(order):
    positions = np.array([0, 1, 2, 50, 1000])
    inv_freq = rotary_inv_freq(16, 10000)

    rotation = mrope_cos_sin([positions] * 3, inv_freq, sections=[4, 2, 2], order=order)

    plain = rotary_cos_sin(positions, inv_freq)
    np.testing.assert_allclose(rotation.cos, plain.cos, rtol=0, atol=1e-12)
    np.testing.assert_allclose(rotation.sin, plain.sin, rtol=0, atol=1e-12)


@BOUNDED
@given(
    st.lists(st.integers(0, 10**4), min_size=3, max_size=3),
    st.lists(st.integers(0, 10**4), min_size=3, max_size=3),
    st.lists(st.integers(-500, 500), min_size=3, max_size=3),
    st.sampled_from(ORDERS),
)
def test_a_score_depends_on_the_offset_on_each_axis_alone(p, other, offset, order):
    q, k = np.random.default_rng(0).normal(size=(2, 1, 16))
    inv_freq = rotary_inv_freq(16, 100)

    def turned(x, position):
        positions = np.reshape(position, (3, 1))
        rotation = mrope_cos_sin(positions, inv_freq, sections=[4, 2, 2], order=order)
        return apply_rotary(x, rotation, layout="half")

    here = turned(q, p) @ turned(k, np.add(p, offset)).T
    there = turned(q, other) @ turned(k, np.add(other, offset)).T

    np.testing.assert_allclose(here, there, rtol=0, atol=1e-12)


@every_order
def test_a_pair_ignores_the_positions_of_the_other_axes(order):
    sections = [4, 2, 2]
    rotate = functools.partial(
        mrope_cos_sin, inv_freq=rotary_inv_freq(16, 100), sections=sections, order=order
    )
    start = np.ones((3, 1))
    for axis in range(3):
        moved = start.copy()
        moved[axis] = 2

        changed = (rotate(moved).sin != rotate(start).sin)[0]

        np.testing.assert_array_equal(changed, mrope_axes(sections, order=order) == axis)


def test_the_attention_factor_stretches_both_and_is_1_if_not_given():
    rotate = functools.partial(
        mrope_cos_sin, [[1], [2], [3]], [1, 0.5, 0.2], sections=[1, 1, 1], order="chunked"
    )

    plain, stretched = rotate(), rotate(attention_factor=1.25)

    np.testing.assert_allclose(plain.cos**2 + plain.sin**2, 1, rtol=1e-15)
    np.testing.assert_allclose(stretched.cos, 1.25 * plain.cos, rtol=1e-15)
    np.testing.assert_allclose(stretched.sin, 1.25 * plain.sin, rtol=1e-15)


def test_float32_is_float64_rounded_once():
    positions = np.random.default_rng(1).normal(size=(3, 5)) * 1000
    rotate = functools.partial(
        mrope_cos_sin,
        positions,
        rotary_inv_freq(6, 100),
        sections=[1, 1, 1],
        order="chunked",
        attention_factor=1.1,
    )

    wide, narrow = rotate(), rotate(dtype=np.float32)

    assert wide.cos.dtype == wide.sin.dtype == np.float64
    assert narrow.cos.dtype == narrow.sin.dtype == np.float32
    np.testing.assert_array_equal(narrow.cos, wide.cos.astype(np.float32))
    np.testing.assert_array_equal(narrow.sin, wide.sin.astype(np.float32))


# By a second route


@every_order
def test_the_formula_with_fifty_digits(order):
    rng = np.random.default_rng(2)
    positions = rng.integers(0, [[100], [10**6], [10**9]], size=(3, 4))
    inv_freq = rng.uniform(0, 1, size=8)
    axes = mrope_axes([4, 2, 2], order=order)

    cos, sin = mrope_cos_sin(
        positions, inv_freq, sections=[4, 2, 2], order=order, attention_factor=2
    )

    for p, i in itertools.product(range(4), range(8)):
        angle = EXACT.mpf(int(positions[axes[i], p])) * EXACT.mpf(inv_freq[i])
        assert abs(cos[p, i] - 2 * EXACT.cos(angle)) <= 8e-16
        assert abs(sin[p, i] - 2 * EXACT.sin(angle)) <= 8e-16


@every_order
def test_three_plain_rotations_of_which_each_pair_takes_one(order):
    positions = np.random.default_rng(3).integers(0, 50, size=(3, 7))
    inv_freq = rotary_inv_freq(16, 10000)
    three = [rotary_cos_sin(row, inv_freq) for row in positions]
    axes = mrope_axes([4, 2, 2], order=order)

    rotation = mrope_cos_sin(positions, inv_freq, sections=[4, 2, 2], order=order)

    taken = np.stack([three[axis].sin[:, i] for i, axis in enumerate(axes)], axis=-1)
    np.testing.assert_allclose(rotation.sin, taken, rtol=0, atol=1e-14)


def test_interleaving_is_the_released_overwriting_of_every_third_pair():
    for time, height, width in [(24, 20, 20), (11, 11, 10), (4, 2, 2)]:
        expected = [0] * (time + height + width)
        for axis, section in ((1, height), (2, width)):
            for i in range(axis, 3 * section, 3):
                expected[i] = axis

        axes = mrope_axes([time, height, width], order="interleaved")

        assert axes.tolist() == expected


# Real models. They compute angles, cosines, sines and the softmax in float32. Positions stay below
# 32, so an angle is wrong by 32 * 6e-8 * 2 at most: 4e-6. Outputs are sums of values up to 12.

LAYER = {"rtol": 0, "atol": 2e-5}
layers = [case for case in load("mrope") if "hidden" in case.inputs]
rotations = [case for case in load("mrope") if "inv_freq" in case.inputs]
ARRANGEMENTS = [([2, 3, 3], "chunked"), ([2, 3, 3], "time_last"), ([3, 3, 2], "interleaved")]
ARRANGEMENTS += [([4, 2, 2], order) for order in ORDERS]
every_layer = pytest.mark.parametrize("case", layers, ids=lambda case: case.name)
every_rotation = pytest.mark.parametrize("case", rotations, ids=lambda case: case.name)


def output_in(inputs, *, sections, order, layout):
    rotation = mrope_cos_sin(
        inputs["positions"], rotary_inv_freq(16, inputs["base"]), sections=sections, order=order
    )

    def heads(name):
        x = inputs["hidden"] @ inputs[f"w_{name}"].T + inputs[f"b_{name}"]
        return x.reshape(len(x), inputs["n_heads"], -1).swapaxes(0, 1)

    def turn(x):
        if inputs["normalised"]:
            x = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)
        return apply_rotary(x, rotation, layout=layout)

    mixed = attention(turn(heads("q")), turn(heads("k")), heads("v")).swapaxes(0, 1)
    return mixed.reshape(len(mixed), -1) @ inputs["w_o"].T + inputs["b_o"]


@every_layer
def test_the_layer_of_a_real_model_gives_its_output_in_its_convention_alone(case):
    names = ["sections", "order", "layout"]
    own = {name: case.inputs[name] for name in names} | {"sections": list(case.inputs["sections"])}

    close = output_in(case.inputs, **own)

    np.testing.assert_allclose(close, case.outputs["output"], **LAYER)
    for (sections, order), layout in itertools.product(ARRANGEMENTS, ["half", "interleaved"]):
        other = {"sections": sections, "order": order, "layout": layout}
        if other != own:
            output = output_in(case.inputs, **other)

            assert np.abs(output - case.outputs["output"]).max() > 0.02, other


def test_the_recorded_layers_and_rotations_are_these():
    assert [case.name for case in layers] == [
        "qwen2_vl layer",
        "qwen3_vl layer",
        "ernie4_5_vl_moe layer",
    ]
    assert [case.name for case in rotations] == [
        "qwen2_vl",
        "qwen2_vl yarn",
        "qwen3_vl",
        "ernie4_5_vl_moe",
        "glm4v",
    ]


@every_rotation
def test_the_rotation_of_a_real_model_at_its_published_width(case):
    inputs = case.inputs
    rotation = mrope_cos_sin(
        inputs["positions"],
        inputs["inv_freq"],
        sections=inputs["sections"],
        order=inputs["order"],
        attention_factor=float(inputs["attention_factor"]),
    )

    np.testing.assert_allclose(rotation.cos, case.outputs["cos"], rtol=0, atol=4e-6)
    np.testing.assert_allclose(rotation.sin, case.outputs["sin"], rtol=0, atol=4e-6)


def test_yarn_stretches_the_rotation_of_qwen2_vl():
    [factor] = [case.inputs["attention_factor"] for case in rotations if "yarn" in case.name]

    np.testing.assert_allclose(factor, 0.1 * math.log(4) + 1, rtol=1e-12)


@each_case("mrope", "mrope_positions")
def test_the_rotation_takes_positions_as_they_are_made(case):
    segments = [tuple(segment) for segment in case.inputs["segments"]]
    positions = mrope_positions(segments, advance=case.inputs["advance"])

    rotation = mrope_cos_sin(positions, [1, 0.5, 0.2], sections=[1, 1, 1], order="interleaved")

    np.testing.assert_allclose(rotation.sin[:, 2], np.sin(0.2 * case.outputs["positions"][2]))


# On bad input


def refused(error, message):
    return pytest.raises(error, match=f"^{re.escape(message)}")


SECTIONS = [
    ({"sections": [4, 4]}, ValueError, "sections must have shape (3,), got (2,)"),
    ({"sections": 8}, ValueError, "sections must have shape (3,), got ()"),
    ({"sections": []}, ValueError, "sections must have shape (3,), got (0,)"),
    ({"sections": [9, -1, 0]}, ValueError, "sections must be at least 0 everywhere, got -1"),
    ({"sections": [4.0, 2.0, 2.0]}, TypeError, "sections must be whole numbers (int), got dtype f"),
    ({"sections": [True, False, True]}, TypeError, "sections must be whole numbers (int), got dt"),
    ({"sections": [2**80, 1, 1]}, TypeError, "sections must be whole numbers (int), got dtype ob"),
    ({"sections": "422"}, TypeError, "sections must be whole numbers (int), got dtype <U3"),
    ({"sections": None}, TypeError, "sections must be whole numbers (int), got dtype object"),
    (
        {"order": "blocked"},
        ValueError,
        "order must be one of 'chunked', 'interleaved', 'time_last'",
    ),
    ({"order": None}, TypeError, "order must be one of 'chunked', 'interleaved', 'time_last', got"),
    (
        {"sections": [2, 4, 2], "order": "interleaved"},
        ValueError,
        "sections must give height at most 3 and width at most 2 of 8 pairs, got [2, 4, 2]",
    ),
    (
        {"sections": [3, 2, 3], "order": "interleaved"},
        ValueError,
        "sections must give height at most 3 and width at most 2 of 8 pairs, got [3, 2, 3]",
    ),
    (
        {"sections": [3, 3, 2], "order": "time_last"},
        ValueError,
        "sections must be equal for height and width, got [3, 3, 2]",
    ),
]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *SECTIONS,
        (
            {"sections": [0, 0, 0]},
            ValueError,
            "sections must hold at least one pair, got [0, 0, 0]",
        ),
        (
            {"sections": [2**58, 0, 0]},
            ValueError,
            "pairs must be below 2**58 entries, got pairs 28",
        ),
        ({"sections": [2**62] * 3}, ValueError, "pairs must be below 2**58 entries, got pairs 13"),
    ],
)
def test_a_bad_argument_of_the_axes_is_named(changed, error, message):
    with refused(error, message):
        mrope_axes(**{"sections": [4, 2, 2], "order": "chunked", **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *SECTIONS,
        (
            {"sections": [4, 2, 3]},
            ValueError,
            "sections must sum to 8, one pair for each inv_freq, got [4, 2, 3]",
        ),
        (
            {"sections": [2**57, 0, 0]},
            ValueError,
            "sections must sum to 8, one pair for each inv_freq, got [144115188075855872, 0, 0]",
        ),
        (
            {"inv_freq": [], "sections": [0, 0, 0]},
            ValueError,
            "sections must hold at least one pair, got [0, 0, 0]",
        ),
        (
            {"positions": [1, 2, 3]},
            ValueError,
            "positions must have shape (3, ..., T) for time, height and width, got (3,)",
        ),
        (
            {"positions": [[1, 2, 3]]},
            ValueError,
            "positions must have shape (3, ..., T) for time, height and width, got (1, 3)",
        ),
        ({"positions": 1}, ValueError, "positions must have shape (3, ..., T) for time, height an"),
        ({"positions": [[1]] * 4}, ValueError, "positions must have shape (3, ..., T) for time, h"),
        (
            {"positions": [[1], [2], [3, 4]]},
            ValueError,
            "positions must be one array, got [[1], [2",
        ),
        (
            {"positions": [[1], [2], [math.inf]]},
            ValueError,
            "positions must be finite and less tha",
        ),
        ({"positions": [[1], [2], [None]]}, TypeError, "positions must be numbers (int or float)"),
        ({"positions": [[1], [2], [1j]]}, TypeError, "positions must be numbers (int or float), "),
        ({"positions": None}, TypeError, "positions must be numbers (int or float), got dtype ob"),
        (
            {"inv_freq": np.ones((2, 4))},
            ValueError,
            "inv_freq must have shape (n_pairs,), got (2, ",
        ),
        ({"inv_freq": 1.0}, ValueError, "inv_freq must have shape (n_pairs,), got ()"),
        (
            {"inv_freq": [math.nan] * 8},
            ValueError,
            "inv_freq must be finite and less than 2**53 in",
        ),
        (
            {"inv_freq": [1e300] * 8},
            ValueError,
            "inv_freq must be finite and less than 2**53 in si",
        ),
        ({"inv_freq": "1"}, TypeError, "inv_freq must be numbers (int or float), got dtype <U1"),
        (
            {"inv_freq": [True] * 8},
            TypeError,
            "inv_freq must be numbers (int or float), got dtype b",
        ),
        ({"attention_factor": 0}, ValueError, "attention_factor must be above 0, got 0"),
        ({"attention_factor": math.inf}, ValueError, "attention_factor must be finite, got inf"),
        ({"attention_factor": "1"}, TypeError, "attention_factor must be a number (int or float)"),
        ({"dtype": "int64"}, ValueError, "dtype must be float32 or float64, got int64"),
        ({"dtype": "no"}, TypeError, "dtype must be float32 or float64, got 'no' (str)"),
    ],
)
def test_a_bad_argument_of_the_rotation_is_named(changed, error, message):
    good = {"positions": [[0, 1], [0, 2], [0, 3]], "inv_freq": [1.0] * 8, "sections": [4, 2, 2]}
    with refused(error, message):
        mrope_cos_sin(**{**good, "order": "chunked", **changed})


def test_a_convention_must_be_chosen():
    with pytest.raises(TypeError, match="order"):
        mrope_axes([4, 2, 2])
    with pytest.raises(TypeError, match="order"):
        mrope_cos_sin([[0]] * 3, [1.0] * 8, sections=[4, 2, 2])


def test_arrays_of_numpy_will_do_and_nothing_is_changed():
    positions, inv_freq = np.array([[0], [1], [2]]), np.float32([1, 0.5, 0.25])
    sections = np.uint8([1, 1, 1])
    before = [array.copy() for array in (positions, inv_freq, sections)]

    rotation = mrope_cos_sin(positions, inv_freq, sections=sections, order="chunked")

    for array, copy in zip((positions, inv_freq, sections), before, strict=True):
        np.testing.assert_array_equal(array, copy)
    np.testing.assert_allclose(rotation.sin, np.sin([[0, 0.5, 0.5]]), rtol=1e-15)
    assert rotation.sin.dtype == np.float64
