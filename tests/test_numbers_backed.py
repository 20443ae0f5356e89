"""Numbers on pages: each is what the code gives, and none that counts stands there without code."""

import pytest

from _hooks.numbers import check_numbers, examine
from _hooks.shown import NUMBER, cell_shows, shows
from _hooks.unbacked import EXEMPT, unbacked
from tests.docs_examples import ROOT, is_lesson, lies, pages, read_page, sources

PAGES = sources(pages)


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_numbers_are_what_the_code_gives_and_a_lesson_holds_no_others(path):
    assert lies(read_page(path)) == []


@pytest.mark.parametrize("path", [path for path in PAGES if "lessons" in path.parts], ids=name)
def test_what_stands_among_the_lessons_counts_as_one(path):
    assert is_lesson(read_page(path))


def test_few_patterns_are_exempt_and_another_one_is_a_decision():
    assert sorted(EXEMPT) == [
        "arXiv number or DOI",
        "name and index",
        "name with a number in it",
        "section of a source",
        "setting",
        "shape",
        "year",
    ]


@pytest.mark.parametrize(
    ("shown", "lowest", "highest"),
    [
        ("0.966", 0.9655, 0.9665),
        ("−0.416", -0.4165, -0.4155),
        ("-0.416", -0.4165, -0.4155),
        ("1.000", 0.9995, 1.0005),
        ("60,611", 60610.5, 60611.5),
        ("60{,}611", 60610.5, 60611.5),
        ("10000", 9999.5, 10000.5),
        ("49 %", 0.485, 0.495),
        ("49.0%", 0.4895, 0.4905),
        ("1.2e-4", 0.000115, 0.000125),
        ("3 × 10⁻⁴", 0.00025, 0.00035),
        (r"3 \times 10^{-4}", 0.00025, 0.00035),
        ("1.5 × 10^6", 1450000, 1550000),
    ],
)
def test_a_number_stands_for_half_a_unit_of_its_last_digit(shown, lowest, highest):
    number = NUMBER.fullmatch(shown)
    width = highest - lowest

    assert shows(number, lowest)
    assert shows(number, highest)
    assert not shows(number, lowest - width / 100)
    assert not shows(number, highest + width / 100)


def test_a_fraction_sign_is_exact():
    assert shows(NUMBER.fullmatch("¾"), 0.75)
    assert not shows(NUMBER.fullmatch("¾"), 0.7500001)


@pytest.mark.parametrize("value", [True, "1", None, 1j, float("nan")])
def test_a_number_is_never_what_is_not_one(value):
    assert not shows(NUMBER.fullmatch("1"), value)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("from −1 to 1", ["−1", "1"]),
        ("p−1 and (a)-2", ["1", "2"]),
        ("3–5, 10-60", ["3", "5", "10", "60"]),
        ("float32, T5, d4, 3.11.5, x_2", ["3.11"]),
        ("1,000 and 1, 000", ["1,000", "1", "000"]),
        ("2.5x 10k", ["2.5", "10"]),
        ("is –0.8, (–1) **–2** “–3” $–4$ |–5", ["–0.8", "–1", "–2", "–3", "–4", "–5"]),
        ("49 %–50 %, **3**–4, $5$–6, [7]–8", ["49 %", "50 %", "3", "4", "5", "6", "7", "8"]),
        ("20<!-- = a -->–50 and p–1", ["20", "50", "1"]),
        ("<td>–0.5", ["–0.5"]),
    ],
)
def test_numbers_are_read_as_a_reader_would(text, numbers):
    assert [number[0] for number in NUMBER.finditer(text)] == numbers


@pytest.mark.parametrize(
    ("cell", "value", "same"),
    [
        ("**0.5**", 0.5, True),
        ("`0.5`", 0.5, True),
        ("$0.5$", 0.5, True),
        ("0.5 rad", 0.5, False),
        ("*one* [two](x.md) `t_h`", "one two t_h", True),
        ("one", "two", False),
        ("[1, −2]", [1, -2], True),
        ("[1, 2, 3]", [1, 2], False),
        ("", 0, False),
    ],
)
def test_a_cell_is_compared_without_its_markup(cell, value, same):
    assert cell_shows(cell, value) is same


def test_the_error_lists_every_mistake_with_page_and_line():
    page = "\n0.5<!-- = 3 / 5 -->\n\n1<!-- = 3 / 3 -->\n\n<!-- check: 1 > 2 -->\n"

    with pytest.raises(ValueError, match="shows") as error:
        check_numbers(page, "x.md", first_line=11)

    assert str(error.value).splitlines() == [
        "x.md:12: shows 0.5, but 3 / 5 is 0.6",
        "x.md:16: not true: 1 > 2",
    ]


