"""Stepper: scores by distance become scores by key: a zero before each row, then one reshape."""

from typing import Any

import numpy as np

from _hooks.draw import Frame, cell, slots, text
from posenc_ref import relative_shift, transformer_xl_distances

N = 3
LEFT, TOP, PITCH, ROW = 88, 54, 66, 44


def data() -> dict[str, Any]:
    """Each score is told by its query and its distance: 10 * query + distance; a zero by -1."""
    distances = transformer_xl_distances(N, N, causal=True)
    scores = 10 * np.arange(N)[:, None] + distances + 1.0  # from 1 on, so that 0 is padding
    return {
        "by_distance": (scores - 1).astype(int).tolist(),
        "by_key": (relative_shift(scores) - 1).astype(int).tolist(),
        "distances": distances.tolist(),
    }


def frames(data: dict[str, Any]) -> list[Frame]:
    by_distance, by_key = data["by_distance"], data["by_key"]

    def name(score: int) -> str:
        return f"q{score // 10} d{score % 10}"

    def is_sound(query: int, key: int) -> bool:
        return bool(by_key[query][key] == 10 * query + (query - key))

    def put(frame: Frame, score: int, row: int, column: int, junk: bool = False) -> None:
        what = "other" if junk else "query"
        frame.put(
            name(score),
            LEFT + PITCH * column,
            TOP + ROW * row,
            cell(0, 0, what, PITCH - 4, 34, name(score)),
        )

    def put_zero(frame: Frame, row: int, at: int, column: int) -> None:
        frame.put(
            f"zero{row}",
            LEFT + PITCH * column,
            TOP + ROW * at,
            cell(0, 0, "other", PITCH - 4, 34, "0"),
        )

    def heads(frame: Frame, title: str, words: list[str], first: int = 0) -> None:
        frame.put(f"title-{title}", 6, 20, text(0, 0, title, "small"))
        for j, word in enumerate(words):
            x = LEFT + PITCH * (j + first) + (PITCH - 4) / 2
            frame.put(f"head-{title}-{word}", x, 44, text(0, 0, word, "small mid"))

    def row_names(frame: Frame, start: int = 0) -> None:
        for m in range(N):
            y = TOP + ROW * (m + start) + 22
            frame.put(f"row{m}", 6, y, text(0, 0, f"query {m}", "small query"))

    def empty(frame: Frame, rows: int, columns: int) -> None:
        for m in range(rows):
            frame.put(f"slots{m}", LEFT, TOP + ROW * m, slots(columns, pitch=PITCH))

    distances = [f"dist. {d}" for d in data["distances"]]
    keys = [f"key {n}" for n in range(N)]

    def nine_scores(alt: str, *, marked: bool) -> Frame:
        """The table as it is computed; `marked` tells the scores that will be junk."""
        frame = Frame(alt, 232)
        empty(frame, N, N)
        heads(frame, "one column for each distance", distances)
        row_names(frame)
        for m in range(N):
            for j in range(N):
                put(frame, by_distance[m][j], m, j, junk=marked and data["distances"][j] > m)
        return frame

    start = nine_scores(
        "A table of nine scores: a row for each query, a column for each distance.", marked=False
    )
    needed = nine_scores(
        "Three of the nine are distances that would lie before the first key.", marked=True
    )

    padded = Frame("A zero stands before each row, so that each row has four entries.", 232)
    heads(padded, "a zero before each row", distances, first=1)
    row_names(padded)
    for m in range(N):
        put_zero(padded, m, m, 0)
        for j in range(N):
            put(padded, by_distance[m][j], m, j + 1, junk=data["distances"][j] > m)

    flat = [None if j == 0 else by_distance[m][j - 1] for m in range(N) for j in range(N + 1)]
    rows = [flat[i : i + N] for i in range(0, len(flat), N)]

    def laid(frame: Frame, first: int) -> None:
        for i, row in enumerate(rows[first:]):
            for j, score in enumerate(row):
                at = (i + first) * N + j
                if score is None:
                    put_zero(frame, at // (N + 1), i, j)
                else:
                    put(frame, score, i, j, junk=score % 10 > score // 10)

    turned = Frame("The same twelve entries in the same order, now in four rows of three.", 232)
    heads(turned, "the same numbers, in rows of three", [])
    laid(turned, 0)

    final = Frame(
        "Three rows are left. Under key 0, 1 and 2 the last row holds the distances 2, 1, 0; "
        "above the diagonal stands junk.",
        232,
    )
    empty(final, N, N)
    heads(final, "first row dropped: one column for each key", keys)
    row_names(final)
    laid(final, 1)
    for m in range(N):
        for n in range(m + 1):
            if not is_sound(m, n):
                raise ValueError(f"query {m} must meet key {n} at distance {m - n}")
    return [start, needed, padded, turned, final]
