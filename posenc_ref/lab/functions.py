"""The functions that a transformer is made of, each with its gradient.

A function gives its result and what its gradient will need; the gradient, named
`..._back`, turns the change of the loss with the result into the change of the
loss with the arguments. Rows are tokens: x has shape `(n, d)`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from posenc_ref.kinds import Floats

IGNORED = -1
"""A target that is not asked for."""

STEEP = math.sqrt(2 / math.pi)
BEND = 0.044715  # both are of the tanh form of GELU, as in GPT-2
EPSILON = 1e-5


class Normalised(NamedTuple):
    """What `normalise_back` needs."""

    unit: Floats
    """Each row with mean 0 and variance 1."""

    inverse_deviation: Floats
    gain: Floats


def normalise(x: Floats, gain: Floats, shift: Floats) -> tuple[Floats, Normalised]:
    """Layer normalisation: each row to mean 0 and variance 1, then a learned gain and shift."""
    centred = x - x.mean(-1, keepdims=True)
    variance = np.vecdot(centred, centred) / x.shape[-1]
    inverse_deviation = 1 / np.sqrt(variance + EPSILON)[:, None]
    centred *= inverse_deviation
    return centred * gain + shift, Normalised(centred, inverse_deviation, gain)


def normalise_back(d_y: Floats, saved: Normalised) -> tuple[Floats, Floats, Floats]:
    """Gradients of x, gain and shift.

    A row can change in neither mean nor size, so what the gradient has along these
    two directions is taken out.
    """
    unit, inverse_deviation, gain = saved
    d_gain, d_shift = (d_y * unit).sum(0), d_y.sum(0)
    d_x = d_y * gain
    along = np.vecdot(d_x, unit)[:, None] / unit.shape[-1]
    d_x -= d_x.mean(-1, keepdims=True)
    d_x -= unit * along
    d_x *= inverse_deviation
    return d_x, d_gain, d_shift


def gelu(x: Floats) -> tuple[Floats, Floats]:
    """Each entry times a gate between 0 and 1, which opens where the entry is positive.

    Returns:
        x * gate, and the gate, (1 + tanh(STEEP * (x + BEND * x**3))) / 2.
    """
    gate = np.square(x)
    gate *= STEEP * BEND
    gate += STEEP
    gate *= x
    np.tanh(gate, out=gate)
    gate += 1
    gate *= 0.5
    return x * gate, gate


def gelu_back(d_y: Floats, x: Floats, y: Floats, gate: Floats) -> Floats:
    """Gradient of x, for y = x * gate: gate + y * (1 - gate) * 2 STEEP * (1 + 3 BEND x**2)."""
    slope = np.square(x)
    slope *= 6 * STEEP * BEND
    slope += 2 * STEEP
    slope *= y
    slope *= 1 - gate
    slope += gate
    slope *= d_y
    return slope


def softmax(scores: Floats) -> Floats:
    """Shares that add up to 1 along the last axis; writes over the scores."""
    scores -= scores.max(-1, keepdims=True)  # so that no power overflows
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return scores


def softmax_back(d_shares: Floats, shares: Floats) -> Floats:
    """Gradient of the scores; writes over the gradient of the shares."""
    d_shares -= np.vecdot(d_shares, shares)[..., None]
    d_shares *= shares
    return d_shares


def cross_entropy(logits: Floats, targets: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """How surprised a model is, in nats, by each target that is asked for; and its shares.

    Args:
        logits: Scores of every token, shape `(n, n_tokens)`; they are written over.
        targets: The right token of each row, or `IGNORED`, shape `(n,)`.

    Returns:
        Minus the logarithm of the share that the model gives to the target, shape
        `(n_asked,)`, and all shares, shape `(n, n_tokens)`.
    """
    asked = np.flatnonzero(targets != IGNORED)
    logits -= logits.max(-1, keepdims=True)
    of_target = logits[asked, targets[asked]]
    shares = np.exp(logits, out=logits)
    total = shares.sum(-1)
    losses = np.log(total[asked]) - of_target
    shares /= total[:, None]
    return losses, shares


def cross_entropy_back(shares: Floats, targets: NDArray[np.int64]) -> Floats:
    """Gradient of the logits, for the mean loss of what is asked for; writes over the shares."""
    asked = np.flatnonzero(targets != IGNORED)
    if len(asked) < len(targets):
        shares[targets == IGNORED] = 0
    shares[asked, targets[asked]] -= 1
    shares /= len(asked)
    return shares
