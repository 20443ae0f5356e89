"""Reading of configs: the real ones, the recorded rotary classes, and files that cannot be."""

import copy
import json
import math
from pathlib import Path

import numpy as np
import pytest

from posenc_ref import ConfigError, config_frequencies, explain, read_config
from posenc_ref.ladders import frequencies_at
from posenc_ref.model_table import table

GOLDEN = Path(__file__).parent / "golden"
REAL = json.loads((GOLDEN.parent / "configs.json").read_text(encoding="utf-8"))["configs"]
RECORDED = json.loads((GOLDEN / "scaling.json").read_text(encoding="utf-8"))["cases"]
TYPE_OF = {row["class"]: name for name, row in table()["types"].items() if "class" in row}


def differences(ours, expected, where=""):
    """Where an outward form differs from the recorded answer; keys of ours alone are not asked."""
    if isinstance(expected, dict):
        if not isinstance(ours, dict):
            return [f"{where}: {ours!r} is no object"]
        found = []
        for key, value in expected.items():
            found += differences(ours.get(key, "(missing)"), value, f"{where}.{key}")
        return found
    if isinstance(expected, list):
        if not isinstance(ours, list) or len(ours) != len(expected):
            return [f"{where}: {ours!r} is not {expected!r}"]
        pairs = zip(ours, expected, strict=True)
        return [d for i, (a, b) in enumerate(pairs) for d in differences(a, b, f"{where}[{i}]")]
    if isinstance(expected, float | int) and not isinstance(expected, bool):
        number = isinstance(ours, float | int) and not isinstance(ours, bool)
        if number and math.isclose(ours, expected, rel_tol=1e-6, abs_tol=1e-30):
            return []
        return [f"{where}: {ours!r} is not {expected!r}"]
    return [] if ours == expected and type(ours) is type(expected) else [f"{where}: {ours!r}"]


# The real ones


@pytest.mark.parametrize("name", REAL)
def test_a_real_config_gives_the_recorded_answers(name):
    parts = read_config(REAL[name]["config"]).to_dict()["parts"]

    assert differences(parts, REAL[name]["answers"]) == []
    assert len(parts) == len(REAL[name]["answers"])


@pytest.mark.parametrize("name", REAL)
def test_a_real_config_says_where_each_value_came_from(name):
    model = read_config(REAL[name]["config"])
    form = model.to_dict()

    assert json.loads(json.dumps(form, allow_nan=False)) == form  # plain JSON, no NaN
    for part in model.parts:
        for rope in part.ropes:
            label = f"{part.name}.ropes[{rope.applies_to}].base"
            assert model.origin[label]
    for key in (key for text in model.origin.values() for key in text.split(", ")):
        kind, _, path = key.partition("key ")
        if kind == "":  # a key that is said to have been read is in the file
            assert any(step in json.dumps(REAL[name]["config"]) for step in path.split("."))


@pytest.mark.parametrize("name", REAL)
def test_a_real_config_is_explained_in_eighty_columns(name):
    text = explain(read_config(REAL[name]["config"]))

    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith("\n")


def test_a_difference_from_an_answer_is_seen():
    """The comparison itself: a wrong base, a missing key and a wrong layer are each named."""
    parts = read_config(REAL["gpt-oss-20b"]["config"]).to_dict()["parts"]
    wrong = copy.deepcopy(REAL["gpt-oss-20b"]["answers"])
    wrong[0]["ropes"][0]["base"] = 10000.0
    wrong[0]["layers"]["sliding"] = [0]
    wrong[0]["new"] = 1

    assert len(differences(parts, wrong)) == 3


# Recorded rotary classes


def config_of(case):
    """The config of a recorded case, whole."""
    config = copy.deepcopy(case["inputs"]["config"])
    for key in ("short_factor", "long_factor"):
        if key in case["inputs"]["call"]:
            config["rope_scaling"].setdefault(key, case["inputs"]["call"][key])
    return {"model_type": TYPE_OF[case["inputs"]["config_class"]], **config}


CLASSES = [c for c in RECORDED if "config_class" in c["inputs"] and "inv_freq" in c["outputs"]]


@pytest.mark.parametrize("case", CLASSES, ids=[case["name"] for case in CLASSES])
def test_a_config_gives_the_frequencies_of_the_recorded_class(case):
    given = case["inputs"]
    model = read_config(config_of(case))
    label = given.get("layer_type", "all")
    [rope] = [r for r in model.parts[0].ropes if r.applies_to in (label, "all")]
    lengths = next(iter(given["each"].values())) if "each" in given else [None]
    recorded = np.atleast_2d(case["outputs"]["inv_freq"])
    for length, row in zip(lengths, recorded, strict=True):
        ours = frequencies_at(rope.ladder, length)
        pairs = given.get("pairs", range(len(ours.inv_freq)))

        np.testing.assert_allclose(ours.inv_freq[list(pairs)], row, rtol=1e-6)
        assert math.isclose(
            ours.attention_factor, case["outputs"]["attention_factor"], rel_tol=1e-6
        )


