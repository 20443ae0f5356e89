"""T5's relative bias. Result: a bias, learned for buckets of distances.

Each head learns one number for each bucket of distances, and adds it to the
scores. Near distances have a bucket each, farther ones share buckets that widen
like a logarithm, and beyond a limit all distances share the last one. With
E buckets for single distances and N in all on one side, the distance a falls
into bucket

    a                                                         if a < E = N // 2
    min(N - 1, E + floor((N - E) ln(a / E) / ln(max_distance / E)))    otherwise

An encoder halves its buckets: N on each side, keys after the query behind those
before it. A decoder gives all to the past; keys after the query share bucket 0
with the token itself, and its mask hides them.

Source: Raffel et al. (2020), arXiv:1910.10683, section 2.1. The paper gives 32
buckets and the offset 128 in words; the formula is that of the released code.
Several models take these buckets with other numbers: WavLM 320 up to 800,
CPM-Ant 512 up to 2048, LayoutLMv3 64 up to 256 for places on a page.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.diagonals import by_distance, checked_shape, distances
from posenc_ref.kinds import Bias

FARTHEST = 2**31  # the most that max_distance may be: NEAR is a fifth of a token there
NEAR = 1e-10  # relative; far above the error of a float64 power, about 3e-15


def t5_buckets(
    relative: ArrayLike, *, bidirectional: bool, n_buckets: int = 32, max_distance: int = 128
) -> NDArray[np.int64]:
    """The bucket of each relative position.

    Buckets at a distance begin where E * (max_distance / E) ** (k / (N - E)) is
    reached, for k = 1, 2, ... That is often a whole number (16, 32, 64 in a T5
    encoder), on which a logarithm that is off in the last digit goes wrong, so
    such borders are decided in whole numbers here. Released code takes the
    logarithm in float32, and agrees at the settings of all models named above.

    The last bucket begins before `max_distance`: in T5 at 113 tokens in the
    decoder, at 91 on each side in the encoder.

    Args:
        relative: Key position minus query position (the past is negative), whole
            numbers in tokens, any shape.
        bidirectional: `True` for an encoder, which tells past from future,
            `False` for a decoder.
        n_buckets: Number of buckets, at least 2; for `bidirectional` even and at
            least 4, as each side takes half.
        max_distance: Distance in tokens from which on all share the last bucket,
            at most 2**31, and above the buckets of single distances (a quarter
            of `n_buckets` if `bidirectional`, else half of it, rounded down).

    Returns:
        Rows of the table of weights, from 0 to `n_buckets` - 1, int64, in the
        shape of `relative`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import t5_buckets
        >>> t5_buckets([-2, -1, 0, 1, 2], bidirectional=True)
        array([ 2,  1,  0, 17, 18])
        >>> t5_buckets([-2, -1, 0, 1, 2], bidirectional=False)
        array([2, 1, 0, 0, 0])
        >>> t5_buckets([-7, -8, -15, -16, -1000], bidirectional=True)
        array([ 7,  8,  9, 10, 15])
    """
    offsets = checks.array_of("relative", relative, "iu", "whole numbers (int)")
    if offsets.dtype == np.uint64:  # the one type whose numbers may be beyond int64
        offsets = np.minimum(offsets, np.uint64(FARTHEST))
    both = checks.flag("bidirectional", bidirectional)
    n_buckets = checks.whole_number("n_buckets", n_buckets)
    max_distance = _check_buckets("n_buckets", n_buckets, both, max_distance)
    return _buckets(offsets.astype(np.int64), both, n_buckets, max_distance)


def t5_bias(
    weights: ArrayLike,
    n_queries: int,
    n_keys: int,
    *,
    bidirectional: bool,
    max_distance: int = 128,
) -> Bias:
    """The learned bias for consecutive tokens.

        bias[h, i, j] = weights[bucket(key j - query i), h]

    T5 adds it to scores that are not divided by sqrt(head_dim): with `attention`
    pass scale=1. It has a table in the first layer of its encoder and one in the
    first layer of its decoder, which all layers of the stack share (umT5 has one
    in each layer), and none in the attention from decoder to encoder. While
    decoding with a cache, ask for the new queries only: the last query stands on
    the last key.

    The result is a read-only view that holds one number for each distance; call
    `.copy()` to write to it, which takes the full memory.

    Args:
        weights: Learned scores, finite, shape `(n_buckets, n_heads)`, at least
            one head; the rules for `n_buckets` are those of `t5_buckets`.
        n_queries: Number of query tokens, from 1 to `n_keys`.
        n_keys: Number of key tokens, at least 1.
        bidirectional: `True` for an encoder, `False` for a decoder.
        max_distance: As in `t5_buckets`, in tokens.

    Returns:
        Score units, in the type of `weights` (float32 or float64), shape
        `(n_heads, n_queries, n_keys)`, read-only.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import t5_bias
        >>> weights = np.arange(32.0)[:, None]  # one head, whose weights number the buckets
        >>> t5_bias(weights, 3, 3, bidirectional=True)[0]
        array([[ 0., 17., 18.],
               [ 1.,  0., 17.],
               [ 2.,  1.,  0.]])
        >>> t5_bias(weights, 1, 3, bidirectional=False)[0]  # one new token, two cached ones
        array([[2., 1., 0.]])
    """
    table = checks.real_array("weights", weights, "n_buckets", "n_heads", finite=True)
    n_buckets, n_heads = table.shape
    if n_heads == 0:
        raise ValueError(f"weights must have at least one head, got shape {table.shape}")
    n_queries, n_keys = checked_shape(n_heads, n_queries, n_keys)
    both = checks.flag("bidirectional", bidirectional)
    max_distance = _check_buckets("weights.shape[0] (n_buckets)", n_buckets, both, max_distance)
    rows = _buckets(distances(n_queries, n_keys), both, n_buckets, max_distance)
    return by_distance(np.take(table.T, rows, axis=1), n_keys)


def _n_single(n_buckets: int, both: bool) -> int:
    """How many distances on one side have a bucket of their own."""
    return n_buckets // 4 if both else n_buckets // 2


def _check_buckets(name: str, n_buckets: int, both: bool, max_distance: int) -> int:
    """Fewer buckets leave none for single distances, and the logarithm would divide by 0."""
    if both and (n_buckets < 4 or n_buckets % 2):
        raise ValueError(f"{name} must be even and at least 4 if bidirectional, got {n_buckets}")
    if n_buckets < 2:
        raise ValueError(f"{name} must be at least 2, got {n_buckets}")
    far = checks.whole_number("max_distance", max_distance, at_most=FARTHEST)
    n_single = _n_single(n_buckets, both)
    if far <= n_single:
        raise ValueError(
            f"max_distance must be above {n_single}, as so many distances have a bucket each, "
            f"got {far}"
        )
    return far


def _buckets(
    relative: NDArray[np.int64], both: bool, n_buckets: int, max_distance: int
) -> NDArray[np.int64]:
    n_side = n_buckets // 2 if both else n_buckets
    n_single = _n_single(n_buckets, both)
    near = np.clip(relative, -max_distance, max_distance)  # farther ones share a bucket anyway
    distance = np.abs(near) if both else -np.minimum(near, 0)
    borders = _borders(n_single, n_side - n_single, max_distance)
    far = n_single + np.searchsorted(borders, distance, side="right")
    buckets = np.where(distance < n_single, distance, far)
    if both:
        buckets += n_side * (near > 0)
    return buckets


def _borders(n_single: int, n_shared: int, max_distance: int) -> list[int]:
    """The least distance of each shared bucket but the first.

    That is the least whole a with (a / n_single) ** n_shared >=
    (max_distance / n_single) ** k. Floats decide it, unless the border lies at a
    whole number or too near to tell.
    """
    ratio = max_distance / n_single
    borders = []
    for k in range(1, n_shared):
        border = n_single * ratio ** (k / n_shared)
        whole = round(border)
        if abs(border - whole) < NEAR * border:
            reached = whole**n_shared >= max_distance**k * n_single ** (n_shared - k)
            borders.append(whole if reached else whole + 1)
        else:
            borders.append(int(border) + 1)
    return borders
