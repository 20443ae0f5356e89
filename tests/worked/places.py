"""Where tokens stand: padded and packed rows, grids, distances, rows of position tables."""

from tests.worked.form import vector_set, worked

MASK = {"mask": ("1 for a real token, 0 for padding", "(n_rows, T)")}
LENGTHS = {"lengths": ("tokens in each document", "(n_documents,)")}
MASKS = {
    "left and right": ([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0]],),
    "no padding": ([[1, 1, 1, 1]],),
    "both sides, one real token": ([[0, 1, 1, 0], [0, 0, 0, 1]],),
}
TOKENS = [[0, 13, 54, 2, 1, 1], [1, 1, 0, 55, 9, 2]]
PACKED = {
    "three documents": ([3, 2, 4],),
    "documents of one token": ([1, 1, 5, 1],),
    "a single document": ([4],),
}
FROM_0 = "Positions count from 0"


def sets():
    yield whole(
        "positions-from-mask", "Positions of the real tokens of padded rows.",
        f"{FROM_0}; padding takes none and reads 0.",
        "m_t (m_0 + ... + m_t - 1)", MASK, "positions, shape (n_rows, T)",
        from_mask, MASKS,
    )  # fmt: skip
    yield whole(
        "positions-next", "Position of the token to be decoded next, one a row.",
        f"{FROM_0}, so it is the number of real tokens.",
        "m_0 + ... + m_(T-1)", MASK, "positions, shape (n_rows,)",
        after, MASKS,
    )  # fmt: skip
    yield whole(
        "positions-opt", "Rows of the position table that OPT and BioGPT read.",
        "The first real token reads row 2, padding row 1.",
        "m_t (m_0 + ... + m_t) + 1", MASK, "rows, shape (n_rows, T)",
        opt, MASKS,
    )  # fmt: skip
    yield whole(
        "positions-roberta", "Rows of the position table that RoBERTa and fairseq models read.",
        "The first real token reads row padding_idx + 1, padding row padding_idx.",
        "m_t (m_0 + ... + m_t) + padding_idx, m_t = 1 where the token is not padding_idx",
        {
            "token_ids": ("tokens of padded rows", "(n_rows, T)"),
            "padding_idx": ("token of padding", ""),
        },
        "rows, shape (n_rows, T)", roberta,
        {
            "padding is token 1": (TOKENS, 1),
            "padding is token 0": ([[7, 13, 4, 2, 0, 0], [0, 0, 7, 5, 12, 2]], 0),
        },
    )  # fmt: skip
    yield whole(
        "packed-positions", "Positions of documents packed into one row.",
        f"{FROM_0} again in each document.",
        "0, 1, ..., n - 1 for each length n", LENGTHS, "positions, shape (sum(lengths),)",
        lambda lengths: [position for n in lengths for position in range(n)], PACKED,
    )  # fmt: skip
    yield whole(
        "packed-segments", "Number of the document of each packed token.",
        "Documents count from 0.",
        "k, n times, for the length n of document k", LENGTHS,
        "document numbers, shape (sum(lengths),)",
        lambda lengths: [number for number, n in enumerate(lengths) for _ in range(n)], PACKED,
    )  # fmt: skip
    yield whole(
        "grid-positions", "Row and column of each patch of an image.",
        "Row first, then column, from 0; patches are listed row by row.",
        "t // width, t % width",
        {"height": ("rows of patches", ""), "width": ("patches in a row", "")},
        "row and column, shape (height * width, 2)",
        lambda height, width: [[row, column] for row in range(height) for column in range(width)],
        {"2 by 3": (2, 3), "3 by 1": (3, 1), "a single row": (1, 4)},
    )  # fmt: skip
    yield whole(
        "relative-positions", "Distance of each key from each query.",
        "Key minus query, the past is negative; the last query stands on the last key.",
        "j - i",
        {"n_queries": ("at most n_keys", ""), "n_keys": ("number of keys", "")},
        "distances, shape (n_queries, n_keys)",
        lambda n, keys: [[j - i for j in range(keys)] for i in range(keys - n, keys)],
        {"3 by 3": (3, 3), "one new token": (1, 4), "two new tokens": (2, 5)},
    )  # fmt: skip


def from_mask(mask):
    return [[m * (sum(row[: t + 1]) - 1) for t, m in enumerate(row)] for row in mask]


def after(mask):
    return [sum(row) for row in mask]


def opt(mask):
    return [[m * sum(row[: t + 1]) + 1 for t, m in enumerate(row)] for row in mask]


def roberta(tokens, padding):
    real = [[int(token != padding) for token in row] for row in tokens]
    return [[m * sum(row[: t + 1]) + padding for t, m in enumerate(row)] for row in real]


def whole(name, what, convention, formula, signature, returns, rule, inputs):
    return vector_set(
        name, what, convention, f"worked by hand: {formula}", signature,
        returns.replace(", shape", ", whole numbers, shape"), "whole", worked(rule, inputs),
    )  # fmt: skip
