"""Positions of tokens. Result: positions and distances, in whole tokens.

This is the one place that fixes where counting starts and which way is which,
so that "where", "how far" and "which way" mean the same in the whole package.
What images, videos and grouped texts count has modules of its own:

- a position counts real tokens from 0, so padding takes no number and every
  packed document starts again;
- a distance is key minus query, so the past is negative.

Released models that add learned rows to their tokens often keep the first rows
of the table for something else. `offset_positions` and `opt_positions` give the
rows that they read. No paper states those offsets; they are read off released
code and compared with it.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks


def relative_positions(n_queries: int, n_keys: int) -> NDArray[np.int64]:
    """Position of each key minus position of each query.

    Zero is the token itself, negative is the past, positive is the future.
    The last query stands on the last key, which is also right when earlier
    keys come from a cache and only new tokens are queries.

    Args:
        n_queries: Number of query tokens, from 1 to `n_keys`.
        n_keys: Number of key tokens, at least 1.

    Returns:
        Signed distances in tokens, int64, shape `(n_queries, n_keys)`.

    Raises:
        TypeError: If a count is not a whole number.
        ValueError: If `n_keys` is below 1, `n_queries` is not in 1..`n_keys`, or
            the result would have 2**58 entries or more.

    Examples:
        >>> from posenc_ref import relative_positions
        >>> relative_positions(3, 3)
        array([[ 0,  1,  2],
               [-1,  0,  1],
               [-2, -1,  0]])
        >>> relative_positions(1, 3)  # one new token, two cached ones
        array([[-2, -1,  0]])
    """
    n_keys = checks.whole_number("n_keys", n_keys, at_least=1)
    n_queries = checks.whole_number("n_queries", n_queries)
    if not 1 <= n_queries <= n_keys:
        raise ValueError(f"n_queries must be in 1..{n_keys} (n_keys), got {n_queries}")
    checks.result_fits(n_queries=n_queries, n_keys=n_keys)
    keys = np.arange(n_keys, dtype=np.int64)
    queries = keys[n_keys - n_queries :]
    return keys[None, :] - queries[:, None]


def positions_from_mask(mask: ArrayLike) -> NDArray[np.int64]:
    """Positions of the real tokens of padded rows.

    With m = 1 for a real token and 0 for padding, as in an attention mask,

        position_t = m_t (m_0 + ... + m_t - 1)

    so that a row padded on the left has the positions it would have alone.
    Padding reads 0. No token should attend to it, but the number must be one
    that a table has a row for.

    Args:
        mask: 1 or True for a real token, 0 or False for padding, shape `(..., T)`.

    Returns:
        Positions in tokens, from 0, int64, shape `(..., T)`.

    Raises:
        TypeError: If `mask` holds other things than booleans or whole numbers.
        ValueError: If `mask` has no axis, or an entry other than 0 and 1.

    Examples:
        >>> from posenc_ref import positions_from_mask
        >>> positions_from_mask([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
        array([[0, 0, 0, 1, 2],
               [0, 1, 2, 3, 4]])
    """
    real = checks.mask_array("mask", mask, "T", leading=True).astype(np.int64)
    return real * (np.cumsum(real, axis=-1) - 1)


def next_positions(mask: ArrayLike) -> NDArray[np.int64]:
    """Position of the token to be decoded next, one a row.

    Counting starts at 0, so it is the number of real tokens so far: after a
    prompt of 9 tokens come 9, 10, 11, the same in every layer.

    Args:
        mask: 1 or True for a real token, 0 or False for padding, shape `(..., T)`.

    Returns:
        Positions in tokens, int64, shape `(...)`.

    Raises:
        TypeError: If `mask` holds other things than booleans or whole numbers.
        ValueError: If `mask` has no axis, or an entry other than 0 and 1.

    Examples:
        >>> from posenc_ref import next_positions
        >>> next_positions([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
        array([3, 5])
    """
    real = checks.mask_array("mask", mask, "T", leading=True)
    return np.asarray(np.count_nonzero(real, axis=-1), np.int64)


def packed_positions(lengths: ArrayLike) -> NDArray[np.int64]:
    """Positions of documents packed one after another into one row.

    Counting starts again with each document. That alone does not keep tokens
    from attending to other documents: see `packed_segments`.

    Args:
        lengths: Tokens in each document, at least 0, shape `(n_documents,)`.

    Returns:
        Positions in tokens, from 0, int64, shape `(sum(lengths),)`.

    Raises:
        TypeError: If a length is not a whole number.
        ValueError: If a length is negative, `lengths` has another shape, or the
            sum is 2**58 or more.

    Examples:
        >>> from posenc_ref import packed_positions
        >>> packed_positions([3, 2, 4])
        array([0, 1, 2, 0, 1, 0, 1, 2, 3])
    """
    counts, total = _packed("lengths", lengths)
    starts = np.cumsum(counts) - counts
    return np.arange(total, dtype=np.int64) - np.repeat(starts, counts)


def packed_segments(lengths: ArrayLike) -> NDArray[np.int64]:
    """Number of the document that each packed token belongs to.

    What `segment_mask` needs to keep documents apart.

    Args:
        lengths: Tokens in each document, at least 0, shape `(n_documents,)`. A
            document without tokens keeps its number.

    Returns:
        Document numbers, from 0, int64, shape `(sum(lengths),)`.

    Raises:
        TypeError: If a length is not a whole number.
        ValueError: If a length is negative, `lengths` has another shape, or the
            sum is 2**58 or more.

    Examples:
        >>> from posenc_ref import packed_segments, segment_mask
        >>> packed_segments([3, 2, 4])
        array([0, 0, 0, 1, 1, 2, 2, 2, 2])
        >>> segment_mask(packed_segments([1, 2])).astype(int)
        array([[1, 0, 0],
               [0, 1, 1],
               [0, 1, 1]])
    """
    counts, _ = _packed("lengths", lengths)
    return np.repeat(np.arange(counts.size, dtype=np.int64), counts)


def offset_positions(token_ids: ArrayLike, *, padding_idx: int) -> NDArray[np.int64]:
    """Rows of the position table that RoBERTa and the fairseq models read.

    With m = 1 where the token is not padding, and 0 where it is,

        row_t = m_t (m_0 + ... + m_t) + padding_idx

    so the first real token reads row padding_idx + 1 and padding reads row
    padding_idx, which holds zeros. The rows before that are never read. A table
    for n tokens therefore has n + padding_idx + 1 rows: 514 for the 512 tokens of
    RoBERTa, whose padding token is 1.

    BART, from the same family, reads row position + 2 for every token, padding
    too: a plain count, not this rule.

    Args:
        token_ids: Token numbers, at least 0, shape `(..., T)`. For cached decoding
            give the whole row and take the last columns of the result.
        padding_idx: Token number of padding, from 0 to 2**53.

    Returns:
        Rows of the table, int64, shape `(..., T)`.

    Raises:
        TypeError: If `token_ids` or `padding_idx` is not whole numbers.
        ValueError: If a number is out of its range, or `token_ids` has no axis.

    Examples:
        >>> from posenc_ref import offset_positions
        >>> offset_positions([[0, 13, 54, 2, 1, 1], [0, 55, 12, 24, 9, 2]], padding_idx=1)
        array([[2, 3, 4, 5, 1, 1],
               [2, 3, 4, 5, 6, 7]])
    """
    ids = checks.whole_array("token_ids", token_ids, "T", leading=True, at_least=0)
    padding_idx = checks.whole_number(
        "padding_idx", padding_idx, at_least=0, at_most=checks.EXACT_INTEGERS
    )
    real = (ids != padding_idx).astype(np.int64)
    rows: NDArray[np.int64] = real * np.cumsum(real, axis=-1) + padding_idx
    return rows


def opt_positions(mask: ArrayLike) -> NDArray[np.int64]:
    """Rows of the position table that OPT and BioGPT read.

    With m = 1 for a real token and 0 for padding,

        row_t = m_t (m_0 + ... + m_t) + 1

    so real tokens read from row 2 and padding reads row 1. These are the rows of
    `offset_positions` with padding 1, found from the mask instead of the tokens.
    A table for n tokens has n + 2 rows.

    Args:
        mask: 1 or True for a real token, 0 or False for padding, shape `(..., T)`.

    Returns:
        Rows of the table, int64, shape `(..., T)`.

    Raises:
        TypeError: If `mask` holds other things than booleans or whole numbers.
        ValueError: If `mask` has no axis, or an entry other than 0 and 1.

    Examples:
        >>> from posenc_ref import opt_positions
        >>> opt_positions([[0, 0, 1, 1, 1]])
        array([[1, 1, 2, 3, 4]])
    """
    real = checks.mask_array("mask", mask, "T", leading=True).astype(np.int64)
    return real * np.cumsum(real, axis=-1) + 1


def grid_positions(height: int, width: int) -> NDArray[np.int64]:
    """Row and column of each patch of an image.

    Patches are counted row by row, as vision models flatten them: patch t stands
    at row t // width, column t % width.

    Args:
        height: Number of rows of patches, at least 1.
        width: Number of patches in a row, at least 1.

    Returns:
        Row and column of each patch, from 0, in patches, int64, shape
        `(height * width, 2)`.

    Raises:
        TypeError: If a count is not a whole number.
        ValueError: If a count is below 1, or their product is 2**58 or more.

    Examples:
        >>> from posenc_ref import grid_positions
        >>> grid_positions(2, 3)
        array([[0, 0],
               [0, 1],
               [0, 2],
               [1, 0],
               [1, 1],
               [1, 2]])
    """
    height = checks.whole_number("height", height, at_least=1)
    width = checks.whole_number("width", width, at_least=1)
    checks.result_fits(height=height, width=width)
    patches = np.arange(height * width, dtype=np.int64)
    return np.stack([patches // width, patches % width], axis=-1)


def _packed(name: str, lengths: ArrayLike) -> tuple[NDArray[np.int64], int]:
    """The lengths, and their sum as an int of Python, which cannot overflow."""
    counts = checks.whole_array(name, lengths, "n_documents", at_least=0)
    total = sum(counts.tolist())
    checks.result_fits(lengths=total)
    return counts, total
