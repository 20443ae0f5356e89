"""Explorer: the four terms of a Transformer-XL score, switched one by one on the example."""

from itertools import product
from typing import Any

import numpy as np

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from _figures._sentence import D_MODEL, vectors, weights
from posenc_ref import causal_mask, relative_shift, transformer_xl_scores

ORDERS = {"dog bites man": ("dog", "bites", "man"), "man bites dog": ("man", "bites", "dog")}
N = 3
# Toy vectors. Of distance 2, 1, 0, and two that stand for the query wherever it is.
R = ((0.0, 0.0, 0.0, 2.0), (0.0, 0.0, 2.0, 0.0), (0.0, 0.0, 0.0, 0.0))
U = (0.0, 1.0, 0.0, 0.0)
V = (0.0, 0.0, 1.0, 0.0)
TERMS = {"a": "a: q·k", "b": "b: q·r", "c": "c: u·k", "d": "d: v·r"}
SWITCH = ("on", "off")


def terms(words: tuple[str, ...]) -> dict[str, Any]:
    """Each term's scores, (query, key), all times 1 / sqrt(d)."""
    x, r, root = vectors(words), np.array(R), np.sqrt(D_MODEL)
    parts = {
        "a": x @ x.T / root,
        "b": relative_shift(x @ r.T) / root,
        "c": np.tile(np.array(U) @ x.T, (N, 1)) / root,
        "d": relative_shift(np.tile(np.array(V) @ r.T, (N, 1))) / root,
    }
    sees = causal_mask(N, N)
    whole = transformer_xl_scores(x, x, r, U, V)
    if not np.allclose(sum(parts.values())[sees], whole[sees]):
        raise ValueError("the four terms must add up to transformer_xl_scores")
    return parts


def finding(on: tuple[bool, ...]) -> str:
    by_query, by_distance = on[1], on[3]
    if not any(on):
        return "All terms are off, so the three words share alike."
    if by_query and by_distance:
        return "Distance counts twice: once as the asking word wants it, once for any word."
    if by_query:
        return "Distance counts, and how much depends on the word that asks."
    if by_distance:
        return "Distance counts, in the same way for every word that asks."
    return "No term knows a distance: a word would score the same in any place."


def data() -> dict[str, Any]:
    controls = {"order": list(ORDERS)} | dict.fromkeys(TERMS, SWITCH)
    start = {"order": "dog bites man", "a": "on", "b": "on", "c": "off", "d": "off"}
    look = Lookup(controls, start)
    by = ("order", *TERMS)
    states = list(product((True, False), repeat=len(TERMS)))
    shape = (len(ORDERS), *[len(SWITCH)] * len(TERMS))
    sees = causal_mask(N, N)
    scores, shares = [], []
    for words in ORDERS.values():
        parts = terms(words)
        for on in states:
            total = sum(
                (parts[name] for name, there in zip(TERMS, on, strict=True) if there),
                start=np.zeros((N, N)),
            )
            scores.append(total)
            shares.append(weights(np.where(sees, total, -np.inf))[-1])
    all_scores = np.array(scores).round(6).reshape(*shape, N, N)
    all_shares = np.array(shares).round(6).reshape(*shape, N)
    for m in range(N):
        look.text(f"word{m}", ("order",), [words[m] for words in ORDERS.values()])
        look.number(f"says{m}", by, all_shares[..., m])
        look.cell(f"share{m}", by, all_shares[..., m])
        for n in range(m + 1):
            look.cell(f"score{m}{n}", by, all_scores[..., m, n], digits=1, bound=4)
    listed = [
        " + ".join(name for name, there in zip(TERMS, on, strict=True) if there) or "no term"
        for on in states
    ]
    names = np.array([listed] * len(ORDERS)).reshape(shape)
    look.text("terms", by, names)
    look.text(
        "finding", by, np.array([[finding(on) for on in states]] * len(ORDERS)).reshape(shape)
    )
    return look.data()


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    words = [view.blank(f"word{m}") for m in range(N)]
    head = "".join(f'<th scope="col">{word}</th>' for word in words)
    body = "".join(
        f'<tr><th scope="row">{words[m]} asks</th>'
        + "".join(
            view.cell(f"score{m}{n}") if n <= m else '<td class="v">masked</td>' for n in range(N)
        )
        + "</tr>"
        for m in range(N)
    )
    share = "".join(view.cell(f"share{n}") for n in range(N))
    picture = (
        f'<table class="values"><thead><tr><th scope="col">scores</th>{head}</tr></thead>'
        f'<tbody>{body}<tr><th scope="row">shares of the last row</th>{share}</tr></tbody></table>'
    )
    rows = [
        number_row([order, label], terms(order_words)[name][-1], digits=1)
        for order, order_words in ORDERS.items()
        for name, label in TERMS.items()
    ]
    return explorer(
        src,
        head="Four terms, four switches",
        controls=view.choices("order", "Sentence")
        + "".join(view.choices(name, label) for name, label in TERMS.items()),
        picture=picture,
        says=f"Score = {view.blank('terms')}. The last word, “{words[2]}”, attends "
        f"{words[0]} {view.blank('says0')}, {words[1]} {view.blank('says1')}, "
        f"{words[2]} {view.blank('says2')}. {view.blank('finding')}",
        table=(
            "What each term adds in the last row, as a table",
            number_table(("sentence", "term", "first word", "second", "third"), rows),
        ),
        lines=(6, 3),
    )
