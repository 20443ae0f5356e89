"""ALiBi in released models: slopes, biases, and whole attention layers in double precision.

The layers are tiny and start from seeded weights. Scores are what the layer hands to its softmax.
"""

import contextlib

import torch
from torch.nn import functional
from transformers import BloomConfig, BloomModel, FalconConfig, FalconModel, MptConfig, MptModel
from transformers.models.bloom import modeling_bloom
from transformers.models.falcon import modeling_falcon
from transformers.models.mpt import modeling_mpt
from x_transformers.x_transformers import AlibiPositionalBias, Attention

from tests.record.form import case

LIBRARIES = ["torch", "transformers", "x-transformers"]

PADDED = [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]
HEADS = [1, 2, 3, 5, 6, 8, 12, 16, 20, 40, 71, 112]
TOKENS = torch.tensor([[3, 1, 4, 1, 5], [2, 7, 1, 8, 2]])


@contextlib.contextmanager
def watched(name):
    """What goes into a function of torch.nn.functional while the block runs."""
    seen = []
    plain = getattr(functional, name)

    def watching(x, *args, **kwargs):
        seen.append(x.detach().clone())
        return plain(x, *args, **kwargs)

    setattr(functional, name, watching)
    try:
        yield seen
    finally:
        setattr(functional, name, plain)


def first_call(module, run):
    """Arguments and result of the first call of a module while `run` runs."""
    calls = []
    handle = module.register_forward_hook(
        lambda _, args, kwargs, output: calls.append((args, kwargs, output)), with_kwargs=True
    )
    with torch.no_grad(), watched("softmax") as scores:
        run()
    handle.remove()
    return *calls[0], scores[0] if scores else None


def seeded(made):
    """Random weights of two decimals, which take little room in the record."""
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in made.double().eval().parameters():
            parameter.copy_(torch.round(torch.randn_like(parameter) * 0.5, decimals=2))
    return made


def shown(x):
    """Entries that the mask hides, and rows of padding, have no meaning: 0 in the record."""
    return torch.where(x.isfinite() & (x > -1e30), x, 0)


def weights(**linears):
    """Weight and bias of each linear layer."""
    given = {}
    for name, linear in linears.items():
        given[f"{name}_weight"] = linear.weight
        if linear.bias is not None:
            given[f"{name}_bias"] = linear.bias
    return given


def bloom():
    for n_heads in HEADS:
        yield case(
            f"BLOOM slopes, {n_heads} heads",
            "transformers.models.bloom.modeling_bloom._get_alibi_slopes",
            ["alibi_slopes"],
            inputs={"n_heads": n_heads},
            outputs={"slopes": modeling_bloom._get_alibi_slopes(n_heads, "cpu")},
        )
    for n_heads in (4, 6):
        built = modeling_bloom.build_alibi_tensor(torch.tensor(PADDED), n_heads, torch.float32)
        yield case(
            f"BLOOM bias of padded rows, {n_heads} heads",
            "transformers.models.bloom.modeling_bloom.build_alibi_tensor",
            ["alibi_bias_at"],
            inputs={"n_heads": n_heads, "mask": PADDED},
            outputs={"bias": built.reshape(2, n_heads, 5)},
            note="slope * key position, one row for all queries; padding reads 0",
        )
    config = BloomConfig(vocab_size=9, hidden_size=8, n_head=4, n_layer=1)
    config._attn_implementation = "eager"
    bloom_model = seeded(BloomModel(config))
    layer = bloom_model.h[0].self_attention
    for name, mask in (("whole rows", None), ("padded rows", PADDED)):
        attention_mask = None if mask is None else torch.tensor(mask)
        args, _, (output, probs), scores = first_call(
            layer, lambda m=attention_mask: bloom_model(TOKENS, attention_mask=m)
        )
        yield case(
            f"BLOOM attention, {name}",
            "transformers.BloomModel, h[0].self_attention",
            ["alibi_bias" if mask is None else "alibi_bias_at"],
            inputs={
                "n_heads": 4,
                "mask": mask or [[1] * 5] * 2,
                "hidden": args[0],
                **weights(qkv=layer.query_key_value, dense=layer.dense),
            },
            outputs={
                "scores": shown(scores),
                "probs": shown(probs),
                "mixed": shown(output - args[1]),
            },
            note="the residual is taken off the output; the softmax is float32",
        )
    with torch.no_grad():
        cache = bloom_model(TOKENS[:, :3], use_cache=True).cache
    args, _, (output, probs), scores = first_call(
        layer, lambda: bloom_model(TOKENS[:, 3:], cache=cache, use_cache=True)
    )
    yield case(
        "BLOOM attention, two new tokens on three cached ones",
        "transformers.BloomModel, h[0].self_attention",
        ["alibi_bias"],
        inputs={"n_heads": 4, "n_queries": 2, "n_keys": 5},
        outputs={"probs": probs},
        note="compared with the last rows of the case of whole rows too",
    )


