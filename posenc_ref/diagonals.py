"""Biases that depend on the distance alone, held as one number for each distance.

Such a bias has equal entries along each diagonal of its `(n_queries, n_keys)`
matrix. So it takes n_queries + n_keys - 1 numbers, not n_queries * n_keys, and
each row of the matrix is a window on these numbers: the last query sees the
first window, and every query before it a window one step further on. A view of
NumPy says just that, without copying a number.

Nothing here knows which scheme it serves.
"""

from typing import TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from posenc_ref import checks

Number = TypeVar("Number", bound=np.generic)


def checked_shape(n_heads: int, n_queries: int, n_keys: int) -> tuple[int, int]:
    """The two counts of tokens, as `positions.relative_positions` takes them."""
    n_keys = checks.whole_number("n_keys", n_keys, at_least=1)
    n_queries = checks.whole_number("n_queries", n_queries)
    if not 1 <= n_queries <= n_keys:
        raise ValueError(f"n_queries must be in 1..{n_keys} (n_keys), got {n_queries}")
    checks.result_fits(n_queries=n_queries, n_keys=n_keys, n_heads=n_heads)
    return n_queries, n_keys


def distances(n_queries: int, n_keys: int) -> NDArray[np.int64]:
    """Every value of key - query, from the far past to the far future.

    The first is the first key seen from the last query, the last is the last key
    seen from the first query. Shape `(n_queries + n_keys - 1,)`.
    """
    return np.arange(1 - n_keys, n_queries, dtype=np.int64)


def by_distance(values: NDArray[Number], n_keys: int) -> NDArray[Number]:
    """Spread values, one for each of `distances`, over the queries and keys.

    Shape `(..., n_queries + n_keys - 1)` to a read-only view of shape
    `(..., n_queries, n_keys)`.
    """
    windows = sliding_window_view(values, n_keys, axis=-1)  # (..., n_queries, n_keys)
    view: NDArray[Number] = windows[..., ::-1, :]  # the first window belongs to the last query
    return view
