"""Explorers that look up: their data and first state by hand, in any state, and on bad input."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from _figures._lookup import Lookup
from _figures._view import View

# ---- by hand ----


def small():
    """Two controls and a thing of each kind; the query stands at 1 of 0 to 2, the mask is on."""
    look = Lookup({"query": 3, "mask": ("off", "on")}, {"query": 1, "mask": "on"})
    look.difference("apart", "mask", "query")
    look.echo("at", "query").echo("next", "query", add=1).echo("masked", "mask")
    look.text("far", ("apart",), lambda apart: f"{apart} < 2")
    look.number("share", ("query", "mask"), [[0.25, 1], [0.5, -0.00049], [0.75, 2 / 3]])
    look.cell("score", ("query",), np.array([-9, 1.26, 0]), digits=1, bound=4)
    look.cells("row", ("mask",), lambda mask: [None, 1] if mask == "on" else [0, 0])
    look.turn("hand", ("query",), [0, 57.29578, 90])
    look.move("dot", ("query",), lambda query: (10 * query, 1 / 3))
    look.scale("bar", ("mask",), [[1, 1], [0.12345, 1]])
    look.path("curve", (), "M0 0H9")
    look.show("there", ("mask",), lambda mask: mask == "off")
    look.mark("chosen", ("query",), [0, 1, 0]).mark("other", ("query",), [1, 0, 1])
    look.show("always", (), True)
    return look.data()


def test_data_are_axes_sums_the_start_and_what_each_thing_shows():
    data = small()

    assert data["axes"] == {"query": 3, "mask": ["off", "on"], "apart": 4}
    assert data["sums"] == {"apart": {"plus": "mask", "minus": "query", "add": 2}}
    assert data["start"] == {"query": 1, "mask": "on"}
    assert data["shown"] == {
        "at": {"as": "text", "by": ["query"], "values": ["0", "1", "2"]},
        "next": {"as": "text", "by": ["query"], "values": ["1", "2", "3"]},
        "masked": {"as": "text", "by": ["mask"], "values": ["off", "on"]},
        "far": {"as": "text", "by": ["apart"], "values": ["-2 < 2", "-1 < 2", "0 < 2", "1 < 2"]},
        "share": {
            "as": "number",
            "digits": 3,
            "by": ["query", "mask"],
            "values": [[0.25, 1], [0.5, 0], [0.75, 0.667]],
        },
        "score": {"as": "cell", "digits": 1, "bound": 4, "by": ["query"], "values": [-9, 1.3, 0]},
        "row-0": {"as": "cell", "digits": 3, "bound": 1, "by": ["mask"], "values": [0, None]},
        "row-1": {"as": "cell", "digits": 3, "bound": 1, "by": ["mask"], "values": [0, 1]},
        "hand": {"as": "turn", "by": ["query"], "values": [0, 57.3, 90]},
        "dot": {"as": "move", "by": ["query"], "values": [[0, 0.3], [10, 0.3], [20, 0.3]]},
        "bar": {"as": "scale", "by": ["mask"], "values": [[1, 1], [0.123, 1]]},
        "curve": {"as": "path", "by": [], "values": "M0 0H9"},
        "there": {"as": "show", "by": ["mask"], "values": [True, False]},
        "chosen": {"as": "mark", "by": ["query"], "values": [0, 1, 0]},
        "other": {"as": "mark", "by": ["query"], "values": [1, 0, 1]},
        "always": {"as": "show", "by": [], "values": True},
    }


def test_a_rounded_number_is_short_in_json_and_no_negative_zero():
    values = Lookup({"k": 3}, {"k": 0}).number("n", ("k",), [-0.0004, 2.0, 0.12345]).data()

    assert json.dumps(values["shown"]["n"]["values"]) == "[0, 2, 0.123]"


def test_a_number_is_rounded_once():
    """By way of four digits 0.99502 would be 0.995 and then 0.99."""
    data = Lookup({"k": 1}, {"k": 0}).number("n", ("k",), [0.99502], digits=2).data()

    assert data["shown"]["n"]["values"] == [1]


@pytest.mark.parametrize(
    ("write", "markup"),
    [
        (lambda view: view.blank("at"), '<b data-k="at">1</b>'),
        (lambda view: view.blank("share"), '<b data-k="share">0.000</b>'),
        (lambda view: view.blank("row-1"), '<b data-k="row-1" style="--v:1">1.000</b>'),
        (lambda view: view.sentence("far"), '<span data-k="far">0 &lt; 2</span>'),
        (
            lambda view: view.only("there", "<b>x</b>"),
            '<span data-k="there" data-off><b>x</b></span>',
        ),
        (
            lambda view: view.text("next", 8.5, 2, "small"),
            '<text data-k="next" x="8.5" y="2" class="small">2</text>',
        ),
        (
            lambda view: view.element("th", "chosen", "1", scope="row", class_="key"),
            '<th data-k="chosen" scope="row" class="key" data-chosen>1</th>',
        ),
        (lambda view: view.element("tr", "other", "x"), '<tr data-k="other">x</tr>'),
        (lambda view: view.only("always", "x"), '<span data-k="always">x</span>'),
        (
            lambda view: view.cell("score"),
            '<td data-k="score" class="v" style="--v:0.325">1.3</td>',
        ),
        (
            lambda view: view.cell("score", query=1, mask="on"),
            '<td data-k="score" class="v" data-pick="query=1 mask=on" data-chosen="" '
            'style="--v:0.325">1.3</td>',
        ),
        (
            lambda view: view.cell("score", query=0),
            '<td data-k="score" class="v" data-pick="query=0" style="--v:0.325">1.3</td>',
        ),
        (
            lambda view: view.cells("row", 2),
            '<td data-k="row-0" class="v" style="--v:0"></td>'
            '<td data-k="row-1" class="v" style="--v:1">1.000</td>',
        ),
        (
            lambda view: view.group("hand", "<i/>"),
            '<g data-k="hand" style="transform:rotate(-57.3deg)"><i/></g>',
        ),
        (
            lambda view: view.group("dot", ""),
            '<g data-k="dot" style="transform:translate(10px,0.3px)"></g>',
        ),
        (
            lambda view: view.group("bar", ""),
            '<g data-k="bar" style="transform:scale(0.123,1)"></g>',
        ),
        (lambda view: view.group("there", "x"), '<g data-k="there" data-off>x</g>'),
        (lambda view: view.line("curve", "sum"), '<path data-k="curve" class="sum" d="M0 0H9"/>'),
        (
            lambda view: view.slider("query", "Query at", "query"),
            '<label class="query">Query at <output>1</output><input type="range" name="query" '
            'min="0" max="2" step="1" value="1"></label>',
        ),
        (
            lambda view: view.choices("mask", "Mask", ("none", "causal")),
            '<fieldset><legend>Mask</legend><label><input type="radio" name="mask" value="off">'
            '<span>none</span></label><label><input type="radio" name="mask" value="on" checked>'
            "<span>causal</span></label></fieldset>",
        ),
    ],
)
def test_the_first_state_is_written_as_markup(write, markup):
    assert write(View(small())) == markup


@pytest.mark.parametrize(("start", "shade"), [(0, "-1"), (1, "0.325"), (2, "0")])
def test_a_cell_beyond_its_bound_has_the_full_shade(start, shade):
    look = Lookup({"query": 3}, {"query": start})
    look.cell("score", ("query",), [-9, 1.3, None], digits=1, bound=4)

    assert f'style="--v:{shade}"' in View(look.data()).cell("score")


# ---- by property ----


@st.composite
def looked_up(draw):
    """A Lookup of random controls in a random state, its table, and what that state shows."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    state = [draw(st.integers(0, size - 1)) for size in sizes]
    controls, start = {}, {}
    for i, (size, place) in enumerate(zip(sizes, state, strict=True)):
        is_slider = draw(st.booleans())
        controls[f"c{i}"] = size if is_slider else [f"choice {k}" for k in range(size)]
        start[f"c{i}"] = place if is_slider else f"choice {place}"
    by = draw(st.permutations(list(controls)))
    table = np.arange(np.prod(sizes)).reshape([sizes[int(name[1:])] for name in by])
    expected = table[tuple(state[int(name[1:])] for name in by)]
    return controls, start, by, table, int(expected)


