"""Axial rotary positions: by hand, by property, by second routes, against real models, bad input.

Real models are small attention layers of seven vision encoders, and the scores of two more.
"""

import functools
import itertools
import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention, axial_rotary, centred_grid_positions
from posenc_ref.rotary import apply_rotary, rotary_cos_sin, rotary_inv_freq
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
EXACT = mpmath.mp.clone()
EXACT.dps = 50

CONVENTIONS = [
    {"frequencies": frequencies, "order": order}
    for frequencies, order in itertools.product(["shared", "dealt"], ["blocks", "alternating"])
]
LAYOUTS = ["half", "interleaved"]
every_convention = pytest.mark.parametrize(
    "convention", CONVENTIONS, ids=lambda convention: " ".join(convention.values())
)
conventions = st.sampled_from(CONVENTIONS)
coordinates = st.floats(-1e4, 1e4)


def angles(rotation):
    return np.arctan2(rotation.sin, rotation.cos)


def turned(x, positions, base, layout, **convention):
    rotation = axial_rotary(positions, x.shape[-1], base, **convention)
    return apply_rotary(x, rotation, layout=layout)


# By hand


@pytest.mark.parametrize(
    ("frequencies", "order", "expected"),
    [
        # frequencies 1, 0.01 for each axis; row 0.5, column 2
        ("shared", "blocks", [0.5, 0.005, 2, 0.02]),
        ("shared", "alternating", [0.5, 2, 0.005, 0.02]),
        # frequencies 1, 0.1, 0.01, 0.001, dealt out: 1, 0.01 and 0.1, 0.001
        ("dealt", "blocks", [0.5, 0.005, 0.2, 0.002]),
        ("dealt", "alternating", [0.5, 0.2, 0.005, 0.002]),
    ],
)
def test_the_angles_of_one_patch(frequencies, order, expected):
    rotation = axial_rotary([[0.5, 2]], 8, 10000, frequencies=frequencies, order=order)

    np.testing.assert_allclose(angles(rotation), [expected], rtol=1e-15)


@pytest.mark.parametrize(
    ("frequencies", "order", "expected"),
    [
        # base 1000: 1, 1000^(-1/2) for each of three axes, or 1000^(-i/6) dealt out
        ("shared", "blocks", [0.1, 0.1 / 1000**0.5, 0.2, 0.2 / 1000**0.5, 0.3, 0.3 / 1000**0.5]),
        ("dealt", "alternating", [c / 1000 ** (i / 6) for i, c in enumerate([0.1, 0.2, 0.3] * 2)]),
    ],
)
def test_three_axes_share_the_pairs_equally(frequencies, order, expected):
    rotation = axial_rotary([[0.1, 0.2, 0.3]], 12, 1000, frequencies=frequencies, order=order)

    np.testing.assert_allclose(angles(rotation), [expected], rtol=1e-14)


@every_convention
def test_the_origin_does_not_turn(convention):
    rotation = axial_rotary([[0, 0]], 12, 100, **convention)

    np.testing.assert_array_equal(rotation.cos, np.ones((1, 6)))
    np.testing.assert_array_equal(rotation.sin, np.zeros((1, 6)))


def test_the_smallest_width_has_one_pair_for_each_axis():
    shared = axial_rotary([[0.1, 0.2]], 4, 10000, frequencies="shared", order="blocks")
    dealt = axial_rotary([[0.1, 0.2]], 4, 10000, frequencies="dealt", order="blocks")

    np.testing.assert_allclose(angles(shared), [[0.1, 0.2]])
    np.testing.assert_allclose(angles(dealt), [[0.1, 0.002]])


def test_no_patches_give_an_empty_rotation():
    rotation = axial_rotary(np.zeros((0, 2)), 8, 100, frequencies="shared", order="blocks")

    assert rotation.cos.shape == rotation.sin.shape == (0, 4)