# Forms of one config


LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32}


def test_a_path_a_folder_a_text_and_an_object_are_read_alike(tmp_path):
    text = json.dumps(REAL["llama-3.1-8b"]["config"])
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    (tmp_path / "other.json").write_text("\ufeff" + text, encoding="utf-8")  # as some editors do
    expected = read_config(REAL["llama-3.1-8b"]["config"]).to_dict()

    assert read_config(text).to_dict() == expected
    assert read_config(tmp_path).to_dict() == expected
    assert read_config(str(tmp_path / "config.json")).to_dict() == expected
    assert read_config(tmp_path / "other.json").to_dict() == expected


@pytest.mark.parametrize(
    "block",
    [
        {"rope_theta": 1e6},
        {"rope_theta": 1e6, "rope_scaling": None},
        {"rope_theta": 1e6, "rope_scaling": {"type": "default"}},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 1e6}},
        {"rope_scaling": {"rope_type": "default", "rope_theta": 1e6}},
    ],
)
def test_the_forms_of_a_base_are_one(block):
    [rope] = read_config({**LLAMA, **block}).part().ropes

    assert rope.base == 1e6
    np.testing.assert_allclose(rope.inv_freq, 1e6 ** (-np.arange(64) / 64), rtol=1e-14)


def test_null_in_a_file_is_an_answer_and_no_default_fills_it():
    windowed = read_config({**LLAMA, "model_type": "mistral"}).part().layers
    none = read_config({**LLAMA, "model_type": "mistral", "sliding_window": None}).part().layers

    assert (windowed.window, none.window) == (4096, None)


def test_a_default_of_the_library_is_told():
    model = read_config(LLAMA)

    assert model.origin["text.ropes[all].base"] == "library default of rope_theta"
    assert any(f.kind == "fallback" and "rope_theta" in f.keys for f in model.warnings)


def test_an_unknown_model_type_is_said_to_be_unknown():
    model = read_config({"model_type": "of-tomorrow", "head_dim": 8, "rope_theta": 100.0})

    assert not model.known
    assert model.part().layout is None  # no key tells it
    assert any(f.kind == "fallback" and "'of-tomorrow'" in f.text for f in model.warnings)
    np.testing.assert_allclose(model.part().ropes[0].inv_freq, [1, 100**-0.25, 0.1, 100**-0.75])


# One layer


def test_frequencies_are_those_of_the_layer_and_the_length():
    gemma = read_config(REAL["gemma-3-1b-it"]["config"])
    phi = read_config(REAL["phi-3-mini-128k-instruct"]["config"])
    lists = REAL["phi-3-mini-128k-instruct"]["answers"][0]["ropes"][0]

    assert config_frequencies(gemma, layer=4).inv_freq[-1] == pytest.approx(1e4 ** (-254 / 256))
    assert config_frequencies(gemma, layer=5).inv_freq[-1] == pytest.approx(1e6 ** (-254 / 256))
    for length, name in ((4096, "inv_freq"), (4097, "inv_freq_long")):
        ours = config_frequencies(phi, seq_len=length).inv_freq
        np.testing.assert_allclose(ours, lists[name], rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"part": "picture"}, "part must be one of 'text'"),
        ({"layer": 99}, "layer must be below 48"),
        ({"layer": 3}, "got 3, which attends without positions"),
        ({"layer": -1}, "layer must be at least 0"),
        ({"layer": 0, "seq_len": -1}, "seq_len must be at least 0"),
    ],
)
def test_a_layer_that_cannot_be_asked_is_refused(arguments, says):
    scout = read_config(REAL["llama-4-scout"]["config"])

    with pytest.raises(ValueError, match=says):
        config_frequencies(scout, **arguments)


# Contradictions and risks


def findings_of(config):
    return {(f.kind, *f.keys): f.text for f in read_config(config).warnings}


LONG = {
    **LLAMA,
    "rope_theta": 5e5,
    "max_position_embeddings": 131072,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}


def test_two_blocks_are_told_and_the_older_one_wins():
    both = {**LONG, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}
    text = findings_of(both)["contradiction", "rope_scaling", "rope_parameters"]

    assert "transformers reads rope_scaling" in text
    assert read_config(both).part().ropes[0].rope_type == "llama3"
    assert read_config(both).part().ropes[0].base == 5e5


def test_two_types_are_told_and_the_newer_key_wins():
    block = {"rope_type": "linear", "type": "dynamic", "factor": 2.0}
    config = {**LONG, "rope_scaling": block}
    text = findings_of(config)["contradiction", "rope_scaling.rope_type", "rope_scaling.type"]

    assert "'linear'" in text
    assert "'dynamic'" in text
    assert read_config(config).part().ropes[0].rope_type == "linear"


