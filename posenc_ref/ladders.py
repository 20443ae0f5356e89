"""From what a config says about its rotation to frequencies: the one dispatch by rope type."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from posenc_ref.expressions import ConfigError
from posenc_ref.kinds import Frequencies
from posenc_ref.longrope import scale_longrope
from posenc_ref.rotary import rotary_inv_freq
from posenc_ref.scaling import (
    scale_dynamic,
    scale_linear,
    scale_llama3,
    scale_ntk,
    scale_proportional,
)
from posenc_ref.yarn import scale_yarn


class Ladder(NamedTuple):
    """What decides the frequencies of a group of layers."""

    rope_type: str
    base: float
    rotary_dim: int
    head_dim: int
    factor: float | None
    trained_length: int | None
    max_length: int | None
    parameters: Mapping[str, Any]


def frequencies_at(ladder: Ladder, seq_len: int | None) -> Frequencies:
    """The frequencies for a text of so many tokens; None is one within the trained length."""
    given = ladder.parameters
    factor = ladder.factor if ladder.factor is not None else 1.0
    width, base = ladder.rotary_dim, ladder.base
    trained = ladder.trained_length or ladder.max_length or 2
    if ladder.rope_type == "linear":
        return scale_linear(rotary_inv_freq(width, base), factor=factor)
    if ladder.rope_type == "ntk":
        return scale_ntk(width, base, factor=factor)
    if ladder.rope_type == "dynamic":
        length = trained if seq_len is None else seq_len
        return scale_dynamic(width, base, factor=factor, trained_length=trained, seq_len=length)
    if ladder.rope_type == "yarn":
        return scale_yarn(
            width,
            base,
            factor=factor,
            trained_length=trained,
            beta_fast=given.get("beta_fast") or 32.0,  # 0 stands for the default, as in the library
            beta_slow=given.get("beta_slow") or 1.0,
            truncate=given.get("truncate", True),
            attention_factor=given.get("attention_factor"),
            mscale=given.get("mscale"),
            mscale_all_dim=given.get("mscale_all_dim"),
        )
    if ladder.rope_type == "longrope":
        return scale_longrope(
            width,
            base,
            short_factor=given["short_factor"],
            long_factor=given["long_factor"],
            trained_length=trained,
            max_length=ladder.max_length or trained,
            seq_len=trained if seq_len is None else seq_len,
            factor=given.get("factor"),
            attention_factor=given.get("attention_factor"),
        )
    if ladder.rope_type == "llama3":
        return scale_llama3(
            rotary_inv_freq(width, base),
            factor=factor,
            low_freq_factor=given["low_freq_factor"],
            high_freq_factor=given["high_freq_factor"],
            trained_length=trained,
        )
    if ladder.rope_type == "proportional":
        fraction = given.get("partial_rotary_factor", 1.0)
        return scale_proportional(ladder.head_dim, base, rotated_fraction=fraction, factor=factor)
    return Frequencies(rotary_inv_freq(width, base), 1.0)


def trained_frequencies(ladder: Ladder) -> NDArray[np.float64]:
    """Those of training, before a rule slowed any of them down; the pairs that turn only."""
    width = ladder.head_dim if ladder.rope_type == "proportional" else ladder.rotary_dim
    return rotary_inv_freq(width, ladder.base)[: ladder.rotary_dim // 2]


def checked_frequencies(ladder: Ladder, block: str, seq_len: int | None = None) -> Frequencies:
    """The same, with an error that names the block of the config."""
    try:
        given = frequencies_at(ladder, seq_len)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{block}: {error}") from None
    if not math.isfinite(given.attention_factor):
        raise ConfigError(f"{block}: the attention factor is not finite")
    return given
