"""Longer texts at trained distances. Result: positions, relative ones for a rotary score.

A model trained on L tokens has never seen a distance beyond L - 1. These rules
leave the near distances as they are and press the far ones together, so that
all stay within what was trained, without training again. For query m and key n:

    grouped     floor(m / G) - floor(n / G) + W - floor(W / G)    from m - n = W on
    rectified   W + (m - n - W) * leak                            from m - n = W on

Source: Jin et al. (2024), arXiv:2401.01325 (grouped: Self-Extend); Su (2023), blog
posts kexue.fm 9706 and 9708 (rectified: ReRoPE and leaky ReRoPE). No released
code was run for this module; its tests hold it to numbers worked by hand.
"""

import numpy as np
from numpy.typing import NDArray

from posenc_ref import checks
from posenc_ref.positions import relative_positions


def grouped_positions(
    n_queries: int, n_keys: int, *, window: int, group_size: int
) -> NDArray[np.int64]:
    """Relative positions of Self-Extend: exact near by, in groups of tokens far away.

    For the query at m, the key at n, a window W and groups of G tokens, the size
    of the distance is

        m - n                                         if m - n < W
        floor(m / G) - floor(n / G) + W - floor(W / G)  otherwise

    Groups are counted from position 0, so the result depends on where query and
    key stand, not on their distance alone. A model trained on L tokens reaches
    (L - W) G + W of them. Choose W a multiple of G: the released code has
    floor(W / G) in one branch and W / G in another, and they differ otherwise.

    Args:
        n_queries: Number of query tokens, from 1 to `n_keys`.
        n_keys: Number of key tokens, at least 1.
        window: Distance in tokens from which on keys are grouped, at least 1.
        group_size: Tokens in a group, at least 1; 1 changes nothing.

    Returns:
        Distances in tokens, key minus query as in `relative_positions`, int64,
        shape `(n_queries, n_keys)`. Keys after the query keep their distance.

    Raises:
        TypeError: If an argument is not a whole number.
        ValueError: If an argument is outside its range.

    Examples:
        >>> from posenc_ref import grouped_positions
        >>> grouped_positions(1, 11, window=4, group_size=2)
        array([[-7, -7, -6, -6, -5, -5, -4, -3, -2, -1,  0]])
    """
    distance = _distances(n_queries, n_keys)
    n_queries, n_keys = distance.shape
    window = checks.whole_number("window", window, at_least=1)
    group_size = checks.whole_number("group_size", group_size, at_least=1)
    window, group_size = min(window, n_keys), min(group_size, n_keys + 1)  # more changes nothing
    key = np.arange(n_keys)
    query = key[n_keys - n_queries :, None]
    groups_apart = query // group_size - key // group_size
    far = -(groups_apart + window - window // group_size)
    return np.where(-distance < window, distance, far)


def rectified_positions(
    n_queries: int, n_keys: int, *, window: int, leak: float = 0.0
) -> NDArray[np.float64]:
    """Relative positions of ReRoPE: no key is farther than the window, or hardly.

    For a distance t = m - n from key to query and a window W, its size is

        t                    if t < W
        W + (t - W) * leak   otherwise

    With a leak of 0 (ReRoPE) all far keys stand at the distance W. A leak of 1 / k
    (leaky ReRoPE) lets them recede k times slower, so that they stay apart.
    Released code, for a model trained on L tokens, also multiplies the query at m
    by max(1, ln(m + 1) / ln L).

    Args:
        n_queries: Number of query tokens, from 1 to `n_keys`.
        n_keys: Number of key tokens, at least 1.
        window: Distance in tokens up to which nothing changes, at least 1.
        leak: Tokens for each token of distance beyond the window, from 0 to 1; 1
            changes nothing.

    Returns:
        Distances in tokens, key minus query as in `relative_positions`, float64,
        shape `(n_queries, n_keys)`. Keys after the query keep their distance.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is outside its range.

    Examples:
        >>> from posenc_ref import rectified_positions
        >>> rectified_positions(1, 7, window=4)
        array([[-4., -4., -4., -3., -2., -1.,  0.]])
        >>> rectified_positions(1, 7, window=4, leak=0.5)
        array([[-5. , -4.5, -4. , -3. , -2. , -1. ,  0. ]])
    """
    distance = _distances(n_queries, n_keys)
    window = checks.whole_number("window", window, at_least=1)
    leak = checks.finite_number("leak", leak)
    if not 0 <= leak <= 1:
        raise ValueError(f"leak must be in 0..1, got {leak}")
    near = np.maximum(distance, -min(window, distance.shape[1]))  # more would change nothing
    rectified: NDArray[np.float64] = near + leak * (distance - near)
    return rectified


def _distances(n_queries: int, n_keys: int) -> NDArray[np.int64]:
    n_keys = checks.whole_number("n_keys", n_keys)
    n_queries = checks.whole_number("n_queries", n_queries)
    checks.result_fits(n_queries=n_queries, n_keys=n_keys)
    return relative_positions(n_queries, n_keys)
