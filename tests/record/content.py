"""Contextual positions and forget gates, each in the attention of x-transformers.

Queries, keys, values and weights are random with two decimals, and all runs in float64: the
softmax of the library, which is one in float32, is given as its option `custom_attn_fn`.
"""

import functools

import torch
from x_transformers.attend import Attend
from x_transformers.x_transformers import CoPE, DataDependentAlibi

from tests.record.form import case

LIBRARIES = ["torch", "x-transformers"]


softmax = functools.partial(torch.softmax, dim=-1)


def numbers(*shape, scale=1.0):
    """Random, with few digits, so that the file stays small."""
    return torch.round(scale * torch.randn(*shape, dtype=torch.float64), decimals=2)


@torch.no_grad()
def cases():
    torch.manual_seed(21)
    name = "x_transformers.x_transformers."
    for n_rows in (1, 3, 9):
        cope = CoPE(dim=4, heads=2, max_pos=n_rows).double()
        cope.pos_emb.data = numbers(n_rows, 4)
        q, k, v = (numbers(2, 2, 7, 4, scale=1.5) for _ in range(3))
        output, details = Attend(causal=True, heads=2, cope=cope, custom_attn_fn=softmax)(q, k, v)
        yield case(
            f"cope, {n_rows} rows",
            f"x_transformers.attend.Attend, with {name}CoPE",
            ["cope_bias"],
            inputs={"q": q, "k": k, "v": v, "table": cope.pos_emb},
            outputs={"weights": details.post_softmax_attn, "output": output},
        )
    for n in (1, 6):
        gates = DataDependentAlibi(dim=4, heads=2).double()
        linear = gates.to_forget_gates[0]
        linear.weight.data, linear.bias.data = numbers(2, 4), numbers(2)
        x = numbers(2, n, 4)
        q, k, v = (numbers(2, 2, n, 3) for _ in range(3))
        output, details = Attend(causal=True, heads=2, custom_attn_fn=softmax)(
            q, k, v, attn_bias=gates(x)
        )
        yield case(
            f"forget gates, {n} tokens",
            f"x_transformers.attend.Attend, with {name}DataDependentAlibi",
            ["forgetting_bias"],
            inputs={"x": x, "weight": linear.weight, "bias": linear.bias, "q": q, "k": k, "v": v},
            outputs={"weights": details.post_softmax_attn, "output": output},
        )
