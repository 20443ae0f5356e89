"""The command `posenc`: what it prints and writes, its exit codes, its errors in one line."""

import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import posenc_ref
from posenc_ref import command_explain, command_tables
from posenc_ref.command import main
from tests.recorded import load

ROOT = Path(__file__).parents[1]
REAL = json.loads((ROOT / "tests/configs.json").read_text(encoding="utf-8"))["configs"]
SCHEMAS = ROOT / "docs" / "schema"
LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_attention_heads": 8,
    "num_hidden_layers": 2,
    "max_position_embeddings": 1024,
    "rope_theta": 100.0,
}


@pytest.fixture
def put(tmp_path):
    """Writes a config, one of ours or a real one by its name, and gives its path."""

    def put(config, name="config.json"):
        content = REAL[config]["config"] if isinstance(config, str) else config
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
        return str(path)

    return put


@pytest.fixture
def shell(capsys):
    """Runs the command in this process: exit code, output, errors."""

    def shell(*words):
        code = main(list(map(str, words)))
        said = capsys.readouterr()
        return code, said.out, said.err

    return shell


def process(*words, **options):
    """Runs the command as a process of its own."""
    command = [sys.executable, "-m", "posenc_ref", *map(str, words)]
    # Buffered, as on most machines: what is left in the buffer is written at the very end.
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    env = plain | options.pop("env", {})
    settings = {"capture_output": True, "text": True, "cwd": ROOT, "timeout": 60, "env": env}
    return subprocess.run(command, **settings | options)


def refused(result, *, says):
    """Whether it is wrong usage, told in one line."""
    code, out, err = result
    assert (code, out) == (2, "")
    assert re.fullmatch(r"posenc: [^\n]+\n", err), err
    assert says in err
    return True


# As a process


def test_a_config_on_a_pipe_is_explained():
    done = process("explain", "-", input=json.dumps(LLAMA))

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == posenc_ref.explain(posenc_ref.read_config(LLAMA))


def test_a_mistake_is_one_line_without_a_traceback(tmp_path):
    done = process("explain", tmp_path)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"posenc: {tmp_path / 'config.json'}: No such file or directory\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGPIPE and no EPIPE to hear of")
def test_a_reader_who_leaves_hears_nothing(put):
    """As `posenc explain ... | head`: the pipe is closed before anything is written."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = process(
            "explain", put("deepseek-r1"), "--json",
            capture_output=False, stdout=write, stderr=subprocess.PIPE,
        )  # fmt: skip
    finally:
        os.close(write)

    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(
    not Path("/dev/full").exists(),
    reason="only Linux has a device that is always full, and a disk cannot be filled for a test",
)
def test_a_full_disk_is_told_of(put):
    with open("/dev/full", "w") as full:
        done = process(
            "explain", put(LLAMA), capture_output=False, stdout=full, stderr=subprocess.PIPE
        )

    assert (done.returncode, done.stderr) == (2, "posenc: output: No space left on device\n")


def test_an_output_of_ascii_takes_every_config(put):
    path = put(LLAMA | {"model_type": "мова"})
    done = process("explain", path, env={"PYTHONIOENCODING": "ascii"})

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(r"\u043c\u043e\u0432\u0430 (not in the table")


# Explain


def test_text_and_json_say_what_the_functions_say(shell, put):
    model = posenc_ref.read_config(LLAMA)

    assert shell("explain", put(LLAMA)) == (0, posenc_ref.explain(model), "")
    code, out, err = shell("explain", put(LLAMA), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == model.to_dict()


def checked(name, value):
    """A value that obeys its schema, and whose keys the schema all describes."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    assert [error.message for error in validator.iter_errors(value)] == []
    assert value.keys() <= schema["properties"].keys()
    return value


