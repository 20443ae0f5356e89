# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A small GPT, with and without positions
#
# The exercise “train your small GPT with no position information” needs a small GPT. Here is one in
# NumPy, short enough to read: embeddings, causal attention, a hidden layer, and gradients by hand.
# It trains in seconds, on a text in which order is everything:
#
# > dog bites man so man runs .
#
# Two different animals or people, drawn at random. The word after “so” is always the one that *was
# bitten*. A model that sees the words without their order knows the two names, and can only toss a
# coin between them.
#
# Before you read on: which of these will get past the coin? One layer with positions, one layer
# without, two layers without. All of them have a causal mask.
#
# ## The text

# %%
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

NAMES = ["dog", "man", "cat", "fox", "owl", "boy"]
WORDS = ["bites", "so", "runs", ".", *NAMES]


def encode(text):
    return [WORDS.index(word) for word in text.split()]


def decode(ids):
    return " ".join(WORDS[i] for i in ids)


def sentences(count, rng):
    """Rows of ids, shape (count, 7)."""
    rows = []
    for _ in range(count):
        biter, bitten = rng.choice(NAMES, 2, replace=False)
        rows.append(encode(f"{biter} bites {bitten} so {bitten} runs ."))
    return np.array(rows)


print(decode(sentences(1, np.random.default_rng(0))[0]))

# %% [markdown]
# ## The model
#
# Each block reads a vector for each word, mixes them by causal attention, and passes each through a
# hidden layer; both results are added to what came in. There is no normalization, which so small a
# model does not need. `positions` decides about one line: whether a learned row for each position
# is added to the word's vector.


# %%
@dataclass
class Config:
    positions: bool
    n_layers: int = 1
    d_model: int = 16
    length: int = 6
    seed: int = 0


class GPT:
    def __init__(self, config):
        self.config = config
        d, rng = config.d_model, np.random.default_rng(config.seed)

        def matrix(rows, columns, scale=1.0):
            return rng.normal(0, scale / rows**0.5, (rows, columns))

        self.weights = {
            "token": rng.normal(0, 0.3, (len(WORDS), d)),
            "head": matrix(d, len(WORDS)),
        }
        if config.positions:
            self.weights["position"] = rng.normal(0, 0.3, (config.length, d))
        for layer in range(config.n_layers):
            self.weights |= {
                f"query{layer}": matrix(d, d, 0.3),
                f"key{layer}": matrix(d, d, 0.3),
                f"value{layer}": matrix(d, d, 0.5),
                f"up{layer}": matrix(d, 2 * d),
                f"down{layer}": matrix(2 * d, d, 0.5),
            }

    def forward(self, ids):
        """Logits for the word after each word, and what the gradients will need."""
        w, n = self.weights, ids.shape[1]
        x = w["token"][ids]
        if self.config.positions:
            x = x + w["position"][np.arange(n)]
        mask = np.where(np.tri(n, dtype=bool), 0, -np.inf)
        kept = []
        for layer in range(self.config.n_layers):
            q, k, v = (x @ w[f"{name}{layer}"] for name in ("query", "key", "value"))
            shares = softmax(q @ k.swapaxes(1, 2) / self.config.d_model**0.5 + mask)
            y = x + shares @ v
            hidden = np.maximum(y @ w[f"up{layer}"], 0)
            kept.append((x, q, k, v, shares, y, hidden))
            x = y + hidden @ w[f"down{layer}"]
        return x @ w["head"], x, kept


def softmax(scores):
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


# %% [markdown]
# ## Gradients
#
# Back through the same steps in reverse. Each product gives two gradients: one for its weights, one
# for what came in.


# %%
def loss_and_gradients(model, ids, targets):
    """The loss of every prediction, shape (batch, length), and its mean's gradients."""
    w, d = model.weights, model.config.d_model
    logits, x, kept = model.forward(ids)
    shares = softmax(logits)
    right = np.take_along_axis(shares, targets[..., None], -1)
    error = shares.copy()
    np.put_along_axis(error, targets[..., None], right - 1, -1)
    error /= targets.size

    def of_weights(inputs, outputs):
        return np.einsum("bni,bnj->ij", inputs, outputs)

    gradients = {"head": of_weights(x, error)}
    dx = error @ w["head"].T
    for layer in reversed(range(model.config.n_layers)):
        x, q, k, v, shares, y, hidden = kept[layer]
        gradients[f"down{layer}"] = of_weights(hidden, dx)
        dhidden = (dx @ w[f"down{layer}"].T) * (hidden > 0)
        gradients[f"up{layer}"] = of_weights(y, dhidden)
        dy = dx + dhidden @ w[f"up{layer}"].T
        dshares = dy @ v.swapaxes(1, 2)
        dscores = shares * (dshares - (dshares * shares).sum(-1, keepdims=True)) / d**0.5
        parts = {
            "query": dscores @ k,
            "key": dscores.swapaxes(1, 2) @ q,
            "value": shares.swapaxes(1, 2) @ dy,
        }
        dx = dy
        for name, part in parts.items():
            gradients[f"{name}{layer}"] = of_weights(x, part)
            dx = dx + part @ w[f"{name}{layer}"].T
    gradients["token"] = np.zeros_like(w["token"])
    np.add.at(gradients["token"], ids, dx)
    if model.config.positions:
        gradients["position"] = dx.sum(0)
    return -np.log(right[..., 0]), gradients


