"""The sinusoidal table: by hand, by property, by second routes, against real models, on bad input.

The second routes are 50-digit arithmetic, the printed formula in NumPy, and the formula at single
positions; then memory and time.
"""

import functools
import itertools
import math
import re
import time
import tracemalloc
from decimal import Decimal

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import embed, sinusoidal_at, sinusoidal_inv_freq, sinusoidal_shift, sinusoidal_table
from tests.recorded import load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
EXACT = mpmath.mp.clone()
EXACT.dps = 50

CONVENTIONS = [
    {"layout": layout, "exponent": exponent, "order": order}
    for layout, exponent, order in itertools.product(
        ["interleaved", "concatenated"], ["paper", "tensor2tensor"], ["sin_cos", "cos_sin"]
    )
]
TABLES = [case for case in load("sinusoidal") if "table" in case.outputs]

conventions = st.sampled_from(CONVENTIONS)
widths = st.sampled_from([2, 4, 6, 10, 64, 130])
bases = st.sampled_from([1.0, 10.0, 10000.0, 5e5])


def name_of(convention):
    return " ".join(convention.values())


def made_as(case, **convention):
    """The rows at the positions of a recorded table; in fairseq's the row of padding is zero."""
    ours = sinusoidal_at(case.inputs["positions"], case.outputs["table"].shape[1], **convention)
    if case.note.startswith("row 1 belongs to padding"):
        ours[1] = 0
    return ours


every_convention = pytest.mark.parametrize("convention", CONVENTIONS, ids=name_of)


