"""T5's relative bias in released models: buckets, biases, and whole attention layers.

The layers are tiny, in double precision, and start from seeded weights of two decimals. Buckets
are recorded as the least distances at which the bucket changes.
"""

import torch
from transformers import MPNetConfig, T5Config, UMT5Config, WavLMConfig
from transformers.models.cpmant.modeling_cpmant import CpmAntSegmentPositionEmbedding
from transformers.models.layoutlmv3.modeling_layoutlmv3 import LayoutLMv3Encoder
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder
from transformers.models.prophetnet.modeling_prophetnet import compute_relative_buckets
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.umt5.modeling_umt5 import UMT5Attention
from transformers.models.wavlm.modeling_wavlm import WavLMAttention
from x_transformers.x_transformers import RelativePositionBias

from tests.record.form import case

LIBRARIES = ["torch", "transformers", "x-transformers"]

T5_SETTINGS = ((32, 128), (64, 128), (8, 16), (32, 256), (128, 800), (320, 800), (4, 8), (12, 48))


def seeded(made):
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in made.double().eval().parameters():
            parameter.copy_(torch.round(torch.randn_like(parameter) * 0.5, decimals=2))
    return made


def runs(bucket_of, reach):
    """The relative positions -reach .. reach at which a new bucket starts, and these buckets."""
    relative = torch.arange(-reach, reach + 1)
    buckets = bucket_of(relative)
    starts = torch.cat([torch.tensor([0]), 1 + torch.nonzero(torch.diff(buckets)).flatten()])
    return {"starts": relative[starts], "buckets": buckets[starts]}


def bucket_case(name, source, bucket_of, n_buckets, max_distance, bidirectional, note=""):
    side = "both sides" if bidirectional else "the past"
    reach = 3 * max_distance
    return case(
        f"{name} buckets, {n_buckets} up to {max_distance}, {side}",
        source,
        ["t5_buckets"],
        inputs={
            "n_buckets": n_buckets,
            "max_distance": max_distance,
            "bidirectional": bidirectional,
            "reach": reach,
        },
        outputs=runs(bucket_of, reach),
        note=note,
    )


def buckets():
    for n, far in T5_SETTINGS:
        for both in (True, False):
            yield bucket_case(
                "T5",
                "transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket",
                lambda x, b=both, n=n, f=far: T5Attention._relative_position_bucket(x, b, n, f),
                n, far, both,
            )  # fmt: skip
    for both in (True, False):
        config = UMT5Config(is_decoder=not both)
        yield bucket_case(
            "umT5",
            "transformers.models.umt5.modeling_umt5.UMT5Attention._relative_position_bucket",
            UMT5Attention(config, layer_idx=0)._relative_position_bucket,
            32, 128, both,
        )  # fmt: skip
        for n, far in ((32, 128), (320, 800)):
            yield bucket_case(
                "x-transformers",
                "x_transformers.x_transformers.RelativePositionBias._relative_position_bucket",
                lambda x, b=both, n=n, f=far: RelativePositionBias._relative_position_bucket(
                    x, causal=not b, num_buckets=n, max_distance=f
                ),
                n, far, both,
            )  # fmt: skip
        yield bucket_case(
            "ProphetNet",
            "transformers.models.prophetnet.modeling_prophetnet.compute_relative_buckets",
            lambda x, b=both: compute_relative_buckets(32, 128, x, b),
            32, 128, both,
        )  # fmt: skip
    config = WavLMConfig()
    wavlm = WavLMAttention(8, 2, num_buckets=320, max_distance=800)
    yield bucket_case(
        "WavLM",
        "transformers.models.wavlm.modeling_wavlm.WavLMAttention._relative_positions_bucket",
        wavlm._relative_positions_bucket,
        config.num_buckets, config.max_bucket_distance, True,
    )  # fmt: skip
    yield bucket_case(
        "MPNet",
        "transformers.models.mpnet.modeling_mpnet.MPNetEncoder.relative_position_bucket",
        MPNetEncoder.relative_position_bucket,
        MPNetConfig().relative_attention_num_buckets, 128, True,
    )  # fmt: skip
    yield bucket_case(
        "CPM-Ant",
        "transformers.models.cpmant.modeling_cpmant.CpmAntSegmentPositionEmbedding._position_bucket",
        lambda x: CpmAntSegmentPositionEmbedding._position_bucket(None, x, 512, 2048),
        512, 2048, True,
    )  # fmt: skip
    for n, far in ((32, 128), (64, 256)):
        yield bucket_case(
            "LayoutLMv3",
            "transformers.models.layoutlmv3.modeling_layoutlmv3.LayoutLMv3Encoder"
            ".relative_position_bucket",
            lambda x, n=n, f=far: LayoutLMv3Encoder.relative_position_bucket(
                None, x, num_buckets=n, max_distance=f
            ),
            n, far, True,
            "the first for places in the text, the second for places on the page",
        )  # fmt: skip
    yield bucket_case(
        "T5, a tie that float32 misses:",
        "transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket",
        lambda x: T5Attention._relative_position_bucket(x, False, 72, 100),
        72, 100, False,
        "60 / 36 is the square root of 100 / 36, but float32 logarithms leave it below; no "
        "released model has these numbers",
    )  # fmt: skip


