"""Numbers in prose and tables, tied to code by a comment, so that none can go stale.

    0.966<!-- = similarity(10, 11) -->       the number right before equals the expression
    [1.909, −0.416]<!-- = dog + row(2) -->   so does each number in the brackets
    46 of 64<!-- = (hits, tries) -->         as many numbers back as the expression has
    <!-- table = EXPR -->                    on the line above a table: its body, row by row
    <!-- check: EXPR -->                     is true; for what a sentence or a formula says
    <!-- let: ... -->                        statements that name things for the rest of the page
    25.7<!-- from: Author 2017, Table 3 -->  was measured by others; the page lists that source

A number equals an expression if it is within half a unit of its last digit shown. The expression
computes it: a number written down twice proves nothing, so literals are refused. In a table, None
stands for a cell that is not compared. Comments inside code are code and stay as they are.
"""

import ast
import importlib
import inspect
import math
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from _hooks.fences import find_fences
from _hooks.shown import NUMBER, cell_shows, shows, spell

CODE_OR_COMMENT = re.compile(
    r"(?P<ticks>(?<!`)`+(?!`))(?:(?!\n\s*\n).)*?(?<!`)(?P=ticks)(?!`)|<!--(?P<comment>.*?)-->",
    re.DOTALL,
)
_TIE = re.compile(r"\s*(?P<kind>=|table\s*=|(?:check|let|from)\s*:)(?P<code>.*)", re.DOTALL)
_ALMOST_A_TIE = re.compile(r"\s*\w*\s*[=:]")
_CELL = re.compile(r"\|((?:\\.|`[^`\n]*`|[^|\n])*)(?=\|)")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+\.)[ \t]", re.MULTILINE)
_ROW = re.compile(r"[ \t>]*(?P<row>\|.*)\n?")


class Examined(NamedTuple):
    """What the ties of a page say about it."""

    markdown: str
    """The page without them. Lines keep their numbers."""
    backed: list[tuple[int, int]]
    """Spans of the original page that an expression stands behind."""
    mistakes: list[tuple[int, str]]
    """Line and what is wrong there."""


def check_numbers(markdown: str, where: str, first_line: int = 1) -> str:
    """The page without its ties, if they all hold.

    Args:
        markdown: The page, after `fences.expand`.
        where: Its path, for the message.
        first_line: The line of the file on which `markdown` starts (front matter comes before).

    Raises:
        ValueError: Names every number that is wrong, with page, line, shown and computed.
    """
    examined = examine(markdown)
    if examined.mistakes:
        raise ValueError(
            "\n".join(
                f"{where}:{line + first_line - 1}: {what}" for line, what in examined.mistakes
            )
        )
    return examined.markdown


def examine(markdown: str) -> Examined:
    """Evaluate the ties of a page in order, in one namespace."""
    package = importlib.import_module("posenc_ref")  # now, as `make serve` takes in its changes
    names: dict[str, Any] = {"np": np, "math": math}
    names |= {name: getattr(package, name) for name in package.__all__}
    page = _without_fences(markdown)
    pieces: list[str] = []
    backed: list[tuple[int, int]] = []
    mistakes: list[tuple[int, str]] = []
    done = 0
    for found in CODE_OR_COMMENT.finditer(page):
        tie = _TIE.match(found["comment"] or "")
        line = page.count("\n", 0, found.start()) + 1
        if not tie:
            if found["comment"] and _ALMOST_A_TIE.match(found["comment"]):
                mistakes.append((line, f"no such comment: {found[0]!r}; it would check nothing"))
            continue
        pieces += [markdown[done : found.start()], "\n" * found[0].count("\n")]
        try:
            backed += _check(tie, page, done, found, names)
        except _Mistake as mistake:
            mistakes.append((line, str(mistake)))
        done = found.end()
    return Examined("".join([*pieces, markdown[done:]]), backed, mistakes)


class _Mistake(Exception):
    pass


def _without_fences(markdown: str) -> str:
    """The page with blanks for its code blocks, of the same length."""
    for fence in find_fences(markdown):
        inside = re.sub(r"[^\n]", " ", markdown[fence.start : fence.end])
        markdown = markdown[: fence.start] + inside + markdown[fence.end :]
    return markdown


def _check(
    tie: re.Match[str], page: str, done: int, found: re.Match[str], names: dict[str, Any]
) -> list[tuple[int, int]]:
    """Check one tie; give back the spans that it stands behind."""
    kind, code = tie["kind"].rstrip(" =:") or "=", inspect.cleandoc(tie["code"]).strip()
    if kind == "from":
        return _check_quoted(page, done, found.start(), code)
    if kind in ("=", "table"):
        _refuse_literals(code, kind)
    value = _evaluate(code, names, statements=kind == "let")
    if kind == "table":
        return _check_table(page, found.end(), value, code)
    if kind == "check" and not _truth(value, code):
        raise _Mistake(f"not true: {code}")
    if kind == "=":
        return _check_numbers_before(page, done, found.start(), value, code)
    return []


