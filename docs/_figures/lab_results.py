"""Explorer: every loss that the lab measured on a text, by scheme, length and seed."""

from collections.abc import Sequence
from typing import Any

from _figures._explorer import explorer
from _figures._lab import LENGTHS, NAMES, STRETCHED, TRAINED, by_seed, half, loss, rise
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import number, svg, text

SCHEMES = NAMES | STRETCHED
SEEDS = range(3)
TIMES = {64: "", 128: "twice", 256: "four times", 512: "eight times"}

LEFT, RIGHT, TOP, BOTTOM = 40, 330, 12, 196
LOWEST, HIGHEST = 1.6, 3.9
PITCH = (RIGHT - LEFT - 30) / (len(LENGTHS) - 1)


def place(length: int, value: float) -> tuple[float, float]:
    x = LEFT + 15 + PITCH * LENGTHS.index(length)
    return round(x, 1), round(TOP + (HIGHEST - value) / (HIGHEST - LOWEST) * (BOTTOM - TOP), 1)


def line(values: Sequence[float]) -> str:
    points = (place(n, value) for n, value in zip(LENGTHS, values, strict=True))
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def whiskers(scheme: str) -> str:
    """The interval of the mean at each length."""
    strokes = []
    for length in LENGTHS:
        mean, reach = loss(scheme, length), half(scheme, length)
        (x, top), (_, bottom) = place(length, mean + reach), place(length, mean - reach)
        strokes.append(f"M{x:g} {top:g}V{bottom:g}M{x - 5:g} {top:g}h10M{x - 5:g} {bottom:g}h10")
    return "".join(strokes)


def read(length: str) -> str:
    times = TIMES[int(length)]
    return f"{times} the trained length" if times else "the trained length"


def against(scheme: str, length: str) -> str:
    """What the three seeds say about the trained length and this one."""
    if int(length) == TRAINED:
        return "This is what the longer lengths are compared with."
    change = rise(scheme, int(length))
    if change.low <= 0 <= change.high:
        return (
            f"Three seeds do not tell it from the trained length: the difference is "
            f"{number(change.mean)} (interval {number(change.low)} to {number(change.high)})."
        )
    more = "More" if change.mean > 0 else "Less"
    near, far = sorted((abs(change.low), abs(change.high)))
    return (
        f"{more} than at the trained length, by {number(abs(change.mean))} "
        f"(interval {number(near)} to {number(far)})."
    )


def data() -> dict[str, Any]:
    look = Lookup(
        {"scheme": SCHEMES, "piece": list(LENGTHS), "seed": list(SEEDS)},
        {"scheme": "rope", "piece": "256", "seed": "0"},
    )
    seeds = {(scheme, length): by_seed(scheme, length) for scheme in SCHEMES for length in LENGTHS}
    look.text("name", ("scheme",), [name[0].upper() + name[1:] for name in SCHEMES.values()])
    look.text("read", ("piece",), [read(str(length)) for length in LENGTHS])
    look.echo("which", "seed")
    look.echo("pieces", "piece")
    every = ("scheme", "piece", "seed")
    look.number("loss", every, lambda s, n, seed: seeds[s, n][seed])
    both = ("scheme", "piece")
    look.number("mean", both, lambda s, n: loss(s, n))
    look.number("low", both, lambda s, n: loss(s, n) - half(s, n))
    look.number("high", both, lambda s, n: loss(s, n) + half(s, n))
    look.text("against", both, lambda s, n: against(s, str(n)))
    look.path(
        "line", ("scheme", "seed"), lambda s, seed: line([seeds[s, n][seed] for n in LENGTHS])
    )
    look.path("whiskers", ("scheme",), whiskers)
    look.move("dot", every, lambda s, n, seed: place(n, seeds[s, n][seed]))
    return look.data()


def axes() -> str:
    shapes = []
    for value in (2.0, 2.5, 3.0, 3.5):
        _, y = place(TRAINED, value)
        shapes.append(f'<path class="faint" d="M{LEFT} {y:g}H{RIGHT}"/>')
        shapes.append(text(LEFT - 8, y + 4, f"{value:.1f}", "small end"))
    for length in LENGTHS:
        x, _ = place(length, LOWEST)
        shapes.append(text(x, BOTTOM + 18, length, "small mid"))
    shapes.append(text(RIGHT, BOTTOM + 36, "characters in a piece", "small end"))
    return "".join(shapes)


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    others = data["shown"]["line"]["values"]
    background = "".join(f'<path class="faint" d="{lines[0]}"/>' for lines in others)
    picture = svg(
        "Loss by length. Faint lines: seed 0 of every scheme. The strong line: the chosen scheme "
        "and seed, with a dot at the chosen length. Bars: the interval of the mean.",
        240,
        axes()
        + background
        + view.line("whiskers", "line")
        + view.line("line", "curve position")
        + view.group("dot", '<circle class="tip position" r="6"/>'),
        "wide",
    )
    losses, means = (data["shown"][name]["values"] for name in ("loss", "mean"))
    rows = [
        number_row(
            [name, str(length), *(number(x, 3) for x in losses[s][k]), number(means[s][k], 3)]
        )
        for s, name in enumerate(SCHEMES.values())
        for k, length in enumerate(LENGTHS)
    ]
    return explorer(
        src,
        head="Trained on 64 characters, read at any length",
        controls=view.choices("scheme", "Scheme", tuple(SCHEMES.values()))
        + view.choices("piece", "Characters in a piece")
        + view.choices("seed", "Seed"),
        picture=picture,
        says=f"{view.blank('name')}, seed {view.blank('which')}, pieces of {view.blank('pieces')} "
        f"characters, {view.sentence('read')}: {view.blank('loss')} nats a character. Mean of "
        f"three seeds {view.blank('mean')}, interval {view.blank('low')} to {view.blank('high')}. "
        f"{view.sentence('against')}",
        table=(
            "All losses, as a table",
            number_table(("scheme", "length", *(f"seed {seed}" for seed in SEEDS), "mean"), rows),
        ),
        lines=(8, 4),
    )
