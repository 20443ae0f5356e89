"""How surprised a model is by a text that it was not trained on."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from posenc_ref import checks
from posenc_ref.lab.gpt import GPT
from posenc_ref.lab.memory import keep_freed_memory

AT_ONCE = 4096  # tokens in a pass, so that long pieces do not take all memory


def estimate_loss(model: GPT, tokens: ArrayLike, *, length: int | None = None) -> float:
    """The mean loss on a text, cut into pieces of one length.

    Args:
        model: A decoder.
        tokens: A text, longer than `length`; what is left over at its end is not read.
        length: Tokens in a piece; the `block` of the model, if not given.

    Returns:
        Nats a token; 0 for certainty, ln `n_tokens` for guessing.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the text is too short, or a learned table.

    Examples:
        >>> import numpy as np
        >>> from posenc_ref.lab import GPT, Config, estimate_loss
        >>> model = GPT(Config(positions="none", n_tokens=7, block=8), seed=0)
        >>> model.weights["tokens"][:] = 0  # now it takes all seven to be as likely
        >>> round(estimate_loss(model, np.arange(100) % 7), 3)  # ln 7
        1.946
    """
    return float(losses_by_place(model, tokens, length=length).mean())


def losses_by_place(
    model: GPT, tokens: ArrayLike, *, length: int | None = None
) -> NDArray[np.float64]:
    """The mean loss at each place of a piece; arguments as for `estimate_loss`.

    Returns:
        Nats, shape `(length,)`.
    """
    size = model.config.block if length is None else length
    size = checks.whole_number("length", size, at_least=1)
    text = checks.whole_array("tokens", tokens, "n", at_least=0)
    n_pieces = (len(text) - 1) // size
    if n_pieces < 1:
        raise ValueError(f"the text must be longer than {size} tokens (length), got {len(text)}")
    ids = text[: n_pieces * size].reshape(n_pieces, size)
    targets = text[1 : n_pieces * size + 1].reshape(n_pieces, size)
    keep_freed_memory()
    rows = max(1, AT_ONCE // size)
    losses = [
        model.losses(ids[top : top + rows], targets[top : top + rows])
        for top in range(0, n_pieces, rows)
    ]
    mean: NDArray[np.float64] = np.concatenate(losses).reshape(-1, size).mean(0, dtype=np.float64)
    return mean
