"""From what a caller has, a path, a folder, a text or an object, to the object that a config is."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from posenc_ref.expressions import ConfigError, refuse

LARGEST_FILE = 5_000_000
DEEPEST = 64


def object_of(source: Any) -> Mapping[str, Any]:
    """The object, however it was given."""
    if isinstance(source, Mapping):
        return source
    if isinstance(source, str) and source.lstrip().startswith(("{", "[")):
        text = source
    elif isinstance(source, str | os.PathLike):
        text = _text_of(Path(source))
    else:
        kind = type(source).__name__
        raise TypeError(f"source must be a path, a folder, JSON text or a dict, got {kind}")
    return object_in(text)


def object_in(text: str) -> Mapping[str, Any]:
    """The object that a JSON text stands for."""
    if len(text) > LARGEST_FILE:
        raise ConfigError(f"config must be at most {LARGEST_FILE} characters, got {len(text)}")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ConfigError(
            f"config must be JSON, got something else at {where}: {error.msg}"
        ) from None
    except RecursionError:
        raise ConfigError(f"config must be nested at most {DEEPEST} deep, got more") from None
    except ValueError as error:  # a whole number of thousands of digits
        raise ConfigError(f"config must hold ordinary numbers, got: {error}") from None
    if not isinstance(value, dict):
        raise refuse("config", "an object with keys", value)
    return value


def _text_of(path: Path) -> str:
    path = path / "config.json" if path.is_dir() else path
    with path.open("rb") as file:
        return text_in(file, str(path))


def text_in(file: BinaryIO, name: str) -> str:
    """The text of an open file, which may be a pipe without an end."""
    content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ConfigError(f"config must be at most {LARGEST_FILE} bytes, got more: {name}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"config must be UTF-8 text, got {name}: {error.reason}") from None


def check_depth(config: Mapping[str, Any]) -> None:
    """No recursion here: the depth is what is in question."""
    level: list[Any] = [config]
    for _ in range(DEEPEST):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, Mapping) else value)
            if isinstance(inner, Mapping | list)
        ]
        if not level:
            return
    raise ConfigError(f"config must be nested at most {DEEPEST} deep, got more")