@given(looked_up())
def test_a_view_shows_the_value_of_the_state_that_the_lookup_starts_in(found):
    controls, start, by, table, expected = found
    data = Lookup(controls, start).number("it", by, table, digits=0).data()

    assert View(data).value("it") == expected


@given(looked_up())
def test_a_function_gives_the_table_that_it_would_fill(found):
    controls, start, by, table, _ = found
    places = [f"choice {k}" for k in range(4)]

    def value(*state):
        return table[tuple(s if isinstance(s, int) else places.index(s) for s in state)]

    by_function = Lookup(controls, start).number("it", by, value, digits=0).data()
    by_table = Lookup(controls, start).number("it", by, table, digits=0).data()

    assert by_function == by_table


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_a_difference_is_one_control_less_another(plus, minus, draw):
    start = {"p": draw.draw(st.integers(0, plus - 1)), "m": draw.draw(st.integers(0, minus - 1))}
    look = Lookup({"p": plus, "m": minus}, start).difference("d", "p", "m")
    data = look.number("it", ("d",), lambda difference: difference, digits=0).data()

    assert View(data).value("it") == start["p"] - start["m"]


@given(looked_up())
def test_data_are_json(found):
    controls, start, by, table, _ = found
    data = Lookup(controls, start).number("it", by, table / 3).text("t", by, table.astype(str))

    assert json.loads(json.dumps(data.data())) == data.data()


