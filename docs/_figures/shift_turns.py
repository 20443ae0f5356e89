"""Stepper: k tokens on, a pair has turned by k times its speed, wherever it started."""

from math import cos, degrees, sin
from typing import Any

from _hooks.draw import Frame, arc, cells, face, hand, number, slots, text
from posenc_ref import sinusoidal_inv_freq, sinusoidal_shift, sinusoidal_table

WIDTH, BASE = 4, 4.0  # with this base the second pair turns by 0.5 radians a token
PAIR = slice(2, 4)
STARTS = (1, 5)
SHIFT = 3

RADIUS = 68
DIAL_X, DIAL_Y = 104, 92
LEGEND_X = 218
# The equation "new pair = matrix × old pair", left to right.
NEW_X, MATRIX_X, OLD_X, EQUATION_Y = 50, 127, 269, 186
PITCH, HEIGHT = 58, 30


def data() -> dict[str, Any]:
    table = sinusoidal_table(max(STARTS) + SHIFT + 1, WIDTH, base=BASE)[:, PAIR]
    return {
        "speed": float(sinusoidal_inv_freq(WIDTH, base=BASE)[1]),
        "matrix": sinusoidal_shift(SHIFT, WIDTH, base=BASE)[PAIR, PAIR].tolist(),
        "pairs": {
            str(position): table[position].tolist()
            for start in STARTS
            for position in (start, start + SHIFT)
        },
    }


def rows(values: list[list[float]], what: str, name: str) -> str:
    """A small matrix with its name below."""
    below = f"translate(0 {HEIGHT + 4})"
    first, second = (cells(row, what, pitch=PITCH, height=HEIGHT) for row in values)
    middle = (len(values[0]) * PITCH - 4) / 2
    return first + f'<g transform="{below}">{second}</g>' + text(middle, 82, name, "small mid")


def empty(x: float, columns: int) -> str:
    return "".join(
        slots(columns, x=x, y=i * (HEIGHT + 4), pitch=PITCH, height=HEIGHT) for i in range(2)
    )


def legend(mark: str, words: str) -> str:
    return mark + text(32, 5, words)


def frames(data: dict[str, Any]) -> list[Frame]:
    speed, pairs = data["speed"], data["pairs"]
    turn = SHIFT * speed

    def values(position: int) -> str:
        return " and ".join(number(value) for value in pairs[str(position)])

    def column(position: int, what: str) -> str:
        return rows([[value] for value in pairs[str(position)]], what, f"position {position}")

    def tip(frame: Frame, key: str, position: int) -> None:
        """The number of a position, just beyond the tip of its hand."""
        reach, turned = RADIUS + 17, position * speed
        x, y = DIAL_X + reach * cos(turned), DIAL_Y - reach * sin(turned)
        frame.put(key, x, y, text(0, 5, position, "mid strong"))

    def dial(alt: str, start: int, end: int) -> Frame:
        """A dial with a hand at `start`, over another at `end`, above the column of `start`."""
        frame = Frame(alt, 276)
        frame.put("dial", DIAL_X, DIAL_Y, face(RADIUS))
        frame.put("end", DIAL_X, DIAL_Y, hand(RADIUS, "position"), turn=degrees(end * speed))
        frame.put("start", DIAL_X, DIAL_Y, hand(RADIUS, "slow"), turn=degrees(start * speed))
        tip(frame, "start-tip", start)
        frame.put("from", LEGEND_X, 60, legend(hand(22, "slow"), f"position {start}"))
        names = text(-8, 20, "sin", "small end") + text(-8, 54, "cos", "small end")
        places = empty(NEW_X, 1) + empty(MATRIX_X, 2) + empty(OLD_X, 1)
        frame.put("slots", 0, EQUATION_Y, places)
        frame.put("names", NEW_X, EQUATION_Y, names)
        return frame.put("old", OLD_X, EQUATION_Y, column(start, "slow"), enter="start")

    def before(alt: str, start: int) -> Frame:
        """Both hands in one place, so that the second can turn away from under the first."""
        return dial(alt, start, start)

    def after(alt: str, start: int) -> Frame:
        end = start + SHIFT
        frame = dial(alt, start, end)
        tip(frame, "end-tip", end)
        between = f'<path class="arc score" d="{arc(turn, 34)}"/>'
        frame.put("arc", DIAL_X, DIAL_Y, between, turn=degrees(start * speed))
        frame.put("to", LEGEND_X, 92, legend(hand(22, "position"), f"position {end}"))
        sample = '<path class="arc score" d="M0 0H26"/>'
        frame.put("by", LEGEND_X, 124, legend(sample, f"{turn:g} radians"))
        return frame.put("new", NEW_X, EQUATION_Y, column(end, "position"), enter="end")

    def explained(alt: str, start: int) -> Frame:
        frame = after(alt, start)
        square = rows(data["matrix"], "score", f"move by {SHIFT}")
        frame.put("matrix", MATRIX_X, EQUATION_Y, square, enter="arc")
        frame.put("equals", NEW_X + 65, EQUATION_Y + 36, text(0, 0, "=", "mid strong"))
        return frame.put("times", OLD_X - 15, EQUATION_Y + 36, text(0, 0, "×", "mid strong"))

    first, again = STARTS
    matrix = "; ".join(" and ".join(number(value) for value in row) for row in data["matrix"])
    return [
        before(
            f"A dial with one hand at position {first}. Its sine and cosine: {values(first)}.",
            first,
        ),
        after(
            f"A second hand at position {first + SHIFT}, {turn:g} radians further round. "
            f"Its sine and cosine: {values(first + SHIFT)}.",
            first,
        ),
        before(
            f"Both hands together at position {again}. Sine and cosine: {values(again)}.", again
        ),
        after(
            f"The second hand at position {again + SHIFT}, the same {turn:g} radians further "
            f"round. Its sine and cosine: {values(again + SHIFT)}.",
            again,
        ),
        explained(
            f"Between the two columns the matrix of a move by {SHIFT}: {matrix}. "
            f"It takes the values of position {again} to those of position {again + SHIFT}.",
            again,
        ),
    ]
