"""A step of training of the lab's model, beside the same model in eager PyTorch, one thread.

The small size: 2 layers, width 64, 4 heads, 16 rows of 64 characters. Both take the step whole:
draw a batch, forward, backward, clip, AdamW.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from bench.measure import Candidates, compare
from posenc_ref.lab import GPT, Config, corpus, grammar_text, text_batches
from posenc_ref.lab.memory import keep_freed_memory
from posenc_ref.lab.optimiser import adamw, clip, learning_rate, no_moments
from posenc_ref.lab.text import Draw

BLOCK, WIDTH, HEADS, LAYERS, BATCH = 64, 64, 4, 2, 16
STEPS = 5  # in a measurement


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Any, mask: Any, turn: Callable[[Any], Any]) -> Any:
        batch, n, _ = x.shape
        parts = self.qkv(self.first(x)).view(batch, n, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        scores = turn(q) @ turn(k).transpose(-2, -1) / math.sqrt(WIDTH // HEADS) + mask
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, n, WIDTH))
        return x + self.down(functional.gelu(self.up(self.second(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self, n_tokens: int, positions: str) -> None:
        super().__init__()
        self.positions = positions
        self.tokens = nn.Embedding(n_tokens, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.last = nn.LayerNorm(WIDTH)

    def forward(self, ids: Any) -> Any:
        place = torch.arange(ids.shape[1])
        ahead = place > place[:, None]
        mask = torch.zeros(ahead.shape).masked_fill(ahead, float("-inf"))
        turn = self.rotation(place) if self.positions == "rope" else lambda x: x
        if self.positions == "alibi":
            slopes = 2.0 ** (-8 * torch.arange(1, HEADS + 1) / HEADS)
            mask = mask - slopes[:, None, None] * (place[:, None] - place).abs()
        x = self.tokens(ids)
        for layer in self.layers:
            x = layer(x, mask, turn)
        return self.last(x) @ self.tokens.weight.T

    def rotation(self, place: Any) -> Callable[[Any], Any]:
        half = WIDTH // HEADS // 2
        angle = place[:, None] * 10000.0 ** (-torch.arange(half) / half)
        cos, sin = angle.cos(), angle.sin()

        def turn(x: Any) -> Any:
            a, b = x[..., :half], x[..., half:]
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

        return turn


def ours(n_tokens: int, positions: Any, draw: Draw) -> Callable[[], Any]:
    model = GPT(Config(positions=positions, n_tokens=n_tokens))
    moments, taken = no_moments(model.weights), [0]

    def steps() -> None:
        for _ in range(STEPS):
            taken[0] += 1
            _, gradients = model.loss_and_gradients(*draw(taken[0]))
            clip(gradients, 1.0)
            rate = learning_rate(taken[0], 2000, 2e-3, 50)
            adamw(model.weights, gradients, moments, step=taken[0], rate=rate, weight_decay=0.1)

    return steps


def theirs(n_tokens: int, positions: str, draw: Draw) -> Callable[[], Any]:
    torch.manual_seed(0)
    model, taken = Model(n_tokens, positions), [0]
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.99), weight_decay=0.1)

    def steps() -> None:
        for _ in range(STEPS):
            taken[0] += 1
            ids, targets = (torch.from_numpy(part.copy()) for part in draw(taken[0]))
            with torch.enable_grad():
                logits = model(ids).flatten(0, 1)
                loss = functional.cross_entropy(logits, targets.flatten())
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()

    return steps


def run() -> list[dict[str, Any]]:
    keep_freed_memory()
    parts = corpus(grammar_text(100_000))
    draw = text_batches(parts.training, block=BLOCK, batch=BATCH, seed=0)
    n_tokens, groups = len(parts.vocabulary), []
    for positions in ("none", "rope", "alibi"):
        candidates: Candidates = {
            "PyTorch, eager": theirs(n_tokens, positions, draw),
            "posenc_ref.lab": ours(n_tokens, positions, draw),
        }
        rows = compare(candidates, "PyTorch, eager")
        name = f"{STEPS} steps of training, {positions}"
        groups.append({"name": name, "baseline": "PyTorch, eager", "rows": rows})
    return groups
