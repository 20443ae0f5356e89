"""The fast turns: against complex numbers, and how they cut an array."""

import numpy as np
import pytest

from posenc_ref import rotary_fast

SHAPES = [
    (5, 8),
    (1, 2),
    (2, 3, 7, 12),
    (3, 5, 130, 256),  # several pieces of several heads
    (2, 700, 128),  # heads in several pieces
    (0, 4),
    (2, 0, 3, 4),
]
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)

# For each function: the columns that it reads as x1 and x2 of all pairs, and those it writes.
COLUMNS = {
    rotary_fast.turn_halves: ("half", "half"),
    rotary_fast.turn_neighbours: ("interleaved", "interleaved"),
    rotary_fast.turn_neighbours_to_halves: ("interleaved", "half"),
}
every_turn = pytest.mark.parametrize("turn", COLUMNS, ids=lambda turn: turn.__name__)


def columns(width, pairing):
    every = np.arange(width)
    return (
        (every[: width // 2], every[width // 2 :])
        if pairing == "half"
        else (every[0::2], every[1::2])
    )


def example(shape, dtype, *leading):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(dtype)
    angle = rng.uniform(-9, 9, (*leading, shape[-2], shape[-1] // 2))
    return x, np.cos(angle).astype(dtype), np.sin(angle).astype(dtype)


def by_complex_numbers(turn, x, cos, sin):
    reads, writes = COLUMNS[turn]
    first, second = columns(x.shape[-1], reads)
    product = (x[..., first] + 1j * x[..., second]) * (cos + 1j * sin)
    result = np.empty_like(x)
    first, second = columns(x.shape[-1], writes)
    result[..., first], result[..., second] = product.real, product.imag
    return result


@every_turn
@every_shape
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_turn_is_a_complex_product(turn, shape, dtype):
    x, cos, sin = example(shape, dtype)
    out = np.full_like(x, np.nan)

    turn(out, x, cos, sin)

    expected = by_complex_numbers(turn, x, cos, sin)
    turn(x, x, cos, sin)
    for result in (out, x):
        np.testing.assert_allclose(result, expected, rtol=0, atol=16 * np.finfo(dtype).eps)


@every_turn
@pytest.mark.parametrize("leading", [(2, 1), (1, 3), (2, 3)], ids=str)
def test_each_row_and_head_may_have_its_own_turns(turn, leading):
    x, cos, sin = example((2, 3, 300, 128), "float64", *leading)
    out = np.empty_like(x)

    turn(out, x, cos, sin)

    np.testing.assert_allclose(out, by_complex_numbers(turn, x, cos, sin), rtol=0, atol=1e-14)


@every_turn
def test_a_slice_of_the_features_is_turned_alone(turn):
    whole, cos, sin = example((2, 300, 20), "float32")
    cos, sin = cos[..., :4], sin[..., :4]
    out = np.full_like(whole, 7)

    turn(out[..., 6:14], whole[..., 6:14], cos, sin)

    expected = by_complex_numbers(turn, whole[..., 6:14], cos, sin)
    np.testing.assert_allclose(out[..., 6:14], expected, rtol=0, atol=2e-6)
    assert (out[..., :6] == 7).all()
    assert (out[..., 14:] == 7).all()


@pytest.mark.parametrize(
    ("shape", "largest"),
    [
        ((32, 1024, 128), 256),  # 256 rows of 512 bytes fit
        ((4, 32, 4, 128), 128),  # the heads of one batch row
        ((4, 64, 4, 128), 256),  # they fit as a whole
        ((4, 65, 4, 128), 4),  # one more, and each goes alone
        ((2, 100, 128), 200),  # all at once
        ((3, 2, 2**15 + 1), 1),  # a row is larger than a piece
    ],
    ids=str,
)
def test_pieces_cover_every_row_once_and_fit_the_cache(shape, largest):
    x = np.zeros(shape, np.float32)
    sizes = []

    for piece in rotary_fast._pieces(x):
        x[piece] += 1
        sizes.append(x[piece].size // shape[-1])

    assert (x == 1).all()
    assert max(sizes) == largest


def test_all_heads_get_the_same_tokens_before_the_next_tokens_come():
    x = np.zeros((3, 600, 128), np.float32)

    order = [(head, rows.start) for head, _, rows, _ in rotary_fast._pieces(x)]

    assert order == [(head, top) for top in (0, 256, 512) for head in range(3)]
