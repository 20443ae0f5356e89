"""The checks of arguments that every scheme shares: what they let through, and what they say."""

import re
from fractions import Fraction

import numpy as np
import pytest

from posenc_ref import checks

HUGE = 10**400


class Nameless:
    """NumPy prints what it cannot read, and so do messages."""

    def __repr__(self):
        raise RuntimeError("no name")


def refused(error, message):
    return pytest.raises(error, match=f"^{re.escape(message)}")


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_a_whole_number_comes_back_as_an_int(value):
    number = checks.whole_number("n", value, at_least=3, at_most=3)

    assert number == 3
    assert type(number) is int


def test_a_whole_number_may_be_of_any_size_and_sign_when_no_bound_is_given():
    assert checks.whole_number("n", -HUGE) == -HUGE


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (True, TypeError, "n must be a whole number (int), got True (bool)"),
        (np.True_, TypeError, "n must be a whole number (int), got"),
        (4.0, TypeError, "n must be a whole number (int), got 4.0 (float)"),
        ("4", TypeError, "n must be a whole number (int), got '4' (str)"),
        (None, TypeError, "n must be a whole number (int), got None (NoneType)"),
        ([4], TypeError, "n must be a whole number (int), got [4] (list)"),
        (1, ValueError, "n must be at least 2, got 1"),
        (10, ValueError, "n must be at most 9, got 10"),
        (HUGE, ValueError, "n must be at most 9, got 1000"),
        (-HUGE, ValueError, "n must be at least 2, got -1000"),
    ],
)
def test_a_number_that_is_not_whole_or_out_of_bounds_is_refused(value, error, message):
    with refused(error, message) as caught:
        checks.whole_number("n", value, at_least=2, at_most=9)

    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_a_flag_comes_back_as_a_bool(value):
    assert checks.flag("f", value) is bool(value)


def test_what_was_received_in_place_of_a_flag_is_shown():
    with refused(TypeError, "f must be True or False, got 'yes' (str)"):
        checks.flag("f", "yes")


@pytest.mark.parametrize("value", [0, 1, None, "yes", np.array(True)])
def test_what_is_only_truthy_is_no_flag(value):
    with refused(TypeError, "f must be True or False, got "):
        checks.flag("f", value)


def test_counts_may_make_a_result_below_2_to_the_58_entries():
    checks.result_fits(rows=2**29, columns=2**29 - 1)
    checks.result_fits(rows=0, columns=2**58 - 1)


def test_counts_that_make_more_are_named():
    with refused(
        ValueError,
        "rows x columns must be below 2**58 entries, got rows 536870912, columns 536870912",
    ):
        checks.result_fits(rows=2**29, columns=2**29)


def test_a_count_of_zero_does_not_hide_one_that_is_too_large():
    with refused(ValueError, "rows x columns must be below 2**58 entries"):
        checks.result_fits(rows=0, columns=2**58)


@pytest.mark.parametrize("size", [(1, 2), [1, np.int8(2)]])
def test_a_height_and_a_width_are_a_pair_of_counts(size):
    assert checks.height_and_width("size", size) == (1, 2)


def test_a_grid_may_have_a_least_size():
    assert checks.height_and_width("size", (3, 3), at_least=3) == (3, 3)


@pytest.mark.parametrize(
    ("size", "error", "message"),
    [
        (3, TypeError, "size must be a pair (height, width), got 3 (int)"),
        ("ab", TypeError, "size must be a pair (height, width), got 'ab' (str)"),
        ((1, 2, 3), ValueError, "size must be a pair (height, width), got (1, 2, 3)"),
        ((1,), ValueError, "size must be a pair (height, width), got (1,)"),
        ([7, 8, 9], ValueError, "size must be a pair (height, width), got [7, 8, 9]"),
        ((2, 3), ValueError, "size[0] must be at least 3, got 2"),
        ((3, 2), ValueError, "size[1] must be at least 3, got 2"),
        ((3.0, 3), TypeError, "size[0] must be a whole number (int), got 3.0 (float)"),
        ((3, "3"), TypeError, "size[1] must be a whole number (int), got '3' (str)"),
    ],
)
def test_a_grid_of_another_form_is_refused(size, error, message):
    with refused(error, message):
        checks.height_and_width("size", size, at_least=3)


def test_a_grid_has_at_least_one_cell_each_way():
    for size in [(0, 1), (1, 0)]:
        with refused(ValueError, "size["):
            checks.height_and_width("size", size)


