"""Rotary positions: by hand, by property, by second routes, against real models, on bad input.

The second routes are 50-digit arithmetic, rotation matrices, complex numbers, and the fast route
that writes into `out`. Case numbers such as PE-01 are reports from users of other implementations.
"""

import functools
import itertools
import math
import re
import time
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import (
    Rotation,
    apply_rotary,
    rotary_cos_sin,
    rotary_inv_freq,
    undo_rotary,
)
from posenc_ref.rotary import _are_runs
from tests.recorded import each_case
from tests.rotary_layers import K, Q, attention_of, recorded_frequencies, recorded_rotation

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
EXACT = mpmath.mp.clone()
EXACT.dps = 50

LAYOUTS = ["half", "interleaved", "interleaved_to_half"]
WHERE = ["leading", "trailing"]
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
every_place = pytest.mark.parametrize("where", WHERE)

layouts = st.sampled_from(LAYOUTS)
places = st.sampled_from(WHERE)


def vectors(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def rotation_at(positions, width, base=10000.0, **options):
    return rotary_cos_sin(positions, rotary_inv_freq(width, base), **options)


def turned_at(x, position, layout, base=10000.0):
    """One vector at one position."""
    x = np.asarray(x)
    return apply_rotary(x[None], rotation_at([position], len(x), base), layout=layout)[0]


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


# By hand


def test_frequencies_by_hand():
    np.testing.assert_array_equal(rotary_inv_freq(8), [1, 0.1, 0.01, 0.001])
    np.testing.assert_array_equal(rotary_inv_freq(6, base=1000), [1, 0.1, 0.01])
    np.testing.assert_array_equal(rotary_inv_freq(2), [1])
    np.testing.assert_array_equal(rotary_inv_freq(4, base=1), [1, 1])


def test_cosines_and_sines_of_three_positions():
    cos, sin = rotation_at([0, 1, 2], 4)

    np.testing.assert_allclose(cos, [[1, 1], [0.540302, 0.99995], [-0.416147, 0.9998]], atol=5e-7)
    np.testing.assert_allclose(sin, [[0, 0], [0.841471, 0.01], [0.909297, 0.019999]], atol=5e-7)


def test_a_quarter_turn_in_each_layout():
    quarter = Rotation(np.zeros((1, 2)), np.ones((1, 2)))
    turned = functools.partial(apply_rotary, [[1, 2, 3, 4]], quarter)

    np.testing.assert_array_equal(turned(layout="half"), [[-3, -4, 1, 2]])
    np.testing.assert_array_equal(turned(layout="interleaved"), [[-2, 1, -4, 3]])
    np.testing.assert_array_equal(turned(layout="interleaved_to_half"), [[-2, -4, 1, 3]])


def test_a_quarter_turn_of_part_of_a_head():
    quarter = Rotation(np.zeros((1, 2)), np.ones((1, 2)))
    turned = functools.partial(apply_rotary, [[1, 2, 3, 4, 5]], quarter)

    np.testing.assert_array_equal(turned(layout="half"), [[-3, -4, 1, 2, 5]])
    np.testing.assert_array_equal(turned(layout="half", where="trailing"), [[1, -4, -5, 2, 3]])
    np.testing.assert_array_equal(
        turned(layout="interleaved", where="trailing"), [[1, -3, 2, -5, 4]]
    )
    np.testing.assert_array_equal(
        turned(layout="interleaved_to_half", where="trailing"), [[1, -3, -5, 2, 4]]
    )


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("half", [-1.9841106486, 1.9599006675, 2.4623779024, 4.0197996683]),
        ("interleaved", [-1.1426396637, 1.9220755965, 2.9598506679, 4.0297995017]),
    ],
)
def test_pe_01_the_first_token_is_alike_in_both_layouts_and_the_second_is_not(layout, expected):
    x = [1.0, 2.0, 3.0, 4.0]

    turned = apply_rotary([x, x], rotation_at([0, 1], 4), layout=layout)

    np.testing.assert_allclose(turned, [x, expected], rtol=0, atol=1e-9)


def test_pe_05_one_table_entry_serves_both_features_of_a_pair():
    """Tables that repeat angles for the other layout turn nothing: the length changes."""
    x = np.array([1.0, 2.0, 3.0, 4.0])
    rotated_half = np.concatenate([-x[2:], x[:2]])
    repeated = np.array([1, 1, 0.01, 0.01])
    mixed = x * np.cos(repeated) + rotated_half * np.sin(repeated)

    turned = turned_at(x, 1, "half")

    np.testing.assert_allclose(np.linalg.norm(turned), 5.4772255751, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(mixed), 5.8632057844, atol=1e-9)


def test_pe_06_interleaved_to_half_differs_from_interleaved_by_the_places_alone():
    interleaved = [-1.2722325127, -1.8388649851, 1.6839286407, 4.7079065765]
    interleaved += [4.8177771675, 6.1472777035, 6.975968536, 8.0209639685]
    x = np.arange(1.0, 9)

    np.testing.assert_allclose(turned_at(x, 3, "interleaved"), interleaved, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        turned_at(x, 3, "interleaved_to_half"),
        interleaved[0::2] + interleaved[1::2],
        rtol=0,
        atol=1e-9,
    )


def test_pe_28_linear_scaling_divides_the_angle():
    frequencies = rotary_inv_freq(4) / 4

    cos, sin = rotary_cos_sin([8], frequencies)

    np.testing.assert_allclose(cos, [[math.cos(2), math.cos(0.02)]], rtol=1e-15)
    np.testing.assert_allclose(sin, [[math.sin(2), math.sin(0.02)]], rtol=1e-14)


