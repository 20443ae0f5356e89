"""Window tables, continuous and decomposed positions, each in an attention layer of transformers.

The layers are tiny, their weights random with two decimals, and they run in float64. The
coordinates of Swin v2 are made in float32 by its class, and SAM takes its softmax in float32.
"""

import torch
from transformers import BeitConfig, SamVisionConfig, SwinConfig, Swinv2Config, VitDetConfig
from transformers.models.beit.modeling_beit import BeitAttention, BeitRelativePositionBias
from transformers.models.sam.modeling_sam import SamVisionAttention
from transformers.models.swin.modeling_swin import SwinAttention, SwinRelativePositionBias
from transformers.models.swinv2.modeling_swinv2 import Swinv2SelfAttention
from transformers.models.vitdet.modeling_vitdet import VitDetAttention

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]


def numbers(*shape, scale=1.0):
    """Random, with few digits, so that the file stays small."""
    return torch.round(scale * torch.randn(*shape, dtype=torch.float64), decimals=2)


def filled(module, scale=0.5):
    """The same module in float64, with such numbers for all its parameters."""
    module = module.double().eval()
    for parameter in module.parameters():
        parameter.data = numbers(*parameter.shape, scale=scale)
    return module


def projected(layer, x):
    """Queries, keys and values of each head, shape (batch, heads, tokens, head_dim)."""
    split = (*x.shape[:-1], layer.num_attention_heads, -1)
    return {
        name: linear(x).view(split).transpose(1, 2)
        for name, linear in (("q", layer.q_proj), ("k", layer.k_proj), ("v", layer.v_proj))
    }


@torch.no_grad()
def cases():
    torch.manual_seed(20)
    yield from swin()
    yield from beit()
    yield from swin2()
    yield from vitdet()
    yield from sam()


def swin():
    name = "transformers.models.swin.modeling_swin."
    for size in [(2, 3), (3, 1)]:
        bias = filled(SwinRelativePositionBias(2, size))
        yield case(
            f"swin bias {size[0]} x {size[1]}",
            name + "SwinRelativePositionBias",
            ["window_index", "window_bias"],
            inputs={"size": size, "table": bias.relative_position_bias_table},
            outputs={
                "index": bias.relative_position_index.view(size[0] * size[1], -1),
                "bias": bias()[0],
            },
        )
    config = SwinConfig(attn_implementation="sdpa")
    layer = filled(SwinAttention(config, hidden_size=4, num_attention_heads=2, window_size=3))
    layer.o_proj.weight.data = torch.eye(4, dtype=torch.float64)
    layer.o_proj.bias.data.zero_()
    x = numbers(2, 9, 4)
    yield case(
        "swin layer 3 x 3",
        name + "SwinAttention",
        ["window_bias"],
        inputs={
            "size": (3, 3),
            "table": layer.relative_position_bias.relative_position_bias_table,
            **projected(layer, x),
        },
        outputs={"output": layer(x)[0].view(2, 9, 2, 2).transpose(1, 2)},
        note="Two windows; the output projection is the identity.",
    )


def beit():
    name = "transformers.models.beit.modeling_beit."
    for size in [(1, 1), (2, 3)]:
        yield case(
            f"beit index {size[0]} x {size[1]}",
            name + "BeitRelativePositionBias.generate_relative_position_index",
            ["window_index"],
            inputs={"size": size},
            outputs={"index": BeitRelativePositionBias.generate_relative_position_index(size)},
        )
    config = BeitConfig(
        image_size=2, patch_size=1, hidden_size=4, num_attention_heads=2, attn_implementation="sdpa"
    )
    bias = filled(BeitRelativePositionBias(config))
    layer = filled(BeitAttention(config))
    layer.o_proj.weight.data = torch.eye(4, dtype=torch.float64)
    layer.o_proj.bias.data.zero_()
    for size in [(2, 2), (3, 2), (1, 4)]:
        n = size[0] * size[1] + 1
        x = numbers(2, n, 4)
        mask = bias(size)
        yield case(
            f"beit layer {size[0]} x {size[1]}",
            f"{name}BeitAttention, with {name}BeitRelativePositionBias",
            ["window_bias", "resize_window_table"],
            inputs={
                "size": (2, 2),
                "new_size": size,
                "table": bias.relative_position_bias_table,
                **projected(layer, x),
            },
            outputs={
                "bias": mask[0],
                "output": layer(x, attention_mask=mask)[0].view(2, n, 2, 2).transpose(1, 2),
            },
            note="Trained on 2 x 2; the output projection is the identity.",
        )

    size = (2, 3)
    config = BeitConfig(image_size=size, patch_size=1, hidden_size=4, num_attention_heads=2)
    bias = filled(BeitRelativePositionBias(config))
    yield case(
        "beit bias 2 x 3",
        name + "BeitRelativePositionBias",
        ["resize_window_table"],
        inputs={"size": size, "table": bias.relative_position_bias_table},
        outputs={"bias": bias(size)[0]},
        note="The class takes height for width when it resizes, and it always does.",
    )


