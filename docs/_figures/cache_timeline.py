"""Explorer: a row of tokens with padding and eviction; which number each token has, and sees."""

from functools import cache
from math import degrees
from typing import Any, NamedTuple

from _figures._explorer import explorer, gate
from _figures._lookup import Lookup
from _figures._tables import number_row, number_table
from _figures._view import View
from _hooks.draw import svg, text
from posenc_ref import positions_from_mask, rotary_inv_freq

PADDINGS = {
    "none": ("None", (1, 1, 1)),
    "left": ("Left", (0, 0, 1, 1, 1)),
    "right": ("Right", (1, 1, 1, 0, 0)),
}
EVICTIONS = {"off": "Off", "on": "On"}
NUMBERINGS = {
    "true": "True place",
    "rows": "Rows in the cache",
    "anew": "Rows, keys turned anew",
}
MOST, ROWS, SINKS = 5, 4, 1  # tokens decoded, rows of the cache, first tokens that stay
COLUMNS = 5 + MOST
GUESSES = ("Its true place", "The rows in the cache", "Either will do")
SPEED = float(rotary_inv_freq(2)[0])  # of the fastest pair: one radian a token
LEFT, PITCH, CELL = 84, 27, 24
TOKEN_Y, ID_Y, DIAL_Y, SEEN_Y, TRUE_Y, RADIUS = 10, 56, 82, 118, 140, 11


class Timeline(NamedTuple):
    """A row after some steps; all lists by column, and `cached` holds columns of real tokens."""

    mask: list[int]
    places: list[int]
    ids: list[int]
    cached: list[int]

    @property
    def query(self) -> int:
        return max(column for column, real in enumerate(self.mask) if real)

    @property
    def dropped(self) -> int:
        return sum(self.mask) - len(self.cached)

    def seen(self, column: int) -> int:
        return self.ids[self.query] - self.ids[column]

    def true(self, column: int) -> int:
        return self.places[self.query] - self.places[column]


@cache
def timeline(padding: str, decoded: int, evict: str, numbering: str) -> Timeline:
    prompt = list(PADDINGS[padding][1])
    mask = prompt + [1] * decoded
    places = positions_from_mask(mask).tolist()
    rows = list(range(len(prompt)))  # columns in the cache, padding too
    ids = rows.copy() if numbering == "rows" else places[: len(prompt)]
    for new in range(len(prompt), len(mask)):
        if evict == "on" and len(rows) >= ROWS:
            real = [column for column in rows if mask[column]]
            rows = real[:SINKS] + real[SINKS:][SINKS - ROWS + 1 :]
        ids.append(len(rows) if numbering == "rows" else places[new])
        rows.append(new)
    cached = [column for column in rows if mask[column]]
    if numbering == "anew":
        for row, column in enumerate(cached):
            ids[column] = row
    return Timeline(mask, places, ids, cached)


def letter(row: Timeline, column: int) -> str:
    """The first token is A, padding is a dash."""
    return chr(ord("A") + row.places[column]) if row.mask[column] else "–"


def back(distance: int) -> str:
    if distance == 0:
        return "at its own place"
    return f"{distance} back" if distance > 0 else f"{-distance} ahead"


def kind(row: Timeline) -> str:
    """right, shifted, closed (a convention of its own) or wrong."""
    shifts = {row.ids[column] - row.places[column] for column in row.cached}
    if shifts == {0}:
        return "right"
    if len(shifts) == 1:
        return "shifted"
    return "closed" if row.ids[row.cached[0]] == 0 and is_run(row) else "wrong"


def is_run(row: Timeline) -> bool:
    return [row.ids[column] for column in row.cached] == list(range(len(row.cached)))


def verdict(*state: Any) -> str:
    row = timeline(*state)
    found = kind(row)
    first = row.cached[0]
    name = letter(row, first)
    if found == "right":
        if row.dropped:
            return "All ids are true places: each distance to a kept token is right."
        return "All ids are true places, as in one pass."
    if found == "shifted":
        many = row.ids[first] - row.places[first]
        return (
            f"Every id is {many} too large. Distances are right: RoPE and ALiBi do not notice, a "
            "table reads wrong rows."
        )
    if found == "closed":
        return (
            f"The kept keys were turned anew and close the gap: {name} is now "
            f"{back(row.seen(first))}, not {row.true(first)}. All ids fit together."
        )
    others = [column for column in row.cached if column != row.query]
    wrong = [column for column in others if row.seen(column) != row.true(column)]
    worst = max(wrong, key=lambda column: abs(row.seen(column) - row.true(column)))
    off = abs(row.seen(worst) - row.true(worst))
    are = "is" if len(wrong) == 1 else "are"
    return (
        f"{len(wrong)} of {len(others)} distances {are} wrong: {letter(row, worst)}, "
        f"{row.true(worst)} back, is seen {back(row.seen(worst))}. The fastest pair is {off} rad "
        "off."
    )