def test_pe_52_a_call_does_not_see_the_offset_of_an_earlier_one():
    first = turned_at([1.0, 2, 3, 4], 0, "half")
    second = turned_at([1.0, 2, 3, 4], 5, "half")

    np.testing.assert_array_equal(first, [1, 2, 3, 4])
    expected = [3.1604350095, 1.7975838437, -0.1079377183, 4.0949593801]
    np.testing.assert_allclose(second, expected, rtol=0, atol=1e-9)


def test_pe_54_keys_of_another_base_have_no_distance_to_the_query():
    def score(q_position, k_position, q_base, k_base):
        q = turned_at(Q, q_position, "half", q_base)
        return q @ turned_at(K, k_position, "half", k_base)

    late, early = 43267.487109, 10000.0
    for q_position, k_position in [(4000, 3990), (4095, 4085)]:
        same = score(q_position, k_position, late, late)
        np.testing.assert_allclose(same, -2.938365814, atol=1e-6)
    np.testing.assert_allclose(score(4000, 3990, late, early), 0.1149813656, atol=1e-6)
    np.testing.assert_allclose(score(4095, 4085, late, early), 1.9005152692, atol=1e-6)


@every_layout
def test_pe_57_every_row_of_a_batch_is_turned(layout):
    x = np.array([[[1.0, 2, 3, 4]], [[1.0, 2, 3, 4]]])  # two rows of one token

    together = apply_rotary(x, rotation_at([5], 4), layout=layout)

    np.testing.assert_array_equal(together[0], together[1])
    np.testing.assert_array_equal(together[0, 0], turned_at([1.0, 2, 3, 4], 5, layout))
    if layout == "half":
        expected = [3.1604350095, 1.7975838437, -0.1079377183, 4.0949593801]
        np.testing.assert_allclose(together[1, 0], expected, rtol=0, atol=1e-9)


@every_layout
def test_pe_59_positions_shifted_together_leave_the_score(layout):
    def score(shift):
        return turned_at(Q, 7 + shift, layout) @ turned_at(K, 3 + shift, layout)

    np.testing.assert_allclose(score(50), score(0), rtol=0, atol=1e-12)


def test_pe_73_float32_angles_are_wider_than_float16_ones():
    """float16 gives the angle 1045.0, and one cosine below position 2048 is off by 0.78."""
    frequencies = rotary_inv_freq(32)
    cos, sin = rotary_cos_sin([1857], frequencies, dtype=np.float32, angles=np.float32)

    np.testing.assert_allclose(1857 * frequencies[1], 1044.2678, atol=1e-4)
    np.testing.assert_allclose(cos[0, 1], math.cos(1044.2678), atol=1e-4)
    np.testing.assert_allclose(sin[0, 1], math.sin(1044.2678), atol=1e-4)


@pytest.mark.parametrize("length", [512, 2048, 4096])
def test_pe_75_float32_angles_keep_the_phase_that_bfloat16_frequencies_lose(length):
    frequencies = rotary_inv_freq(128)
    in_float32 = rotary_cos_sin([length - 1], frequencies, dtype=np.float32, angles=np.float32)
    exact = rotary_cos_sin([length - 1], frequencies)

    phases = [np.angle(cos + 1j * sin) for cos, sin in (in_float32, exact)]

    error = np.abs(np.angle(np.exp(1j * (phases[0] - phases[1])))).max()
    assert error < 0.003


def test_a_frequency_of_zero_turns_nothing():
    """Proportional RoPE has such pairs. No sign of a zero is left either."""
    for positions in ([0, 1, 2, 3], [5, 2], [-3, -2], [-0.5]):
        for dtype in (np.float32, np.float64):
            cos, sin = rotary_cos_sin(positions, [1.0, 0.0], dtype=dtype, attention_factor=1.25)

            np.testing.assert_array_equal(cos[:, 1], 1.25)
            np.testing.assert_array_equal(sin[:, 1], 0)


def test_no_tokens_give_empty_results():
    rotation = rotation_at([], 4)

    assert rotation.cos.shape == rotation.sin.shape == (0, 2)
    assert rotation_at(np.empty((0, 3)), 4).cos.shape == (0, 3, 2)
    assert rotation_at(np.empty((3, 0)), 4).cos.shape == (3, 0, 2)
    for layout in LAYOUTS:
        assert apply_rotary(np.empty((2, 0, 4)), rotation, layout=layout).shape == (2, 0, 4)
        out = np.empty((2, 0, 6))
        assert apply_rotary(np.empty((2, 0, 6)), rotation, layout=layout, out=out) is out
        assert undo_rotary(np.empty((0, 4)), rotation, layout=layout).shape == (0, 4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_attention_factor_that_the_type_holds_is_allowed(dtype):
    for factor in (np.finfo(dtype).tiny, np.finfo(dtype).max):
        for angles in {"float64", dtype}:
            rotation = rotary_cos_sin(
                [0], [1.0], attention_factor=factor, dtype=dtype, angles=angles
            )

            np.testing.assert_array_equal(rotation.cos, [[factor]])


# By property


@BOUNDED
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), layouts)
def test_a_score_depends_on_the_distance_alone(position, shift, layout):
    q, k = vectors(8), vectors(8, seed=1)

    here = turned_at(q, position, layout) @ turned_at(k, position - 7, layout)
    there = turned_at(q, position + shift, layout) @ turned_at(k, position + shift - 7, layout)

    np.testing.assert_allclose(here, there, rtol=0, atol=1e-13)


@BOUNDED
@given(st.floats(-1e6, 1e6), layouts, places, st.floats(0.25, 4))
def test_lengths_grow_by_the_attention_factor_and_by_nothing_else(position, layout, where, factor):
    x = vectors(3, 10)
    rotation = rotation_at([position, 0, 1], 6, attention_factor=factor)
    turning = slice(0, 6) if where == "leading" else slice(4, 10)

    turned = apply_rotary(x, rotation, layout=layout, where=where)[:, turning]

    lengths = np.linalg.norm(x[:, turning], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), factor * lengths, rtol=1e-14)


