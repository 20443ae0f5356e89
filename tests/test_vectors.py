"""The published vectors: where their numbers come from, and the form of their files."""

import gzip
import json
import re

import jsonschema
import numpy as np
import pytest

from tests import record_vectors
from tests.conftest import ROOT
from tests.recorded import load
from tests.worked import biases, places, ramps, rotations, scalings, tables
from tests.worked.exact import cos_sin, floats, pi, with_enough_digits

FAMILIES = (rotations, scalings, ramps, biases, tables, places)
SMALL = json.loads(record_vectors.SMALL.read_text("utf-8"))
LARGE = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted(record_vectors.LARGE.glob("*-large.json"))
}
SCHEMA = json.loads((record_vectors.LARGE / "schema.json").read_text("utf-8"))
CASES = {
    case["id"]: case for case in json.loads((ROOT / "docs/practice/cases.json").read_text("utf-8"))
}
FLOAT32 = {"rtol": 2e-6, "atol": 0}

every_set = pytest.mark.parametrize(
    "made", [*SMALL.values(), *LARGE.values()], ids=lambda made: made["name"]
)


@with_enough_digits
def worked(rule, *arguments):
    return floats(rule(*arguments))


# The files


def test_the_committed_files_are_what_the_formulas_give_today():
    made = record_vectors.files()

    assert set(made) == {record_vectors.SMALL, *record_vectors.LARGE.glob("*-large.json")}
    for path, text in made.items():
        assert path.read_bytes() == text.encode(), path.name