# ---- bad input ----


def look(**start):
    return Lookup({"query": 3, "mask": ("off", "on")}, {"query": 1, "mask": "on"} | start)


BAD = {
    "controls must not be named ['elements', 'length']": lambda: Lookup(
        {"length": 3, "elements": 2}, {"length": 0, "elements": 0}
    ),
    "start must name each of ['query'], got ['key']": lambda: Lookup({"query": 3}, {"key": 0}),
    "start of query must be from 0 to 2, got 3": lambda: look(query=3),
    "start of query must be from 0 to 2, got -1": lambda: look(query=-1),
    "start of query must be from 0 to 2, got '1'": lambda: look(query="1"),
    "start of mask must be one of ['off', 'on'], got 'yes'": lambda: look(mask="yes"),
    "name must be new, got 'query', which is an axis already": lambda: look().difference(
        "query", "query", "mask"
    ),
    "name must be new, got 'd', which is an axis already": lambda: (
        look().difference("d", "query", "mask").difference("d", "mask", "query")
    ),
    "plus must be one of ['query', 'mask'], got 'key'": lambda: look().difference(
        "d", "key", "query"
    ),
    "minus must be one of ['query', 'mask'], got 'key'": lambda: look().difference(
        "d", "query", "key"
    ),
    "name must be new, got 'at' twice": lambda: look().echo("at", "query").echo("at", "mask"),
    "by must be some of ['query', 'mask'], got 'key'": lambda: look().number(
        "n", ("query", "key"), 0
    ),
    "by must be some of ['query', 'mask'], got 'head'": lambda: look().echo("n", "head"),
    "values of n must have 3 entries over query, got 2": lambda: look().number(
        "n", ("query",), [0, 0]
    ),
    "values of n must have 2 entries over mask, got 3": lambda: look().number(
        "n", ("query", "mask"), np.zeros((3, 3))
    ),
    "values of n must be a list over mask, got 0": lambda: look().number(
        "n", ("query", "mask"), [0, 0, 0]
    ),
    "values of n must be a number in each state, got [0, 0]": lambda: look().number(
        "n", ("query",), [[0, 0]] * 3
    ),
    "values of n must be a number in each state, got None": lambda: look().number("n", (), None),
    "values of t must be words in each state, got 0": lambda: look().text("t", (), 0),
    "values of p must be words in each state, got ['M0 0']": lambda: look().path("p", (), ["M0 0"]),
    "values of c must be a number or None in each state, got '0'": lambda: look().cell(
        "c", (), "0"
    ),
    "values of t must be a number in each state, got 'half'": lambda: look().turn("t", (), "half"),
    "values of m must be two numbers in each state, got 4": lambda: look().move("m", (), 4),
    "values of m must be two numbers in each state, got [4]": lambda: look().move("m", (), [4]),
    "values of s must be two numbers in each state, got [1, '1']": lambda: look().scale(
        "s", (), [1, "1"]
    ),
    "values of s must be true or false in each state, got 2": lambda: look().show("s", (), 2),
    "values of m must be true or false in each state, got None": lambda: look().mark("m", (), None),
    "name must be one of ['at'], got 'far'": lambda: View(look().echo("at", "query").data()).blank(
        "far"
    ),
    "at must be shown as cell, got 'text'": lambda: View(look().echo("at", "query").data()).cell(
        "at"
    ),
    "chosen must be shown as show or turn or move or scale, got 'mark'": lambda: View(
        small()
    ).group("chosen", ""),
    "hand must be shown as text or number or cell or show or mark, got 'turn'": lambda: View(
        small()
    ).blank("hand"),
    "share must be shown as path, got 'number'": lambda: View(small()).line("share", ""),
    "pick must name some of ['query', 'mask'], got ['head', 'key']": lambda: View(small()).cell(
        "score", key=1, head=2, query=0
    ),
    "words must say each of ['off', 'on'], got ['none']": lambda: View(small()).choices(
        "mask", "Mask", ["none"]
    ),
    "slider must be a count, got the choices ['off', 'on'] of 'mask'": lambda: View(small()).slider(
        "mask", "Mask"
    ),
    "choices must be names, got the slider 'query'": lambda: View(small()).choices("query", "Q"),
}


@pytest.mark.parametrize("message", BAD)
def test_a_mistake_is_named_with_its_rule_and_its_value(message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        BAD[message]()
