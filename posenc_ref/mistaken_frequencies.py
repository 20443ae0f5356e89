"""Usual mistakes with rotary frequencies and their scaling. Result: what each of them gives.

The rules stand here once more, in NumPy and with a place for the mistake. The vectors tell
whether the mistake-free ones are right: a test runs them through `check` as well.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Mistakes = dict[str, Callable[..., Any]]


def speeds(width: int, base: float) -> Any:
    """Frequencies that are not scaled."""
    return float(base) ** (-np.arange(0, width, 2) / width)


def listed(rule: Callable[..., Any]) -> Mistakes:
    """What can go wrong with any list of frequencies."""
    return {
        "wavelengths in place of frequencies (2 pi / w)": lambda *a: 2 * np.pi / rule(*a),
        "frequencies inverted (1 / w)": lambda *a: 1 / rule(*a),
        "turns a token in place of radians (w / 2 pi)": lambda *a: rule(*a) / (2 * np.pi),
        "the base given is not used: 10000 stands in its place": lambda d, b, *a: rule(
            d, 10000.0, *a
        ),
    }


def _unscaled(d: int, b: float, *_: Any) -> Any:
    return speeds(d, b)


PLAIN: Mistakes = {
    **listed(speeds),
    "exponent i / d in place of 2 i / d": lambda d, b: speeds(d, b**0.5),
    "exponent 4 i / d in place of 2 i / d": lambda d, b: speeds(d, b**2),
    "exponent i / (d / 2 - 1), that of tensor2tensor": lambda d, b: (
        b ** (-np.arange(d // 2) / max(d // 2 - 1, 1))
    ),
    "each frequency twice, once for each feature": lambda d, b: np.tile(speeds(d, b), 2),
}


def _linear(d: int, b: float, f: float) -> Any:
    return speeds(d, b) / f


def _ntk(d: int, b: float, f: Any, *, exponent: Callable[[float], float] | None = None) -> Any:
    power = exponent(d) if exponent else d / (d - 2)
    return speeds(d, float(b * np.power(float(f), power)))


LINEAR: Mistakes = {
    "not scaled": _unscaled,
    "factor inverted: frequencies multiplied": lambda d, b, f: speeds(d, b) * f,
    "the factor applied twice": lambda d, b, f: speeds(d, b) / f**2,
    "the base multiplied by the factor": lambda d, b, f: speeds(d, b * f),
    "the NTK-aware rule": _ntk,
    **listed(_linear),
}
NTK: Mistakes = {
    "not scaled": _unscaled,
    "no exponent d / (d - 2): the base multiplied by the factor itself": lambda d, b, f: speeds(
        d, b * f
    ),
    "exponent (d - 2) / d in place of d / (d - 2)": lambda d, b, f: _ntk(
        d, b, f, exponent=lambda d: (d - 2) / d
    ),
    "exponent n / (n - 2) with the number of pairs n": lambda d, b, f: _ntk(
        d, b, f, exponent=lambda d: d / (d - 4) if d > 4 else 1.0
    ),
    "factor inverted": lambda d, b, f: _ntk(d, b, 1 / f),
    "the linear rule: all pairs divided by the factor": _linear,
    **listed(_ntk),
}


def _stretch(f: float, t: int, n: int) -> float:
    return 1 + f * (max(n, t) / t - 1)


def _dynamic(d: int, b: float, f: float, t: int, n: int) -> Any:
    return _ntk(d, b, _stretch(f, t, n))


DYNAMIC: Mistakes = {
    "not scaled": _unscaled,
    "a short text is scaled as well": lambda d, b, f, t, n: _ntk(d, b, 1 + f * (n / t - 1)),
    "a short text is scaled as well, by n / trained_length": lambda d, b, f, t, n: _ntk(
        d, b, n / t
    ),
    "stretch n / trained_length, the factor not used (the YaRN paper)": lambda d, b, f, t, n: _ntk(
        d, b, max(n, t) / t
    ),
    "stretch factor * n / trained_length, without - (factor - 1)": lambda d, b, f, t, n: _ntk(
        d, b, f * max(n, t) / t
    ),
    "the same factor at every length": lambda d, b, f, t, n: _ntk(d, b, f),
    "no exponent d / (d - 2)": lambda d, b, f, t, n: speeds(d, b * _stretch(f, t, n)),
    "the linear rule: all pairs divided by the stretch": lambda d, b, f, t, n: (
        speeds(d, b) / _stretch(f, t, n)
    ),
    **listed(_dynamic),
}


def _proportional(
    d: int, b: float, share: float, f: float, *, count: Callable[[float], float] = math.floor
) -> Any:
    turning = int(count(share * d / 2))
    return np.where(np.arange(d // 2) < turning, speeds(d, b) / f, 0)


def _turning(d: int, share: float) -> int:
    return int(share * d / 2)


PROPORTIONAL: Mistakes = {
    "exponents divide by the part that turns (partial rotation)": lambda d, b, share, f: (
        np.concatenate(
            [speeds(2 * _turning(d, share), b) / f, np.zeros(d // 2 - _turning(d, share))]
        )
    ),
    "the pairs at rest stand first": lambda d, b, share, f: np.where(
        np.arange(d // 2) < d // 2 - _turning(d, share), 0, speeds(d, b) / f
    ),
    "the slow pairs turn, listed first": lambda d, b, share, f: np.roll(
        np.where(np.arange(d // 2) < d // 2 - _turning(d, share), 0, speeds(d, b) / f),
        _turning(d, share),
    ),
    "a part of a pair counts as a pair": lambda *a: _proportional(*a, count=math.ceil),
    "no pair is at rest": lambda d, b, share, f: speeds(d, b) / f,
    "the factor is not used": lambda d, b, share, f: _proportional(d, b, share, 1.0),
    "factor inverted": lambda d, b, share, f: _proportional(d, b, share, 1 / f),
    "the pairs at rest are left out": lambda d, b, share, f: speeds(d, b)[: _turning(d, share)] / f,
    **listed(_proportional),
}

FREQUENCIES: dict[str, Mistakes] = {
    "rope-frequencies": PLAIN,
    "scaling-linear": LINEAR,
    "scaling-ntk": NTK,
    "scaling-dynamic": DYNAMIC,
    "scaling-proportional": PROPORTIONAL,
}
