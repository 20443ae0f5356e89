"""Expressions in the table of model types: how a value follows from the keys of a config.

The table, `model_types.json`, holds facts and no code, so that Python and the
page in the browser read the same one. A value in it is one of

    "$hidden_size"                                a key of the config, or its default
    ["//", "$hidden_size", "$num_attention_heads"]    an operator and its operands
    anything else                                 itself

A key may be a path (`"$attn_config.rope_theta"`). A missing key is None, and an
operator with a None among its operands gives None, except those that choose.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

MOST_LAYERS = 10_000
LARGEST = 2**53


class ConfigError(ValueError):
    """A config that cannot be: the message names the key, the rule and the value."""


class Read(NamedTuple):
    """One key that an expression looked at, and where its value came from."""

    key: str
    value: Any
    origin: str


class Scope(NamedTuple):
    """What an expression may look at, and the list of what it did look at."""

    config: Mapping[str, Any]
    names: Mapping[str, Sequence[str]]
    defaults: Mapping[str, Any]
    trace: list[Read]
    of_defaults: str = "default"
    """Where the defaults came from: the library, or a rule where no library has the class."""


def refuse(key: str, rule: str, value: object) -> ConfigError:
    """The error for a key whose value breaks a rule."""
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "…"
    return ConfigError(f"{key} must be {rule}, got {shown} ({type(value).__name__})")


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number: true and false are none, though Python counts with them."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(key: str, value: object) -> int | float:
    """A finite number that a float holds exactly enough to compute with."""
    if not is_number(value):
        raise refuse(key, "a number", value)
    if not abs(value) <= LARGEST:  # NaN and infinity are in no order
        raise refuse(key, "a finite number of at most 2**53 in size", value)
    return value


def whole(key: str, value: object, *, at_least: int, at_most: int) -> int:
    """A whole number in a range; `64.0` counts as 64, as some files write it."""
    size = number(key, value)
    if size != int(size) or not at_least <= size <= at_most:
        raise refuse(key, f"a whole number from {at_least} to {at_most}", value)
    return int(size)


def at_path(config: Mapping[str, Any], path: str) -> Any:
    """What stands at a dotted path, or None."""
    value: Any = config
    for step in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def check_finite(key: str, value: object) -> None:
    """No NaN and no infinity, which JSON has not, and no whole number that a float cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise refuse(key, "a finite number", value)
    if isinstance(value, int) and abs(value) > LARGEST:
        raise refuse(key, "a number of at most 2**53 in size", value)
    if isinstance(value, list | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            check_finite(key, item)


def look_up(scope: Scope, key: str) -> Any:
    """The value of a key: from the config under any of its names, else the default.

    A key that is there and null is an answer, as it is to the library: no default.
    """
    names = (key, *scope.names.get(key, ()))
    for name in names:
        value = at_path(scope.config, name)
        if value is not None:
            check_finite(name, value)
            scope.trace.append(Read(name, value, "key"))
            return value
    if any(name in scope.config for name in names):
        return None
    value = scope.defaults.get(key)
    if value is not None:
        scope.trace.append(Read(key, value, scope.of_defaults))
    return value


def evaluate(expression: Any, scope: Scope) -> Any:
    """The value of an expression; the keys it looked at are added to the scope's trace."""
    if isinstance(expression, str) and expression.startswith("$"):
        return look_up(scope, expression[1:])
    if isinstance(expression, list) and expression and expression[0] in (*_LAZY, *_EAGER):
        operator, *operands = expression
        if operator in _LAZY:
            return _LAZY[operator](operands, scope)
        labels, values = [], []
        for operand in operands:
            start = len(scope.trace)
            values.append(evaluate(operand, scope))
            labels.append(keys_read(scope.trace[start:]))
        if any(value is None for value in values):
            return None
        return _EAGER[operator](labels, values)
    if isinstance(expression, list):
        return [evaluate(item, scope) for item in expression]
    if isinstance(expression, dict):
        return {key: evaluate(item, scope) for key, item in expression.items()}
    return expression


def keys_read(reads: Sequence[Read]) -> str:
    """The keys that a value came from, to name it by in an error."""
    keys = dict.fromkeys(read.key for read in reads if not read.key.startswith("_"))
    return ", ".join(keys)


def _first(operands: Sequence[Any], scope: Scope) -> Any:
    for operand in operands:
        value = evaluate(operand, scope)
        if value is not None:
            return value
    return None


def _if(operands: Sequence[Any], scope: Scope) -> Any:
    condition, yes, no = operands
    return evaluate(yes if evaluate(condition, scope) else no, scope)


def _has(operands: Sequence[Any], scope: Scope) -> bool:
    """Whether the config itself gives the key: a default does not count."""
    return any(at_path(scope.config, key) is not None for key in operands)


def _equal(operands: Sequence[Any], scope: Scope) -> bool:
    left, right = (evaluate(operand, scope) for operand in operands)
    return bool(left == right)


def _in(operands: Sequence[Any], scope: Scope) -> bool:
    """Whether a word is in a list, or in a text that joins words with bars or commas."""
    word, place = (evaluate(operand, scope) for operand in operands)
    return isinstance(place, list | str) and word in place


def _quote(operands: Sequence[Any], scope: Scope) -> Any:
    return operands[0]


_LAZY: dict[str, Callable[[Sequence[Any], Scope], Any]] = {
    "or": _first,
    "if": _if,
    "has": _has,
    "==": _equal,
    "in": _in,
    "not": lambda operands, scope: not evaluate(operands[0], scope),
    "and": lambda operands, scope: all(evaluate(operand, scope) for operand in operands),
    "any": lambda operands, scope: any(evaluate(operand, scope) for operand in operands),
    "quote": _quote,
}


def _arithmetic(compute: Callable[[float, float], float]) -> Callable[[list[str], list[Any]], Any]:
    def applied(labels: list[str], values: list[Any]) -> Any:
        total: float = number(labels[0], values[0])
        for label, value in zip(labels[1:], values[1:], strict=True):
            try:
                total = compute(total, number(label, value))
            except ZeroDivisionError:
                raise refuse(label, "other than 0 (it divides)", value) from None
            except OverflowError:
                raise refuse(label, "small enough to compute with", value) from None
            if isinstance(total, complex) or not abs(total) <= LARGEST:
                raise refuse(label, "such that the result is a finite number", value)
        return total

    return applied


def _share(labels: list[str], values: list[Any]) -> int:
    """A width times a fraction, cut to a whole number, as model classes cut it."""
    width = whole(labels[0], values[0], at_least=1, at_most=LARGEST)
    return int(width * number(labels[1], values[1]))


def _layers(label: str, value: object) -> int:
    return whole(label or "number of layers", value, at_least=0, at_most=MOST_LAYERS)


def _repeat(labels: list[str], values: list[Any]) -> list[Any]:
    n, item = values
    return [item] * _layers(labels[0], n)


def _periodic(labels: list[str], values: list[Any]) -> list[Any]:
    """One thing on every layer i with i % period == at, the other elsewhere."""
    n, period, at, one, other = values
    step = whole(labels[1], period, at_least=1, at_most=LARGEST)
    place = whole(labels[2], at, at_least=-1, at_most=LARGEST) % step
    return [one if i % step == place else other for i in range(_layers(labels[0], n))]


def _from(labels: list[str], values: list[Any]) -> list[Any]:
    """One thing before layer k, the other from it on."""
    n, k, before, after = values
    start = whole(labels[1], k, at_least=0, at_most=LARGEST)
    return [before if i < start else after for i in range(_layers(labels[0], n))]


def _put(labels: list[str], values: list[Any]) -> list[Any]:
    """A list with one entry changed; -1 is the last."""
    items, index, item = values
    if not isinstance(items, list):
        raise refuse(labels[0], "a list", items)
    changed = list(items)
    if -len(changed) <= index < len(changed):
        changed[index] = item
    return changed


def _named(labels: list[str], values: list[Any]) -> list[Any]:
    """Each entry of a list, or letter of a text, by its name in a table."""
    items, table = values
    if not isinstance(items, list | str):
        raise refuse(labels[0], "a list", items)
    if len(items) > MOST_LAYERS:
        raise refuse(labels[0], f"at most {MOST_LAYERS} long", items)
    try:
        return [table[str(int(item)) if isinstance(item, bool) else str(item)] for item in items]
    except KeyError as error:
        known = ", ".join(table)
        raise refuse(labels[0], f"made of {known}", error.args[0]) from None


def _indices(labels: list[str], values: list[Any]) -> list[int]:
    """The layers whose flag is 1."""
    return [i for i, flag in enumerate(values[0]) if flag == 1]


def _chosen(labels: list[str], values: list[Any]) -> list[Any]:
    """One thing on the layers that a list names, the other elsewhere."""
    n, indices, one, other = values
    if not isinstance(indices, list):
        raise refuse(labels[1], "a list of layer numbers", indices)
    named = {whole(labels[1], index, at_least=0, at_most=MOST_LAYERS) for index in indices}
    return [one if i in named else other for i in range(_layers(labels[0], n))]


def _grid(labels: list[str], values: list[Any]) -> list[int]:
    """Patches down and across: an image size and a patch size, numbers or pairs."""
    image, patch = (
        [whole(label, side, at_least=1, at_most=10**6) for side in _pair(label, value)]
        for label, value in zip(labels, values, strict=True)
    )
    return [image[0] // patch[0], image[1] // patch[1]]


def _pair(label: str, value: Any) -> list[Any]:
    if isinstance(value, list):
        if len(value) != 2:
            raise refuse(label, "one number or two", value)
        return value
    return [value, value]


def _product(labels: list[str], values: list[Any]) -> int:
    """The product of a list of counts."""
    counts = values[0]
    if not isinstance(counts, list):
        raise refuse(labels[0], "a list", counts)
    return math.prod(whole(labels[0], count, at_least=0, at_most=10**6) for count in counts)


_EAGER: dict[str, Callable[[list[str], list[Any]], Any]] = {
    "+": _arithmetic(lambda a, b: a + b),
    "-": _arithmetic(lambda a, b: a - b),
    "*": _arithmetic(lambda a, b: a * b),
    "/": _arithmetic(lambda a, b: a / b),
    "//": _arithmetic(lambda a, b: a // b),
    "**": _arithmetic(lambda a, b: a**b),
    "min": _arithmetic(min),
    "max": _arithmetic(max),
    "share": _share,
    "repeat": _repeat,
    "periodic": _periodic,
    "from": _from,
    "put": _put,
    "named": _named,
    "chosen": _chosen,
    "indices": _indices,
    "grid": _grid,
    "product": _product,
}
