"""Toy tasks in which order is everything.

Three ask a question and want an answer: a decoder writes it one character at a
time, an encoder fills all hidden places at once.

    reverse    abcd>dcba
    copy       abcd>abcd
    addition   25+38=360       the sum from its last digit on, as one adds by hand

Two ask something at each place of a row:

    previous      abcd          the character before this one
    alternating   ab__b_        two characters take turns; which one is hidden here?
"""

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from posenc_ref import checks
from posenc_ref.lab.functions import IGNORED
from posenc_ref.lab.gpt import GPT
from posenc_ref.lab.text import Batch, Draw, Tokens
from posenc_ref.lab.vocabulary import Vocabulary

Name: TypeAlias = Literal["reverse", "copy", "previous", "alternating", "addition"]
TASKS: tuple[Name, ...] = get_args(Name)

LETTERS, DIGITS, HIDDEN = "abcdefgh", "0123456789", "_"
CHARACTERS: dict[Name, str] = {
    "reverse": LETTERS + ">" + HIDDEN,
    "copy": LETTERS + ">" + HIDDEN,
    "previous": LETTERS,
    "alternating": LETTERS + HIDDEN,
    "addition": DIGITS + "+=" + HIDDEN,
}
SHOWN = 0.5  # share of the places of "alternating" that are not hidden


class Score(NamedTuple):
    """How well a model does a task."""

    loss: float
    """Nats a character that is asked for."""

    characters: float
    """Share of these that it gets right."""

    rows: float
    """Share of rows in which it gets all of them right."""


def vocabulary(task: Name) -> Vocabulary:
    """The characters of a task."""
    checks.one_of("task", task, TASKS)
    return Vocabulary(CHARACTERS[task])


def row_length(task: Name, size: int, *, causal: bool) -> int:
    """How many tokens a model reads for a task of a size: letters, or digits of a number."""
    ids, _ = task_rows(task, size, 1, np.random.default_rng(0), causal=causal)
    return int(ids.shape[1])


def task_batches(
    task: Name, *, sizes: tuple[int, int], batch: int, seed: int, causal: bool
) -> Draw:
    """Batches of a task, all rows of a batch of one size.

    Args:
        task: One of `TASKS`.
        sizes: The smallest size and the largest, each as likely as any between.
        batch: Rows in a batch, at least 1.
        seed: Which rows.
        causal: Whether for a decoder, or for an encoder.

    Returns:
        The batch of a step, two arrays of shape `(batch, n)`; targets are -1 where
        nothing is asked for.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.

    Examples:
        >>> from posenc_ref.lab.tasks import task_batches, vocabulary
        >>> draw = task_batches("reverse", sizes=(4, 4), batch=1, seed=0, causal=False)
        >>> ids, targets = draw(1)
        >>> text = vocabulary("reverse").decode(ids[0])
        >>> answer = vocabulary("reverse").decode(targets[0][targets[0] >= 0])
        >>> text[4:], answer == text[3::-1]
        ('>____', True)
    """
    checks.one_of("task", task, TASKS)
    smallest = checks.whole_number("sizes[0]", sizes[0], at_least=2)
    largest = checks.whole_number("sizes[1]", sizes[1], at_least=smallest)
    batch = checks.whole_number("batch", batch, at_least=1)
    seed = checks.whole_number("seed", seed, at_least=0)
    causal = checks.flag("causal", causal)

    def draw(step: int) -> Batch:
        random = np.random.default_rng([seed, step])
        size = int(random.integers(smallest, largest + 1))
        return task_rows(task, size, batch, random, causal=causal)

    return draw


def task_rows(
    task: Name, size: int, n_rows: int, random: np.random.Generator, *, causal: bool
) -> Batch:
    """Random rows of a task, and what is to be said at each place of them."""
    known = vocabulary(task)
    if task == "addition":
        return _answered(*_sums(size, n_rows, random), known, causal)
    letters = random.integers(0, len(LETTERS), (n_rows, size))
    if task == "previous":
        first = np.full((n_rows, 1), IGNORED)
        return letters, np.concatenate([first, letters[:, :-1]], axis=1)
    if task == "alternating":
        return _turns(size, n_rows, random, known)
    answer = letters if task == "copy" else letters[:, ::-1]
    ask = np.full((n_rows, 1), known.encode(">")[0])
    return _answered(np.concatenate([letters, ask], axis=1), answer, known, causal)


def score(model: GPT, task: Name, *, size: int, n_rows: int = 512, seed: int = 0) -> Score:
    """How well a model does a task of one size, on rows that no training sees.

    A decoder is right about a whole answer just if it names each character right
    after the right ones before it, so no answer need be written to know.

    Args:
        model: A decoder or an encoder with the `vocabulary` of the task.
        task: One of `TASKS`.
        size: Letters, or digits of a number, at least 2.
        n_rows: How many rows, at least 1.
        seed: Which rows.

    Returns:
        The loss and two shares.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks the rule stated with it.
    """
    size = checks.whole_number("size", size, at_least=2)
    n_rows = checks.whole_number("n_rows", n_rows, at_least=1)
    # Seeds of two numbers are those of training, seeds of three are these.
    random = np.random.default_rng([seed, size, n_rows])
    ids, targets = task_rows(task, size, n_rows, random, causal=model.config.causal)
    named = model.logits(ids).argmax(-1)
    asked = targets != IGNORED
    right = (named == targets) | ~asked
    return Score(
        model.loss(ids, targets),
        float(right[asked].mean()),
        float(right.all(axis=1)[asked.any(axis=1)].mean()),
    )


def _answered(prompt: Tokens, answer: Tokens, known: Vocabulary, causal: bool) -> Batch:
    """A decoder reads the answer but for its last character; an encoder finds it hidden."""
    nothing = np.full(prompt.shape, IGNORED)
    if causal:
        row = np.concatenate([prompt, answer], axis=1)
        return row[:, :-1], np.concatenate([nothing[:, 1:], answer], axis=1)
    hidden = np.full(answer.shape, known.encode(HIDDEN)[0])
    return np.concatenate([prompt, hidden], axis=1), np.concatenate([nothing, answer], axis=1)


def _sums(n_digits: int, n_rows: int, random: np.random.Generator) -> tuple[Tokens, Tokens]:
    """Two numbers, leading zeros written, and their sum from its last digit on."""
    numbers = random.integers(0, 10, (2, n_rows, n_digits))  # digits, the first first
    digits = np.zeros((n_rows, n_digits + 1), np.int64)
    for place in range(n_digits):
        digits[:, place] += numbers[0, :, -1 - place] + numbers[1, :, -1 - place]
        digits[:, place + 1] = digits[:, place] // 10  # carried
        digits[:, place] %= 10
    plus, equals = (np.full((n_rows, 1), token) for token in (len(DIGITS), len(DIGITS) + 1))
    return np.concatenate([numbers[0], plus, numbers[1], equals], axis=1), digits


def _turns(size: int, n_rows: int, random: np.random.Generator, known: Vocabulary) -> Batch:
    """Two characters in turn; the first two are always shown."""
    first = random.integers(0, len(LETTERS), (n_rows, 1))
    second = (first + random.integers(1, len(LETTERS), (n_rows, 1))) % len(LETTERS)
    row: NDArray[np.int64] = np.where(np.arange(size) % 2 == 0, first, second)
    hidden = random.random((n_rows, size)) >= SHOWN
    hidden[:, :2] = False
    if size > 2:  # every row asks something
        hidden[np.arange(n_rows), random.integers(2, size, n_rows)] = True
    return np.where(hidden, known.encode(HIDDEN)[0], row), np.where(hidden, row, IGNORED)
