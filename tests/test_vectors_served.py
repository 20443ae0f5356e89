"""The conformance vectors on the site: every set at its address, and a list that leads there."""

import json

import jsonschema

import posenc_ref
from _hooks import vectors
from tests.record_vectors import LARGE

FILES = {path: json.loads(content) for path, content in vectors.published().items()}


def test_a_small_set_is_served_as_the_package_has_it():
    names = [name for name in FILES if name != "vectors/v1/index.json"]

    assert len(names) == len(vectors.small()) == 30
    for path in names:
        name = path.removeprefix("vectors/v1/").removesuffix(".json")
        assert FILES[path] == posenc_ref.vectors(name)


def test_a_file_is_laid_out_for_a_person():
    lines = vectors.published()["vectors/v1/packed-segments.json"].decode().splitlines()

    assert lines[1] == '"name": "packed-segments",'
    assert sum(line.startswith('{"name": ') for line in lines) == 3


def test_the_index_leads_to_every_set_small_and_large():
    index = FILES["vectors/v1/index.json"]
    named = [one["file"] for one in index["sets"]]
    large = [path.name for path in sorted(LARGE.glob("*-large.json"))]

    assert named == [one["name"] + ".json" for one in vectors.small()] + large
    assert (index["licence"], index["schema"]) == ("CC0-1.0", "schema.json")


def test_the_list_has_a_row_for_each_set_and_links_for_large_ones():
    table = vectors.listed(f"above\n\n{vectors.REQUEST}\n")

    assert table.count("\n| [`") == 30
    assert "| [`rope-half`](../vectors/v1/rope-half.json), [large](" in table
    assert "<br>`(x, positions, base)` |" in table
    assert r"head\_dim / 2" in table
    assert vectors.listed("no request") == "no request"


def test_every_address_is_answered_and_answers_with_a_set(site):
    folder = site / "vectors/v1"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    index = json.loads((folder / "index.json").read_text("utf-8"))

    assert len(index["sets"]) == 40
    for one in index["sets"]:
        served = json.loads((folder / one["file"]).read_text("utf-8"))
        jsonschema.Draft202012Validator(schema).validate(served)
        assert served["name"] == one["name"]
