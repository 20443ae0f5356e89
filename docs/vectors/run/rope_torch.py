"""Rotary positions in PyTorch, held to the published vectors."""

import torch

from posenc_ref import check


def rope(x, positions, base, dtype=torch.float32):
    x = torch.as_tensor(x, dtype=dtype)
    positions = torch.as_tensor(positions)
    width = x.shape[-1]
    steps = torch.arange(0, width, 2, dtype=dtype)
    angle = positions[:, None] * base ** (-steps / width)
    cos, sin = angle.cos(), angle.sin()
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], -1)


def rope64(x, positions, base):
    return rope(x, positions, base, torch.float64)


print(check("rope-half", rope))
print()
print(check("rope-half", rope64))
print()
print(check("rope-interleaved", rope64))
