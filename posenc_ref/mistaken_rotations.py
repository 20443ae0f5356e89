"""Usual mistakes with rotations and sinusoidal tables. Result: what each of them gives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc_ref.kinds import Rotation
from posenc_ref.rotary import apply_rotary, rotary_cos_sin
from posenc_ref.sinusoidal import sinusoidal_at

Mistakes = dict[str, Callable[..., Any]]


def _speeds(width: int, base: float, power: float = 1, divisor: float | None = None) -> Any:
    """Of the pairs of a width: base ** (-2 i power / divisor)."""
    return float(base) ** (-power * np.arange(0, width, 2) / (divisor or width))


def _turn(x: Any, positions: Any, speeds: Any, layout: Any, where: Any = "leading") -> Any:
    return apply_rotary(x, rotary_cos_sin(positions, speeds), layout=layout, where=where)


def _exchanged(x: Any, positions: Any, speeds: Any, layout: Any) -> Any:
    cos, sin = rotary_cos_sin(positions, speeds)
    return apply_rotary(x, Rotation(sin, cos), layout=layout)


def _without_minus(x: Any, positions: Any, speeds: Any, layout: Any) -> Any:
    """x1 cos + x2 sin, x2 cos + x1 sin: half of each turn is the wrong way round."""
    ahead, back = (_turn(x, sign * positions, speeds, layout) for sign in (1, -1))
    first = np.zeros(x.shape[-1], bool)
    n = len(speeds)
    first[: 2 * n : 2] = layout == "interleaved"
    first[:n] |= layout == "half"
    return np.where(first, back, ahead)


def _mixed(x: Any, positions: Any, speeds: Any, pairs: str) -> Any:
    """Pairs of one layout, with cosines and sines laid out for the other."""
    cos, sin = rotary_cos_sin(positions, speeds)
    n = len(speeds)
    part = x[:, : 2 * n].reshape(len(x), n, 2) if pairs == "interleaved" else x[:, : 2 * n]
    if pairs == "interleaved":
        partner = np.stack([-part[..., 1], part[..., 0]], -1).reshape(len(x), 2 * n)
        cos, sin = np.tile(cos, 2), np.tile(sin, 2)
    else:
        partner = np.concatenate([-part[:, n:], part[:, :n]], -1)
        cos, sin = np.repeat(cos, 2, -1), np.repeat(sin, 2, -1)
    turned = x[:, : 2 * n] * cos + partner * sin
    return np.concatenate([turned, x[:, 2 * n :]], -1)


def _across_head(x: Any, positions: Any, speeds: Any) -> Any:
    """Pairs i and i + head_dim / 2, though only some features turn."""
    cos, sin = rotary_cos_sin(positions, speeds)
    n, half = len(speeds), x.shape[-1] // 2
    y = np.array(x, np.float64)
    one, two = x[:, :n], x[:, half : half + n]
    y[:, :n], y[:, half : half + n] = one * cos - two * sin, two * cos + one * sin
    return y


def _of_rotary(layout: str, whole: bool) -> Mistakes:
    """The list for one layout; with partial rotation, a width follows the base."""
    other = {"half": "interleaved", "interleaved": "half"}[layout]
    named = {"half": "i and i + d / 2", "interleaved": "2 i and 2 i + 1"}

    def width(x: Any, rest: Any) -> Any:
        return rest[0] if rest else x.shape[-1]

    def at(positions: Callable[[Any], Any]) -> Callable[..., Any]:
        return lambda x, p, b, *d: _turn(x, positions(p), _speeds(width(x, d), b), layout)

    def with_speeds(speeds: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, p, b, *d: _turn(x, p, speeds(x, width(x, d), b), layout)

    def by(turn: Callable[..., Any], name: str) -> Callable[..., Any]:
        return lambda x, p, b, *d: turn(x, p, _speeds(width(x, d), b), name)

    mistakes: Mistakes = {
        f"the other layout, {other} (pairs {named[other]})": by(_turn, other),
        "neighbours written out as halves (interleaved_to_half)": by(_turn, "interleaved_to_half"),
        "the other sign: turned by -p w": at(lambda p: -p),
        "positions off by one: counted from 1": at(lambda p: p + 1),
        "positions off by one: each too small": at(lambda p: p - 1),
        "the positions given are not used: rows are counted 0, 1, 2, ...": at(
            lambda p: np.arange(len(p))
        ),
        "the base given is not used: 10000 stands in its place": with_speeds(
            lambda x, d, b: _speeds(d, 10000.0)
        ),
        "cosine and sine exchanged": by(_exchanged, layout),
        "a minus sign missing: x1 cos + x2 sin": by(_without_minus, layout),
        "exponent i / d in place of 2 i / d": with_speeds(lambda x, d, b: _speeds(d, b, 0.5)),
        "exponent 4 i / d in place of 2 i / d": with_speeds(lambda x, d, b: _speeds(d, b, 2)),
        "pairs i and i + d / 2, with tables laid out for neighbours": by(_mixed, "half"),
        "pairs of neighbours, with tables laid out for halves": by(_mixed, "interleaved"),
        "nothing is turned": lambda x, *_: x,
    }
    if whole:
        return mistakes
    mistakes |= {
        "exponents divide by the width of the whole head": with_speeds(
            lambda x, d, b: _speeds(d, b, divisor=x.shape[-1])
        ),
        "the last features turn, not the first": lambda x, p, b, d: _turn(
            x, p, _speeds(d, b), layout, "trailing"
        ),
        "the whole head turns": lambda x, p, b, d: _turn(
            x, p, _speeds(x.shape[-1] // 2 * 2, b), layout
        ),
        "pairs i and i + head_dim / 2, over the whole head": lambda x, p, b, d: _across_head(
            x, p, _speeds(d, b)
        ),
    }
    return mistakes


def _conventions(layout: str, exponent: str, order: str) -> Mistakes:
    """The seven other conventions of a table, and what is wrong in any of them."""
    words = {
        "interleaved": "side by side",
        "concatenated": "in halves",
        "paper": "the paper's exponent",
        "tensor2tensor": "tensor2tensor's exponent",
        "sin_cos": "sine first",
        "cos_sin": "cosine first",
    }
    right = (layout, exponent, order)

    def table(names: tuple[str, ...], shift: int = 0, power: float = 1) -> Callable[..., Any]:
        def made(p: Any, d: int) -> Any:
            layout, exponent, order = names
            options: Any = {"layout": layout, "exponent": exponent, "order": order}
            return sinusoidal_at(p + shift, d, base=10000.0**power, **options)

        return made

    others = [
        (one, two, three)
        for one in ("interleaved", "concatenated")
        for two in ("paper", "tensor2tensor")
        for three in ("sin_cos", "cos_sin")
    ]
    mistakes = {
        "another convention: "
        + ", ".join(words[n] for n, r in zip(names, right, strict=True) if n != r): table(names)
        for names in sorted(others, key=lambda names: sum(map(str.__ne__, names, right)))
        if names != right
    }
    return mistakes | {
        "positions off by one: counted from 1": table(right, shift=1),
        "positions off by one: each too small": table(right, shift=-1),
        "the positions given are not used: rows are counted 0, 1, 2, ...": lambda p, d: table(
            right
        )(np.arange(len(p)), d),
        "exponents half as large as they should be": table(right, power=0.5),
        "exponents twice as large as they should be": table(right, power=2),
        "a speed of its own for each column: exponent j / d_model": lambda p, d: np.where(
            np.arange(d) % 2 == 0,
            np.sin(p[:, None] * 10000.0 ** (-np.arange(d) / d)),
            np.cos(p[:, None] * 10000.0 ** (-np.arange(d) / d)),
        ),
        "divided by sqrt(d_model)": lambda p, d: table(right)(p, d) / np.sqrt(d),
        "the other sign: sines of -p w": lambda p, d: table(right)(-p, d),
    }


ROTATIONS: dict[str, Mistakes] = {
    "rope-half": _of_rotary("half", whole=True),
    "rope-interleaved": _of_rotary("interleaved", whole=True),
    "rope-partial-half": _of_rotary("half", whole=False),
    "rope-partial-interleaved": _of_rotary("interleaved", whole=False),
    "sinusoidal-interleaved": _conventions("interleaved", "paper", "sin_cos"),
    "sinusoidal-concatenated": _conventions("concatenated", "paper", "sin_cos"),
    "sinusoidal-tensor2tensor": _conventions("concatenated", "tensor2tensor", "sin_cos"),
    "sinusoidal-cosine-first": _conventions("concatenated", "tensor2tensor", "cos_sin"),
}