@BOUNDED
@given(st.integers(-1000, 1000), layouts, places, st.floats(0.25, 4), st.integers(1, 9))
def test_undo_is_the_inverse_from_both_sides(start, layout, where, factor, n_tokens):
    x = vectors(2, n_tokens, 10)
    positions = np.arange(start, start + n_tokens)
    rotation = rotation_at(positions, 8, attention_factor=factor)
    options = {"layout": layout, "where": where}

    there = apply_rotary(x, rotation, **options)
    back = undo_rotary(x, rotation, **options)

    np.testing.assert_allclose(undo_rotary(there, rotation, **options), x, rtol=0, atol=1e-14)
    np.testing.assert_allclose(apply_rotary(back, rotation, **options), x, rtol=0, atol=1e-14)


@BOUNDED
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_turns_add_up(a, b):
    x = vectors(8)

    for layout in ("half", "interleaved"):
        twice = turned_at(turned_at(x, a, layout), b, layout)
        np.testing.assert_allclose(twice, turned_at(x, a + b, layout), rtol=0, atol=1e-14)


@BOUNDED
@given(st.integers(0, 10**6))
def test_the_layouts_are_each_other_in_other_places(position):
    x = vectors(10)
    to_half = np.r_[0:10:2, 1:10:2]

    interleaved = turned_at(x, position, "interleaved")

    np.testing.assert_array_equal(
        turned_at(x, position, "interleaved_to_half"), interleaved[to_half]
    )
    np.testing.assert_array_equal(turned_at(x[to_half], position, "half"), interleaved[to_half])


@BOUNDED
@given(st.integers(-(2**53) + 40, 2**53 - 40), st.integers(2, 30), st.sampled_from("fd"))
def test_a_run_and_its_positions_one_by_one_are_alike(start, n, dtype):
    run = np.arange(start, start + n)
    scattered = rotation_at(run[:, None], 12, dtype=dtype)
    together = rotation_at(run, 12, dtype=dtype)

    for one_by_one, of_run in zip(scattered, together, strict=True):
        bound = {"f": 2e-7, "d": 1e-15}[dtype]
        np.testing.assert_allclose(of_run, one_by_one[:, 0], rtol=0, atol=bound)


def test_runs_and_other_rows_keep_their_places():
    """Row by row: a run, left padding, a run from elsewhere, real numbers, whole steps of 2."""
    rows = [[0, 1, 2, 3], [1, 1, 0, 1], [7, 8, 9, 10], [0.5, 1.5, 2.5, 3.5], [0, 2, 4, 6]]
    positions = np.array(rows)[:, None]  # as for a batch of several heads

    together = rotation_at(positions, 6, attention_factor=1.5)

    assert together.cos.shape == (5, 1, 4, 3)
    for i, row in enumerate(rows):
        for j, position in enumerate(row):
            angle = position * rotary_inv_freq(6)
            np.testing.assert_allclose(together.cos[i, 0, j], 1.5 * np.cos(angle), atol=1e-15)
            np.testing.assert_allclose(together.sin[i, 0, j], 1.5 * np.sin(angle), atol=1e-15)


def test_rows_of_consecutive_whole_positions_are_runs():
    """They alone can be made by angle addition, which is what makes them quick."""
    rows = [[0, 1, 2], [-5, -4, -3], [0.5, 1.5, 2.5], [0, 1, 3], [0, 2, 4], [2, 1, 0], [0, 0, 1]]

    found = _are_runs(np.array(rows, float))

    np.testing.assert_array_equal(found, [True, True] + [False] * 5)
    np.testing.assert_array_equal(_are_runs(np.array([[7.0, 8.0], [7.0, 9.0]])), [True, False])
    np.testing.assert_array_equal(_are_runs(np.array([[7.0], [8.0]])), [False, False])
    assert _are_runs(np.empty((2, 0))).tolist() == [False, False]


# By a second route


def exact_rotation(position, frequency):
    angle = EXACT.mpf(float(position)) * EXACT.mpf(float(frequency))
    return EXACT.cos(angle), EXACT.sin(angle)


def largest_error(rotation, positions, frequencies, factor):
    return max(
        abs(factor * exact - EXACT.mpf(float(ours)))
        for i, position in enumerate(positions)
        for j, frequency in enumerate(frequencies)
        for exact, ours in zip(
            exact_rotation(position, frequency),
            (rotation.cos[i, j], rotation.sin[i, j]),
            strict=True,
        )
    )


@pytest.mark.parametrize(("dtype", "bound"), [("float32", 2e-7), ("float64", 1e-15)])
@pytest.mark.parametrize(
    "positions",
    [
        np.arange(5),
        np.arange(2**24 - 2, 2**24 + 3),
        np.arange(-(10**9), -(10**9) + 5),
        np.arange(2**53 - 5, 2**53),
        np.array([2**53 - 1, -(2**53) + 1, 10**7 + 3, 12345.75, -0.5]),
    ],
    ids=["start", "2^24", "minus 10^9", "the far end", "scattered"],
)
def test_both_tables_are_as_exact_as_stated(positions, dtype, bound):
    """At frequencies above 1 too, which angles of coordinates have."""
    frequencies = np.concatenate([rotary_inv_freq(8, 500000.0), [0.3, 6.283, 97.0]])

    rotation = rotary_cos_sin(positions, frequencies, dtype=dtype, attention_factor=1.25)

    assert rotation.cos.dtype == rotation.sin.dtype == dtype
    assert largest_error(rotation, positions, frequencies, 1.25) <= 1.25 * bound


