"""The weights that training begins with: random, and the same for all schemes.

What all schemes share is drawn first, and what a scheme has of its own after it.
"""

import math
from typing import Any

import numpy as np

from posenc_ref import checks
from posenc_ref.lab.config import Config
from posenc_ref.lab.schemes import SMALL, Weights, own_weights


def first_weights(config: Config, seed: int, dtype: np.dtype[np.floating]) -> Weights:
    """Random weights as in GPT-2: small ones, gains of 1, shifts of 0."""
    random = np.random.default_rng(checks.whole_number("seed", seed, at_least=0))
    weights: dict[str, Any] = {}
    for name, shape in _shared_shapes(config).items():
        if name.endswith("gain"):
            weights[name] = np.ones(shape)
        elif name.endswith("shift"):
            weights[name] = np.zeros(shape)
        else:  # what is added in each of the layers is smaller, so that the sum is not larger
            within = name.endswith(("out", "down"))
            size = SMALL / math.sqrt(2 * config.n_layers) if within else SMALL
            weights[name] = size * random.standard_normal(shape)
    weights |= own_weights(config, random)
    return {name: array.astype(dtype) for name, array in weights.items()}


def _shared_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    d, wide = config.d_model, 4 * config.d_model
    shapes: dict[str, tuple[int, ...]] = {"tokens": (config.n_tokens, d)}
    for layer in range(config.n_layers):
        of_layer: dict[str, tuple[int, ...]] = {
            "attend.gain": (d,), "attend.shift": (d,), "qkv": (d, 3 * d), "out": (d, d),
            "work.gain": (d,), "work.shift": (d,), "up": (d, wide), "up.shift": (wide,),
            "down": (wide, d), "down.shift": (d,),
        }  # fmt: skip
        shapes |= {f"{layer}.{name}": shape for name, shape in of_layer.items()}
    return shapes | {"final.gain": (d,), "final.shift": (d,)}


def weight_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """The shape of each weight, by its name."""
    own = own_weights(config, np.random.default_rng(0))
    return _shared_shapes(config) | {name: array.shape for name, array in own.items()}
