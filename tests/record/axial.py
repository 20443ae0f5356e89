"""Axial rotary positions of released models, each end to end.

The output of one small attention layer, or the scores where a layer does more than attention.
Weights and inputs are small fractions, drawn once from a seed. The layers run in float64, but the
classes compute cosines, sines and the softmax in float32; some turn queries and keys in it too.
"""

import torch
import transformers
from transformers.models.dinov3_vit import modeling_dinov3_vit as dinov3
from transformers.models.gemma4 import modeling_gemma4 as gemma4
from transformers.models.inkling2 import modeling_inkling2 as inkling2
from transformers.models.kimi_k25 import modeling_kimi_k25 as kimi
from transformers.models.minimax_m3_vl import modeling_minimax_m3_vl as minimax
from transformers.models.neomme import modeling_neomme as neomme
from transformers.models.pixtral import modeling_pixtral as pixtral
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2_vl
from transformers.models.sam2_video import modeling_sam2_video as sam2
from transformers.models.step3p7 import modeling_step3p7 as step3p7
from transformers.vision_utils import get_vision_position_ids

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
N_HEADS = 2


def cases():
    torch.manual_seed(20)
    with torch.no_grad():
        yield from _layers()
        yield _dinov3()
        yield _gemma4()
        yield _neomme()


def _layers():
    """Layers of the Qwen2-VL family: patches first, positions as (row, column)."""
    sizes = {"hidden_size": 16, "num_attention_heads": N_HEADS}
    grid = torch.tensor([[1, 4, 2]])
    in_groups = get_vision_position_ids(grid, 2)
    by_row = get_vision_position_ids(grid, 1)

    config = transformers.Qwen2VLVisionConfig(embed_dim=16, num_heads=N_HEADS)
    yield _layer(
        "qwen2_vl",
        qwen2_vl.VisionAttention,
        qwen2_vl.Qwen2VLVisionRotaryEmbedding,
        config,
        in_groups,
        convention={
            "frequencies": "shared",
            "order": "blocks",
            "columns": [0, 1],
            "layout": "half",
        },
        note="positions in groups of 2 x 2 patches",
    )
    config = transformers.Kimi_K25VisionConfig(**sizes)
    yield _layer(
        "kimi_k25",
        kimi.Kimi_K25VisionAttention,
        kimi.Kimi_K25VisionRotaryEmbedding,
        config,
        by_row,
        convention={
            "frequencies": "shared",
            "order": "alternating",
            "columns": [1, 0],
            "layout": "half",
        },
    )
    config = transformers.Step3p7VisionConfig(**sizes)
    yield _layer(
        "step3p7",
        step3p7.Step3p7VisionAttention,
        step3p7.Step3p7VisionRotaryEmbedding,
        config,
        by_row,
        convention={
            "frequencies": "shared",
            "order": "blocks",
            "columns": [1, 0],
            "layout": "half",
        },
        batched=True,
    )
    config = transformers.Inkling2VisionConfig(**sizes)
    yield _layer(
        "inkling2",
        inkling2.Inkling2VisionAttention,
        inkling2.Inkling2VisionRotaryEmbedding,
        config,
        by_row,
        convention={
            "frequencies": "shared",
            "order": "blocks",
            "columns": [1, 0],
            "layout": "interleaved",
        },
    )
    config = transformers.PixtralVisionConfig(**sizes)
    yield _layer(
        "pixtral",
        pixtral.PixtralAttention,
        pixtral.PixtralVisionRotaryEmbedding,
        config,
        by_row,
        convention={"frequencies": "dealt", "order": "blocks", "columns": [0, 1], "layout": "half"},
        batched=True,
    )
    config = transformers.MiniMaxM3VLVisionConfig(hidden_size=28, num_attention_heads=N_HEADS)
    yield _layer(
        "minimax_m3_vl",
        minimax.MiniMaxM3VLVisionAttention,
        minimax.MiniMaxM3VLVisionRotaryEmbedding,
        config,
        get_vision_position_ids(torch.tensor([[2, 2, 2]]), 1, include_temporal=True),
        convention={
            "frequencies": "shared",
            "order": "blocks",
            "columns": [0, 1, 2],
            "layout": "half",
        },
        note="12 of 14 features turn",
    )
    config = transformers.Sam2VideoConfig(
        memory_attention_hidden_size=16,
        memory_attention_num_attention_heads=N_HEADS,
        memory_attention_rope_feat_sizes=[2, 4],
    )
    columns_first = sam2.Sam2VideoMemoryAttention.precompute_positions(config)
    yield _layer(
        "sam2_video",
        sam2.Sam2VideoRoPEAttention,
        sam2.Sam2VideoVisionRotaryEmbedding,
        config,
        columns_first,
        convention={
            "frequencies": "shared",
            "order": "blocks",
            "columns": [0, 1],
            "layout": "interleaved",
        },
        note="the class lists (column, row) itself, 4 rows of 2",
        batched=True,
    )


