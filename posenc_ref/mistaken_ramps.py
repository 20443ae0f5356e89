"""Usual mistakes with YaRN, LongRoPE and the rule of Llama 3. Result: what each of them gives.

As in `mistaken_frequencies`, the rules stand here with a place for the mistake.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from posenc_ref.mistaken_frequencies import Mistakes, listed, speeds


def _yarn(
    d: int, b: float, f: float, t: int, fast: float, slow: float, truncate: bool,
    *, turns: float = 2 * np.pi, rounded: bool | None = None, highest: int | None = None,
    ramp: Callable[[Any], Any] | None = None,
    mixed: Callable[..., Any] | None = None,
    grown: Callable[[float], float] | None = None,
) -> Any:  # fmt: skip
    low, high = (d * math.log(t / (turns * beta)) / (2 * math.log(b)) for beta in (fast, slow))
    if truncate if rounded is None else rounded:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1 if highest is None else highest)
    w = speeds(d, b)
    with np.errstate(all="ignore"):
        r = np.clip((np.arange(len(w)) - low) / np.float64(high - low), 0, 1)
    r = ramp(r) if ramp else r
    scaled = mixed(w, f, r) if mixed else w / f * r + w * (1 - r)
    growth = 0.1 * math.log(f) + 1
    return scaled, (grown(growth) if grown else growth)


def _paper_ramp(d: int, b: float, f: float, t: int, fast: float, slow: float, _: bool) -> Any:
    return _llama3(d, b, f, slow, fast, t), 0.1 * math.log(f) + 1


YARN: Mistakes = {
    "mscale twice: the attention factor is squared": lambda *a: _yarn(*a, grown=lambda m: m**2),
    "mscale not at all: the attention factor is 1": lambda *a: _yarn(*a, grown=lambda m: 1.0),
    "the attention factor is inverted": lambda *a: _yarn(*a, grown=lambda m: 1 / m),
    "the ramp of the paper, linear in the turns": _paper_ramp,
    "the ramp upside down: fast pairs divided, slow ones kept": lambda *a: _yarn(
        *a, ramp=lambda r: 1 - r
    ),
    "beta_fast and beta_slow exchanged": lambda d, b, f, t, fast, slow, cut: _yarn(
        d, b, f, t, slow, fast, cut
    ),
    "truncate not used: bounds always rounded": lambda d, b, f, t, fast, slow, _: _yarn(
        d, b, f, t, fast, slow, True
    ),
    "truncate not used: bounds never rounded": lambda d, b, f, t, fast, slow, _: _yarn(
        d, b, f, t, fast, slow, False
    ),
    "the upper bound stops at the last pair, d / 2 - 1": lambda d, *a: _yarn(
        d, *a, highest=d // 2 - 1
    ),
    "2 pi missing: radians counted as turns": lambda *a: _yarn(*a, turns=1.0),
    "wavelengths mixed in place of frequencies": lambda *a: _yarn(
        *a, mixed=lambda w, f, r: 1 / (f / w * r + (1 - r) / w)
    ),
    "factor inverted: slow pairs multiplied": lambda *a: _yarn(
        *a, mixed=lambda w, f, r: w * f * r + w * (1 - r)
    ),
    "the linear rule: all pairs divided by the factor": lambda *a: _yarn(
        *a, mixed=lambda w, f, r: w / f
    ),
    "not scaled": lambda *a: _yarn(*a, mixed=lambda w, f, r: w),
}


def _m(f: float, weight: float) -> float:
    return 0.1 * weight * math.log(f) + 1


DEEPSEEK: Mistakes = {
    "mscale twice: cosines and sines carry it as well as the softmax": lambda f, one, both: (
        _m(f, one),
        _m(f, both) ** 2,
    ),
    "mscale not at all: the softmax is left alone": lambda f, one, both: (
        _m(f, one) / _m(f, both),
        1.0,
    ),
    "the softmax factor is not squared": lambda f, one, both: (
        _m(f, one) / _m(f, both),
        _m(f, both),
    ),
    "plain YaRN: the two numbers are not used": lambda f, one, both: (_m(f, 1), 1.0),
    "the two numbers exchanged": lambda f, one, both: (_m(f, both) / _m(f, one), _m(f, one) ** 2),
}


# LongRoPE and Llama 3


def _longrope(
    d: int, b: float, short: Any, long: Any, t: int, most: int, n: int,
    *, is_long: Callable[..., bool] = lambda t, most, n: n > t,
    growth: Callable[..., float] | None = None, multiplied: bool = False,
) -> Any:  # fmt: skip
    factors = long if is_long(t, most, n) else short
    s = most / t
    grown = math.sqrt(1 + math.log(s) / math.log(t)) if s > 1 else 1.0
    w = speeds(d, b)
    scaled = w * factors if multiplied else w / factors
    return scaled, (growth(grown, s, t, most, n) if growth else grown)


LONGROPE: Mistakes = {
    "the two lists exchanged": lambda d, b, short, long, *a: _longrope(d, b, long, short, *a),
    "the long list already at trained_length itself": lambda *a: _longrope(
        *a, is_long=lambda t, most, n: n >= t
    ),
    "the long list at every length": lambda *a: _longrope(*a, is_long=lambda *_: True),
    "the short list at every length": lambda *a: _longrope(*a, is_long=lambda *_: False),
    "frequencies multiplied by the list, not divided": lambda *a: _longrope(*a, multiplied=True),
    "the attention factor is missing (1)": lambda *a: _longrope(*a, growth=lambda *_: 1.0),
    "the attention factor is squared": lambda *a: _longrope(*a, growth=lambda m, *_: m**2),
    "the attention factor for the long list only": lambda *a: _longrope(
        *a, growth=lambda m, s, t, most, n: m if n > t else 1.0
    ),
    "the attention factor of YaRN": lambda *a: _longrope(
        *a, growth=lambda m, s, *_: 0.1 * math.log(s) + 1
    ),
    "logarithm of max_length in place of trained_length": lambda *a: _longrope(
        *a, growth=lambda m, s, t, most, n: math.sqrt(1 + math.log(s) / math.log(most))
    ),
    "the lists are not used": lambda d, b, short, long, *a: _longrope(d, b, 1.0, 1.0, *a),
}


def _llama3(
    d: int, b: float, f: float, low: float, high: float, t: int,
    *, turns: float = 2 * np.pi, ramp: Callable[[Any], Any] | None = None,
    mixed: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    w = speeds(d, b)
    kept = np.clip((t * w / turns - low) / (high - low), 0, 1)
    kept = ramp(kept) if ramp else kept
    return mixed(w, f, kept) if mixed else kept * w + (1 - kept) * w / f


LLAMA3: Mistakes = {
    "not scaled": lambda d, b, *_: speeds(d, b),
    "the linear rule: all pairs divided by the factor": lambda d, b, f, *_: speeds(d, b) / f,
    "the ramp upside down, or its two bounds exchanged": lambda *a: _llama3(
        *a, ramp=lambda kept: 1 - kept
    ),
    "2 pi missing: radians counted as turns": lambda *a: _llama3(*a, turns=1.0),
    "wavelengths mixed in place of frequencies": lambda *a: _llama3(
        *a, mixed=lambda w, f, kept: 1 / (kept / w + (1 - kept) * f / w)
    ),
    "no ramp: pairs between the bounds are kept": lambda *a: _llama3(*a, ramp=np.ceil),
    "no ramp: pairs between the bounds are divided": lambda *a: _llama3(*a, ramp=np.floor),
    "factor inverted: slow pairs multiplied": lambda *a: _llama3(
        *a, mixed=lambda w, f, kept: kept * w + (1 - kept) * w * f
    ),
    **listed(_llama3),
}

RAMPS: dict[str, Mistakes] = {
    "scaling-yarn": YARN,
    "scaling-yarn-deepseek": DEEPSEEK,
    "scaling-longrope": LONGROPE,
    "scaling-llama3": LLAMA3,
}
