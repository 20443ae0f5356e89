"""Explorer: no positions at all; swap the first two words and see which outputs notice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._controls import number_row, number_table
from _figures._lookup import Lookup, View, explorer
from _figures._sentence import D_MODEL, WORDS, vectors
from posenc_ref import attention, causal_mask

SWAPPED = ("bites", "dog", "man")
DEPTHS = ("1", "2", "3")
MASKS = {"none": "none (encoder)", "causal": "causal (decoder)"}
READ = ("man", "dog", "bites")


def outputs(words: tuple[str, ...], depth: int, mask: str) -> dict[str, NDArray[np.floating]]:
    """Each word's vector after some layers of bare attention: identity matrices, no positions."""
    x: NDArray[np.floating] = vectors(words)
    sees = causal_mask(len(words), len(words)) if mask == "causal" else None
    for _ in range(depth):
        x = attention(x, x, x, mask=sees)
    return dict(zip(words, x, strict=True))


def why(depth: int, mask: str, word: str) -> str:
    if mask == "none":
        return "Without a mask every word reads the same bag, in any order."
    if word != "man":
        return "It now sees other words than before, so one layer is enough."
    if depth == 1:
        return "The last word sees the same bag, and each word in it enters as it came."
    return "The words before it now carry what they could see, so the order shows."


def data() -> dict[str, Any]:
    look = Lookup(
        {"depth": DEPTHS, "mask": list(MASKS), "word": READ},
        {"depth": "2", "mask": "causal", "word": "man"},
    )
    by = ("depth", "mask", "word")
    runs = [
        [(outputs(WORDS, int(n), mask), outputs(SWAPPED, int(n), mask)) for mask in MASKS]
        for n in DEPTHS
    ]
    # + 0.0: rounding must leave no negative zero, which JSON would keep.
    first = np.array([[[a[w] for w in READ] for a, _ in row] for row in runs]).round(6) + 0.0
    second = np.array([[[b[w] for w in READ] for _, b in row] for row in runs]).round(6) + 0.0
    for j in range(D_MODEL):
        look.cell(f"first{j}", by, first[..., j])
        look.cell(f"second{j}", by, second[..., j])
        look.cell(f"change{j}", by, (second - first)[..., j] + 0.0)
    largest = np.abs(second - first).max(axis=-1).round(6)
    look.number("largest", by, largest)
    look.text("layers", ("depth",), ["1 layer", "2 layers", "3 layers"])
    look.text("masked", ("mask",), ["no mask", "a causal mask"])
    look.text("read", ("word",), READ)
    look.text(
        "verdict",
        by,
        [[["changes" if v else "does not change" for v in row] for row in m] for m in largest],
    )
    look.text("why", by, [[[why(int(n), m, w) for w in READ] for m in MASKS] for n in DEPTHS])
    return look.data()


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)

    def line(name: str, words: str) -> str:
        cells = "".join(view.cell(f"{name}{j}") for j in range(D_MODEL))
        return f'<tr><th scope="row">{words}</th>{cells}</tr>'

    picture = (
        '<table class="values"><thead><tr>'
        f'<th scope="col">output of {view.blank("read")}</th>'
        f'<th scope="col" colspan="{D_MODEL}">its {D_MODEL} numbers</th></tr></thead><tbody>'
        f"{line('first', ' '.join(WORDS))}{line('second', ' '.join(SWAPPED))}"
        f"{line('change', 'change')}</tbody></table>"
    )
    largest = data["shown"]["largest"]["values"]
    rows = [
        number_row([f"{words}, {depth}"], largest[i][k], digits=3)
        for k, words in enumerate(MASKS.values())
        for i, depth in enumerate(DEPTHS)
    ]
    return explorer(
        src,
        head="Swap the first two words",
        controls=view.choices("depth", "Layers")
        + view.choices("mask", "Mask", list(MASKS.values()))
        + view.choices("word", "Read the output of"),
        picture=picture,
        says=f"With {view.blank('masked')} and {view.blank('layers')}, the output of "
        f"“{view.blank('read')}” {view.blank('verdict')} when “dog” and “bites” change "
        f"places: the largest difference is {view.blank('largest')}. {view.blank('why')}",
        table=(
            "Largest difference in every state, as a table",
            number_table(("mask, layers", *READ), rows),
        ),
        lines=(7, 4),
    )
