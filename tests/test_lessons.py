"""Every lesson has every part: the frame that readers and course authors count on."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from _hooks import course
from _hooks.fences import OUTPUT, RUN, find_fences
from tests.conftest import DOCS
from tests.prose import reading

LESSONS = course.lessons()
START = ["problem", "words", "picture", "watch", "how"]
END = ["practise", "quiz", "prove", "sources"]
FRAME = [*START, "worked", "sentence", "code", "try", "models", "fails", "mistakes", *END]
KINDS = ["Explain", "Derive", "Build", "Break"]
DETAILS = re.compile(r'^( *)\?\?\? (\w+) "(.*?)"\n((?:\n|\1    .*\n)*)', re.MULTILINE)

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.path)


def source(lesson):
    return (DOCS / lesson.path).read_text("utf-8")


def section(text, name):
    """What stands between a second-level heading and the next."""
    found = re.search(rf"^## .*\{{ #{name} \}}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def exercises(text):
    """Title and text of each exercise."""
    return re.findall(
        r'^<div class="exercise" markdown>\n### (.*?) \{ #[\w-]+ \}\n(.*?)^</div>',
        section(text, "practise"),
        re.DOTALL | re.MULTILINE,
    )


EXERCISES = [
    pytest.param(title, text, id=f"{Path(lesson.path).stem}: {title}")
    for lesson in LESSONS
    for title, text in exercises(source(lesson))
]
CHECKED = [found for found in EXERCISES if not found.values[0].startswith("Explain")]


def quizzes(lesson):
    text = section(source(lesson), "quiz")
    return re.findall(r'^!!! quiz "(.*?)"\n(.*?)(?=^!!! quiz|\Z)', text, re.DOTALL | re.MULTILINE)


QUESTIONS = [
    pytest.param(question, options, id=f"{Path(lesson.path).stem}: {question[:40]}")
    for lesson in LESSONS
    for question, options in quizzes(lesson)
]


def test_lessons_are_numbered_from_zero():
    assert [lesson.number for lesson in LESSONS] == list(range(22))


def test_parts_come_one_after_another():
    parts = [lesson.part for lesson in LESSONS]

    assert Counter(parts) == {
        "Foundations": 4,
        "Absolute positions": 3,
        "Rotary positions": 4,
        "Relative positions": 4,
        "Long context": 3,
        "In practice": 4,
    }
    assert sorted(parts, key=parts.index) == parts


@every_lesson
def test_a_lesson_builds_on_earlier_ones(lesson):
    numbers = {other.path: other.number for other in LESSONS}
    needed = [path for path in lesson.needs.values() if path.startswith("lessons/")]

    assert lesson.needs or lesson.number == 0
    assert [path for path in needed if numbers[path] >= lesson.number] == []


@every_lesson
def test_a_lesson_has_every_part_in_order(lesson):
    ids = re.findall(r"^## .*\{ #([\w-]+) \}$", source(lesson), re.MULTILINE)

    assert [name for name in FRAME if name not in ids] == []
    assert ids[0] == "problem"
    assert [name for name in ids if name in START] == START
    assert ids[-len(END) :] == END


@every_lesson
def test_no_part_is_a_stub(lesson):
    text = source(lesson)
    short = [name for name in FRAME if len(section(text, name).split()) < 25]

    assert short == []


@every_lesson
def test_the_first_line_is_one_line(lesson):
    line = re.search(r"^\*\*In one line\*\* (.*)\n\{ \.oneline \}$", source(lesson), re.MULTILINE)

    assert line
    assert len(line[1]) <= 240


@every_lesson
def test_a_picture_comes_with_its_limit(lesson):
    boxes = re.findall(r"^!!! (\w+)", section(source(lesson), "picture"), re.MULTILINE)

    assert boxes == ["analogy", "limits"]


@every_lesson
def test_words_are_defined(lesson):
    defined = re.findall(r"^\S.*\n:   \S", section(source(lesson), "words"), re.MULTILINE)

    assert 3 <= len(defined) <= 8


@every_lesson
def test_something_moves_and_something_can_be_tried(lesson):
    text = source(lesson)

    assert "data-scene=" in section(text, "watch")
    assert "data-explorer=" in section(text, "try")


@every_lesson
def test_formulas_name_their_symbols_in_the_code(lesson):
    """The overview tells its story without one."""
    how = section(source(lesson), "how")

    if lesson.number:
        assert re.search(r"^\| symbol \|.*code", how, re.MULTILINE)
        assert "../reference/" in how


@every_lesson
def test_the_running_example_shows_the_shares_of_its_last_word(lesson):
    text = section(source(lesson), "sentence")
    shares = [set(re.findall(r"\b0\.\d{3}\b", row)) for row in text.split("\n")]

    for word in ("dog", "bites", "man"):
        assert word in text
    assert len(set.union(*shares)) >= 4, "its weights are shown to three digits"


@every_lesson
def test_code_from_scratch_equals_the_package(lesson):
    text = section(source(lesson), "code")
    fences = [f for f in find_fences(text) if f.language == RUN]
    outputs = [f for f in find_fences(text) if f.language == OUTPUT]

    assert [f for f in fences if "posenc_ref" not in f.source]
    assert [f for f in fences if "posenc_ref" in f.source]
    assert [f for f in outputs if "True" in f.source]


@every_lesson
def test_there_are_at_most_three_mistakes(lesson):
    assert 1 <= section(source(lesson), "mistakes").count('!!! mistake "') <= 3


@every_lesson
def test_a_failure_is_shown_by_running_it(lesson):
    assert "```python" in section(source(lesson), "fails")


@every_lesson
def test_self_checks_are_few_and_said_by_the_reader(lesson):
    assert 4 <= len(lesson.self_checks) <= 7
    assert [check for check in lesson.self_checks if not check.startswith("I can ")] == []


@every_lesson
def test_one_source_is_marked_as_worth_it(lesson):
    sources = section(source(lesson), "sources")

    assert sources.count("**Worth it**") == 1
    assert len(re.findall(r"^- ", sources, re.MULTILINE)) >= 2


# ---- exercises


@every_lesson
def test_there_is_one_exercise_of_each_kind(lesson):
    assert [exercise.kind for exercise in lesson.exercises] == KINDS
    assert len(exercises(source(lesson))) == len(KINDS)


@pytest.mark.parametrize(("title", "text"), EXERCISES)
def test_an_exercise_has_hints_and_one_answer(title, text):
    folds = [(kind, name) for _, kind, name, _ in DETAILS.findall(text)]
    hints = [name for kind, name in folds if kind == "hint" and name != "Check yours"]

    assert 1 <= len(hints) <= 3
    assert all(re.match(rf"Hint {k}: .*\?$", name) for k, name in enumerate(hints, 1)), hints
    assert [kind for kind, _ in folds][-1] == "answer"
    assert [kind for kind, _ in folds].count("answer") == 1


@pytest.mark.parametrize(("title", "text"), CHECKED)
def test_a_checker_accepts_the_answer_and_refuses_the_usual_mistake(title, text):
    """Outputs are what the blocks print, which other tests hold them to."""
    fences = find_fences(text)
    verdicts = re.findall(
        r"passes: (True|False)$",
        "\n".join(f.source for f in fences if f.language == OUTPUT),
        re.MULTILINE,
    )
    checkers = {
        ast.unparse(node)
        for f in fences
        if f.language == RUN
        for node in ast.walk(ast.parse(f.source))
        if isinstance(node, ast.FunctionDef) and node.name == "passes"
    }

    assert set(verdicts) == {"True", "False"}
    assert len(checkers) == 1
    if title.startswith("Build"):
        folds = [name for _, _, name, _ in DETAILS.findall(text)]
        assert folds[-2:] == ["Check yours", "Answer"]


# ---- quiz


@every_lesson
def test_a_lesson_asks_five_questions(lesson):
    assert len(quizzes(lesson)) == 5


@pytest.mark.parametrize(("question", "options"), QUESTIONS)
def test_a_question_has_one_right_option_and_a_reason_for_each(question, options):
    found = DETAILS.findall(options)
    kinds = Counter(kind for _, kind, _, _ in found)

    assert 3 <= len(found) <= 4
    assert kinds == {"yes": 1, "no": len(found) - 1}
    for _, kind, option, why in found:
        assert len(why.split()) >= 6, option
        assert why.strip().startswith("Right.") == (kind == "yes"), option
    assert len({option for _, _, option, _ in found}) == len(found)


def test_the_right_option_is_not_always_in_the_same_place():
    places = Counter(
        [kind for _, kind, _, _ in DETAILS.findall(options.values[1])].index("yes")
        for options in QUESTIONS
    )

    assert max(places.values()) <= 0.6 * len(QUESTIONS)


@every_lesson
def test_the_reading_time_is_honest(lesson, site):
    """Two hundred words a minute, and up to two minutes more for formulas and code."""
    measured = reading(site / lesson.address[1:] / "index.html").minutes

    assert measured <= lesson.minutes <= measured + 2
    assert lesson.minutes <= 12