@pytest.mark.parametrize(("n", "width", "start"), [(5000, 64, 99_000), (3000, 128, -1500)])
@pytest.mark.parametrize(("dtype", "bound"), [("float32", 2e-7), ("float64", 1e-15)])
def test_a_long_run_is_its_positions_one_by_one(n, width, start, dtype, bound):
    """Several blocks of angle addition, and several chunks of single positions."""
    positions = np.arange(start, start + n)

    run = rotation_at(positions, width, dtype=dtype)
    singly = rotation_at(positions[::-1], width)

    assert np.abs(run.cos - singly.cos[::-1]).max() <= bound
    assert np.abs(run.sin - singly.sin[::-1]).max() <= bound


@every_layout
@every_place
def test_a_block_diagonal_matrix_turns_alike(layout, where):
    """Equation 15 of the paper: one 2 x 2 matrix for each pair."""
    frequencies = rotary_inv_freq(6)
    position, head_dim = 11, 8
    offset = 0 if where == "leading" else 2
    matrix = np.eye(head_dim)
    for i, frequency in enumerate(frequencies):
        reads = (i, i + 3) if layout == "half" else (2 * i, 2 * i + 1)
        writes = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + 3)
        c, s = math.cos(position * frequency), math.sin(position * frequency)
        matrix[[offset + row for row in writes]] = 0
        for row, entries in zip(writes, [(c, -s), (s, c)], strict=True):
            for column, entry in zip(reads, entries, strict=True):
                matrix[offset + row, offset + column] = entry
    x = vectors(1, head_dim)

    turned = apply_rotary(x, rotary_cos_sin([position], frequencies), layout=layout, where=where)

    np.testing.assert_allclose(turned, x @ matrix.T, rtol=0, atol=1e-15)


def test_a_complex_product_turns_alike():
    x = vectors(2, 5, 8)
    z = np.exp(1j * np.arange(5)[:, None] * rotary_inv_freq(8))

    turned = apply_rotary(x, rotation_at(np.arange(5), 8), layout="interleaved")

    product = (x[..., 0::2] + 1j * x[..., 1::2]) * z
    np.testing.assert_allclose(turned[..., 0::2], product.real, rtol=0, atol=1e-15)
    np.testing.assert_allclose(turned[..., 1::2], product.imag, rtol=0, atol=1e-15)


SHAPES = [
    (5, 8),
    (1, 2, 1, 8),
    (2, 3, 7, 12),
    (3, 5, 130, 256),  # several pieces of several heads
    (2, 700, 128),  # heads in several pieces
    (40, 2, 3, 1024),
]


@every_layout
@every_place
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rotary_dim", ["all", 4])
def test_out_gets_what_the_plain_route_gives(shape, dtype, rotary_dim, layout, where):
    x = vectors(*shape, dtype=dtype)
    width = shape[-1] if rotary_dim == "all" else rotary_dim
    rotation = rotation_at(np.arange(3, 3 + shape[-2]), width, dtype=dtype, attention_factor=1.25)
    options = {"layout": layout, "where": where}
    out = np.full(shape, np.nan, dtype)

    plain = apply_rotary(x, rotation, **options)
    result = apply_rotary(x, rotation, **options, out=out)
    in_place = x.copy()
    apply_rotary(in_place, rotation, **options, out=in_place)

    assert result is out
    assert plain.dtype == dtype
    rounding = 16 * np.finfo(dtype).eps  # two roundings of products of numbers up to 6
    tolerance = 0 if layout == "half" else rounding
    np.testing.assert_allclose(out, plain, rtol=0, atol=tolerance)
    np.testing.assert_allclose(in_place, plain, rtol=0, atol=tolerance)


@every_layout
@pytest.mark.parametrize("axes", [(2, 1), (1, 3), (2, 3), (1, 1)], ids=str)
def test_rows_and_heads_at_their_own_positions(layout, axes):
    """Both routes, against one matrix of tokens at a time."""
    x = vectors(2, 3, 300, 128)
    positions = np.random.default_rng(1).integers(0, 1000, (*axes, 300))
    rotation = rotation_at(positions, 128)

    together = apply_rotary(x, rotation, layout=layout)
    out = apply_rotary(x, rotation, layout=layout, out=np.empty_like(x))

    for i, j in itertools.product(range(2), range(3)):
        own = rotation_at(positions[i % axes[0], j % axes[1]], 128)
        alone = apply_rotary(x[i, j], own, layout=layout)
        np.testing.assert_array_equal(together[i, j], alone)
        np.testing.assert_allclose(out[i, j], alone, rtol=0, atol=1e-14)


@every_layout
def test_arrays_in_any_order_of_memory_are_turned(layout):
    x = vectors(2, 9, 3, 12)  # tokens before heads
    rotation = rotation_at(np.arange(9), 12)
    copied = np.ascontiguousarray(x.swapaxes(1, 2))
    expected = apply_rotary(copied, rotation, layout=layout)

    for same in (x.swapaxes(1, 2), np.asfortranarray(copied), copied.astype(">f8")):
        plain = apply_rotary(same, rotation, layout=layout)
        out = apply_rotary(same, rotation, layout=layout, out=np.empty_like(copied))
        np.testing.assert_array_equal(plain, expected)
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-14)


@every_layout
def test_a_transposed_matrix_is_turned(layout):
    x, rotation = vectors(12, 9).T, rotation_at(np.arange(9), 12)
    expected = apply_rotary(x.copy(order="C"), rotation, layout=layout)

    out = apply_rotary(x, rotation, layout=layout, out=np.empty((9, 12)))

    np.testing.assert_array_equal(apply_rotary(x, rotation, layout=layout), expected)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-14)


def test_cached_decoding_gives_the_last_row():
    q = vectors(2, 9, 8)
    whole = apply_rotary(q, rotation_at(np.arange(9), 8), layout="half")

    last = apply_rotary(q[:, 8:], rotation_at([8], 8), layout="half")

    np.testing.assert_allclose(last, whole[:, 8:], rtol=0, atol=1e-15)


