"""Polar positions (PoPE). Result: score terms, in place of the product of query and key.

In rotary attention a pair of features holds a length and an angle, and both
depend on the content. Here each feature is a length only, softplus of its
value, and its angle comes from the position alone:

    score[m, n] = sum over c of softplus(q_c) softplus(k_c) cos((n - m) w_c + phase_c)
    w_c = base ** (-c / d),  c = 0 .. d - 1

There are d frequencies, twice as many as in rotary attention of that width. The
phase is learned, one for each head and feature, and says at which distance a
feature peaks.

Source: Gopalakrishnan et al. (2025), arXiv:2509.10534, section 3. Released code
computes it by vectors of width 2 d, as here, and holds the phase between -2 pi
and 0.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.operands import check_leading_axes, queries_and_keys, score_scale
from posenc_ref.turns import geometric_frequencies, turn


def polar_inv_freq(head_dim: int, *, base: float = 10000.0) -> NDArray[np.float64]:
    """How fast each feature turns.

        w_c = base ** (-c / head_dim)

    Args:
        head_dim: Width of a head, at least 1; odd widths too, as no feature
            needs a partner.
        base: Number whose powers are the frequencies, finite and at least 1.

    Returns:
        Frequencies in radians per token, from 1 downwards, float64, shape
        `(head_dim,)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `head_dim` is below 1, or `base` is below 1 or not finite.

    Examples:
        >>> from posenc_ref import polar_inv_freq
        >>> polar_inv_freq(4)
        array([1.   , 0.1  , 0.01 , 0.001])
    """
    head_dim = checks.whole_number("head_dim", head_dim, at_least=1)
    checks.result_fits(head_dim=head_dim)
    return geometric_frequencies(head_dim, checks.frequency_base("base", base), head_dim).high


def polar_vectors(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    base: float = 10000.0,
    phase: ArrayLike | None = None,
) -> NDArray[np.floating]:
    """Queries or keys as vectors whose plain dot products are the scores.

    With r = softplus(x) and angle = position * w + phase, feature by feature,

        [r_1 cos angle_1, ..., r_d cos angle_d, r_1 sin angle_1, ..., r_d sin angle_d]

    Give the phase with the keys and not with the queries. The vectors of keys
    can be cached. Attention on them must be told the scale of the head,
    `scale=1 / math.sqrt(head_dim)`, as they are twice as wide.

    Args:
        x: Queries or keys, shape `(..., T, head_dim)`.
        positions: Where they stand, in tokens, finite and less than 2**53 in
            size, shape `(T,)` or `(..., T)` with leading axes that broadcast
            with those of `x`.
        base: Number whose powers are the frequencies, finite and at least 1.
        phase: Added to the angles, in radians, finite, shape `(head_dim,)` or
            `(n_heads, head_dim)`; the heads are the axis of `x` before T. None
            for queries, and for keys without phase.

    Returns:
        Vectors in the unit of `x`, shape `(..., T, 2 * head_dim)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or an argument breaks the rule stated
            with it.

    Examples:
        >>> import math
        >>> from posenc_ref import polar_vectors
        >>> x = math.log(math.e - 1)  # softplus of this is 1
        >>> polar_vectors([[x], [x]], [0, 1]).round(3)  # angles 0 and 1
        array([[1.   , 0.   ],
               [0.54 , 0.841]])
    """
    vectors = checks.real_array("x", x, "T", "head_dim", leading=True)
    n_tokens, head_dim = vectors.shape[-2:]
    if head_dim == 0:
        raise ValueError(f"x must have at least one feature, got shape {vectors.shape}")
    where = checks.exact_positions("positions", positions)
    frequencies = geometric_frequencies(head_dim, checks.frequency_base("base", base), head_dim)
    if where.ndim == 0 or where.shape[-1] != n_tokens:
        raise ValueError(
            f"positions must end in the axis T = {n_tokens} of x, got shape {where.shape}"
        )
    phases = _phases(phase, head_dim)
    check_leading_axes(
        x=vectors.shape[:-2],
        positions=where.shape[:-1],
        phase=() if phases is None else phases.shape[:-1],
    )

    turned = turn(where[..., None], frequencies)  # (..., T, head_dim)
    if phases is not None:
        turned = turned * np.exp(1j * phases[..., None, :])
    length = np.maximum(vectors, 0) + np.log1p(np.exp(-np.abs(vectors)))  # softplus, no overflow
    polar = np.concatenate([length * turned.real, length * turned.imag], axis=-1)
    return polar.astype(vectors.dtype, copy=False)


def polar_scores(
    q: ArrayLike,
    k: ArrayLike,
    *,
    base: float = 10000.0,
    phase: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[np.floating]:
    """Scores of all pairs, by the length of each feature and the distance in tokens.

        score[m, n] = scale * sum over c of
                      softplus(q_c) softplus(k_c) cos((n - m) w_c + phase_c)

    n - m is the relative position of the package, key minus query. The cosine
    is even and the phase is not: with (m - n) the scores would be others.

    Args:
        q: Queries, shape `(..., n_queries, head_dim)`; the last query stands on
            the last key.
        k: Keys, shape `(..., n_keys, head_dim)`, at least as many as queries;
            leading axes broadcast with those of `q`.
        base: Number whose powers are the frequencies, finite and at least 1.
        phase: Learned, in radians, finite, shape `(head_dim,)` or
            `(n_heads, head_dim)`; the heads are the axis of `k` before the keys.
            None is a phase of 0 everywhere.
        scale: Factor on the scores, finite; 1 / sqrt(head_dim) if not given.

    Returns:
        Scores before the mask and the softmax, shape `(..., n_queries, n_keys)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or an argument breaks the rule stated
            with it.

    Examples:
        >>> import math
        >>> import numpy as np
        >>> from posenc_ref import polar_scores
        >>> x = np.full((3, 1), math.log(math.e - 1))  # softplus of this is 1
        >>> polar_scores(x[:1], x, scale=1).round(3)  # cos 2, cos 1 and cos 0
        array([[-0.416,  0.54 ,  1.   ]])
        >>> polar_scores(x[:1], x, scale=1, phase=[-1.0]).round(3)  # cos(-3), cos(-2), cos(-1)
        array([[-0.99 , -0.416,  0.54 ]])
    """
    queries, keys = queries_and_keys(q, k)
    (n_queries, head_dim), n_keys = queries.shape[-2:], keys.shape[-2]
    phases = _phases(phase, head_dim)
    check_leading_axes(
        q=queries.shape[:-2],
        k=keys.shape[:-2],
        phase=() if phases is None else phases.shape[:-1],
    )
    factor = score_scale(scale, head_dim)

    checks.result_fits(q=n_queries, k=n_keys)
    positions = np.arange(n_keys)
    from_queries = polar_vectors(queries, positions[n_keys - n_queries :], base=base)
    from_keys = polar_vectors(keys, positions, base=base, phase=phases)
    scores: NDArray[np.floating] = factor * (from_queries @ from_keys.swapaxes(-1, -2))
    return scores


def _phases(phase: ArrayLike | None, head_dim: int) -> NDArray[np.float64] | None:
    if phase is None:
        return None
    phases = checks.real_array("phase", phase, head_dim, leading=True, finite=True)
    if phases.ndim > 2:
        raise ValueError(
            f"phase must have shape (head_dim,) or (n_heads, head_dim), got {phases.shape}"
        )
    return phases.astype(np.float64)  # angles are never less
