"""Texts to train on: a generated one whose sentences need word order, or any file.

Where nothing is learned from a text is as important as the text: the last tenth
is kept apart, and losses are measured there.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from posenc_ref import checks
from posenc_ref.lab.vocabulary import Vocabulary

Tokens: TypeAlias = NDArray[np.int64]
Batch: TypeAlias = tuple[Tokens, Tokens]
"""Tokens, and the right token for each place; both of shape `(batch, n)`."""

Draw: TypeAlias = Callable[[int], Batch]
"""The batch of a step, made from its number alone, so that a run can be taken up anywhere."""

NOUNS = ["dog", "man", "cat", "child", "fox", "bird", "king", "wolf"]
VERBS = ["bites", "sees", "calls", "hunts", "helps", "hears"]
ADJECTIVES = ["old", "red", "small", "big", "sad", "quick"]


class Corpus(NamedTuple):
    """A text as tokens, in two parts."""

    vocabulary: Vocabulary
    training: Tokens
    """The first nine tenths."""

    validation: Tokens
    """The last tenth, which no training sees."""


def grammar_text(n_characters: int, *, seed: int = 0) -> str:
    """Sentences whose second half can be known only from the order of the first.

    Args:
        n_characters: How many characters at least, from 0; the last sentence is whole.
        seed: Which sentences.

    Returns:
        One sentence and its question a line.

    Raises:
        TypeError: If an argument is not a whole number.
        ValueError: If `n_characters` or `seed` is negative.

    Examples:
        >>> from posenc_ref.lab import grammar_text
        >>> print(grammar_text(100, seed=2), end="")
        the quick wolf hears the dog. hears whom? the dog.
        the cat hunts the small bird. who hunts? the cat.
    """
    n_characters = checks.whole_number("n_characters", n_characters, at_least=0)
    # Of Python's generators this method alone is promised to stay the same.
    number = random.Random(checks.whole_number("seed", seed, at_least=0)).random

    def one_of(words: list[str]) -> str:
        return words[int(number() * len(words))]

    def someone(noun: str) -> str:
        return f"the {one_of(ADJECTIVES)} {noun}" if number() < 0.5 else f"the {noun}"

    lines, length = [], 0
    while length < n_characters:
        who, verb = one_of(NOUNS), one_of(VERBS)
        whom = one_of([noun for noun in NOUNS if noun != who])
        told = f"{someone(who)} {verb} {someone(whom)}."
        asked = f"who {verb}? the {who}." if number() < 0.5 else f"{verb} whom? the {whom}."
        lines.append(f"{told} {asked}\n")
        length += len(lines[-1])
    return "".join(lines)


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, whatever its line ends.

    Raises:
        OSError: If it cannot be read.
        ValueError: If it is not UTF-8.
    """
    try:
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be text in UTF-8, got byte {error.start}: {error}") from None


def corpus(text: str) -> Corpus:
    """The tokens of a text, for training and for validation.

    Examples:
        >>> from posenc_ref.lab import corpus
        >>> parts = corpus("abcabcabca" * 3)
        >>> len(parts.training), len(parts.validation)
        (27, 3)
    """
    vocabulary = Vocabulary.of(text)
    tokens = vocabulary.encode(text)
    cut = len(tokens) * 9 // 10
    return Corpus(vocabulary, tokens[:cut], tokens[cut:])


def text_batches(tokens: Tokens, *, block: int, batch: int, seed: int) -> Draw:
    """Pieces of a text, from random places; each token is to be named from those before it.

    Args:
        tokens: A text, longer than `block`.
        block: Tokens in a piece, at least 1.
        batch: Pieces in a batch, at least 1.
        seed: Which places.

    Returns:
        The batch of a step, two arrays of shape `(batch, block)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the text is too short, or a number out of its range.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref.lab import text_batches
        >>> draw = text_batches(np.arange(10), block=3, batch=2, seed=0)
        >>> ids, targets = draw(1)
        >>> bool((targets == ids + 1).all())
        True
    """
    tokens = checks.whole_array("tokens", tokens, "n", at_least=0)
    block = checks.whole_number("block", block, at_least=1)
    batch = checks.whole_number("batch", batch, at_least=1)
    seed = checks.whole_number("seed", seed, at_least=0)
    if len(tokens) <= block:
        raise ValueError(
            f"the text must be longer than a block of {block} tokens, got {len(tokens)}"
        )
    pieces = sliding_window_view(tokens, block + 1)

    def draw(step: int) -> Batch:
        places = np.random.default_rng([seed, step]).integers(0, len(pieces), batch)
        some = pieces[places]
        return some[:, :-1], some[:, 1:]

    return draw