@every_convention
def test_leading_axes_are_kept(convention):
    positions = np.arange(30).reshape(1, 3, 5, 2)

    rotation = axial_rotary(positions, 8, 100, **convention)

    assert rotation.cos.shape == rotation.sin.shape == (1, 3, 5, 4)
    alone = axial_rotary(positions[0, 2], 8, 100, **convention)
    np.testing.assert_array_equal(rotation.sin[0, 2], alone.sin)


def test_centres_of_two_rows_of_three():
    """Centres at 1/4, 3/4 and at 1/6, 1/2, 5/6 of an axis, which goes from -2 pi to 2 pi."""
    in_turns = centred_grid_positions(2, 3) / (2 * math.pi)

    rows = [[-1 / 2, -2 / 3], [-1 / 2, 0], [-1 / 2, 2 / 3]]
    rows += [[1 / 2, -2 / 3], [1 / 2, 0], [1 / 2, 2 / 3]]
    np.testing.assert_allclose(in_turns, rows, rtol=1e-15)


def test_a_single_patch_stands_in_the_middle():
    np.testing.assert_array_equal(centred_grid_positions(1, 1), [[0, 0]])


# By property


@BOUNDED
@given(
    st.lists(coordinates, min_size=2, max_size=2),
    st.lists(coordinates, min_size=2, max_size=2),
    st.lists(st.integers(-500, 500), min_size=2, max_size=2),
    conventions,
    st.sampled_from(LAYOUTS),
)
def test_a_score_depends_on_the_offset_on_each_axis_alone(p, other, offset, convention, layout):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 1, 12))
    turn = functools.partial(turned, base=100, layout=layout, **convention)

    here = turn(q, [p]) @ turn(k, [np.add(p, offset)]).T
    there = turn(q, [other]) @ turn(k, [np.add(other, offset)]).T

    # The sum of position and offset is rounded to 2e-12; q and k have length 3.5.
    np.testing.assert_allclose(here, there, rtol=0, atol=1e-10)


@BOUNDED
@given(st.lists(coordinates, min_size=2, max_size=2), conventions)
def test_lengths_are_kept(p, convention):
    cos, sin = axial_rotary([p], 16, 10000, **convention)

    np.testing.assert_allclose(cos**2 + sin**2, np.ones((1, 8)), rtol=1e-15)


@pytest.mark.parametrize("frequencies", ["shared", "dealt"])
@pytest.mark.parametrize("n_axes", [1, 2, 3])
def test_the_orders_are_permutations_of_each_other(frequencies, n_axes):
    positions = np.random.default_rng(1).normal(size=(5, n_axes))
    rotation = functools.partial(
        axial_rotary, positions, 10 * n_axes, 10000, frequencies=frequencies
    )

    blocks, alternating = rotation(order="blocks"), rotation(order="alternating")

    by_axis = blocks.sin.reshape(5, n_axes, 5)
    np.testing.assert_array_equal(alternating.sin, by_axis.swapaxes(1, 2).reshape(5, -1))


@pytest.mark.parametrize(("frequencies", "alike"), [("shared", True), ("dealt", False)])
def test_only_shared_frequencies_treat_rows_and_columns_alike(frequencies, alike):
    """With equal content in both blocks, offset (2, 1) then scores what offset (1, 2) does."""
    ones = np.ones((1, 8))
    turn = functools.partial(turned, base=100, layout="half", frequencies=frequencies)

    down = ones @ turn(ones, [[2, 1]], order="blocks").T
    right = ones @ turn(ones, [[1, 2]], order="blocks").T

    assert np.allclose(down, right, rtol=1e-12) == alike


def test_shared_frequencies_of_one_pair_an_axis_score_the_sum_of_two_cosines():
    ones = np.ones((1, 4)) / math.sqrt(2)
    turn = functools.partial(turned, base=1, layout="half", frequencies="shared", order="blocks")

    score = ones @ turn(ones, [[2, 1]]).T

    np.testing.assert_allclose(score, [[math.cos(2) + math.cos(1)]], rtol=1e-14)
    assert f"{score[0, 0]:.3f}" == "0.124"


