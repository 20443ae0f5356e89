"""Resized tables: by hand, by property, by second routes, against real models, on bad input.

The second routes are loops over new cells and old ones, and the two axes in the other order.
"""

import functools
import math
import re
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from posenc_ref import grid_positions, resize_grid, resize_table
from posenc_ref.resizing import Method
from tests.recorded import each_case

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
METHODS = get_args(Method)
TABLE = [[9.0], [0.0], [4.0], [0.0], [4.0]]  # one prefix token, then a grid of 2 x 2

every_method = pytest.mark.parametrize("method", METHODS)
methods = st.sampled_from(METHODS)
counts = st.integers(1, 9)
sizes = st.tuples(counts, counts)


def random_grid(height, width, n_features=2):
    return np.random.default_rng(height * 100 + width).normal(size=(height, width, n_features))


def resized(grid, size, method):
    """A grid of shape (height, width, features) in, and one out."""
    height, width, n_features = grid.shape
    table = grid.reshape(-1, n_features)
    new = resize_grid(table, size, prefix_tokens=0, method=method, grid=(height, width))
    return new.reshape(*size, n_features)


def one_axis(row, n_new, method):
    return resized(np.array(row, float)[None, :, None], (1, n_new), method)[0, :, 0]


# By hand


def test_two_rows_become_four():
    """Centres at -1/4, 1/4, 3/4 and 5/4, the outer two held at the edge."""
    np.testing.assert_array_equal(resize_table([[0], [4]], 4)[:, 0], [0, 1, 3, 4])


def test_four_rows_become_two_by_the_middles_between_them():
    np.testing.assert_array_equal(resize_table([[0], [2], [10], [20]], 2)[:, 0], [1, 15])


def test_many_rows_become_one_at_their_middle():
    np.testing.assert_array_equal(resize_table([[1], [5], [100]], 1), [[5]])


def test_one_row_is_repeated():
    np.testing.assert_array_equal(resize_table([[7, 8]], 3), [[7, 8]] * 3)


def test_rows_passed_over_are_not_averaged_in():
    """Six rows to two: centres at 1 and 4."""
    np.testing.assert_array_equal(resize_table([[0], [3], [0], [0], [5], [0]], 2), [[3], [5]])


def test_bilinear_by_hand():
    new = resize_grid(TABLE, (1, 4), prefix_tokens=1, method="bilinear")

    np.testing.assert_array_equal(new, [[9], [0], [1], [3], [4]])


def test_corners_by_hand():
    """Centres at 0, 1/3, 2/3 and 1; a single row is the first one."""
    grid = [[0.0], [3.0], [100.0], [100.0]]

    new = resize_grid(grid, (1, 4), prefix_tokens=0, method="bilinear_corners")

    np.testing.assert_allclose(new[:, 0], [0, 1, 2, 3])


def test_antialias_by_hand():
    """Four cells to two: the kernel is twice as wide, 3/4 at a distance of 1/2 and 1/4 at 3/2.

    The first centre is at 1/2: weights 3/4, 3/4, 1/4 and 0, divided by 7/4.
    """
    np.testing.assert_allclose(one_axis([7, 0, 0, 0], 2, "bilinear_antialias"), [3, 0])
    np.testing.assert_allclose(one_axis([0, 0, 7, 0], 2, "bilinear_antialias"), [1, 3])


def test_bicubic_by_hand():
    """Four cells to one, at 3/2: with a = -3/4 the kernel is 19/32 at 1/2 and -3/32 at 3/2.

    Of two cells, each counts for the one outside it too.
    """
    np.testing.assert_allclose(one_axis([0, 1, 0, 0], 1, "bicubic"), [19 / 32])
    np.testing.assert_allclose(one_axis([1, 0, 0, 0], 1, "bicubic"), [-3 / 32])
    np.testing.assert_allclose(one_axis([1, 0], 1, "bicubic"), [1 / 2])


def test_the_antialiased_cubic_has_another_coefficient():
    """Enlarging 3 to 6 widens no kernel. The fifth centre is at 7/4, so 7/4, 3/4 and 1/4 away.

    With a = -1/2 the kernel is -3/128, 29/128 and 111/128 there. The fourth cell would lie outside
    and does not count, so the sum is 137/128.
    """
    weights = [one_axis(row, 6, "bicubic_antialias")[4] for row in np.eye(3)]

    np.testing.assert_allclose(weights, [-3 / 137, 29 / 137, 111 / 137])