def test_nothing_that_makes_them_imports_the_package_or_numpy():
    sources = [ROOT / "tests/record_vectors.py", *(ROOT / "tests/worked").glob("*.py")]

    for path in sources:
        imported = re.findall(r"^\s*(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
        assert set(imported) <= {"decimal", "functools", "json", "pathlib", "sys", "tests"}, path
    assert len(sources) == 9


def test_a_name_is_an_address_for_life():
    """What is listed here stays. Other numbers would need a version of their own, v2."""
    assert list(SMALL) == [
        "rope-frequencies", "rope-half", "rope-partial-half", "rope-interleaved",
        "rope-partial-interleaved",
        "scaling-linear", "scaling-ntk", "scaling-dynamic", "scaling-proportional",
        "scaling-yarn", "scaling-yarn-deepseek", "scaling-longrope", "scaling-llama3",
        "alibi-slopes", "alibi-bias", "t5-buckets", "deberta-buckets", "deberta-indices",
        "sinusoidal-interleaved", "sinusoidal-concatenated", "sinusoidal-tensor2tensor",
        "sinusoidal-cosine-first",
        "positions-from-mask", "positions-next", "positions-opt", "positions-roberta",
        "packed-positions", "packed-segments", "grid-positions", "relative-positions",
    ]  # fmt: skip
    assert list(LARGE) == [
        "alibi-slopes-large", "deberta-buckets-large", "rope-half-large",
        "rope-interleaved-large", "scaling-llama3-large", "scaling-yarn-large",
        "sinusoidal-concatenated-large", "sinusoidal-interleaved-large",
        "sinusoidal-tensor2tensor-large", "t5-buckets-large",
    ]  # fmt: skip


@every_set
def test_a_set_has_the_form_that_the_schema_says(made):
    jsonschema.Draft202012Validator(SCHEMA).validate(made)
    names = [argument["name"] for argument in made["signature"]]

    assert made["name"] in {**SMALL, **LARGE}
    assert all(list(case["inputs"]) == names for case in made["cases"])
    assert len({case["name"] for case in made["cases"]}) == len(made["cases"])


def test_the_schema_refuses_a_set_that_lacks_something():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for key in SMALL["rope-half"]:
        lacking = {name: value for name, value in SMALL["rope-half"].items() if name != key}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(SCHEMA).validate(lacking)


@every_set
def test_no_number_is_minus_zero_or_beyond_json(made):
    assert not re.search(r"-0\.0\b(?!\d)|NaN|Infinity", json.dumps(made["cases"]))


def test_the_small_ones_take_ten_kilobytes_of_the_wheel():
    assert len(gzip.compress(record_vectors.SMALL.read_bytes(), 9)) < 10_000


# By hand, and by second routes


def test_pi_cosine_and_sine_have_their_known_digits():
    assert str(with_enough_digits(pi)())[:52] == (
        "3.14159265358979323846264338327950288419716939937510"
    )
    cos, sin = with_enough_digits(cos_sin)(1)
    assert str(cos)[:42] == "0.5403023058681397174009366074429766037323"
    assert str(sin)[:42] == "0.8414709848078965066525023216302989996225"


@pytest.mark.parametrize("angle", [0, 0.5, -3, 22, 131071, 10**9])
def test_cosine_and_sine_are_those_of_mpmath(angle):
    from mpmath import mp

    with mp.workdps(50):
        expected = [float(mp.cos(angle)), float(mp.sin(angle))]

    assert worked(lambda: list(cos_sin(rotations.Decimal(angle)))) == expected


def test_a_few_results_can_be_redone_in_the_head():
    def expected(name, case):
        return next(c["expected"] for c in SMALL[name]["cases"] if c["name"] == case)

    assert expected("rope-half", "position 0 turns nothing") == [[1, 2, 3, 4]]
    assert expected("scaling-linear", "factor 4") == [0.25, 0.025, 0.0025, 0.00025]
    assert expected("scaling-ntk", "factor 4") == [1, 0.05, 0.0025]  # 1, 1/10, 1/100 by 1, 2, 4
    assert expected("scaling-yarn", "factor 4 from 4096")["inv_freq"] == [1, 0.1, 0.00625, 0.00025]
    assert expected("scaling-proportional", "three pairs of four") == [1, 0.1, 0.01, 0]
    assert expected("alibi-slopes", "3 heads") == [1 / 16, 1 / 256, 1 / 4]
    assert expected("packed-positions", "three documents") == [0, 1, 2, 0, 1, 0, 1, 2, 3]
    assert expected("deberta-indices", "far ones share a row")[0] == [2, 1, 0, 0, 0, 0]


# Against real models: the same rules, run with the inputs that were recorded


def each(name, key, leave_out=()):
    """Run a test with the cases of a golden file that recorded an output of that name."""
    cases = [c for c in load(name) if key in c.outputs and c.name not in leave_out]
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


NO_RAMP = "Llama-4-Scout, no ramp"  # equal bounds divide by zero; no published case has them
RULES = {
    "rotary_inv_freq": (rotations.frequencies, ()),
    "scale_linear": (scalings.linear, ("factor",)),
    "scale_ntk": (scalings.ntk, ("factor",)),
    "scale_dynamic": (scalings.dynamic, ("factor", "trained_length", "seq_len")),
    "scale_proportional": (scalings.proportional, ("rotated_fraction", "factor")),
    "scale_llama3": (
        ramps.llama3_rule,
        ("factor", "low_freq_factor", "high_freq_factor", "trained_length"),
    ),
    "scale_longrope": (
        ramps.longrope_rule,
        ("short_factor", "long_factor", "trained_length", "max_length", "seq_len"),
    ),
    "scale_yarn": (
        ramps.yarn_rule,
        ("factor", "trained_length", "beta_fast", "beta_slow", "truncate"),
    ),
}
DEFAULTS = {"factor": 1.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": True}


@each("scaling", "inv_freq", leave_out=[NO_RAMP])
def test_frequencies_are_those_of_released_classes(case):
    call = DEFAULTS | case.inputs["call"]
    rule, names = RULES[call["function"]]
    width, base = call.get("inv_freq_of") or (
        call.get("head_dim") or call.get("rotary_dim"),
        call.get("base"),
    )
    [(varied, values)] = case.inputs.get("each", {None: [None]}).items()
    made = [
        worked(rule, width, base, *((call | {varied: value})[name] for name in names))
        for value in values
    ]
    rows = [one["inv_freq"] if isinstance(one, dict) else one for one in made]
    order = case.inputs.get("pairs", slice(None))
    growth = made[0]["attention_factor"] if isinstance(made[0], dict) else 1.0
    if call.get("mscale") and call.get("mscale_all_dim"):
        both = [worked(ramps.mscale, call["factor"], call[key])
                for key in ("mscale", "mscale_all_dim")]  # fmt: skip
        growth = both[0] / both[1]
    growth = call.get("attention_factor", growth)

    found = np.array(rows)[:, order]
    np.testing.assert_allclose(found.squeeze(), case.outputs["inv_freq"].squeeze(), **FLOAT32)
    np.testing.assert_allclose(growth, case.outputs["attention_factor"], **FLOAT32)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_turned_vectors_are_those_of_a_public_case(layout):
    """PE-01: its values were computed apart, to ten digits."""
    given, right = CASES["PE-01"]["input"], CASES["PE-01"]["expected"][layout]

    rows = [given["x"]] * len(given["positions"])
    turned = worked(
        rotations.turned, rows, given["positions"], given["base"], given["head_dim"], layout
    )

    np.testing.assert_allclose(turned, right, rtol=0, atol=1e-9)


def test_an_interleaved_part_turns_as_in_rotary_embedding_torch():
    """Its frequencies are float32, its angles are not."""
    [case] = [c for c in load("rotary") if c.name == "rotary-embedding-torch queries"]
    x, turned = case.inputs["x"], case.outputs["turned"]
    n = 2 * len(case.inputs["inv_freq"])

    rows = worked(
        rotations.turned,
        x.reshape(-1, x.shape[-1]).tolist(),
        np.resize(case.inputs["positions"], x.size // x.shape[-1]).tolist(),
        10000,
        n,
        "interleaved",
    )

    np.testing.assert_allclose(rows, turned.reshape(np.shape(rows)), rtol=0, atol=1e-6)


def test_halves_turn_as_in_deepseek_with_the_cosines_it_was_given():
    [case] = [c for c in load("rotary") if c.name.endswith("keys, rope_interleave false")]
    cos, sin = case.inputs["cos"], case.inputs["sin"]
    n_tokens, width = case.inputs["x"].shape[-2:]
    rows = case.inputs["x"].reshape(-1, n_tokens, width).tolist()

    turned = [
        worked(
            rotations.turned_row,
            row,
            [tuple(map(rotations.Decimal, hand)) for hand in zip(cos[t], sin[t], strict=True)],
            "half",
        )
        for tokens in rows
        for t, row in enumerate(tokens)
    ]

    np.testing.assert_allclose(
        turned, case.outputs["turned"].reshape(np.shape(turned)), rtol=1e-6, atol=1e-6
    )


@each("alibi", "slopes")
def test_slopes_are_those_of_bloom(case):
    slopes = worked(biases.slopes_of, case.inputs["n_heads"])

    np.testing.assert_allclose(slopes, case.outputs["slopes"], **FLOAT32)


@pytest.mark.parametrize(
    "case",
    [c for c in load("alibi") if c.name.startswith("x-transformers bias, ")],
    ids=lambda case: case.name,
)
def test_the_bias_is_that_of_x_transformers(case):
    sizes = (case.inputs[name] for name in ("n_heads", "n_queries", "n_keys"))

    np.testing.assert_allclose(worked(biases.alibi, *sizes), case.outputs["bias"], **FLOAT32)


TIE = "T5, a tie that float32 misses: buckets, 72 up to 100, the past"


@each("t5", "buckets", leave_out=[TIE])
def test_t5_buckets_are_those_of_every_released_model(case):
    options = [case.inputs[name] for name in ("bidirectional", "n_buckets", "max_distance")]
    reach, starts = case.inputs["reach"], case.outputs["starts"]
    relative = np.arange(-reach, reach + 1)
    ours = [biases.t5_bucket(int(distance), *options) for distance in relative]

    right = case.outputs["buckets"][np.searchsorted(starts, relative, side="right") - 1]
    assert ours == right.tolist()


@each("deberta", "buckets", leave_out=["18 buckets to 65"])  # float32 misses one of its borders
def test_deberta_buckets_are_those_of_deberta(case):
    first, n_buckets, limit = (case.inputs[k] for k in ("first", "n_buckets", "max_distance"))
    ours = [biases.deberta_bucket(t, n_buckets, limit) for t in range(first, 1 - first)]

    assert ours == case.outputs["buckets"].tolist()


def test_deberta_indices_are_those_of_a_public_case():
    given, right = CASES["PE-91"]["input"], CASES["PE-91"]["expected"]

    rows = biases.rows(given["n"], given["n"], given["span"])

    assert rows == right["effective_index"]


NAMES = {
    ("interleaved", "paper", "sin_cos"): "sinusoidal-interleaved",
    ("concatenated", "paper", "sin_cos"): "sinusoidal-concatenated",
    ("concatenated", "tensor2tensor", "sin_cos"): "sinusoidal-tensor2tensor",
    ("concatenated", "tensor2tensor", "cos_sin"): "sinusoidal-cosine-first",
}


@each("sinusoidal", "table")
def test_sinusoidal_tables_are_those_of_released_classes(case):
    usual = {"layout": "interleaved", "exponent": "paper", "order": "sin_cos"}
    name = NAMES[tuple((usual | case.inputs["convention"]).values())]
    table, positions = case.outputs["table"], case.inputs["positions"].tolist()

    ours = np.array([worked(tables.row, name, p, table.shape[1]) for p in positions])

    if "padding" in case.note:
        ours[1] = 0
    np.testing.assert_allclose(ours, table, rtol=0, atol=1e-5)


def test_positions_are_those_that_generate_gives_to_gpt2():
    [case] = [c for c in load("positions") if c.name.startswith("positions that generate()")]
    mask = case.inputs["mask"].tolist()
    real = case.inputs["mask"] == 1  # what padding reads is never used

    ours = np.array(places.from_mask(mask))

    np.testing.assert_array_equal(ours[real], case.outputs["positions"][real])
    assert case.outputs["decoded"][0].tolist() == places.after(mask)


@pytest.mark.parametrize(
    "case",
    [c for c in load("positions") if "opt_positions" in c.functions],
    ids=lambda case: case.name,
)
def test_rows_are_those_that_opt_reads(case):
    rows = np.array(places.opt(case.inputs["mask"].tolist()))

    np.testing.assert_array_equal(case.inputs["table"][rows], case.outputs["vectors"])


@each("positions", "position_ids")
def test_rows_are_those_that_roberta_reads(case):
    rows = places.roberta(case.inputs["token_ids"].tolist(), case.inputs["padding_idx"])

    assert rows == case.outputs["position_ids"].tolist()
