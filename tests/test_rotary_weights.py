"""Layouts of weights: by hand, by property, by a second route, against real models."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    apply_rotary,
    convert_rotary_weights,
    rotary_cos_sin,
    rotary_inv_freq,
    rotary_permutation,
)
from tests.recorded import each_case
from tests.rotary_layers import K, Q, attention_of, recorded_rotation

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

OTHER = {"half": "interleaved", "interleaved": "half"}
pairings = st.sampled_from(["half", "interleaved"])


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


# By hand


def test_pe_02_permutations_of_width_eight():
    to_half = rotary_permutation(8, source="interleaved", target="half")
    to_interleaved = rotary_permutation(8, source="half", target="interleaved")

    np.testing.assert_array_equal(to_half, [0, 2, 4, 6, 1, 3, 5, 7])
    np.testing.assert_array_equal(to_interleaved, [0, 4, 1, 5, 2, 6, 3, 7])
    assert to_half.dtype == np.int64


def test_a_single_pair_has_one_order():
    for source in OTHER:
        for target in OTHER:
            permutation = rotary_permutation(2, source=source, target=target)
            np.testing.assert_array_equal(permutation, [0, 1])


def test_nothing_moves_to_the_same_layout():
    for layout in OTHER:
        permutation = rotary_permutation(6, source=layout, target=layout)
        np.testing.assert_array_equal(permutation, np.arange(6))


def test_pe_02_scores_agree_once_queries_and_keys_have_changed_places():
    frequencies = rotary_inv_freq(8)

    def score(q, k, layout):
        q = apply_rotary([q], rotary_cos_sin([7], frequencies), layout=layout)
        k = apply_rotary([k], rotary_cos_sin([3], frequencies), layout=layout)
        return (q @ k.T).item()

    to_half = rotary_permutation(8, source="interleaved", target="half")
    q, k = np.array(Q), np.array(K)

    np.testing.assert_allclose(score(q, k, "interleaved"), -1.3021153305, atol=1e-9)
    np.testing.assert_allclose(score(q[to_half], k[to_half], "half"), -1.3021153305, atol=1e-9)
    np.testing.assert_allclose(score(q, k, "half"), -2.6904283992, atol=1e-9)


def test_pe_03_rows_move_within_their_head():
    rows = np.arange(16)

    def moved(n_heads, source):
        options = {"n_heads": n_heads, "source": source, "target": OTHER[source]}
        return convert_rotary_weights(rows, **options)

    np.testing.assert_array_equal(moved(4, "interleaved")[:8], [0, 2, 1, 3, 4, 6, 5, 7])
    np.testing.assert_array_equal(moved(4, "half")[:8], [0, 2, 1, 3, 4, 6, 5, 7])
    np.testing.assert_array_equal(moved(2, "interleaved")[:8], [0, 2, 4, 6, 1, 3, 5, 7])
    np.testing.assert_array_equal(moved(2, "half")[:8], [0, 4, 1, 5, 2, 6, 3, 7])
    np.testing.assert_array_equal(moved(2, "half")[8:], [8, 12, 9, 13, 10, 14, 11, 15])


def test_only_the_rows_that_turn_move():
    rows = np.arange(12)
    options = {"n_heads": 2, "source": "interleaved", "target": "half", "rotary_dim": 4}

    leading = convert_rotary_weights(rows, **options)
    trailing = convert_rotary_weights(rows, **options, where="trailing")

    np.testing.assert_array_equal(leading, [0, 2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 11])
    np.testing.assert_array_equal(trailing, [0, 1, 2, 4, 3, 5, 6, 7, 8, 10, 9, 11])


def test_a_head_of_odd_width_may_turn_in_part():
    options = {"n_heads": 1, "source": "interleaved", "target": "half", "rotary_dim": 4}

    np.testing.assert_array_equal(convert_rotary_weights(np.arange(5), **options), [0, 2, 1, 3, 4])


# By property


@BOUNDED
@given(st.integers(1, 40), pairings, pairings)
def test_source_and_target_exchanged_give_the_inverse(n_pairs, source, target):
    there = rotary_permutation(2 * n_pairs, source=source, target=target)
    back = rotary_permutation(2 * n_pairs, source=target, target=source)

    np.testing.assert_array_equal(there[back], np.arange(2 * n_pairs))


@BOUNDED
@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 3), st.sampled_from(["f2", "f4", "i8"]))
def test_there_and_back_leaves_the_weights(n_heads, n_pairs, n_passing, dtype):
    weight = np.random.default_rng(0).integers(0, 99, (n_heads * (2 * n_pairs + n_passing), 3))
    weight = weight.astype(dtype)
    shared = {"n_heads": n_heads, "rotary_dim": 2 * n_pairs}

    there = convert_rotary_weights(weight, **shared, source="half", target="interleaved")
    back = convert_rotary_weights(there, **shared, source="interleaved", target="half")

    assert there.dtype == back.dtype == dtype
    np.testing.assert_array_equal(back, weight)
    assert not np.shares_memory(there, weight)


# By a second route


@pytest.mark.parametrize("n_heads", [1, 3])
def test_reshaping_and_swapping_two_axes_moves_the_same_rows(n_heads):
    """The form that converters of checkpoints use."""
    weight = np.random.default_rng(0).standard_normal((n_heads * 10, 7))

    to_half = weight.reshape(n_heads, 5, 2, 7).swapaxes(1, 2).reshape(weight.shape)
    to_interleaved = weight.reshape(n_heads, 2, 5, 7).swapaxes(1, 2).reshape(weight.shape)

    for expected, source in [(to_half, "interleaved"), (to_interleaved, "half")]:
        ours = convert_rotary_weights(weight, n_heads=n_heads, source=source, target=OTHER[source])
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("where", ["leading", "trailing"])
def test_a_converted_projection_turns_in_the_other_layout_to_the_same_places(where):
    rng = np.random.default_rng(0)
    weight, x = rng.standard_normal((2 * 7, 5)), rng.standard_normal((4, 5))
    rotation = rotary_cos_sin(np.arange(4), rotary_inv_freq(6))
    converted = convert_rotary_weights(
        weight, n_heads=2, source="interleaved", target="half", rotary_dim=6, where=where
    )

    def turned(weight, layout):
        heads = (x @ weight.T).reshape(4, 2, 7).swapaxes(0, 1)
        return apply_rotary(heads, rotation, layout=layout, where=where)

    np.testing.assert_allclose(
        turned(converted, "half"), turned(weight, "interleaved_to_half"), rtol=0, atol=1e-14
    )


# Against real models


@each_case("rotary", "convert_rotary_weights")
def test_a_released_layer_runs_with_converted_weights_in_the_other_layout(case):
    layout = case.inputs["layout"]
    rotation = recorded_rotation(case)

    def convert(weight, n_heads):
        return convert_rotary_weights(
            weight,
            n_heads=n_heads,
            source=layout,
            target=OTHER[layout],
            rotary_dim=2 * rotation.cos.shape[-1],
        )

    ours = attention_of(case, rotation, OTHER[layout], convert=convert)

    tolerance = case.inputs.get("tolerance", 1e-12)
    np.testing.assert_allclose(ours, case.outputs["output"], rtol=0, atol=tolerance)


# On bad input

PAIRINGS = [
    ({"source": "interleaved_to_half"}, ValueError, "source must be one of 'half', 'interleaved',"),
    ({"source": None}, TypeError, "source must be one of 'half', 'interleaved', got None"),
    ({"target": "neox"}, ValueError, "target must be one of 'half', 'interleaved', got 'neox'"),
    ({"target": 1}, TypeError, "target must be one of 'half', 'interleaved', got 1 (int)"),
    ({"rotary_dim": 3}, ValueError, "rotary_dim must be even and at least 2 (features go in pairs"),
    ({"rotary_dim": 0}, ValueError, "rotary_dim must be even and at least 2"),
    ({"rotary_dim": 2.0}, TypeError, "rotary_dim must be a whole number (int), got 2.0 (float)"),
    ({"rotary_dim": True}, TypeError, "rotary_dim must be a whole number (int), got True (bool)"),
]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *PAIRINGS,
        ({"rotary_dim": 2**80}, ValueError, "rotary_dim must be below 2**58 entries"),
        ({"rotary_dim": None}, TypeError, "rotary_dim must be a whole number (int), got None"),
    ],
)
def test_a_bad_argument_of_the_permutation_is_named(changed, error, message):
    with refused(error, message):
        rotary_permutation(**{"rotary_dim": 4, "source": "half", "target": "half", **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *PAIRINGS,
        ({"rotary_dim": 6}, ValueError, "rotary_dim must be at most head_dim = 4, got 6"),
        ({"rotary_dim": 2**80}, ValueError, "rotary_dim must be below 2**58 entries, got rotary"),
        ({"n_heads": 0}, ValueError, "n_heads must be at least 1, got 0"),
        ({"n_heads": 2.0}, TypeError, "n_heads must be a whole number (int), got 2.0 (float)"),
        ({"n_heads": 3}, ValueError, "weight must have a multiple of n_heads = 3 rows, got 8"),
        ({"n_heads": 2**80}, ValueError, "weight must have a multiple of n_heads = 1208925"),
        ({"n_heads": 8}, ValueError, "head_dim must be even and at least 2 (features go in pairs)"),
        (
            {"weight": np.ones((0, 3))},
            ValueError,
            "weight must have a multiple of n_heads = 2 rows",
        ),
        (
            {"weight": np.ones((2, 4, 3))},
            ValueError,
            "weight must have shape (n_heads * head_dim, d_model) or (n_heads * head_dim,), got (2",
        ),
        ({"weight": 1.0}, ValueError, "weight must have shape (n_heads * head_dim, d_model) or (n"),
        ({"weight": None}, TypeError, "weight must be numbers (int or float), got dtype object"),
        ({"weight": ["a"] * 8}, TypeError, "weight must be numbers (int or float), got dtype <U1"),
        ({"weight": [[1], [1, 2]]}, ValueError, "weight must be one array, got [[1], [1, 2]]"),
        ({"where": "last"}, ValueError, "where must be one of 'leading', 'trailing', got 'last'"),
        ({"where": None}, TypeError, "where must be one of 'leading', 'trailing', got None"),
    ],
)
def test_a_bad_argument_of_the_conversion_is_named(changed, error, message):
    arguments = {"weight": np.ones((8, 3)), "n_heads": 2, "source": "half", "target": "half"}

    with refused(error, message):
        convert_rotary_weights(**{**arguments, **changed})


def test_layouts_must_be_chosen():
    with pytest.raises(TypeError, match="source"):
        rotary_permutation(4, target="half")
    with pytest.raises(TypeError, match="target"):
        convert_rotary_weights(np.ones(8), n_heads=2, source="half")
