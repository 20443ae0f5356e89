"""Explorer: what rounding does to the hands of RoPE at a few telling positions."""

from functools import cache
from math import degrees, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from _figures._explorer import explorer, gate
from _figures._formats import FORMATS, whole
from _figures._lookup import Lookup
from _figures._tables import number_table
from _figures._view import View
from _hooks.draw import face, hand, svg, text
from posenc_ref import rotary_inv_freq

WIDTH, BASE = 128, 500000.0
POSITIONS = (255, 257, 1000, 4095, 15962, 100000, 1000000)
WHAT = {
    "nothing": ("nothing", "Nothing is rounded."),
    "ends": ("cos and sin, at the end", "Angles are exact; cosines and sines are rounded to {}."),
    "angles": ("angles", "Position times speed is rounded to {}."),
    "positions": ("positions", "Positions are rounded to {}, and nothing else."),
    "speeds": ("speeds", "Speeds are rounded to {}, and nothing else."),
    "all": ("everything", "Positions, speeds, angles, cosines and sines are rounded to {}."),
}
PAIRS = (0, 1, 2, 16, 32, 63)
FIRST_SLOW = 16  # fp16 holds the angles of these pairs at all positions shown
GUESSES = ("pair 0, the fastest", "pair 1", "pair 63, the slowest")
TOP, RADIUS, ACROSS, DOWN = 24, 42, 120, 134
AXES = ("position", "what", "format")
CLEAR = 0.1  # radians from which a hand is plainly elsewhere


class Hands(NamedTuple):
    """Of all pairs: the exact angle, how far the angle is off, and what stands in the table."""

    exact: NDArray[np.float64]
    off: NDArray[np.float64]
    cos: NDArray[np.float64]
    sin: NDArray[np.float64]

    def cos_off(self) -> NDArray[np.float64]:
        return np.abs(self.cos - np.cos(self.exact))


@cache
def hands(position: int, what: str, format: str) -> Hands:
    """A number too large for its format leaves an angle, cosine and sine that are no numbers."""
    narrow = FORMATS[format]

    def held(*whats: str) -> Any:
        return narrow if what in (*whats, "all") else whole

    speeds = rotary_inv_freq(WIDTH, BASE)
    exact = position * speeds
    angle = held("angles")(held("positions")(position) * held("speeds")(speeds))
    angle[~np.isfinite(angle)] = np.nan
    cos, sin = held("ends")(np.cos(angle)), held("ends")(np.sin(angle))
    off = np.abs(angle - exact)
    if what == "ends":  # no angle is rounded, but the hand that is kept points elsewhere
        turned = (cos + 1j * sin) * np.exp(-1j * exact)
        off = np.abs(np.angle(turned))
    return Hands(exact, off, cos, sin)


def size(value: float) -> str:
    """An error in a few digits, whatever its size."""
    if not isfinite(value):
        return "no number"
    if value == 0:
        return "0"
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 0.01:
        return f"{value:.3f}"
    return f"{value:.6f}" if value >= 1e-6 else "<0.000001"


def rounds_positions(what: str) -> bool:
    return what in ("positions", "all")


def stored(position: int, format: str) -> str:
    kept = float(FORMATS[format](position))
    if not isfinite(kept):
        return f"The position is too large for {format}."
    if kept == position:
        return f"{format} holds the position exactly."
    return f"The position is stored as {kept:,.0f}."


def lost(*state: Any) -> int:
    """How many pairs have no angle, since something is too large for the format."""
    return int(np.isnan(hands(*state).off).sum())


def state_of(*state: Any) -> str:
    """Which sentence is true of all the pairs together."""
    found = hands(*state)
    if lost(*state) == len(found.off):
        return "gone"
    return "off" if np.nanmax(found.off) > 0 else "exact"


def largest(*state: Any) -> float:
    return 0.0 if state_of(*state) == "gone" else float(np.nanmax(hands(*state).off))


def worst_pair(*state: Any) -> int:
    return 0 if state_of(*state) == "gone" else int(np.nanargmax(hands(*state).off))


def worst_cos(*state: Any) -> float:
    return 0.0 if state_of(*state) == "gone" else float(np.nanmax(hands(*state).cos_off()))


def n_off(*state: Any) -> int:
    return int((hands(*state).off > CLEAR).sum())


def there(name: str, *state: Any) -> bool:
    """Whether the fast pairs shown have a hand, or the slow ones."""
    cosines = hands(*state).cos[[pair for pair in PAIRS if name == kind(pair)]]
    [answer] = set(np.isfinite(cosines).tolist())  # the pairs of a kind agree
    return bool(answer)


def kind(pair: int) -> str:
    return "fast" if pair < FIRST_SLOW else "slow"


