"""Turning a query of 32 heads by RoPE, and making the cosines and sines of a long run."""

from functools import partial
from typing import Any

import numpy as np
import torch
from rotary_embedding_torch import apply_rotary_emb
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from bench.measure import compare
from posenc_ref import apply_rotary, rotary_cos_sin, rotary_inv_freq, scale_llama3

HEADS, HEAD_DIM = 32, 128
COPY = "np.copyto"
N_ANGLES, ROTARY_DIM, BASE = 131072, 64, 500000.0
FILL = "np.empty and fill, twice"
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}


def naive_half(q: Any, cos: Any, sin: Any) -> Any:
    """The formula as it is mostly written, over the full width."""
    first, second = np.split(q, 2, axis=-1)
    return q * cos + np.concatenate([-second, first], axis=-1) * sin


def turning(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    q = rng.standard_normal((1, HEADS, n, HEAD_DIM), dtype=np.float32)
    out = np.empty_like(q)
    rotation = rotary_cos_sin(np.arange(n), rotary_inv_freq(HEAD_DIM), dtype=np.float32)
    wide_cos, wide_sin = (np.concatenate([part, part], axis=-1) for part in rotation)
    torch_q, torch_cos, torch_sin = map(torch.from_numpy, (q, wide_cos, wide_sin))
    freqs = torch.outer(
        torch.arange(n).float(), torch.from_numpy(rotary_inv_freq(HEAD_DIM)).float()
    )
    pairs = torch.from_numpy(rotation.cos + 1j * rotation.sin)
    nothing = torch_q[:, :1, :, :]  # the released function turns k too: one head of it
    candidates = {
        COPY: lambda: np.copyto(out, q),
        "posenc_ref, interleaved, out=": partial(
            apply_rotary, q, rotation, layout="interleaved", out=out
        ),
        "posenc_ref, half, out=": partial(apply_rotary, q, rotation, layout="half", out=out),
        "posenc_ref, interleaved": partial(apply_rotary, q, rotation, layout="interleaved"),
        "posenc_ref, half": partial(apply_rotary, q, rotation, layout="half"),
        "NumPy, rotate_half": partial(naive_half, q, wide_cos, wide_sin),
        "transformers, Llama (half)": lambda: apply_rotary_pos_emb(
            torch_q, nothing, torch_cos[None], torch_sin[None]
        ),
        "rotary-embedding-torch (interleaved)": partial(
            apply_rotary_emb, freqs.repeat_interleave(2, dim=-1), torch_q
        ),
        "PyTorch, complex (interleaved)": lambda: torch.view_as_real(
            torch.view_as_complex(torch_q.unflatten(-1, (-1, 2))) * pairs
        ),
    }
    name = f"RoPE on q (1, {HEADS}, {n}, {HEAD_DIM}) float32"
    return {"name": name, "baseline": COPY, "rows": compare(candidates, COPY, rounds=9)}


def angles() -> list[dict[str, Any]]:
    scaled = scale_llama3(rotary_inv_freq(ROTARY_DIM, BASE), trained_length=8192, **LLAMA3)
    config = LlamaConfig(
        hidden_size=ROTARY_DIM * HEADS, num_attention_heads=HEADS, head_dim=ROTARY_DIM,
        max_position_embeddings=N_ANGLES,
        rope_parameters={"rope_type": "llama3", "rope_theta": BASE, **LLAMA3,
                         "original_max_position_embeddings": 8192},
    )  # fmt: skip
    released = LlamaRotaryEmbedding(config)
    x, position_ids = torch.zeros(1), torch.arange(N_ANGLES)[None]
    positions = np.arange(N_ANGLES)
    shape = (N_ANGLES, ROTARY_DIM // 2)

    def direct() -> Any:
        angle = positions[:, None] * scaled.inv_freq
        return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)

    ours = partial(rotary_cos_sin, positions, scaled.inv_freq, dtype=np.float32)
    repeated = partial(ours, angles=np.float32)
    candidates = {
        FILL: lambda: [np.empty(shape, np.float32).fill(1) for _ in range(2)],
        "posenc_ref": ours,
        "posenc_ref, float32 angles": repeated,
        "NumPy, float64 angles": direct,
        "transformers, LlamaRotaryEmbedding": lambda: released(x, position_ids),
    }
    rows = compare(candidates, FILL, rounds=11)

    exact = np.cos(positions[:, None] * scaled.inv_freq)
    errors = {
        "posenc_ref": ours()[0],
        "posenc_ref, float32 angles": repeated()[0],
        "NumPy, float64 angles": direct()[0],
        "transformers, LlamaRotaryEmbedding": released(x, position_ids)[0][
            0, :, : shape[1]
        ].numpy(),
    }
    for row in rows:
        if row["name"] in errors:
            row["error"] = float(np.abs(errors[row["name"]] - exact).max())
    name = f"cosines and sines {N_ANGLES} x {ROTARY_DIM} float32"
    return [{"name": name, "baseline": FILL, "rows": rows}]


def run() -> list[dict[str, Any]]:
    return [*(turning(n) for n in (2048, 4096, 8192)), *angles()]