@pytest.mark.parametrize(("height", "width"), [(1, 2), (2, 1), (5, 7), (14, 14), (37, 3)])
def test_centres_are_mirrored_and_evenly_spaced_inside_the_edges(height, width):
    grid = centred_grid_positions(height, width).reshape(height, width, 2)

    np.testing.assert_array_equal(grid[::-1, ::-1], -grid)
    assert (grid[:, :, 0] == grid[:, :1, 0]).all()
    assert (grid[:, :, 1] == grid[:1, :, 1]).all()
    np.testing.assert_allclose(np.diff(grid[:, 0, 0]), 4 * math.pi / height, rtol=1e-12)
    np.testing.assert_allclose(np.diff(grid[0, :, 1]), 4 * math.pi / width, rtol=1e-12)
    half_patches = [2 * math.pi / height, 2 * math.pi / width]
    np.testing.assert_allclose(grid[-1, -1] + half_patches, 2 * math.pi, rtol=1e-14)


def test_a_patch_at_the_same_place_turns_alike_at_any_resolution():
    """The middle patch of three covers the middle of the middle patches of nine."""
    coarse, fine = (centred_grid_positions(n, n).reshape(n, n, 2) for n in (3, 9))

    np.testing.assert_allclose(fine[4::3, 1::3][:2], coarse[1:], rtol=0, atol=1e-14)


# By a second route


@every_convention
@pytest.mark.parametrize(("n_axes", "rotary_dim", "base"), [(1, 6, 10.0), (2, 20, 100), (3, 6, 1)])
def test_the_formula_with_fifty_digits(convention, n_axes, rotary_dim, base):
    positions = np.random.default_rng(2).normal(size=(4, n_axes)) * [[1], [100], [1e6], [1e9]]
    n = rotary_dim // 2 // n_axes

    cos, sin = axial_rotary(positions, rotary_dim, base, **convention)

    for p, a, j in itertools.product(range(4), range(n_axes), range(n)):
        shared = convention["frequencies"] == "shared"
        exponent = EXACT.mpf(2 * n_axes * j if shared else 2 * (n_axes * j + a)) / rotary_dim
        angle = EXACT.mpf(positions[p, a]) * EXACT.power(base, -exponent)
        i = n * a + j if convention["order"] == "blocks" else n_axes * j + a
        assert abs(cos[p, i] - EXACT.cos(angle)) <= 4e-16
        assert abs(sin[p, i] - EXACT.sin(angle)) <= 4e-16


@every_convention
def test_a_single_axis_is_plain_rotary(convention):
    positions = np.array([0, 1, 7, 300])

    axial = axial_rotary(positions[:, None], 16, 10000, **convention)

    plain = rotary_cos_sin(positions, rotary_inv_freq(16, 10000))
    np.testing.assert_allclose(axial.cos, plain.cos, rtol=0, atol=1e-13)
    np.testing.assert_allclose(axial.sin, plain.sin, rtol=0, atol=1e-13)


def test_shared_frequencies_in_blocks_are_two_rotations_side_by_side():
    positions = np.array([[0, 3], [5, 1], [2, 2]])

    axial = axial_rotary(positions, 16, 10000, frequencies="shared", order="blocks")

    sides = [rotary_cos_sin(positions[:, a], rotary_inv_freq(8, 10000)) for a in (0, 1)]
    np.testing.assert_allclose(axial.sin, np.hstack([s.sin for s in sides]), rtol=0, atol=1e-15)


def test_dealt_frequencies_in_turns_are_plain_rotary_on_the_diagonal():
    positions = np.arange(6)

    axial = axial_rotary(
        np.stack([positions] * 2, axis=-1), 16, 10000, frequencies="dealt", order="alternating"
    )

    plain = rotary_cos_sin(positions, rotary_inv_freq(16, 10000))
    np.testing.assert_allclose(axial.sin, plain.sin, rtol=0, atol=1e-15)


