"""Rotary layouts of weights. Result: weights whose queries and keys fit another rotation layout.

A layout says which features of a head make a pair. Which place a feature has is
up to the rows of the query and key projections. So weights trained with one
layout give the same scores with another if these rows change places, in every
head alike and in both projections:

    interleaved   x1[0] x2[0] x1[1] x2[1] ...
    half          x1[0] x1[1] ... x2[0] x2[1] ...

Values and outputs stay as they are: no position turns them.

Source: the conversion of the first release of Llama, which is interleaved, to
its Hugging Face format, which is half. The released converter was not run here;
attention layers of both layouts were.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks, pairs
from posenc_ref.pairs import Pairing, Where


def rotary_permutation(rotary_dim: int, *, source: Pairing, target: Pairing) -> NDArray[np.int64]:
    """Which feature of the source layout comes to each place of the target layout.

    It holds for anything with one entry a feature:

        x_target = x_source[..., rotary_permutation(...)]

    Args:
        rotary_dim: Number of features that turn, even and at least 2.
        source: `"half"` or `"interleaved"`: the layout that the features have.
            For weights trained with `"interleaved_to_half"` that is
            `"interleaved"`.
        target: `"half"` or `"interleaved"`: the layout that they shall have.

    Returns:
        Indices from 0, int64, shape `(rotary_dim,)`. Source and target
        exchanged give the inverse permutation.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `rotary_dim` is odd or below 2, or a layout is not one of
            the two names.

    Examples:
        >>> from posenc_ref import rotary_permutation
        >>> rotary_permutation(8, source="interleaved", target="half")
        array([0, 2, 4, 6, 1, 3, 5, 7])
        >>> rotary_permutation(8, source="half", target="interleaved")
        array([0, 4, 1, 5, 2, 6, 3, 7])
    """
    rotary_dim = checks.even_width("rotary_dim", rotary_dim)
    checks.one_of("source", source, ("half", "interleaved"))
    checks.one_of("target", target, ("half", "interleaved"))
    indices = np.empty(rotary_dim, np.int64)
    places = np.arange(rotary_dim)
    source_columns = pairs.pair_columns(rotary_dim, source)
    target_columns = pairs.pair_columns(rotary_dim, target)
    for of_source, of_target in zip(source_columns, target_columns, strict=True):
        indices[of_target] = places[of_source]
    return indices


def convert_rotary_weights(
    weight: ArrayLike,
    *,
    n_heads: int,
    source: Pairing,
    target: Pairing,
    rotary_dim: int | None = None,
    where: Where = "leading",
) -> NDArray[Any]:
    """Reorder the rows of a query or key projection for another layout.

    With P the permutation of `rotary_permutation`, each head's rows become

        converted[i] = weight[P[i]]

    Convert both projections, their biases if there are any, and nothing else.
    A gain that a norm puts on queries and keys after the projection moves too
    (`n_heads=1` if it is shared by the heads). Of a projection that makes
    queries, keys and values at once, convert the rows of queries and keys.

    Args:
        weight: Rows of the projection, shape `(n_heads * head_dim, d_model)`, or
            its bias, `(n_heads * head_dim,)`: integers or floats. The entries are moved,
            not read.
        n_heads: Number of heads of this projection, at least 1: for keys the
            number of key-value heads, which may be smaller than that of queries.
        source: `"half"` or `"interleaved"`: the layout that the weights were
            made for.
        target: `"half"` or `"interleaved"`: the layout that they shall fit.
        rotary_dim: Number of features of a head that turn, even, at least 2 and
            at most `head_dim`; all of `head_dim` if not given.
        where: `"leading"` or `"trailing"`: which features of a head turn, as in
            `apply_rotary`. `"trailing"` fits the query projection of
            DeepSeek-V3, whose heads are content, then turned features.

    Returns:
        A reordered copy, shape and dtype as `weight`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the rows are not `n_heads` heads of one width, or an
            argument breaks the rule stated with it.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import convert_rotary_weights
        >>> bias = np.arange(8)  # two heads of four features
        >>> convert_rotary_weights(bias, n_heads=2, source="interleaved", target="half")
        array([0, 2, 1, 3, 4, 6, 5, 7])
        >>> convert_rotary_weights(bias, n_heads=1, source="interleaved", target="half")
        array([0, 2, 4, 6, 1, 3, 5, 7])
    """
    rows = checks.array_of("weight", weight, "iuf", "numbers (int or float)")
    if rows.ndim not in (1, 2):
        raise ValueError(
            "weight must have shape (n_heads * head_dim, d_model) or (n_heads * head_dim,), "
            f"got {rows.shape}"
        )
    n_heads = checks.whole_number("n_heads", n_heads, at_least=1)
    if len(rows) == 0 or len(rows) % n_heads:
        raise ValueError(
            f"weight must have a multiple of n_heads = {n_heads} rows, got {len(rows)}"
        )
    head_dim = len(rows) // n_heads
    if rotary_dim is None:
        rotary_dim = checks.even_width("head_dim", head_dim)
    rotary_dim = checks.even_width("rotary_dim", rotary_dim)
    if rotary_dim > head_dim:
        raise ValueError(f"rotary_dim must be at most head_dim = {head_dim}, got {rotary_dim}")
    permutation = rotary_permutation(rotary_dim, source=source, target=target)
    pairs.check_where(where)

    turning, _ = pairs.split_features(head_dim, rotary_dim, where)
    converted = rows.copy()
    heads, new_heads = (array.reshape(n_heads, head_dim, -1) for array in (rows, converted))
    new_heads[:, turning] = heads[:, turning][:, permutation]
    return converted
