"""Explorer: which layout the weights, the query's code and the key's code use, and the score."""

from itertools import product
from typing import Any

import numpy as np

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from _hooks.draw import hand, number
from posenc_ref import apply_rotary, rotary_cos_sin, rotary_inv_freq, rotary_permutation
from posenc_ref.pairs import Pairing

WIDTH, BASE, N_POSITIONS = 8, 100.0, 16
LAYOUTS: tuple[Pairing, ...] = ("half", "interleaved")
# One query and one key, written in the half layout: small whole numbers, chosen by hand.
QUERY = (2, 1, 0, 1, 1, -1, 1, 0)
KEY = (1, 1, 1, 0, 2, 0, -1, 1)
LIMIT = 10  # of the dial, beyond every score
CENTRE, LONG, SHORT = (180, 128), 104, 82
LISTED = ((0, 0), (1, 1), (3, 3), (5, 0), (0, 5), (5, 2), (15, 3))

VERDICTS = {
    (True, True): "Rows, query and key agree: the score is right at every pair of positions.",
    (False, True): "The query alone is turned in another layout: the score is right for all "
    "vectors only while the query is at position 0.",
    (True, False): "The key alone is turned in another layout: the score is right for all "
    "vectors only while the key is at position 0.",
    (False, False): "Query and key agree, but not with the rows: the score is right for all "
    "vectors only where both are at the same position.",
}


def turned(rows: Pairing, code: Pairing, vector: tuple[int, ...]) -> np.ndarray:
    """The vector at every position, once it lies as `rows` and is turned by code for `code`."""
    features = np.array(vector, float)
    if rows == "interleaved":
        features = features[rotary_permutation(WIDTH, source="half", target="interleaved")]
    rotation = rotary_cos_sin(np.arange(N_POSITIONS), rotary_inv_freq(WIDTH, base=BASE))
    return apply_rotary(np.tile(features, (N_POSITIONS, 1)), rotation, layout=code)


def data() -> dict[str, Any]:
    right = (turned("half", "half", QUERY) @ turned("half", "half", KEY).T).round(2)
    scores = np.array(
        [
            [
                [turned(rows, by_query, QUERY) @ turned(rows, by_key, KEY).T for by_key in LAYOUTS]
                for by_query in LAYOUTS
            ]
            for rows in LAYOUTS
        ]
    ).round(2)
    layouts = list(LAYOUTS)
    look = Lookup(
        {
            "rows": layouts,
            "by-query": layouts,
            "by-key": layouts,
            "query": N_POSITIONS,
            "key": N_POSITIONS,
        },
        {"rows": "half", "by-query": "interleaved", "by-key": "half", "query": 5, "key": 2},
    )
    everything = ("rows", "by-query", "by-key", "query", "key")
    counted = [str(position) for position in range(N_POSITIONS)]
    look.text("query-at", ("query",), counted)
    look.text("key-at", ("key",), counted)
    look.number("right", ("query", "key"), right, digits=2)
    look.number("score", everything, scores, digits=2)
    look.number("error", everything, (scores - right).round(2), digits=2)
    look.turn("right-hand", ("query", "key"), degrees(right))
    look.turn("score-hand", everything, degrees(scores))
    verdicts = [
        [[VERDICTS[by_query == rows, by_key == rows] for by_key in LAYOUTS] for by_query in LAYOUTS]
        for rows in LAYOUTS
    ]
    look.text("verdict", ("rows", "by-query", "by-key"), verdicts)
    return look.data()


def degrees(scores: np.ndarray) -> np.ndarray:
    """A dial from -LIMIT on the left to LIMIT on the right."""
    return (90 - 90 * scores / LIMIT).round().astype(int)


def dial(view: View) -> str:
    x, y = CENTRE
    ticks = ""
    for value in (-LIMIT, -LIMIT // 2, 0, LIMIT // 2, LIMIT):
        angle = np.pi / 2 - np.pi / 2 * value / LIMIT
        across, up = np.cos(angle), np.sin(angle)
        ticks += (
            f'<path class="line" d="M{x + 108 * across:.1f} {y - 108 * up:.1f}'
            f'L{x + 114 * across:.1f} {y - 114 * up:.1f}"/>'
            f'<text x="{x + 128 * across:.1f}" y="{y + 4 - 122 * up:.1f}" class="small mid">'
            f"{number(value, 0)}</text>"
        )
    names = (
        '<path class="hand sum" d="M60 152h26"/><text x="94" y="157" class="small">right score'
        '</text><path class="hand thin other" d="M200 152h26"/>'
        '<text x="234" y="157" class="small">this score</text>'
    )
    return (
        '<svg class="wide" viewBox="0 0 360 166" role="img" aria-label="A half dial with two '
        'hands: a long one for the right score, a short one for the score of the chosen layouts.">'
        f'{ticks}<g transform="translate({x},{y})">'
        f"{view.group('right-hand', hand(LONG, 'sum'))}"
        f"{view.group('score-hand', hand(SHORT, 'other thin'))}</g>{names}</svg>"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    right = data["shown"]["right"]["values"]
    scores = np.array(data["shown"]["score"]["values"])[0]  # rows in halves
    rows = [
        number_row(
            [f"{m}, {n}", number(right[m][n], 2)]
            + [
                number(scores[by_query, by_key, m, n], 2)
                for by_query, by_key in product((0, 1), repeat=2)
                if by_query or by_key
            ]
        )
        for m, n in LISTED
    ]
    return explorer(
        src,
        head="Three places where the layout must agree",
        controls=view.choices("rows", "Weights have their rows in", LAYOUTS)
        + view.choices("by-query", "Code turns the query as", LAYOUTS)
        + view.choices("by-key", "Code turns the key as", LAYOUTS)
        + view.slider("query", "Query at position", "query")
        + view.slider("key", "Key at position", "key"),
        picture=dial(view),
        says=f"Query at {view.blank('query-at')}, key at {view.blank('key-at')}: the score is "
        f"{view.blank('score')}, the right one {view.blank('right')}, the error "
        f"{view.blank('error')}. {view.blank('verdict')}",
        table=(
            "Scores with rows in halves, as a table",
            number_table(
                ("positions", "right", "key interleaved", "query interleaved", "both interleaved"),
                rows,
            ),
        ),
        lines=(7, 4),
    )
