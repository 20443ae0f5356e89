"""Usual mistakes with the positions of tokens. Result: what each of them gives."""

from collections.abc import Callable
from typing import Any

import numpy as np

Mistakes = dict[str, Callable[..., Any]]


def _counted(mask: Any) -> Any:
    return np.cumsum(mask, axis=-1)


def _all(mask: Any) -> Any:
    """0, 1, 2, ... in every row, padding counted as well."""
    return np.broadcast_to(np.arange(mask.shape[-1]), mask.shape)


FROM_MASK: Mistakes = {
    "off by one: counted from 1": lambda m: m * _counted(m),
    "padding is counted: 0, 1, 2, ... in every row": _all,
    "padding at the left is counted, padding reads 0": lambda m: m * _all(m),
    "padding is not set to 0 (the running count less 1)": lambda m: _counted(m) - 1,
    "padding reads 1 (the fill of older generation code)": lambda m: np.where(
        m, _counted(m) - 1, 1
    ),
    "padding reads -1": lambda m: np.where(m, _counted(m) - 1, -1),
}
NEXT: Mistakes = {
    "padding is counted: the length of the row": lambda m: np.full(len(m), m.shape[-1]),
    "off by one: the position of the last token": lambda m: m.sum(-1) - 1,
    "off by one: one further": lambda m: m.sum(-1) + 1,
    "the place in the row, not the position": lambda m: (_all(m) * m).max(-1) + 1,
}
OPT: Mistakes = {
    "no offset: rows from 0": lambda m: m * (_counted(m) - 1),
    "off by one: real tokens from row 1": lambda m: m * _counted(m),
    "off by one: real tokens from row 3": lambda m: m * _counted(m) + 2,
    "padding is counted: 2, 3, 4, ... in every row (as in BART)": lambda m: _all(m) + 2,
    "padding reads row 0": lambda m: m * (_counted(m) + 1),
    "padding is not set back to row 1": lambda m: _counted(m) + 1,
}


def _rows(ids: Any, pad: int) -> Any:
    real = (ids != pad).astype(np.int64)
    return real * _counted(real) + pad


ROBERTA: Mistakes = {
    "no offset: rows from 0": lambda ids, pad: np.maximum(_rows(ids, pad) - pad - 1, 0),
    "off by one: real tokens from row padding_idx": lambda ids, pad: np.maximum(
        _rows(ids, pad) - 1, pad
    ),
    "padding is counted: from padding_idx + 1 in every row": lambda ids, pad: _all(ids) + pad + 1,
    "padding_idx not used: 1 stands in its place": lambda ids, pad: _rows(ids, 1),
    "the offset is 1, whatever padding_idx": lambda ids, pad: _rows(ids, pad) - pad + 1,
    "padding reads row 0": lambda ids, pad: np.where(ids == pad, 0, _rows(ids, pad)),
    "the offset is missing: real tokens from row 1": lambda ids, pad: _rows(ids, pad) - pad,
}


def _in_turn(lengths: Any) -> Any:
    return np.concatenate([np.arange(n) for n in lengths])


def _numbered(lengths: Any) -> Any:
    return np.repeat(np.arange(len(lengths)), lengths)


PACKED: Mistakes = {
    "never starts again: counted through the row": lambda lengths: np.arange(lengths.sum()),
    "off by one: counted from 1": lambda lengths: _in_turn(lengths) + 1,
    "the numbers of the documents": _numbered,
    "counted down": lambda lengths: np.concatenate([np.arange(n)[::-1] for n in lengths]),
    "one left free after each document": lambda lengths: (
        np.arange(lengths.sum()) + _numbered(lengths)
    ),
}
SEGMENTS: Mistakes = {
    "documents counted from 1": lambda lengths: _numbered(lengths) + 1,
    "the positions inside the documents": _in_turn,
    "one document for all": lambda lengths: np.zeros(lengths.sum(), np.int64),
    "the start of each document": lambda lengths: np.repeat(np.cumsum(lengths) - lengths, lengths),
}


def _grid(height: int, width: int) -> Any:
    return np.stack(np.divmod(np.arange(height * width), width), -1)


GRID: Mistakes = {
    "column first, then row (x, y)": lambda h, w: _grid(h, w)[:, ::-1],
    "listed column by column": lambda h, w: _grid(w, h)[:, ::-1],
    "height and width exchanged": lambda h, w: _grid(w, h),
    "counted from 1": lambda h, w: _grid(h, w) + 1,
    "centred on 0": lambda h, w: 2 * _grid(h, w) - [h - 1, w - 1],
}


def _distances(n: int, k: int, first: int) -> Any:
    return np.arange(k) - np.arange(first, first + n)[:, None]


RELATIVE: Mistakes = {
    "the other sign: query minus key": lambda n, k: -_distances(n, k, k - n),
    "the first query stands on the first key": lambda n, k: _distances(n, k, 0),
    "the sign is lost": lambda n, k: np.abs(_distances(n, k, k - n)),
    "keys down, queries across": lambda n, k: _distances(n, k, k - n).T,
    "both: query minus key, from the first key": lambda n, k: -_distances(n, k, 0),
}

PLACES: dict[str, Mistakes] = {
    "positions-from-mask": FROM_MASK,
    "positions-next": NEXT,
    "positions-opt": OPT,
    "positions-roberta": ROBERTA,
    "packed-positions": PACKED,
    "packed-segments": SEGMENTS,
    "grid-positions": GRID,
    "relative-positions": RELATIVE,
}
