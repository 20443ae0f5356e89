"""Distances that the content decides. Result: score terms, for causal attention.

A token can be near or far because of what lies between it and the query. CoPE
counts only the tokens that the query cares for, and looks the count up in a
table. The forget gate of FoX lets each token fade what came before it.

For query m, key n and the keys up to the query,

    CoPE    q_m . table[p],  p = sum over t = n .. m of sigmoid(q_m . k_t / sqrt(d))
    FoX     sum over l = n + 1 .. m of ln f_l,  f_l = sigmoid(gate_logits[l])

Neither is defined for a key after the query: those entries are -inf, so that the
terms mask the future by themselves, and a causal mask on top changes nothing.
Both sum over tokens between the key and the query only, so padding at either
end and documents packed in one row need no mask in here.

Source: Golovneva et al. (2024), arXiv:2405.18719 (CoPE); Lin et al. (2025),
arXiv:2503.02130 (FoX, the forgetting transformer).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.operands import check_leading_axes, queries_and_keys, score_scale
from posenc_ref.positions import relative_positions


def cope_bias(
    q: ArrayLike, k: ArrayLike, table: ArrayLike, *, scale: float | None = None
) -> NDArray[np.floating]:
    """Contextual position: a count of the keys that matter to the query, looked up in a table.

    A gate says how much of a token each key counts for. The position of a key
    is the sum of the gates from that key up to the query, both included, and at
    most the last row of the table. Between two rows the term is linear:

        gate[m, t] = sigmoid(scale * q_m . k_t)
        p[m, n]    = min(gate[m, n] + ... + gate[m, m], n_rows - 1)
        term[m, n] = (1 - r) q_m . table[floor(p)] + r q_m . table[floor(p) + 1],  r = p - floor(p)

    Two scalings are published. The paper's listing adds the term to the scaled
    scores, q . k / sqrt(d) + term, as a bias of `attention_weights`. The
    released code divides the term too unless told otherwise, (q . k + term) /
    sqrt(d): there, add `term / math.sqrt(d)`.

    Args:
        q: Queries, shape `(..., n_queries, head_dim)`; the last query stands on
            the last key.
        k: Keys, shape `(..., n_keys, head_dim)`, at least one and at least as
            many as queries; leading axes broadcast with those of `q`.
        table: A vector for each whole position, finite, shape
            `(n_rows, head_dim)`, shared by all heads.
        scale: Factor on the products in the gates, finite; 1 / sqrt(head_dim)
            if not given, which is right for both scalings.

    Returns:
        Terms in score units, shape `(..., n_queries, n_keys)`; -inf for keys
        after the query.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If shapes do not fit, or `table` or `scale` is not finite.

    Examples:
        >>> from posenc_ref import cope_bias
        >>> keys = [[0.0], [0.0], [0.0]]  # every gate is sigmoid(0), one half
        >>> cope_bias([[1.0]], keys, [[0.0], [10.0], [40.0]])  # positions 1.5, 1 and 0.5
        array([[25., 10.,  5.]])
    """
    queries, keys = queries_and_keys(q, k)
    (n_queries, head_dim), n_keys = queries.shape[-2:], keys.shape[-2]
    check_leading_axes(q=queries.shape[:-2], k=keys.shape[:-2])
    rows = checks.real_array("table", table, "n_rows", head_dim, finite=True)
    if len(rows) == 0:
        raise ValueError(f"table must have at least one row, got shape {rows.shape}")
    factor = score_scale(scale, head_dim)

    checks.result_fits(q=n_queries, k=n_keys)
    distance = relative_positions(n_queries, n_keys)
    gates = (1 + np.tanh(factor / 2 * (queries @ keys.swapaxes(-1, -2)))) / 2  # sigmoid
    gates = np.where(distance <= 0, gates, 0)
    last = len(rows) - 1
    position = np.minimum(_sums_to_the_right(gates), last)  # (..., n_queries, n_keys)
    below = np.nan_to_num(np.floor(position)).astype(np.int64)  # a NaN gives NaN by its share
    above = np.minimum(below + 1, last)
    share = position - below
    answers = np.broadcast_to(queries @ rows.T, (*position.shape[:-1], len(rows)))
    at_below = np.take_along_axis(answers, below, axis=-1)
    at_above = np.take_along_axis(answers, above, axis=-1)
    terms = np.where(distance <= 0, (1 - share) * at_below + share * at_above, -np.inf)
    return terms.astype(np.result_type(queries, keys, rows), copy=False)


def forgetting_bias(
    gate_logits: ArrayLike, *, n_queries: int | None = None
) -> NDArray[np.floating]:
    """How much has been forgotten of each key by the time of the query.

    Each token has a forget gate f between 0 and 1. A key keeps the product of
    the gates after it, up to and including that of the query, and the bias is
    the logarithm of that:

        bias[m, n] = ln f_(n+1) + ... + ln f_m,  f = sigmoid(gate_logits)

    It is 0 on the token itself. Gates that are all exp(-slope) give ALiBi with
    that slope. The bias is added to the scaled scores. In released code the
    logits are a linear map of the layer's input, one for each head. The authors'
    start near 0, a gate of 0.5; those of x-transformers at 5, a gate of 0.993.

    Args:
        gate_logits: Gates before the sigmoid, one for each key, shape
            `(..., n_heads, n_keys)` or `(n_keys,)`, at least one key. A logit of
            -inf is a gate of 0, which lets the token forget all before it.
        n_queries: Number of query tokens, from 1 to n_keys, the last of which
            stands on the last key; n_keys if not given.

    Returns:
        Bias in score units, 0 or negative, shape `(..., n_heads, n_queries, n_keys)`
        or `(n_queries, n_keys)`; -inf for keys after the query.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If there is no key, or `n_queries` is not in 1..n_keys.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref import forgetting_bias
        >>> bias = forgetting_bias([0.0, 0.0, 0.0])  # every gate is one half
        >>> np.exp(bias)  # what is left
        array([[1.  , 0.  , 0.  ],
               [0.5 , 1.  , 0.  ],
               [0.25, 0.5 , 1.  ]])
    """
    logits = checks.real_array("gate_logits", gate_logits, "n_keys", leading=True)
    n_keys = logits.shape[-1]
    if n_keys == 0:
        raise ValueError(f"gate_logits must have at least one key, got shape {logits.shape}")
    count = n_keys if n_queries is None else checks.whole_number("n_queries", n_queries)
    checks.result_fits(gate_logits=n_keys, n_queries=min(count, n_keys))
    distance = relative_positions(count, n_keys)

    # ln sigmoid, in a form that neither overflows nor loses digits
    log_gates = np.minimum(logits, 0) - np.log1p(np.exp(-np.abs(logits)))
    log_gates = np.where(distance <= 0, log_gates[..., None, :], 0)  # (..., n_queries, n_keys)
    after_the_key = np.zeros_like(log_gates)
    after_the_key[..., :-1] = _sums_to_the_right(log_gates)[..., 1:]
    return np.where(distance <= 0, after_the_key, -np.inf).astype(logits.dtype, copy=False)


def _sums_to_the_right(x: NDArray[np.floating]) -> NDArray[np.float64]:
    """Each entry plus all that follow it in its row, summed in float64."""
    return np.cumsum(x[..., ::-1], axis=-1, dtype=np.float64)[..., ::-1]