@every_layout
def test_arguments_are_left_alone(layout):
    x, rotation = vectors(4, 8), rotation_at(np.arange(4), 8)
    before = [x.copy(), *(table.copy() for table in rotation)]

    for array in (x, *rotation):
        array.flags.writeable = False
    apply_rotary(x, rotation, layout=layout)
    apply_rotary(x, rotation, layout=layout, out=np.empty_like(x))
    undo_rotary(x, rotation, layout=layout)

    for array, kept in zip([x, *rotation], before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_the_result_is_a_new_array():
    x = vectors(4, 8)

    turned = apply_rotary(x, rotation_at([0, 0, 0, 0], 8), layout="half")

    np.testing.assert_array_equal(turned, x)
    assert not np.shares_memory(turned, x)


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("float16", "float32"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("int64", "float64"),
    ],
)
@pytest.mark.parametrize("of_rotation", ["float32", "float64"])
def test_the_type_of_x_decides_the_type_of_the_result(given, result, of_rotation):
    x = np.array([[3, 1, 2, 5]], given)
    rotation = rotation_at([7], 4, dtype=of_rotation)

    turned = apply_rotary(x, rotation, layout="half")
    back = undo_rotary(turned, rotation, layout="half")

    assert turned.dtype == back.dtype == result
    np.testing.assert_allclose(back, x, rtol=1e-6)
    exact = apply_rotary(
        x.astype(result), Rotation(*(t.astype(result) for t in rotation)), layout="half"
    )
    np.testing.assert_array_equal(turned, exact)


# Against real models


layer_cases = [
    case for case in each_case("rotary", "apply_rotary").args[1] if "output" in case.outputs
]
vector_cases = [
    case for case in each_case("rotary", "apply_rotary").args[1] if "turned" in case.outputs
]
each_layer = pytest.mark.parametrize("case", layer_cases, ids=lambda case: case.name)
each_vector = pytest.mark.parametrize("case", vector_cases, ids=lambda case: case.name)


def test_every_case_is_a_layer_or_turned_vectors():
    assert len(layer_cases) == 5
    assert len(vector_cases) == 4


@each_layer
def test_attention_layers_of_released_models(case):
    """To the last digits of float64, given their cosines and sines."""
    ours = attention_of(case, recorded_rotation(case), case.inputs["layout"])

    tolerance = case.inputs.get("tolerance", 1e-12)  # one class turns in float32
    np.testing.assert_allclose(ours, case.outputs["output"], rtol=0, atol=tolerance)


@each_layer
@pytest.mark.parametrize("angles", ["float32", "float64"])
def test_attention_layers_from_positions_alone(case, angles):
    """With our cosines and sines. Theirs are off by up to 1e-6 at position 8."""
    rotation = rotary_cos_sin(
        case.inputs["positions"], recorded_frequencies(case), dtype=angles, angles=angles
    )

    ours = attention_of(case, rotation, case.inputs["layout"])

    np.testing.assert_allclose(ours, case.outputs["output"], rtol=0, atol=2e-6)


@each_layer
def test_no_other_convention_gives_the_output_of_a_released_layer(case):
    """So that the comparison can tell conventions apart, the way round among them."""
    right = case.inputs["layout"]
    cos, sin = recorded_rotation(case)
    other = "interleaved" if right == "half" else "half"

    for rotation, layout in [
        ((cos, sin), other),
        ((cos, -sin), right),
        ((cos[:, ::-1], sin), right),
    ]:
        ours = attention_of(case, Rotation(*rotation), layout)
        assert np.abs(ours - case.outputs["output"]).max() > 1e-3


def rotation_of_vectors(case):
    if "cos" in case.inputs:
        return recorded_rotation(case)
    return rotary_cos_sin(case.inputs["positions"], recorded_frequencies(case))


@each_vector
def test_turned_queries_and_keys_of_released_models(case):
    convention = {"layout": case.inputs["layout"], "where": case.inputs["where"]}

    turned = apply_rotary(case.inputs["x"], rotation_of_vectors(case), **convention)

    tolerance = case.inputs.get("tolerance", 1e-14)
    np.testing.assert_allclose(turned, case.outputs["turned"], rtol=0, atol=tolerance)


@each_vector
def test_no_other_convention_gives_the_vectors_of_a_released_model(case):
    right = (case.inputs["layout"], case.inputs["where"])

    matching = {
        (layout, where)
        for layout, where in itertools.product(LAYOUTS, WHERE)
        if np.allclose(
            apply_rotary(case.inputs["x"], rotation_of_vectors(case), layout=layout, where=where),
            case.outputs["turned"],
            rtol=0,
            atol=1e-4,
        )
    }

    head_dim = case.inputs["x"].shape[-1]
    whole = 2 * rotation_of_vectors(case).cos.shape[-1] == head_dim
    assert matching == ({(right[0], where) for where in WHERE} if whole else {right})


@each_case("rotary", "undo_rotary")
def test_released_turns_are_undone(case):
    """nanochat turns the other way round: what undoes its turn is the turn of all others."""
    convention = {"layout": case.inputs["layout"], "where": case.inputs["where"]}
    rotation = rotation_of_vectors(case)
    turned, before = case.outputs["turned"], case.inputs["x"]

    tolerance = case.inputs.get("tolerance", 2e-7)  # of float32 cos**2 + sin**2
    back = undo_rotary(turned, rotation, **convention)

    np.testing.assert_allclose(back, before, rtol=0, atol=tolerance)
    if "back" in case.outputs:
        np.testing.assert_allclose(back, case.outputs["back"], rtol=0, atol=tolerance)


def test_nanochat_turns_the_other_way_round():
    [case] = [c for c in each_case("rotary", "undo_rotary").args[1] if "nanochat" in c.name]
    cos, sin = recorded_rotation(case)

    theirs = apply_rotary(case.outputs["turned"], Rotation(cos, -sin), layout="half")

    np.testing.assert_allclose(theirs, case.inputs["x"], rtol=0, atol=1e-14)


