"""Decoupled rotary positions: by hand, by property, by a second route, against a real model."""

import re

import numpy as np
import pytest

from posenc_ref import (
    Rotation,
    apply_rotary,
    attention,
    causal_mask,
    decoupled_rotary,
    rotary_cos_sin,
    rotary_inv_freq,
)
from tests.recorded import each_case

LAYOUTS = ["half", "interleaved", "interleaved_to_half"]
every_layout = pytest.mark.parametrize("layout", LAYOUTS)


def vectors(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def parts(*leading, n_heads=3, n_tokens=4, content_dim=5, rope_dim=6):
    """Queries, keys: content and rope of each."""
    return {
        "q_content": vectors(*leading, n_heads, n_tokens, content_dim),
        "q_rope": vectors(*leading, n_heads, n_tokens, rope_dim, seed=1),
        "k_content": vectors(*leading, n_heads, n_tokens, content_dim, seed=2),
        "k_rope": vectors(*leading, n_tokens, rope_dim, seed=3),
    }


# By hand


def test_two_heads_and_a_quarter_turn():
    quarter = Rotation(np.zeros((1, 1)), np.ones((1, 1)))
    given = [[[[5]], [[6]]], [[[1, 2]], [[3, 4]]], [[[7]], [[8]]], [[0, 1]]]

    q, k = decoupled_rotary(*given, quarter, layout="half")

    np.testing.assert_array_equal(q, [[[5, -2, 1]], [[6, -4, 3]]])
    np.testing.assert_array_equal(k, [[[7, -1, 0]], [[8, -1, 0]]])


def test_no_tokens_and_no_content_are_allowed():
    rotation = rotary_cos_sin([], rotary_inv_freq(6))

    q, k = decoupled_rotary(**parts(n_tokens=0), rotation=rotation, layout="half")
    assert q.shape == k.shape == (3, 0, 11)
    rotation = rotary_cos_sin(np.arange(4), rotary_inv_freq(6))
    q, k = decoupled_rotary(**parts(content_dim=0), rotation=rotation, layout="half")
    assert q.shape == k.shape == (3, 4, 6)


# By property


@every_layout
def test_the_score_is_that_of_content_plus_that_of_turned_features(layout):
    given = parts(2)
    rotation = rotary_cos_sin(np.arange(4), rotary_inv_freq(6))

    q, k = decoupled_rotary(**given, rotation=rotation, layout=layout)

    content = given["q_content"] @ given["k_content"].swapaxes(-1, -2)
    turned_q = apply_rotary(given["q_rope"], rotation, layout=layout)
    turned_k = apply_rotary(given["k_rope"], rotation, layout=layout)[:, None]
    expected = content + turned_q @ turned_k.swapaxes(-1, -2)
    np.testing.assert_allclose(q @ k.swapaxes(-1, -2), expected, rtol=0, atol=1e-13)


def test_all_heads_share_the_turned_features_of_the_key():
    rotation = rotary_cos_sin(np.arange(4), rotary_inv_freq(6))

    _, k = decoupled_rotary(**parts(2), rotation=rotation, layout="half")

    assert k.shape == (2, 3, 4, 11)
    np.testing.assert_array_equal(k[:, 0, :, 5:], k[:, 1, :, 5:])
    np.testing.assert_array_equal(k[:, 0, :, 5:], k[:, 2, :, 5:])


# By a second route


@every_layout
@pytest.mark.parametrize("leading", [(2,), (3,), (2, 3)], ids=str)
def test_rows_of_a_batch_at_their_own_positions(layout, leading):
    """As many rows as heads among them."""
    given = parts(*leading)
    positions = np.random.default_rng(0).integers(0, 1000, (*leading, 4))
    frequencies = rotary_inv_freq(6)

    q, k = decoupled_rotary(**given, rotation=rotary_cos_sin(positions, frequencies), layout=layout)

    for row in np.ndindex(leading):
        alone_q, alone_k = decoupled_rotary(
            **{name: part[row] for name, part in given.items()},
            rotation=rotary_cos_sin(positions[row], frequencies),
            layout=layout,
        )
        np.testing.assert_allclose(q[row], alone_q, rtol=0, atol=1e-14)
        np.testing.assert_allclose(k[row], alone_k, rtol=0, atol=1e-14)


def test_float32_stays():
    given = {name: part.astype(np.float32) for name, part in parts().items()}
    rotation = rotary_cos_sin(np.arange(4), rotary_inv_freq(6))

    q, k = decoupled_rotary(**given, rotation=rotation, layout="half")

    assert q.dtype == k.dtype == np.float32


# Against a real model


def latent_attention(case, rotation, layout):
    """Multi-head latent attention of one layer, from hidden states to output."""
    given = case.inputs
    n_heads, content_dim, latent_dim = given["n_heads"], given["content_dim"], given["latent_dim"]
    x, n_tokens = given["x"], len(given["x"])

    def heads(array):
        return array.reshape(n_tokens, n_heads, -1).swapaxes(0, 1)

    q_content, q_rope = np.split(heads(x @ given["q"].T), [content_dim], axis=-1)
    latent, k_rope = np.split(x @ given["kv_a"].T, [latent_dim], axis=-1)
    mean_square = (latent**2).mean(axis=-1, keepdims=True)
    normed = given["norm"] * latent / np.sqrt(mean_square + given["epsilon"])
    k_content, v = np.split(heads(normed @ given["kv_b"].T), [content_dim], axis=-1)
    q, k = decoupled_rotary(q_content, q_rope, k_content, k_rope, rotation, layout=layout)
    mixed = attention(q, k, v, mask=causal_mask(n_tokens, n_tokens), scale=given["scale"])
    return mixed.swapaxes(0, 1).reshape(n_tokens, -1) @ given["o"].T


@each_case("rotary", "decoupled_rotary")
def test_latent_attention_of_deepseek_v3(case):
    """Its norm rounds the latent vector to float32, so 1e-6 is what can be asked."""
    cos, sin = (case.inputs[name].astype(np.float32) for name in ("cos", "sin"))
    right = case.inputs["layout"]

    for layout in LAYOUTS:
        ours = latent_attention(case, Rotation(cos, sin), layout)
        error = np.abs(ours - case.outputs["output"]).max()
        same_scores = {right, right.replace("interleaved_to_half", "interleaved")}
        assert (error < 1e-6) == (layout in same_scores), layout


@each_case("rotary", "decoupled_rotary")
def test_latent_attention_of_deepseek_v3_from_positions_alone(case):
    frequencies = case.inputs["inv_freq"].astype(np.float32)
    rotation = rotary_cos_sin(case.inputs["positions"], frequencies)

    ours = latent_attention(case, rotation, case.inputs["layout"])

    np.testing.assert_allclose(ours, case.outputs["output"], rtol=0, atol=2e-6)


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"q_content": np.ones((4, 5))},
            ValueError,
            "q_content must have shape (..., heads, T, content_dim), got (4, 5)",
        ),
        ({"q_content": None}, TypeError, "q_content must be numbers (int or float), got dtype obj"),
        (
            {"q_content": np.ones((2, 3, 9, 5))},
            ValueError,
            "q_content must have shape (2, 3, 4, 5), to fit q_rope, got (2, 3, 9, 5)",
        ),
        (
            {"q_rope": np.ones(6)},
            ValueError,
            "q_rope must have shape (..., heads, T, rope_dim), got",
        ),
        ({"q_rope": "a"}, TypeError, "q_rope must be numbers (int or float), got dtype <U1"),
        (
            {"k_content": np.ones((4, 5))},
            ValueError,
            "k_content must have shape (..., heads, T, con",
        ),
        (
            {"k_content": np.ones((2, 1, 4, 5))},
            ValueError,
            "k_content must have shape (2, 3, 4, 5), to fit q_rope, got (2, 1, 4, 5)",
        ),
        ({"k_rope": np.ones(6)}, ValueError, "k_rope must have shape (..., T, rope_dim), got (6,)"),
        (
            {"k_rope": np.ones((2, 1, 4, 6))},
            ValueError,
            "k_rope must have shape (2, 4, 6), to fit q_rope, got (2, 1, 4, 6)",
        ),
        (
            {"k_rope": np.ones((2, 4, 8))},
            ValueError,
            "k_rope must have shape (2, 4, 6), to fit q_rope, got (2, 4, 8)",
        ),
        ({"rotation": None}, TypeError, "rotation must be a Rotation(cos, sin), got NoneType"),
        (
            {"rotation": Rotation(np.ones((4, 2)), np.ones((4, 2)))},
            ValueError,
            "rotation must turn all 6 features of k_rope, got shape (4, 2)",
        ),
        (
            {"rotation": Rotation(np.ones((4, 4)), np.ones((4, 4)))},
            ValueError,
            "rotation must turn all 6 features of k_rope, got shape (4, 4)",
        ),
        (
            {"rotation": Rotation(np.ones((5, 3)), np.ones((5, 3)))},
            ValueError,
            "rotation must have one row for each of 4 tokens, got shape (5, 3)",
        ),
        (
            {"rotation": Rotation(np.ones((2, 1, 4, 3)), np.ones((2, 1, 4, 3)))},
            ValueError,
            "rotation must have the axes of x, (2, 4, 6), each leading one full or 1",
        ),
        (
            {"layout": "neox"},
            ValueError,
            "layout must be one of 'half', 'interleaved', 'interleave",
        ),
        (
            {"layout": None},
            TypeError,
            "layout must be one of 'half', 'interleaved', 'interleaved_t",
        ),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    good = {**parts(2), "rotation": rotary_cos_sin(np.arange(4), rotary_inv_freq(6))}

    with pytest.raises(error, match=re.escape(message)):
        decoupled_rotary(**{**good, "layout": "half", **changed})