def test_the_offset_by_hand():
    """One new cell for 11 old ones: the centre is at 11 / 2.2 - 1/2 = 4.5, not at 5."""
    ramp = np.arange(11.0)

    np.testing.assert_allclose(one_axis(ramp, 1, "bilinear_offset"), [4.5])
    np.testing.assert_allclose(one_axis(ramp, 1, "bicubic_offset"), [4.5])
    np.testing.assert_allclose(one_axis(ramp, 1, "bilinear"), [5])


def test_a_bilinear_axis_of_the_same_length_is_not_moved_by_the_offset():
    grid = random_grid(4, 4)

    np.testing.assert_allclose(
        resized(grid, (4, 7), "bilinear_offset")[:, 0], grid[:, 0], rtol=1e-15
    )
    assert (resized(grid, (4, 7), "bicubic_offset")[:, 0] != grid[:, 0]).all()


def test_a_grid_that_is_not_square_is_named():
    table = np.arange(6.0)[:, None]

    new = resize_grid(table, (2, 1), prefix_tokens=0, method="bilinear", grid=(2, 3))

    np.testing.assert_array_equal(new, [[1], [4]])


def test_a_grid_may_be_a_list():
    new = resize_grid(TABLE, [1, 4], prefix_tokens=1, method="bilinear", grid=[2, 2])

    np.testing.assert_array_equal(new, [[9], [0], [1], [3], [4]])


def test_case_pe_71_the_size_wanted_is_the_size_returned():
    """Case PE-71: floor(grid * (target / grid)) loses one row at each of these."""
    cases = [(14, 61), (14, 115), (14, 122), (37, 39), (37, 43), (37, 78), (37, 86), (37, 115)]
    for source, target in [*cases, (37, 123)]:
        table = np.ones((source * source, 1))

        assert math.floor(source * (target / source)) == target - 1
        for method in METHODS:
            new = resize_grid(table, (target, 1), prefix_tokens=0, method=method)
            assert len(new) == target


# By property


@every_method
@pytest.mark.parametrize("prefix_tokens", [0, 1, 3])
def test_prefix_rows_are_kept_as_they_are(method, prefix_tokens):
    table = np.random.default_rng(0).normal(size=(prefix_tokens + 9, 2))

    new = resize_grid(table, (4, 2), prefix_tokens=prefix_tokens, method=method)

    assert new.shape == (prefix_tokens + 8, 2)
    np.testing.assert_array_equal(new[:prefix_tokens], table[:prefix_tokens])
    without = resize_grid(table[prefix_tokens:], (4, 2), prefix_tokens=0, method=method)
    np.testing.assert_array_equal(new[prefix_tokens:], without)


@every_method
def test_a_table_of_the_right_size_is_returned_unchanged(method):
    table = np.random.default_rng(0).normal(size=(10, 3))

    new = resize_grid(table, (3, 3), prefix_tokens=1, method=method)

    np.testing.assert_array_equal(new, table)
    assert not np.shares_memory(new, table)


@BOUNDED
@given(counts)
def test_a_table_of_the_right_length_is_returned_unchanged(n):
    table = random_grid(n, 3)[..., 0]

    new = resize_table(table, n)

    np.testing.assert_array_equal(new, table)
    assert not np.shares_memory(new, table)


@BOUNDED
@given(sizes, sizes, methods)
def test_equal_cells_stay_equal(old_size, size, method):
    """The weights of each new cell add up to 1."""
    new = resized(np.full((*old_size, 1), 3.5), size, method)

    np.testing.assert_allclose(new, 3.5, rtol=1e-14)


@BOUNDED
@given(sizes, sizes, methods)
def test_resizing_is_linear_in_the_table(old_size, size, method):
    first, second = random_grid(*old_size), random_grid(*old_size)[::-1]

    together = resized(2 * first - second, size, method)

    apart = 2 * resized(first, size, method) - resized(second, size, method)
    np.testing.assert_allclose(together, apart, rtol=0, atol=1e-13)


@BOUNDED
@given(sizes, sizes, methods)
def test_rows_and_columns_are_treated_alike(old_size, size, method):
    grid = random_grid(*old_size)

    across = resized(grid.swapaxes(0, 1), size[::-1], method)

    np.testing.assert_allclose(
        resized(grid, size, method), across.swapaxes(0, 1), rtol=0, atol=1e-13
    )


@BOUNDED
@given(sizes, sizes, st.sampled_from([m for m in METHODS if "offset" not in m]))
def test_a_mirrored_image_has_a_mirrored_table(old_size, size, method):
    """But for a single new cell with corners, which is the first old one."""
    if method == "bilinear_corners" and 1 in size:
        size = (size[0] + 1, size[1] + 1)
    grid = random_grid(*old_size)

    mirrored = resized(grid[::-1, ::-1], size, method)[::-1, ::-1]

    np.testing.assert_allclose(resized(grid, size, method), mirrored, rtol=0, atol=1e-13)