table_cases = [c for c in each_case("rotary", "rotary_cos_sin").args[1] if "tables" in c.name]


@pytest.mark.parametrize("case", table_cases, ids=lambda case: case.name)
def test_float32_angles_repeat_the_tables_of_released_classes(case):
    """All entries within one unit of the last place, and most of them equal."""
    factor = case.inputs["attention_factor"]
    ours = rotary_cos_sin(
        case.inputs["positions"],
        recorded_frequencies(case),
        attention_factor=factor,
        dtype=np.float32,
        angles=np.float32,
    )

    equal = []
    for table, name in zip(ours, ("cos", "sin"), strict=True):
        recorded = case.outputs[name].astype(np.float32)
        assert table.dtype == np.float32
        np.testing.assert_array_max_ulp(table, recorded, maxulp=2 if factor != 1 else 1)
        equal.append(table == recorded)
    assert np.mean(equal) > 0.85


@pytest.mark.parametrize("case", table_cases, ids=lambda case: case.name)
def test_exact_angles_show_how_far_off_released_tables_are(case):
    """Up to 1e-2 at position 131,071: rounding has moved the angle."""
    ours = rotary_cos_sin(
        case.inputs["positions"],
        recorded_frequencies(case),
        attention_factor=case.inputs["attention_factor"],
    )

    error = np.abs(ours.cos - case.outputs["cos"]).max(axis=-1)

    near, far = case.inputs["positions"] < 20, case.inputs["positions"] > 65_000
    assert error[near].max() < 2e-6
    assert 1e-4 < error[far].max() < 2e-2


@each_case("rotary", "rotary_inv_freq")
def test_frequencies_are_those_of_released_classes_but_for_float32(case):
    ours = rotary_inv_freq(case.inputs["rotary_dim"], case.inputs["base"])

    np.testing.assert_allclose(ours, case.inputs["inv_freq"], rtol=5e-7)


def test_gptj_turns_with_base_10000_although_its_configuration_said_500000():
    [case] = [c for c in layer_cases if "gptj" in c.name]
    rotation = rotary_cos_sin(case.inputs["positions"], rotary_inv_freq(4))

    ours = attention_of(case, rotation, "interleaved")

    np.testing.assert_allclose(ours, case.outputs["output"], rtol=0, atol=1e-6)


def test_float32_angles_round_position_frequency_and_product():
    positions, frequencies = np.array([2**24 + 1, 99_999]), rotary_inv_freq(16)
    angle = positions.astype(np.float32)[:, None] * frequencies.astype(np.float32)

    cos, sin = rotary_cos_sin(positions, frequencies, dtype=np.float32, angles=np.float32)

    np.testing.assert_array_equal(cos, np.cos(angle.astype(float)).astype(np.float32))
    np.testing.assert_array_equal(sin, np.sin(angle.astype(float)).astype(np.float32))


# Memory and time


@every_layout
def test_out_needs_little_memory_beside_the_tables(layout):
    x = vectors(8, 2048, 128, dtype=np.float32)
    rotation = rotation_at(np.arange(2048), 128, dtype=np.float32)
    tracemalloc.start()
    try:
        apply_rotary(x, rotation, layout=layout, out=x)
        extra = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert extra < 0.5 * x.nbytes


def test_scattered_positions_need_little_memory_beside_the_result():
    positions = np.arange(50_000)[::-1]
    tracemalloc.start()
    try:
        rotation = rotation_at(positions, 64, dtype=np.float32)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 1.5 * 2 * rotation.cos.nbytes


def test_turning_neighbours_into_out_costs_little_more_than_a_copy():
    """The goal is 1.5; the plain route costs 8 or more. The best of several rounds is compared."""
    x = np.ones((32, 4096, 128), np.float32)  # 64 MB, more than a cache holds
    rotation = rotation_at(np.arange(4096), 128, dtype=np.float32)
    out = np.empty_like(x)

    def copied():
        np.copyto(out, x)

    def turned():
        apply_rotary(x, rotation, layout="interleaved", out=out)

    best = dict.fromkeys((copied, turned), math.inf)
    for _ in range(7):
        for work in best:
            begin = time.perf_counter()
            work()
            best[work] = min(best[work], time.perf_counter() - begin)

    assert best[turned] / best[copied] < 3


# On bad input

X = np.ones((2, 3, 4, 6))  # batch, heads, tokens, features
GOOD = Rotation(np.ones((4, 3)), np.zeros((4, 3)))


def table(*shape):
    return Rotation(np.ones(shape), np.zeros(shape))


FREQUENCIES = [
    ({"rotary_dim": 5}, ValueError, "rotary_dim must be even and at least 2 (features go in"),
    ({"rotary_dim": 0}, ValueError, "rotary_dim must be even and at least 2"),
    ({"rotary_dim": -2}, ValueError, "rotary_dim must be even and at least 2"),
    ({"rotary_dim": 4.0}, TypeError, "rotary_dim must be a whole number (int), got 4.0 (float)"),
    ({"rotary_dim": True}, TypeError, "rotary_dim must be a whole number (int), got True (bool)"),
    ({"rotary_dim": None}, TypeError, "rotary_dim must be a whole number (int), got None"),
    ({"rotary_dim": 2**80}, ValueError, "rotary_dim must be below 2**58 entries, got rotary_dim 1"),
    ({"base": 0.5}, ValueError, "base must be at least 1, got 0.5"),
    ({"base": math.nan}, ValueError, "base must be finite, got nan"),
    ({"base": "10000"}, TypeError, "base must be a number (int or float), got '10000' (str)"),
]


