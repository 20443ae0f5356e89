"""Fourier features: by hand, by property, by a second route, against real models, on bad input."""

import itertools
import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    fourier_features,
    gaussian_fourier_features,
    learnable_fourier_features,
    linear_fourier_features,
)
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

coordinates = st.integers(1, 4)
bands = st.integers(1, 12)
seeds = st.integers(0, 10**6)

HALF = math.sqrt(0.5)


def points(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def weights(seed, n_waves, n_coordinates, n_hidden, n_out):
    random = np.random.default_rng(seed)
    return {
        "w_r": random.normal(size=(n_waves, n_coordinates)),
        "w1": random.normal(size=(2 * n_waves, n_hidden)),
        "b1": random.normal(size=n_hidden),
        "w2": random.normal(size=(n_hidden, n_out)),
        "b2": random.normal(size=n_out),
    }


# By hand


def test_two_bands_of_a_quarter():
    """The eighth of a turn, then the quarter."""
    features = fourier_features([0.25], 2, convention="paper")

    np.testing.assert_allclose(features, [HALF, HALF, 1, 0], atol=1e-15)


def test_the_papers_order_goes_coordinate_after_coordinate():
    """1/6 and 1/3 of a half turn for the first, 1/4 and 1/2 for the second."""
    features = fourier_features([1 / 6, 1 / 4], 2, convention="paper")

    root = math.sqrt(3) / 2
    np.testing.assert_allclose(features, [0.5, root, root, 0.5, HALF, HALF, 1, 0], atol=1e-15)


def test_the_codes_order_goes_band_after_band_behind_the_point():
    p, q = math.pi / 6, math.pi / 4
    features = fourier_features([p, q], 2, convention="code")

    root = math.sqrt(3) / 2
    expected = [p, q, 0.5, HALF, root, HALF, root, 1, 0.5, 0]
    np.testing.assert_allclose(features, expected, atol=1e-15)


def test_the_code_has_no_pi():
    features = fourier_features([1.0], 1, convention="code")

    np.testing.assert_allclose(features, [1, math.sin(1), math.cos(1)], rtol=1e-15)


def test_evenly_spaced_bands_by_hand():
    """Frequencies 1, 1.5 and 2 of 4 cells; 1, 2 and 3 of 6; a half and a third of a half turn."""
    features = linear_fourier_features([1 / 2, 1 / 3], 3, [4, 6])

    root = math.sqrt(3) / 2
    sines = [1, HALF, 0, root, root, 0]
    cosines = [0, -HALF, -1, 0.5, -0.5, -1]
    np.testing.assert_allclose(features, [1 / 2, 1 / 3, *sines, *cosines], atol=1e-15)


def test_neighbouring_cells_are_about_half_a_turn_apart_on_the_fastest_band():
    """Perceiver's cells stand on the ends: 8 cells have 7 steps of 2/7, so 8/7 of half a turn."""
    places = np.linspace(-1, 1, 8)[:, None]
    features = linear_fourier_features(places, 5, [8])

    step = features[:-1, 10] * features[1:, 10] + features[:-1, 5] * features[1:, 5]
    np.testing.assert_allclose(step, math.cos(math.pi * 8 / 7), rtol=1e-13)


def test_a_single_band_has_frequency_one():
    np.testing.assert_allclose(
        linear_fourier_features([1 / 6], 1, [224]), [1 / 6, 0.5, math.sqrt(3) / 2]
    )


def test_an_axis_of_one_cell_slows_down_to_a_half():
    features = linear_fourier_features([1 / 3], 2, [1])

    root = math.sqrt(3) / 2
    np.testing.assert_allclose(features, [1 / 3, root, 0.5, 0.5, root])


def test_random_directions_by_hand():
    features = gaussian_fourier_features([1, 1], [[0.25, 0], [0, 0.125]])

    np.testing.assert_allclose(features, [1, HALF, 0, HALF], atol=1e-15)


def test_a_place_in_an_image_by_hand():
    """c = (3/4, 1/2), so x = (1/2, 0)."""
    place = 2 * np.array([0.75, 0.5]) - 1
    features = gaussian_fourier_features(place, [[0.25, 0], [0, 0.125]])

    np.testing.assert_allclose(features, [HALF, 0, HALF, 1], atol=1e-15)


def test_a_frequency_is_a_row():
    """A quarter turn for each unit of the second coordinate: the first does not matter."""
    features = gaussian_fourier_features([[5, 1], [7, 1]], [[0, 0.25]])

    np.testing.assert_allclose(features, [[1, 0], [1, 0]], atol=1e-15)


def test_learnable_features_by_hand():
    """Both angles are a quarter turn: r is (0, 0, 1/2, 1/2), its sum 1, and GELU(1) twice 1.682689.

    With GELU by tanh it would be 1.682384.
    """
    w_r = [[math.pi / 2, 0], [0, math.pi / 4]]
    features = learnable_fourier_features([[1, 2]], w_r, np.ones((4, 1)), [0], [[2]], [0])

    np.testing.assert_allclose(features, [1.682689], atol=5e-7)


def test_cosines_come_before_sines_in_learnable_features():
    """Weights that pick entries 0 and 2 of r at angle 0; a large bias, where GELU(z) is z."""
    picking = [[1, 0], [0, 0], [0, 1], [0, 0]]
    features = learnable_fourier_features(
        [[0.0]], [[1], [1]], picking, [40, 40], np.eye(2), [-40, -40]
    )

    np.testing.assert_allclose(features, [0.5, 0], atol=1e-14)


# By property


@BOUNDED
@given(seeds, coordinates, bands)
def test_each_pair_of_the_paper_lies_on_the_unit_circle(seed, n_coordinates, n_bands):
    features = fourier_features(points(seed, 3, n_coordinates), n_bands, convention="paper")

    pairs = features.reshape(3, -1, 2)
    assert pairs.shape[1] == n_bands * n_coordinates
    np.testing.assert_allclose((pairs**2).sum(axis=-1), 1, rtol=1e-14)


@BOUNDED
@given(seeds, coordinates, bands)
def test_the_paper_repeats_every_two_units_and_the_code_does_not(seed, n_coordinates, n_bands):
    """Multiples of 1/1024, so that adding 2 is exact."""
    x = np.round(points(seed, 3, n_coordinates) * 1024) / 1024

    np.testing.assert_allclose(
        fourier_features(x + 2, n_bands, convention="paper"),
        fourier_features(x, n_bands, convention="paper"),
        atol=1e-15,
    )
    code = fourier_features(x, n_bands, convention="code")
    later = fourier_features(x + 2, n_bands, convention="code")
    assert (np.abs(later - code)[:, n_coordinates:].max(axis=-1) > 0.1).all()


@BOUNDED
@given(seeds, coordinates, bands)
def test_the_product_of_two_points_depends_on_their_difference(seed, n_coordinates, n_bands):
    x, y, shift = points(seed, 3, n_coordinates)
    b = np.random.default_rng(seed).normal(size=(5, n_coordinates))
    resolution = np.arange(5, 5 + n_coordinates)
    trained = weights(seed, 5, n_coordinates, 10, 1)["w_r"]

    def linear(p):
        return linear_fourier_features(p, n_bands, resolution)[n_coordinates:]

    def gaussian(p):
        return gaussian_fourier_features(p, b)

    def learnable(p):
        """The inner features, seen through a layer that hands them on."""
        big, one, none = np.full(10, 40.0), np.eye(10), np.full(10, -40.0)
        return learnable_fourier_features(p[None], trained, one, big, one, none)

    for features in (linear, gaussian, learnable):
        np.testing.assert_allclose(
            features(x + shift) @ features(y + shift), features(x) @ features(y), atol=2e-12
        )


@BOUNDED
@given(seeds, coordinates)
def test_a_row_of_random_directions_has_length_root_of_their_number(seed, n_coordinates):
    b = np.random.default_rng(seed).normal(size=(7, n_coordinates))
    features = gaussian_fourier_features(points(seed, 4, n_coordinates), b)

    np.testing.assert_allclose((features**2).sum(axis=-1), 7, rtol=1e-14)


@BOUNDED
@given(seeds, coordinates, st.integers(1, 3))
def test_groups_are_side_by_side_and_share_the_weights(seed, n_coordinates, n_groups):
    x = points(seed, 5, n_groups, n_coordinates)
    network = weights(seed, 2, n_coordinates, 3, 4)

    together = learnable_fourier_features(x, **network)

    assert together.shape == (5, n_groups * 4)
    for group in range(n_groups):
        alone = learnable_fourier_features(x[:, group : group + 1], **network)
        np.testing.assert_allclose(together[:, 4 * group : 4 * group + 4], alone, rtol=1e-12)


ON_POINTS = {
    "paper": lambda x: fourier_features(x, 3, convention="paper"),
    "code": lambda x: fourier_features(x, 3, convention="code"),
    "linear": lambda x: linear_fourier_features(x, 3, [7, 4]),
    "gaussian": lambda x: gaussian_fourier_features(x, np.ones((3, 2), np.asarray(x).dtype)),
    "learnable": lambda x: learnable_fourier_features(
        x, **{k: v.astype(np.asarray(x).dtype) for k, v in weights(1, 2, 2, 3, 4).items()}
    ),
}
every_scheme = pytest.mark.parametrize("scheme", ON_POINTS.values(), ids=ON_POINTS.keys())
WIDTHS = {"paper": 12, "code": 14, "linear": 14, "gaussian": 6, "learnable": 12}


@pytest.mark.parametrize("name", ON_POINTS)
def test_leading_axes_are_kept(name):
    """Three groups of two coordinates are the last two axes of the last scheme."""
    x = points(0, 4, 5, 3, 2)
    features = ON_POINTS[name](x)

    leading = (4, 5) if name == "learnable" else (4, 5, 3)
    assert features.shape == (*leading, WIDTHS[name])
    np.testing.assert_allclose(features[1, 2], ON_POINTS[name](x[1, 2]), rtol=1e-13)


@every_scheme
def test_float32_stays_and_is_the_float64_result_rounded_once(scheme):
    x = np.float32(points(0, 4, 3, 2))

    assert scheme(x.astype(np.float64)).dtype == np.float64
    assert scheme(x).dtype == np.float32
    assert scheme(x.astype(np.float16)).dtype == np.float32


@pytest.mark.parametrize("name", ["paper", "code", "linear", "gaussian"])
def test_angles_are_made_in_float64_for_float32_points(name):
    x = np.float32(points(0, 4, 3, 2))

    np.testing.assert_array_equal(
        ON_POINTS[name](x), ON_POINTS[name](x.astype(np.float64)).astype(np.float32)
    )


def test_the_angle_of_float32_learnable_features_is_made_in_float64():
    """Turning 1e5 radians: float32 would be off by about 0.004 of a radian."""
    network = {k: v.astype(np.float32) for k, v in weights(3, 2, 2, 3, 4).items()}
    network["w_r"] *= np.float32(1e5)
    x = np.float32(points(0, 4, 3, 2))
    wide = {k: v.astype(np.float64) for k, v in network.items()}

    np.testing.assert_array_equal(
        learnable_fourier_features(x, **network),
        learnable_fourier_features(x.astype(np.float64), **wide).astype(np.float32),
    )


def test_one_wider_argument_widens_the_result():
    narrow = np.float32([[0.5, 0.25]])
    network = {k: v.astype(np.float32) for k, v in weights(0, 2, 2, 3, 4).items()}

    assert gaussian_fourier_features(narrow, narrow).dtype == np.float32
    assert gaussian_fourier_features(narrow, narrow.astype(float)).dtype == np.float64
    assert gaussian_fourier_features(narrow.astype(float), narrow).dtype == np.float64
    for name, array in network.items():
        widened = {**network, name: array.astype(np.float64)}
        assert learnable_fourier_features(narrow, **widened).dtype == np.float64


@every_scheme
def test_whole_numbers_count_as_float64_and_no_argument_is_changed(scheme):
    x = np.array([[0, 1], [2, -3]])
    before = x.copy()

    assert ON_POINTS["linear"](x).dtype == np.float64
    scheme(x.astype(float))
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("name", ON_POINTS)
def test_no_points_give_an_empty_table(name):
    empty = np.empty((0, 3, 2))

    leading = (0,) if name == "learnable" else (0, 3)
    assert ON_POINTS[name](empty).shape == (*leading, WIDTHS[name])


def test_points_without_coordinates_have_no_features():
    none = np.empty((3, 0))

    for convention in ("paper", "code"):
        assert fourier_features(none, 2, convention=convention).shape == (3, 0)
    assert linear_fourier_features(none, 2, []).shape == (3, 0)


# By a second route


@BOUNDED
@given(seeds, coordinates, bands)
def test_doubling_bands_one_by_one(seed, n_coordinates, n_bands):
    x = points(seed, n_coordinates)
    paper, code = [], list(x)
    for p, k in itertools.product(x, range(n_bands)):
        paper += [math.sin(math.pi * (2**k * p % 2)), math.cos(math.pi * (2**k * p % 2))]
    for k, wave in itertools.product(range(n_bands), (math.sin, math.cos)):
        code += [wave(2**k * p) for p in x]

    np.testing.assert_allclose(fourier_features(x, n_bands, convention="paper"), paper, atol=2e-15)
    np.testing.assert_allclose(fourier_features(x, n_bands, convention="code"), code, atol=1e-15)


@BOUNDED
@given(seeds, bands)
def test_each_band_of_the_paper_doubles_the_angle_of_the_last(seed, n_bands):
    """sin 2a = 2 sin a cos a and cos 2a = 1 - 2 sin^2 a."""
    features = fourier_features(points(seed, 1), n_bands, convention="paper")
    sin, cos = features[0::2], features[1::2]

    np.testing.assert_allclose(sin[1:], 2 * sin[:-1] * cos[:-1], atol=1e-14)
    np.testing.assert_allclose(cos[1:], 1 - 2 * sin[:-1] ** 2, atol=1e-14)


@pytest.mark.parametrize("p", [0.3, -0.7, 1e-9, 123.456, 2.0**52 + 1])
def test_high_bands_are_right_to_the_last_digits(p):
    """Against 80-digit arithmetic; pi times 2^59 p, rounded, would be off by whole turns."""
    exact = mpmath.mp.clone()
    exact.dps = 80
    angles = [exact.mpf(2) ** k * exact.mpf(p) for k in range(60)]
    paper = [[float(exact.sinpi(a)), float(exact.cospi(a))] for a in angles]
    code = [[float(exact.sin(a)), float(exact.cos(a))] for a in angles]

    np.testing.assert_allclose(
        fourier_features([p], 60, convention="paper").reshape(60, 2), paper, atol=5e-16
    )
    np.testing.assert_allclose(
        fourier_features([p], 60, convention="code")[1:].reshape(60, 2), code, atol=2e-16
    )


def test_the_highest_band_of_the_largest_point_is_finite():
    largest = 2.0**53 - 1

    assert np.isfinite(fourier_features([largest, -largest], 971, convention="code")).all()
    assert np.isfinite(fourier_features([largest, -largest], 971, convention="paper")).all()


@BOUNDED
@given(seeds, coordinates, st.integers(2, 9))
def test_evenly_spaced_bands_one_by_one(seed, n_coordinates, n_bands):
    x = points(seed, n_coordinates)
    resolution = [3 + 50 * axis for axis in range(n_coordinates)]
    angles = [
        math.pi * p * (1 + (r / 2 - 1) * i / (n_bands - 1))
        for p, r in zip(x, resolution, strict=True)
        for i in range(n_bands)
    ]

    np.testing.assert_allclose(
        linear_fourier_features(x, n_bands, resolution),
        [*x, *map(math.sin, angles), *map(math.cos, angles)],
        atol=5e-13,
    )


@BOUNDED
@given(seeds, coordinates)
def test_random_directions_as_complex_numbers(seed, n_coordinates):
    """The product of one hand for each coordinate."""
    x = points(seed, 4, n_coordinates)
    b = np.random.default_rng(seed).normal(size=(6, n_coordinates))

    hands = np.exp(2j * np.pi * x[:, None, :] * b).prod(axis=-1)

    np.testing.assert_allclose(
        gaussian_fourier_features(x, b), np.hstack([hands.imag, hands.real]), atol=1e-13
    )


def test_doubling_bands_are_directions_along_the_axes():
    """With b = 2^k / 2 on one axis at a time, the two schemes differ in the order alone."""
    x = points(0, 5, 2)
    b = [[2**k / 2 * (axis == c) for c in range(2)] for axis in range(2) for k in range(4)]

    doubling = fourier_features(x, 4, convention="paper")
    directions = gaussian_fourier_features(x, b)

    np.testing.assert_allclose(directions[:, :8], doubling[:, 0::2], atol=1e-14)
    np.testing.assert_allclose(directions[:, 8:], doubling[:, 1::2], atol=1e-14)


@BOUNDED
@given(seeds, coordinates, st.integers(1, 3), st.integers(1, 4))
def test_learnable_features_one_by_one(seed, n_coordinates, n_groups, n_waves):
    x = points(seed, n_groups, n_coordinates)
    network = weights(seed, n_waves, n_coordinates, 3, 2)
    expected = []
    for group in x:
        angles = [
            sum(w * p for w, p in zip(row, group, strict=True)) for row in network["w_r"].tolist()
        ]
        r = [wave(a) / math.sqrt(2 * n_waves) for wave in (math.cos, math.sin) for a in angles]
        hidden = [
            sum(a * w for a, w in zip(r, column, strict=True)) + bias
            for column, bias in zip(network["w1"].T, network["b1"], strict=True)
        ]
        active = [z * (1 + math.erf(z / math.sqrt(2))) / 2 for z in hidden]
        expected += [
            sum(a * w for a, w in zip(active, column, strict=True)) + bias
            for column, bias in zip(network["w2"].T, network["b2"], strict=True)
        ]

    np.testing.assert_allclose(learnable_fourier_features(x, **network), expected, atol=1e-13)


def test_the_activation_keeps_its_digits_far_below_zero():
    """-8 times the share of a normal distribution below -8, against 30-digit arithmetic."""
    expected = float(-8 * mpmath.ncdf(-8))
    features = learnable_fourier_features([[0]], [[1]], [[0], [0]], [-8], [[1]], [0])

    np.testing.assert_allclose(features, [expected], rtol=1e-12)


# Against released code


def tolerance(case):
    """1e-12 where float64 ran; float32 rounds three times on the way to the largest angle."""
    if "float32" not in case.name + case.note:
        return 1e-12
    if "resolution" in case.inputs:
        largest = math.pi * max(case.inputs["resolution"]) / 2
    else:
        largest = 2 * math.pi * np.abs(case.inputs["positional_embedding"]).sum(axis=0).max()
    return 3 * 6e-8 * largest


def close_to(case, got, recorded):
    np.testing.assert_allclose(got, recorded, rtol=0, atol=tolerance(case))


def cell_points(resolution):
    """Perceiver's points of a grid: -1 to 1 along each axis, row by row."""
    axes = [np.linspace(-1, 1, n) for n in resolution]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def perceiver_points(case):
    return case.inputs.get("x", cell_points(case.inputs["resolution"]))


def perceiver_result(case, features):
    """What the recorded class makes of the features, and what it was recorded to make of them."""
    given, outputs = case.inputs, case.outputs
    if "tokens" in outputs:
        added = features @ given["projection"].T + given["projection_bias"]
        return given["pixels"] + added, outputs["tokens"]
    return features, outputs["features"]


@each_case("fourier", "linear_fourier_features")
def test_perceiver_gives_the_same(case):
    x = perceiver_points(case)
    features = linear_fourier_features(x, case.inputs["n_bands"], case.inputs["resolution"])

    close_to(case, *perceiver_result(case, features))


@each_case("fourier", "linear_fourier_features")
def test_perceiver_does_not_have_cosines_first_nor_nerfs_frequencies(case):
    x, n_bands = perceiver_points(case), case.inputs["n_bands"]
    features = linear_fourier_features(x, n_bands, case.inputs["resolution"])
    sines, cosines = np.hsplit(features[:, x.shape[1] :], 2)
    others = [np.hstack([x, cosines, sines])]
    if n_bands > 1:  # with one band and pi the two schemes are the same
        others.append(fourier_features(math.pi * x, n_bands, convention="code"))

    for other in others:
        got, recorded = perceiver_result(case, other)
        assert np.abs(got - recorded).max() > 0.1


@each_case("fourier", "gaussian_fourier_features")
def test_segment_anything_gives_the_same(case):
    given, outputs = case.inputs, case.outputs
    b = given["positional_embedding"].T

    if "places" in given:
        features = gaussian_fourier_features(2 * given["places"] - 1, b)
        close_to(case, features, outputs["features"])
    elif "size" in given:
        middle = (np.arange(given["size"]) + 0.5) / given["size"]
        y, x = np.meshgrid(middle, middle, indexing="ij")
        places = np.stack([x, y], axis=-1).reshape(-1, 2)
        features = gaussian_fourier_features(2 * places - 1, b)
        close_to(case, features, outputs["features"])
        other_way = gaussian_fourier_features(2 * places[:, ::-1] - 1, b)
        assert np.abs(other_way - outputs["features"]).max() > 0.1
    else:

        def prompts(pixels, kinds):
            places = (pixels + 0.5) / given["image_size"]
            return gaussian_fourier_features(2 * places - 1, b) + kinds

        kinds = np.stack([given["background"], given["foreground"]])[given["labels"]]
        close_to(case, prompts(given["points"], kinds), outputs["points"])
        corners = np.stack([given["top_left"], given["bottom_right"]])
        close_to(case, prompts(given["box"].reshape(2, 2), corners), outputs["box"])


# On bad input

X = [
    ({"x": 0.5}, ValueError, "x must have shape (..., {axes}), got ()"),
    ({"x": [math.nan, 0]}, ValueError, "x must be finite and less than 2**53 in size, got nan"),
    ({"x": [0, -math.inf]}, ValueError, "x must be finite and less than 2**53 in size, got -inf"),
    ({"x": [2.0**53, 0]}, ValueError, "x must be finite and less than 2**53 in size, got 900719"),
    ({"x": [1j, 0]}, TypeError, "x must be numbers (int or float), got dtype complex128"),
    ({"x": [True, False]}, TypeError, "x must be numbers (int or float), got dtype bool"),
    ({"x": ["0", "1"]}, TypeError, "x must be numbers (int or float), got dtype <U1"),
    ({"x": [None, 0]}, TypeError, "x must be numbers (int or float), got dtype object"),
    ({"x": [2**80, 0]}, TypeError, "x must be numbers (int or float), got dtype object"),
    ({"x": None}, TypeError, "x must be numbers (int or float), got dtype object"),
    ({"x": [[0, 1], [2]]}, ValueError, "x must be one array, got [[0, 1], [2]]"),
]
BANDS = [
    ({"n_bands": 0}, ValueError, "n_bands must be at least 1, got 0"),
    ({"n_bands": -3}, ValueError, "n_bands must be at least 1, got -3"),
    ({"n_bands": 4.0}, TypeError, "n_bands must be a whole number (int), got 4.0 (float)"),
    ({"n_bands": True}, TypeError, "n_bands must be a whole number (int), got True (bool)"),
    ({"n_bands": None}, TypeError, "n_bands must be a whole number (int), got None (NoneType)"),
]


def refused(error, message, axes="n_coordinates"):
    return pytest.raises(error, match="^" + re.escape(message.format(axes=axes)))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *X,
        *BANDS,
        ({"n_bands": 972}, ValueError, "n_bands must be at most 971, got 972"),
        ({"n_bands": 2**80}, ValueError, "n_bands must be at most 971, got 12089"),
        (
            {"convention": "nerf"},
            ValueError,
            "convention must be one of 'paper', 'code', got 'nerf'",
        ),
        ({"convention": None}, TypeError, "convention must be one of 'paper', 'code', got None"),
    ],
)
def test_a_bad_argument_of_the_doubling_bands_is_named(changed, error, message):
    with refused(error, message):
        fourier_features(**{"x": [0, 1], "n_bands": 2, "convention": "paper", **changed})