@BOUNDED
@given(sizes, st.tuples(st.integers(2, 9), st.integers(2, 9)))
def test_corner_cells_stay_as_they_are(old_size, size):
    grid = random_grid(*old_size)

    new = resized(grid, size, "bilinear_corners")

    np.testing.assert_allclose(new[:: size[0] - 1, :: size[1] - 1], grid[[0, -1]][:, [0, -1]])


@BOUNDED
@given(st.integers(1, 9), st.integers(0, 9))
def test_antialiasing_changes_no_bilinear_enlargement(n, more):
    row = random_grid(1, n)[0, :, 0]

    new = one_axis(row, n + more, "bilinear_antialias")

    np.testing.assert_allclose(new, one_axis(row, n + more, "bilinear"), rtol=0, atol=1e-14)


def test_no_two_methods_give_the_same():
    grid = random_grid(5, 5)
    new = [resized(grid, (7, 3), method) for method in METHODS]

    for i in range(len(METHODS)):
        for j in range(i):
            assert np.abs(new[i] - new[j]).max() > 0.03, (METHODS[i], METHODS[j])


@pytest.mark.parametrize(
    ("given_dtype", "dtype"),
    [("float64", "float64"), ("float32", "float32"), ("float16", "float32"), ("int64", "float64")],
)
def test_the_dtype_is_that_of_the_table(given_dtype, dtype):
    table = np.array(TABLE, given_dtype)

    assert resize_table(table, 3).dtype == dtype
    for size in ((2, 2), (3, 5)):
        assert resize_grid(table, size, prefix_tokens=1, method="bicubic").dtype == dtype


@every_method
def test_float32_is_float64_rounded_once(method):
    table = random_grid(4, 4).reshape(16, 2).astype(np.float32)
    resize = functools.partial(resize_grid, size=(7, 3), prefix_tokens=0, method=method)

    wide = resize(table.astype(float)).astype(np.float32)

    np.testing.assert_array_equal(resize(table), wide)
    np.testing.assert_array_equal(
        resize_table(table, 7), resize_table(table.astype(float), 7).astype(np.float32)
    )


def test_arguments_are_left_alone():
    table = np.array(TABLE)

    for method in METHODS:
        resize_grid(table, (2, 2), prefix_tokens=1, method=method)[:] = 5
        resize_grid(table, (3, 5), prefix_tokens=1, method=method)[:] = 5
    resize_table(table, 5)[:] = 5

    np.testing.assert_array_equal(table, TABLE)


def test_a_table_without_features_has_none_afterwards():
    assert resize_table(np.zeros((4, 0)), 3).shape == (3, 0)
    new = resize_grid(np.zeros((4, 0)), (3, 1), prefix_tokens=0, method="bicubic")
    assert new.shape == (3, 0)


def test_a_long_table_takes_no_square_of_its_length():
    """A matrix of weights would take 80 GB here."""
    new = resize_table(np.arange(1e5)[:, None], 100_000 + 1)

    assert new.shape == (100_001, 1)
    assert (np.diff(new[:, 0]) > 0).all()


# By a second route


def kernel(t, name, a):
    t = abs(t)
    if name == "bilinear":
        return 1 - t if t < 1 else 0
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0


def tap_by_tap(old, n_new, method):
    """One axis: for each new cell, each old cell that its kernel reaches, held at the edges."""
    name, _, variant = method.partition("_")
    n_old = len(old)
    a, new = (-0.5 if variant == "antialias" else -0.75), []
    for j in range(n_new):
        centre = (j + 0.5) * n_old / n_new - 0.5
        if variant == "corners":
            centre = j * (n_old - 1) / (n_new - 1) if n_new > 1 else 0
        if variant == "offset" and not (name == "bilinear" and n_old == n_new):
            centre = (j + 0.5) * n_old / (n_new + 0.1) - 0.5
        stretch = max(n_old / n_new, 1) if variant == "antialias" else 1
        reach = math.ceil(2 * stretch) + 1
        total = weight_sum = 0
        for tap in range(math.floor(centre) - reach, math.floor(centre) + reach + 1):
            weight = kernel((centre - tap) / stretch, name, a)
            if variant == "antialias" and not 0 <= tap < n_old:
                continue
            total = total + weight * old[min(max(tap, 0), n_old - 1)]
            weight_sum += weight
        new.append(total / weight_sum)
    return np.array(new)


