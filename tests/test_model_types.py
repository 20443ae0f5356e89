"""The table of model types beside what transformers builds from its default configs.

`model_types.json` of the tests was recorded: each model built, its rotary modules, tables and
attention modules looked at. The table of the package must say the same of the same config, given
in full, as the library saves it, and given by its model type alone.
"""

import json
import math
from pathlib import Path

import pytest

from posenc_ref import ConfigError, read_config
from posenc_ref.model_table import table, whole_row

RECORD = json.loads((Path(__file__).parent / "model_types.json").read_text(encoding="utf-8"))
SEEN = RECORD["types"]
ROWS = table()["types"]

# The library rounds an odd width up, to a pair more than fits; here it is refused.
ODD = {"glm4_moe"}
# Its list holds the pairs of rows first, then those of columns: the same numbers in another order.
REORDERED = {"PixtralVisionConfig"}
FORMS = ("as saved", "by its type alone")


def config_of(name, form):
    config = {"model_type": name}
    return config if form == FORMS[1] else {**SEEN[name]["config"], **config}


def read(name, form):
    row = ROWS[name]
    if form == FORMS[1] and ("no_defaults" in row or "given" in SEEN[name]):
        return read_config(config_of(name, FORMS[0]))  # the library builds no model without keys
    return read_config(config_of(name, form))


def types_with(*, nested=False, kind=None):
    """Names of the rows that are composites, or have a part of that kind of their own."""
    return [
        name
        for name in sorted(SEEN)
        if ("nested" in ROWS[name]) == nested
        and (kind is None or str(whole_row(ROWS[name]).get("kind", "")).startswith(kind))
        and name not in ODD
    ]


def close(ours, seen):
    return all(math.isclose(a, b, rel_tol=2e-6) for a, b in zip(ours, seen, strict=True))


def told(rope):
    """Number of pairs, the first three frequencies and the last, as the record has them."""
    given = rope.inv_freq.tolist()
    return len(given), [*given[:3], given[-1]]


def same(rope, rotation):
    count, ends = told(rope)
    seen = rotation["values"]
    return count == rotation["n"] and close(ends, seen if len(seen) > 3 else [*seen, seen[-1]])


def test_the_record_is_of_the_release_that_the_table_names():
    assert RECORD["transformers"] == table()["transformers"]
    assert RECORD["surveyed"] == 822
    assert len(ROWS) >= 300
    of_classes = {name for name, row in ROWS.items() if "class" in row}
    assert of_classes == set(SEEN)  # none that was not built, none that is not asked about


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", types_with(kind="rope"))
def test_the_frequencies_are_those_of_the_built_model(name, form):
    part = next(part for part in read(name, form).parts if part.ropes)
    seen = [r for r in SEEN[name]["seen"]["rotations"] if r["config"] == SEEN[name]["class"]]
    if SEEN[name]["class"] in REORDERED:
        assert [r["n"] for r in seen] == [len(part.ropes[0].inv_freq)]
        return

    assert seen or SEEN[name]["seen"]["layouts"]  # some classes keep cosines, not frequencies
    for rotation in seen:
        assert any(same(rope, rotation) for rope in part.ropes), rotation
    for rope in part.ropes if seen else ():
        assert any(same(rope, rotation) for rotation in seen), rope
        assert any(math.isclose(rope.attention_factor, r["scaling"], rel_tol=1e-6) for r in seen)


@pytest.mark.parametrize("name", types_with(kind="rope"))
def test_the_layout_is_that_of_the_function_that_turns(name):
    """Probed with one-hot queries; "half, turned backwards" is half, and the row says the rest."""
    layout = whole_row(ROWS[name])["layout"]

    assert any(seen.startswith(layout) for seen in SEEN[name]["seen"]["layouts"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", types_with(kind="rope"))
def test_scale_windows_and_layers_are_those_of_the_attention_modules(name, form):
    part = next(part for part in read(name, form).parts if part.ropes)
    seen = SEEN[name]["seen"]
    if part.name == "vision":
        return
    if part.softmax_scale is not None and len(seen["scales"]) == 1:
        assert math.isclose(part.softmax_scale, seen["scales"][0], rel_tol=1e-6)
    if seen["layers"] and part.layers is not None:
        assert list(part.layers.attention) == seen["layers"]
    if seen["windows"] is not None and part.layers is not None:
        ours = {str(part.layers.window): list(part.layers.windowed)} if part.layers.window else {}
        assert ours == {size: layers for size, layers in seen["windows"].items() if layers}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [name for name in types_with() if SEEN[name]["seen"]["tables"]])
def test_tables_have_the_shapes_of_those_of_the_built_model(name, form):
    shapes = {(shape[-2], shape[-1]) for shape in SEEN[name]["seen"]["tables"] if len(shape) > 1}
    for part in read(name, form).parts:
        if part.kind == "learned" and "rows" in part.facts:
            assert (part.facts["rows"], part.facts["width"]) in shapes
        if part.kind == "t5_bias":
            assert (part.facts["num_buckets"], part.facts["heads"]) in shapes


@pytest.mark.parametrize("name", types_with(nested=True))
def test_a_composite_has_the_rotations_of_its_parts(name):
    model = read(name, FORMS[0])
    ropes = [rope for part in model.parts for rope in part.ropes]
    inner_rows = [whole_row(ROWS[inner]) for _, _, inner in ROWS[name]["nested"]]
    covered = {row.get("class") for row in inner_rows if row.get("kind") in ("rope", "rope_2d")}
    covered -= REORDERED

    for rotation in SEEN[name]["seen"]["rotations"]:
        if rotation["config"] in covered:
            assert any(same(rope, rotation) for rope in ropes), rotation


def test_a_row_of_the_table_stands_on_rows_that_are_there():
    families = table()["families"]
    for name, row in ROWS.items():
        for part in (row, *row.get("parts", ()), *row.get("cases", ())):
            assert part.get("like", name) in {**families, **ROWS}
        for _, paths, inner in row.get("nested", ()):
            assert inner in ROWS
            assert paths


@pytest.mark.parametrize("name", sorted(ODD))
def test_an_odd_rotary_width_is_refused_where_the_library_rounds_it_up(name):
    with pytest.raises(ConfigError, match="even rotary width"):
        read_config({"model_type": name})