@pytest.mark.parametrize("name", REAL)
def test_the_json_of_a_real_config_obeys_the_schema(name, shell, put):
    _, out, _ = shell("explain", put(name), "--json", "--seq-len", 100_000)
    form = checked("model-positions-1", json.loads(out))

    rotated = [part["part"] for part in form["parts"] for _ in part.get("ropes", ())]
    assert [group["part"] for group in form["at_length"]] == rotated
    for part in dict.fromkeys(rotated):
        layers = posenc_ref.read_config(REAL[name]["config"]).part(part).layers
        layer = layers.rotated[0] if layers else 0
        _, out, _ = shell("explain", put(name), "--json", "--part", part, "--layer", layer)
        checked("layer-frequencies-1", json.loads(out))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"known": "yes"}, "'yes' is not of type 'boolean'"),
        ({"parts": [{"part": "text"}]}, "'kind' is a required property"),
        ({"warnings": [{"kind": "hint", "keys": ["a"], "text": "b"}]}, "'hint' is not one of"),
        ({"seq_len": 5}, "'at_length' is a dependency"),
        ({"new": 1}, None),
    ],
)
def test_the_schema_refuses_what_is_not_of_the_form(change, says):
    form = posenc_ref.read_config(LLAMA).to_dict() | change

    with pytest.raises(AssertionError, match=says):
        checked("model-positions-1", form)


def test_one_layer_by_hand(shell, put):
    """Width 8 and base 100: the frequencies are 1, 0.316, 0.1 and 0.0316; linear halves them."""
    path = put(LLAMA | {"rope_scaling": {"rope_type": "linear", "factor": 2.0}})
    _, text, _ = shell("explain", path, "--layer", 1)
    _, out, _ = shell("explain", path, "--layer", 1, "--json")
    numbers = json.loads(out)

    assert re.search(r"^ +2 +0\.05 +125\.664 +16\.2975 +0\.5$", text, re.MULTILINE)
    assert re.search(r"^  rope type +linear, base 100$", text, re.MULTILINE)
    assert numbers["layer"] == 1
    pairs = {key: [pair[key] for pair in numbers["pairs"]] for key in numbers["pairs"][0]}
    np.testing.assert_allclose(pairs["inv_freq"], 0.5 * 10 ** np.array([0, -0.5, -1, -1.5]))
    np.testing.assert_allclose(pairs["wavelength"], 4 * np.pi * 10 ** np.array([0, 0.5, 1, 1.5]))
    np.testing.assert_allclose(pairs["turns"], 512 / np.pi * 10 ** np.array([0, -0.5, -1, -1.5]))
    np.testing.assert_allclose(pairs["scaled_by"], 0.5)


def test_a_pair_that_stands_still_has_no_wavelength(shell, put):
    _, text, _ = shell("explain", put("gemma-4-e2b"), "--layer", 4, "--json")
    full = json.loads(shell("explain", put("gemma-4-e2b"), "--layer", 34, "--json")[1])

    assert json.loads(text)["applies_to"] == "sliding_attention"
    assert full["applies_to"] == "full_attention"
    assert full["pairs"][64] == {
        "pair": 64, "inv_freq": 0, "wavelength": None, "turns": 0, "scaled_by": None,
    }  # fmt: skip


def test_the_length_of_the_text_chooses_the_list_of_longrope(shell, put):
    """The trained length is 4096; both lists are in the recorded answers."""
    path = put("phi-3-mini-128k-instruct")
    [rope] = REAL["phi-3-mini-128k-instruct"]["answers"][0]["ropes"]

    for length, name in ((4096, "inv_freq"), (4097, "inv_freq_long")):
        one = json.loads(shell("explain", path, "--layer", 0, "--seq-len", length, "--json")[1])
        all_ = json.loads(shell("explain", path, "--seq-len", length, "--json")[1])
        ours = [pair["inv_freq"] for pair in one["pairs"]]
        np.testing.assert_allclose(ours, rope[name], rtol=1e-6)
        np.testing.assert_allclose(all_["at_length"][0]["inv_freq"], rope[name], rtol=1e-6)
    assert "48 of 48 pairs turn at another speed" in shell("explain", path, "--seq-len", 4097)[1]
    assert "frequencies as above" in shell("explain", path, "--seq-len", 4096)[1]