def similarity(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def mean_cosine(distance, d_model):
    """What the similarity of two rows of the printed formula comes to, by sin² + cos² = 1."""
    n_pairs = d_model // 2
    return sum(math.cos(distance / 10000 ** (i / n_pairs)) for i in range(n_pairs)) / n_pairs


# By hand


def test_three_rows_of_width_four():
    """sin 1, cos 1, sin 0.01, cos 0.01, then the same of 2 and 0.02."""
    expected = [
        [0, 1, 0, 1],
        [0.841471, 0.540302, 0.010000, 0.999950],
        [0.909297, -0.416147, 0.019999, 0.999800],
    ]

    np.testing.assert_allclose(sinusoidal_table(3, 4), expected, atol=5e-7)


def test_row_zero_is_zeros_and_ones_without_a_sign():
    row = sinusoidal_table(1, 6)

    np.testing.assert_array_equal(row, [[0, 1, 0, 1, 0, 1]])
    assert not np.signbit(row).any()


def test_the_conventions_of_width_four_by_hand():
    def row(**convention):
        return sinusoidal_table(1, 4, start=1, **convention)[0]

    s, c = math.sin(1), math.cos(1)
    slow_s, slow_c = math.sin(0.01), math.cos(0.01)
    last_s, last_c = math.sin(0.0001), math.cos(0.0001)

    np.testing.assert_allclose(row(), [s, c, slow_s, slow_c])
    np.testing.assert_allclose(row(order="cos_sin"), [c, s, slow_c, slow_s])
    np.testing.assert_allclose(row(layout="concatenated"), [s, slow_s, c, slow_c])
    np.testing.assert_allclose(row(layout="concatenated", order="cos_sin"), [c, slow_c, s, slow_s])
    np.testing.assert_allclose(row(exponent="tensor2tensor"), [s, c, last_s, last_c])


def test_the_well_known_figure_of_width_four_holds_tensor2tensors_number():
    """0.0001 where the printed formula gives 0.010."""
    paper = sinusoidal_table(2, 4)[1, 2]
    tensor2tensor = sinusoidal_table(2, 4, exponent="tensor2tensor")[1, 2]

    assert f"{paper:.3f}" == "0.010"
    assert f"{tensor2tensor:.4f}" == "0.0001"


def test_a_single_pair_has_frequency_one_in_both_exponents():
    expected = [[0, 1], [math.sin(1), math.cos(1)]]

    np.testing.assert_allclose(sinusoidal_table(2, 2), expected)
    np.testing.assert_allclose(sinusoidal_table(2, 2, exponent="tensor2tensor"), expected)


def test_frequencies_by_hand():
    np.testing.assert_array_equal(sinusoidal_inv_freq(6, base=1000), [1, 0.1, 0.01])
    np.testing.assert_array_equal(
        sinusoidal_inv_freq(6, base=100, exponent="tensor2tensor"), [1, 0.1, 0.01]
    )


def test_base_one_turns_every_pair_alike():
    table = sinusoidal_table(3, 6, base=1)

    np.testing.assert_array_equal(table[:, 0:2], table[:, 2:4])


def test_a_shift_by_nothing_is_the_identity():
    np.testing.assert_array_equal(sinusoidal_shift(0, 6), np.eye(6))


def test_no_positions_give_an_empty_table():
    assert sinusoidal_table(0, 4).shape == (0, 4)
    assert sinusoidal_table(0, 4, layout="concatenated").shape == (0, 4)
    assert sinusoidal_at([], 4).shape == (0, 4)


def test_a_single_position_gives_a_single_row():
    np.testing.assert_allclose(sinusoidal_at(1, 4), sinusoidal_table(2, 4)[1])


def test_leading_axes_are_kept():
    positions = [[[0, 1, 2]], [[5, 5, 0.5]]]

    rows = sinusoidal_at(positions, 4)

    assert rows.shape == (2, 1, 3, 4)
    np.testing.assert_array_equal(rows[1, 0, 2], sinusoidal_at(0.5, 4))


# By property


@BOUNDED
@given(st.integers(-(10**9), 10**9), widths, conventions, bases)
def test_every_row_has_length_root_of_half_the_width(start, d_model, convention, base):
    table = sinusoidal_table(5, d_model, start=start, base=base, **convention)

    np.testing.assert_allclose((table**2).sum(axis=1), d_model / 2, rtol=1e-14)


@BOUNDED
@given(st.integers(-(10**6), 10**6), st.integers(-500, 500), widths, conventions, bases)
def test_the_shift_by_k_takes_every_row_k_tokens_on(start, k, d_model, convention, base):
    shift = sinusoidal_shift(k, d_model, base=base, **convention)

    before = sinusoidal_table(7, d_model, start=start, base=base, **convention)
    after = sinusoidal_table(7, d_model, start=start + k, base=base, **convention)

    np.testing.assert_allclose(before @ shift.T, after, rtol=0, atol=3e-15)


@BOUNDED
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), widths, conventions)
def test_shifts_are_rotations_that_add_up(j, k, d_model, convention):
    first = sinusoidal_shift(j, d_model, **convention)
    second = sinusoidal_shift(k, d_model, **convention)

    np.testing.assert_allclose(first @ first.T, np.eye(d_model), atol=1e-15)
    together = sinusoidal_shift(j + k, d_model, **convention)
    rounding = np.spacing(abs(j + k))  # of the sum j + k itself
    np.testing.assert_allclose(first @ second, together, rtol=0, atol=1e-15 + rounding)


@BOUNDED
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), widths, conventions)
def test_no_two_positions_share_a_row(p, q, d_model, convention):
    """The first pair alone tells them apart: 2 pi never divides a whole number."""
    rows = sinusoidal_at([p, q], d_model, **convention)

    distance = np.linalg.norm(rows[0] - rows[1])
    assert (distance > 1e-7) == (p != q)


@BOUNDED
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 5000), widths, conventions)
def test_dot_products_depend_on_the_distance_alone(p, q, k, d_model, convention):
    at = functools.partial(sinusoidal_at, d_model=d_model, **convention)

    np.testing.assert_allclose(at(p) @ at(p + k), at(q) @ at(q + k), atol=1e-13)
    np.testing.assert_allclose(at(p) @ at(p + k), at(p) @ at(p - k), atol=1e-13)
    cosines = np.cos(k * sinusoidal_inv_freq(d_model, exponent=convention["exponent"]))
    np.testing.assert_allclose(at(p) @ at(p + k), cosines.sum(), atol=1e-11)