def swin2():
    config = Swinv2Config(qkv_bias=True)
    for size, pretrained in [((2, 2), [0, 0]), ((3, 2), [4, 3])]:
        layer = filled(Swinv2SelfAttention(config, 4, 2, size, pretrained), scale=0.3)
        layer.logit_scale.data = torch.tensor([1.0, 5.0], dtype=torch.float64).view(2, 1, 1)
        x = numbers(2, size[0] * size[1], 4)
        split = (*x.shape[:-1], 2, 2)
        q, k, v = (
            linear(x).view(split).transpose(1, 2)
            for linear in (layer.query, layer.key, layer.value)
        )
        hidden, _, output = layer.continuous_position_bias_mlp
        yield case(
            f"swin v2 layer {size[0]} x {size[1]}, pretrained {pretrained[0]} x {pretrained[1]}",
            "transformers.models.swinv2.modeling_swinv2.Swinv2SelfAttention",
            ["window_coordinates", "continuous_window_bias"],
            inputs={
                "size": size,
                "pretrained_size": pretrained,
                "hidden_weight": hidden.weight,
                "hidden_bias": hidden.bias,
                "output_weight": output.weight,
                "logit_scale": layer.logit_scale.flatten(),
                "q": q,
                "k": k,
                "v": v,
            },
            outputs={
                "coordinates": layer.relative_coords_table.view(-1, 2).float(),
                "output": layer(x)[0].view(split).transpose(1, 2),
            },
            note="A pretrained size of 0 x 0 stands for none. The factor of the second head is "
            "held at 100 by the class.",
        )


def vitdet():
    config = VitDetConfig(
        hidden_size=4, num_attention_heads=2, use_relative_position_embeddings=True
    )
    for size in [(2, 3), (3, 1)]:
        layer = filled(VitDetAttention(config, input_size=size))
        x = numbers(1, *size, 4)
        n = size[0] * size[1]
        qkv = layer.qkv(x).reshape(n, 3, 2, 2).permute(1, 2, 0, 3)
        weights = layer(x, output_attentions=True)[1]
        yield case(
            f"vitdet layer {size[0]} x {size[1]}",
            "transformers.models.vitdet.modeling_vitdet.VitDetAttention",
            ["decomposed_bias"],
            inputs={
                "size": size,
                "row_table": layer.rel_pos_h,
                "column_table": layer.rel_pos_w,
                "q": qkv[0],
                "k": qkv[1],
            },
            outputs={"weights": weights[0]},
        )


def sam():
    name = "transformers.models.sam.modeling_sam.SamVisionAttention"
    config = SamVisionConfig(hidden_size=4, num_attention_heads=2)
    layer = filled(SamVisionAttention(config, window_size=3))
    x = numbers(1, 3, 3, 4)
    qkv = layer.qkv(x).reshape(9, 3, 2, 2).permute(1, 2, 0, 3)
    yield case(
        "sam layer 3 x 3",
        name,
        ["decomposed_bias"],
        inputs={
            "size": (3, 3),
            "row_table": layer.rel_pos_h,
            "column_table": layer.rel_pos_w,
            "q": qkv[0],
            "k": qkv[1],
        },
        outputs={"weights": layer(x)[1]},
    )
    for query_size, key_size in [((2, 4), (4, 2)), ((3, 6), (3, 2)), ((1, 2), (5, 2))]:
        rows, columns = (
            numbers(2 * max(pair) - 1, 2) for pair in zip(query_size, key_size, strict=True)
        )
        q = numbers(2, query_size[0] * query_size[1], 2)
        terms = layer.get_decomposed_rel_pos(q, rows, columns, query_size, key_size)
        yield case(
            "sam terms, queries {} x {}, keys {} x {}".format(*query_size, *key_size),
            name + ".get_decomposed_rel_pos",
            ["decomposed_bias"],
            inputs={
                "query_size": query_size,
                "key_size": key_size,
                "row_table": rows,
                "column_table": columns,
                "q": q,
            },
            outputs={"terms": terms.reshape(*q.shape[:2], -1)},
        )
    size = (3, 2)
    q = numbers(2, 6, 2)
    rows, columns = numbers(3, 2), numbers(9, 2)
    yield case(
        "sam terms, tables resized",
        name + ".get_decomposed_rel_pos",
        ["decomposed_bias", "resize_window_table"],
        inputs={"size": size, "row_table": rows, "column_table": columns, "q": q},
        outputs={
            "terms": layer.get_decomposed_rel_pos(q, rows, columns, size, size).reshape(2, 6, 6)
        },
        note="The tables are those of 2 rows and of 5 columns.",
    )