def mpt():
    for n_heads, max_bias in ((3, 8), (8, 8), (12, 8), (12, 16), (6, 4)):
        built = modeling_mpt.build_mpt_alibi_tensor(n_heads, 5, alibi_bias_max=max_bias)
        yield case(
            f"MPT bias, {n_heads} heads, down to 2 ** -{max_bias}",
            "transformers.models.mpt.modeling_mpt.build_mpt_alibi_tensor",
            ["alibi_slopes", "alibi_bias"],
            inputs={"n_heads": n_heads, "n_keys": 5, "max_bias": max_bias},
            outputs={"bias": built},
            note="the row of the last query, given to all",
        )
    for n_heads, max_bias in ((4, 8), (4, 16), (6, 8)):
        config = MptConfig(
            vocab_size=9, d_model=2 * n_heads, n_heads=n_heads, n_layers=1, max_seq_len=12,
            attn_config={"alibi": True, "alibi_bias_max": max_bias},
        )  # fmt: skip
        config._attn_implementation = "eager"
        mpt_model = seeded(MptModel(config))
        layer = mpt_model.blocks[0].attn
        args, _, (output, probs), scores = first_call(layer, lambda m=mpt_model: m(TOKENS[:1]))
        yield case(
            f"MPT attention, {n_heads} heads, alibi_bias_max {max_bias} in the config",
            "transformers.MptModel, blocks[0].attn",
            ["alibi_bias"],
            inputs={
                "n_heads": n_heads,
                "config_max_bias": max_bias,
                "hidden": args[0],
                **weights(qkv=layer.Wqkv, dense=layer.out_proj),
            },
            outputs={"scores": shown(scores), "probs": probs, "mixed": output},
            note="scores and softmax are float32; the class leaves alibi_bias_max aside",
        )


def falcon():
    mask = torch.ones(1, 380, dtype=torch.long)
    built = modeling_falcon.build_alibi_tensor(mask, 12, torch.float32).reshape(12, 380)
    yield case(
        "Falcon bias of far keys, 12 heads",
        "transformers.models.falcon.modeling_falcon.build_alibi_tensor",
        ["alibi_slopes"],
        inputs={"n_heads": 12, "first_key": 370},
        outputs={"bias": built[:, 370:380]},
        note="slopes and products are rounded to bfloat16",
    )
    for implementation in ("sdpa", "eager"):
        config = FalconConfig(
            vocab_size=9, hidden_size=8, num_attention_heads=4, num_hidden_layers=1, alibi=True,
            multi_query=False, parallel_attn=False, bias=True,
        )  # fmt: skip
        config._attn_implementation = implementation
        falcon_model = seeded(FalconModel(config))
        layer = falcon_model.h[0].self_attention
        args, _, (output, _), _ = first_call(layer, lambda m=falcon_model: m(TOKENS[:1]))
        yield case(
            f"Falcon attention, {implementation}",
            "transformers.FalconModel, h[0].self_attention",
            ["alibi_bias"],
            inputs={
                "n_heads": 4,
                "times": 1 if implementation == "sdpa" else 2,
                "hidden": args[0],
                **weights(qkv=layer.query_key_value, dense=layer.dense),
            },
            outputs={"mixed": output},
            note="four heads and five tokens: bfloat16 holds the bias exactly; eager adds it twice",
        )


def x_transformers():
    for n_heads, n_queries, n_keys in ((4, 5, 5), (6, 2, 5), (12, 1, 4)):
        yield case(
            f"x-transformers bias, {n_heads} heads, {n_queries} queries on {n_keys} keys",
            "x_transformers.x_transformers.AlibiPositionalBias",
            ["alibi_bias"],
            inputs={"n_heads": n_heads, "n_queries": n_queries, "n_keys": n_keys},
            outputs={"bias": AlibiPositionalBias(n_heads)(n_queries, n_keys)},
        )
    queries, keys = [[0, 0, 0, 1], [4, 5, 6, 7]], [[0, 0, 0, 1], [0, 2, 6, 9]]
    yield case(
        "x-transformers bias at given positions",
        "x_transformers.x_transformers.AlibiPositionalBias.forward_custom_pos",
        ["alibi_bias_at"],
        inputs={"n_heads": 4, "query_positions": queries, "key_positions": keys},
        outputs={
            "bias": AlibiPositionalBias(4).forward_custom_pos(
                torch.tensor(queries), torch.tensor(keys)
            )
        },
    )
    layer = seeded(Attention(8, heads=4, dim_head=2, causal=False))
    x = torch.round(torch.randn(2, 5, 8, dtype=torch.double), decimals=2)
    with torch.no_grad():
        output = layer(x, rel_pos=AlibiPositionalBias(4).double())
    yield case(
        "x-transformers attention of an encoder",
        "x_transformers.x_transformers.Attention",
        ["alibi_bias"],
        inputs={
            "n_heads": 4,
            "hidden": x,
            **weights(q=layer.to_q, k=layer.to_k, v=layer.to_v, dense=layer.to_out),
        },
        outputs={"mixed": output},
        note="not causal: keys after the query count as far as those before it",
    )


def cases():
    yield from bloom()
    yield from mpt()
    yield from falcon()
    yield from x_transformers()
