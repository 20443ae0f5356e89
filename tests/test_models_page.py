"""The tables of real models and of model types: what the files say, in rows and in files."""

import csv
import io
import json
import re

import pytest
from bs4 import BeautifulSoup

from _hooks import model_tables, model_words, models
from posenc_ref import read_config
from posenc_ref.model_table import table, whole_row
from tests.conftest import DOCS

GOLDEN = json.loads(models.GOLDEN.read_text("utf-8"))["configs"]
FILES = models.files()
CSV = {
    name: list(csv.DictReader(io.StringIO(FILES[f"assets/data/{name}.csv"].decode())))
    for name in ("models", "model-types")
}


def cells(name):
    """The cells of a table as a reader sees them, row by row."""
    soup = BeautifulSoup(model_tables.expand(f"<!-- table of {name} -->", "page"), "html.parser")
    rows = soup.select("tbody tr")
    return [[cell.get_text() for cell in row.select("td")] for row in rows]


@pytest.mark.parametrize("name", GOLDEN)
def test_rows_of_a_real_config_are_its_recorded_answers(name):
    """Against the answers that were recorded for the file, not against our own reading of it."""
    rows = [row for row in models.real_rows() if row["name"] == name]
    answers = [(part, rope) for part in GOLDEN[name]["answers"] for rope in part.get("ropes", [{}])]

    assert len(rows) == len(answers) > 0
    for row, (part, rope) in zip(rows, answers, strict=True):
        said = row["exceptions"] or ""
        layers = part.get("layers", {})
        assert row["part"] == part["part"]
        assert row["layers"] == rope.get("applies_to", "all")
        if rope:
            assert row["base"] == rope["base"]
            assert row["rope_type"] == rope["rope_type"]
            streams = 2 if part["kind"] == "rope_2d_text" else 1
            assert row["rotated"] == streams * rope["rotary_dim"]
            assert f"× {rope['attention_factor']:.4g}" in said or rope["attention_factor"] == 1
            if row["part"] == "text":
                assert row["trained_length"] in (part["trained_length"], part["layers"]["n"])
                assert row["extended_length"] in (part["extended_length"], None)
        if layers.get("window") and row["layers"] != "full_attention":
            assert f"window of {layers['window']:,}" in said
        if layers.get("nope") and rope:
            assert f"{len(layers['nope'])} of {layers['n']} layers without positions" in said
        if part.get("first_row_used"):
            assert f"row {part['first_row_used']}" in said
        ratio = part.get("softmax_scale_over_inverse_sqrt_head_dim", 1)
        assert ratio == 1 or f"softmax scale × {ratio:.4g}" in said


def test_layouts_and_widths_of_known_models():
    """From the released code of each, as the lesson on layouts names it."""
    rows = {(row["name"], row["layers"]): row for row in models.real_rows() if row["rotated"]}
    expected = {
        ("llama-3.1-8b", "all"): ("half", 128, 128, "rope_theta"),
        ("gptj-6b", "all"): ("interleaved", 256, 64, "rule"),
        ("deepseek-r1", "all"): ("interleaved in, half out", 192, 64, "rope_theta"),
        ("gemma-3-1b-it", "sliding_attention"): ("half", 256, 256, "rope_local_base_freq"),
        ("gemma-4-e2b", "full_attention"): ("half", 512, 128, "rule"),
        ("falcon-40b", "all"): ("half", 64, 64, "library default"),
    }
    columns = ("layout", "head_width", "rotated", "base_from")

    assert {key: tuple(rows[key][column] for column in columns) for key in expected} == expected


def test_a_key_that_a_row_names_is_in_the_file():
    for row in models.real_rows():
        config = json.dumps(GOLDEN[row["name"]]["config"])
        for origin in (row["base_from"], row["length_from"]):
            for key in (origin or "rule").split(", "):
                named = key not in ("rule", "assumed") and not key.startswith("library default")
                assert not named or all(f'"{step}"' in config for step in key.split(".")), row


