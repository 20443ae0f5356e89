"""Scaled dot-product attention of PyTorch in float64: plain, with bias, masks, scale and cache."""

import torch
from torch.nn.functional import scaled_dot_product_attention

from tests.record.form import case

LIBRARIES = ["torch"]

SOURCE = "torch.nn.functional.scaled_dot_product_attention"


def cases():
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, 5, 4, dtype=torch.float64) for _ in range(3))
    bias = torch.randn(3, 5, 5, dtype=torch.float64)
    mask = torch.rand(2, 1, 5, 5) < 0.6
    mask[0, 0, 2] = False  # this query may attend to nothing
    causal = torch.ones(5, 5, dtype=torch.bool).tril()

    def attended(name, queries, **options):
        outputs = {"out": scaled_dot_product_attention(queries, k, v, **options)}
        names = {"attn_mask": "mask", "scale": "scale"}
        ours = {names[key]: value for key, value in options.items()}
        if "mask" in ours and ours["mask"].dtype != torch.bool:
            ours["bias"] = ours.pop("mask")
        inputs = {"q": queries, "k": k, "v": v, **ours}
        return case(name, SOURCE, ["attention"], inputs=inputs, outputs=outputs)

    yield attended("plain", q)
    yield attended("with a bias", q, attn_mask=bias)
    yield attended("with a mask that leaves a query nothing", q, attn_mask=mask)
    yield attended("causal, without the scale", q, attn_mask=causal, scale=1.0)
    yield attended("two new queries and three cached keys", q[..., -2:, :], attn_mask=causal[-2:])
