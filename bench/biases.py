"""The biases of ALiBi and T5 for 32 heads and 4096 tokens: views, and the dense matrix."""

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from bench.measure import compare, peak_bytes
from posenc_ref import alibi_bias, alibi_slopes, t5_bias

HEADS, N = 32, 4096
FILL = "np.empty and fill"


def _torch_alibi() -> Any:
    slopes = torch.from_numpy(alibi_slopes(HEADS)).float()
    position = torch.arange(N)
    distance = (position[None, :] - position[:, None]).abs()
    return -slopes[:, None, None] * distance


def views() -> dict[str, Any]:
    """Apart from the dense matrices, whose gigabytes slow down all that comes after them."""
    weights = np.random.default_rng(0).standard_normal((32, HEADS)).astype(np.float32)
    candidates: dict[str, Callable[[], Any]] = {
        "posenc_ref, ALiBi": partial(alibi_bias, HEADS, N, N, dtype=np.float32),
        "posenc_ref, T5": partial(t5_bias, weights, N, N, bidirectional=True),
    }
    rows = compare(candidates, "posenc_ref, ALiBi", rounds=51)
    for row in rows:
        row["peak_bytes"] = _peak_of_view(candidates[row["name"]])
    return {"name": f"views of the bias of {HEADS} heads, {N} x {N} float32", "rows": rows}


def dense() -> dict[str, Any]:
    weights = np.random.default_rng(0).standard_normal((32, HEADS)).astype(np.float32)
    layer = T5Attention(
        T5Config(num_heads=HEADS, d_kv=4, d_model=8), has_relative_attention_bias=True
    )
    candidates: dict[str, Callable[[], Any]] = {
        FILL: lambda: np.empty((HEADS, N, N), np.float32).fill(1),
        "posenc_ref, ALiBi, copied": lambda: alibi_bias(HEADS, N, N, dtype=np.float32).copy(),
        "posenc_ref, T5, copied": lambda: t5_bias(weights, N, N, bidirectional=True).copy(),
        "PyTorch, ALiBi": _torch_alibi,
        "transformers, T5Attention": lambda: layer.compute_bias(N, N),
    }
    rows = compare(candidates, FILL, rounds=5)
    for row in rows:
        if row["name"] != FILL:
            row["peak_bytes"] = peak_bytes(candidates[row["name"]])
    return {"name": f"bias of {HEADS} heads, {N} x {N} float32", "baseline": FILL, "rows": rows}


def run() -> list[dict[str, Any]]:
    return [views(), dense()]


def _peak_of_view(work: Callable[[], Any]) -> int:
    """As NumPy counts it: too little for the system's page counts to show."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del result
    return peak


def import_time() -> list[dict[str, Any]]:
    """Milliseconds that importing the package adds once NumPy is loaded; median of processes."""
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    script = "import time, numpy; t = time.perf_counter(); import posenc_ref; "
    script += "print(1000 * (time.perf_counter() - t))"
    times = sorted(
        float(
            subprocess.run(
                [sys.executable, "-c", script],
                capture_output=True, text=True, check=True, env=environment,
            ).stdout
        )
        for _ in range(11)
    )  # fmt: skip
    return [{"name": "import over NumPy", "rows": [{"name": "posenc_ref", "ms": times[5]}]}]
