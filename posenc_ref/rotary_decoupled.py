"""Decoupled rotary positions (MLA). Result: a rotation of some features of queries and keys.

The score of latent attention has two parts. One compares content and is never
turned, so that keys can stay compressed in the cache. The other compares a few
extra features, which are turned, and whose keys all heads share:

    q = [q_content | turned q_rope]
    k = [k_content | turned k_rope]

Source: DeepSeek-AI (2024), DeepSeek-V2, arXiv:2405.04434, section 2.1.3.
"""

import numpy as np
from numpy.typing import ArrayLike

from posenc_ref import checks, pairs
from posenc_ref.kinds import Floats, Rotation
from posenc_ref.pairs import Layout
from posenc_ref.rotary import apply_rotary


def decoupled_rotary(
    q_content: ArrayLike,
    q_rope: ArrayLike,
    k_content: ArrayLike,
    k_rope: ArrayLike,
    rotation: Rotation,
    *,
    layout: Layout,
) -> tuple[Floats, Floats]:
    """Queries and keys of multi-head latent attention (DeepSeek-V2, V3).

    Their score is

        q . k = q_content . k_content + (turned q_rope) . (turned k_rope)

    before the scale, which is 1 / sqrt(content_dim + rope_dim) unless YaRN
    changes it. While decoding, give the new tokens alone, and append their keys to
    those that were made before.

    Args:
        q_content: Shape `(..., heads, T, content_dim)`.
        q_rope: Shape `(..., heads, T, rope_dim)`.
        k_content: Shape of `q_content`.
        k_rope: Shape `(..., T, rope_dim)`, one for all heads.
        rotation: Shape `(T, rope_dim // 2)`, or with leading axes for those of
            `k_rope`, as in `apply_rotary`: it turns all of `rope_dim`.
        layout: As in `apply_rotary`: DeepSeek-V2 `"interleaved"`, DeepSeek-V3
            `"interleaved_to_half"` unless its configuration sets
            `rope_interleave` to false, which is `"half"`.

    Returns:
        Queries and keys for `attention`, each of shape
        `(..., heads, T, content_dim + rope_dim)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import Rotation, decoupled_rotary
        >>> quarter = Rotation(cos=[[0.0]], sin=[[1.0]])
        >>> q, k = decoupled_rotary(
        ...     [[[5.0]], [[6.0]]],  # two heads, one token
        ...     [[[1.0, 2.0]], [[3.0, 4.0]]],
        ...     [[[7.0]], [[8.0]]],
        ...     [[0.0, 1.0]],
        ...     quarter,
        ...     layout="interleaved",
        ... )
        >>> q[:, 0]
        array([[ 5., -2.,  1.],
               [ 6., -4.,  3.]])
        >>> k[:, 0]
        array([[ 7., -1.,  0.],
               [ 8., -1.,  0.]])
    """
    q_content = checks.real_array("q_content", q_content, "heads", "T", "content_dim", leading=True)
    q_rope = checks.real_array("q_rope", q_rope, "heads", "T", "rope_dim", leading=True)
    k_content = checks.real_array("k_content", k_content, "heads", "T", "content_dim", leading=True)
    k_rope = checks.real_array("k_rope", k_rope, "T", "rope_dim", leading=True)
    *leading, n_heads, n_tokens, rope_dim = q_rope.shape
    _check_shape("q_content", q_content, (*leading, n_heads, n_tokens, q_content.shape[-1]))
    _check_shape("k_content", k_content, q_content.shape)
    _check_shape("k_rope", k_rope, (*leading, n_tokens, rope_dim))
    cos, sin = pairs.rotation_tables(rotation)
    if 2 * cos.shape[-1] != rope_dim:
        raise ValueError(
            f"rotation must turn all {rope_dim} features of k_rope, got shape {cos.shape}"
        )

    key = apply_rotary(k_rope, Rotation(cos, sin), layout=layout)
    if cos.ndim > 2:
        cos, sin = cos[..., None, :, :], sin[..., None, :, :]  # the same for every head
    query = apply_rotary(q_rope, Rotation(cos, sin), layout=layout)
    shared = np.broadcast_to(key[..., None, :, :], query.shape)
    return (
        np.concatenate([q_content, query], axis=-1),
        np.concatenate([k_content, shared], axis=-1),
    )


def _check_shape(name: str, array: Floats, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, to fit q_rope, got {array.shape}")