@BOUNDED
@given(st.integers(-(10**6), 10**6), widths, st.sampled_from(["paper", "tensor2tensor"]))
def test_layouts_and_orders_are_permutations_of_each_other(start, d_model, exponent):
    table = functools.partial(sinusoidal_table, 9, d_model, start=start, exponent=exponent)
    two_halves = np.r_[0:d_model:2, 1:d_model:2]
    swapped = np.arange(d_model) ^ 1

    close = functools.partial(np.testing.assert_allclose, rtol=0, atol=1e-15)
    plain = table()
    close(table(layout="concatenated"), plain[:, two_halves])
    close(table(order="cos_sin"), plain[:, swapped])
    close(table(layout="concatenated", order="cos_sin"), plain[:, swapped][:, two_halves])


def test_exponents_are_no_permutation_of_each_other():
    paper = sinusoidal_table(2, 8)[1]
    tensor2tensor = sinusoidal_table(2, 8, exponent="tensor2tensor")[1]

    assert np.abs(np.sort(paper) - np.sort(tensor2tensor)).max() > 0.01


@BOUNDED
@given(
    st.integers(-3000, 3000),
    st.integers(1, 200),
    st.sampled_from([2, 6, 128, 2050]),
    conventions,
    st.sampled_from(["float32", "float64"]),
)
def test_a_position_has_the_same_numbers_in_every_table(start, n, d_model, convention, dtype):
    table = functools.partial(sinusoidal_table, d_model=d_model, dtype=dtype, **convention)

    whole = table(n + 40, start=start - 17)

    np.testing.assert_array_equal(table(n, start=start), whole[17 : 17 + n])


def test_a_table_around_zero_is_mirrored():
    """Sine is odd and cosine even; relative tables of n - 1, ..., -(n - 1) rest on it."""
    table = sinusoidal_table(201, 32, start=-100)

    np.testing.assert_array_equal(table[100], sinusoidal_table(1, 32)[0])
    np.testing.assert_allclose(table[::-1, 0::2], -table[:, 0::2], rtol=0, atol=1e-15)
    np.testing.assert_allclose(table[::-1, 1::2], table[:, 1::2], rtol=0, atol=1e-15)


# By a second route

SPOTS = [0, 1000, 100_000, 1_000_000, 10_000_000]
ROWS = 6
BOUND = {"float32": 2e-7, "float64": 1e-15}


@functools.cache
def exact_sines_and_cosines(position, d_model, exponent, base=10000):
    """The formula with 50 digits. float64 then adds 6e-17 at most."""
    n_pairs = d_model // 2
    steps = n_pairs if exponent == "paper" else max(n_pairs - 1, 1)
    angles = [EXACT.mpf(position) / EXACT.power(base, EXACT.mpf(i) / steps) for i in range(n_pairs)]
    return [EXACT.sin(a) for a in angles], [EXACT.cos(a) for a in angles]


def exact_row(position, d_model, layout, exponent, order):
    sines, cosines = exact_sines_and_cosines(position, d_model, exponent)
    first, second = (sines, cosines) if order == "sin_cos" else (cosines, sines)
    if layout == "concatenated":
        return first + second
    return [value for pair in zip(first, second, strict=True) for value in pair]


def largest_error(rows, positions, convention):
    return max(
        abs(exact - float(value))
        for row, position in zip(rows, positions, strict=True)
        for value, exact in zip(row, exact_row(position, len(row), **convention), strict=True)
    )


@every_convention
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_table_is_as_exact_as_stated_up_to_ten_million(convention, dtype):
    for start in SPOTS:
        table = sinusoidal_table(ROWS, 64, start=start, dtype=dtype, **convention)

        assert table.dtype == dtype
        assert largest_error(table, range(start, start + ROWS), convention) <= BOUND[dtype]


@every_convention
def test_the_table_is_exact_to_the_far_end(convention):
    start = 2**53 - 3
    for sign in (1, -1):
        table = sinusoidal_table(3, 32, start=sign * start, **convention)
        positions = range(sign * start, sign * start + 3)

        assert largest_error(table, positions, convention) <= 1e-15


@every_convention
@pytest.mark.parametrize(("dtype", "bound"), [("float32", 6e-8), ("float64", 4e-16)])
def test_single_positions_are_exact_fractional_ones_too(convention, dtype, bound):
    positions = [0, 0.5, -2.25, 999.75, 1e5 + 0.125, 1e7 - 0.5, -1e7, 2.0**53 - 1]

    rows = sinusoidal_at(positions, 32, dtype=dtype, **convention)

    assert rows.dtype == dtype
    assert largest_error(rows, positions, convention) <= bound


