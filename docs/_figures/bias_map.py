"""Explorer: what ALiBi adds to the score of each query and key, and the share that this leaves."""

from typing import Any

import numpy as np

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from _figures._sentence import weights
from _hooks.draw import number
from posenc_ref import alibi_bias, causal_mask

N, N_HEADS = 12, 8
FAMILIES = ("causal", "symmetric")
HEADS = [str(head + 1) for head in range(N_HEADS)]
SLOPES = [f"1/{2 ** (head + 1)}" for head in range(N_HEADS)]
BOUND = 4.0  # a toll of this size and more gets the full shade
LISTED = (0, 1, 2, 4, 8, 11)


def away(offset: int) -> str:
    """Where the key stands, seen from the query."""
    if offset == 0:
        return "is the query’s own token"
    tokens = "1 token" if abs(offset) == 1 else f"{abs(offset)} tokens"
    return f"stands {tokens} {'after' if offset > 0 else 'before'} the query"


def data() -> dict[str, Any]:
    bias = alibi_bias(N_HEADS, N, N)
    hidden = ~causal_mask(N, N)
    shown = {"causal": np.where(hidden, -np.inf, bias), "symmetric": bias}
    shares = [[weights(head) for head in shown[family]] for family in FAMILIES]
    offsets = range(1 - N, N)
    look = Lookup(
        {"family": FAMILIES, "head": HEADS, "query": N, "key": N},
        {"family": "causal", "head": "1", "query": 7, "key": 4},
    ).difference("offset", "key", "query")
    # The bias depends on the offset alone, so all cells of a diagonal show the same thing.
    at_offset = [
        [
            [
                None if family == "causal" and offset > 0 else round(-abs(offset) * slope, 4)
                for slope in bias[:, 1, 0] * -1
            ]
            for family in FAMILIES
        ]
        for offset in offsets
    ]
    for offset, values in zip(offsets, at_offset, strict=True):
        look.cell(f"by{offset}", ("family", "head"), values, digits=2, bound=BOUND)
    for position in range(N):
        chosen = [int(other == position) for other in range(N)]
        look.show(f"row{position}", ("query",), chosen)
        look.mark(f"column{position}", ("key",), chosen)
        look.mark(f"query{position}", ("query",), chosen)
        look.mark(f"key{position}", ("key",), chosen)
    look.text("slope", ("head",), SLOPES)
    look.text("away", ("offset",), [away(offset) for offset in offsets])
    look.number("bias", ("offset", "head"), _all_heads(bias, offsets), digits=4)
    look.number("share", ("family", "head", "query", "key"), np.round(shares, 6), digits=3)
    look.show("seen", ("family", "offset"), [[int(o <= 0) for o in offsets], [1] * len(offsets)])
    look.show("hidden", ("family", "offset"), [[int(o > 0) for o in offsets], [0] * len(offsets)])
    return look.data()


def _all_heads(bias: Any, offsets: range) -> list[list[float]]:
    return [np.round(bias[:, 0, abs(offset)], 4).tolist() for offset in offsets]


def cell(view: View, query: int, key: int) -> str:
    """A value, and over it a frame that shows in one row and is drawn in one column."""
    name = f"by{key - query}"
    value = view.value(name)
    shade = 0 if value is None else max(-1.0, value / BOUND)
    return (
        f'<td style="position:relative;padding:0"><span class="v" data-k="{name}" '
        f'data-pick="query={query} key={key}" style="--v:{shade:g};display:block;'
        'min-width:2.5em;min-height:1.5em;padding:.1em .25em;background:var(--shade)">'
        f"{view.words(name)}</span>{spot(view, query, key)}</td>"
    )


def spot(view: View, query: int, key: int) -> str:
    chosen = " data-chosen" if view.value(f"column{key}") else ""
    inner = f'<span data-k="column{key}"{chosen} style="position:absolute;inset:0"></span>'
    off = "" if view.value(f"row{query}") else " data-off"
    return f'<span data-k="row{query}"{off} style="pointer-events:none">{inner}</span>'


def head(view: View, what: str, position: int, scope: str) -> str:
    name = f"{what}{position}"
    chosen = " data-chosen" if view.value(name) else ""
    return f'<th scope="{scope}" class="{what}" data-k="{name}"{chosen}>{position}</th>'


def grid(view: View) -> str:
    across = "".join(head(view, "key", key, "col") for key in range(N))
    rows = "".join(
        f"<tr>{head(view, 'query', query, 'row')}"
        f"{''.join(cell(view, query, key) for key in range(N))}</tr>"
        for query in range(N)
    )
    return (
        '<table class="values"><caption style="caption-side:bottom;text-align:start">'
        "Rows: query. Columns: key. An empty cell is masked.</caption>"
        f"<thead><tr><td></td>{across}</tr></thead><tbody>{rows}</tbody></table>"
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    by_distance = [data["shown"][f"by{-distance}"]["values"][0] for distance in LISTED]
    rows = [
        number_row([slope], [values[h] for values in by_distance], digits=4)
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
            f"Bias at distances {number(LISTED[0], 0)} to {number(LISTED[-1], 0)}, as a table",
            number_table(("slope", *(str(d) for d in LISTED)), rows),
        ),
        lines=(6, 3),
    )
