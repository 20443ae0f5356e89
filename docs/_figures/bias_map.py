"""Explorer: what ALiBi adds to the score of each query and key, and the share that this leaves."""

from functools import partial
from typing import Any

import numpy as np

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._sentence import weights
from _figures._tables import cell_table, number_row, number_table, row
from _figures._view import View
from posenc_ref import alibi_bias, causal_mask

N, N_HEADS = 12, 8
HEADS = range(1, N_HEADS + 1)
SLOPES = [f"1/{2**head}" for head in HEADS]
BOUND = 4  # a toll of this size and more gets the full shade
LISTED = (0, 1, 2, 4, 8, 11)


def away(offset: int) -> str:
    """Where the key stands, seen from the query."""
    if offset == 0:
        return "is the query’s own token"
    tokens = "1 token" if abs(offset) == 1 else f"{abs(offset)} tokens"
    return f"stands {tokens} {'after' if offset > 0 else 'before'} the query"


def is_hidden(family: str, offset: int) -> bool:
    return family == "causal" and offset > 0


def data() -> dict[str, Any]:
    bias = alibi_bias(N_HEADS, N, N)
    shown = {"causal": np.where(causal_mask(N, N), bias, -np.inf), "symmetric": bias}
    look = Lookup(
        {"family": shown, "head": HEADS, "query": N, "key": N},
        {"family": "causal", "head": "1", "query": 7, "key": 4},
    ).difference("offset", "key", "query")

    def added(offset: int, head: int) -> float:
        return float(bias[head - 1, 0, abs(offset)])

    def cell(offset: int, family: str, head: int) -> float | None:
        return None if is_hidden(family, offset) else added(offset, head)

    # The bias depends on the offset alone, so all cells of a diagonal show the same thing.
    for offset in range(1 - N, N):
        look.cell(f"by{offset}", ("family", "head"), partial(cell, offset), digits=2, bound=BOUND)
    for position in range(N):
        is_chosen = [other == position for other in range(N)]
        look.mark(f"query{position}", ("query",), is_chosen)
        look.mark(f"key{position}", ("key",), is_chosen)
    shares = [[weights(head) for head in heads] for heads in shown.values()]
    look.text("slope", ("head",), SLOPES)
    look.text("away", ("offset",), away)
    look.number("bias", ("offset", "head"), added, digits=4)
    look.number("share", ("family", "head", "query", "key"), shares)
    look.show("seen", ("family", "offset"), lambda *state: not is_hidden(*state))
    look.show("hidden", ("family", "offset"), is_hidden)
    return look.data()


def grid(view: View) -> str:
    def head(what: str, position: int, scope: str) -> str:
        return view.element("th", f"{what}{position}", str(position), scope=scope, class_=what)

    def line(query: int) -> str:
        cells = (view.cell(f"by{key - query}", query=query, key=key) for key in range(N))
        return row((head("query", query, "row"), *cells))

    return cell_table(
        ("<td></td>", *(head("key", key, "col") for key in range(N))),
        map(line, range(N)),
        caption="Rows: query. Columns: key. An empty cell is masked.",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    bias = data["shown"]["bias"]["values"]  # by offset, from 1 - N on
    rows = [
        number_row([slope], [bias[N - 1 - distance][h] for distance in LISTED])
        for h, slope in enumerate(SLOPES)
    ]
    return explorer(
        src,
        head="What is added to each score",
        controls=view.choices("family", "Form", ("causal", "symmetric (encoder)"))
        + view.choices("head", "Head, by its slope", SLOPES)
        + view.slider("query", "Query at position", "query")
        + view.slider("key", "Key at position", "key"),
        picture=grid(view),
        says=f"In the head of slope {view.blank('slope')} the key {view.blank('away')}. "
        + view.only(
            "seen",
            f"Added to its score: {view.blank('bias')}. If all scores were equal, the bias alone "
            f"would give this key {view.blank('share')} of the attention.",
        )
        + view.only("hidden", "The causal mask hides it, so no bias matters: it gets nothing."),
        table=(
            f"Bias at distances {LISTED[0]} to {LISTED[-1]}, as a table",
            number_table(("slope", *map(str, LISTED)), rows),
        ),
        lines=(6, 3),
    )
