"""Stepper: trained on 8 positions, asked for 16; what each rule does to fast and slow pairs."""

from math import pi
from typing import Any

from _hooks.draw import Frame, number, text
from posenc_ref import rotary_inv_freq, scale_linear, scale_ntk, scale_yarn

WIDTH, BASE, FACTOR, TRAINED = 8, 2.0, 2.0, 8
ASKED = int(FACTOR) * TRAINED
BETA_FAST, BETA_SLOW = 1.2, 1.0  # turns; in eight tokens no pair makes the usual 32
NAMES = ("fastest", "fast", "slow", "slowest")
LEFT, TOP, UNIT, ROW = 22, 46, 20.5, 58


def data() -> dict[str, Any]:
    """By how much each rule divides the speed of each pair, and which pairs came round."""
    speeds = rotary_inv_freq(WIDTH, BASE)
    yarn = scale_yarn(
        WIDTH,
        BASE,
        factor=FACTOR,
        trained_length=TRAINED,
        beta_fast=BETA_FAST,
        beta_slow=BETA_SLOW,
    )
    rules = {
        "none": speeds,
        "linear": scale_linear(speeds, factor=FACTOR).inv_freq,
        "ntk": scale_ntk(WIDTH, BASE, factor=FACTOR).inv_freq,
        "yarn": yarn.inv_freq,
    }
    return {
        "divisors": {name: (speeds / scaled).tolist() for name, scaled in rules.items()},
        "came_round": [bool(turn >= 2 * pi) for turn in speeds * TRAINED],
    }


def known(data: dict[str, Any], rule: str, pair: int, position: int) -> bool:
    """Whether training has shown the angle: the pair came round, or had turned as far."""
    place: float = position / data["divisors"][rule][pair]
    return bool(data["came_round"][pair]) or place < TRAINED


def unknown(data: dict[str, Any], rule: str) -> int:
    """How many of the dots drawn, over all pairs, stand at angles that training never showed."""
    return sum(
        not known(data, rule, pair, position)
        for pair in range(len(NAMES))
        for position in range(ASKED)
    )


def picture(data: dict[str, Any], alt: str, rule: str, count: int) -> Frame:
    frame = Frame(alt, 262)
    legend = "box: as far as training turned it. Struck through: a new angle"
    frame.put("legend", LEFT - 10, 254, text(0, 0, legend, "small"))
    for pair, name in enumerate(NAMES):
        y, divisor = TOP + ROW * pair, data["divisors"][rule][pair]
        box = f'<rect class="box" width="{TRAINED * UNIT + 10:g}" height="28" rx="6"/>'
        frame.put(f"window{pair}", LEFT - 10, y - 14, box)
        round_or_not = "came round" if data["came_round"][pair] else "did not come round"
        frame.put(f"name{pair}", LEFT - 10, y - 20, text(0, 0, f"{name}: {round_or_not}", "small"))
        says = "speed kept" if divisor < 1 + 1e-9 else f"speed ÷ {number(divisor, 2)}"
        frame.put(f"divisor{pair}", 350, y - 20, text(0, 0, says, "small end"))
        frame.put(f"ruler{pair}", LEFT, y, f'<path class="line" d="M0 0H{(ASKED - 1) * UNIT:g}"/>')
        for position in range(count):
            is_known = known(data, rule, pair, position)
            dot = (
                '<circle class="tip position" r="4"/>'
                if is_known
                else '<circle class="box key" r="4.5"/><path class="line" d="M-3 3L3 -3"/>'
            )
            enter = f"dot{pair}-{position - TRAINED}" if position >= TRAINED else ""
            frame.put(
                f"dot{pair}-{position}", LEFT + position / divisor * UNIT, y, dot, enter=enter
            )
    return frame


def frames(data: dict[str, Any]) -> list[Frame]:
    new = {rule: unknown(data, rule) for rule in data["divisors"]}
    return [
        picture(data, "Four rulers, a pair each; eight dots inside the box.", "none", TRAINED),
        picture(
            data,
            f"Sixteen dots on each ruler; {new['none']} dots of the slower two are struck "
            "through: they lie beyond the box.",
            "none",
            ASKED,
        ),
        picture(
            data,
            "All dots are at half steps, inside the box; none is struck through.",
            "linear",
            ASKED,
        ),
        picture(
            data,
            "The fastest pair is at whole steps again, the slowest at half steps; "
            f"{new['ntk']} dots of the slow pair are struck through.",
            "ntk",
            ASKED,
        ),
        picture(
            data,
            "The fastest at whole steps, the next between, the slower two at half steps; no dot "
            "is struck through.",
            "yarn",
            ASKED,
        ),
    ]
