"""Polar positions: by hand, by property, by the formula, against a real layer, on bad input."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    attention,
    causal_mask,
    polar_inv_freq,
    polar_scores,
    polar_vectors,
    relative_positions,
)
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
UNIT = math.log(math.e - 1)  # its softplus is 1

widths = st.sampled_from([1, 2, 3, 8, 16])
bases = st.sampled_from([1.0, 100.0, 10000.0])


@st.composite
def counts(draw):
    n_keys = draw(st.integers(1, 9))
    return draw(st.integers(1, n_keys)), n_keys


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def by_the_formula(q, k, base, phase):
    """The sum of cosines of differences, entry by entry, without scale."""
    head_dim = q.shape[-1]
    w = base ** (-np.arange(head_dim) / head_dim)
    distance = relative_positions(q.shape[-2], k.shape[-2])
    cosines = np.cos(distance[..., None] * w + phase)
    softplus_q, softplus_k = np.log(1 + np.exp(q)), np.log(1 + np.exp(k))
    return np.einsum("...mc,...nc,...mnc->...mn", softplus_q, softplus_k, cosines)


# By hand


def test_there_is_a_frequency_for_each_feature():
    np.testing.assert_allclose(polar_inv_freq(4), [1, 0.1, 0.01, 0.001], rtol=1e-15)
    np.testing.assert_allclose(polar_inv_freq(2, base=100), [1, 0.1], rtol=1e-15)
    np.testing.assert_allclose(polar_inv_freq(3, base=8), [1, 0.5, 0.25], rtol=1e-15)
    np.testing.assert_array_equal(polar_inv_freq(1), [1])


def test_a_key_two_tokens_before_a_query_of_width_two():
    """Frequencies 1 and 0.01: cos 2 + cos 0.02."""
    q, k = np.full((1, 2), UNIT), np.full((3, 2), UNIT)

    scores = polar_scores(q, k, scale=1)

    np.testing.assert_allclose(scores[0, 0], math.cos(2) + math.cos(0.02), rtol=1e-14)
    np.testing.assert_allclose(scores[0, 0], 0.583653, atol=5e-7)
    np.testing.assert_allclose(polar_scores(q, k), scores / math.sqrt(2), rtol=1e-14)


def test_the_phase_adds_to_key_minus_query():
    """cos(-2 - pi / 2) is -sin 2; with query minus key it would be sin 2, 1.909 in all."""
    q, k = np.full((1, 2), UNIT), np.full((3, 2), UNIT)

    scores = polar_scores(q, k, phase=[-math.pi / 2, 0], scale=1)

    np.testing.assert_allclose(scores[0, 0], -math.sin(2) + math.cos(0.02), rtol=1e-13)
    np.testing.assert_allclose(scores[0, 0], 0.090503, atol=5e-7)


def test_the_lengths_are_softplus():
    """softplus(0) is ln 2, softplus(1) is 1.313262."""
    scores = polar_scores([[0.0, 1.0]], [[UNIT, UNIT]] * 3, phase=[-math.pi / 2, 0], scale=1)

    expected = math.log(2) * -math.sin(2) + math.log(1 + math.e) * math.cos(0.02)
    np.testing.assert_allclose(scores[0, 0], expected, rtol=1e-13)
    np.testing.assert_allclose(scores[0, 0], 0.682722, atol=5e-7)


def test_cosines_come_first_in_the_vectors():
    vectors = polar_vectors([[UNIT, 0.0]], [3], base=100, phase=[0.5, -1])

    ln2 = math.log(2)
    expected = [math.cos(3.5), ln2 * math.cos(-0.7), math.sin(3.5), ln2 * math.sin(-0.7)]
    np.testing.assert_allclose(vectors, [expected], rtol=1e-14)


def test_large_values_neither_overflow_nor_vanish():
    vectors = polar_vectors([[1000.0], [-700.0]], [0, 0])

    np.testing.assert_allclose(vectors[:, 0], [1000, math.exp(-700)], rtol=1e-14)


def test_no_tokens_give_no_vectors():
    assert polar_vectors(np.zeros((0, 3)), []).shape == (0, 6)
    assert polar_vectors(np.zeros((2, 0, 3)), []).shape == (2, 0, 6)


# By property


@BOUNDED
@given(counts(), widths, bases)
def test_new_queries_get_the_last_rows(shape, head_dim, base):
    n_queries, n_keys = shape
    q, k = numbers(2, n_keys, head_dim), numbers(2, n_keys, head_dim, seed=1)
    phase = numbers(2, head_dim, seed=2)

    full = polar_scores(q, k, base=base, phase=phase)

    last = polar_scores(q[:, n_keys - n_queries :], k, base=base, phase=phase)
    assert full.shape == (2, n_keys, n_keys)
    np.testing.assert_allclose(last, full[:, n_keys - n_queries :], rtol=0, atol=1e-13)


@BOUNDED
@given(st.integers(-(10**6), 10**6), widths, bases)
def test_scores_depend_on_the_distance_alone(shift, head_dim, base):
    q, k = numbers(5, head_dim), numbers(5, head_dim, seed=1)
    positions, phase = np.arange(5), numbers(head_dim, seed=2)

    def scores(first):
        from_queries = polar_vectors(q, positions + first, base=base)
        return from_queries @ polar_vectors(k, positions + first, base=base, phase=phase).T

    np.testing.assert_allclose(scores(shift), scores(0), rtol=0, atol=1e-12)


@BOUNDED
@given(st.integers(-(10**6), 10**6), widths)
def test_a_vector_keeps_its_length_at_every_position(position, head_dim):
    x = numbers(1, head_dim)

    vectors = polar_vectors(x, [position], phase=numbers(head_dim, seed=1))

    softplus = np.log(1 + np.exp(x))
    np.testing.assert_allclose(np.hypot(*np.split(vectors, 2, axis=-1)), softplus, rtol=1e-13)


def test_a_head_has_its_own_phase():
    q, k, phase = numbers(2, 3, 4, 5), numbers(2, 3, 4, 5, seed=1), numbers(3, 5, seed=2)

    scores = polar_scores(q, k, phase=phase)

    assert scores.shape == (2, 3, 4, 4)
    one_head = polar_scores(q[1, 2], k[1, 2], phase=phase[2])
    np.testing.assert_allclose(scores[1, 2], one_head, rtol=1e-12)


def test_heads_can_share_a_phase():
    q, k, phase = numbers(2, 3, 4, 5), numbers(2, 3, 4, 5, seed=1), numbers(5, seed=2)

    shared = polar_scores(q, k, phase=phase)

    np.testing.assert_array_equal(shared, polar_scores(q, k, phase=[phase] * 3))
    vectors = polar_vectors(k, np.arange(4), phase=phase)
    np.testing.assert_array_equal(vectors[1, 2], polar_vectors(k[1, 2], np.arange(4), phase=phase))


def test_leading_axes_broadcast():
    q, k = numbers(2, 3, 4, 5), numbers(3, 4, 5, seed=1)

    np.testing.assert_allclose(polar_scores(q, k)[1], polar_scores(q[1], k), rtol=1e-12)
    np.testing.assert_allclose(polar_scores(k, q)[1], polar_scores(k, q[1]), rtol=1e-12)
    positions = np.array([[0, 1, 2, 3], [0, 0, 1, 2]])[:, None]  # each row of the batch has its own
    vectors = polar_vectors(q, positions)
    assert vectors.shape == (2, 3, 4, 10)
    np.testing.assert_array_equal(vectors[1, 2], polar_vectors(q[1, 2], [0, 0, 1, 2]))
    by_head = polar_scores(
        q[0, 0], numbers(4, 5), phase=numbers(3, 5)
    )  # one key head, three phases
    assert by_head.shape == (3, 4, 4)


def test_float32_stays_float32():
    q, k = numbers(3, 4).astype(np.float32), numbers(3, 4, seed=1).astype(np.float32)

    scores = polar_scores(q, k)

    assert scores.dtype == polar_vectors(q, [0, 1, 2]).dtype == np.float32
    assert polar_scores(q, k.astype(np.float64)).dtype == np.float64
    assert polar_vectors([[1]], [0]).dtype == np.float64
    np.testing.assert_allclose(scores, polar_scores(q.astype(float), k.astype(float)), atol=2e-6)


def test_angles_are_exact_far_out_in_float32_too():
    """Position ten million, where an angle in float32 is off by half a radian."""
    x = np.full((1, 64), UNIT, np.float32)

    vectors = polar_vectors(x, [10_000_000])

    exact = polar_vectors(x.astype(np.float64), [10_000_000])
    np.testing.assert_allclose(vectors, exact, rtol=0, atol=3e-7)
    w = polar_inv_freq(64)
    np.testing.assert_allclose(exact[0, :64], np.cos(10_000_000 * w), rtol=0, atol=1e-8)


def test_a_phase_in_float32_loses_nothing():
    x, phase = numbers(3, 4), numbers(4, seed=1).astype(np.float32)

    vectors = polar_vectors(x, [0, 1, 2], phase=phase)

    exact = polar_vectors(x, [0, 1, 2], phase=phase.astype(np.float64))
    np.testing.assert_array_equal(vectors, exact)


def test_nothing_given_is_changed():
    q, k, phase = numbers(3, 4), numbers(3, 4, seed=1), numbers(4, seed=2)
    before = [x.copy() for x in (q, k, phase)]

    polar_scores(q, k, phase=phase)

    for x, was in zip((q, k, phase), before, strict=True):
        np.testing.assert_array_equal(x, was)


# By a second route


@BOUNDED
@given(counts(), widths, bases, st.booleans())
def test_cosines_of_differences_give_the_same(shape, head_dim, base, with_phase):
    n_queries, n_keys = shape
    q, k = numbers(n_queries, head_dim), numbers(n_keys, head_dim, seed=1)
    phase = numbers(head_dim, seed=2) if with_phase else None

    scores = polar_scores(q, k, base=base, phase=phase, scale=0.5)

    expected = 0.5 * by_the_formula(q, k, base, 0 if phase is None else phase)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)


def test_attention_on_the_vectors_is_attention_by_the_scores():
    q, k, v = numbers(4, 3), numbers(4, 3, seed=1), numbers(4, 2, seed=2)
    phase, mask = numbers(3, seed=3), causal_mask(4, 4)
    positions = np.arange(4)

    by_vectors = attention(
        polar_vectors(q, positions),
        polar_vectors(k, positions, phase=phase),
        v,
        mask=mask,
        scale=3**-0.5,
    )

    scores = np.where(mask, polar_scores(q, k, phase=phase), -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(by_vectors, weights @ v, rtol=1e-13)


# Against released code


@each_case("polar", "polar_inv_freq")
def test_the_frequencies_are_those_of_x_transformers(case):
    """Made in float32."""
    w = polar_inv_freq(case.inputs["q"].shape[-1], base=case.inputs["base"])

    np.testing.assert_allclose(w, case.outputs["inv_freq"], rtol=5e-7)


@each_case("polar", "polar_vectors")
def test_the_vectors_are_those_of_x_transformers(case):
    """Lengths in float32, 4 at most, and angles of 5 w with w in float32: wrong by 1e-6 at most."""
    given, base = case.inputs, case.inputs["base"]
    n_queries, n_keys = given["q"].shape[-2], given["k"].shape[-2]

    from_queries = polar_vectors(given["q"], np.arange(n_keys - n_queries, n_keys), base=base)
    from_keys = polar_vectors(given["k"], np.arange(n_keys), base=base, phase=given["phase"])

    np.testing.assert_allclose(from_queries, case.outputs["query_vectors"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(from_keys, case.outputs["key_vectors"], rtol=0, atol=1e-6)


@each_case("polar", "polar_scores")
def test_the_scores_and_outputs_are_those_of_x_transformers(case):
    """From vectors that are off by 1e-6 at most; a score sums d products of them and of lengths."""
    q, k, v, phase = (case.inputs[name] for name in ("q", "k", "v", "phase"))
    base = case.inputs["base"]

    scores = polar_scores(q, k, base=base, phase=phase)

    np.testing.assert_allclose(scores, case.outputs["scores"], rtol=0, atol=5e-6)
    nothing = np.zeros_like(k)
    mask = causal_mask(q.shape[-2], k.shape[-2])
    output = attention(nothing[..., -q.shape[-2] :, :], nothing, v, bias=scores, mask=mask)
    np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=5e-6)
    if phase.any():
        other_way = polar_scores(q, k, base=base, phase=-phase)
        assert np.abs(other_way - case.outputs["scores"]).max() > 0.1


# On bad input

X = np.zeros((3, 4))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0,), ValueError, "head_dim must be at least 1, got 0"),
        ((2.0,), TypeError, "head_dim must be a whole number (int), got 2.0 (float)"),
        ((True,), TypeError, "head_dim must be a whole number (int), got True (bool)"),
        ((2**80,), ValueError, "head_dim must be below 2**58 entries, got head_dim 12089258196146"),
    ],
)
def test_a_bad_width_is_named(arguments, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        polar_inv_freq(*arguments)


@pytest.mark.parametrize(
    ("base", "error", "message"),
    [
        (0.5, ValueError, "base must be at least 1, got 0.5"),
        (np.nan, ValueError, "base must be finite, got nan"),
        ("10000", TypeError, "base must be a number (int or float), got '10000' (str)"),
    ],
)
def test_a_bad_base_is_named(base, error, message):
    for call in (
        lambda: polar_inv_freq(4, base=base),
        lambda: polar_vectors(X, [0, 1, 2], base=base),
        lambda: polar_scores(X, X, base=base),
    ):
        with pytest.raises(error, match="^" + re.escape(message)):
            call()


@pytest.mark.parametrize(
    ("phase", "error", "message"),
    [
        (np.zeros(3), ValueError, "phase must have shape (..., 4), got (3,)"),
        (0.0, ValueError, "phase must have shape (..., 4), got ()"),
        (np.zeros((2, 1, 4)), ValueError, "phase must have shape (head_dim,) or (n_heads, head_di"),
        ([0, 0, 0, np.nan], ValueError, "phase must be finite, got an entry nan"),
        (["a"] * 4, TypeError, "phase must be numbers (int or float), got dtype <U1"),
        (1j * np.zeros(4), TypeError, "phase must be numbers (int or float), got dtype complex128"),
    ],
)
def test_a_bad_phase_is_named(phase, error, message):
    for call in (
        lambda: polar_vectors(X, [0, 1, 2], phase=phase),
        lambda: polar_scores(X, X, phase=phase),
    ):
        with pytest.raises(error, match="^" + re.escape(message)):
            call()


def test_a_phase_for_other_heads_is_named():
    k, phase = np.zeros((2, 3, 4)), np.zeros((5, 4))
    message = "phase must have leading axes that broadcast with those of {}, got (5,)"

    with pytest.raises(ValueError, match="^" + re.escape(message.format("x (2,), positions ()"))):
        polar_vectors(k, [0, 1, 2], phase=phase)
    with pytest.raises(ValueError, match="^" + re.escape(message.format("q (2,), k (2,)"))):
        polar_scores(k, k, phase=phase)


@pytest.mark.parametrize(
    ("x", "positions", "error", "message"),
    [
        (X[0], [0], ValueError, "x must have shape (..., T, head_dim), got (4,)"),
        (
            np.zeros((2, 3, 0)),
            [0, 1, 2],
            ValueError,
            "x must have at least one feature, got shape (2, 3, 0)",
        ),
        (X[:, :0], [0, 1, 2], ValueError, "x must have at least one feature, got shape (3, 0)"),
        ([], [], ValueError, "x must have shape (..., T, head_dim), got (0,)"),
        (None, [0], TypeError, "x must be numbers (int or float), got dtype object"),
        ([[1], [1, 2]], [0, 1], ValueError, "x must be one array, got [[1], [1, 2]]"),
        (X, [0, 1], ValueError, "positions must end in the axis T = 3 of x, got shape (2,)"),
        (X, 0, ValueError, "positions must end in the axis T = 3 of x, got shape ()"),
        (
            X,
            [0, 1, np.nan],
            ValueError,
            "positions must be finite and less than 2**53 in size, got",
        ),
        (X, [0, 1, 2**53], ValueError, "positions must be finite and less than 2**53 in size, got"),
        (X, ["a"] * 3, TypeError, "positions must be numbers (int or float), got dtype <U1"),
        (
            np.zeros((2, 3, 4)),
            np.zeros((5, 3)),
            ValueError,
            "positions must have leading axes that broadcast with those of x (2,), got (5,)",
        ),
    ],
)
def test_a_bad_argument_of_the_vectors_is_named(x, positions, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        polar_vectors(x, positions)


@pytest.mark.parametrize(
    ("q", "k", "error", "message"),
    [
        (X[0], X, ValueError, "q must have shape (..., n_queries, head_dim), got (4,)"),
        (
            X[:, :0],
            X[:, :0],
            ValueError,
            "q must have at least 1 feature in its last axis, got (3, 0)",
        ),
        (None, X, TypeError, "q must be numbers (int or float), got dtype object"),
        (X, X[:, 1:], ValueError, "k must have shape (..., n_keys, 4), got (3, 3)"),
        (X, X > 0, TypeError, "k must be numbers (int or float), got dtype bool"),
        (
            np.broadcast_to(0.0, (2**29, 1)),
            np.broadcast_to(0.0, (2**29, 1)),
            ValueError,
            "q x k must be below 2**58 entries, got q 536870912, k 5368",
        ),
        (
            X,
            X[1:],
            ValueError,
            "q must have from 1 row to as many as k, since the last query stands on the last key",
        ),
        (
            np.zeros((2, 3, 4)),
            np.zeros((5, 3, 4)),
            ValueError,
            "k must have leading axes that broadcast with those of q (2,), got (5,)",
        ),
    ],
)
def test_a_bad_argument_of_the_scores_is_named(q, k, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        polar_scores(q, k)


@pytest.mark.parametrize(
    ("scale", "error", "message"),
    [
        (np.inf, ValueError, "scale must be finite, got inf"),
        ("1", TypeError, "scale must be a number (int or float), got '1' (str)"),
    ],
)
def test_a_bad_scale_is_named(scale, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        polar_scores(X, X, scale=scale)
