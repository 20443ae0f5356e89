"""Relative positions. Result: distances in tokens, one for each query and key.

This is the one place that fixes their sign. Every other module takes distances
from here, so "how far" and "which way" mean the same in the whole package.
"""

import numpy as np
from numpy.typing import NDArray

from posenc_ref.checks import whole_number


def relative_positions(n_queries: int, n_keys: int) -> NDArray[np.int64]:
    """Position of each key minus position of each query.

    Zero is the token itself, negative is the past, positive is the future.
    The last query stands on the last key, which is also right when earlier
    keys come from a cache and only new tokens are queries.

    Args:
        n_queries: Number of query tokens, from 1 to `n_keys`.
        n_keys: Number of key tokens, at least 1.

    Returns:
        Signed distances in tokens, int64, shape `(n_queries, n_keys)`.

    Raises:
        TypeError: If a count is not a whole number.
        ValueError: If `n_keys` is below 1 or `n_queries` is not in 1..`n_keys`.

    Examples:
        >>> from posenc_ref import relative_positions
        >>> relative_positions(3, 3)
        array([[ 0,  1,  2],
               [-1,  0,  1],
               [-2, -1,  0]])
        >>> relative_positions(1, 3)  # one new token, two cached ones
        array([[-2, -1,  0]])
    """
    n_keys = whole_number("n_keys", n_keys, at_least=1)
    n_queries = whole_number("n_queries", n_queries)
    if not 1 <= n_queries <= n_keys:
        raise ValueError(f"n_queries must be in 1..{n_keys} (n_keys), got {n_queries}")
    keys = np.arange(n_keys, dtype=np.int64)
    queries = keys[n_keys - n_queries :]
    return keys[None, :] - queries[:, None]
