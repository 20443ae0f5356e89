"""xPos: by hand, by property, by a second route, against a real model, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import Rotation, apply_rotary, rotary_cos_sin, rotary_inv_freq, xpos_scales
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)


def xpos(q, k, q_positions, k_positions, inv_freq, middle=0):
    """Queries and keys, turned and scaled."""
    width = 2 * len(inv_freq)
    cos, sin = rotary_cos_sin(q_positions, inv_freq)
    scales = xpos_scales(np.asarray(q_positions) - middle, width)
    q = apply_rotary(q, Rotation(cos * scales, sin * scales), layout="interleaved")
    cos, sin = rotary_cos_sin(k_positions, inv_freq)
    scales = xpos_scales(np.asarray(k_positions) - middle, width)
    return q, apply_rotary(k, Rotation(cos / scales, sin / scales), layout="interleaved")


# By hand


def test_scales_of_width_four():
    """zeta is 0.4 / 1.4 and 0.9 / 1.4."""
    scales = xpos_scales([0, 512, -512, 1024], 4)

    zeta = np.array([2 / 7, 9 / 14])
    np.testing.assert_allclose(scales, [[1, 1], zeta, 1 / zeta, zeta**2], rtol=1e-15)


def test_another_base_and_gamma():
    scales = xpos_scales([10, 5], 4, scale_base=10, gamma=0.5)

    np.testing.assert_allclose(scales, [[1 / 3, 2 / 3], np.sqrt([1 / 3, 2 / 3])], rtol=1e-15)


@pytest.mark.parametrize(
    ("distance", "score"), [(0, 2), (3, 0.014214), (100, 1.170789), (512, -0.029970)]
)
def test_scores_by_hand(distance, score):
    q, k = xpos([[1, 0, 1, 0]], [[1, 0, 1, 0]], [distance], [0], rotary_inv_freq(4))

    np.testing.assert_allclose(q @ k.T, [[score]], rtol=0, atol=5e-7)


def test_the_same_written_out():
    zeta = np.array([2 / 7, 9 / 14]) ** (3 / 512)
    q, k = xpos([[1, 0, 1, 0]], [[1, 0, 1, 0]], [3], [0], rotary_inv_freq(4))

    np.testing.assert_allclose(q @ k.T, [[zeta @ [math.cos(3), math.cos(0.03)]]], atol=1e-15)


def test_leading_axes_are_kept_and_no_tokens_are_allowed():
    positions = np.arange(12).reshape(2, 2, 3)

    scales = xpos_scales(positions, 6)

    assert scales.shape == (2, 2, 3, 3)
    assert scales.dtype == np.float64
    np.testing.assert_array_equal(scales[1, 0, 1], xpos_scales([7], 6)[0])
    assert xpos_scales([], 6).shape == (0, 3)


# By property


@BOUNDED
@given(st.integers(-50_000, 50_000), st.integers(0, 2000), st.integers(1, 8))
def test_the_product_for_a_query_and_a_key_depends_on_their_distance_alone(p, distance, n_pairs):
    there, here = xpos_scales([p + distance, p], 2 * n_pairs)

    np.testing.assert_allclose(there / here, xpos_scales([distance], 2 * n_pairs)[0], rtol=1e-12)


@BOUNDED
@given(st.floats(0.5, 2000), st.integers(2, 20))
def test_slower_pairs_keep_more(distance, n_pairs):
    [kept] = xpos_scales([distance], 2 * n_pairs)

    assert (np.diff(kept) > 0).all()
    assert kept.max() < 1


def test_scores_do_not_know_where_positions_are_counted_from():
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 9, 6))
    positions = np.arange(9)

    from_zero = xpos(q, k, positions, positions, rotary_inv_freq(6))
    from_middle = xpos(q, k, positions, positions, rotary_inv_freq(6), middle=4)

    assert np.abs(from_zero[0] - from_middle[0]).max() > 1e-3
    np.testing.assert_allclose(
        from_zero[0] @ from_zero[1].T, from_middle[0] @ from_middle[1].T, rtol=0, atol=1e-13
    )


# By a second route


def test_the_scales_of_one_position_after_the_other():
    """Each token multiplies the scale by the same number."""
    scales = xpos_scales(np.arange(600), 4)

    step = np.array([2 / 7, 9 / 14]) ** (1 / 512)
    one_by_one = np.cumprod(np.vstack([[1, 1], np.tile(step, (599, 1))]), axis=0)
    np.testing.assert_allclose(scales, one_by_one, rtol=1e-12)


# Against a real model


@each_case("rotary", "xpos_scales")
def test_queries_keys_and_scores_of_a_released_class(case):
    frequencies = case.inputs["inv_freq"]
    n_tokens = case.inputs["q"].shape[-2]
    positions = np.arange(n_tokens)

    q, k = xpos(
        case.inputs["q"], case.inputs["k"], positions, positions, frequencies, middle=n_tokens // 2
    )

    np.testing.assert_allclose(q, case.outputs["q"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(k, case.outputs["k"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(q @ k.swapaxes(-1, -2), case.outputs["scores"], rtol=0, atol=1e-13)


@each_case("rotary", "xpos_scales")
def test_without_the_middle_the_scores_are_the_same_and_the_queries_are_not(case):
    positions = np.arange(case.inputs["q"].shape[-2])

    q, k = xpos(case.inputs["q"], case.inputs["k"], positions, positions, case.inputs["inv_freq"])

    np.testing.assert_allclose(q @ k.swapaxes(-1, -2), case.outputs["scores"], rtol=0, atol=1e-13)
    assert np.abs(q - case.outputs["q"]).max() > 1e-3


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"positions": 3},
            ValueError,
            "positions must have shape (..., T), got a single number, 3",
        ),
        ({"positions": [math.inf]}, ValueError, "positions must be finite and less than 2**53 in"),
        (
            {"positions": ["a"]},
            TypeError,
            "positions must be numbers (int or float), got dtype <U1",
        ),
        (
            {"positions": [0, -400_000]},
            ValueError,
            "positions must be near enough to 0 for scales between e**-700 and e**700, "
            "got -400000.0 with scale_base 512.0",
        ),
        ({"positions": [400_000]}, ValueError, "positions must be near enough to 0 for scales bet"),
        ({"rotary_dim": 3}, ValueError, "rotary_dim must be even and at least 2 (features go in p"),
        (
            {"rotary_dim": 4.0},
            TypeError,
            "rotary_dim must be a whole number (int), got 4.0 (float)",
        ),
        ({"rotary_dim": 2**80}, ValueError, "rotary_dim must be below 2**58 entries"),
        ({"rotary_dim": 2**57}, ValueError, "positions x rotary_dim must be below 2**58 entries"),
        ({"scale_base": 0}, ValueError, "scale_base must be above 0, got 0"),
        ({"scale_base": "512"}, TypeError, "scale_base must be a number (int or float), got '512'"),
        ({"gamma": 0}, ValueError, "gamma must be above 0, got 0"),
        ({"gamma": math.nan}, ValueError, "gamma must be finite, got nan"),
        ({"gamma": None}, TypeError, "gamma must be a number (int or float), got None (NoneType)"),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    with pytest.raises(error, match=re.escape(message)):
        xpos_scales(**{"positions": [0, 1], "rotary_dim": 4, **changed})


def test_positions_up_to_the_limit_are_allowed():
    """The fastest pair shrinks by e^-700 after 286,000 tokens."""
    limit = 700 * 512 / math.log(1.4 / 0.4)

    scales = xpos_scales([math.floor(limit), -math.floor(limit)], 4)

    assert scales.min() > 0
    assert np.isfinite(1 / scales).all()
    with pytest.raises(ValueError, match="near enough"):
        xpos_scales([math.ceil(limit)], 4)