def test_no_convention_is_the_default():
    with pytest.raises(TypeError, match="convention"):
        fourier_features([0.5], 2)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *X,
        *BANDS,
        ({"n_bands": 2**57}, ValueError, "n_bands x entries_of_x must be below 2**58 entries"),
        ({"n_bands": 2**80}, ValueError, "n_bands x entries_of_x must be below 2**58 entries"),
        ({"resolution": [4]}, ValueError, "resolution must have shape (2,), got (1,)"),
        ({"resolution": [4, 5, 6]}, ValueError, "resolution must have shape (2,), got (3,)"),
        ({"resolution": 4}, ValueError, "resolution must have shape (2,), got ()"),
        ({"resolution": [4, 0]}, ValueError, "resolution must be at least 1 everywhere, got 0"),
        (
            {"resolution": [4, 2**53 + 1]},
            ValueError,
            "resolution must be at most 9007199254740992 everywhere, got 9007199254740993",
        ),
        ({"resolution": [4, 2.0]}, TypeError, "resolution must be whole numbers (int), got dtype"),
        ({"resolution": [True, True]}, TypeError, "resolution must be whole numbers (int), got "),
        ({"resolution": None}, TypeError, "resolution must be whole numbers (int), got dtype ob"),
    ],
)
def test_a_bad_argument_of_the_even_bands_is_named(changed, error, message):
    with refused(error, message):
        linear_fourier_features(**{"x": [0, 1], "n_bands": 2, "resolution": [4, 5], **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *X,
        ({"b": [1, 2]}, ValueError, "b must have shape (n_features, 2), got (2,)"),
        ({"b": np.ones((2, 3))}, ValueError, "b must have shape (n_features, 2), got (2, 3)"),
        ({"b": np.ones((1, 3, 2))}, ValueError, "b must have shape (n_features, 2), got (1, 3, 2)"),
        (
            {"b": [[0, math.nan]]},
            ValueError,
            "b must be finite and less than 2**53 in size, got nan",
        ),
        ({"b": [["0", "1"]]}, TypeError, "b must be numbers (int or float), got dtype <U1"),
        ({"b": None}, TypeError, "b must be numbers (int or float), got dtype object"),
        ({"b": [[1, 2], [3]]}, ValueError, "b must be one array, got [[1, 2], [3]]"),
    ],
)
def test_a_bad_argument_of_the_random_directions_is_named(changed, error, message):
    with refused(error, message):
        gaussian_fourier_features(**{"x": [0, 1], "b": [[1, 2]], **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *X[-10:-1],
        ({"x": 0.5}, ValueError, "x must have shape (..., {axes}), got ()"),
        ({"x": [0, 1]}, ValueError, "x must have shape (..., {axes}), got (2,)"),
        ({"x": [[[0, 1], [2]]]}, ValueError, "x must be one array, got [[[0, 1], [2]]]"),
        ({"w_r": np.ones((3, 1))}, ValueError, "w_r must have shape (n_waves, 2), got (3, 1)"),
        ({"w_r": np.ones(2)}, ValueError, "w_r must have shape (n_waves, 2), got (2,)"),
        ({"w_r": np.ones((0, 2))}, ValueError, "w_r must have at least one row, got shape (0, 2)"),
        ({"w1": np.ones((3, 4))}, ValueError, "w1 must have shape (6, n_hidden), got (3, 4)"),
        ({"w1": np.ones((4, 6))}, ValueError, "w1 must have shape (6, n_hidden), got (4, 6)"),
        ({"b1": np.ones(3)}, ValueError, "b1 must have shape (4,), got (3,)"),
        ({"b1": np.ones((1, 4))}, ValueError, "b1 must have shape (4,), got (1, 4)"),
        ({"w2": np.ones((5, 4))}, ValueError, "w2 must have shape (4, n_out), got (5, 4)"),
        ({"b2": 0.0}, ValueError, "b2 must have shape (5,), got ()"),
        ({"b2": np.ones(4)}, ValueError, "b2 must have shape (5,), got (4,)"),
        *(
            ({name: None}, TypeError, f"{name} must be numbers (int or float), got dtype object")
            for name in ("w_r", "w1", "b1", "w2", "b2")
        ),
        *(
            ({name: bad}, ValueError, f"{name} must be finite")
            for name, bad in {
                "w_r": np.full((3, 2), np.inf),
                "w1": np.full((6, 4), np.inf),
                "b1": np.full(4, np.inf),
                "w2": np.full((4, 5), np.inf),
                "b2": np.full(5, np.inf),
            }.items()
        ),
    ],
)
def test_a_bad_argument_of_the_learnable_features_is_named(changed, error, message):
    x = changed.get("x")
    if isinstance(x, list) and len(x) == 2 and x != [0, 1]:
        changed = {"x": [x]}  # a group more, so that the entry is what is wrong
    network = {
        "w_r": np.ones((3, 2)),
        "w1": np.ones((6, 4)),
        "b1": np.ones(4),
        "w2": np.ones((4, 5)),
        "b2": np.ones(5),
    }

    with refused(error, message, "n_groups, n_coordinates"):
        learnable_fourier_features(**{"x": [[0, 1]], **network, **changed})


def test_segment_anythings_own_orientation_is_refused():
    """It stores b as (2, n_features)."""
    with pytest.raises(ValueError, match=re.escape("b must have shape (n_features, 2)")):
        gaussian_fourier_features([0.5, 0.5], np.ones((2, 128)))


def test_wide_points_widen_the_learnable_features():
    shapes = {"w_r": (1, 1), "w1": (2, 1), "b1": (1,), "w2": (1, 1), "b2": (1,)}
    narrow = {name: np.ones(shape, np.float32) for name, shape in shapes.items()}

    assert learnable_fourier_features(np.ones((1, 1), np.float32), **narrow).dtype == np.float32
    assert learnable_fourier_features(np.ones((1, 1)), **narrow).dtype == np.float64
