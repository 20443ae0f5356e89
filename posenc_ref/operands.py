"""Queries, keys and tables that fit each other: the checks that the score terms share.

A score term reads what attention reads, so it takes the same shapes: leading
axes (batch, heads) that broadcast, then tokens, then features.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from posenc_ref import checks
from posenc_ref.kinds import Floats


def queries_and_keys(q: ArrayLike, k: ArrayLike) -> tuple[Floats, Floats]:
    """Both as arrays of floats with one width, and from 1 to `n_keys` queries."""
    queries = checks.real_array("q", q, "n_queries", "head_dim", leading=True)
    n_queries, head_dim = queries.shape[-2:]
    if head_dim < 1:
        raise ValueError(f"q must have at least 1 feature in its last axis, got {queries.shape}")
    keys = checks.real_array("k", k, "n_keys", head_dim, leading=True)
    n_keys = keys.shape[-2]
    if not 1 <= n_queries <= n_keys:
        raise ValueError(
            "q must have from 1 row to as many as k, since the last query stands on the last key, "
            f"got shapes {queries.shape} and {keys.shape}"
        )
    return queries, keys


def score_scale(scale: float | None, head_dim: int) -> float:
    """The factor on the scores, 1 / sqrt(head_dim) if not given."""
    return 1 / math.sqrt(head_dim) if scale is None else checks.finite_number("scale", scale)


def check_leading_axes(**leading: tuple[int, ...]) -> None:
    """The axes before tokens and features must broadcast, those of all arguments together."""
    together: tuple[int, ...] = ()
    earlier: list[str] = []
    for name, shape in leading.items():
        try:
            together = np.broadcast_shapes(together, shape)
        except ValueError:
            raise ValueError(
                f"{name} must have leading axes that broadcast with those of "
                f"{', '.join(earlier)}, got {shape}"
            ) from None
        earlier.append(f"{name} {shape}")
