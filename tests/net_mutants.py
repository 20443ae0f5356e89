"""Ways of letting a block or a number of `net_site`'s good page escape or lie.

Name: old text, new text, what the suite says about it.
"""

PRINTS = "```python\nprint(1)\n```\n"
END = "## Sources\n"

MUTANTS = {
    "wrong output": (
        "```text\n5.0",
        "```text\n5.1",
        "line 7: the page shows\n5.1\nbut it prints\n5.0",
    ),
    "output shown in part": (
        "        left\n        right\n",
        "        left\n",
        "the page shows\nleft\nbut it prints\nleft\nright",
    ),
    "a space lost from the output": (
        "      a space",
        "    a space",
        "it prints\n  a space in front",
    ),
    "printed, not shown": (END, PRINTS + END, "it prints, but no text block stands right below it"),
    "shown, not printed": (
        "assert __version__\n```\n",
        "assert __version__\n```\n\n```text\n0.1.0\n```\n",
        "a text block stands right below it, but it prints nothing",
    ),
    "output away from its block": (
        "```\n\n```text\n5.0",
        "```\n\nIt prints\n\n```text\n5.0",
        "a text block is the output of the python block right above it",
    ),
    "output outside the list of its block": (
        "    ```text\n    in a list\n    ```",
        "```text\nin a list\n```",
        "a text block is the output of the python block right above it",
    ),
    "output of nothing": (
        END,
        "```text\n1\n```\n\n" + END,
        "a text block is the output of the python",
    ),
    "prompts": (END, "```pycon\n>>> 1\n1\n```\n\n" + END, "prompts (>>>) are for docstrings"),
    "prompts in python": (
        END,
        "```python\n>>> 1\n```\n\n" + END,
        "prompts (>>>) are for docstrings",
    ),
    "prompts in another language": (
        END,
        "```bash\n>>> 1\n1\n```\n\n" + END,
        "prompts (>>>) are for docstrings",
    ),
    "output under another name": (
        END,
        "```python\nx = 1\n```\n\n```console\n1\n```\n\n" + END,
        "only the output stands right below a python block",
    ),
    "output under another name, below a comment": (
        END,
        "```python\nx = 1\n```\n<!-- 1 -->\n```yaml\n1\n```\n\n" + END,
        "only the output stands right below a python block",
    ),
    "a second output": (
        "```text\n5.0\n```\n\nA block",
        "```text\n5.0\n```\n\n```json\n5.1\n```\n\nA block",
        "only the output stands right below a python block",
    ),
    "indented code": (END, "Text.\n\n    print(1)\n\n" + END, "shown, but no fence: Block("),
    "raw html": (END, "<pre><code>print(1)</code></pre>\n\n" + END, "shown, but no fence: Block("),
    "tildes": ("~~~python", "~~~python\n    1 / 0", "ZeroDivisionError"),
    "in a note": ('("left", "right")', '("left", right)', "NameError: name 'right' is not defined"),
    "in a list": (
        '    print("in a list")',
        "    print(2)",
        "the page shows\nin a list\nbut it prints\n2",
    ),
    "in a quote": ('> print("in', '> print(" in', "the page shows\nin a quote\n"),
    "braces": ("assert __version__", "assert not __version__", "line 19: the block fails"),
    "a blank before the language": ("math.hypot(3, 4)", "math.hypot(3)", "but it prints\n3.0"),
    "a fence beside a bullet": (
        END,
        "- ```python\n  x = 1\n  ```\n\n" + END,
        "a fence, but not shown",
    ),
    "never closed": (END, "```python\nx = 1\n\n", "this fence is never closed"),
    "upper case": (END, "```Python\nx = 1\n```\n\n" + END, "language 'Python' is not one of"),
    "another name": (END, "```ipython\nx = 1\n```\n\n" + END, "language 'ipython' is not one of"),
    "no language": (END, "```\nx = 1\n```\n\n" + END, "language '' is not one of"),
    "skip comment": (  # planted in a page, to see that the net refuses it: nothing skips here
        END,
        "<!-- skip: next -->\n" + END,  # what a page may not say
        "nothing is skipped here",
    ),
    "state of an earlier block": (
        END,
        "```python\nmath.pi\n```\n\n" + END,
        "name 'math' is not defined",
    ),
    "warning": (
        "assert __version__",
        "import warnings\nwarnings.warn('old')",
        "UserWarning: old",
    ),
    "error output": (
        "assert __version__",
        "import sys\nsys.stderr.write('x')",
        "wrote to stderr:\nx",
    ),
    "import of the tests": ("assert __version__", "import tests", "No module named 'tests'"),
    "import of the hooks": ("assert __version__", "import _hooks", "No module named '_hooks'"),
    "import of what a reader may lack": (
        "assert __version__",
        "from bs4.element import Tag",
        "a reader may lack bs4",
    ),
    "early exit": ("assert __version__", "raise SystemExit", "the snippet called sys.exit(None)"),
    "question to the reader": ("assert __version__", "input()", "EOFError"),
    "include that is gone": ("parts/norm.py", "parts/form.py", "an include cannot be found"),
    "drawing without picture": (
        "![A line that rises and falls](drawn)",
        "",
        "it draws, but no line",
    ),
    "picture without drawing": (
        "    plt.plot([0, 1, 0])\n    plt.show()\n",
        "",
        "![…](drawn) stands below it, but it draws nothing",
    ),
    "picture without text": ("![A line that rises and falls]", "![]", "needs a text for those who"),
    "two drawings": ("    plt.show()", "    plt.figure()", "it leaves 2 figures open"),
    "picture of nothing": (END, "![x](drawn)\n\n" + END, "must stand right below a python block"),
    "wrong number": ("0.841<", "0.842<", "shows 0.842, but math.sin(1) is 0.8414709848"),
    "a digit too many": ("0.841<", "0.8410<", "shows 0.8410, but math.sin(1)"),
    "wrong sign": ("−0.50]", "0.50]", "shows 0.50, but dog + [1, -0.5] is [ 2. , -0.5]"),
    "number missing in a vector": ("[2, −0.50]", "[−0.50]", "[−0.50] has 1 numbers"),
    "wrong share": ("46 of 64", "46 of 63", "shows 63, but (46, 8 * 8)"),
    "wrong percentage": ("71.9 %", "72.9 %", "shows 72.9 %, but 46 / 64 is 0.71875"),
    "wrong power": ("10⁻⁴", "10⁻⁵", "shows 3 × 10⁻⁵"),
    "no number at the comment": ("0.841<", "0.841 or so<", "no number right before the comment"),
    "expression without a number": ("math.sin(1) -->", "dog[:0] -->", "dog[:0] gives no number"),
    "literal behind itself": (
        "0.841<!-- = math.sin(1)",
        "0.123<!-- = 0.123",
        "0.123 is the number itself",
    ),
    "literals behind a vector": (
        "dog + [1, -0.5]",
        "[2, -0.5]",
        "[2, -0.5] is the number itself",
    ),
    "literal behind a cell": ("sine(1), None", "0.01, None", '0.01 in [["one"'),
    "literal behind the cells of a row": (
        '[["one", sine(1), None], ["two", sine(2), [1, 2]]]',
        '[[name, -0.01, None] for name in ("one", "two")]',
        "-0.01 in [",
    ),
    "number as a text behind a cell": ("sine(1), None", '"0.010", None', "'0.010' in [["),
    "en dash for a minus": (
        "sine is 0.841<",
        "sine is –0.841<",
        "shows –0.841, but math.sin(1) is",
    ),
    "false statement": ("3 + 4 == 7", "3 + 4 == 8", "not true: 3 + 4 == 8"),
    "code in a comment that fails": (
        "math.sin(1)",
        "math.sinus(1)",
        "math.sinus(1) fails: AttributeError",
    ),
    "misspelt comment": (
        "<!-- check:",
        "<!-- chek:",
        "no such comment: '<!-- chek: 3 + 4 == 7 -->'",
    ),
    "source that is not listed": (
        "from: Author 2017",
        "from: Author 2018",
        "no item under Sources has author and year",
    ),
    "source put together from two": (
        "- Author et al. 2017.\n- Other 2018.",
        "- Author et al. 2018.\n- Other 2017.",
        "no item under Sources has author and year",
    ),
    "source below the list": (
        "- Author et al. 2017.",
        "- Nobody.\n\n## Else\n\n- Author 2017.",
        "no item under Sources has author and year",
    ),
    "wrong cell": ("| 0.020 |", "| 0.030 |", "row 2 shows 0.030, but"),
    "wrong word in a cell": ("| **one** |", "| **two** |", "row 1 shows **two**, but"),
    "empty cell": ("| 0.020 |", "| |", "row 2 shows nothing, but"),
    "row missing": (
        "| **one** | 0.010 | – |\n",
        "",
        "cells in each row: [3] in the table, [3, 3] in",
    ),
    "number in an unchecked cell": ("| 0.010 | – |", "| 0.010 | 8 |", "nothing stands behind 8"),
    "number in prose": (END, "It is 0.49.\n\n" + END, "nothing stands behind 0.49"),
    "number in a heading": (END, "## All 12 of them\n\n" + END, "nothing stands behind 12"),
    "number in an alt text": ("A line that", "3 lines that", "nothing stands behind 3"),
    "number in the alt text of a tag": (
        END,
        '<img alt="0.49" src="x.svg">\n\n' + END,
        "nothing stands behind 0.49",
    ),
    "number in code": (END, "It is `0.49`.\n\n" + END, "nothing stands behind 0.49"),
    "number in a formula": (END, "It is $0.49$.\n\n" + END, "nothing stands behind 0.49"),
    "number in a title": ('"A title"', '"A title of 0.49"', "nothing stands behind 0.49"),
    "number in a comment": (
        "import math\n\nprint",
        "import math  # 0.49\n\nprint",
        "nothing stands behind 0.49",
    ),
    "number that looks like a list": (
        END,
        "It is\n49. So much.\n\n" + END,
        "nothing stands behind 49",
    ),
    "number that looks like a name": (END, "Score-0.49\n\n" + END, "nothing stands behind 0.49"),
    "number beside a year": ("In 2017,", "In 2017, 99 and", "nothing stands behind 99"),
}