def test_every_config_and_every_type_has_a_row():
    assert {row["name"] for row in models.real_rows()} == {*GOLDEN}
    assert {row["model_type"] for row in models.type_rows()} == {*table()["types"]}
    assert len(cells("real models")) == len(models.real_rows())
    assert len(cells("model types")) == len(models.type_rows())


def test_a_row_of_a_type_is_a_config_with_no_other_key():
    compared = 0
    for name in table()["types"]:
        rows = [row for row in models.type_rows() if row["model_type"] == name]
        if "a file must give more" in str(rows[0]["exceptions"]):
            continue
        model = read_config({"model_type": name})
        bases = [
            rope.base if rope else part.facts.get("base")
            for part in model.parts
            for rope in part.ropes or [None]
        ]
        assert [row["base"] for row in rows] == bases
        assert {row["file"] for row in rows} == {model.source}
        compared += 1

    assert compared > 300


def test_a_type_that_is_no_config_by_itself_shows_its_scheme_and_what_has_a_default():
    compared = 0
    for row in models.type_rows():
        written = whole_row(table()["types"][row["model_type"]])
        alone = "nested" not in written and "parts" not in written
        if "a file must give more" in str(row["exceptions"]) and alone:
            defaults = written.get("defaults", {})
            assert row["scheme"] == model_words.scheme(written["kind"])
            assert row["base"] == defaults.get("rope_theta")
            assert row["trained_length"] == defaults.get("max_position_embeddings")
            compared += 1

    assert compared > 0


@pytest.mark.parametrize("name", ["models", "model-types"])
def test_a_csv_file_holds_the_rows_of_its_table(name):
    rows = models.real_rows() if name == "models" else models.type_rows()
    columns = models.OF_REAL if name == "models" else models.OF_TYPES

    assert [*CSV[name][0]] == [*columns]
    assert len(CSV[name]) == len(rows)
    for written, row in zip(CSV[name], rows, strict=True):
        assert written == {key: "" if v is None else str(v) for key, v in row.items()}


def test_the_json_file_is_the_csv_file_with_types():
    whole = json.loads(FILES["assets/data/models.json"])

    assert "CC BY 4.0" in whole["licence"]
    assert [*whole["rows"][0]] == [*whole["columns"]]
    for row, written in zip(whole["rows"], CSV["models"], strict=True):
        assert {key: "" if v is None else str(v) for key, v in row.items()} == written


def test_cells_show_the_values_of_their_rows():
    for row, shown in zip(models.real_rows(), cells("real models"), strict=True):
        base = "–" if row["base"] is None else f"{row['base']:,.0f}"
        length = "–" if row["trained_length"] is None else f"{row['trained_length']:,}"
        assert shown[0] == row["model"]
        assert shown[2] == row["scheme"]
        assert (shown[4], shown[8]) == (base, length)
        assert shown[12].startswith(row["repository"])
        assert shown[13].startswith(row["certainty"])
        assert (row["doubts"] or "") in shown[13]


def test_a_source_is_a_file_at_a_commit_or_a_package_with_its_version():
    for row in models.real_rows():
        if row["commit"]:
            assert re.fullmatch(r"[0-9a-f]{40}", row["commit"])
        else:
            assert re.fullmatch(r"PyPI [\w-]+ [\d.]+", row["repository"])


def test_a_table_that_does_not_exist_stops_the_build():
    with pytest.raises(ValueError, match=r"compare/x\.md: there is no table of 'pets'"):
        model_tables.expand("<!-- table of pets -->", "compare/x.md")


def test_the_page_documents_every_column_and_states_the_licence():
    page = (DOCS / "compare/models.md").read_text("utf-8")
    listed = {row[0] for row in cells("columns")}

    assert listed == {*models.OF_REAL, *models.OF_TYPES}
    assert all(f"](../{address})" in page for address in FILES)
    assert "creativecommons.org/licenses/by/4.0" in page