@every_convention
def test_float32_is_float64_rounded_once(convention):
    positions = np.random.default_rng(3).normal(size=(5, 2)) * 1000
    rotation = functools.partial(axial_rotary, positions, 16, 10000, **convention)

    wide, narrow = rotation(), rotation(dtype="float32")

    assert wide.cos.dtype == wide.sin.dtype == np.float64
    assert narrow.cos.dtype == narrow.sin.dtype == np.float32
    np.testing.assert_array_equal(narrow.cos, wide.cos.astype(np.float32))
    np.testing.assert_array_equal(narrow.sin, wide.sin.astype(np.float32))


def test_positions_in_float32_are_turned_in_float64():
    positions = np.float32([[0.1, 1234.5]])

    narrow = axial_rotary(positions, 8, 100, frequencies="shared", order="blocks")

    wide = axial_rotary(positions.astype(float), 8, 100, frequencies="shared", order="blocks")
    np.testing.assert_array_equal(narrow.sin, wide.sin)
    assert narrow.sin.dtype == np.float64


# Real models. They compute cosines, sines and the softmax in float32. That makes scores wrong by
# about 1e-6 (their size, up to 30, times 6e-8), and so the outputs, sums of values up to 11.

FLOAT32 = {"rtol": 0, "atol": 1e-5}
layers = [case for case in load("axial") if "columns" in case.inputs]
every_layer = pytest.mark.parametrize("case", layers, ids=lambda case: case.name)


def layer_output(inputs, rotation, layout, n_prefix=0):
    """One attention layer: project, turn what comes after the prefix, attend, project back."""

    def heads(name):
        x = inputs["hidden"] @ inputs[f"w_{name}"].T + inputs[f"b_{name}"]
        return x.reshape(len(x), inputs["n_heads"], -1).swapaxes(0, 1)

    def turn(x):
        patches = apply_rotary(x[:, n_prefix:], rotation, layout=layout)
        return np.concatenate([x[:, :n_prefix], patches], axis=1)

    mixed = attention(turn(heads("q")), turn(heads("k")), heads("v")).swapaxes(0, 1)
    return mixed.reshape(len(mixed), -1) @ inputs["w_o"].T + inputs["b_o"]


def output_in(inputs, *, columns, layout, frequencies, order):
    positions = inputs["positions"][:, columns]
    n_axes = positions.shape[1]
    head_dim = len(inputs["w_q"]) // inputs["n_heads"]
    rotary_dim = head_dim // (2 * n_axes) * 2 * n_axes
    rotation = axial_rotary(
        positions, rotary_dim, inputs["base"], frequencies=frequencies, order=order
    )
    return layer_output(inputs, rotation, layout)


@every_layer
def test_the_layer_of_a_real_model_gives_its_output(case):
    names = ["columns", "layout", "frequencies", "order"]
    convention = {name: case.inputs[name] for name in names}

    np.testing.assert_allclose(
        output_in(case.inputs, **convention), case.outputs["output"], **FLOAT32
    )


@every_layer
def test_no_other_convention_gives_that_output(case):
    inputs, own = case.inputs, list(case.inputs["columns"])
    backwards = own[::-1]
    for convention, columns, layout in itertools.product(CONVENTIONS, [own, backwards], LAYOUTS):
        output = output_in(inputs, columns=columns, layout=layout, **convention)
        same = (columns, layout) == (own, inputs["layout"]) and all(
            inputs[name] == value for name, value in convention.items()
        )

        assert (np.abs(output - case.outputs["output"]).max() < 0.02) == same


def test_the_recorded_layers_are_these():
    assert [case.name for case in layers] == [
        "qwen2_vl",
        "kimi_k25",
        "step3p7",
        "inkling2",
        "pixtral",
        "minimax_m3_vl",
        "sam2_video",
    ]


@each_case("axial", "centred_grid_positions")
def test_the_coordinates_of_dinov3_are_the_centres_in_turns(case):
    grid = centred_grid_positions(case.inputs["height"], case.inputs["width"])

    np.testing.assert_allclose(
        grid / (2 * math.pi), case.outputs["coordinates"], rtol=0, atol=1e-15
    )


