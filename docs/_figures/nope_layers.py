"""Explorer: no positions at all; swap the first two words and see which outputs notice."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer
from _figures._lookup import Lookup
from _figures._sentence import D_MODEL, WORDS, attend, vectors
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View

SWAPPED = ("bites", "dog", "man")
DEPTHS = (1, 2, 3)
MASKS = {"none": "none (encoder)", "causal": "causal (decoder)"}
READ = ("man", "dog", "bites")
AXES = ("depth", "mask", "word")
NOISE = 1e-9  # what two sums of the same numbers may differ by

Vector = NDArray[np.floating]


@cache
def outputs(words: tuple[str, ...], depth: int, mask: str) -> dict[str, Vector]:
    """Each word's vector after some layers of bare attention: identity matrices, no positions."""
    x = attend(vectors(words), depth, causal=mask == "causal")
    return dict(zip(words, x, strict=True))


def first(depth: int, mask: str, word: str) -> Vector:
    return outputs(WORDS, depth, mask)[word]


def second(depth: int, mask: str, word: str) -> Vector:
    return outputs(SWAPPED, depth, mask)[word]


def change(depth: int, mask: str, word: str) -> Vector:
    difference: Vector = second(depth, mask, word) - first(depth, mask, word)
    return difference


def largest(depth: int, mask: str, word: str) -> float:
    return float(np.abs(change(depth, mask, word)).max())


def verdict(depth: int, mask: str, word: str) -> str:
    return "changes" if largest(depth, mask, word) > NOISE else "does not change"


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
        {"depth": DEPTHS, "mask": MASKS, "word": READ},
        {"depth": "2", "mask": "causal", "word": "man"},
    )
    look.cells("first", AXES, first).cells("second", AXES, second).cells("change", AXES, change)
    look.number("largest", AXES, largest)
    look.text("layers", ("depth",), ["1 layer", "2 layers", "3 layers"])
    look.text("masked", ("mask",), ["no mask", "a causal mask"])
    look.echo("read", "word")
    look.text("verdict", AXES, verdict)
    look.text("why", AXES, why)
    return look.data()


def comparison(view: View) -> str:
    names = {"first": " ".join(WORDS), "second": " ".join(SWAPPED), "change": "change"}
    return cell_table(
        (
            head(f"output of {view.blank('read')}"),
            head(f"its {D_MODEL} numbers", across=D_MODEL),
        ),
        (row((head(words, "row"), view.cells(name, D_MODEL))) for name, words in names.items()),
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    differences = data["shown"]["largest"]["values"]
    rows = [
        number_row([f"{words}, {depth}"], differences[i][k], digits=3)
        for k, words in enumerate(MASKS.values())
        for i, depth in enumerate(DEPTHS)
    ]
    return explorer(
        src,
        head="Swap the first two words",
        controls=view.choices("depth", "Layers")
        + view.choices("mask", "Mask", list(MASKS.values()))
        + view.choices("word", "Read the output of"),
        picture=comparison(view),
        says=f"With {view.blank('masked')} and {view.blank('layers')}, the output of "
        f"“{view.blank('read')}” {view.blank('verdict')} when “dog” and “bites” change "
        f"places: the largest difference is {view.blank('largest')}. {view.blank('why')}",
        table=(
            "Largest difference in every state, as a table",
            number_table(("mask, layers", *READ), rows),
        ),
        lines=(7, 4),
    )