def shown_turn(pair: int, *state: Any) -> float:
    """A hand that is not there rests at the start."""
    found = hands(*state)
    if not isfinite(found.cos[pair]):
        return 0.0
    return degrees(np.arctan2(found.sin[pair], found.cos[pair]))


def add_pair(look: Lookup, pair: int) -> None:
    look.turn(
        f"exact{pair}",
        AXES[:1],
        lambda position: degrees(hands(position, "nothing", "bf16").exact[pair]) % 360,
    )
    look.turn(f"kept{pair}", AXES, lambda *state: shown_turn(pair, *state))
    look.text(f"off{pair}", AXES, lambda *state: size(hands(*state).off[pair]))
    look.text(f"cos{pair}", AXES, lambda *state: size(hands(*state).cos_off()[pair]))


def data() -> dict[str, Any]:
    look = Lookup(
        {"position": POSITIONS, "what": WHAT, "format": FORMATS},
        {"position": "4095", "what": "speeds", "format": "bf16"},
    )
    look.text("said", AXES[1:], lambda what, format: WHAT[what][1].format(format))
    look.text("at", AXES[:1], lambda position: f"{position:,}")
    look.show("rounds", ("what",), rounds_positions)
    look.text("stored", ("position", "format"), stored)
    for name in ("exact", "gone", "off"):
        look.show(name, AXES, lambda *state, name=name: state_of(*state) == name)
    look.show("lost", AXES, lambda *state: lost(*state) > 0)
    look.text("n-lost", AXES, lambda *state: str(lost(*state)))
    look.text("largest", AXES, lambda *state: size(largest(*state)))
    look.text("pair", AXES, lambda *state: str(worst_pair(*state)))
    look.text("largest-cos", AXES, lambda *state: size(worst_cos(*state)))
    look.text("n-off", AXES, lambda *state: str(n_off(*state)))
    for name in ("fast", "slow"):
        look.show(f"there-{name}", AXES, lambda *state, name=name: there(name, *state))
    for pair in PAIRS:
        add_pair(look, pair)
    return look.data()


def dials(view: View) -> str:
    drawn = text(180, 14, "long: exact, short: after rounding, number: radians off", "small mid")
    for index, pair in enumerate(PAIRS):
        x, y = 60 + ACROSS * (index % 3), TOP + 50 + DOWN * (index // 3)
        kept = view.group(
            f"there-{kind(pair)}", view.group(f"kept{pair}", hand(RADIUS - 14, "position"))
        )
        drawn += (
            f'<g transform="translate({x},{y})">{face(RADIUS)}'
            + view.group(f"exact{pair}", hand(RADIUS, "other"))
            + kept
            + text(0, RADIUS + 18, f"pair {pair}", "small mid strong")
            + view.text(f"off{pair}", 0, RADIUS + 34, "small mid")
            + "</g>"
        )
    return svg(
        "A dial for each of six pairs: the long hand is the exact angle, the short one the angle "
        "after rounding. Below each, how far the angle is off in radians.",
        TOP + 2 * DOWN - 4,
        drawn,
        "wide",
    )


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    rows = (
        f"<tr><td>{pair}</td><td>{view.blank(f'off{pair}')}</td>"
        f"<td>{view.blank(f'cos{pair}')}</td></tr>"
        for pair in PAIRS
    )
    missing = f"Pairs without an angle, since it is too large: {view.blank('n-lost')}. "
    off = (
        view.only("lost", missing)
        + f"Largest angle error: {view.blank('largest')} rad, full turns counted, in pair "
        f"{view.blank('pair')}; "
        f"largest cosine error: {view.blank('largest-cos')}. "
        f"Pairs off by more than {CLEAR} rad: {view.blank('n-off')} of {WIDTH // 2}."
    )
    return explorer(
        src,
        head="What is rounded, and how far off it leads",
        guess=gate(
            "Position 4,095, base 500,000. The speeds are rounded to bf16, nothing else. Which "
            "pair ends farthest from its angle?",
            GUESSES,
        ),
        controls=view.choices("position", "Position", [f"{p:,}" for p in POSITIONS])
        + view.choices("what", "What is rounded", [words for words, _ in WHAT.values()])
        + view.choices("format", "To", list(FORMATS)),
        picture=dials(view),
        says=f"Position {view.blank('at')}. {view.sentence('said')} "
        + view.only("rounds", f"{view.sentence('stored')} ")
        + view.only("exact", f"All {WIDTH // 2} hands are where they belong.")
        + view.only("gone", f"None of the {WIDTH // 2} pairs has an angle.")
        + view.only("off", off),
        table=(
            "Errors of the six pairs, as a table",
            number_table(("pair", "angle off by, rad", "cosine off by"), rows),
        ),
        lines=(9, 4),
    )
