"""Sinusoidal grids: by hand, by property, by a second route, against real models, on bad input."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention_weights, sinusoidal_grid, sinusoidal_table
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

CELLS = ["from_zero", "from_one", "edges", "centres"]
CONVENTIONS = [
    {"cells": cells, "layout": layout, "first": first}
    for cells, layout, first in itertools.product(
        CELLS, ["interleaved", "concatenated"], ["row", "column"]
    )
]
PLAIN = {"cells": "from_zero", "layout": "interleaved", "first": "row"}

conventions = st.sampled_from(CONVENTIONS)
sizes = st.integers(1, 9)
widths = st.sampled_from([4, 8, 12, 20, 64])
bases = st.sampled_from([1.0, 20.0, 10000.0])

every_convention = pytest.mark.parametrize(
    "convention", CONVENTIONS, ids=lambda convention: " ".join(convention.values())
)


def number_of(index, n, cells):
    """What stands for a cell of an axis of n, written out once more."""
    turn = 2 * math.pi / (n + 1e-6)
    return {
        "from_zero": index,
        "from_one": index + 1,
        "edges": turn * (index + 1),
        "centres": turn * index + turn / 2,
    }[cells]


# By hand


def test_a_grid_of_two_by_two():
    s, c = math.sin(1), math.cos(1)
    expected = [[0, 1, 0, 1], [0, 1, s, c], [s, c, 0, 1], [s, c, s, c]]

    np.testing.assert_allclose(sinusoidal_grid(2, 2, 4, **PLAIN), expected)


def test_columns_first_puts_the_column_in_the_first_half():
    s, c = math.sin(1), math.cos(1)
    expected = [[0, 1, 0, 1], [s, c, 0, 1], [0, 1, s, c], [s, c, s, c]]

    np.testing.assert_allclose(sinusoidal_grid(2, 2, 4, **{**PLAIN, "first": "column"}), expected)


def test_the_layouts_of_width_eight():
    """Within a half: frequencies 1 and 1/100."""
    row = [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]
    interleaved = sinusoidal_grid(2, 1, 8, **PLAIN)[1]
    concatenated = sinusoidal_grid(2, 1, 8, **{**PLAIN, "layout": "concatenated"})[1]

    np.testing.assert_allclose(interleaved, [*row, 0, 1, 0, 1])
    np.testing.assert_allclose(concatenated, [row[0], row[2], row[1], row[3], 0, 0, 1, 1])


def test_cells_from_one_are_those_from_zero_one_further_on():
    from_zero = sinusoidal_grid(4, 5, 8, **PLAIN).reshape(4, 5, 8)
    from_one = sinusoidal_grid(3, 4, 8, **{**PLAIN, "cells": "from_one"}).reshape(3, 4, 8)

    np.testing.assert_array_equal(from_one, from_zero[1:, 1:])


def test_the_far_edges_of_four_cells_stand_at_the_quarters_of_a_turn():
    """The guard of 1e-6 turns a quarter by 4e-7 at most 4 times."""
    table = sinusoidal_grid(4, 1, 4, **{**PLAIN, "cells": "edges"})

    np.testing.assert_allclose(table[:, :2], [[1, 0], [0, -1], [-1, 0], [0, 1]], atol=2e-6)


def test_the_guard_is_one_millionth_of_a_cell():
    """The only cell of an axis: 2 pi / 1.000001 short of a turn by 2 pi 1e-6, to first order."""
    edge = sinusoidal_grid(1, 1, 4, **{**PLAIN, "cells": "edges"})[0, 0]
    centre = sinusoidal_grid(1, 1, 4, **{**PLAIN, "cells": "centres"})[0, 0]

    np.testing.assert_allclose(edge, -2e-6 * math.pi, rtol=2e-6)
    np.testing.assert_allclose(centre, 1e-6 * math.pi, rtol=2e-6)


def test_the_base_is_ten_thousand_unless_given():
    given_base = sinusoidal_grid(3, 2, 8, base=10000, **PLAIN)

    np.testing.assert_array_equal(sinusoidal_grid(3, 2, 8, **PLAIN), given_base)


def test_no_rows_or_no_columns_give_an_empty_table():
    for cells in CELLS:
        convention = {**PLAIN, "cells": cells}

        assert sinusoidal_grid(0, 3, 8, **convention).shape == (0, 8)
        assert sinusoidal_grid(3, 0, 8, **convention).shape == (0, 8)


# By property


@BOUNDED
@given(sizes, sizes, widths, conventions, bases)
def test_every_row_has_length_root_of_half_the_width(height, width, d_model, convention, base):
    table = sinusoidal_grid(height, width, d_model, base=base, **convention)

    assert table.shape == (height * width, d_model)
    np.testing.assert_allclose((table**2).sum(axis=1), d_model / 2, rtol=1e-14)


@BOUNDED
@given(sizes, sizes, widths, conventions, bases)
def test_a_transposed_grid_has_its_halves_exchanged(height, width, d_model, convention, base):
    table = sinusoidal_grid(height, width, d_model, base=base, **convention)
    other = sinusoidal_grid(width, height, d_model, base=base, **convention)

    exchanged = np.roll(table, d_model // 2, axis=1).reshape(height, width, d_model)
    np.testing.assert_array_equal(other.reshape(width, height, d_model), exchanged.swapaxes(0, 1))


@BOUNDED
@given(sizes, sizes, widths, conventions)
def test_the_product_of_two_rows_is_the_same_wherever_the_two_patches_stand(
    height, width, d_model, convention
):
    table = sinusoidal_grid(height + 1, width + 1, d_model, **convention)
    grid = table.reshape(height + 1, width + 1, d_model)

    one_down_and_right = (grid[:-1, :-1] * grid[1:, 1:]).sum(axis=-1)
    np.testing.assert_allclose(one_down_and_right, one_down_and_right[0, 0], rtol=1e-13)


@every_convention
def test_the_dtype_is_float64_or_what_was_asked_for(convention):
    table = sinusoidal_grid(3, 5, 12, **convention)
    narrow = sinusoidal_grid(3, 5, 12, dtype=np.float32, **convention)

    assert table.dtype == np.float64
    assert narrow.dtype == np.float32
    np.testing.assert_array_equal(narrow, table.astype(np.float32))


# By a second route


@BOUNDED
@given(sizes, sizes, widths, conventions, bases)
def test_the_same_entry_by_entry(height, width, d_model, convention, base):
    """Loops over rows, columns and pairs; within 1e-14, as angles stay below 10 or so."""
    cells, layout, first = convention.values()
    half, quarter = d_model // 2, d_model // 4
    expected = np.empty((height * width, d_model))
    for r, c in itertools.product(range(height), range(width)):
        numbers = [number_of(r, height, cells), number_of(c, width, cells)]
        for h, number in enumerate(numbers if first == "row" else numbers[::-1]):
            for i in range(quarter):
                angle = number / base ** (2 * i / half)
                sin_column, cos_column = (
                    (2 * i, 2 * i + 1) if layout == "interleaved" else (i, quarter + i)
                )
                expected[r * width + c, h * half + sin_column] = math.sin(angle)
                expected[r * width + c, h * half + cos_column] = math.cos(angle)

    table = sinusoidal_grid(height, width, d_model, base=base, **convention)

    np.testing.assert_allclose(table, expected, atol=1e-14)


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_each_half_is_a_sinusoidal_table_of_half_the_width(layout):
    """Two routes of the package: angle addition there, every entry by itself here."""
    table = sinusoidal_grid(33, 17, 24, cells="from_zero", layout=layout, first="row")

    rows = sinusoidal_table(33, 12, layout=layout)
    columns = sinusoidal_table(17, 12, layout=layout)
    np.testing.assert_allclose(table[:, :12], np.repeat(rows, 17, axis=0), atol=2e-15)
    np.testing.assert_allclose(table[:, 12:], np.tile(columns, (33, 1)), atol=2e-15)


def test_a_grid_of_one_row_keeps_the_first_half_still():
    table = sinusoidal_grid(1, 7, 8, **PLAIN)

    np.testing.assert_array_equal(table[:, :4], np.tile([0, 1, 0, 1], (7, 1)))


# Against released code


def tolerance(case):
    """1e-12 where the class ran in float64.

    float32 rounds an angle up to 7 by 2.4e-7 in each of three steps, and the sum with a token of
    size 4 by 2.4e-7 once more.
    """
    return 2e-6 if case.note.startswith("float32") else 1e-12


def table_of(case, **changed):
    return sinusoidal_grid(**{**case.inputs["grid"], **changed})


def result(case, table):
    """What the recorded layer makes of a table, and what it was recorded to make of it."""
    given, outputs = case.inputs, case.outputs
    if "weights" in outputs:
        tokens = given["hidden"] + table
        q, k, v = (
            (
                (tokens if part != "v" else given["hidden"]) @ given[f"{part}_weight"].T
                + given[f"{part}_bias"]
            )
            .reshape(len(table), given["n_heads"], -1)
            .swapaxes(0, 1)
            for part in "qkv"
        )
        weights = attention_weights(q, k)
        mixed = (weights @ v).swapaxes(0, 1).reshape(table.shape)
        output = mixed @ given["o_weight"].T + given["o_bias"]
        return np.append(weights, output), np.append(outputs["weights"], outputs["output"])
    if "offsets" in outputs:
        made = (given["hidden"] + table) @ given["weight"].T + given["bias"]
        return made, outputs["offsets"]
    if "class_token" in given:
        table = np.vstack([np.zeros((1, table.shape[1])), table])
        return np.vstack([given["class_token"], given["patches"]]) + table, outputs["tokens"]
    if "tokens" in outputs:
        return given["patches"] + table, outputs["tokens"]
    return table, outputs["table"]


@each_case("grids", "sinusoidal_grid")
def test_a_released_layer_gives_the_same(case):
    got, recorded = result(case, table_of(case))

    np.testing.assert_allclose(got, recorded, rtol=0, atol=tolerance(case))


@each_case("grids", "sinusoidal_grid")
def test_no_other_convention_gives_what_the_released_layer_gave(case):
    own = {name: case.inputs["grid"][name] for name in PLAIN}
    others = [convention for convention in CONVENTIONS if convention != own]

    assert len(others) == 15
    for convention in others:
        got, recorded = result(case, table_of(case, **convention))
        assert np.abs(got - recorded).max() > 1e-3, convention
    got, recorded = result(case, table_of(case, base=2 * case.inputs["grid"]["base"]))
    assert np.abs(got - recorded).max() > 1e-4


def test_released_code_covers_every_choice():
    recorded = [case.inputs["grid"] for case in load("grids")]

    for name in PLAIN:
        assert {grid[name] for grid in recorded} == {convention[name] for convention in CONVENTIONS}


def test_mae_gives_its_class_token_a_row_of_zeros():
    [case] = [case for case in load("grids") if "class_token" in case.inputs]

    np.testing.assert_array_equal(case.outputs["table"][0], np.zeros(12))
    np.testing.assert_allclose(case.outputs["table"][1:], table_of(case), atol=1e-7)  # float32


def test_omdet_turbo_agrees_with_rt_detr_on_a_square_grid_only():
    square, oblong = (case for case in load("grids") if case.name.startswith("omdet_turbo"))
    convention = {"cells": "from_zero", "layout": "concatenated", "first": "row"}

    np.testing.assert_allclose(
        square.outputs["table"], sinusoidal_grid(3, 3, 8, **convention), atol=1e-12
    )
    assert np.abs(oblong.outputs["table"] - sinusoidal_grid(2, 3, 8, **convention)).max() > 0.1


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"height": -1}, ValueError, "height must be at least 0, got -1"),
        ({"height": 2.0}, TypeError, "height must be a whole number (int), got 2.0 (float)"),
        ({"height": True}, TypeError, "height must be a whole number (int), got True (bool)"),
        ({"height": None}, TypeError, "height must be a whole number (int), got None (NoneType)"),
        ({"width": -1}, ValueError, "width must be at least 0, got -1"),
        ({"width": "3"}, TypeError, "width must be a whole number (int), got '3' (str)"),
        ({"width": [3]}, TypeError, "width must be a whole number (int), got [3] (list)"),
        ({"height": 2**60}, ValueError, "height x width x d_model must be below 2**58 entries"),
        ({"width": 2**80}, ValueError, "height x width x d_model must be below 2**58 entries"),
        (
            {"height": 2**60, "width": 0},
            ValueError,
            "height x width x d_model must be below 2**58 entries, got height 1152921504606846976,",
        ),
        ({"d_model": 2**80}, ValueError, "height x width x d_model must be below 2**58 entries"),
        (
            {"d_model": 6},
            ValueError,
            "d_model must be a multiple of 4, at least 4 (two axes, each in pairs), got 6",
        ),
        ({"d_model": 5}, ValueError, "d_model must be a multiple of 4, at least 4"),
        ({"d_model": 0}, ValueError, "d_model must be a multiple of 4, at least 4"),
        ({"d_model": -4}, ValueError, "d_model must be a multiple of 4, at least 4"),
        ({"d_model": 8.0}, TypeError, "d_model must be a whole number (int), got 8.0 (float)"),
        (
            {"cells": "index"},
            ValueError,
            "cells must be one of 'from_zero', 'from_one', 'edges', 'centres', got 'index'",
        ),
        ({"cells": 0}, TypeError, "cells must be one of 'from_zero', 'from_one', 'edges', 'cent"),
        ({"layout": "half"}, ValueError, "layout must be one of 'interleaved', 'concatenated', g"),
        ({"layout": None}, TypeError, "layout must be one of 'interleaved', 'concatenated', got "),
        ({"first": "x"}, ValueError, "first must be one of 'row', 'column', got 'x'"),
        ({"first": True}, TypeError, "first must be one of 'row', 'column', got True (bool)"),
        ({"base": 0.5}, ValueError, "base must be at least 1, got 0.5"),
        ({"base": math.nan}, ValueError, "base must be finite, got nan"),
        ({"base": "20"}, TypeError, "base must be a number (int or float), got '20' (str)"),
        ({"dtype": np.float16}, ValueError, "dtype must be float32 or float64, got float16"),
        ({"dtype": None}, TypeError, "dtype must be float32 or float64, got None"),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        sinusoidal_grid(**{"height": 2, "width": 3, "d_model": 8, **PLAIN, **changed})


@pytest.mark.parametrize("name", PLAIN)
def test_no_convention_is_a_default(name):
    convention = {key: value for key, value in PLAIN.items() if key != name}

    with pytest.raises(TypeError, match=name):
        sinusoidal_grid(2, 3, 8, **convention)


@pytest.mark.parametrize(
    ("name", "value"), [("base", 0), ("layout", "half"), ("first", "x"), ("dtype", "f2")]
)
def test_a_bad_choice_is_refused_before_a_long_axis_is_made(name, value):
    """2**50 numbers would be a MemoryError."""
    with pytest.raises(ValueError, match=f"^{name} must be"):
        sinusoidal_grid(**{"height": 2**50, "width": 1, "d_model": 4, **PLAIN, name: value})


def test_numbers_of_numpy_are_numbers():
    table = sinusoidal_grid(np.int64(2), np.uint8(3), np.int16(8), base=np.float32(20), **PLAIN)

    np.testing.assert_array_equal(table, sinusoidal_grid(2, 3, 8, base=20, **PLAIN))