TABLE = np.array([[0.0, 1.0], [2.0, np.nan], [4.0, 5.0]])


def test_rows_are_read_by_number_and_only_those_must_be_finite():
    rows = checks.rows_read(TABLE, "ids", np.array([[2], [0]], np.uint8), "id")

    np.testing.assert_array_equal(rows, [[[4, 5]], [[0, 1]]])


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ([0, 3], ValueError, "ids must be at least 0 and below 3 (table has 3 rows), got id 3"),
        ([-1], ValueError, "ids must be at least 0 and below 3 (table has 3 rows), got id -1"),
        ([1], ValueError, "table must be finite, got an entry nan"),
        ([1.0], TypeError, "ids must be whole numbers (int), got dtype float64"),
        ([True], TypeError, "ids must be whole numbers (int), got dtype bool"),
    ],
)
def test_rows_that_are_not_there_or_not_finite_are_refused(numbers, error, message):
    with refused(error, message):
        checks.rows_read(TABLE, "ids", numbers, "id")


def test_no_axis_may_come_before_those_named_unless_that_is_said():
    for check, dtype in [
        (checks.real_array, float),
        (checks.whole_array, int),
        (checks.mask_array, bool),
    ]:
        with refused(ValueError, "x must have shape (T,), got (2, 3)"):
            check("x", np.ones((2, 3), dtype), "T")


@pytest.mark.parametrize("width", [2, 4, 1000])
def test_an_even_width_is_let_through(width):
    assert checks.even_width("d", width) == width


def test_a_width_is_a_whole_number():
    with refused(TypeError, "d must be a whole number (int), got 4.0 (float)"):
        checks.even_width("d", 4.0)


@pytest.mark.parametrize("width", [0, 1, 3, -2, HUGE + 1])
def test_a_width_that_is_odd_or_below_two_is_refused(width):
    with refused(ValueError, "d must be even and at least 2 (features go in pairs), got "):
        checks.even_width("d", width)


def test_a_width_beyond_all_arrays_is_refused():
    with refused(ValueError, "d must be below 2**58 entries, got d 288230376151711744"):
        checks.even_width("d", 2**58)


@pytest.mark.parametrize("value", [2, 2.5, np.float32(2.5), np.int64(-1), 0])
def test_a_finite_number_comes_back_as_a_float(value):
    number = checks.finite_number("x", value)

    assert number == value
    assert type(number) is float


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, np.float32("nan"), HUGE])
def test_a_number_that_is_not_finite_is_refused(value):
    with refused(ValueError, "x must be finite, got "):
        checks.finite_number("x", value)


def test_a_number_that_is_not_finite_is_shown():
    with refused(ValueError, "x must be finite, got -inf"):
        checks.finite_number("x", -np.inf)


@pytest.mark.parametrize("value", [True, "1", None, 1j, [1.0], np.array(1.0), Fraction(1, 2)])
def test_what_is_no_number_is_refused(value):
    with refused(TypeError, "x must be a number (int or float), got "):
        checks.finite_number("x", value)


def test_a_positive_number_is_above_zero():
    assert checks.positive_number("x", 1e-300) == 1e-300
    with refused(ValueError, "x must be above 0, got 0"):
        checks.positive_number("x", 0)
    with refused(TypeError, "x must be a number (int or float), got '1' (str)"):
        checks.positive_number("x", "1")


@pytest.mark.parametrize("value", [1, 1.5, np.float32(4)])
def test_a_length_factor_is_at_least_one(value):
    factor = checks.length_factor("factor", value)

    assert factor == value
    assert type(factor) is float


def test_a_length_factor_below_one_is_refused():
    rule = "factor must be at least 1 (it slows pairs down), got "
    with refused(ValueError, rule + "0.5"):
        checks.length_factor("factor", 0.5)
    with refused(TypeError, "factor must be a number (int or float), got '4' (str)"):
        checks.length_factor("factor", "4")


def test_a_base_is_at_least_one():
    assert checks.frequency_base("base", 1) == 1.0
    with refused(ValueError, "base must be at least 1, got 0.999"):
        checks.frequency_base("base", 0.999)
    with refused(TypeError, "base must be a number (int or float), got None (NoneType)"):
        checks.frequency_base("base", None)