@each_case("axial", "centred_grid_positions")
@every_convention
def test_the_layer_of_dinov3_gives_its_output_in_its_convention_alone(case, convention):
    """Its class token and register tokens, which come first, are not turned."""
    grid = centred_grid_positions(case.inputs["height"], case.inputs["width"])
    rotation = axial_rotary(grid, 8, case.inputs["base"], **convention)

    output = layer_output(case.inputs, rotation, "half", case.inputs["n_prefix"])

    if convention == {"frequencies": "shared", "order": "blocks"}:
        np.testing.assert_allclose(output, case.outputs["output"], **FLOAT32)
    else:
        assert np.abs(output - case.outputs["output"]).max() > 1


def recorded(name):
    return next(case for case in load("axial") if case.name == name)


def scores(case, turn):
    q, k = (turn(case.inputs[name].swapaxes(0, 1)) for name in "qk")
    return q @ k.swapaxes(1, 2)


def test_gemma4_turns_each_half_of_the_features_by_one_column():
    case = recorded("gemma4")
    convention = {"frequencies": "shared", "order": "blocks"}
    base, positions = case.inputs["base"], case.inputs["positions"]

    def by_halves(x):
        left, right = np.split(x, 2, axis=-1)
        return np.concatenate(
            [
                turned(left, positions[:, :1], base, "half", **convention),
                turned(right, positions[:, 1:], base, "half", **convention),
            ],
            axis=-1,
        )

    whole = functools.partial(turned, positions=positions, base=base, layout="half", **convention)
    np.testing.assert_allclose(scores(case, by_halves), case.outputs["scores"], **FLOAT32)
    assert np.abs(scores(case, whole) - case.outputs["scores"]).max() > 1


@every_convention
def test_neomme_deals_the_frequencies_out_in_turns(convention):
    case = recorded("neomme")
    turn = functools.partial(
        turned, positions=case.inputs["positions"], base=case.inputs["base"], layout="half"
    )

    result = scores(case, functools.partial(turn, **convention))

    if convention == {"frequencies": "dealt", "order": "alternating"}:
        np.testing.assert_allclose(result, case.outputs["scores"], **FLOAT32)
    else:
        assert np.abs(result - case.outputs["scores"]).max() > 0.1


# On bad input


