"""Which features of a head make a pair, and whether a rotation fits the head.

What the rotary modules share. The conventions are told apart in `rotary`.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.kinds import Floats, Rotation

Pairing: TypeAlias = Literal["half", "interleaved"]
Layout: TypeAlias = Literal["half", "interleaved", "interleaved_to_half"]
Where: TypeAlias = Literal["leading", "trailing"]


def check_layout(layout: Layout) -> None:
    """One of the three names."""
    checks.one_of("layout", layout, ("half", "interleaved", "interleaved_to_half"))


def check_where(where: Where) -> None:
    """One of the two names."""
    checks.one_of("where", where, ("leading", "trailing"))


def read_pairing(layout: Layout) -> Pairing:
    """Where the layout finds the two features of a pair."""
    return "half" if layout == "half" else "interleaved"


def written_pairing(layout: Layout) -> Pairing:
    """Where it puts them."""
    return "interleaved" if layout == "interleaved" else "half"


def pair_columns(rotary_dim: int, pairing: Pairing) -> tuple[slice, slice]:
    """The first features of all pairs, and the second ones."""
    if pairing == "half":
        return slice(rotary_dim // 2), slice(rotary_dim // 2, rotary_dim)
    return slice(0, rotary_dim, 2), slice(1, rotary_dim, 2)


def split_features(head_dim: int, rotary_dim: int, where: Where) -> tuple[slice, slice]:
    """The features that turn, and those that pass through."""
    if where == "leading":
        return slice(rotary_dim), slice(rotary_dim, head_dim)
    return slice(head_dim - rotary_dim, head_dim), slice(head_dim - rotary_dim)


def inverse_frequencies(inv_freq: ArrayLike) -> NDArray[np.float64]:
    """One or more frequencies; below 2**53 their product with a position is a finite float."""
    frequencies = checks.exact_positions("inv_freq", inv_freq)
    if frequencies.ndim != 1 or frequencies.size == 0:
        raise ValueError(
            f"inv_freq must have shape (rotary_dim // 2,), not empty, got {frequencies.shape}"
        )
    return frequencies


def rotation_tables(rotation: Rotation) -> Rotation:
    """A rotation whose two tables are arrays of one shape, finite and not empty in width."""
    if not isinstance(rotation, tuple) or len(rotation) != 2:
        raise TypeError(f"rotation must be a Rotation(cos, sin), got {type(rotation).__name__}")
    cos = checks.real_array("rotation.cos", rotation[0], "T", "pairs", leading=True, finite=True)
    sin = checks.real_array("rotation.sin", rotation[1], "T", "pairs", leading=True, finite=True)
    if cos.shape != sin.shape or cos.shape[-1] == 0:
        raise ValueError(
            "rotation must have cos and sin of one shape, with at least one pair, "
            f"got {cos.shape} and {sin.shape}"
        )
    return Rotation(cos, sin)


def fitting_rotation(x: Floats, rotation: Rotation) -> Rotation:
    """The two tables in the type of x, if x has a row for each of theirs.

    They have the axes of `x`, or the last two only. Broadcasting alone would
    also take `(batch, T, pairs)` for `x` of `(batch, heads, T, head_dim)` when
    there are as many heads as batch rows, and turn every head by the positions
    of another row.
    """
    cos, sin = rotation_tables(rotation)
    *leading, n_tokens, head_dim = x.shape
    if cos.shape[-2] != n_tokens:
        raise ValueError(
            f"rotation must have one row for each of {n_tokens} tokens, got shape {cos.shape}"
        )
    if 2 * cos.shape[-1] > head_dim:
        raise ValueError(
            f"rotation must turn at most head_dim = {head_dim} features, two a pair, "
            f"got shape {cos.shape}"
        )
    given = cos.shape[:-2]
    fits = not given or (
        len(given) == len(leading)
        and all(size in (1, axis) for size, axis in zip(given, leading, strict=True))
    )
    if not fits:
        raise ValueError(
            f"rotation must have the axes of x, {x.shape}, each leading one full or 1, or the last "
            f"two only, got shape {cos.shape}"
        )
    if x.dtype == np.float32 and max(np.abs(cos).max(initial=0), np.abs(sin).max(initial=0)) > (
        np.finfo(np.float32).max
    ):
        raise ValueError("rotation must hold numbers that float32 holds, as x is float32")
    return Rotation(cos.astype(x.dtype, copy=False), sin.astype(x.dtype, copy=False))
