"""Real configs with something changed: an answer or a `ConfigError`, soon, and nothing else."""

import contextlib
import copy
import json
import math
import os
import random
import time
from pathlib import Path

import pytest

from posenc_ref import ConfigError, explain, read_config

CONFIGS = Path(__file__).parent / "configs.json"
REAL = json.loads(CONFIGS.read_text(encoding="utf-8"))["configs"]
# `make fuzz` asks for 20,000 sets of arguments elsewhere; here half as many configs are changed.
ROUNDS = int(os.environ.get("POSENC_FUZZ", "1500")) // 2
SOON = 0.05  # seconds of the processor, for one config

ODD = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 65, 0.5, -0.0, 1.5, 1e-300, 1e300, 2**31, 2**53 + 2),
    *(10**400, -(10**30), math.nan, math.inf, -math.inf, "", "8.0", "yarn", "default", "\x1b[31m"),
    *([], [1], [0] * 48, ["full_attention"], [[[]]], {}, {"rope_type": "yarn"}, {"a": {"b": 1}}),
    *({"full_attention": None}, {"full_attention": {"rope_type": "linear"}}, "x" * 300, 10**9),
]
WORDS = sorted({key for entry in REAL.values() for key in entry["config"]})


def places(config):
    """Every object in a config and every key of it."""
    found = [(config, key) for key in config]
    for value in list(config.values()):
        if isinstance(value, dict):
            found += places(value)
    return found


def changed(config, chance):
    """The config with one to four things altered, lost, doubled or put elsewhere."""
    config = copy.deepcopy(config)
    for _ in range(chance.randint(1, 4)):
        inside = places(config)
        if not inside:
            return config
        place, key = chance.choice(inside)
        way = chance.randrange(6)
        if way <= 1:
            place[key] = copy.deepcopy(chance.choice(ODD))
        elif way == 2:
            del place[key]
        elif way == 3:
            place[chance.choice(WORDS)] = place[key]
        elif way == 4 and isinstance(place[key], list) and place[key]:
            place[key][chance.randrange(len(place[key]))] = chance.choice(ODD)
        else:
            other = REAL[chance.choice(sorted(REAL))]["config"]
            place[key] = copy.deepcopy(other[chance.choice(sorted(other))])
    return config


def read(config):
    """An answer that is plain JSON and can be told, or the error."""
    try:
        model = read_config(config)
    except ConfigError as error:
        return str(error)
    form = model.to_dict()
    json.dumps(form, allow_nan=False)
    assert explain(model)
    return form


def seconds(config):
    start = time.process_time()
    with contextlib.suppress(ConfigError):
        read_config(config)
    return time.process_time() - start


@pytest.mark.parametrize("seed", range(6))
def test_a_changed_config_is_answered_or_refused(seed):
    chance = random.Random(seed)
    names = sorted(REAL)
    answered = refused = 0
    for _ in range(max(1, ROUNDS // 6)):
        config = changed(REAL[chance.choice(names)]["config"], chance)
        said = read(config)
        refused += isinstance(said, str)
        answered += not isinstance(said, str)
        if seconds(config) > SOON:  # a busy machine gets another chance or two
            assert min(seconds(config) for _ in range(3)) <= SOON, config

    assert answered  # both happen, else the changes are too mild or too rough
    assert refused


@pytest.mark.parametrize("seed", range(3))
def test_a_text_with_changed_letters_is_answered_or_refused(seed):
    chance = random.Random(seed)
    names = sorted(REAL)
    for _ in range(max(1, ROUNDS // 12)):
        text = list(json.dumps(REAL[chance.choice(names)]["config"]))
        for _ in range(chance.randint(1, 3)):
            text[chance.randrange(1, len(text))] = chance.choice('{}[]",:0-eE.NaI\\\x00\ud800é')
        try:
            read_config("".join(text))
        except ConfigError:
            continue