@pytest.mark.parametrize(("changed", "error", "message"), FREQUENCIES)
def test_a_bad_argument_of_the_frequencies_is_named(changed, error, message):
    with refused(error, message):
        rotary_inv_freq(**{"rotary_dim": 4, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        (
            {"positions": 5},
            ValueError,
            "positions must have shape (..., T), got a single number, 5",
        ),
        ({"positions": [math.nan]}, ValueError, "positions must be finite and less than 2**53"),
        ({"positions": [-(2**53)]}, ValueError, "positions must be finite and less than 2**53"),
        ({"positions": [2**80]}, TypeError, "positions must be numbers (int or float), got dtype"),
        ({"positions": [True]}, TypeError, "positions must be numbers (int or float), got dtype b"),
        ({"positions": ["1"]}, TypeError, "positions must be numbers (int or float), got dtype <"),
        (
            {"positions": [[0], [1, 2]]},
            ValueError,
            "positions must be one array, got [[0], [1, 2]]",
        ),
        ({"positions": None}, TypeError, "positions must be numbers (int or float), got dtype obj"),
        ({"inv_freq": [1, math.inf]}, ValueError, "inv_freq must be finite and less than 2**53 in"),
        ({"inv_freq": [2.0**53]}, ValueError, "inv_freq must be finite and less than 2**53 in"),
        (
            {"inv_freq": []},
            ValueError,
            "inv_freq must have shape (rotary_dim // 2,), not empty, go",
        ),
        (
            {"inv_freq": 1.0},
            ValueError,
            "inv_freq must have shape (rotary_dim // 2,), not empty, g",
        ),
        (
            {"inv_freq": [[1.0]]},
            ValueError,
            "inv_freq must have shape (rotary_dim // 2,), not empt",
        ),
        ({"inv_freq": [1j]}, TypeError, "inv_freq must be numbers (int or float), got dtype compl"),
        ({"attention_factor": 0}, ValueError, "attention_factor must be above 0, got 0"),
        ({"attention_factor": -1.0}, ValueError, "attention_factor must be above 0, got -1.0"),
        ({"attention_factor": math.inf}, ValueError, "attention_factor must be finite, got inf"),
        (
            {"attention_factor": 1e39, "dtype": "f4"},
            ValueError,
            "attention_factor must be a number that float32 holds, got 1e+39",
        ),
        (
            {"attention_factor": 1e-40, "dtype": "f4"},
            ValueError,
            "attention_factor must be a number that float32 holds, got 1e-40",
        ),
        ({"attention_factor": None}, TypeError, "attention_factor must be a number (int or float)"),
        ({"dtype": np.float16}, ValueError, "dtype must be float32 or float64, got float16"),
        ({"dtype": None}, TypeError, "dtype must be float32 or float64, got None"),
        ({"angles": np.float16}, ValueError, "angles must be float32 or float64, got float16"),
        ({"angles": None}, TypeError, "angles must be float32 or float64, got None"),
        ({"angles": "f4"}, ValueError, "dtype must be float32 if angles are, got float64"),
    ],
)
def test_a_bad_argument_of_the_tables_is_named(changed, error, message):
    with refused(error, message):
        rotary_cos_sin(**{"positions": [0, 1], "inv_freq": [1.0], **changed})


ROTATIONS = [
    ({"x": np.ones(6)}, ValueError, "x must have shape (..., T, head_dim), got (6,)"),
    ({"x": 1.0}, ValueError, "x must have shape (..., T, head_dim), got ()"),
    ({"x": None}, TypeError, "x must be numbers (int or float), got dtype object"),
    ({"x": X.astype(complex)}, TypeError, "x must be numbers (int or float), got dtype complex128"),
    ({"x": [[1.0], [1.0, 2.0]]}, ValueError, "x must be one array, got [[1.0], [1.0, 2.0]]"),
    ({"rotation": np.ones((2, 4, 3))}, TypeError, "rotation must be a Rotation(cos, sin), got nda"),
    ({"rotation": None}, TypeError, "rotation must be a Rotation(cos, sin), got NoneType"),
    ({"rotation": (1, 2, 3)}, TypeError, "rotation must be a Rotation(cos, sin), got tuple"),
    ({"rotation": ("a", "b")}, TypeError, "rotation.cos must be numbers (int or float), got dtype"),
    (
        {"rotation": (GOOD.cos, [1.0])},
        ValueError,
        "rotation.sin must have shape (..., T, pairs), got (1,)",
    ),
    (
        {"rotation": (GOOD.cos * np.nan, GOOD.sin)},
        ValueError,
        "rotation.cos must be finite, got an entry nan",
    ),
    (
        {"rotation": (GOOD.cos, GOOD.sin[:, :2])},
        ValueError,
        "rotation must have cos and sin of one shape, with at least one pair, got (4, 3) and (4, ",
    ),
    ({"rotation": table(4, 0)}, ValueError, "rotation must have cos and sin of one shape, with at"),
    (
        {"rotation": table(5, 3)},
        ValueError,
        "rotation must have one row for each of 4 tokens, got shape (5, 3)",
    ),
    ({"rotation": table(1, 3)}, ValueError, "rotation must have one row for each of 4 tokens, got"),
    (
        {"rotation": table(4, 4)},
        ValueError,
        "rotation must turn at most head_dim = 6 features, two a pair, got shape (4, 4)",
    ),
    (
        {"rotation": table(2, 4, 3)},  # of a batch of 2: its heads are 3
        ValueError,
        "rotation must have the axes of x, (2, 3, 4, 6), each leading one full or 1, or the last "
        "two only, got shape (2, 4, 3)",
    ),
    ({"rotation": table(3, 4, 3)}, ValueError, "rotation must have the axes of x, (2, 3, 4, 6), e"),
    ({"rotation": table(1, 4, 3)}, ValueError, "rotation must have the axes of x, (2, 3, 4, 6), e"),
    ({"rotation": table(3, 1, 4, 3)}, ValueError, "rotation must have the axes of x, (2, 3, 4, 6)"),
    ({"rotation": table(1, 1, 1, 4, 3)}, ValueError, "rotation must have the axes of x, (2, 3, 4"),
    (
        {"x": np.ones((1, 4, 6)), "rotation": table(2, 4, 3)},  # it would make x larger
        ValueError,
        "rotation must have the axes of x, (1, 4, 6), each leading one full or 1",
    ),
    (
        {"layout": "neox"},
        ValueError,
        "layout must be one of 'half', 'interleaved', 'interleaved_to_half', got 'neox'",
    ),
    ({"layout": None}, TypeError, "layout must be one of 'half', 'interleaved', 'interleaved_to_"),
    ({"where": "last"}, ValueError, "where must be one of 'leading', 'trailing', got 'last'"),
    ({"where": 0}, TypeError, "where must be one of 'leading', 'trailing', got 0 (int)"),
]


