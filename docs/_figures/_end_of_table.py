"""A learned table of eight rows, and what four policies read at a position that has none."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from posenc_ref import lookup_positions, resize_table

N_ROWS, N_POSITIONS, D_MODEL = 8, 16, 4
# A toy table, in halves, so that every mixture of two rows can be checked by hand.
TABLE = (
    (0.0, 0.0, 0.5, 0.5),
    (0.5, 0.0, 0.0, 0.5),
    (0.5, 0.5, 0.0, 0.0),
    (0.0, 0.5, 0.5, 0.0),
    (-0.5, 0.0, 0.5, 0.0),
    (0.0, -0.5, 0.0, 0.5),
    (0.5, 0.0, -0.5, 0.0),
    (0.0, 0.5, 0.0, -0.5),
)
POLICIES = {
    "error": "Raise an error",
    "clip": "Repeat the last row",
    "wrap": "Wrap around",
    "stretch": f"Stretch to {N_POSITIONS} rows",
}
QUARTERS = {0.25: ("one quarter", "¼"), 0.75: ("three quarters", "¾")}


@cache
def mixture(position: int) -> tuple[tuple[int, float], ...]:
    """The trained rows in a row of the stretched table, with their shares, the largest first."""
    shares = resize_table(np.eye(N_ROWS), N_POSITIONS)[position]
    rows = [(row, float(share)) for row, share in enumerate(shares) if share]
    return tuple(sorted(rows, key=lambda part: -part[1]))


def row_read(policy: str, position: int) -> int | None:
    """The row of the trained table that a position reads; None if it is no such row."""
    if policy == "clip":
        return min(position, N_ROWS - 1)
    if policy == "wrap":
        return position % N_ROWS
    if policy == "error":
        return position if position < N_ROWS else None
    (row, share), *_ = mixture(position)
    return row if share == 1 else None


@cache
def vector(policy: str, position: int) -> NDArray[np.floating] | None:
    """The vector that a position gets; None where there is none."""
    if policy == "stretch":
        found: NDArray[np.floating] = resize_table(TABLE, N_POSITIONS)[position]
        return found
    row = row_read(policy, position)
    return None if row is None else lookup_positions(TABLE, row)