def _layer(
    name, attention_class, rotary_class, config, positions, *, convention, note="", batched=False
):
    config._attn_implementation = "eager"
    layer = attention_class(config).double().eval()
    width = _fill(layer)
    hidden = _fractions(len(positions), width, 4)
    cos_sin = rotary_class(config)(hidden, positions)
    if name == "sam2_video":
        [x] = [hidden[None, None]]
        output = layer(x, x, x, position_embeddings=cos_sin)[0]
    elif batched:
        output = layer(hidden[None], position_embeddings=cos_sin)[0]
    else:
        output = layer(
            hidden, cu_seqlens=torch.tensor([0, len(positions)]), position_embeddings=cos_sin
        )
    output = output[0] if isinstance(output, tuple) else output
    return case(
        name,
        f"{attention_class.__module__}.{attention_class.__name__}",
        ["axial_rotary"],
        inputs={"positions": positions, "base": config.rope_parameters["rope_theta"], **convention}
        | {"hidden": hidden, "n_heads": N_HEADS, **_weights(layer)},
        outputs={"output": output.reshape(hidden.shape)},
        note=note,
    )


def _dinov3():
    config = transformers.DINOv3ViTConfig(
        hidden_size=16, num_attention_heads=N_HEADS, patch_size=2, image_size=8
    )
    config._attn_implementation = "eager"
    layer = dinov3.DINOv3ViTAttention(config).double().eval()
    height, width, n_prefix = 3, 4, 2
    hidden = _fractions(n_prefix + height * width, _fill(layer), 4)
    pixels = torch.zeros(1, 3, 2 * height + 1, 2 * width, dtype=torch.float64)
    cos_sin = dinov3.DINOv3ViTRopePositionEmbedding(config).eval()(pixels)
    output, _ = layer(hidden[None], position_embeddings=cos_sin)
    return case(
        "dinov3_vit",
        "transformers.models.dinov3_vit.modeling_dinov3_vit.DINOv3ViTAttention",
        ["axial_rotary", "centred_grid_positions"],
        inputs={"height": height, "width": width, "n_prefix": n_prefix, "base": config.rope_theta}
        | {"hidden": hidden, "n_heads": N_HEADS, **_weights(layer)},
        outputs={
            "output": output[0],
            "coordinates": dinov3.get_patches_center_coordinates(
                height, width, torch.float64, "cpu"
            ),
        },
        note="two tokens without a place on the grid come first",
    )


def _gemma4():
    config = transformers.Gemma4VisionConfig(head_dim=8)
    positions = torch.tensor([[[x, y] for y in range(3) for x in range(4)]])
    q, k = _fractions(1, 12, N_HEADS, 8, 4), _fractions(1, 12, N_HEADS, 8, 4)
    cos, sin = gemma4.Gemma4VisionRotaryEmbedding(config)(q, positions)
    turned = [gemma4.apply_multidimensional_rope(x, cos, sin, positions)[0] for x in (q, k)]
    return case(
        "gemma4",
        "transformers.models.gemma4.modeling_gemma4.apply_multidimensional_rope",
        ["axial_rotary"],
        inputs={
            "positions": positions[0],
            "base": config.rope_parameters["rope_theta"],
            "q": q[0],
            "k": k[0],
        },
        outputs={"scores": torch.einsum("qhd,khd->hqk", *turned)},
        note="each half of the features is a rotation of its own; columns x, y",
    )


def _neomme():
    config = transformers.NeoMMEConfig(head_dim=16, num_hidden_layers=2)
    kind = "sliding_attention"
    positions = torch.tensor([[row, column] for row in range(3) for column in range(4)])
    q, k = _fractions(1, N_HEADS, 12, 16, 4), _fractions(1, N_HEADS, 12, 16, 4)
    cos, sin = neomme.NeoMMERotaryEmbedding(config)(q, positions.T[:, None], kind)
    turned = [x[0] for x in neomme.apply_rotary_pos_emb(q, k, cos, sin)]
    return case(
        "neomme",
        "transformers.models.neomme.modeling_neomme.NeoMMERotaryEmbedding",
        ["axial_rotary"],
        inputs={
            "positions": positions,
            "base": config.rope_parameters[kind]["rope_theta"],
            "q": q[0].transpose(0, 1),
            "k": k[0].transpose(0, 1),
        },
        outputs={"scores": torch.einsum("hqd,hkd->hqk", *turned)},
    )


def _fractions(*shape_and_parts):
    """Random multiples of 1/parts from -2 to 2: exact in any float, and short in the file."""
    *shape, parts = shape_and_parts
    return torch.randint(-2 * parts, 2 * parts + 1, shape).double() / parts


def _fill(layer):
    for parameter in layer.parameters():
        parameter.copy_(_fractions(*parameter.shape, 2) / 4)
    return next(p for name, p in layer.named_parameters() if name.endswith("weight")).shape[1]


def _weights(layer):
    """Weights and biases of the four projections, whatever the class calls them."""
    if hasattr(layer, "qkv"):
        weights, biases = layer.qkv.weight.chunk(3), layer.qkv.bias.chunk(3)
        inner = dict(zip("qkv", zip(weights, biases, strict=True), strict=True))
    else:
        inner = {c: (p.weight, p.bias) for c in "qkv" for p in [getattr(layer, f"{c}_proj")]}
    last = next(getattr(layer, n) for n in ("o_proj", "out_proj", "proj") if hasattr(layer, n))
    every = {**inner, "o": (last.weight, last.bias)}
    zeros = torch.zeros(every["q"][0].shape[0])
    return {f"w_{c}": w for c, (w, _) in every.items()} | {
        f"b_{c}": zeros if b is None else b for c, (_, b) in every.items()
    }
