"""Explorer with a gate: perplexity and retrieval of a model with a window, from exact formulas."""

from typing import Any

from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import number, svg, text

NEAR, ANSWERS = 8, 4096  # equally good next tokens: near ones, and those of a far token
DRAWN = [2**power for power in range(6, 17)]  # windows of the curves
WINDOWS = DRAWN[::2]  # those to choose from
LENGTHS = [2**power for power in (10, 12, 14, 16)]
ONE_IN = [10**power for power in (1, 2, 3, 4)]
LEFT, STEP, HIGH, TOP, GAP = 44, 28, 76, 30, 44  # of the drawing
LARGEST = 16  # perplexity at the upper end of its scale


def found(window: int, length: int) -> float:
    """The share of clues in view, if every distance up to `length` is equally likely."""
    return min(1.0, window / length)


def perplexity(window: int, length: int, one_in: int) -> float:
    far = 1 / one_in
    return float(NEAR ** (1 - far) * ANSWERS ** (far * (1 - found(window, length))))


def retrieval(window: int, length: int) -> float:
    seen = found(window, length)
    return seen + (1 - seen) / ANSWERS


def loss_level(value: float) -> float:
    return TOP + HIGH * (1 - value / LARGEST)


def rate_level(value: float) -> float:
    return TOP + HIGH + GAP + HIGH * (1 - value)


def line(levels: list[float]) -> str:
    return "M" + "L".join(f"{LEFT + STEP * k} {level:.1f}" for k, level in enumerate(levels))


def loss_line(length: int, one_in: int) -> str:
    return line([loss_level(perplexity(window, length, one_in)) for window in DRAWN])


def rate_line(length: int) -> str:
    return line([rate_level(retrieval(window, length)) for window in DRAWN])


def worse(window: int, length: int, one_in: int) -> str:
    """How much worse than a model that sees all, in percent."""
    if window >= length:
        return "the same as that of a model that sees all"
    all_seen = perplexity(length, length, one_in)
    percent = number(100 * (perplexity(window, length, one_in) / all_seen - 1), 1)
    if percent == "0.0":
        return "less than 0.1% above that of a model that sees all"
    return f"{percent}% above that of a model that sees all"


def data() -> dict[str, Any]:
    look = Lookup(
        {"window": WINDOWS, "reach": LENGTHS, "share": ONE_IN},
        {"window": "1024", "reach": "16384", "share": "1000"},
    )
    every = ("window", "reach", "share")
    look.text("seen", ("window",), [f"{window:,}" for window in WINDOWS])
    look.text("far", ("reach",), [f"{length:,}" for length in LENGTHS])
    look.text("often", ("share",), [f"one in {one_in:,}" for one_in in ONE_IN])
    look.number("perplexity", every, perplexity, digits=2)
    look.text("worse", every, worse)
    look.number("rate", ("window", "reach"), lambda *at: 100 * retrieval(*at), digits=1)
    look.path("losses", ("reach", "share"), loss_line)
    look.path("rates", ("reach",), rate_line)
    look.move("across", ("window",), lambda window: (LEFT + STEP * DRAWN.index(window), 0))
    look.move("loss-dot", every, lambda *at: (0, loss_level(perplexity(*at))))
    look.move("rate-dot", ("window", "reach"), lambda *at: (0, rate_level(retrieval(*at))))
    return look.data()


def drawing(view: View) -> str:
    right = LEFT + STEP * (len(DRAWN) - 1)
    scales = [(loss_level(value), f"{value}") for value in (0, LARGEST // 2, LARGEST)]
    scales += [(rate_level(value), f"{100 * value:g}%") for value in (0, 0.5, 1)]
    rules = "".join(
        f'<path class="faint" d="M{LEFT} {level:g}H{right}"/>'
        + text(LEFT - 6, level + 4, words, "small end")
        for level, words in scales
    )
    foot = rate_level(0)
    names = text(LEFT, TOP - 12, "perplexity (lower is better)", "small strong")
    names += text(LEFT, rate_level(1) - 12, "needles found", "small strong")
    ticks = "".join(
        text(LEFT + STEP * k, foot + 18, f"{window:,}", "small mid")
        for k, window in enumerate(DRAWN)
        if window in WINDOWS
    )
    label = text((LEFT + right) / 2, foot + 38, "tokens in view", "small mid")
    dots = view.group(
        "across",
        view.group("loss-dot", '<circle class="tip sum" r="5"/>')
        + view.group("rate-dot", '<circle class="tip position" r="5"/>'),
    )
    return svg(
        "Two curves over the tokens in view: perplexity above, needles found below; a dot on each "
        "marks the chosen window.",
        foot + 46,
        rules
        + names
        + ticks
        + label
        + view.line("losses", "curve sum")
        + view.line("rates", "curve position")
        + dots,
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    length = int(data["start"]["reach"])
    rows = [
        number_row(
            [
                f"{window:,}",
                *(number(perplexity(window, length, one_in), 2) for one_in in ONE_IN),
                f"{number(100 * retrieval(window, length), 1)}%",
            ]
        )
        for window in WINDOWS
    ]
    shares = [f"1 in {one_in:,}" for one_in in ONE_IN]
    return explorer(
        src,
        head="Perplexity or retrieval",
        guess=gate(
            "A model sees 1,024 tokens; clues stand up to 16,384 back; one token in 1,000 needs "
            "one. How much worse is its perplexity than with all in view?",
            ("under 1%", "about 6%", "about 16 times"),
        ),
        controls=view.choices("window", "Tokens in view", [f"{window:,}" for window in WINDOWS])
        + view.choices("reach", "Clues stand back up to", [f"{length:,}" for length in LENGTHS])
        + view.choices("share", "Tokens that need a clue", shares),
        picture=drawing(view),
        says=f"The model sees {view.blank('seen')} tokens, clues stand up to {view.blank('far')} "
        f"back, and {view.blank('often')} tokens needs one. Perplexity is "
        f"{view.blank('perplexity')}, {view.sentence('worse')}. Of needles at random depths it "
        f"finds {view.blank('rate')}%.",
        table=(
            f"Perplexity and needles found, clues up to {length:,} back, as a table",
            number_table(("tokens in view", *shares, "needles found"), rows),
        ),
        lines=(6, 3),
    )