def read_only():
    array = np.empty(X.shape)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *ROTATIONS,
        ({"out": [1.0]}, TypeError, "out must be a NumPy array, got [1.0] (list)"),
        (
            {"out": np.empty((2, 4, 3, 6))},
            ValueError,
            "out must have shape (2, 3, 4, 6), got (2, 4",
        ),
        (
            {"out": np.empty(X.shape, np.float32)},
            TypeError,
            "out must have dtype float64, as the result has, got float32",
        ),
        (
            {"out": np.empty(X.shape), "x": X.astype(np.float32)},
            TypeError,
            "out must have dtype float32, as the result has, got float64",
        ),
        ({"out": np.empty(X.shape[::-1]).T}, ValueError, "out must be C-contiguous, got strides"),
        ({"out": read_only()}, ValueError, "out must be writeable, got a read-only array"),
    ],
)
def test_a_bad_argument_of_the_turn_is_named(changed, error, message):
    with refused(error, message):
        apply_rotary(**{"x": X, "rotation": GOOD, "layout": "half", **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        *ROTATIONS,
        (
            {"rotation": (GOOD.sin, GOOD.sin)},
            ValueError,
            "rotation must have no entry whose cos and sin are both 0",
        ),
    ],
)
def test_a_bad_argument_of_the_turn_back_is_named(changed, error, message):
    with refused(error, message):
        undo_rotary(**{"x": X, "rotation": GOOD, "layout": "half", **changed})


def test_as_many_heads_as_batch_rows_do_not_hide_a_missing_axis():
    """NumPy would turn each head by the positions of another batch row, without a word."""
    x = np.ones((2, 2, 4, 6))

    with refused(ValueError, "rotation must have the axes of x, (2, 2, 4, 6)"):
        apply_rotary(x, table(2, 4, 3), layout="half")


@every_layout
def test_out_that_overlaps_an_argument_is_refused(layout):
    memory = np.ones(100)
    x = memory[:24].reshape(4, 6)
    shifted = memory[6:30].reshape(4, 6)
    other_order = memory[:24].reshape(6, 4).T
    inside = Rotation(memory[20:32].reshape(4, 3), np.zeros((4, 3)))
    message = "out must be x itself, or share no memory with x and rotation, but it does"

    for overlapping in (shifted, other_order):
        with refused(ValueError, message):
            apply_rotary(overlapping, GOOD, layout=layout, out=x)
    with refused(ValueError, message):
        apply_rotary(np.ones((4, 6)), inside, layout=layout, out=x)
    with refused(ValueError, message):
        apply_rotary(x, inside, layout=layout, out=x)
    np.testing.assert_array_equal(memory, 1)


@every_layout
def test_out_may_lie_between_the_tokens_of_x(layout):
    """The two share no entry, although the one lies within the bounds of the other."""
    memory = vectors(3, 1, 24)
    x, out = memory[::2], memory[1:2]

    apply_rotary(x[:, 0].reshape(2, 4, 6)[:1], GOOD, layout=layout, out=out.reshape(1, 4, 6))
    expected = apply_rotary(x[:1].reshape(1, 4, 6), GOOD, layout=layout)

    np.testing.assert_array_equal(out.reshape(1, 4, 6), expected)


def test_a_view_of_all_of_x_is_x_itself():
    x = vectors(4, 6)
    expected = apply_rotary(x, GOOD, layout="half")

    apply_rotary(x[:], GOOD, layout="half", out=x)

    np.testing.assert_array_equal(x, expected)


def test_a_refused_call_leaves_out_alone():
    out = np.full(X.shape, 7.0)

    with pytest.raises(ValueError, match="layout"):
        apply_rotary(X, GOOD, layout="neox", out=out)

    assert (out == 7).all()


def test_a_layout_must_be_chosen():
    with pytest.raises(TypeError, match="layout"):
        apply_rotary(X, GOOD)
    with pytest.raises(TypeError, match="layout"):
        undo_rotary(X, GOOD)


def test_plain_lists_are_arrays():
    rotation, out = Rotation([[0.0, 0.0]], [[1.0, 1.0]]), np.empty((1, 4))

    apply_rotary([[1, 2, 3, 4]], rotation, layout="half", out=out)

    np.testing.assert_array_equal(out, [[-3, -4, 1, 2]])


def test_numbers_of_numpy_are_numbers():
    np.testing.assert_array_equal(
        rotary_inv_freq(np.int64(8), np.float32(10000)), rotary_inv_freq(8, 10000)
    )


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_a_turn_of_any_size_is_undone(size):
    """The square of such a size is beyond the floats."""
    rotation = Rotation(np.full((2, 2), 0.6 * size), np.full((2, 2), 0.8 * size))
    x = np.arange(1.0, 9.0).reshape(2, 4)

    back = undo_rotary(apply_rotary(x, rotation, layout="half"), rotation, layout="half")

    np.testing.assert_allclose(back, x, rtol=1e-14)
