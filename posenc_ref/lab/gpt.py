"""A small GPT in NumPy, forward and backward, that takes any scheme of positions.

    x = token vectors + table
    in each layer:  attention with rotation and bias,  then work on each token
    logits = normalised x @ token vectors transposed

The head is tied: the token vectors that come in are those that logits are made
with. With `causal=False` it is an encoder.
"""

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from posenc_ref import checks
from posenc_ref.attention import causal_mask
from posenc_ref.kinds import Floats
from posenc_ref.lab.config import Config
from posenc_ref.lab.first_weights import first_weights, weight_shapes
from posenc_ref.lab.functions import (
    IGNORED,
    cross_entropy,
    cross_entropy_back,
    normalise,
    normalise_back,
)
from posenc_ref.lab.layer import KeysValues, attend, attend_back, work, work_back
from posenc_ref.lab.schemes import Weights, given, own_gradients


class GPT:
    """Settings and weights.

    Args:
        config: The settings.
        seed: Which random weights it starts with. Weights that all schemes share are
            drawn first, so all schemes start with the same ones.
        dtype: float32, or float64 to compare gradients with differences.

    Examples:
        >>> from posenc_ref.lab import GPT, Config
        >>> model = GPT(Config(positions="rope", n_tokens=26), seed=0)
        >>> model.n_weights
        101248
        >>> model.logits([[0, 1, 2]]).shape
        (1, 3, 26)
        >>> model.weights["tokens"][:] = 0  # now all logits are 0, and the loss is ln 26
        >>> round(model.loss([[0, 1, 2]], [[1, 2, 3]]), 3)
        3.258
    """

    def __init__(self, config: Config, *, seed: int = 0, dtype: DTypeLike = np.float32) -> None:
        """Draw the first weights."""
        self.config = config
        self.weights = first_weights(config, seed, checks.float_dtype("dtype", dtype))

    @property
    def n_weights(self) -> int:
        """How many numbers it learns."""
        return sum(array.size for array in self.weights.values())

    def with_weights(self, weights: Weights) -> "GPT":
        """A model of the same settings with other weights, which it keeps as they are."""
        other: GPT = object.__new__(GPT)
        other.config, other.weights = self.config, weights
        return other

    def changed(self, **settings: Any) -> "GPT":
        """The same weights with other settings: a scaling, say, or what is past the end.

        Args:
            **settings: Settings of `Config`; those that decide the shape of a weight
                cannot be changed.

        Returns:
            A model that shares its weights with this one.

        Raises:
            ValueError: If a setting is bad, or would need other weights.
        """
        config = dataclasses.replace(self.config, **settings)
        for name, shape in weight_shapes(config).items():
            if name not in self.weights or self.weights[name].shape != shape:
                raise ValueError(f"{settings} would need other weights: {name} of shape {shape}")
        other = self.with_weights(self.weights)
        other.config = config
        return other

    def logits(self, ids: ArrayLike, cache: list[KeysValues] | None = None) -> Floats:
        """A score for every token, at every place of every row.

        Args:
            ids: Tokens, shape `(batch, n)`.
            cache: Keys and values of the tokens before, one pair a layer; empty at
                first. It is brought up to date.

        Returns:
            Scores, shape `(batch, n, n_tokens)`.

        Raises:
            TypeError: If `ids` are not whole numbers.
            ValueError: If a token is none, or a learned table is too short.
        """
        tokens = self._tokens("ids", ids)
        return self._forward(tokens, cache)[0].reshape(*tokens.shape, -1)

    def loss(self, ids: ArrayLike, targets: ArrayLike) -> float:
        """How surprised it is by the targets, the mean in nats.

        Args:
            ids: Tokens, shape `(batch, n)`.
            targets: The right token for each place, or -1 where none is asked for.

        Returns:
            The mean loss; ln `n_tokens` for a model that takes all to be as likely.

        Raises:
            TypeError: If an argument is not whole numbers.
            ValueError: If a token is none, shapes differ, or nothing is asked for.
        """
        return float(self.losses(ids, targets).mean(dtype=np.float64))

    def losses(self, ids: ArrayLike, targets: ArrayLike) -> Floats:
        """The loss at each place that is asked for, row by row, in nats; arguments as for `loss`.

        Returns:
            Shape `(n_asked,)`.
        """
        tokens, wanted = self._asked(ids, targets)
        return cross_entropy(self._forward(tokens)[0], wanted)[0]

    def loss_and_gradients(self, ids: ArrayLike, targets: ArrayLike) -> tuple[float, Weights]:
        """The loss, and how it changes with each weight; arguments as for `loss`."""
        tokens, wanted = self._asked(ids, targets)
        weights, config = self.weights, self.config
        batch, n = tokens.shape
        logits, (attended, worked, final) = self._forward(tokens)
        losses, shares = cross_entropy(logits, wanted)

        d_logits = cross_entropy_back(shares, wanted)
        z, normalised = final
        d_vectors = d_logits.T @ z  # of the token vectors, as the head
        d_x, d_gain, d_shift = normalise_back(d_logits @ weights["tokens"], normalised)
        gradients = {"final.gain": d_gain, "final.shift": d_shift}
        d_bias: Floats | None = None
        for layer in reversed(range(config.n_layers)):
            w = _of_layer(weights, layer)
            d_x, of_work = work_back(d_x, w, worked[layer])
            d_x, of_attend, d_scores = attend_back(d_x, w, attended[layer])
            for name, gradient in (of_work | of_attend).items():
                gradients[f"{layer}.{name}"] = gradient
            if config.positions == "t5":
                d_bias = d_scores.sum(0) if d_bias is None else d_bias + d_scores.sum(0)
        d_vectors += _one_hot(tokens.ravel(), config.n_tokens, d_x.dtype).T @ d_x  # and coming in
        gradients["tokens"] = d_vectors
        d_table = d_x.reshape(batch, n, -1).sum(0)
        gradients |= own_gradients(config, weights, d_table, d_bias)
        return float(losses.mean(dtype=np.float64)), gradients

    def _forward(
        self, tokens: NDArray[np.int64], cache: list[KeysValues] | None = None
    ) -> tuple[Floats, Any]:
        """Logits, shape `(batch * n, n_tokens)`, and what the gradient needs."""
        config, weights = self.config, self.weights
        batch, n = tokens.shape
        n_keys = n + (cache[0][0].shape[-2] if cache else 0)
        table, rotation, bias = given(config, weights, n, n_keys)
        x = weights["tokens"][tokens]
        if table is not None:
            x += table
        x = x.reshape(batch * n, -1)
        added = bias
        if config.causal:
            mask = np.where(causal_mask(n, n_keys), 0, -np.inf).astype(x.dtype)
            added = mask if bias is None else mask + bias
        attended, worked = [], []
        for layer in range(config.n_layers):
            w = _of_layer(weights, layer)
            past = cache[layer] if cache else None
            x, saved = attend(x, w, batch, config.n_heads, rotation, added, past)
            attended.append(saved)
            x, more = work(x, w)
            worked.append(more)
        if cache is not None:
            cache[:] = [(saved.k, saved.v) for saved in attended]
        z, normalised = normalise(x, weights["final.gain"], weights["final.shift"])
        return z @ weights["tokens"].T, (attended, worked, (z, normalised))

    def _tokens(self, name: str, ids: ArrayLike) -> NDArray[np.int64]:
        most = self.config.n_tokens - 1
        tokens = checks.whole_array(name, ids, "batch", "n", at_least=0, at_most=most)
        if tokens.size == 0:
            raise ValueError(f"{name} must have at least one token, got shape {tokens.shape}")
        return tokens

    def _asked(
        self, ids: ArrayLike, targets: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        tokens = self._tokens("ids", ids)
        wanted = checks.whole_array(
            "targets", targets, *tokens.shape, at_least=IGNORED, at_most=self.config.n_tokens - 1
        )
        if (wanted == IGNORED).all():
            raise ValueError("targets must ask for at least one token, got -1 everywhere")
        return tokens, wanted.ravel()


def _one_hot(tokens: NDArray[np.int64], n_tokens: int, dtype: np.dtype[np.floating]) -> Floats:
    """Rows of 0 with a single 1. To read a row of a table is to multiply the table by one."""
    rows = np.zeros((len(tokens), n_tokens), dtype)
    rows[np.arange(len(tokens)), tokens] = 1
    return rows


def _of_layer(weights: Weights, layer: int) -> Weights:
    prefix = f"{layer}."
    return {
        name.removeprefix(prefix): array
        for name, array in weights.items()
        if name.startswith(prefix)
    }