def _refuse_literals(code: str, kind: str) -> None:
    """A number that is written down again backs itself."""
    try:
        expression = ast.parse(code, mode="eval").body
    except SyntaxError:
        return  # which `_evaluate` says
    if kind == "=" and _literal(expression) is not None:
        raise _Mistake(f"{code} is the number itself: write what computes it")
    typed = [ast.unparse(cell) for cell in _cells(expression) if _is_typed_number(cell)]
    if kind == "table" and typed:
        raise _Mistake(f"{', '.join(typed)} in {code}: write what computes the cell")


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _cells(node: ast.expr) -> Iterator[ast.expr]:
    """The cells that an expression writes out, row by row."""
    if isinstance(node, ast.List | ast.Tuple):
        for element in node.elts:
            yield from _cells(element)
    elif isinstance(node, ast.ListComp | ast.GeneratorExp):
        yield from _cells(node.elt)
    elif isinstance(node, ast.Starred):
        yield from _cells(node.value)
    else:
        yield node


def _is_typed_number(cell: ast.expr) -> bool:
    value = _literal(cell)
    return isinstance(value, float) or (isinstance(value, str) and bool(NUMBER.fullmatch(value)))


def _evaluate(code: str, names: dict[str, Any], *, statements: bool) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if statements:
                exec(code, names)
                return None
            return eval(code, names)
    except Exception as error:
        raise _Mistake(f"{code} fails: {type(error).__name__}: {error}") from None


def _truth(value: Any, code: str) -> bool:
    try:
        return bool(value)
    except ValueError as error:
        raise _Mistake(f"{code}: {error}") from None


def _check_numbers_before(
    page: str, start: int, end: int, value: Any, code: str
) -> list[tuple[int, int]]:
    wanted = list(np.ravel(np.asarray(value, dtype=object)))
    if not wanted:
        raise _Mistake(f"{code} gives no number")
    numbers = _numbers_before(page, start, end, len(wanted), code)
    wrong = [n[0] for n, want in zip(numbers, wanted, strict=True) if not shows(n, want)]
    if wrong:
        raise _Mistake(f"shows {', '.join(wrong)}, but {code} is {spell(value)}")
    return [number.span() for number in numbers]


def _check_quoted(page: str, start: int, end: int, source: str) -> list[tuple[int, int]]:
    """A number from the literature: its source must stand in the page's own list."""
    named = re.match(r"(\w+).*?\b(\d{4})\b", source)
    listed = re.split(r"^#+ ", page.partition("\n## Sources")[2], maxsplit=1, flags=re.MULTILINE)
    items = _ITEM.split(listed[0])[1:]
    if not named or not any(
        all(re.search(rf"\b{word}\b", item) for word in named.groups()) for item in items
    ):
        raise _Mistake(f"no item under Sources has author and year of {source!r}")
    return [number.span() for number in _numbers_before(page, start, end, 1, source)]


def _numbers_before(page: str, start: int, end: int, count: int, code: str) -> list[re.Match[str]]:
    """The `count` numbers right before a comment: all that the brackets hold, or the last ones."""
    start = max(start, page.rfind("\n\n", 0, end) + 1)
    end = start + len(page[start:end].rstrip("*_`$”’\"'"))
    if page[start:end].endswith((")", "]")):
        start = _opening(page, start, end)
        numbers = list(NUMBER.finditer(page, start, end))
        if len(numbers) != count:
            raise _Mistake(f"{page[start:end]} has {len(numbers)} numbers, {code} has {count}")
        return numbers
    numbers = list(NUMBER.finditer(page, start, end))[-count:]
    if len(numbers) != count or numbers[-1].end() != end:
        raise _Mistake(f"no number right before the comment for {code}: …{page[start:end][-30:]!r}")
    return numbers


def _opening(page: str, start: int, end: int) -> int:
    """Where the bracket opens that the last character before `end` closes."""
    depth = 0
    for index in range(end - 1, start - 1, -1):
        depth += (page[index] in ")]") - (page[index] in "([")
        if depth == 0:
            return index
    raise _Mistake(f"no bracket opens for the one that closes in …{page[start:end][-30:]!r}")


def _check_table(page: str, start: int, value: Any, code: str) -> list[tuple[int, int]]:
    rows = list(_table_rows(page, page.find("\n", start) + 1))
    if len(rows) < 3 or page[start : page.find("\n", start)].strip():
        raise _Mistake(f"no table on the line below the comment for {code}")
    try:
        wanted = [list(row) for row in value]
    except TypeError:
        raise _Mistake(f"{code} must give rows of cells, not {spell(value)}") from None
    shape, wanted_shape = [len(row) for row in rows[2:]], [len(row) for row in wanted]
    if shape != wanted_shape:
        raise _Mistake(f"cells in each row: {shape} in the table, {wanted_shape} in {code}")
    wrong, backed = [], []
    for number, (row, wanted_row) in enumerate(zip(rows[2:], wanted, strict=True), start=1):
        for cell, want in zip(row, wanted_row, strict=True):
            if want is None:
                continue
            backed.append(cell.span(1))
            if not cell_shows(cell[1], want):
                shown = f"row {number} shows {cell[1].strip() or 'nothing'}"
                wrong.append(f"{shown}, but {code} gives {spell(want)}")
    if wrong:
        raise _Mistake("; ".join(wrong))
    return backed


def _table_rows(page: str, start: int) -> Iterator[list[re.Match[str]]]:
    while row := _ROW.match(page, start):
        yield list(_CELL.finditer(page, row.start("row"), row.end("row")))
        start = row.end()
