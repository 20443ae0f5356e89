"""Token embeddings. Result: a table read by token, and the scores of every token from it.

A token is a number, and the table has one learned row for each. Reading the
row turns token into vector; comparing a vector with every row turns vector
into a score for each token. Many models use one table for both:

    x_t      = table[token_t]          (times sqrt(d_model) in some models)
    logits_t = hidden_t @ table.T

Nothing here knows about order: position is what the other modules add.

Source: Vaswani et al. (2017), arXiv:1706.03762, section 3.4, for the factor
sqrt(d_model) and the shared table; Press and Wolf (2017), arXiv:1608.05859,
for reading the output scores from the input table.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks


def embed(token_ids: ArrayLike, table: ArrayLike, *, scale: bool = False) -> NDArray[np.floating]:
    """The row of each token.

    The factor sqrt(d_model) of the 2017 paper brings rows that were drawn with
    variance 1 / d_model to the size of the sinusoids that are added to them.
    Gemma uses it, and so do Marian and M2M100 checkpoints that set
    `scale_embedding`; GPT-2, BERT, T5 and Llama do not. Gemma rounds the factor to
    the dtype of its weights first, which in bfloat16 is up to 0.2 % off.

    Args:
        token_ids: Token numbers, from 0 to `n_tokens` - 1, shape `(...)`.
        table: One row a token, finite in the rows read, shape
            `(n_tokens, d_model)`.
        scale: Whether to multiply by sqrt(d_model).

    Returns:
        Token vectors, without unit, shape `(..., d_model)`, float32 if `table` is
        float32 or float16, otherwise float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a token has no row, a row read is not finite, or `table` has
            another shape.

    Examples:
        >>> from posenc_ref import embed
        >>> table = [[0, 0, 0, 1], [2, 2, 2, 2], [5, 6, 7, 8]]
        >>> embed([2, 0], table)
        array([[5., 6., 7., 8.],
               [0., 0., 0., 1.]])
        >>> embed([2, 0], table, scale=True)  # sqrt(4) is 2
        array([[10., 12., 14., 16.],
               [ 0.,  0.,  0.,  2.]])
    """
    rows = checks.real_array("table", table, "n_tokens", "d_model")
    scale = checks.flag("scale", scale)
    vectors = checks.rows_read(rows, "token_ids", token_ids, "id")
    return vectors * math.sqrt(rows.shape[1]) if scale else vectors


def tied_logits(hidden: ArrayLike, table: ArrayLike) -> NDArray[np.floating]:
    """A score for every token: the dot product with its row of the embedding table.

    With H hidden vectors as rows and E the table,

        logits = H E^T

    Models that tie the two differ in what they do around it, which is left to the
    caller: T5 first divides the hidden vectors by sqrt(d_model), Marian adds a
    bias for each token, Gemma 2 caps the result. The factor of `embed` is not
    applied here.

    Args:
        hidden: Last hidden vectors, shape `(..., d_model)`.
        table: One row a token, finite, shape `(n_tokens, d_model)`.

    Returns:
        Logits, the scores before the softmax over tokens, without unit, shape
        `(..., n_tokens)`, float32 if both arguments are float32 or float16,
        otherwise float64.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `table` is not finite or a shape does not fit.

    Examples:
        >>> from posenc_ref import tied_logits
        >>> table = [[1, 0], [0, 1], [3, 4]]
        >>> tied_logits([[1, 2]], table)
        array([[ 1.,  2., 11.]])
    """
    rows = checks.real_array("table", table, "n_tokens", "d_model", finite=True)
    vectors = checks.real_array("hidden", hidden, rows.shape[1], leading=True)
    return vectors @ rows.T
