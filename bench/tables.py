"""Sinusoidal tables, against the memory's own speed, the printed formula and three libraries."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from positional_encodings.torch_encodings import PositionalEncoding1D
from transformers.models.whisper.modeling_whisper import sinusoids

from bench.measure import compare, peak_bytes
from posenc_ref import sinusoidal_table

SIZES = [(512, 512), (2048, 768), (8192, 4096), (131072, 128)]
FILL = "np.empty and fill"
OURS = "posenc_ref"


def formula(n: int, d: int, dtype: Any) -> Any:
    """As tutorials write it: angles of all cells in float64, then sines and cosines."""
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.empty((n, d), dtype)
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def eager_torch(n: int, d: int, dtype: torch.dtype) -> Any:
    position = torch.arange(n, dtype=dtype)[:, None]
    angle = position * torch.exp(torch.arange(0, d, 2, dtype=dtype) * (-math.log(10000.0) / d))
    table = torch.empty(n, d, dtype=dtype)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)
    return table


def candidates(n: int, d: int, dtype: Any) -> dict[str, Callable[[], Any]]:
    out = np.empty((n, d), dtype)
    torch_dtype = torch.float32 if dtype == np.float32 else torch.float64
    found: dict[str, Callable[[], Any]] = {
        FILL: lambda: np.empty((n, d), dtype).fill(1),
        OURS: partial(sinusoidal_table, n, d, dtype=dtype),
        "posenc_ref, out=": partial(sinusoidal_table, n, d, dtype=dtype, out=out),
        "posenc_ref, concatenated": partial(
            sinusoidal_table, n, d, dtype=dtype, layout="concatenated"
        ),
        "NumPy, the printed formula": partial(formula, n, d, dtype),
        "PyTorch, the printed formula": partial(eager_torch, n, d, torch_dtype),
    }
    if dtype == np.float32:
        x = torch.zeros(1, n, d)
        found["transformers, Whisper's sinusoids"] = partial(sinusoids, n, d)
        # A fresh object each time: it keeps its last table and would give that back.
        found["positional-encodings"] = lambda: PositionalEncoding1D(d)(x)
    return found


def run() -> list[dict[str, Any]]:
    groups = []
    for dtype in (np.float32, np.float64):
        for n, d in SIZES:
            large = n * d > 10_000_000
            rows = compare(candidates(n, d, dtype), FILL, rounds=7 if large else 21)
            name = f"sinusoidal {n} x {d} {np.dtype(dtype).name}"
            groups.append({"name": name, "baseline": FILL, "rows": rows})
    size = 8192 * 4096 * 4
    rows = [
        {"name": name, "peak_over_result": peak_bytes(work) / size}
        for name, work in candidates(8192, 4096, np.float32).items()
        if name in (OURS, "PyTorch, the printed formula", "positional-encodings")
    ]
    groups.append({"name": "memory of sinusoidal 8192 x 4096 float32", "rows": rows})
    return groups
