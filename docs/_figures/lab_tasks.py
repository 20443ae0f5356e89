"""Explorer: who does which toy task, as an encoder and as a decoder."""

from typing import Any

from _figures._explorer import explorer
from _figures._lab import KINDS, NAMES, SCHEMES, TASKS, right, score, sizes
from _figures._lookup import Lookup
from _figures._tables import cell_table, head, number_row, number_table, row
from _figures._view import View
from _hooks.draw import listed, number

SEEDS = range(3)
DONE = 0.99  # of characters, by every seed
WHAT = {name: "digits" if name == "addition" else "letters" for name in TASKS}


def who(task: str, kind: str, *, double: bool) -> str:
    """The schemes that do it, in words."""
    able = [
        NAMES[scheme] for scheme in SCHEMES if min(score(task, kind, scheme, double=double)) >= DONE
    ]
    if not able:
        return "no scheme"
    return able[0] if len(able) == 1 else listed(able)


def data() -> dict[str, Any]:
    both = ("task", "kind")
    look = Lookup({"task": TASKS, "kind": KINDS}, {"task": "reverse", "kind": "encoder"})
    look.text("small", ("task",), [f"{sizes(task)[0]} {WHAT[task]}" for task in TASKS])
    look.text("large", ("task",), [f"{sizes(task)[1]} {WHAT[task]}" for task in TASKS])
    look.echo("title", "task")
    look.echo("model", "kind")
    for place, double in (("trained", False), ("double", True)):
        look.text(f"who-{place}", both, lambda t, k, d=double: who(t, k, double=d))
        for scheme in SCHEMES:
            look.cells(
                f"{place}-{scheme}",
                both,
                lambda t, k, s=scheme, d=double: list(score(t, k, s, double=d)),
                digits=2,
            )
    return look.data()


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    sizes_shown = cell_table(
        [
            head("scheme"),
            head(view.element("span", "small"), across=len(SEEDS)),
            head(view.element("span", "large"), across=len(SEEDS)),
        ],
        [
            row(
                [
                    head(NAMES[scheme], "row"),
                    view.cells(f"trained-{scheme}", len(SEEDS)),
                    view.cells(f"double-{scheme}", len(SEEDS)),
                ]
            )
            for scheme in SCHEMES
        ],
        caption="Share of characters that are right, one column a seed",
    )
    rows = [
        number_row(
            [task, kind, NAMES[scheme]],
            [right(task, kind, scheme), right(task, kind, scheme, double=True)],
            digits=3,
        )
        for task in TASKS
        for kind in KINDS
        for scheme in SCHEMES
    ]
    return explorer(
        src,
        head="Five tasks, six schemes, three seeds",
        controls=view.choices("task", "Task") + view.choices("kind", "Model"),
        picture=sizes_shown,
        says=f"Task {view.blank('title')}, {view.blank('model')}. With {view.sentence('small')}, "
        f"the largest size of training, every seed has at least {number(100 * DONE, 0)} % of the "
        f"characters right with: {view.sentence('who-trained')}. With {view.sentence('large')}: "
        f"{view.sentence('who-double')}.",
        table=(
            "All means of three seeds, as a table",
            number_table(("task", "model", "scheme", "trained size", "twice that"), rows),
        ),
        lines=(7, 4),
    )
