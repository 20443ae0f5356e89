"""Explorer: what each model of the lab writes after a line end, all seeds, none picked out."""

from typing import Any

from _figures._explorer import explorer
from _figures._lab import NAMES, SCHEMES, by_seed, samples
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import number

SEEDS = range(3)


def data() -> dict[str, Any]:
    look = Lookup(
        {"scheme": SCHEMES, "seed": list(SEEDS)},
        {"scheme": "none", "seed": "0"},
    )
    names = [NAMES[scheme] for scheme in SCHEMES]
    look.text("name", ("scheme",), [name[0].upper() + name[1:] for name in names])
    look.echo("which", "seed")
    look.text("written", ("scheme", "seed"), [samples(scheme) for scheme in SCHEMES])
    look.number("loss", ("scheme", "seed"), [list(by_seed(scheme)) for scheme in SCHEMES], digits=2)
    return look.data()


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    look = "white-space:pre-wrap;min-height:17em;margin:0;font-family:var(--md-code-font-family)"
    written = view.element("p", "written", style=look, translate="no")
    rows = [
        number_row([NAMES[scheme], *(number(loss, 2) for loss in losses)])
        for scheme, losses in zip(SCHEMES, data["shown"]["loss"]["values"], strict=True)
    ]
    return explorer(
        src,
        head="What a model writes",
        controls=view.choices("scheme", "Scheme", tuple(NAMES[scheme] for scheme in SCHEMES))
        + view.choices("seed", "Seed"),
        picture=written,
        says=f"{view.blank('name')}, seed {view.blank('which')}: "
        f"{view.blank('loss')} nats a character on text that it never saw.",
        table=(
            "Losses of all that write here, as a table",
            number_table(("scheme", *(f"seed {seed}" for seed in SEEDS)), rows),
        ),
        lines=(2, 1),
    )
