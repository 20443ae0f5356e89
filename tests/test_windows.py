"""Window tables: by hand, by property, by second routes, against real models, on bad input."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    attention,
    continuous_window_bias,
    resize_window_table,
    window_bias,
    window_coordinates,
    window_index,
)
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
LOG9 = math.log2(9) / 3  # the coordinate of the farthest offset

sizes = st.tuples(st.integers(1, 6), st.integers(1, 6))


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def n_offsets(size):
    return (2 * size[0] - 1) * (2 * size[1] - 1)


# By hand


def test_case_pe_70_a_step_of_2w_minus_1_keeps_all_offsets_apart():
    """Two patches by two: nine offsets, for which a step of 2 W - 2 leaves seven numbers."""
    index = window_index(2, 2)

    np.testing.assert_array_equal(index, [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]])
    assert len(set(index.flat)) == 9
    narrow = {(down + 1) * 2 + across + 1 for down in (-1, 0, 1) for across in (-1, 0, 1)}
    assert len(narrow) == 7


def test_the_key_to_the_right_reads_the_offset_minus_one():
    """Query minus key, the opposite of relative positions."""
    np.testing.assert_array_equal(window_index(1, 2), [[1, 0], [2, 1]])


def test_the_key_below_reads_a_whole_row_of_offsets_earlier():
    np.testing.assert_array_equal(window_index(2, 1), [[1, 0], [2, 1]])
    assert window_index(2, 3)[0, 3] == window_index(2, 3)[0, 0] - 5


def test_a_single_patch_has_one_offset():
    np.testing.assert_array_equal(window_index(1, 1), [[0]])


def test_a_class_token_reads_the_last_three_rows():
    np.testing.assert_array_equal(
        window_index(1, 2, class_token=True), [[5, 3, 3], [4, 1, 0], [4, 2, 1]]
    )
    np.testing.assert_array_equal(window_index(1, 1, class_token=True), [[3, 1], [2, 0]])


def test_a_table_of_two_heads_by_hand():
    table = [[1, 10], [2, 20], [3, 30], [4, 40], [5, 50], [6, 60]]  # 3 offsets, 3 of the class

    bias = window_bias(table, 2, 1, class_token=True)

    np.testing.assert_array_equal(bias[0], [[6, 4, 4], [5, 2, 1], [5, 3, 2]])
    np.testing.assert_array_equal(bias[1], 10 * bias[0])


def test_three_offsets_stretched_to_five():
    """Cells of width 3/5: middles at 0.3, 0.9, 1.5, 2.1, 2.7, so at -0.2, 0.4, 1, 1.6, 2.2."""
    new = resize_window_table([[0.0], [10.0], [30.0]], (1, 2), (1, 3))

    np.testing.assert_allclose(new[:, 0], [0, 4, 10, 22, 30], rtol=1e-15)


def test_five_offsets_pressed_to_three():
    """Middles at 5/6, 15/6 and 25/6, so at 1/3, 2 and 11/3; nothing is averaged on the way."""
    new = resize_window_table([[0.0], [3.0], [7.0], [8.0], [11.0]], (3, 1), (2, 1))

    np.testing.assert_allclose(new[:, 0], [1, 7, 10], rtol=1e-15)


def test_the_rows_of_a_class_token_are_kept():
    table = [[5.0], [1.0], [2.0], [3.0]]  # one offset

    new = resize_window_table(table, (1, 1), (2, 1), class_token=True)

    np.testing.assert_array_equal(new[:, 0], [5, 5, 5, 1, 2, 3])


def test_coordinates_of_three_by_two():
    """Offsets of -2 .. 2 over 2, times 8: 8, 4, 0; log2(5) / 3 is that of 4."""
    low, middle = LOG9, math.log2(5) / 3

    coordinates = window_coordinates(3, 2)

    down = [-low, -middle, 0, middle, low]
    expected = list(itertools.product(down, [-low, 0, low]))
    np.testing.assert_allclose(coordinates, expected, rtol=1e-14)


def test_a_pretrained_window_of_eight_makes_seven_the_unit():
    """The offset 7 becomes 8, the offset 14 becomes 16."""
    coordinates = window_coordinates(15, 1, pretrained_size=(8, 8))

    np.testing.assert_allclose(coordinates[-1], [math.log2(17) / 3, 0], rtol=1e-14)
    np.testing.assert_allclose(coordinates[14 + 7], [LOG9, 0], rtol=1e-14)
    np.testing.assert_allclose(coordinates[0], [-math.log2(17) / 3, 0], rtol=1e-14)


def test_each_axis_is_divided_by_its_own_pretrained_size():
    coordinates = window_coordinates(2, 2, pretrained_size=(2, 9))

    np.testing.assert_allclose(coordinates[-1], [LOG9, 1 / 3], rtol=1e-14)


def test_a_network_by_hand():
    """One hidden unit that is 2 for the key to the left, and 0 for all others after ReLU."""
    weight, shift = [[0.0], [1 / LOG9]], [1.0]  # -1, 0, 1 across, plus 1: 0, 1, 2

    bias = continuous_window_bias(1, 2, weight, shift, [[math.log(3)]])

    at_one, at_two = 16 * 3 / 4, 16 * 9 / 10
    np.testing.assert_allclose(bias, [[[at_one, 8], [at_two, at_one]]], rtol=1e-14)


def test_relu_cuts_below_zero():
    bias = continuous_window_bias(1, 2, [[0.0], [1 / LOG9]], [0.0], [[math.log(3)]])

    np.testing.assert_allclose(bias, [[[8, 8], [12, 8]]], rtol=1e-14)


# By property


@BOUNDED
@given(sizes, st.booleans())
def test_every_row_of_the_table_is_read(size, class_token):
    index = window_index(*size, class_token=class_token)

    n = size[0] * size[1] + class_token
    assert index.shape == (n, n)
    assert index.dtype == np.int64
    assert set(index.flat) == set(range(n_offsets(size) + 3 * class_token))


@BOUNDED
@given(sizes)
def test_swapping_query_and_key_mirrors_the_table(size):
    index = window_index(*size)

    np.testing.assert_array_equal(index + index.T, n_offsets(size) - 1)


@BOUNDED
@given(sizes, st.sampled_from([np.float32, np.float64]))
def test_a_bias_has_the_dtype_of_the_table(size, dtype):
    table = numbers(n_offsets(size), 3).astype(dtype)
    before = table.copy()

    bias = window_bias(table, *size)

    n = size[0] * size[1]
    assert bias.dtype == dtype
    assert bias.shape == (3, n, n)
    assert not np.shares_memory(bias, table)
    np.testing.assert_array_equal(table, before)


@BOUNDED
@given(sizes, sizes, st.booleans())
def test_resizing_keeps_constants_and_the_middle(size, new_size, class_token):
    """A constant table stays constant; the offset 0 stays what it was, by symmetry of the cells."""
    table = numbers(n_offsets(size) + 3 * class_token, 2)

    new = resize_window_table(table, size, new_size, class_token=class_token)

    assert new.shape == (n_offsets(new_size) + 3 * class_token, 2)
    middle, new_middle = n_offsets(size) // 2, n_offsets(new_size) // 2
    np.testing.assert_allclose(new[new_middle], table[middle], rtol=1e-13)
    same = resize_window_table(np.full_like(table, 0.3), size, new_size, class_token=class_token)
    np.testing.assert_allclose(same, 0.3, rtol=1e-14)


@BOUNDED
@given(sizes, st.sampled_from([np.float32, np.float64]))
def test_resizing_to_the_same_window_changes_nothing(size, dtype):
    table = numbers(n_offsets(size) + 3, 2).astype(dtype)

    new = resize_window_table(table, size, size, class_token=True)

    assert new.dtype == dtype
    np.testing.assert_allclose(new, table, rtol=4 * np.finfo(dtype).eps)
    assert not np.shares_memory(new, table)


@BOUNDED
@given(sizes)
def test_coordinates_are_odd_and_rise_along_each_axis(size):
    coordinates = window_coordinates(*size)

    assert coordinates.shape == (n_offsets(size), 2)
    assert coordinates.dtype == np.float64
    np.testing.assert_array_equal(coordinates, -coordinates[::-1])
    grid = coordinates.reshape(2 * size[0] - 1, 2 * size[1] - 1, 2)
    assert (np.diff(grid[..., 0], axis=0) > 0).all()
    assert (np.diff(grid[..., 1], axis=1) > 0).all()


@BOUNDED
@given(sizes)
def test_a_continuous_bias_is_between_0_and_16_even_for_huge_weights(size):
    weights = 1e4 * numbers(2, 5), 1e4 * numbers(5), 1e4 * numbers(5, 2)

    bias = continuous_window_bias(*size, *weights)

    assert bias.min() >= 0
    assert bias.max() <= 16


def test_weights_in_float32_give_a_bias_in_float32():
    weights = [numbers(2, 4), numbers(4), numbers(4, 2)]
    narrow = [weight.astype(np.float32) for weight in weights]

    bias = continuous_window_bias(2, 3, *narrow)

    assert bias.dtype == np.float32
    assert continuous_window_bias(2, 3, *narrow[:2], weights[2]).dtype == np.float64
    np.testing.assert_allclose(bias, continuous_window_bias(2, 3, *weights), rtol=1e-5)


def test_the_window_itself_is_a_pretrained_size_of_its_own():
    np.testing.assert_array_equal(
        window_coordinates(3, 5), window_coordinates(3, 5, pretrained_size=(3, 5))
    )
    assert not np.allclose(
        window_coordinates(3, 5), window_coordinates(3, 5, pretrained_size=(5, 3))
    )


def test_a_pair_may_be_a_list():
    np.testing.assert_array_equal(
        window_coordinates(3, 5, pretrained_size=[2, 2]),
        window_coordinates(3, 5, pretrained_size=(2, 2)),
    )


# By a second route


@BOUNDED
@given(sizes, st.booleans())
def test_loops_over_patches_give_the_same_bias(size, class_token):
    height, width = size
    table = numbers(n_offsets(size) + 3 * class_token, 2)
    patches = list(itertools.product(range(height), range(width)))
    tokens = [None, *patches] if class_token else patches

    def row(query, key):
        if query is None or key is None:
            return n_offsets(size) + (2 if query == key else 0 if query is None else 1)
        (down, across), (key_down, key_across) = query, key
        return (down - key_down + height - 1) * (2 * width - 1) + across - key_across + width - 1

    expected = [[table[row(query, key)] for key in tokens] for query in tokens]

    bias = window_bias(table, height, width, class_token=class_token)
    np.testing.assert_array_equal(bias.transpose(1, 2, 0), expected)


@BOUNDED
@given(sizes, sizes)
def test_numpys_own_interpolation_gives_the_same_table(size, new_size):
    """np.interp holds the ends, as the rule does, and works on one axis after the other."""
    table = numbers(n_offsets(size), 1)

    def along(row, n):
        middles = (np.arange(len(row)) + 0.5) / len(row)
        return np.interp((np.arange(n) + 0.5) / n, middles, row)

    grid = table.reshape(2 * size[0] - 1, 2 * size[1] - 1)
    grid = np.apply_along_axis(along, 1, grid, 2 * new_size[1] - 1)
    grid = np.apply_along_axis(along, 0, grid, 2 * new_size[0] - 1)

    new = resize_window_table(table, size, new_size)
    np.testing.assert_allclose(new[:, 0], grid.ravel(), rtol=0, atol=1e-13)


@BOUNDED
@given(sizes, st.sampled_from([None, (2, 2), (4, 7)]))
def test_loops_over_offsets_give_the_same_continuous_bias(size, pretrained_size):
    height, width = size
    first, shift, second = numbers(2, 5), numbers(5), numbers(5, 2)
    n_rows, n_columns = pretrained_size or (max(height, 2), max(width, 2))

    def coordinate(offset, n):
        x = 8 * offset / (n - 1)
        return math.copysign(math.log(1 + abs(x), 8), x)

    def bias_of(query, key):
        down = coordinate(query[0] - key[0], n_rows)
        across = coordinate(query[1] - key[1], n_columns)
        hidden = np.maximum(down * first[0] + across * first[1] + shift, 0)
        return 16 / (1 + np.exp(-hidden @ second))

    patches = list(itertools.product(range(height), range(width)))
    expected = [[bias_of(query, key) for key in patches] for query in patches]

    bias = continuous_window_bias(
        height, width, first, shift, second, pretrained_size=pretrained_size
    )
    np.testing.assert_allclose(bias.transpose(1, 2, 0), expected, rtol=1e-12)


# Against released code, in float64


@each_case("windows", "window_index")
def test_the_index_is_that_of_swin_and_beit(case):
    index = window_index(*case.inputs["size"], class_token=case.name.startswith("beit"))

    np.testing.assert_array_equal(index, case.outputs["index"])


@each_case("windows", "window_bias")
def test_the_bias_and_what_attention_makes_of_it_are_those_of_swin_and_beit(case):
    given, beit = case.inputs, case.name.startswith("beit")
    size, table = given["size"].tolist(), given["table"]
    if beit:
        size, trained = given["new_size"].tolist(), size
        table = resize_window_table(table, trained, size, class_token=True)

    bias = window_bias(table, *size, class_token=beit)

    if "bias" in case.outputs:
        np.testing.assert_allclose(bias, case.outputs["bias"], rtol=0, atol=1e-12)
    if "output" in case.outputs:
        output = attention(given["q"], given["k"], given["v"], bias=bias)
        np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=1e-12)
        turned = attention(given["q"], given["k"], given["v"], bias=bias.swapaxes(1, 2))
        assert np.abs(turned - case.outputs["output"]).max() > 0.01  # key minus query: another


def test_the_class_of_beit_scrambles_a_table_that_is_not_square():
    """It reads the table of 2 x 3 patches as one of 3 x 2, and resizes that to 2 x 3."""
    [case] = [case for case in load("windows") if case.name == "beit bias 2 x 3"]
    table = case.inputs["table"]

    scrambled = resize_window_table(table, (3, 2), (2, 3), class_token=True)

    released = case.outputs["bias"]
    bias = window_bias(scrambled, 2, 3, class_token=True)
    np.testing.assert_allclose(bias, released, rtol=0, atol=1e-12)
    assert np.abs(window_bias(table, 2, 3, class_token=True) - released).max() > 0.1


def swin2_bias(case):
    given = case.inputs
    pretrained = given["pretrained_size"].tolist()
    return (
        given["size"].tolist(),
        (given["hidden_weight"].T, given["hidden_bias"], given["output_weight"].T),
        None if pretrained == [0, 0] else pretrained,
    )


@each_case("windows", "window_coordinates")
def test_the_coordinates_are_those_of_swin_v2(case):
    """Made in float32, and near 1 at most."""
    size, _, pretrained = swin2_bias(case)

    coordinates = window_coordinates(*size, pretrained_size=pretrained)

    np.testing.assert_allclose(coordinates, case.outputs["coordinates"], rtol=0, atol=1.2e-7)


@each_case("windows", "continuous_window_bias")
def test_the_output_is_that_of_swin_v2(case):
    """Its coordinates, made in float32, are off by 1.2e-7 at most, which the network carries on.

    The slope of 16 sigmoid is 4 at most, and an error of the scores moves no mean of the values by
    more than itself times their spread.
    """
    given = case.inputs
    size, weights, pretrained = swin2_bias(case)

    bias = continuous_window_bias(*size, *weights, pretrained_size=pretrained)

    factor = np.exp(np.minimum(given["logit_scale"], math.log(100)))[:, None, None]
    q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (given["q"], given["k"]))
    output = attention(factor * q, k, given["v"], bias=bias, scale=1)
    through_network = 1.2e-7 * (np.abs(weights[0]).sum(axis=0) @ np.abs(weights[2])).max()
    bound = 4 * through_network * np.ptp(given["v"])
    assert bound < 1e-4
    np.testing.assert_allclose(output, case.outputs["output"], rtol=0, atol=bound)
    turned = attention(factor * q, k, given["v"], bias=bias.swapaxes(1, 2), scale=1)
    assert np.abs(turned - case.outputs["output"]).max() > 0.01


# On bad input

TABLE = np.zeros((9, 1))
WEIGHTS = ([[0.0], [0.0]], [0.0], [[0.0]])

BAD_WINDOWS = [
    ((0, 2), ValueError, "height must be at least 1, got 0"),
    ((2, 0), ValueError, "width must be at least 1, got 0"),
    ((-1, 2), ValueError, "height must be at least 1, got -1"),
    ((2.0, 2), TypeError, "height must be a whole number (int), got 2.0 (float)"),
    ((2, True), TypeError, "width must be a whole number (int), got True (bool)"),
    ((None, 2), TypeError, "height must be a whole number (int), got None (NoneType)"),
    ((2**80, 2), ValueError, "height x width x n_keys must be below 2**58 entries, got height 12"),
    (
        (2, 2**28),
        ValueError,
        "height x width x n_keys must be below 2**58 entries, got height 2, w",
    ),
]


@pytest.mark.parametrize(("window", "error", "message"), BAD_WINDOWS)
def test_a_bad_window_is_named_by_every_function(window, error, message):
    for function in (window_index, window_coordinates):
        with pytest.raises(error, match="^" + re.escape(message)):
            function(*window)
    with pytest.raises(error, match="^" + re.escape(message)):
        window_bias(TABLE, *window)
    with pytest.raises(error, match="^" + re.escape(message)):
        continuous_window_bias(*window, *WEIGHTS)


def test_a_class_token_must_be_a_flag():
    message = re.escape("class_token must be True or False, got 1 (int)")
    for call in (
        lambda: window_index(2, 2, class_token=1),
        lambda: window_bias(TABLE, 2, 2, class_token=1),
        lambda: resize_window_table(TABLE, (2, 2), (2, 2), class_token=1),
    ):
        with pytest.raises(TypeError, match="^" + message):
            call()


BAD_TABLES = [
    (np.zeros((8, 1)), ValueError, "table must have shape (9, n_columns), got (8, 1)"),
    (np.zeros((12, 1)), ValueError, "table must have shape (9, n_columns), got (12, 1)"),
    (np.zeros(9), ValueError, "table must have shape (9, n_columns), got (9,)"),
    ([], ValueError, "table must have shape (9, n_columns), got (0,)"),
    ([[1.0], [1.0, 2.0]], ValueError, "table must be one array"),
    (np.full((9, 1), np.nan), ValueError, "table must be finite, got an entry nan"),
    (np.full((9, 1), np.inf), ValueError, "table must be finite, got an entry inf"),
    (np.zeros((9, 1), complex), TypeError, "table must be numbers (int or float), got dtype"),
    (np.full((9, 1), "a"), TypeError, "table must be numbers (int or float), got dtype <U1"),
    (None, TypeError, "table must be numbers (int or float), got dtype object"),
]


@pytest.mark.parametrize(("table", "error", "message"), BAD_TABLES)
def test_a_bad_table_is_named(table, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        window_bias(table, 2, 2)
    with pytest.raises(error, match="^" + re.escape(message)):
        resize_window_table(table, (2, 2), (3, 3))


def test_a_table_with_a_class_token_needs_three_rows_more():
    message = re.escape("table must have shape (12, n_columns), got (9, 1)")
    with pytest.raises(ValueError, match="^" + message):
        window_bias(TABLE, 2, 2, class_token=True)
    with pytest.raises(ValueError, match="^" + message):
        resize_window_table(TABLE, (2, 2), (3, 3), class_token=True)


BAD_SIZES = [
    (4, TypeError, "{} must be a pair (height, width), got 4"),
    ("ab", TypeError, "{} must be a pair (height, width), got 'ab'"),
    ((2,), ValueError, "{} must be a pair (height, width), got (2,)"),
    ((2, 2, 2), ValueError, "{} must be a pair (height, width), got (2, 2, 2)"),
    ((2.0, 2), TypeError, "{}[0] must be a whole number (int), got 2.0 (float)"),
    ((2, True), TypeError, "{}[1] must be a whole number (int), got True (bool)"),
]


@pytest.mark.parametrize(("size", "error", "message"), BAD_SIZES)
def test_a_bad_pair_is_named(size, error, message):
    for name, call in [
        ("size", lambda: resize_window_table(TABLE, size, (2, 2))),
        ("new_size", lambda: resize_window_table(TABLE, (2, 2), size)),
        ("pretrained_size", lambda: window_coordinates(2, 2, pretrained_size=size)),
        (
            "pretrained_size",
            lambda: continuous_window_bias(2, 2, *WEIGHTS, pretrained_size=size),
        ),
    ]:
        with pytest.raises(error, match="^" + re.escape(message.format(name))):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: resize_window_table(TABLE, (0, 2), (2, 2)), "size[0] must be at least 1, got 0"),
        (lambda: resize_window_table(TABLE, (2, 2), (2, 0)), "new_size[1] must be at le"),
        (lambda: window_coordinates(2, 2, pretrained_size=(1, 2)), "pretrained_size[0] must be at"),
        (lambda: window_coordinates(2, 2, pretrained_size=(2, 1)), "pretrained_size[1] must be at"),
        (
            lambda: resize_window_table(TABLE, (2, 2), (2**30, 2**30)),
            "n_rows x n_columns x n_features must be below 2**58 entries, got n_rows 21",
        ),
    ],
)
def test_a_size_out_of_range_is_named(call, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call()


BAD_WEIGHTS = [
    ([[[0.0]], [0.0], [[0.0]]], ValueError, "hidden_weight must have shape (2, n_hidden), got (1,"),
    ([np.zeros((3, 1)), [0.0], [[0.0]]], ValueError, "hidden_weight must have shape (2, n_hidden)"),
    ([np.zeros(2), [0.0], [[0.0]]], ValueError, "hidden_weight must have shape (2, n_hidden), got"),
    ([WEIGHTS[0], [0.0, 1.0], [[0.0]]], ValueError, "hidden_bias must have shape (1,), got (2,)"),
    ([WEIGHTS[0], [0.0], [[0.0], [0.0]]], ValueError, "output_weight must have shape (1, n_heads)"),
    ([[[0.0], [np.nan]], [0.0], [[0.0]]], ValueError, "hidden_weight must be finite, got an entry"),
    ([WEIGHTS[0], [np.inf], [[0.0]]], ValueError, "hidden_bias must be finite, got an entry inf"),
    ([WEIGHTS[0], [0.0], [[-np.inf]]], ValueError, "output_weight must be finite, got an entry -"),
    ([None, [0.0], [[0.0]]], TypeError, "hidden_weight must be numbers (int or float), got dtype"),
    ([WEIGHTS[0], ["a"], [[0.0]]], TypeError, "hidden_bias must be numbers (int or float), got dt"),
]


@pytest.mark.parametrize(("weights", "error", "message"), BAD_WEIGHTS)
def test_bad_weights_are_named(weights, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        continuous_window_bias(2, 2, *weights)