@BOUNDED
@given(sizes, sizes, methods)
def test_loops_over_cells_and_taps_give_the_same(old_size, size, method):
    assume(size != old_size)  # which no method changes
    grid = random_grid(*old_size)

    tall = tap_by_tap(grid, size[0], method)
    loops = tap_by_tap(tall.swapaxes(0, 1), size[1], method).swapaxes(0, 1)

    np.testing.assert_allclose(resized(grid, size, method), loops, rtol=0, atol=1e-13)


@BOUNDED
@given(counts, counts)
def test_a_table_is_a_grid_of_one_column(n_old, n_new):
    table = random_grid(n_old, 1)[:, 0]

    as_grid = resize_grid(table, (n_new, 1), prefix_tokens=0, method="bilinear", grid=(n_old, 1))

    np.testing.assert_allclose(resize_table(table, n_new), as_grid, rtol=0, atol=1e-14)


def test_patches_stand_in_the_order_of_grid_positions():
    """A table that holds its own rows and columns keeps them when every cell becomes 3 x 3."""
    old, new = grid_positions(4, 4).astype(float), grid_positions(12, 12)

    resized_positions = resize_grid(old, (12, 12), prefix_tokens=0, method="bilinear")

    expected = ((new + 0.5) / 3 - 0.5).clip(0, 3)
    np.testing.assert_allclose(resized_positions, expected, rtol=0, atol=1e-14)


# Against real models and PyTorch's interpolate


def grid_of(case, method):
    inputs = case.inputs
    return resize_grid(
        inputs["table"],
        tuple(map(int, inputs["size"])),
        prefix_tokens=inputs["prefix_tokens"],
        method=method,
        grid=tuple(map(int, inputs["grid"])) if "grid" in inputs else None,
    )


def largest_difference(case, method):
    """From the resized table, or from tokens with the rows added that stand beside them."""
    table = grid_of(case, method)
    if "table" in case.outputs:
        return np.abs(table - case.outputs["table"]).max()
    tokens = case.inputs["tokens"]
    return np.abs(tokens + table[len(table) - len(tokens) :] - case.outputs["embedded"]).max()


@each_case("resizing", "resize_grid")
def test_the_grid_is_that_of_released_code(case):
    """Entries are 2 at most. In float32 centres are off by 3e-7 and 16 products by 1e-7 each."""
    bound = 4e-6 if "float32" in case.note else 1e-13

    assert largest_difference(case, case.inputs["method"]) < bound


@each_case("resizing", "resize_grid")
def test_another_method_misses_it(case):
    """But for a table of the right size, and antialiasing a bilinear grid that does not shrink."""
    method, size = case.inputs["method"], case.inputs["size"]
    old_size = case.inputs.get("grid", np.array([4, 4]))
    same = {method}
    if (size == old_size).all():
        same |= set(METHODS)
    elif (size >= old_size).all() and method in ("bilinear", "bilinear_antialias"):
        same |= {"bilinear", "bilinear_antialias"}

    assert all(largest_difference(case, other) > 0.01 for other in set(METHODS) - same)


@each_case("resizing", "resize_table")
def test_the_table_is_that_of_released_code(case):
    new = resize_table(case.inputs["table"], case.inputs["n_positions"])

    np.testing.assert_allclose(new, case.outputs["table"], rtol=0, atol=1e-13)