def data() -> dict[str, Any]:
    look = Lookup(
        {"padding": PADDINGS, "decoded": MOST + 1, "evict": EVICTIONS, "numbering": NUMBERINGS},
        {"padding": "none", "decoded": MOST, "evict": "on", "numbering": "rows"},
    )
    every = ("padding", "decoded", "evict", "numbering")
    tokens, kept = every[:2], every[:3]

    def plain(padding: str, decoded: int, evict: str = "off") -> Timeline:
        """A row where the controls left out do not matter."""
        return timeline(padding, decoded, evict, "true")

    for column in range(COLUMNS):

        def is_there(row: Timeline, column: int = column) -> bool:
            return column < len(row.mask)

        def is_cached(row: Timeline, column: int = column) -> bool:
            return column in row.cached

        def name(*state: Any, column: int = column) -> str:
            row = plain(*state)
            return letter(row, column) if is_there(row, column) else ""

        def given(*state: Any, column: int = column) -> str:
            row = timeline(*state)
            if column in row.cached or (is_there(row, column) and not row.mask[column]):
                return str(row.ids[column])
            return ""

        def turned(*state: Any, column: int = column) -> int:
            row = timeline(*state)
            return round(degrees(row.ids[column] * SPEED)) if column in row.cached else 0

        def seen(*state: Any, column: int = column) -> str:
            row = timeline(*state)
            return str(row.seen(column)).replace("-", "−") if column in row.cached else ""

        def true(*state: Any, column: int = column) -> str:
            row = plain(*state)
            return str(row.true(column)) if column in row.cached else ""

        look.text(f"t{column}", tokens, name)
        look.show(f"in{column}", kept, lambda *state, c=column: is_cached(plain(*state), c))
        look.show(f"at{column}", tokens, lambda *state, c=column: is_there(plain(*state), c))
        look.text(f"i{column}", every, given)
        look.turn(f"k{column}", every, turned)
        look.text(f"s{column}", every, seen)
        look.text(f"d{column}", kept, true)
    look.move("asks", tokens, lambda *state: (LEFT + PITCH * plain(*state).query - 2, 4))
    look.text("token", tokens, lambda *state: letter(plain(*state), plain(*state).query))
    look.text("place", tokens, lambda *state: str(plain(*state).places[plain(*state).query]))
    look.text("id", every, lambda *state: str(timeline(*state).ids[timeline(*state).query]))
    look.text("rows", kept, lambda *state: rows_said(plain(*state)))
    look.text("verdict", every, verdict)
    return look.data()


def rows_said(row: Timeline) -> str:
    gone = row.dropped
    if not gone:
        return "no token dropped"
    return f"{gone} {'token' if gone == 1 else 'tokens'} dropped"


def drawing(view: View) -> str:
    labels = (
        ("token", TOKEN_Y + 17),
        ("position id", ID_Y),
        ("key's turn", DIAL_Y + 4),
        ("seen back", SEEN_Y),
        ("really back", TRUE_Y),
    )
    parts = [text(2, y, words, "small") for words, y in labels]
    frame = f'<rect class="line" width="{CELL + 4}" height="{TRUE_Y + 2}" rx="5"/>'
    parts.append(view.group("asks", frame))
    for column in range(COLUMNS):
        x = LEFT + PITCH * column
        middle = x + CELL / 2
        size = f'x="{x}" y="{TOKEN_Y}" width="{CELL}" height="26" rx="4"'
        key = f'<path class="hand thin key" d="M0 0H{RADIUS - 1}"/>'
        dial = f'<circle class="faint" r="{RADIUS}"/>{view.group(f"k{column}", key)}'
        inside = (
            f'<rect class="box token" {size}/>'
            f'<g transform="translate({middle:g},{DIAL_Y})">{dial}</g>'
        )
        parts += [
            view.group(f"at{column}", f'<rect class="slot" {size}/>'),
            view.group(f"in{column}", inside),
            view.text(f"t{column}", middle, TOKEN_Y + 18, "mid strong"),
            view.text(f"i{column}", middle, ID_Y, "mid"),
            view.text(f"s{column}", middle, SEEN_Y, "mid"),
            view.text(f"d{column}", middle, TRUE_Y, "mid"),
        ]
    return svg(
        "Tokens in a row, boxes for those in the cache and dashed places for padding and dropped "
        "ones; below each cached token its id, its key's turn, and how far back it is seen and "
        "stands. A frame marks the token that asks.",
        TRUE_Y + 14,
        "".join(parts),
        "wide",
    )


def summary() -> str:
    words = {
        "right": "right",
        "shifted": "shifted, distances right",
        "closed": "closed up, consistent",
        "wrong": "wrong",
    }
    rows = []
    for padding, (padded, _) in PADDINGS.items():
        for evict, evicted in EVICTIONS.items():
            for numbering, numbered in NUMBERINGS.items():
                row = timeline(padding, MOST, evict, numbering)
                given = ", ".join(str(row.ids[column]) for column in row.cached)
                far = ", ".join(str(row.seen(c)).replace("-", "−") for c in row.cached)
                verdicts = words[kind(row)]
                rows.append(number_row([padded, evicted, numbered, given, far, verdicts]))
    heads = ("padding", "eviction", "numbered by", "ids in the cache", "seen back", "")
    return number_table((*heads[:-1], "verdict"), rows)


def widget(data: dict[str, Any], src: str) -> str:
    view = View(data)
    return explorer(
        src,
        head="Which number does a token get?",
        guess=gate(
            "Tokens were dropped from the cache; the kept keys stay as they are. Which number must "
            "the next token have?",
            GUESSES,
        ),
        controls=view.choices("padding", "Padding", [words for words, _ in PADDINGS.values()])
        + view.slider("decoded", "Tokens decoded after the prompt A, B, C", "decoded")
        + view.choices("evict", "Eviction: one sink and the last three", tuple(EVICTIONS.values()))
        + view.choices("numbering", "Numbered by", tuple(NUMBERINGS.values())),
        picture=drawing(view),
        says=f"Token {view.blank('token')} asks, {view.sentence('rows')}. Its true place is "
        f"{view.blank('place')}, its id {view.blank('id')}. {view.sentence('verdict')}",
        table=("After five decoded tokens, as a table", summary()),
        lines=(6, 4),
    )