# %% [markdown]
# Hand-written gradients are trusted only after a second route agrees: change one weight a little up
# and down, and see how the loss moves.


# %%
def largest_gap(model, step=1e-5):
    ids = sentences(8, np.random.default_rng(1))
    inputs, targets = ids[:, :-1], ids[:, 1:]
    _, gradients = loss_and_gradients(model, inputs, targets)
    gaps = []
    for name, weights in model.weights.items():
        place = np.unravel_index(np.abs(gradients[name]).argmax(), weights.shape)
        losses = []
        for sign in (1, -1):
            weights[place] += sign * step
            losses.append(loss_and_gradients(model, inputs, targets)[0].mean())
            weights[place] -= sign * step
        slope = (losses[0] - losses[1]) / (2 * step)
        gaps.append(abs(slope - gradients[name][place]))
    return max(gaps)


print("gradients agree:", largest_gap(GPT(Config(positions=True, n_layers=2))) < 1e-8)

# %% [markdown]
# ## Training
#
# Adam, with sentences drawn anew at every step. Only thirty are possible, so a model may learn them
# by heart, provided that it can tell them apart.


# %%
def train(model, steps=300, batch=32, rate=0.01):
    rng = np.random.default_rng(100 + model.config.seed)
    mean = {name: np.zeros_like(value) for name, value in model.weights.items()}
    square = {name: np.zeros_like(value) for name, value in model.weights.items()}
    for step in range(1, steps + 1):
        ids = sentences(batch, rng)
        _, gradients = loss_and_gradients(model, ids[:, :-1], ids[:, 1:])
        for name, gradient in gradients.items():
            mean[name] = 0.9 * mean[name] + 0.1 * gradient
            square[name] = 0.99 * square[name] + 0.01 * gradient**2
            size = np.sqrt(square[name] / (1 - 0.99**step)) + 1e-8
            model.weights[name] -= rate * mean[name] / (1 - 0.9**step) / size
    return model


def estimate_loss(model):
    """Mean loss of each word of sentences drawn anew, from the second word on."""
    ids = sentences(500, np.random.default_rng(7))
    losses, _ = loss_and_gradients(model, ids[:, :-1], ids[:, 1:])
    return losses.mean(0)


def generate(model, text, count):
    """Append the likeliest word, again and again."""
    ids = encode(text)
    for _ in range(count):
        logits, _, _ = model.forward(np.array([ids]))
        ids.append(int(logits[0, -1].argmax()))
    return decode(ids)


# %% [markdown]
# Four models, two seeds each. What matters is the loss of one word, the one after “so”. A coin toss
# between two names costs the logarithm of two.

# %%
DECISIVE = 3  # the prediction made at "so"
results, trained = {}, {}
for n_layers in (1, 2):
    for positions in (True, False):
        name = f"{n_layers} layer{'s' * (n_layers > 1)}, {'with' if positions else 'no'} positions"
        models = [train(GPT(Config(positions, n_layers, seed=seed))) for seed in (0, 1)]
        losses = [estimate_loss(model)[DECISIVE] for model in models]
        results[name], trained[name] = losses, models[0]

width = max(map(len, results))
lines = [f"{n:{width}}  {min(x):.2f} to {max(x):.2f}" for n, x in results.items()]
print("\n".join([f"{'':{width}}  loss at the decisive word", *lines]))
print(f"{'a coin toss':{width}}  {np.log(2):.2f}")

# %% alt="Bars of the loss at the decisive word: near zero for all models but the one with one layer and no positions, which stands above a coin toss"
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.barh(list(results), [max(losses) for losses in results.values()], color="#67859a")
ax.axvline(np.log(2), color="black", linestyle="--", label="a coin toss")
ax.set_xlabel("loss of the word after “so” (the larger of two seeds)")
ax.invert_yaxis()
ax.legend()
plt.show()

# %% [markdown]
# ## What happened
#
# With positions, one layer is enough: at “so” it can attend to the third word and repeat it.
#
# Without positions, one layer cannot: at “so” it sees the set of the words so far, and the set is
# the same whoever bites. It can learn that one of two names must come, and no more. That is the
# bag; after so short a training it is still above the coin, and more steps bring it closer.
#
# Without positions, *two* causal layers get past the coin. The mask hides from each word what comes
# after it: the first name saw only itself, the second name saw “bites”. So the first layer can mark
# the two names differently, and the second can ask for the marked one. This is how a causal mask
# leaks order. Take the mask away and every layer is blind again, however many there are: that is
# the [proof in lesson one](../../lessons/why-order/#proof).

# %%
for start in ("dog bites man so", "man bites dog so"):
    for name in ("1 layer, with positions", "1 layer, no positions"):
        print(f"{name}: {generate(trained[name], start, 3)}")

# %% [markdown]
# The blind model says the same name for both sentences: it cannot do otherwise, so it is right in
# one of them and wrong in the other.
#
# ## What so small a model cannot show
#
# Real text rarely hangs on one word, so there the difference is one of degree; the published
# comparisons are in [the lesson on models without positions](../../lessons/nope/). Nor does this say
# anything about sentences that were never seen, about texts longer than six words, or about more
# than two seeds. [The lab](../../lab/with-and-without/) asks that with a larger model, real text and
# six schemes.
