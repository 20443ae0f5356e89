"""Usual mistakes with ALiBi and with the buckets of T5 and DeBERTa. Result: what each gives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc_ref.alibi import alibi_slopes
from posenc_ref.deberta import deberta_buckets
from posenc_ref.t5 import t5_buckets

Mistakes = dict[str, Callable[..., Any]]


def _power_rule(n: int, first: int = 1) -> Any:
    return 2.0 ** (-8 * np.arange(first, n + first) / n)


def _power(n: int) -> int:
    return 1 << (n.bit_length() - 1)


def _completed(n: int, first: int = 1, between: int = 0) -> Any:
    own, twice = _power_rule(_power(n), first), _power_rule(2 * _power(n), first)
    return np.concatenate([own, twice[between::2]])[:n]


SLOPES: Mistakes = {
    "the rule for powers of two, at any number of heads": _power_rule,
    "the slopes of the next power of two, cut off": lambda n: _power_rule(
        1 << (n - 1).bit_length()
    )[:n],
    "sorted from steep to flat": lambda n: np.sort(alibi_slopes(n))[::-1],
    "sorted from flat to steep": lambda n: np.sort(alibi_slopes(n)),
    "heads counted from 0: the first slope is 1": lambda n: _completed(n, first=0),
    "the slopes between are taken from the second on": lambda n: _completed(n, between=1),
    "halved from head to head, whatever their number": lambda n: 0.5 ** np.arange(1, n + 1),
    "the other sign": lambda n: -alibi_slopes(n),
}


def _relative(n_queries: int, n_keys: int, start: int | None = None) -> Any:
    first = n_keys - n_queries if start is None else start
    return np.arange(n_keys) - np.arange(first, first + n_queries)[:, None]


def _bias(costs: Callable[[Any], Any], slopes: Callable[..., Any] = alibi_slopes) -> Any:
    return lambda h, n, k: slopes(h)[:, None, None] * costs(_relative(n, k))


BIAS: Mistakes = {
    "the other sign: far keys are favoured": _bias(np.abs),
    "causal, not symmetric: keys after the query cost nothing": _bias(lambda r: np.minimum(r, 0)),
    "no absolute value: keys after the query are favoured": _bias(lambda r: r),
    "slope times key position (BLOOM), for a causal softmax only": lambda h, n, k: (
        alibi_slopes(h)[:, None, None] * np.broadcast_to(np.arange(k), (n, k))
    ),
    "slope times place from the last key (MPT), causal softmax only": (
        lambda h, n, k: (
            alibi_slopes(h)[:, None, None] * np.broadcast_to(np.arange(1 - k, 1), (n, k))
        )
    ),
    "the first query stands on the first key": lambda h, n, k: (
        -alibi_slopes(h)[:, None, None] * np.abs(_relative(n, k, start=0))
    ),
    "the causal mask is in it": _bias(lambda r: np.where(r > 0, -np.inf, r)),
    "the slopes of the rule for powers of two, at any number of heads": _bias(
        lambda r: -np.abs(r), _power_rule
    ),
}


def _t5(
    r: Any, both: bool, n_buckets: int, limit: int,
    *, later: Callable[[Any], Any] = lambda r: r > 0, cut: Callable[[Any], Any] | None = np.floor,
) -> Any:  # fmt: skip
    """The buckets in floats; borders at whole numbers are nudged to where they belong."""
    n = n_buckets // 2 if both else n_buckets
    far = np.abs(r) if both else np.maximum(-r, 0)
    single = n // 2
    shared = (n - single) * np.log(np.maximum(far, 1) / single) / np.log(limit / single) + 1e-9
    wide = single + cut(shared) if cut else far
    buckets = np.where(far < single, far, np.minimum(wide, n - 1)).astype(np.int64)
    return buckets + n * later(r) if both else buckets


T5: Mistakes = {
    "the other sign: query minus key": lambda r, *a: _t5(-r, *a),
    "keys before the query get the upper half": lambda r, both, *a: _t5(
        r, both, *a, later=lambda r: r < 0
    ),
    "the token itself counts as after the query": lambda *a: _t5(*a, later=lambda r: r >= 0),
    "always for an encoder": lambda r, both, *a: t5_buckets(
        r, bidirectional=True, n_buckets=a[0] // 2 * 2, max_distance=a[1]
    ),
    "always for a decoder": lambda r, both, *a: _t5(r, False, *a),
    "a decoder that takes the future for the past (absolute distance)": lambda r, both, *a: _t5(
        r if both else -np.abs(r), both, *a
    ),
    "no shared buckets: distances are cut off": lambda *a: _t5(*a, cut=None),
    "rounded to the nearest bucket, not down": lambda *a: _t5(*a, cut=np.round),
    "rounded up, not down": lambda *a: _t5(*a, cut=np.ceil),
    "max_distance not used: 128 stands in its place": lambda r, both, n, limit: _t5(
        r, both, n, 128
    ),
}


def _deberta(
    r: Any, n: int, limit: int, *, cut: Callable[[Any], Any] = np.ceil, less: int = 1,
    mid: int | None = None,
) -> Any:  # fmt: skip
    m = n // 2 if mid is None else mid
    far = np.abs(r)
    widening = np.log(np.maximum(far, m) / m) / np.log((limit - less) / m)
    shared = cut(np.round((m - 1) * widening, 12))
    return (np.sign(r) * (np.minimum(far, m) + shared)).astype(np.int64)


def _right(r: Any, n: int, limit: int) -> Any:
    return deberta_buckets(r, n_buckets=n, max_distance=limit)


DEBERTA: Mistakes = {
    "the other sign": lambda r, *a: -_right(r, *a),
    "the sign is lost": lambda r, *a: np.abs(_right(r, *a)),
    "rounded down, not up": lambda *a: _deberta(*a, cut=np.floor),
    "rounded to the nearest bucket, not up": lambda *a: _deberta(*a, cut=np.round),
    "max_distance in place of max_distance - 1": lambda *a: _deberta(*a, less=0),
    "no shared buckets: distances are cut off": lambda r, n, limit: np.clip(r, 1 - n, n - 1),
    "distances as they are, without buckets": lambda r, n, limit: r,
    "the buckets of T5, with the sign of the distance": lambda r, n, limit: (
        np.sign(r) * _t5(-np.abs(r), False, n, limit)
    ),
}


def _rows(r: Any, span: int) -> Any:
    return np.clip(span - r, 0, 2 * span - 1)


INDICES: Mistakes = {
    "the other sign: key minus query (the paper's second index)": lambda n, k, s: _rows(
        -_relative(n, k), s
    ),
    "not shifted by span": lambda n, k, s: np.clip(-_relative(n, k), -s, s - 1),
    "cut off at 2 span: one row too many": lambda n, k, s: np.clip(s - _relative(n, k), 0, 2 * s),
    "not cut off": lambda n, k, s: s - _relative(n, k),
    "the first query stands on the first key": lambda n, k, s: _rows(_relative(n, k, start=0), s),
    "shifted by span - 1": lambda n, k, s: np.clip(s - 1 - _relative(n, k), 0, 2 * s - 1),
}

BIASES: dict[str, Mistakes] = {
    "alibi-slopes": SLOPES,
    "alibi-bias": BIAS,
    "t5-buckets": T5,
    "deberta-buckets": DEBERTA,
    "deberta-indices": INDICES,
}
