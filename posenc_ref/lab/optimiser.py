"""AdamW: each weight moves by its own step, and large weights are drawn towards 0.

The step of a weight is its mean gradient over the root of its mean squared
gradient, so that it does not depend on the size of the loss.

Source: Kingma and Ba (2015), arXiv:1412.6980; Loshchilov and Hutter (2019),
arXiv:1711.05101, for the weights drawn towards 0 apart from the gradient.
"""

import math
from typing import NamedTuple

import numpy as np

from posenc_ref.lab.schemes import Weights

KEEP_MEAN, KEEP_SQUARE = 0.9, 0.99  # of the old mean, a step
EPSILON = 1e-8
LOWEST = 0.1  # of the learning rate, at the end


class Moments(NamedTuple):
    """What AdamW remembers of past gradients, one entry for each weight."""

    mean: Weights
    square: Weights


def no_moments(weights: Weights) -> Moments:
    """Nothing remembered yet."""
    return Moments(
        {name: np.zeros_like(w) for name, w in weights.items()},
        {name: np.zeros_like(w) for name, w in weights.items()},
    )


def learning_rate(step: int, steps: int, highest: float, warm_up: int) -> float:
    """The rate of a step, counted from 1: a rise to the highest, then half a cosine down.

    Examples:
        >>> from posenc_ref.lab.optimiser import learning_rate
        >>> [round(learning_rate(step, 100, 1.0, 10), 2) for step in (1, 10, 50, 100)]
        [0.1, 0.98, 0.55, 0.1]
    """
    fall = 0.5 * (1 + math.cos(math.pi * step / steps))
    return highest * min(1.0, step / max(warm_up, 1)) * (LOWEST + (1 - LOWEST) * fall)


def clip(gradients: Weights, longest: float) -> float:
    """Shorten the gradient, all weights taken together, to the length allowed.

    Returns:
        Its length before.
    """
    length = math.sqrt(sum(float(np.vdot(g, g)) for g in gradients.values()))
    if length > longest:
        for gradient in gradients.values():
            gradient *= longest / length
    return length


def adamw(
    weights: Weights,
    gradients: Weights,
    moments: Moments,
    *,
    step: int,
    rate: float,
    weight_decay: float,
) -> None:
    """Take one step, in place.

    Args:
        weights: They are changed.
        gradients: Of the loss.
        moments: They are brought up to date.
        step: Counted from 1.
        rate: Length of the step.
        weight_decay: Share of a weight, times `rate`, that is taken off; not of
            gains, shifts and other vectors.
    """
    of_mean, of_square = 1 - KEEP_MEAN**step, 1 - KEEP_SQUARE**step  # both begin at 0
    for name, weight in weights.items():
        gradient, mean, square = gradients[name], moments.mean[name], moments.square[name]
        mean += (1 - KEEP_MEAN) * (gradient - mean)
        square += (1 - KEEP_SQUARE) * (np.square(gradient) - square)
        if weight.ndim > 1:
            weight *= 1 - rate * weight_decay
        size = np.sqrt(square / of_square)
        size += EPSILON
        weight -= rate / of_mean * mean / size