def test_a_missing_original_length_is_told_with_what_fills_it():
    config = {**LONG, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}
    text = findings_of(config)["fallback", "rope_scaling.original_max_position_embeddings"]

    assert "131072" in text
    assert read_config(config).part().extended_length is None


def test_a_factor_that_is_not_the_ratio_of_the_lengths_is_told():
    block = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    config = {**LONG, "max_position_embeddings": 40960, "rope_scaling": block}
    keys = ("factor", "max_position_embeddings", "original_max_position_embeddings")

    assert "40960 / 32768 = 1.25" in findings_of(config)["contradiction", *keys]
    assert read_config(config).part().ropes[0].factor == 4.0


def test_bounds_that_an_engine_may_round_are_told():
    text = findings_of(REAL["gpt-oss-20b"]["config"])["risk", "truncate"]

    assert "8.09 to 17.40" in text  # 64 ln(4096 / (2 pi 32)) / (2 ln 150000), and with 1
    assert "8 and 18" in text


def test_static_yarn_is_told():
    text = findings_of(REAL["gpt-oss-20b"]["config"])["risk", "rope_type"]

    assert "shorter than 4096" in text


def test_pairs_that_never_come_round_are_counted():
    """A pair turns once in 2 pi base ** (2 i / d) tokens: up to i = 34.99 within 8192 tokens."""
    last = 64 * math.log(8192 / (2 * math.pi)) / math.log(5e5)
    text = findings_of(LONG)["note", "rope_theta"]

    assert text.startswith(f"{64 - 1 - math.floor(last)} of 64 pairs")


def test_the_error_of_float32_angles_is_measured():
    text = findings_of(LONG)["note", "max_position_embeddings"]
    frequencies = np.array(read_config(LONG).part().ropes[0].inv_freq)
    narrow = np.float32(131071) * frequencies.astype(np.float32)
    error = np.max(np.abs(narrow.astype(float) - 131071 * frequencies))

    assert f"{error:.2g} rad at position 131071" in text


def test_keys_that_nothing_reads_are_named():
    block = {"rope_type": "yarn", "factor": 4.0, "attn_factor": 0.8782488562869419}
    model = read_config({**LONG, "rope_scaling": block, "rope_fancy": 3})

    assert set(model.unknown_keys) == {"rope_scaling.attn_factor", "rope_fancy"}
    assert read_config(REAL["phi-3-mini-128k-instruct"]["config"]).unknown_keys == ()
    assert any("attn_factor" in f.text for f in model.warnings)


# Configs that cannot be


def yarn(**changes):
    block = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
    return {**LONG, "rope_scaling": {**block, **changes}}


