"""The running example of all lessons: "dog bites man" at d = 4, small enough to redo by hand.

Queries, keys and values are the vectors themselves (identity matrices), one head as wide as the
model, so a score is a plain dot product over two, the root of the width.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import attention, attention_weights, causal_mask

WORDS = ("dog", "bites", "man")
DOG = (1.0, 0.0, 1.0, 0.0)
BITES = (0.0, 1.0, 1.0, 0.0)
MAN = (1.0, 0.0, 0.0, 1.0)
VECTORS = {"dog": DOG, "bites": BITES, "man": MAN}
D_MODEL = 4
ORDERS = tuple(" ".join(order) for order in permutations(WORDS))


def vectors(words: Sequence[str] = WORDS) -> NDArray[np.float64]:
    """One row a word, in the order of the words."""
    return np.array([VECTORS[word] for word in words])


def scores(words: Sequence[str] = WORDS) -> NDArray[np.floating]:
    """What attention compares before any position enters: dot products over the root of d."""
    x = vectors(words)
    scores: NDArray[np.floating] = x @ x.T / np.sqrt(D_MODEL)
    return scores


def weights(scores: ArrayLike) -> NDArray[np.floating]:
    """Each row's shares: the softmax of its scores, which may hold -inf where a mask forbids."""
    n_queries, n_keys = np.shape(scores)
    return attention_weights(np.zeros((n_queries, 1)), np.zeros((n_keys, 1)), bias=scores)


def attend(x: NDArray[np.floating], n_layers: int, *, causal: bool = False) -> NDArray[np.floating]:
    """Layers of bare attention, the output of each being what the next one reads."""
    sees = causal_mask(len(x), len(x)) if causal else None
    for _ in range(n_layers):
        x = attention(x, x, x, mask=sees)
    return x