def test_tokens_past_the_end_are_counted(shell, put):
    bert, llama = put("bert-base-uncased-cls", "bert.json"), put(LLAMA)

    assert re.search(r"512 positions: 88 tokens have\s+none", shell(
        "explain", bert, "--seq-len", 600)[1])  # fmt: skip
    assert "6 tokens beyond the 1024" in shell("explain", llama, "--seq-len", 1030)[1]


def test_one_part_is_shown_alone(shell, put):
    _, out, _ = shell("explain", put("clip-vit-base-patch32"), "--part", "vision", "--json")

    assert [part["part"] for part in json.loads(out)["parts"]] == ["vision"]


@pytest.mark.parametrize("name", REAL)
def test_all_text_is_of_80_columns(name, shell, put, monkeypatch):
    monkeypatch.chdir(Path(put(name)).parent)
    calls = [
        ("explain", "config.json", "--seq-len", 10**6),
        ("compare", "config.json", put("gemma-3-1b-it", "b.json").rpartition(os.sep)[2]),
    ]
    for words in calls:
        code, out, err = shell(*words)
        assert (code in (0, 1), err) == (True, "")
        assert max(map(len, out.splitlines())) <= 80


# Compare


def test_a_config_does_not_differ_from_itself_nor_from_one_of_another_depth(shell, put):
    for other in (LLAMA, LLAMA | {"num_hidden_layers": 40, "model_type": "cohere"}):
        b = put(other | {"model_type": "llama"}, "b.json")
        code, out, _ = shell("compare", put(LLAMA), b)

        assert code == 0
        assert out.endswith("\n\nNo difference in positions.\n")
        assert json.loads(shell("compare", put(LLAMA), b, "--json")[1])["same"] is True


def test_what_differs_is_named_with_both_values(shell, put):
    code, out, _ = shell("compare", put("llama-2-7b-chat"), put("llama-3.1-8b", "b.json"))

    assert code == 1
    assert re.search(r"^  base +10000 +500000$", out, re.MULTILINE)
    assert re.search(r"^  rope type +default +llama3$", out, re.MULTILINE)
    assert re.search(r"^  factor +- +8$", out, re.MULTILINE)
    assert "63 of 64 pairs differ" in out
    assert "layout" not in out


def test_differences_in_json(shell, put):
    b = put(LLAMA | {"rope_theta": 1000.0}, "b.json")
    found = json.loads(shell("compare", put(LLAMA), b, "--json")[1])
    keys = {item["key"]: (item["a"], item["b"]) for item in found["differences"]}

    assert not found["same"]
    assert found["b"] == {"path": b, "model_type": "llama"}
    assert keys.keys() == {"base", "inv_freq"}
    assert keys["base"] == (100, 1000)


def test_a_part_of_one_side_and_kinds_that_differ(shell, put):
    _, out, _ = shell("compare", put("t5-small"), put(LLAMA, "b.json"), "--json")

    assert [(d["part"], d["a"], d["b"]) for d in json.loads(out)["differences"]] == [
        ("encoder", "t5_bias", None),
        ("decoder", "t5_bias", None),
        ("cross-attention", "none", None),
        ("text", None, "rope"),
    ]


def test_equal_keys_of_unknown_types_are_not_called_more_than_that(shell, put):
    path = put(LLAMA | {"model_type": "of-tomorrow"})

    assert "only its keys are compared" in shell("compare", path, path)[1]


# Tables


def table_of(shell, path, out, *words):
    code, _, err = shell("tables", path, "--out", out, *words)
    assert (code, err) == (0, "")
    with np.load(out) as arrays:
        return dict(arrays)