def test_a_name_must_be_one_of_the_choices():
    assert checks.one_of("c", "b", ("a", "b")) is None
    with refused(ValueError, "c must be one of 'a', 'b', got 'A'"):
        checks.one_of("c", "A", ("a", "b"))
    with refused(TypeError, "c must be one of 'a', 'b', got 1 (int)"):
        checks.one_of("c", 1, ("a", "b"))


@pytest.mark.parametrize("value", [np.float32, "float32", np.dtype("<f4")])
def test_a_dtype_is_known_by_every_name(value):
    assert checks.float_dtype("dtype", value) == np.dtype(np.float32)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (None, TypeError, "dtype must be float32 or float64, got None"),
        ("float33", TypeError, "dtype must be float32 or float64, got 'float33' (str)"),
        (np.float16, ValueError, "dtype must be float32 or float64, got float16"),
        ({"names": 1}, TypeError, "dtype must be float32 or float64, got {'names': 1} (dict)"),
        (Nameless(), TypeError, "dtype must be float32 or float64, got <Nameless instance at"),
        (int, ValueError, "dtype must be float32 or float64, got int64"),
    ],
)
def test_any_other_dtype_is_refused(value, error, message):
    with refused(error, message):
        checks.float_dtype("dtype", value)


def test_an_output_array_comes_back_itself():
    out = np.empty((2, 3), np.float32)

    assert checks.output_array("out", out, (2, 3), np.dtype(np.float32)) is out


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        ([[0.0]], TypeError, "out must be a NumPy array, got [[0.0]] (list)"),
        (np.empty((2, 3)), TypeError, "out must have dtype float32, as the argument says, got"),
        (np.empty((3, 2), np.float32), ValueError, "out must have shape (2, 3), got (3, 2)"),
        (np.empty((3, 2), np.float32).T, ValueError, "out must be C-contiguous, got strides"),
        (read_only(np.empty((2, 3), np.float32)), ValueError, "out must be writeable, got a read-"),
    ],
)
def test_an_output_array_that_will_not_do_is_refused(out, error, message):
    with refused(error, message):
        checks.output_array("out", out, (2, 3), np.dtype(np.float32))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.longdouble, np.float64),
        (np.int8, np.float64),
        (np.uint64, np.float64),
    ],
)
def test_real_numbers_keep_float32_and_become_float64_otherwise(given, kept):
    array = checks.real_array("x", np.ones((2, 3), given), "rows", 3)

    assert array.dtype == kept
    assert array.shape == (2, 3)


def test_real_numbers_that_fit_are_not_copied():
    x = np.ones((2, 3))

    assert checks.real_array("x", x, 2, 3) is x


def test_whole_numbers_and_masks_that_fit_are_not_copied():
    numbers, mask = np.array([1, 2]), np.array([True, False])

    assert checks.whole_array("x", numbers, "T") is numbers
    assert checks.mask_array("x", mask, "T") is mask


@pytest.mark.parametrize(
    ("shape", "axes", "leading"),
    [
        ((), (), False),
        ((3,), ("T",), False),
        ((0, 2), ("T", 2), False),
        ((5, 4, 3, 2), (3, "d"), True),
        ((3, 2), (3, "d"), True),
        ((7,), (), True),
        ((), (), True),
    ],
)
def test_axes_that_fit_are_let_through(shape, axes, leading):
    assert checks.real_array("x", np.ones(shape), *axes, leading=leading).shape == shape
    assert checks.whole_array("x", np.ones(shape, int), *axes, leading=leading).shape == shape
    assert checks.mask_array("x", np.ones(shape, bool), *axes, leading=leading).shape == shape


@pytest.mark.parametrize(
    ("shape", "axes", "leading", "message"),
    [
        ((), ("T",), False, "x must have shape (T,), got ()"),
        ((3, 1), ("T",), False, "x must have shape (T,), got (3, 1)"),
        ((3,), (), False, "x must have shape (), got (3,)"),
        ((3, 2), ("T", 4), False, "x must have shape (T, 4), got (3, 2)"),
        ((3, 2), (2, "d"), False, "x must have shape (2, d), got (3, 2)"),
        ((2,), ("T", 2), True, "x must have shape (..., T, 2), got (2,)"),
        ((5, 3, 2), ("T", 4), True, "x must have shape (..., T, 4), got (5, 3, 2)"),
        ((), ("T",), True, "x must have shape (..., T), got ()"),
    ],
)
def test_axes_that_do_not_fit_are_named(shape, axes, leading, message):
    for check, dtype in [
        (checks.real_array, float),
        (checks.whole_array, int),
        (checks.mask_array, bool),
    ]:
        with refused(ValueError, message):
            check("x", np.ones(shape, dtype), *axes, leading=leading)


