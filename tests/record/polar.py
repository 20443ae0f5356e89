"""Polar positions in the attention of x-transformers, which makes lengths in float32.

Queries, keys and phases are random with two decimals.
"""

import torch
from x_transformers.attend import Attend
from x_transformers.x_transformers import PolarEmbedding, apply_polar_pos_emb

from tests.record.form import case

LIBRARIES = ["torch", "x-transformers"]


def numbers(*shape, scale=1.0):
    """Random, with few digits, so that the file stays small."""
    return torch.round(scale * torch.randn(*shape, dtype=torch.float64), decimals=2)


@torch.no_grad()
def cases():
    torch.manual_seed(22)
    for head_dim, base, n_queries, learned in [(4, 10000, 6, True), (3, 100, 5, False)]:
        polar = PolarEmbedding(head_dim, 2, base=base).double()
        if learned:
            phase = torch.round(-6.28 * torch.rand(2, 1, head_dim, dtype=torch.float64), decimals=2)
            polar.learned_bias.data = phase
        freqs, bias = polar(torch.arange(6))
        q, k, v = (numbers(2, 2, n, head_dim) for n in (n_queries, 6, 6))
        query_vectors = apply_polar_pos_emb(q, freqs)
        key_vectors = apply_polar_pos_emb(k, freqs + bias)
        attend = Attend(causal=True, heads=2, scale=head_dim**-0.5)
        output, details = attend(query_vectors, key_vectors, v)
        yield case(
            f"polar, head width {head_dim}",
            "x_transformers.attend.Attend, with x_transformers.x_transformers.PolarEmbedding "
            "and x_transformers.x_transformers.apply_polar_pos_emb",
            ["polar_inv_freq", "polar_vectors", "polar_scores"],
            inputs={"base": base, "phase": bias[:, 0], "q": q, "k": k, "v": v},
            outputs={
                "inv_freq": polar.inv_freq,
                "query_vectors": query_vectors,
                "key_vectors": key_vectors,
                "scores": details.qk_similarities,
                "output": output,
            },
        )