def biases():
    for both, n_queries, n_keys in ((True, 6, 6), (False, 6, 6), (False, 2, 6)):
        config = T5Config(
            d_model=8, d_kv=2, num_heads=4, is_decoder=not both,
            relative_attention_num_buckets=8, relative_attention_max_distance=6,
        )  # fmt: skip
        layer = seeded(T5Attention(config, has_relative_attention_bias=True, layer_idx=0))
        yield case(
            f"T5 bias, {'encoder' if both else 'decoder'}, {n_queries} queries on {n_keys} keys",
            "transformers.models.t5.modeling_t5.T5Attention.compute_bias",
            ["t5_bias"],
            inputs={
                "weights": layer.relative_attention_bias.weight,
                "n_queries": n_queries,
                "n_keys": n_keys,
                "bidirectional": both,
                "max_distance": 6,
            },
            outputs={
                "bias": layer.compute_bias(n_queries, n_keys, past_seen_tokens=n_keys - n_queries)[
                    0
                ]
            },
        )
    wavlm = seeded(WavLMAttention(8, 2, num_buckets=16, max_distance=10))
    yield case(
        "WavLM bias",
        "transformers.models.wavlm.modeling_wavlm.WavLMAttention.compute_bias",
        ["t5_bias"],
        inputs={
            "weights": wavlm.rel_attn_embed.weight,
            "n_queries": 14,
            "n_keys": 14,
            "bidirectional": True,
            "max_distance": 10,
        },
        outputs={"bias": wavlm.compute_bias(14, 14)},
        note="before the gate that WavLM multiplies it with",
    )
    for causal, scale in ((False, 1), (True, 4)):
        made = seeded(
            RelativePositionBias(scale, causal=causal, num_buckets=8, max_distance=6, heads=2)
        )
        yield case(
            f"x-transformers bias, causal {causal}, scale {scale}",
            "x_transformers.x_transformers.RelativePositionBias",
            ["t5_bias"],
            inputs={
                "weights": made.relative_attention_bias.weight * scale,
                "n_queries": 4,
                "n_keys": 9,
                "bidirectional": not causal,
                "max_distance": 6,
            },
            outputs={"bias": made(4, 9)},
            note="its scale multiplies the weights, and is already in those recorded",
        )


def causal_mask(n):
    return torch.triu(torch.full((n, n), -torch.inf, dtype=torch.double), 1)


def layers():
    for kind, config_of, hidden_name in (
        (T5Attention, T5Config, "mask"),
        (UMT5Attention, UMT5Config, "attention_mask"),
    ):
        for both in (True, False):
            config = config_of(
                d_model=8, d_kv=2, num_heads=4, is_decoder=not both,
                relative_attention_num_buckets=8, relative_attention_max_distance=6,
            )  # fmt: skip
            config._attn_implementation = "eager"
            layer = seeded(kind(config, has_relative_attention_bias=True, layer_idx=0))
            hidden = torch.round(torch.randn(2, 9, 8, dtype=torch.double), decimals=2)
            mask = None if both else causal_mask(9)[None, None]
            with torch.no_grad():
                output = layer(hidden, **{hidden_name: mask})
            yield attention_case(kind, layer, hidden, hidden, output, both)
    config = T5Config(d_model=8, d_kv=2, num_heads=4, is_decoder=True)
    config._attn_implementation = "eager"
    layer = seeded(T5Attention(config, has_relative_attention_bias=False, layer_idx=0))
    hidden, memory = (torch.round(torch.randn(1, n, 8), decimals=2).double() for n in (5, 7))
    with torch.no_grad():
        output = layer(hidden, key_value_states=memory)
    yield attention_case(T5Attention, layer, hidden, memory, output, None)


def attention_case(kind, layer, hidden, memory, output, both):
    role = {True: "an encoder", False: "a decoder", None: "a decoder to its encoder"}[both]
    inputs = {"hidden": hidden, "memory": memory, "n_heads": 4}
    if both is not None:
        table = layer.relative_attention_bias.weight
        inputs |= {"weights": table, "bidirectional": both, "max_distance": 6}
    return case(
        f"{kind.__name__} of {role}",
        f"{kind.__module__}.{kind.__name__}",
        ["t5_bias"],
        inputs={
            **inputs,
            "q_weight": layer.q.weight,
            "k_weight": layer.k.weight,
            "v_weight": layer.v.weight,
            "dense_weight": layer.o.weight,
        },
        outputs={"mixed": output[0], "probs": output[-1]},
        note="no division by sqrt(head_dim)" + ("" if both is not None else ", and no bias"),
    )


def cases():
    yield from buckets()
    yield from biases()
    yield from layers()