@pytest.mark.parametrize("name", ["llama-3.1-8b", "phi-4", "deepseek-r1", "gpt-oss-20b"])
def test_cosines_and_sines_are_those_of_the_recorded_frequencies(name, shell, put, tmp_path):
    [rope] = REAL[name]["answers"][0]["ropes"]
    made = table_of(shell, put(name), tmp_path / "x.npz", "--seq-len", 50)
    angles = np.outer(np.arange(50), rope["inv_freq"])

    assert made.keys() == {"cos", "sin", "inv_freq", "attention_factor"}
    np.testing.assert_allclose(made["inv_freq"], rope["inv_freq"], rtol=1e-6)
    np.testing.assert_allclose(made["attention_factor"], rope["attention_factor"], rtol=1e-6)
    for key, function in (("cos", np.cos), ("sin", np.sin)):
        expected = rope["attention_factor"] * function(angles)
        np.testing.assert_allclose(made[key], expected, rtol=0, atol=1e-5)


def test_the_length_is_the_trained_one_unless_given(shell, put, tmp_path):
    assert table_of(shell, put(LLAMA), tmp_path / "x.npz")["cos"].shape == (1024, 4)


def test_the_layer_chooses_the_frequencies(shell, put, tmp_path):
    path = put("gemma-3-1b-it")
    bases = [
        table_of(shell, path, tmp_path / f"{layer}.npz", "--seq-len", 4, "--layer", layer)
        for layer in (4, 5)
    ]

    for made, base in zip(bases, (1e4, 1e6), strict=True):
        np.testing.assert_allclose(made["inv_freq"][-1], base ** (-254 / 256))


def test_alibi_gives_slopes_and_the_bias_of_each_distance(shell, put, tmp_path):
    slopes = REAL["bloom-fixture"]["answers"][0]["slopes"]
    made = table_of(shell, put("bloom-fixture"), tmp_path / "x.npz", "--seq-len", 3)

    np.testing.assert_allclose(made["slopes"], slopes, rtol=1e-6)
    np.testing.assert_array_equal(made["distance"], [0, 1, 2])
    np.testing.assert_allclose(made["bias"][3], [0, -slopes[3], -2 * slopes[3]], rtol=1e-6)


@pytest.mark.parametrize(("part", "side"), [("encoder", "both sides"), ("decoder", "the past")])
def test_buckets_are_those_recorded_of_t5(part, side, shell, put, tmp_path):
    [case] = [c for c in load("t5") if c.name == f"T5 buckets, 32 up to 128, {side}"]
    made = table_of(shell, put("t5-small"), tmp_path / "x.npz", "--part", part, "--seq-len", 200)
    run = np.searchsorted(case.outputs["starts"], made["relative"], side="right") - 1

    np.testing.assert_array_equal(made["relative"], np.arange(-199, 200))
    np.testing.assert_array_equal(made["buckets"], case.outputs["buckets"][run])


@pytest.mark.parametrize(
    ("name", "part", "start", "denominator"),
    [
        ("whisper-large-v2", "encoder", 0, 639),
        ("nllb-200-distilled-600m", "decoder", 2, 511),
        ("opus-mt-zh-en", "encoder", 0, 256),
    ],
)
def test_a_sinusoidal_table_by_its_formula(name, part, start, denominator, shell, put, tmp_path):
    made = table_of(shell, put(name), tmp_path / "x.npz", "--part", part, "--seq-len", 9)["table"]
    half = made.shape[1] // 2
    angles = np.outer(np.arange(start, start + 9), 10000.0 ** (-np.arange(half) / denominator))

    np.testing.assert_allclose(made, np.hstack([np.sin(angles), np.cos(angles)]), atol=1e-12)


def test_what_was_written_and_what_not_is_said_with_shapes(shell, put, tmp_path):
    out = tmp_path / "x.npz"
    _, said, _ = shell("tables", put("all-mpnet-base-v2"), "--out", out, "--seq-len", 64)

    assert re.search(r"^  buckets +int64 +\(127,\)$", said, re.MULTILINE)
    assert "learned: not written; only RoPE, ALiBi" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "x.npz"]


