"""TUPE's scores: by hand, by property, by a second route, and on bad input.

No released model is compared here: the authors' code is in none of the libraries that we record
from.
"""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import attention_weights, tupe_scores

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)

# Three tokens of width 2, so that the root of 2 * head_dim is 2; the first is [CLS]
Q = [[1, 0], [0, 1], [1, 1]]
K = [[1, 1], [1, 0], [0, 1]]
POSITION_Q = [[1, 0], [0, 1], [1, 1]]
POSITION_K = [[1, 0], [1, 1], [0, 1]]
BIAS = [[0, -0.1, -0.2], [0.2, 0, -0.1], [0.1, 0.2, 0]]  # of n - m from -2 to 2: .1 .2 0 -.1 -.2
CLS = {"from_cls": 0.5, "to_cls": -0.25}
TIED = {"from_cls": None, "to_cls": None}


@st.composite
def operands(draw):
    """Arguments of `tupe_scores`, with heads and batch, a bias or not, [CLS] apart or not."""
    rng = np.random.default_rng(draw(seeds))
    n_keys = draw(st.integers(1, 7))
    n_queries = draw(st.integers(1, n_keys))
    head_dim = draw(st.integers(1, 5))
    batch, heads = draw(st.sampled_from([((), ()), ((3,), (3,)), ((2, 3), (3,))]))
    shapes = {
        "q": (*batch, n_queries, head_dim),
        "k": (*batch, n_keys, head_dim),
        "position_q": (*heads, n_queries, head_dim),
        "position_k": (*heads, n_keys, head_dim),
        "bias": (*heads, n_queries, n_keys),
        "from_cls": heads,
        "to_cls": heads,
    }
    arguments = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    if draw(st.booleans()):
        arguments["bias"] = None
    return arguments | draw(st.sampled_from([{}, TIED]))


# By hand


def test_scores_of_three_tokens_without_a_relative_bias_by_hand():
    """Variant A. Query 2, key 1: words [1, 1] · [1, 0] / 2, places [1, 1] · [1, 1] / 2."""
    scores = tupe_scores(Q, K, POSITION_Q, POSITION_K, **CLS)

    np.testing.assert_allclose(scores, [[1, 1, 0.5], [0.25, 0.5, 1], [0.75, 1.5, 1]])


def test_scores_of_three_tokens_with_a_relative_bias_by_hand():
    """Variant R: the bias is added unscaled, and not to the row and the column of [CLS]."""
    scores = tupe_scores(Q, K, POSITION_Q, POSITION_K, **CLS, bias=BIAS)

    np.testing.assert_allclose(scores, [[1, 1, 0.5], [0.25, 0.5, 0.9], [0.75, 1.7, 1]])


def test_weights_of_the_last_query_by_hand():
    scores = tupe_scores(Q, K, POSITION_Q, POSITION_K, **CLS)

    weights = attention_weights(Q, K, bias=scores, scale=0.0)

    np.testing.assert_allclose(weights[2], [0.227220, 0.481024, 0.291756], atol=5e-7)


def test_without_the_two_numbers_cls_is_a_token_like_others():
    """Words [.5 .5 0], [.5 0 .5], [1 .5 .5] and places [.5 .5 0], [0 .5 .5], [.5 1 .5]."""
    scores = tupe_scores(Q, K, POSITION_Q, POSITION_K, **TIED)

    np.testing.assert_allclose(scores, [[1, 1, 0], [0.5, 0.5, 1], [1.5, 1.5, 1]])


def test_each_head_has_numbers_of_its_own():
    word, place = np.zeros((2, 3, 1)), np.zeros((3, 1))

    scores = tupe_scores(word, word, place, place, from_cls=[1, 2], to_cls=[3, 4])

    np.testing.assert_array_equal(scores[0], [[1, 1, 1], [3, 0, 0], [3, 0, 0]])
    np.testing.assert_array_equal(scores[1], [[2, 2, 2], [4, 0, 0], [4, 0, 0]])


def test_new_queries_are_not_cls():
    word, place = np.zeros((1, 1)), np.zeros((3, 1))

    scores = tupe_scores(word, place, word, place, from_cls=1, to_cls=3)

    np.testing.assert_array_equal(scores, [[3, 0, 0]])