@every_convention
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("n", "d_model", "start"),
    [(40_000, 4, 0), (5000, 128, 9_998_000), (700, 2048, -350), (40, 8200, 10**6), (1, 2, 5)],
)
def test_a_long_table_is_the_formula_at_single_positions(convention, dtype, n, d_model, start):
    """Shapes that need many blocks, several spans, two tiles, and one row."""
    table = sinusoidal_table(n, d_model, start=start, dtype=dtype, **convention)

    chosen = np.unique(np.linspace(0, n - 1, 500).astype(int))
    singly = sinusoidal_at(start + chosen, d_model, **convention)
    assert np.abs(table[chosen] - singly).max() <= BOUND[dtype]


@every_convention
@pytest.mark.parametrize("d_model", [2, 6, 64])
def test_the_printed_formula_in_numpy_gives_the_same(convention, d_model):
    """Its angles are rounded to float64, so it can be compared at small positions only."""
    position = np.arange(50)[:, None]
    i = np.arange(d_model // 2)
    steps = d_model / 2 if convention["exponent"] == "paper" else max(d_model / 2 - 1, 1)
    angle = position / 10000 ** (i / steps)
    pair = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    if convention["order"] == "cos_sin":
        pair = pair[..., ::-1]
    if convention["layout"] == "concatenated":
        pair = np.swapaxes(pair, 1, 2)

    expected = pair.reshape(50, d_model)

    np.testing.assert_allclose(
        sinusoidal_table(50, d_model, **convention), expected, rtol=0, atol=1e-14
    )


@every_convention
@pytest.mark.parametrize("base", [10.0, 5e5])
def test_another_base_goes_through_table_and_formula_alike(convention, base):
    table = sinusoidal_table(300, 20, start=10**6, base=base, **convention)

    singly = sinusoidal_at(np.arange(10**6, 10**6 + 300), 20, base=base, **convention)
    np.testing.assert_allclose(table, singly, rtol=0, atol=1e-15)
    first = sinusoidal_at(1.0, 4, base=base)
    np.testing.assert_allclose(first[2], math.sin(base**-0.5))


def test_out_is_written_and_returned():
    for layout, dtype in itertools.product(["interleaved", "concatenated"], ["f4", "f8"]):
        out = np.full((50, 6), np.nan, dtype)

        result = sinusoidal_table(50, 6, layout=layout, start=7, dtype=dtype, out=out)

        assert result is out
        np.testing.assert_array_equal(
            out, sinusoidal_table(50, 6, layout=layout, start=7, dtype=dtype)
        )


def test_rows_of_a_larger_array_can_be_written():
    whole = np.zeros((30, 4))

    sinusoidal_table(10, 4, out=whole[10:20])

    np.testing.assert_array_equal(whole[10:20], sinusoidal_table(10, 4))
    assert not whole[:10].any()
    assert not whole[20:].any()


# Published values, and real models


def test_the_longest_wavelength_is_not_the_base_times_two_pi():
    """The progression stops one step short of the base, except in tensor2tensor."""
    longest = 2 * np.pi / sinusoidal_inv_freq(512)[-1]

    np.testing.assert_allclose(longest, 2 * np.pi * 10000 ** (510 / 512), rtol=1e-14)
    assert f"{longest:,.0f}" == "60,611"
    tensor2tensor = 2 * np.pi / sinusoidal_inv_freq(512, exponent="tensor2tensor")[-1]
    assert f"{tensor2tensor:,.0f}" == "62,832"


def test_length_is_16_at_width_512():
    np.testing.assert_allclose(np.linalg.norm(sinusoidal_table(100, 512), axis=1), 16)


def test_neighbours_are_more_alike_than_distant_positions_at_width_64():
    table = sinusoidal_table(61, 64)

    assert f"{similarity(table[10], table[11]):.3f}" == f"{mean_cosine(1, 64):.3f}" == "0.966"
    assert f"{similarity(table[10], table[60]):.3f}" == f"{mean_cosine(50, 64):.3f}" == "0.490"


def test_similarity_is_not_monotone_at_width_four():
    table = sinusoidal_table(9, 4)

    shown = [f"{similarity(table[0], row):.3f}" for row in table]

    by_formula = [f"{mean_cosine(k, 4):.3f}" for k in range(9)]
    published = "1.000 0.770 0.292 0.005 0.173 0.641 0.979 0.876 0.426"
    assert shown == by_formula == published.split()


def test_the_fastest_pair_nearly_repeats_after_710_tokens():
    """710 is close to 226 pi (355/113 is close to pi), which a single pair cannot tell from 0."""
    table = sinusoidal_table(711, 2)

    rest = float(710 - 226 * EXACT.pi)
    assert 0 < rest < 1e-4
    np.testing.assert_allclose(np.linalg.norm(table[710] - table[0]), rest, rtol=1e-9)


each_table = pytest.mark.parametrize("case", TABLES, ids=lambda case: case.name)


@each_table
def test_tables_are_those_of_released_models(case):
    """Recorded in float32. Their float32 frequencies and angles put them off by up to 3e-7."""
    recorded = case.outputs["table"]

    ours = made_as(case, **case.inputs["convention"])

    np.testing.assert_allclose(ours, recorded, rtol=0, atol=3e-7)


@each_table
def test_no_other_convention_gives_the_table_of_a_released_model(case):
    """So that the comparison above can tell conventions apart."""
    defaults = {"layout": "interleaved", "exponent": "paper", "order": "sin_cos"}
    right = defaults | case.inputs["convention"]

    matching = [
        convention
        for convention in CONVENTIONS
        if np.allclose(made_as(case, **convention), case.outputs["table"], rtol=0, atol=1e-3)
    ]

    assert matching == [right]


def test_the_golden_tables_cover_every_kind_of_model():
    used = {name_of({"layout": "interleaved", **case.inputs["convention"]}) for case in TABLES}

    assert used == {
        "interleaved",
        "concatenated",
        "concatenated tensor2tensor",
        "concatenated tensor2tensor cos_sin",
    }


def test_an_encoder_that_adds_its_table_to_scaled_embeddings_gives_what_marian_gives():
    """Float32, and embeddings of size 1: an entry has 7 digits."""
    [case] = [case for case in load("sinusoidal") if "hidden" in case.outputs]
    table = case.inputs["table"]
    d_model = table.shape[1]

    tokens = embed(case.inputs["token_ids"], table, scale=True)
    hidden = tokens + sinusoidal_table(tokens.shape[-2], d_model, layout="concatenated")

    np.testing.assert_allclose(hidden, case.outputs["hidden"], rtol=0, atol=5e-7)


# Memory and time


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize(
    ("shape", "dtype", "working_memory"),
    [
        ((8192, 1024), "f4", 1.3e6),
        ((4096, 1024), "f8", 1.3e6),
        ((65536, 128), "f4", 1.3e6),
        ((2048, 4096), "f4", 1.3e6),
        ((512, 16384), "f4", 3e6),  # several tiles
    ],
)
def test_peak_memory_is_little_more_than_the_result(shape, dtype, working_memory, layout):
    tracemalloc.start()
    try:
        table = sinusoidal_table(*shape, dtype=dtype, layout=layout)
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        sinusoidal_table(*shape, dtype=dtype, layout=layout, out=table)
        extra = tracemalloc.get_traced_memory()[1] - held
    finally:
        tracemalloc.stop()

    assert table.nbytes == 2**25
    assert peak <= 1.1 * table.nbytes
    assert extra <= working_memory


def test_a_large_table_costs_a_few_times_what_memory_costs():
    """The goal is 2; a sine for every entry costs 20, so 8 tells the two apart on any machine.

    The best of several rounds is compared: other work on the machine can only lengthen a round.
    64 MB come fresh from the system every time. An allocator may hand out 16 MB again that were
    just freed, and filling those is several times quicker than filling fresh memory.
    """
    shape, dtype = (16384, 1024), np.float32

    def fill():
        np.empty(shape, dtype).fill(1)

    def plain():
        sinusoidal_table(*shape, dtype=dtype)

    best = dict.fromkeys((fill, plain), math.inf)
    for _ in range(7):
        for work in best:
            begin = time.perf_counter()
            work()
            best[work] = min(best[work], time.perf_counter() - begin)

    assert best[plain] / best[fill] < 8


# On bad input

ARRANGEMENT = [
    (
        {"d_model": 5},
        ValueError,
        "d_model must be even and at least 2 (features go in pairs), got 5",
    ),
    ({"d_model": 0}, ValueError, "d_model must be even and at least 2"),
    ({"d_model": -4}, ValueError, "d_model must be even and at least 2"),
    ({"d_model": 4.0}, TypeError, "d_model must be a whole number (int), got 4.0 (float)"),
    ({"d_model": True}, TypeError, "d_model must be a whole number (int), got True (bool)"),
    ({"d_model": "4"}, TypeError, "d_model must be a whole number (int), got '4' (str)"),
    ({"base": 0}, ValueError, "base must be at least 1, got 0"),
    ({"base": -10000.0}, ValueError, "base must be at least 1, got -10000.0"),
    ({"base": 0.0001}, ValueError, "base must be at least 1, got 0.0001"),
    ({"base": math.nan}, ValueError, "base must be finite, got nan"),
    ({"base": math.inf}, ValueError, "base must be finite, got inf"),
    ({"base": 10**400}, ValueError, "base must be finite, got 1000"),
    ({"base": True}, TypeError, "base must be a number (int or float), got True (bool)"),
    ({"base": "10000"}, TypeError, "base must be a number (int or float), got '10000' (str)"),
    ({"base": None}, TypeError, "base must be a number (int or float), got None (NoneType)"),
    ({"base": Decimal(10)}, TypeError, "base must be a number (int or float)"),
    ({"base": 1j}, TypeError, "base must be a number (int or float), got 1j (complex)"),
    (
        {"exponent": "t2t"},
        ValueError,
        "exponent must be one of 'paper', 'tensor2tensor', got 't2t'",
    ),
    ({"exponent": 2}, TypeError, "exponent must be one of 'paper', 'tensor2tensor', got 2 (int)"),
]
LAYOUTS = [
    *ARRANGEMENT,
    ({"layout": "half"}, ValueError, "layout must be one of 'interleaved', 'concatenated', got 'h"),
    ({"layout": None}, TypeError, "layout must be one of 'interleaved', 'concatenated', got None"),
    ({"order": "sincos"}, ValueError, "order must be one of 'sin_cos', 'cos_sin', got 'sincos'"),
    ({"order": ("sin", "cos")}, TypeError, "order must be one of 'sin_cos', 'cos_sin', got ("),
]
DTYPES = [
    ({"dtype": np.float16}, ValueError, "dtype must be float32 or float64, got float16"),
    ({"dtype": int}, ValueError, "dtype must be float32 or float64, got int64"),
    ({"dtype": complex}, ValueError, "dtype must be float32 or float64, got complex128"),
    ({"dtype": ">f8"}, ValueError, "dtype must be float32 or float64, got >f8"),
    ({"dtype": np.longdouble}, ValueError, "dtype must be float32 or float64, got "),
    ({"dtype": None}, TypeError, "dtype must be float32 or float64, got None"),
    ({"dtype": "bfloat16"}, TypeError, "dtype must be float32 or float64, got 'bfloat16' (str)"),
]


def read_only():
    array = np.empty((3, 4))
    array.flags.writeable = False
    return array


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *LAYOUTS,
        *DTYPES,
        ({"n_positions": -1}, ValueError, "n_positions must be at least 0, got -1"),
        ({"n_positions": 2.0}, TypeError, "n_positions must be a whole number (int), got 2.0"),
        ({"n_positions": True}, TypeError, "n_positions must be a whole number (int), got True"),
        ({"start": 0.5}, TypeError, "start must be a whole number (int), got 0.5 (float)"),
        ({"start": False}, TypeError, "start must be a whole number (int), got False (bool)"),
        (
            {"start": 2**53 - 2},
            ValueError,
            "start must satisfy |start| + n_positions <= 2**53, "
            "got start 9007199254740990 with n_positions 3",
        ),
        ({"start": -(2**53)}, ValueError, "start must satisfy |start| + n_positions <= 2**53"),
        ({"out": np.empty((4, 3))}, ValueError, "out must have shape (3, 4), got (4, 3)"),
        ({"out": np.empty(12)}, ValueError, "out must have shape (3, 4), got (12,)"),
        (
            {"out": np.empty((3, 4), np.float32)},
            TypeError,
            "out must have dtype float64, as the argument says, got float32",
        ),
        (
            {"out": np.empty((3, 4)), "dtype": np.float32},
            TypeError,
            "out must have dtype float32, as the argument says, got float64",
        ),
        ({"out": [[0.0] * 4] * 3}, TypeError, "out must be a NumPy array, got [[0.0, 0.0, 0.0"),
        (
            {"out": np.empty((4, 3)).T},
            ValueError,
            "out must be C-contiguous, got strides (8, 24)",
        ),
        (
            {"out": np.empty((3, 8))[:, ::2]},
            ValueError,
            "out must be C-contiguous, got strides (64, 16)",
        ),
        ({"out": read_only()}, ValueError, "out must be writeable, got a read-only array"),
    ],
)
def test_a_bad_argument_of_the_table_is_named(changed, error, message):
    with refused(error, message):
        sinusoidal_table(**{"n_positions": 3, "d_model": 4, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *LAYOUTS,
        *DTYPES,
        ({"positions": [0, math.nan]}, ValueError, "positions must be finite and less than 2**53"),
        ({"positions": [math.inf]}, ValueError, "less than 2**53 in size, got inf"),
        ({"positions": -math.inf}, ValueError, "less than 2**53 in size, got -inf"),
        ({"positions": [1, 2**53]}, ValueError, "less than 2**53 in size, got 9007199254740992.0"),
        ({"positions": 2.0**60}, ValueError, "positions must be finite and less than 2**53"),
        (
            {"positions": [2**70]},
            TypeError,
            "positions must be numbers (int or float), got dtype o",
        ),
        ({"positions": [None]}, TypeError, "positions must be numbers (int or float), got dtype o"),
        ({"positions": [1j]}, TypeError, "positions must be numbers (int or float), got dtype c"),
        ({"positions": [True]}, TypeError, "positions must be numbers (int or float), got dtype b"),
        ({"positions": "1"}, TypeError, "positions must be numbers (int or float), got dtype <U1"),
        (
            {"positions": [[0, 1], [2]]},
            ValueError,
            "positions must be one array, got [[0, 1], [2]]",
        ),
    ],
)
def test_a_bad_argument_of_the_formula_is_named(changed, error, message):
    with refused(error, message):
        sinusoidal_at(**{"positions": [0, 1], "d_model": 4, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *LAYOUTS,
        ({"k": math.nan}, ValueError, "k must be finite, got nan"),
        ({"k": 2**53}, ValueError, "k must be less than 2**53 in size, got 9007199254740992"),
        ({"k": "1"}, TypeError, "k must be a number (int or float), got '1' (str)"),
        ({"k": True}, TypeError, "k must be a number (int or float), got True (bool)"),
        ({"k": [1, 2]}, TypeError, "k must be a number (int or float), got [1, 2] (list)"),
    ],
)
def test_a_bad_argument_of_the_shift_is_named(changed, error, message):
    with refused(error, message):
        sinusoidal_shift(**{"k": 1, "d_model": 4, **changed})


@pytest.mark.parametrize(("changed", "error", "message"), ARRANGEMENT)
def test_a_bad_argument_of_the_frequencies_is_named(changed, error, message):
    with refused(error, message):
        sinusoidal_inv_freq(**{"d_model": 4, **changed})


def test_numbers_of_numpy_are_numbers():
    np.testing.assert_array_equal(
        sinusoidal_table(np.int64(3), np.uint16(4), base=np.float32(10000), start=np.int8(-1)),
        sinusoidal_table(3, 4, start=-1),
    )


def test_a_refused_call_leaves_out_alone():
    out = np.full((3, 4), 7.0)

    with pytest.raises(ValueError, match="layout"):
        sinusoidal_table(3, 4, layout="half", out=out)

    assert (out == 7).all()


def test_a_shift_has_the_base_of_the_table_if_none_is_given():
    np.testing.assert_array_equal(sinusoidal_shift(7, 4), sinusoidal_shift(7, 4, base=10000))