def test_a_file_that_is_there_is_kept_unless_forced(shell, put, tmp_path):
    out = tmp_path / "x.npz"
    out.write_text("mine")
    words = ("tables", put(LLAMA), "--out", out, "--seq-len", 2)

    assert refused(shell(*words), says="--out must be a new file")
    assert out.read_text() == "mine"
    assert shell(*words, "--force")[0] == 0
    with np.load(out) as arrays:
        assert arrays["cos"].shape == (2, 4)


def test_two_gigabytes_are_refused_before_any_work(shell, put, tmp_path, monkeypatch):
    """4 pairs take 64 bytes a position, cosines and sines together."""
    monkeypatch.setattr(command_tables, "rotary_cos_sin", None)  # calling it would be an error
    words = ("tables", put(LLAMA), "--out", tmp_path / "x.npz", "--seq-len")

    assert refused(shell(*words, 31_250_001), says="--seq-len must be at most 31250000")
    with pytest.raises(TypeError):
        shell(*words, 31_250_000)
    assert not (tmp_path / "x.npz").exists()


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        ("gpt2", (), "got 'text' (learned): only RoPE, ALiBi"),
        ("t5-small", ("--layer", 0), "--layer must be left out for 'encoder'"),
        ("llama-4-scout", ("--layer", 3), "got 3, which attends without positions"),
        ("llama-3.1-8b", ("--part", "vision"), "part must be one of 'text', got 'vision'"),
        ("t5-small", (), "--seq-len must be given"),
    ],
)
def test_tables_that_cannot_be_made_are_refused(name, words, says, shell, put, tmp_path):
    out = tmp_path / "x.npz"

    assert refused(shell("tables", put(name), "--out", out, *words), says=says)
    assert not out.exists()


@pytest.mark.parametrize(("out", "says"), [("no/x.npz", "in a folder"), (".", "must be a file")])
def test_a_place_that_cannot_be_written_is_refused(out, says, shell, put, tmp_path):
    words = ("tables", put(LLAMA), "--out", tmp_path / out, "--force")

    assert refused(shell(*words), says=says)