def test_cls_alone_is_its_own_key():
    np.testing.assert_array_equal(
        tupe_scores([[0]], [[0]], [[1]], [[1]], from_cls=5, to_cls=3), [[5]]
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_float32_stays_and_float16_becomes_it(dtype):
    arrays = [np.array(x, dtype) for x in (Q, K, POSITION_Q, POSITION_K)]
    options = {"from_cls": dtype(0.5), "to_cls": np.array([0.25], dtype)}

    assert tupe_scores(*arrays, **TIED).dtype == np.float32
    assert tupe_scores(*arrays, **options, bias=np.zeros((3, 3), dtype)).dtype == np.float32


def test_whole_numbers_give_float64():
    assert tupe_scores(Q, K, POSITION_Q, POSITION_K, from_cls=1, to_cls=2).dtype == np.float64


# By property


@BOUNDED
@given(operands(), st.integers(1, 8))
def test_new_queries_get_the_last_rows_of_the_full_square(arguments, n_new):
    rng = np.random.default_rng(0)
    n_keys = arguments["k"].shape[-2]
    arguments["q"] = rng.normal(size=arguments["k"].shape)
    arguments["position_q"] = rng.normal(size=arguments["position_k"].shape)
    if arguments["bias"] is not None:
        arguments["bias"] = rng.normal(size=(n_keys, n_keys))
    full = tupe_scores(**arguments)

    for name in ("q", "position_q", "bias"):
        if arguments[name] is not None:
            arguments[name] = arguments[name][..., -n_new:, :]

    np.testing.assert_allclose(tupe_scores(**arguments), full[..., -n_new:, :], atol=1e-13)


@BOUNDED
@given(operands())
def test_arguments_are_left_as_they_were(arguments):
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    copies = {name: array.copy() for name, array in arrays.items()}

    tupe_scores(**arguments)

    for name, copy in copies.items():
        np.testing.assert_array_equal(arrays[name], copy)


# By a second route


@BOUNDED
@given(operands())
def test_loops_over_all_pairs_give_the_same(arguments):
    q, k, pq, pk = (arguments[name] for name in ("q", "k", "position_q", "position_k"))
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    apart = arguments["from_cls"] is not None
    root = math.sqrt(2 * q.shape[-1])

    scores = tupe_scores(**arguments)

    for row in range(n_queries):
        m = n_keys - n_queries + row
        for n in range(n_keys):
            content = (q[..., row, :] * k[..., n, :]).sum(axis=-1) / root
            if apart and m == 0:
                position = arguments["from_cls"]
            elif apart and n == 0:
                position = arguments["to_cls"]
            else:
                position = (pq[..., row, :] * pk[..., n, :]).sum(axis=-1) / root
                if arguments["bias"] is not None:
                    position = position + arguments["bias"][..., row, n]
            np.testing.assert_allclose(scores[..., row, n], content + position, atol=1e-13)


# On bad input


def refused(error, message):
    return pytest.raises(error, match="^" + re.escape(message))


HEADS = np.ones((2, 3, 2))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"q": [1.0]}, ValueError, "q must have shape (..., n_queries, head_dim), got (1,)"),
        ({"q": np.ones((0, 2))}, ValueError, "q must have from 1 row to as many as k, since"),
        ({"q": np.ones((4, 2))}, ValueError, "q must have from 1 row to as many as k, since"),
        ({"q": np.ones((3, 0))}, ValueError, "q must have at least 1 feature in its last axis"),
        ({"k": np.ones((3, 1))}, ValueError, "k must have shape (..., n_keys, 2), got (3, 1)"),
        ({"k": [[1j, 0]]}, TypeError, "k must be numbers (int or float), got dtype complex128"),
        (
            {"position_q": np.ones((2, 2))},
            ValueError,
            "position_q must have shape (..., 3, 2), got (2, 2)",
        ),
        ({"position_q": [[math.nan] * 2] * 3}, ValueError, "position_q must be finite, got an"),
        (
            {"position_k": np.ones((3, 1))},
            ValueError,
            "position_k must have shape (..., 3, 2), got (3, 1)",
        ),
        ({"position_k": [[math.inf] * 2] * 3}, ValueError, "position_k must be finite, got an"),
        ({"bias": np.ones((1, 3))}, ValueError, "bias must have shape (..., 3, 3), got (1, 3)"),
        ({"bias": np.ones((3, 1))}, ValueError, "bias must have shape (..., 3, 3), got (3, 1)"),
        ({"bias": np.full((3, 3), -math.inf)}, ValueError, "bias must be finite, got an entry"),
        (
            {"from_cls": None},
            ValueError,
            "to_cls must be None if from_cls is, and only then, got -0.25",
        ),
        (
            {"to_cls": None},
            ValueError,
            "to_cls must be None if from_cls is, and only then, got None",
        ),
        ({"from_cls": "1"}, TypeError, "from_cls must be numbers (int or float), got dtype <U1"),
        ({"from_cls": math.nan}, ValueError, "from_cls must be finite, got an entry nan"),
        ({"to_cls": [math.inf]}, ValueError, "to_cls must be finite, got an entry inf"),
        ({"to_cls": [[1, 2]]}, ValueError, "to_cls must have shape (n_heads,), got (1, 2)"),
        ({"to_cls": True}, TypeError, "to_cls must be numbers (int or float), got dtype bool"),
        (
            {"q": HEADS, "k": np.ones((4, 3, 2))},
            ValueError,
            "k must have leading axes that broadcast with those of q (2,), got (4,)",
        ),
        (
            {"q": HEADS, "position_q": np.ones((4, 3, 2))},
            ValueError,
            "position_q must have leading axes that broadcast with those of q (2,), k (), got (4,)",
        ),
        (
            {"q": HEADS, "position_k": np.ones((4, 3, 2))},
            ValueError,
            "position_k must have leading axes that broadcast with those of q (2,), k (), posit",
        ),
        (
            {"q": HEADS, "from_cls": np.ones(4)},
            ValueError,
            "from_cls must have leading axes that broadcast with those of q (2,), k (), position_",
        ),
        (
            {"q": HEADS, "to_cls": np.ones(4)},
            ValueError,
            "to_cls must have leading axes that broadcast with those of q (2,), k (), position_",
        ),
        (
            {"q": HEADS, "bias": np.ones((4, 3, 3))},
            ValueError,
            "bias must have leading axes that broadcast with those of q (2,), k (), position_",
        ),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    good = {"q": Q, "k": K, "position_q": POSITION_Q, "position_k": POSITION_K, **CLS}

    with refused(error, message):
        tupe_scores(**{**good, **changed})


def test_a_number_of_python_leaves_float32_scores_as_they_are():
    q = np.ones((3, 2), np.float32)

    assert tupe_scores(q, q, q, q, from_cls=1.0, to_cls=2).dtype == np.float32
    assert tupe_scores(q, q, q, q, from_cls=np.float64(1), to_cls=2.0).dtype == np.float64