IMPOSSIBLE = [
    ({**LONG, "rope_scaling": {**LONG["rope_scaling"], "factor": "8.0"}}, "rope_scaling.factor"),
    ({**LONG, "rope_scaling": {**LONG["rope_scaling"], "factor": math.nan}}, "rope_scaling.factor"),
    ({**LONG, "rope_scaling": {**LONG["rope_scaling"], "factor": 0}}, "rope_scaling.factor"),
    ({**LONG, "rope_scaling": {**LONG["rope_scaling"], "factor": -8}}, "rope_scaling.factor"),
    ({**LONG, "rope_scaling": {**LONG["rope_scaling"], "factor": 0.125}}, "the reciprocal"),
    ({**LONG, "rope_scaling": {**LONG["rope_scaling"], "factor": True}}, "rope_scaling.factor"),
    (
        {**LONG, "rope_scaling": {"rope_type": "llama3", "factor": 8}},
        "low_freq_factor must be given",
    ),
    ({**LONG, "rope_scaling": {"rope_type": "linear"}}, "rope_scaling.factor must be given"),
    ({**LONG, "rope_scaling": {"rope_type": "spiral", "factor": 2}}, "rope_scaling.rope_type"),
    ({**LONG, "rope_scaling": {"type": "ntk", "factor": 2}}, "rope_scaling.type must be one of"),
    ({**LONG, "rope_scaling": {"type": 7}}, "rope_scaling.type must be a word"),
    ({**LONG, "rope_scaling": [8]}, "rope_scaling must be an object"),
    ({**LONG, "rope_theta": 0}, "rope_theta must be a finite number above 1"),
    ({**LONG, "rope_theta": 1}, "rope_theta must be a finite number above 1"),
    ({**LONG, "rope_theta": -5e5}, "rope_theta"),
    ({**LONG, "rope_theta": math.inf}, "rope_theta must be a finite number"),
    ({**LONG, "rope_theta": "500000"}, "rope_theta must be a number"),
    ({**LONG, "hidden_size": 65 * 32}, "must be even and at least 2"),
    ({**LONG, "head_dim": 65}, "head_dim must be even"),
    ({**LONG, "head_dim": 0}, "head_dim must be a whole number from 1"),
    ({**LONG, "head_dim": 64.5}, "head_dim must be a whole number"),
    ({**LONG, "num_attention_heads": 0}, "num_attention_heads"),
    ({**LONG, "num_hidden_layers": 10**9}, "num_hidden_layers must be a whole number from 0"),
    ({**LONG, "max_position_embeddings": "long"}, "max_position_embeddings"),
    ({**LLAMA, "model_type": "phi", "head_dim": 10, "partial_rotary_factor": 0.3}, "10 x 0.3"),
    ({**LLAMA, "model_type": "phi", "partial_rotary_factor": 0.0}, "above 0 and at most 1"),
    ({**LLAMA, "model_type": "phi", "partial_rotary_factor": 1.5}, "above 0 and at most 1"),
    (yarn(truncate="no"), "rope_scaling.truncate must be true or false"),
    (yarn(attention_factor=0), "rope_scaling.attention_factor must be above 0"),
    (yarn(beta_fast=-1), "rope_scaling.beta_fast must be at least 0"),
    (yarn(beta_fast=1, beta_slow=32), "beta"),
    (yarn(original_max_position_embeddings=0), "original_max_position_embeddings"),
    (yarn(factor=None, original_max_position_embeddings=262144), "rope_scaling.factor"),
    ({"model_type": 7}, "model_type must be a word"),
    (
        {"model_type": "gpt2", "n_positions": 10**400},
        "n_positions must be a number of at most 2**53",
    ),
    (
        {**LLAMA, "rope_parameters": {f"kind {i}": {"rope_theta": 1e4} for i in range(65)}},
        "rope_parameters must have blocks for at most 64 kinds of layer",
    ),
    ({"model_type": "gpt2", "n_positions": "1024"}, "n_positions"),
    ({"model_type": "bloom", "n_head": 0}, "n_head"),
    ({"model_type": "qwen3_vl", "text_config": [1]}, "text_config must be an object"),
    ({"model_type": "qwen3_vl", "text_config": {"rope_theta": 0}}, "text_config.rope_theta"),
    (
        {"model_type": "gemma2", "num_hidden_layers": 3, "layer_types": ["full_attention"]},
        "one entry",
    ),
    ({"model_type": "gemma2", "layer_types": [1, 2]}, "layer_types must be a list of words"),
]


@pytest.mark.parametrize(("config", "says"), IMPOSSIBLE, ids=[says for _, says in IMPOSSIBLE])
def test_an_impossible_config_is_refused_by_key_and_value(config, says):
    with pytest.raises(ConfigError) as error:
        read_config(config)

    assert says in str(error.value)
    assert "got" in str(error.value)


def test_a_wrong_length_of_a_factor_list_names_both_lengths():
    config = copy.deepcopy(REAL["phi-3-mini-128k-instruct"]["config"])
    config["rope_scaling"]["short_factor"].pop()

    with pytest.raises(ConfigError, match=r"rope_scaling\.short_factor .* 48 pairs, got 47"):
        read_config(config)


DEEP = '{"a": ' * 100 + "1" + "}" * 100
NOT_CONFIGS = [
    ('{"model_type": "llama"', "config must be JSON"),
    ("[1, 2]", "config must be an object"),
    (DEEP, "nested at most"),
    ('{"a": ' * 100_000, "nested at most"),
    ('{"hidden_size": 1' + "0" * 5000 + "}", "ordinary numbers"),
    ('{"a": "' + "x" * 5_000_001 + '"}', "at most 5000000 characters"),
]


@pytest.mark.parametrize(("text", "says"), NOT_CONFIGS, ids=[says for _, says in NOT_CONFIGS])
def test_a_text_that_is_no_config_is_refused(text, says):
    with pytest.raises(ConfigError, match=says):
        read_config(text)


def test_a_text_that_breaks_off_says_where():
    with pytest.raises(ConfigError, match="line 2, column"):
        read_config('{"model_type": "qwen2",\n "num_key_value_head')


def test_a_file_that_is_too_large_or_no_text_is_refused(tmp_path):
    large, binary = tmp_path / "large.json", tmp_path / "weights.bin"
    large.write_text(" " * 5_000_001)
    binary.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigError, match="at most 5000000 bytes"):
        read_config(large)
    with pytest.raises(ConfigError, match="UTF-8"):
        read_config(binary)
    with pytest.raises(FileNotFoundError):
        read_config(tmp_path / "missing.json")


@pytest.mark.parametrize("source", [None, 7, 3.5, [1], b"{}", object()])
def test_a_source_of_a_wrong_type_is_refused(source):
    with pytest.raises(TypeError, match="source must be"):
        read_config(source)
