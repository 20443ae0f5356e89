"""Explorer: which layout the weights, the query's code and the key's code use, and the score."""

from functools import cache
from itertools import product
from math import cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import hand, number, svg, text
from posenc_ref import apply_rotary, rotary_cos_sin, rotary_inv_freq, rotary_permutation
from posenc_ref.pairs import Pairing

WIDTH, BASE, N_POSITIONS = 8, 100.0, 16
LAYOUTS: tuple[Pairing, ...] = ("half", "interleaved")
# One query and one key, written in the half layout: small whole numbers, chosen by hand.
QUERY = (2, 1, 0, 1, 1, -1, 1, 0)
KEY = (1, 1, 1, 0, 2, 0, -1, 1)
LIMIT = 10  # of the dial, beyond every score
X, Y, LONG, SHORT = 180, 128, 104, 82
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


def turned(rows: Pairing, code: Pairing, vector: tuple[int, ...]) -> NDArray[np.floating]:
    """The vector at every position, once it lies as `rows` and is turned by code for `code`."""
    features = np.array(vector, float)
    if rows == "interleaved":
        features = features[rotary_permutation(WIDTH, source="half", target="interleaved")]
    rotation = rotary_cos_sin(np.arange(N_POSITIONS), rotary_inv_freq(WIDTH, base=BASE))
    return apply_rotary(np.tile(features, (N_POSITIONS, 1)), rotation, layout=code)


@cache
def scores(rows: Pairing, by_query: Pairing, by_key: Pairing) -> NDArray[np.floating]:
    """Of every pair of positions, (query, key)."""
    found: NDArray[np.floating] = turned(rows, by_query, QUERY) @ turned(rows, by_key, KEY).T
    return found


def degrees(score: NDArray[np.floating]) -> NDArray[np.floating]:
    """A dial from -LIMIT on the left to LIMIT on the right."""
    return 90 - 90 * score / LIMIT


def verdict(rows: Pairing, by_query: Pairing, by_key: Pairing) -> str:
    return VERDICTS[by_query == rows, by_key == rows]


def data() -> dict[str, Any]:
    layouts, positions = ("rows", "by-query", "by-key"), ("query", "key")
    look = Lookup(
        {**dict.fromkeys(layouts, LAYOUTS), **dict.fromkeys(positions, N_POSITIONS)},
        {"rows": "half", "by-query": "interleaved", "by-key": "half", "query": 5, "key": 2},
    )
    right = scores("half", "half", "half")
    every = (*layouts, *positions)
    shown = np.array([scores(*state) for state in product(LAYOUTS, repeat=len(layouts))])
    shown = shown.reshape(*[len(LAYOUTS)] * len(layouts), *right.shape)
    look.echo("query-at", "query").echo("key-at", "key")
    look.number("right", positions, right, digits=2)
    look.number("score", every, shown, digits=2)
    look.number("error", every, shown - right, digits=2)
    look.turn("right-hand", positions, degrees(right))
    look.turn("score-hand", every, degrees(shown))
    look.text("verdict", layouts, verdict)
    return look.data()


def dial(view: View) -> str:
    ticks = ""
    for value in (-LIMIT, -LIMIT // 2, 0, LIMIT // 2, LIMIT):
        angle = pi / 2 - pi / 2 * value / LIMIT
        across, up = cos(angle), sin(angle)
        ticks += (
            f'<path class="line" d="M{X + 108 * across:.1f} {Y - 108 * up:.1f}'
            f'L{X + 114 * across:.1f} {Y - 114 * up:.1f}"/>'
        ) + text(X + 128 * across, Y + 4 - 122 * up, number(value, 0), "small mid")
    names = (
        '<path class="hand sum" d="M60 152h26"/>'
        + text(94, 157, "right score", "small")
        + '<path class="hand thin other" d="M200 152h26"/>'
        + text(234, 157, "this score", "small")
    )
    hands = view.group("right-hand", hand(LONG, "sum"))
    hands += view.group("score-hand", hand(SHORT, "other thin"))
    return svg(
        "A half dial with two hands: a long one for the right score, a short one for the score of "
        "the chosen layouts.",
        166,
        f'{ticks}<g transform="translate({X},{Y})">{hands}</g>{names}',
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    right = data["shown"]["right"]["values"]
    in_halves = data["shown"]["score"]["values"][LAYOUTS.index("half")]
    wrong = [in_halves[q][k] for q, k in product(range(len(LAYOUTS)), repeat=2) if q or k]
    rows = [
        number_row([f"{m}, {n}", *(number(found[m][n], 2) for found in (right, *wrong))])
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