def test_nothing_is_left_of_a_file_that_failed(shell, put, tmp_path, monkeypatch):
    def full(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)

    assert refused(
        shell("tables", put(LLAMA), "--out", tmp_path / "x.npz"), says="No space left on device"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


# Check a folder


@pytest.fixture
def folder(put, tmp_path):
    """Two real configs with their answers, and two malformed ones."""
    names = ("gpt-oss-20b", "t5-small")
    for name in names:
        put(name, f"configs/{name}.json")
    answers = {name: {"parts": REAL[name]["answers"]} for name in names}
    put({"configs": answers}, "configs/expected.json")
    (tmp_path / "configs" / "malformed").mkdir()
    put(LLAMA | {"rope_theta": 0}, "configs/malformed/zero.json")
    put({**LLAMA, "rope_scaling": {"type": "yarn", "factor": 2}}, "configs/malformed/yarn.json")
    length = "rope_scaling.original_max_position_embeddings"
    put(
        {
            "zero": {"a_good_reader": "error", "names_the_keys": ["rope_theta"]},
            "yarn": {"a_good_reader": "warning", "names_the_keys": [length]},
        },
        "configs/malformed/malformed.json",
    )
    return tmp_path / "configs"


def change(path, *keys, to):
    """Change one value of a JSON file; `None` takes it away."""
    content = json.loads(path.read_text())
    place = content
    for key in keys[:-1]:
        place = place[key]
    if to is None:
        del place[keys[-1]]
    else:
        place[keys[-1]] = to
    path.write_text(json.dumps(content))


def test_a_folder_with_right_answers(shell, folder, put):
    put(LLAMA, "configs/new.json")

    assert shell("check-configs", folder) == (
        0,
        "without an answer in expected.json: new.json\n"
        "2 of 2 configs give the expected answers\n"
        "2 of 2 malformed configs are refused or warned of\n",
        "",
    )


ROPE = ("configs", "gpt-oss-20b", "parts", 0, "ropes", 0)


@pytest.mark.parametrize(
    ("keys", "to", "says"),
    [
        ((*ROPE, "base"), 1e4, "parts[0].ropes[0].base must be 10000.0, got 150000.0"),
        ((*ROPE, "rope_type"), "ntk", "parts[0].ropes[0].rope_type must be 'ntk', got 'yarn'"),
        ((*ROPE, "truncate"), 0, "parts[0].ropes[0].truncate must be 0, got False"),
        (
            ("configs", "t5-small", "parts", 0, "table_only_in_layer"),
            False,
            "parts[0].table_only_in_layer must be False, got 0",
        ),
        ((*ROPE, "inv_freq", 31), 1.0, "parts[0].ropes[0].inv_freq[31] must be 1.0, got"),
        ((*ROPE, "inv_freq"), [1.0], "parts[0].ropes[0].inv_freq must have 1 entries, got 32"),
        (("configs", "gpt-oss-20b", "parts"), [], "parts must have 0 entries, got 1"),
        (("configs", "gpt-oss-20b", "parts", 0, "rows"), 5, "parts[0].rows must be 5, got nothing"),
        (("configs", "gone"), {"parts": []}, "gone.json: cannot be read: No such file"),
    ],
)
def test_a_wrong_answer_is_named_by_file_and_key(keys, to, says, shell, folder):
    change(folder / "expected.json", *keys, to=to)
    code, out, _ = shell("check-configs", folder)

    assert code == 1
    assert says in out
    assert " configs give the expected answers" in out


def test_what_is_read_and_not_asked_for_is_no_mistake(shell, folder):
    change(folder / "expected.json", *ROPE, "base", to=None)

    assert shell("check-configs", folder)[0] == 0


def test_a_relative_millionth_is_no_difference(shell, folder):
    for base, code in ((150000 * (1 + 9e-7), 0), (150000 * (1 + 2e-6), 1)):
        change(folder / "expected.json", *ROPE, "base", to=base)
        assert shell("check-configs", folder)[0] == code


@pytest.mark.parametrize(
    ("name", "key", "to", "says"),
    [
        ("zero", "a_good_reader", "warning", "must be read with a warning, got the error"),
        ("zero", "names_the_keys", ["head_dim"], "the error must name head_dim"),
        ("yarn", "a_good_reader", "error", "must be refused, got an answer"),
        ("yarn", "names_the_keys", ["head_dim"], "a warning must name head_dim"),
    ],
)
def test_a_malformed_config_that_is_read_otherwise_is_named(name, key, to, says, shell, folder):
    change(folder / "malformed" / "malformed.json", name, key, to=to)
    code, out, _ = shell("check-configs", folder)

    assert code == 1
    assert f"malformed/{name}.json: {says}" in out
    assert "1 of 2 malformed configs" in out


@pytest.mark.parametrize("content", ["", "[]", '{"configs": 1}', '{"configs": {"a": {}}}'])
def test_a_folder_without_answers_is_refused(content, shell, folder):
    (folder / "expected.json").write_text(content)

    assert refused(shell("check-configs", folder), says="expected.json must")


# Whatever a config holds


EVIL = "ll\x1b[2Ja\u202em\na\x9b"


def test_no_text_of_a_config_gives_orders_to_a_terminal(shell, put):
    config = LLAMA | {
        "model_type": EVIL,
        f"rope_{EVIL}": 1,
        "rope_scaling": {"rope_type": "linear", "factor": 2.0, EVIL: 1, "\x7f": 1},
    }
    path = put(config)
    calls = [
        ("explain", path),
        ("explain", path, "--layer", 0),
        ("explain", path, "--json"),
        ("compare", path, put(LLAMA, "b.json")),
        ("compare", path, put(LLAMA, "b.json"), "--json"),
        ("tables", path, "--out", Path(path).with_name("x.npz")),
    ]
    for words in calls:
        _, out, err = shell(*words)
        assert err == ""
        assert all(char.isprintable() for char in out.replace("\n", "")), words
        assert not re.search(r"^a\\x9b", out, re.MULTILINE), words  # no line of its own
    _, _, err = shell("explain", put(config | {"rope_scaling": {"type": EVIL}}))
    assert re.fullmatch(r"posenc: [ -~]+\n", err)


def test_names_of_files_are_shown_safely_too(shell, tmp_path):
    assert refused(shell("explain", tmp_path / EVIL), says=r"ll\x1b[2Ja\u202em a\x9b: No such")


# Colour


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_on_a_terminal_only_and_never_against_the_wish(
    environment, coloured, put, monkeypatch
):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal())

    assert main(["explain", put(LLAMA)]) == 0
    text = sys.stdout.getvalue()
    assert ("\x1b[" in text) is coloured
    assert re.sub(r"\x1b\[\d*m", "", text) == posenc_ref.explain(posenc_ref.read_config(LLAMA))