def test_parameters_must_be_finite_and_data_need_not_be():
    x = np.array([1.0, np.nan, np.inf])

    assert checks.real_array("x", x, "T") is x
    with refused(ValueError, "x must be finite, got an entry nan"):
        checks.real_array("x", x, "T", finite=True)
    with refused(ValueError, "x must be finite, got an entry -inf"):
        checks.real_array("x", -x[2:], "T", finite=True)


@pytest.mark.parametrize(
    "value", [["a"], [1j], [True], [None], [10**400], np.array([1, "a"], object)]
)
def test_arrays_of_other_things_are_refused(value):
    with refused(TypeError, "x must be numbers (int or float), got dtype "):
        checks.real_array("x", value, "T")


def test_a_masked_array_is_refused_since_its_mask_would_be_lost():
    with refused(TypeError, "x must be a plain array: a masked one would lose its mask"):
        checks.real_array("x", np.ma.masked_array([1.0, 2.0], [True, False]), "T")


def test_rows_of_unequal_length_are_refused():
    with refused(ValueError, "x must be one array, got [[1, 2], [3]]"):
        checks.real_array("x", [[1, 2], [3]], "rows", "columns")


def test_an_empty_list_is_an_array_of_anything():
    assert checks.whole_array("x", [], "T").dtype == np.int64
    assert checks.mask_array("x", [], "T").dtype == np.bool_
    assert checks.real_array("x", [], "T").dtype == np.float64


def test_whole_numbers_become_int64_within_their_bounds():
    array = checks.whole_array("x", np.array([2, 9], np.uint8), "T", at_least=2, at_most=9)

    assert array.dtype == np.int64
    np.testing.assert_array_equal(array, [2, 9])


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1, 5], ValueError, "x must be at least 2 everywhere, got 1"),
        ([5, 10], ValueError, "x must be at most 9 everywhere, got 10"),
        ([5.0], TypeError, "x must be whole numbers (int), got dtype float64"),
        ([True], TypeError, "x must be whole numbers (int), got dtype bool"),
    ],
)
def test_whole_numbers_out_of_bounds_are_refused(value, error, message):
    with refused(error, message):
        checks.whole_array("x", value, "T", at_least=2, at_most=9)


def test_a_whole_number_that_int64_cannot_hold_is_refused():
    with refused(ValueError, "x must be at most 9223372036854775807 everywhere, got 18446744"):
        checks.whole_array("x", np.array([2**64 - 1], np.uint64), "T")

    np.testing.assert_array_equal(checks.whole_array("x", [-(2**63)], "T"), [-(2**63)])


@pytest.mark.parametrize("value", [[True, False], [1, 0], np.array([1, 0], np.uint8)])
def test_a_mask_is_of_booleans_or_of_0_and_1(value):
    mask = checks.mask_array("mask", value, "T")

    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, [True, False])


def test_other_numbers_are_no_mask():
    with refused(ValueError, "mask must hold 0 and 1 only, got 2"):
        checks.mask_array("mask", [0, 2], "T")
    with refused(ValueError, "mask must hold 0 and 1 only, got -1"):
        checks.mask_array("mask", [1, -1], "T")
    with refused(TypeError, "mask must be booleans, or 0 and 1, got dtype float64"):
        checks.mask_array("mask", [1.0, 0.0], "T")


@pytest.mark.parametrize("value", [2**53 - 1, 1 - 2**53, 0, 0.5, np.float32(3), [[1], [2]], []])
def test_positions_below_2_to_the_53_are_exact(value):
    positions = checks.exact_positions("p", value)

    assert positions.dtype == np.float64
    np.testing.assert_array_equal(positions, value)


@pytest.mark.parametrize("value", [2**53, -(2.0**53), np.nan, [0, np.inf]])
def test_positions_that_float64_cannot_tell_apart_are_refused(value):
    with refused(ValueError, "p must be finite and less than 2**53 in size, got "):
        checks.exact_positions("p", value)


def test_positions_are_numbers():
    with refused(TypeError, "p must be numbers (int or float), got dtype bool"):
        checks.exact_positions("p", [True])
    with refused(ValueError, "p must be finite and less than 2**53 in size, got inf"):
        checks.exact_positions("p", [1.0, np.inf])
