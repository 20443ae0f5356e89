"""One layer: tokens look at each other, then each is worked on by itself.

Both steps add to what was there, x + step(normalised x), as in GPT-2. A scheme
enters in two lines, both in `attend`: one turns queries and keys, the other adds
to the scores. (The third place, where a table is added, is before the first layer.)
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from posenc_ref.kinds import Floats, Rotation
from posenc_ref.lab.functions import (
    Normalised,
    gelu,
    gelu_back,
    normalise,
    normalise_back,
    softmax,
    softmax_back,
)
from posenc_ref.lab.schemes import Weights
from posenc_ref.pairs import Layout
from posenc_ref.rotary import apply_rotary, undo_rotary

# A model that is trained with a layout is none the worse for it; this one is the quicker to turn.
LAYOUT: Layout = "interleaved"

KeysValues: TypeAlias = tuple[Floats, Floats]
"""Turned keys and values of earlier tokens, each of shape `(batch, n_heads, n, head_dim)`."""


class Attended(NamedTuple):
    """What `attend_back` needs."""

    y: Floats
    normalised: Normalised
    q: Floats
    k: Floats
    v: Floats
    shares: Floats
    mixed: Floats
    rotation: Rotation | None


class Worked(NamedTuple):
    """What `work_back` needs."""

    y: Floats
    normalised: Normalised
    wide: Floats
    gate: Floats
    hidden: Floats


def attend(
    x: Floats,
    w: Weights,
    batch: int,
    n_heads: int,
    rotation: Rotation | None,
    added: Floats | None,
    past: KeysValues | None = None,
) -> tuple[Floats, Attended]:
    """Each token takes from those that it may look at.

    Args:
        x: Rows of all texts, one after another, shape `(batch * n, d_model)`.
        w: Weights of this layer.
        batch: How many texts there are.
        n_heads: Number of heads.
        rotation: What turns queries and keys.
        added: Bias and mask in one, shape `(..., n, n_keys)`.
        past: Keys and values of earlier tokens.

    Returns:
        The new rows, shape of `x`, and what the gradient needs.
    """
    y, normalised = normalise(x, w["attend.gain"], w["attend.shift"])
    # (batch * n, 3 d_model) to (3, batch, n_heads, n, head_dim)
    parts = (y @ w["qkv"]).reshape(batch, -1, 3, n_heads, x.shape[-1] // n_heads)
    qkv = np.ascontiguousarray(parts.transpose(2, 0, 3, 1, 4))
    if rotation is not None:
        apply_rotary(qkv[:2], rotation, layout=LAYOUT, out=qkv[:2])
    q, k, v = qkv
    q *= 1 / math.sqrt(q.shape[-1])  # here and not on the scores, which are more
    if past is not None:
        k, v = (np.concatenate(both, axis=-2) for both in zip(past, (k, v), strict=True))
    scores = q @ k.swapaxes(-1, -2)  # (batch, n_heads, n, n_keys)
    if added is not None:
        scores += added
    shares = softmax(scores)
    mixed = (shares @ v).transpose(0, 2, 1, 3).reshape(x.shape)
    return x + mixed @ w["out"], Attended(y, normalised, q, k, v, shares, mixed, rotation)


def attend_back(d_x: Floats, w: Weights, saved: Attended) -> tuple[Floats, Weights, Floats]:
    """Gradients of the rows, of the weights, and of the scores once scaled.

    Args:
        d_x: Gradient of the new rows.
        w: Weights of this layer.
        saved: What `attend` kept.

    Returns:
        The gradient of the old rows, those of the weights, and the gradient of
        `added` before it is summed over the batch, `(batch, n_heads, n, n)`.
    """
    y, normalised, q, k, v, shares, mixed, rotation = saved
    batch, n_heads, n, head_dim = q.shape
    d_mixed = (d_x @ w["out"].T).reshape(batch, n, n_heads, head_dim).transpose(0, 2, 1, 3)
    d_mixed = np.ascontiguousarray(d_mixed)
    d_scores = softmax_back(d_mixed @ v.swapaxes(-1, -2), shares)
    d_qkv = np.empty((3, *q.shape), q.dtype)
    np.matmul(d_scores, k, out=d_qkv[0])
    np.matmul(d_scores.swapaxes(-1, -2), q, out=d_qkv[1])
    np.matmul(shares.swapaxes(-1, -2), d_mixed, out=d_qkv[2])
    d_qkv[0] *= 1 / math.sqrt(head_dim)
    if rotation is not None:  # the transpose of a rotation is the rotation back
        d_qkv[:2] = undo_rotary(d_qkv[:2], rotation, layout=LAYOUT)
    d_parts = d_qkv.transpose(1, 3, 0, 2, 4).reshape(len(y), -1)
    d_y, d_gain, d_shift = normalise_back(d_parts @ w["qkv"].T, normalised)
    gradients = {
        "out": mixed.T @ d_x,
        "qkv": y.T @ d_parts,
        "attend.gain": d_gain,
        "attend.shift": d_shift,
    }
    return d_x + d_y, gradients, d_scores


def work(x: Floats, w: Weights) -> tuple[Floats, Worked]:
    """Each token is worked on by itself: widened, bent, and narrowed again."""
    y, normalised = normalise(x, w["work.gain"], w["work.shift"])
    wide = y @ w["up"]
    wide += w["up.shift"]
    hidden, gate = gelu(wide)
    narrow = hidden @ w["down"]
    narrow += w["down.shift"]
    return x + narrow, Worked(y, normalised, wide, gate, hidden)


def work_back(d_x: Floats, w: Weights, saved: Worked) -> tuple[Floats, Weights]:
    """Gradients of the rows and of the weights."""
    y, normalised, wide, gate, hidden = saved
    d_wide = gelu_back(d_x @ w["down"].T, wide, hidden, gate)
    d_y, d_gain, d_shift = normalise_back(d_wide @ w["up"].T, normalised)
    gradients = {
        "down": hidden.T @ d_x,
        "down.shift": d_x.sum(0),
        "up": y.T @ d_wide,
        "up.shift": d_wide.sum(0),
        "work.gain": d_gain,
        "work.shift": d_shift,
    }
    return d_x + d_y, gradients
