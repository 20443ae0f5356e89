"""Writing: a model names the next token, again and again."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.lab.gpt import GPT
from posenc_ref.lab.layer import KeysValues


def generate(
    model: GPT,
    ids: ArrayLike,
    n_new: int,
    *,
    seed: int = 0,
    temperature: float = 0.8,
    window: int | None = None,
    cache: bool = True,
) -> NDArray[np.int64]:
    """A text, continued.

    Keys and values of the text so far are kept, so that a new token costs one row
    and not a whole pass. That serves as long as the text fits into `window`; then
    its first tokens drop out, all others move, and each new token costs a pass.

    Args:
        model: A decoder.
        ids: The beginning, tokens, at least one, shape `(n,)`.
        n_new: How many tokens to add, at least 0.
        seed: Which random numbers decide.
        temperature: Below 1 likely tokens become likelier, above 1 less likely.
        window: The last tokens that the model reads; its `block`, if not given. A
            larger one reads past the trained length.
        cache: Whether to keep keys and values. The tokens are the same without.

    Returns:
        The beginning and the new tokens, shape `(n + n_new,)`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks its rule, `model` is an encoder, or its
            learned table is shorter than `window`.

    Examples:
        >>> from posenc_ref.lab import GPT, Config, generate
        >>> model = GPT(Config(positions="alibi", n_tokens=5), seed=0)
        >>> generate(model, [1, 2], 6).shape
        (8,)
    """
    if not model.config.causal:
        raise ValueError("model must be a decoder (causal), got an encoder")
    text = checks.whole_array("ids", ids, "n", at_least=0, at_most=model.config.n_tokens - 1)
    if text.size == 0:
        raise ValueError("ids must have at least one token, got none")
    n_new = checks.whole_number("n_new", n_new, at_least=0)
    heat = checks.positive_number("temperature", temperature)
    longest = model.config.block if window is None else window
    longest = checks.whole_number("window", longest, at_least=1)
    random = np.random.default_rng(checks.whole_number("seed", seed, at_least=0))
    kept: list[KeysValues] | None = [] if checks.flag("cache", cache) else None
    n_kept = 0
    for _ in range(n_new):
        if kept is not None and len(text) <= longest:
            logits = model.logits(text[None, n_kept:], kept)
            n_kept = len(text)
        else:
            logits = model.logits(text[None, -longest:])
        text = np.append(text, _drawn(logits[0, -1] / heat, random))
    return text


def _drawn(scores: NDArray[np.floating], random: np.random.Generator) -> int:
    """A token, by the shares that a softmax gives."""
    shares = np.exp(scores - scores.max(), dtype=np.float64)
    below = np.cumsum(shares)
    return int(np.searchsorted(below, random.random() * below[-1], side="right"))