def test_the_page_keeps_its_lines_and_loses_its_ties():
    page = (
        "a 1<!-- = 3 - 2 -->.\n\n<!-- let:\nx = 2\n-->\n2<!-- = x --> `<!-- = 3 -->` <!-- k -->\n"
    )

    assert check_numbers(page, "x.md") == "a 1.\n\n\n\n\n2 `<!-- = 3 -->` <!-- k -->\n"


def test_names_last_for_one_page():
    assert examine("<!-- let: x = 1 -->").mistakes == []
    assert "NameError" in examine("1<!-- = x -->").mistakes[0][1]


def test_code_is_left_alone():
    page = "```html\n1<!-- = 2 -->\n```\n"

    assert check_numbers(page, "x.md") == page


@pytest.mark.parametrize(
    "text",
    [
        "1. first\ngoes on\n2. second\n\n    3. third",
        '<figure aria-label="x">\n1. first',
        "(2017) and Vaswani et al. 2017 and Su 2021; in 2019",
        "section 3.4, Sections 3.4 and 3.5, Table 3, § 5",
        "an array of shape (3, 4), one 2 × 2 matrix",
        "d_model = 512 and d = 64, p = −1",
        "position 10, positions 10 and 60, seats 0, 1 and 2, dimensions 2 to 5, Lesson 4",
        "GPT-2, GPT-3.5, M2M-100, Llama 3, Qwen 2.5, a 2-D table, 16-bit",
        "arXiv:1706.03762v7",
        "the 2nd and 10th, float32, T5",
        "`x = 0.5` `12` $12$ $x^{0.5}$ $$\n0.5\n$$",
        "[x](1.md) https://x.org/1 <b id='3'> &#8722; { #id-1 .x-2 }",
        "```console\n0.5\n```",
        "```python title='In 3 steps'\nx = '# 0.5'  # takes 3, see section 3.4\n```",
    ],
)
def test_a_name_is_not_a_result(text):
    assert unbacked(text) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("# 12 ways", ["12"]),
        ("![3 lines](x.svg)", ["3"]),
        ("| 0.5 |\n|---|\n| 7 |", ["0.5", "7"]),
        ("in 2048 tokens, 1999 of them", ["2048", "1999"]),
        ("position 3.5 and d = 0.5", ["3.5", "0.5"]),
        ("similarity = 0.9", ["0.9"]),
        ("(0.3, 0.4) and 64 × 64", ["0.3", "0.4", "64", "64"]),
        ("positions 1 and 2, and 3 more", ["3"]),
        ("<figcaption>8 heads, ½ each</figcaption>", ["8", "½"]),
        ('!!! note "5 things"\n\n    - 6 more', ["5", "6"]),
        ("it costs $5 or $6", ["5", "6"]),
        ("`x$` is 0.5, `y$`", ["0.5"]),
        ("`0.5`, `−0.5` and ``.5`` of $0.25$", ["0.5", "−0.5", "0.25"]),
        (r"$= 0.5$ or $\approx 0.25$", ["0.5", "0.25"]),
        ("```python title='In 0.5 s'\n\nx = 1  # ¾ or 0.25\n```", ["0.5", "¾", "0.25"]),
        ("```python\nx = (  # 0.5\n```\n0.25", ["0.5", "0.25"]),
        (
            "> ```python\n>\n> x = 1  # 0.25\n> ```\n\n    ```python\n    # 0.5\n    ```",
            ["0.25", "0.5"],
        ),
        ("> - ```yaml title='0.5'\n>   ```", ["0.5"]),
        ("Score-0.97, Figure 0.97, Table 25.7, Section 0.97", ["0.97", "0.97", "25.7", "0.97"]),
        ("GPT-0.97, Phi 0.5, Section 3.07", ["0.97", "0.5", "3.07"]),
        ("distance 9.7, k = 0.97, in 2017.5", ["9.7", "0.97", "2017.5"]),
        ("It is\n97. That\n\n98) more", ["97", "98"]),
        ('<img alt="up to 0.5 > 0.25" width="3">', ["0.5", "0.25"]),
        ("<div aria-label='8 heads' id='x-7'>", ["8"]),
        ("⅐, ⅞ and ⅕", ["⅐", "⅞", "⅕"]),
    ],
)
def test_a_result_is_not_a_name(text, numbers):
    assert [number for _, number in unbacked(text)] == numbers


def test_lines_are_those_of_the_file():
    assert unbacked("---\ntitle: 1\n---\n\nIt is 5.\n") == [(5, "5")]