def refused(error, message):
    return pytest.raises(error, match=f"^{re.escape(message)}")


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"positions": [0, 1]}, ValueError, "positions must have shape (..., positions, axes), g"),
        (
            {"positions": 1.5},
            ValueError,
            "positions must have shape (..., positions, axes), got ()",
        ),
        ({"positions": []}, ValueError, "positions must have shape (..., positions, axes), got (0"),
        (
            {"positions": [[], []]},
            ValueError,
            "positions must have at least one axis, got shape (2, 0)",
        ),
        ({"positions": [[0, 1], [2]]}, ValueError, "positions must be one array, got [[0, 1], [2"),
        ({"positions": [[0, math.nan]]}, ValueError, "positions must be finite and less than 2**5"),
        (
            {"positions": [[0, 2**53]]},
            ValueError,
            "positions must be finite and less than 2**53 in",
        ),
        ({"positions": [[0, 2**80]]}, TypeError, "positions must be numbers (int or float), got"),
        ({"positions": [[0, None]]}, TypeError, "positions must be numbers (int or float), got dt"),
        ({"positions": [[1j, 0]]}, TypeError, "positions must be numbers (int or float), got dty"),
        ({"positions": [[True, False]]}, TypeError, "positions must be numbers (int or float), go"),
        ({"positions": "01"}, TypeError, "positions must be numbers (int or float), got dtype <U2"),
        ({"positions": None}, TypeError, "positions must be numbers (int or float), got dtype o"),
        (
            {"rotary_dim": 6},
            ValueError,
            "rotary_dim must be a multiple of 4 and at least that "
            "(positions have axes: 2, features go in pairs), got 6",
        ),
        (
            {"rotary_dim": 10, "positions": [[0, 0, 0]]},
            ValueError,
            "rotary_dim must be a multiple of 6",
        ),
        ({"rotary_dim": 2}, ValueError, "rotary_dim must be a multiple of 4 and at least that"),
        ({"rotary_dim": 0}, ValueError, "rotary_dim must be a multiple of 4 and at least that"),
        ({"rotary_dim": -4}, ValueError, "rotary_dim must be a multiple of 4 and at least that"),
        (
            {"rotary_dim": 8.0},
            TypeError,
            "rotary_dim must be a whole number (int), got 8.0 (float)",
        ),
        (
            {"rotary_dim": True},
            TypeError,
            "rotary_dim must be a whole number (int), got True (bool)",
        ),
        ({"rotary_dim": None}, TypeError, "rotary_dim must be a whole number (int), got None"),
        (
            {"rotary_dim": 2**57},
            ValueError,
            "positions x rotary_dim must be below 2**58 entries, "
            "got positions 2, rotary_dim 144115188075855872",
        ),
        ({"base": 0.5}, ValueError, "base must be at least 1, got 0.5"),
        ({"base": math.inf}, ValueError, "base must be finite, got inf"),
        ({"base": "100"}, TypeError, "base must be a number (int or float), got '100' (str)"),
        (
            {"frequencies": "split"},
            ValueError,
            "frequencies must be one of 'shared', 'dealt', got 'split'",
        ),
        (
            {"frequencies": None},
            TypeError,
            "frequencies must be one of 'shared', 'dealt', got None",
        ),
        ({"order": "rows"}, ValueError, "order must be one of 'blocks', 'alternating', got 'rows'"),
        ({"order": 1}, TypeError, "order must be one of 'blocks', 'alternating', got 1 (int)"),
        ({"dtype": "float16"}, ValueError, "dtype must be float32 or float64, got float16"),
        ({"dtype": None}, TypeError, "dtype must be float32 or float64, got None"),
    ],
)
def test_a_bad_argument_of_the_rotation_is_named(changed, error, message):
    good = {"positions": [[0, 1], [2, 3]], "rotary_dim": 8, "base": 100}
    with refused(error, message):
        axial_rotary(**{**good, "frequencies": "shared", "order": "blocks", **changed})


def test_a_result_that_only_the_machine_cannot_hold_is_a_memory_error():
    with pytest.raises(MemoryError):
        axial_rotary([[0, 1], [2, 3]], 2**56, 100, frequencies="shared", order="blocks")


@pytest.mark.parametrize("missing", ["frequencies", "order"])
def test_a_convention_must_be_chosen(missing):
    chosen = {"frequencies": "shared", "order": "blocks"}
    del chosen[missing]
    with pytest.raises(TypeError, match=missing):
        axial_rotary([[0, 1]], 8, 100, **chosen)


@pytest.mark.parametrize("name", ["height", "width"])
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0, ValueError, "must be at least 1, got 0"),
        (-2, ValueError, "must be at least 1, got -2"),
        (2.0, TypeError, "must be a whole number (int), got 2.0 (float)"),
        (True, TypeError, "must be a whole number (int), got True (bool)"),
        ("2", TypeError, "must be a whole number (int), got '2' (str)"),
        (None, TypeError, "must be a whole number (int), got None (NoneType)"),
    ],
)
def test_a_bad_side_of_the_grid_is_named(name, value, error, message):
    with refused(error, f"{name} {message}"):
        centred_grid_positions(**{"height": 2, "width": 3, name: value})


def test_a_grid_without_end_is_refused():
    with refused(ValueError, "height x width must be below 2**58 entries, got height 2, width "):
        centred_grid_positions(2, 2**57)


def test_numbers_of_numpy_are_numbers_and_nothing_is_changed():
    positions = np.array([[1.5, 2], [3, 4]])
    before = positions.copy()

    rotation = axial_rotary(
        positions, np.int64(8), np.float32(100), frequencies="shared", order="blocks"
    )

    np.testing.assert_array_equal(positions, before)
    plain = axial_rotary(before.tolist(), 8, 100, frequencies="shared", order="blocks")
    np.testing.assert_array_equal(rotation.sin, plain.sin)
