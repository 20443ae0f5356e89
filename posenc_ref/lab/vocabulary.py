"""Characters as tokens: text to numbers and back."""

from dataclasses import dataclass
from reprlib import repr as short_repr

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks


@dataclass(frozen=True)
class Vocabulary:
    """The characters that a model knows; the token of each is its place.

    Attributes:
        characters: Different characters, at least two.

    Raises:
        TypeError: If it is not text.
        ValueError: If a character comes twice, or there are fewer than two.

    Examples:
        >>> from posenc_ref.lab import Vocabulary
        >>> vocabulary = Vocabulary.of("dog bites man")
        >>> vocabulary.characters
        ' abdegimnost'
        >>> vocabulary.encode("dog")
        array([3, 9, 5])
        >>> vocabulary.decode([3, 9, 5])
        'dog'
    """

    characters: str

    def __post_init__(self) -> None:
        """Check the characters."""
        if not isinstance(self.characters, str):
            raise TypeError(f"characters must be text, got {type(self.characters).__name__}")
        if len(set(self.characters)) < max(2, len(self.characters)):
            raise ValueError(
                "characters must be at least two, each once, got " + short_repr(self.characters)
            )

    @classmethod
    def of(cls, text: str) -> "Vocabulary":
        """The characters of a text, sorted."""
        return cls("".join(sorted(set(text))))

    def __len__(self) -> int:
        """How many tokens there are."""
        return len(self.characters)

    def encode(self, text: str) -> NDArray[np.int64]:
        """The token of each character.

        Raises:
            ValueError: If a character is not in the vocabulary.
        """
        token = {character: number for number, character in enumerate(self.characters)}
        unknown = sorted(set(text) - token.keys())
        if unknown:
            raise ValueError(
                f"text must hold characters of the vocabulary only ({len(self)} of them), "
                f"got {', '.join(map(repr, unknown[:5]))}"
            )
        return np.array([token[character] for character in text], np.int64)

    def decode(self, ids: ArrayLike) -> str:
        """The character of each token.

        Raises:
            TypeError: If the tokens are not whole numbers.
            ValueError: If a token is none of the vocabulary.
        """
        tokens = checks.whole_array("ids", ids, "n", at_least=0, at_most=len(self) - 1)
        return "".join(self.characters[token] for token in tokens)