# Usage


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "required: COMMAND"),
        (("expand",), "invalid choice: 'expand'"),
        (("explain",), "required: PATH"),
        (("explain", "x", "--layer", "first"), "--layer: invalid int value: 'first'"),
        (("explain", "x", "--seq-len", 0), "--seq-len: must be from 1 to 2**53, got 0"),
        (("explain", "x", "--lay", 0), "unrecognized arguments: --lay"),
        (("tables", "x"), "required: --out"),
        (("compare", "-", "-"), "must not both be standard input"),
        (("check-configs", "nowhere"), "expected.json: No such file or directory"),
    ],
)
def test_wrong_usage_is_one_line(words, says, shell):
    assert refused(shell(*words), says=says)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--layer", 2), "layer must be below 2, the layers there are, got 2"),
        (("--layer", -1), "layer must be at least 0, got -1"),
        (("--part", "vision"), "part must be one of 'text', got 'vision'"),
    ],
)
def test_a_layer_or_part_that_is_not_there_is_one_line(words, says, shell, put):
    assert refused(shell("explain", put(LLAMA), *words), says=says)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "config must be JSON"),
        (b"hello", "config must be JSON"),
        (b"\xff\xfe\x00", "config must be UTF-8 text"),
        (b"[1]", "config must be an object"),
        (b'{"a": ' * 100_000, "config must be"),
        (b" " * 5_000_001, "config must be at most 5000000 bytes"),
    ],
)
def test_a_file_that_is_no_config_is_one_line_on_a_pipe_too(
    content, says, shell, tmp_path, monkeypatch
):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    monkeypatch.chdir(tmp_path)  # an empty text must not be taken for a path
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    assert refused(shell("explain", path), says=says)
    assert refused(shell("explain", "-"), says=says)


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KeyboardInterrupt(), 130, "posenc: interrupted\n"),
        (MemoryError(), 2, "posenc: not enough memory\n"),
        (
            PermissionError(13, "Permission denied", "x.json"),
            2,
            "posenc: x.json: Permission denied\n",
        ),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_what_stops_the_command_has_an_exit_code(error, code, says, shell, monkeypatch):
    def stop(path):
        raise error

    monkeypatch.setattr(command_explain, "load", stop)

    assert shell("explain", "x") == (code, "", says)


def test_help_has_examples_and_the_exit_codes(shell, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in ([], ["explain"], ["compare"], ["tables"], ["check-configs"]):
        code, out, err = shell(*words, "--help")
        assert (code, err) == (0, "")
        assert f"\n  posenc {' '.join(words)}" in out
        assert "exit codes:\n  0  " in out
        assert max(map(len, out.splitlines())) <= 80


def test_the_command_that_is_installed_is_this_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["scripts"] == {"posenc": f"{main.__module__}:{main.__name__}"}


def test_the_version_is_that_of_the_package(shell):
    assert shell("--version") == (0, f"posenc {posenc_ref.__version__}\n", "")


def test_lab_is_a_command_of_its_own(capsys):
    assert main(["lab", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: posenc lab")
    assert main(["lab", "report", "missing.json"]) == 2
    assert capsys.readouterr().err.startswith("posenc: missing.json: ")
