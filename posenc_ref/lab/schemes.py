"""What each scheme gives to a model, where it enters, and what it learns.

A scheme enters at one of three places, and a model that knows these three places
needs to know no scheme:

    a table      is added to the token vectors
    a rotation   turns queries and keys
    a bias       is added to the scores

Everything here is made by the functions that the rest of the package is about.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from posenc_ref.alibi import alibi_bias
from posenc_ref.kinds import Bias, Floats, Rotation, Table
from posenc_ref.lab.config import Config
from posenc_ref.learned import lookup_positions
from posenc_ref.positions import relative_positions
from posenc_ref.rotary import rotary_cos_sin, rotary_inv_freq
from posenc_ref.scaling import scale_linear, scale_ntk
from posenc_ref.sinusoidal import sinusoidal_table
from posenc_ref.t5 import t5_bias, t5_buckets

Weights: TypeAlias = dict[str, Floats]
"""The numbers that a model learns, by name; and their gradients, by the same names."""

SMALL = 0.02  # standard deviation of weights at the start, as in GPT-2


class Given(NamedTuple):
    """What a scheme gives to one pass: one of the three at most."""

    table: Table | None = None
    """Shape `(n_queries, d_model)`."""

    rotation: Rotation | None = None
    """Two arrays of shape `(n_queries, head_dim // 2)`."""

    bias: Bias | None = None
    """Shape `(n_heads, n_queries, n_keys)`."""


def own_weights(config: Config, random: np.random.Generator) -> Weights:
    """What the scheme itself learns, at the start; most learn nothing."""
    match config.positions:
        case "learned":
            return {"positions": SMALL * random.standard_normal((config.block, config.d_model))}
        case "sinusoidal_scaled":
            return {"scale": np.array([config.start_scale])}
        case "t5":
            return {"buckets": np.zeros((config.n_buckets, config.n_heads))}
    return {}


def given(config: Config, weights: Weights, n_queries: int, n_keys: int) -> Given:
    """What the scheme gives to tokens that stand at the end of a text.

    Args:
        config: Settings of the model.
        weights: Its weights, whose dtype the result has.
        n_queries: New tokens, from 1 to `n_keys`.
        n_keys: Tokens in all; more than the new ones if the others come from a cache.

    Returns:
        A table, a rotation, a bias, or nothing.

    Raises:
        ValueError: If a learned table is too short, and `past_end` is `"error"`.
    """
    dtype = weights["tokens"].dtype
    positions = np.arange(n_keys - n_queries, n_keys)
    match config.positions:
        case "learned":
            return Given(table=lookup_positions(weights["positions"], _rows(config, positions)))
        case "sinusoidal" | "sinusoidal_scaled":
            table = _sinusoids(config, positions, dtype)
            return Given(table=weights["scale"] * table if "scale" in weights else table)
        case "rope":
            return Given(rotation=rotary_cos_sin(positions, _inv_freq(config), dtype=dtype))
        case "alibi":
            return Given(bias=alibi_bias(config.n_heads, n_queries, n_keys, dtype=dtype))
        case "t5":
            bias = t5_bias(
                weights["buckets"],
                n_queries,
                n_keys,
                bidirectional=not config.causal,
                max_distance=config.max_distance,
            )
            return Given(bias=bias)
    return Given()


def own_gradients(
    config: Config, weights: Weights, d_table: Floats, d_bias: Floats | None
) -> Weights:
    """How the loss changes with what the scheme learns.

    Args:
        config: Settings of the model.
        weights: Its weights.
        d_table: Gradient of what was added to the token vectors, shape
            `(n, d_model)`.
        d_bias: Gradient of what was added to the scores, shape `(n_heads, n, n)`.

    Returns:
        One gradient for each of `own_weights`.
    """
    n = len(d_table)
    if "positions" in weights:
        gradient = np.zeros_like(weights["positions"])
        np.add.at(gradient, _rows(config, np.arange(n)), d_table)  # a row may be read again
        return {"positions": gradient}
    if "scale" in weights:
        table = _sinusoids(config, np.arange(n), d_table.dtype)
        return {"scale": np.array([np.vdot(d_table, table)], d_table.dtype)}
    if "buckets" in weights and d_bias is not None:
        buckets = t5_buckets(
            relative_positions(n, n),
            bidirectional=not config.causal,
            n_buckets=config.n_buckets,
            max_distance=config.max_distance,
        )
        gradient = np.zeros_like(weights["buckets"])
        np.add.at(gradient, buckets, np.moveaxis(d_bias, 0, -1))
        return {"buckets": gradient}
    return {}


def _rows(config: Config, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of a learned table that the positions read."""
    if config.past_end == "repeat":
        return np.minimum(positions, config.block - 1)
    if positions[-1] >= config.block:
        raise ValueError(
            f"the learned table has {config.block} rows (block), and a text of "
            f"{positions[-1] + 1} tokens needs more; past_end='repeat' reads its last row again"
        )
    return positions


def _sinusoids(config: Config, positions: NDArray[np.int64], dtype: np.dtype[np.floating]) -> Table:
    return sinusoidal_table(
        len(positions), config.d_model, base=config.base, start=int(positions[0]), dtype=dtype
    )


def _inv_freq(config: Config) -> NDArray[np.float64]:
    if config.scaling == "ntk":
        return scale_ntk(config.head_dim, config.base, factor=config.factor).inv_freq
    inv_freq = rotary_inv_freq(config.head_dim, config.base)
    if config.scaling == "linear":
        return scale_linear(inv_freq, factor=config.factor).inv_freq
    return inv_freq