# On bad input


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"n_positions": 0}, ValueError, "n_positions must be at least 1, got 0"),
        ({"n_positions": -3}, ValueError, "n_positions must be at least 1, got -3"),
        ({"n_positions": 3.0}, TypeError, "n_positions must be a whole number (int), got 3.0"),
        ({"n_positions": True}, TypeError, "n_positions must be a whole number (int), got True"),
        ({"n_positions": None}, TypeError, "n_positions must be a whole number (int), got None"),
        (
            {"n_positions": 2**58},
            ValueError,
            "n_positions x d_model must be below 2**58 entries, got n_positions 288230376151711744",
        ),
        (
            {"table": [[0.0] * 4], "n_positions": 2**56},
            ValueError,
            "n_positions x d_model must be below 2**58 entries, got n_positions 720575",
        ),
        ({"n_positions": 2**80}, ValueError, "n_positions x d_model must be below 2**58 entries"),
        ({"table": [1.0]}, ValueError, "table must have shape (n_positions, d_model), got (1,)"),
        ({"table": [[1], [1, 2]]}, ValueError, "table must be one array, got [[1], [1, 2]]"),
        ({"table": [["a"]]}, TypeError, "table must be numbers (int or float), got dtype <U1"),
        ({"table": None}, TypeError, "table must be numbers (int or float), got dtype object"),
        ({"table": [[np.nan]]}, ValueError, "table must be finite, got an entry nan"),
        (
            {"table": np.zeros((0, 2))},
            ValueError,
            "table must have at least 1 row, got shape (0, 2)",
        ),
    ],
)
def test_a_bad_argument_of_the_table_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        resize_table(**{"table": [[0.0], [1.0]], "n_positions": 3, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"size": (0, 3)}, ValueError, "size[0] must be at least 1, got 0"),
        ({"size": (3, 0)}, ValueError, "size[1] must be at least 1, got 0"),
        ({"size": (3, -1)}, ValueError, "size[1] must be at least 1, got -1"),
        ({"size": (3.0, 3)}, TypeError, "size[0] must be a whole number (int), got 3.0 (float)"),
        ({"size": (3, True)}, TypeError, "size[1] must be a whole number (int), got True (bool)"),
        ({"size": (3,)}, ValueError, "size must be a pair (height, width), got (3,)"),
        ({"size": (1, 2, 3)}, ValueError, "size must be a pair (height, width), got (1, 2, 3)"),
        ({"size": 3}, TypeError, "size must be a pair (height, width), got 3 (int)"),
        ({"size": "ab"}, TypeError, "size must be a pair (height, width), got 'ab' (str)"),
        ({"size": None}, TypeError, "size must be a pair (height, width), got None (NoneType)"),
        (
            {"size": (2**29, 2**29)},
            ValueError,
            "height x width x d_model must be below 2**58 entries, got height 536870912, width 53",
        ),
        ({"size": (2**80, 1)}, ValueError, "height x width x d_model must be below 2**58 entries"),
        ({"prefix_tokens": -1}, ValueError, "prefix_tokens must be at least 0, got -1"),
        ({"prefix_tokens": 1.0}, TypeError, "prefix_tokens must be a whole number (int), got 1.0"),
        ({"prefix_tokens": True}, TypeError, "prefix_tokens must be a whole number (int), got Tr"),
        (
            {"prefix_tokens": 0},
            ValueError,
            "table must have a square number of rows, or grid be given, got 5 after prefix_tokens",
        ),
        (
            {"prefix_tokens": 5},
            ValueError,
            "table must have a square number of rows, or grid be given, got 0 after prefix_tokens",
        ),
        (
            {"prefix_tokens": 9},
            ValueError,
            "table must have a square number of rows, or grid be given, got 0 after prefix_tokens",
        ),
        (
            {"grid": (2, 3)},
            ValueError,
            "table must have 2 x 3 rows of the grid, got 4 after prefix_tokens 1",
        ),
        (
            {"grid": (2, 2), "prefix_tokens": 7},
            ValueError,
            "table must have 2 x 2 rows of the grid, got 0 after prefix_tokens 7",
        ),
        ({"grid": (0, 4)}, ValueError, "grid[0] must be at least 1, got 0"),
        ({"grid": (4, 1.0)}, TypeError, "grid[1] must be a whole number (int), got 1.0 (float)"),
        ({"grid": 2}, TypeError, "grid must be a pair (height, width), got 2 (int)"),
        ({"method": "cubic"}, ValueError, "method must be one of 'bilinear', 'bilinear_corners', "),
        ({"method": "bicubic_corners"}, ValueError, "method must be one of 'bilinear', 'bilinear"),
        ({"method": None}, TypeError, "method must be one of 'bilinear', 'bilinear_corners', "),
        ({"table": [1.0]}, ValueError, "table must have shape (n_rows, d_model), got (1,)"),
        ({"table": [["a"]]}, TypeError, "table must be numbers (int or float), got dtype <U1"),
        ({"table": None}, TypeError, "table must be numbers (int or float), got dtype object"),
        ({"table": [[1j]]}, TypeError, "table must be numbers (int or float), got dtype complex"),
        ({"table": [[1], [1, 2]]}, ValueError, "table must be one array, got [[1], [1, 2]]"),
        ({"table": [[0], [np.inf]]}, ValueError, "table must be finite, got an entry inf"),
        ({"table": np.zeros((0, 2))}, ValueError, "table must have a square number of rows, or "),
    ],
)
def test_a_bad_argument_of_the_grid_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        resize_grid(
            **{"table": TABLE, "size": (3, 3), "prefix_tokens": 1, "method": "bilinear", **changed}
        )


@pytest.mark.parametrize("missing", ["prefix_tokens", "method"])
def test_what_models_differ_on_has_no_default(missing):
    arguments = {"prefix_tokens": 1, "method": "bicubic"}
    del arguments[missing]

    with pytest.raises(TypeError, match=missing):
        resize_grid(TABLE, (3, 3), **arguments)
