"""Biases that are a function of distance. Result: a bias, for models that extrapolate.

Three schemes that choose the function more freely than ALiBi does. KERPLE lets
each head learn its steepness, FIRE lets a small network learn the function
itself, Sandwich takes it from the sinusoidal table and learns nothing. Each is
added to the scores after they are divided by sqrt(head_dim), before the mask and
the softmax. All three were made for decoders. Their functions are even in the
distance, so keys after the query have values here too; they are for the causal
mask to hide.

Source: KERPLE: Chi et al. (2022), arXiv:2205.09921, the logarithmic and the
power kernel. FIRE: Li et al. (2024), arXiv:2310.04418, section 3. Sandwich: Chi
et al. (2023), arXiv:2212.10356. No model library ships these with a trained
model, so they are checked against numbers worked by hand. The formulas are those
of public code: the authors' own for KERPLE, that of others for FIRE and for
Sandwich, whose paper's equation was not at hand.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from posenc_ref import checks
from posenc_ref.diagonals import by_distance, checked_shape, distances
from posenc_ref.kinds import Bias
from posenc_ref.positions import relative_positions

Form: TypeAlias = Literal["log", "power"]
Reading: TypeAlias = Literal["zero_based", "one_based"]


def kerple_bias(r1: ArrayLike, r2: ArrayLike, n_queries: int, n_keys: int, *, form: Form) -> Bias:
    """KERPLE: two learned numbers a head.

        "log"      bias[h, i, j] = -r1[h] * ln(1 + r2[h] * t)
        "power"    bias[h, i, j] = -r1[h] * t ** r2[h]          t = |key j - query i|

    The logarithmic form divides what a key gets by (1 + r2 t) ** r1, so weights
    fall like a power of the distance, slower than ALiBi's. The power form with
    r2 = 1 is ALiBi with slope r1. While training, the authors' code keeps both
    numbers at 0.01 or more.

    The result is a read-only view that holds one number for each distance; call
    `.copy()` to write to it, which takes the full memory.

    Args:
        r1: Strength for each head, finite and above 0, at least one head, shape
            `(n_heads,)`.
        r2: Scale of the distance ("log", per token) or its exponent ("power", at
            most 2) for each head, finite and above 0, shape `(n_heads,)`.
        n_queries: Number of query tokens, from 1 to `n_keys`; the last query
            stands on the last key.
        n_keys: Number of key tokens, at least 1.
        form: `"log"` or `"power"`.

    Returns:
        Zero where a query meets its own token, negative elsewhere, in score
        units, shape `(n_heads, n_queries, n_keys)`, read-only; float32 if `r1`
        and `r2` both are, else float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import kerple_bias
        >>> kerple_bias([1], [2], 1, 4, form="power")  # 3, 2, 1 and 0 tokens, squared
        array([[[-9., -4., -1.,  0.]]])
        >>> kerple_bias([1], [1], 1, 4, form="log").round(3)  # ln 4, ln 3, ln 2, ln 1
        array([[[-1.386, -1.099, -0.693,  0.   ]]])
    """
    strength = _positive_heads("r1", r1, "n_heads")
    rate = _positive_heads("r2", r2, len(strength))
    checks.one_of("form", form, ("log", "power"))
    if form == "power" and rate.max() > 2:
        raise ValueError(f"r2 must be at most 2 everywhere if form is 'power', got {rate.max()}")
    n_queries, n_keys = checked_shape(len(strength), n_queries, n_keys)

    dtype = np.result_type(strength, rate)
    strength, rate = (array.astype(np.float64)[:, None] for array in (strength, rate))
    distance = np.abs(distances(n_queries, n_keys))
    kernel = np.log1p(rate * distance) if form == "log" else distance**rate
    values = 0.0 - strength * kernel  # 0 - x, as -x would be -0.0 on the diagonal
    return by_distance(values.astype(dtype), n_keys)


def fire_bias(
    w1: ArrayLike,
    b1: ArrayLike,
    w2: ArrayLike,
    b2: ArrayLike,
    n_queries: int,
    n_keys: int,
    *,
    c: float,
    threshold: float,
    eps: float = 1e-6,
) -> Bias:
    """FIRE: a learned function of the distance, as a share of what the query can see.

        z = psi(|i - j|) / (psi(max(i, threshold)) + eps)      psi(x) = ln(|c| x + 1)
        bias[:, i, j] = relu(z * w1 + b1) @ w2 + b2

    with i and j the positions of query and key, counted from 0. The share z of a
    key in the past lies between 0 and 1 however long the text is, so no input of
    the network is new to it beyond the trained length. Below the threshold the
    divisor stays fixed, and the bias depends on the distance alone; beyond it,
    unlike its neighbours, on the query position too. The last query stands on the last key: with a
    cache of earlier keys, its position is n_keys - 1. Keys after the query have
    no place in the scheme and may give z above 1.

    Public code of others (the authors' was not at hand) starts at c = 0.1, learns
    the threshold as a multiple of 512, and has 32 hidden units.

    Args:
        w1: Weights of the first layer, finite, shape `(n_hidden,)`.
        b1: Biases of the first layer, finite, shape `(n_hidden,)`.
        w2: Weights of the second layer, finite, shape `(n_hidden, n_heads)` (the
            transpose of what a linear layer of PyTorch holds), at least one head.
        b2: Biases of the second layer, finite, shape `(n_heads,)`.
        n_queries: Number of query tokens, from 1 to `n_keys`.
        n_keys: Number of key tokens, at least 1.
        c: Learned rate inside the logarithm, per token, finite and not 0; only
            its size counts.
        threshold: Learned number of tokens up to which the divisor stays fixed,
            above 0.
        eps: Added to the divisor, finite and at least 0, without unit.

    Returns:
        Score units, shape `(n_heads, n_queries, n_keys)`; float32 if all weights
        and biases are, else float64. The array is full, and writeable.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import fire_bias
        >>> identity = [1.0], [0.0], [[1.0]], [0.0]  # so that the bias is z itself
        >>> fire_bias(*identity, 1, 4, c=1, threshold=3, eps=0).round(3)  # ln 4, ln 3, ... by ln 4
        array([[[1.   , 0.792, 0.5  , 0.   ]]])
        >>> fire_bias(*identity, 2, 2, c=1, threshold=3, eps=0)
        array([[[0. , 0.5],
                [0.5, 0. ]]])
    """
    w1_array = checks.real_array("w1", w1, "n_hidden", finite=True)
    n_hidden = len(w1_array)
    b1_array = checks.real_array("b1", b1, n_hidden, finite=True)
    w2_array = checks.real_array("w2", w2, n_hidden, "n_heads", finite=True)
    n_heads = w2_array.shape[1]
    if n_heads == 0:
        raise ValueError(f"w2 must have at least one head, got shape {w2_array.shape}")
    b2_array = checks.real_array("b2", b2, n_heads, finite=True)
    n_queries, n_keys = checked_shape(n_heads, n_queries, n_keys)
    rate = abs(checks.finite_number("c", c))
    if rate == 0:
        raise ValueError("c must not be 0, as all distances would be alike, got 0")
    threshold = checks.positive_number("threshold", threshold)
    eps = checks.finite_number("eps", eps)
    if eps < 0:
        raise ValueError(f"eps must be at least 0, got {eps}")

    query_positions = np.arange(n_keys - n_queries, n_keys)
    divisor = np.log1p(rate * np.maximum(query_positions, threshold)) + eps
    if divisor[0] == 0:
        raise ValueError(f"threshold must be large enough for c = {c}, got {threshold}")
    distance = np.abs(relative_positions(n_queries, n_keys))
    dtype = np.result_type(w1_array, b1_array, w2_array, b2_array)
    bias = np.empty((n_heads, n_queries, n_keys), dtype)
    for i in range(n_queries):  # row by row: all hidden units at once would be n_hidden matrices
        z = np.log1p(rate * distance[i]) / divisor[i]
        hidden = np.maximum(z[:, None] * w1_array + b1_array, 0)  # (n_keys, n_hidden)
        bias[:, i] = (hidden @ w2_array + b2_array).T
    return bias


def sandwich_bias(
    n_heads: int,
    n_queries: int,
    n_keys: int,
    *,
    reading: Reading,
    d_bar: int = 128,
    dtype: DTypeLike = np.float64,
) -> Bias:
    """Sandwich: the dot product of two rows of the sinusoidal table.

        bias[h, m, n] = (sum over i of cos((m - n) * 10000 ** (-2 i / d_bar)) - s) / (8 (h + 1) / H)

    Public code reads the scheme in two ways, which are not interchangeable:

        "zero_based"    i = 0 .. d_bar / 2 - 1,    s = 0            (attention-gym)
        "one_based"     i = 1 .. d_bar / 2,        s = d_bar / 2    (NeMo)

    The first has the frequencies of the sinusoidal table, the second lacks the
    fastest and has one slower than all. The constant s makes the bias 0 on the
    token itself; within a row it is the same for all keys, so that a softmax does
    not see it. The tests of attention-gym name the paper's appendix E for the
    first reading; its text was not at hand here.

    The result is a read-only view that holds one number for each distance; call
    `.copy()` to write to it, which takes the full memory.

    Args:
        n_heads: Number of attention heads H, at least 1.
        n_queries: Number of query tokens, from 1 to `n_keys`; the last query
            stands on the last key.
        n_keys: Number of key tokens, at least 1.
        reading: `"zero_based"` or `"one_based"`.
        d_bar: Width of the table, even and at least 2. It need not be the width
            of the model; the paper's value is 128, NeMo takes head_dim.
        dtype: float32 or float64.

    Returns:
        Score units, shape `(n_heads, n_queries, n_keys)`, read-only. Largest on
        the token itself, and not falling at every step from there.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref import sandwich_bias
        >>> bias = sandwich_bias(2, 2, 2, reading="zero_based", d_bar=4)
        >>> bias[0].round(3)  # cos 0 + cos 0 and cos 1 + cos 0.01, by 4
        array([[0.5  , 0.385],
               [0.385, 0.5  ]])
        >>> bias[1, 0].round(3)  # by 8
        array([0.25 , 0.193])
    """
    n_heads = checks.whole_number("n_heads", n_heads, at_least=1)
    n_queries, n_keys = checked_shape(n_heads, n_queries, n_keys)
    checks.one_of("reading", reading, ("zero_based", "one_based"))
    d_bar = checks.even_width("d_bar", d_bar)
    checks.result_fits(n_queries=n_queries, n_keys=n_keys, d_bar=d_bar)
    float_type = checks.float_dtype("dtype", dtype)

    first = 0 if reading == "zero_based" else 1
    products = np.zeros(n_queries + n_keys - 1)
    distance = distances(n_queries, n_keys)
    for i in range(first, first + d_bar // 2):
        products += np.cos(distance * 10000.0 ** (-2 * i / d_bar))
    if reading == "one_based":
        products -= d_bar / 2
    divisors = 8 * np.arange(1, n_heads + 1) / n_heads
    values = products / divisors[:, None]
    return by_distance(values.astype(float_type, copy=False), n_keys)


def _positive_heads(name: str, value: ArrayLike, n_heads: int | str) -> NDArray[np.floating]:
    array = checks.real_array(name, value, n_heads, finite=True)
    if len(array) == 0:
        raise ValueError(f"{name} must have at least one head, got shape {array.shape}")
    if array.min() <= 0:
        raise ValueError(f"{name} must be above 0 everywhere, got {array.min()}")
    return array
