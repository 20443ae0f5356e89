"""Two-dimensional sinusoidal tables of released image models, and what real layers with random
weights make of them. Inputs name the convention in the words of posenc_ref."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"

import importlib
import warnings

import torch
from positional_encodings.torch_encodings import PositionalEncoding2D, Summer
from transformers import (
    Aimv2VisionConfig,
    DabDetrConfig,
    DeformableDetrConfig,
    DetrConfig,
    GroundingDinoConfig,
    MMGroundingDinoConfig,
    RTDetrConfig,
    ViTMAEConfig,
)
from transformers.models.aimv2.modeling_aimv2 import Aimv2VisionEmbeddings
from transformers.models.dab_detr.modeling_dab_detr import DabDetrSinePositionEmbedding
from transformers.models.deformable_detr.modeling_deformable_detr import DeformableDetrEncoderLayer
from transformers.models.detr.modeling_detr import DetrSelfAttention, DetrSinePositionEmbedding
from transformers.models.granite_docling.modeling_granite_docling import (
    GraniteDoclingPositionEmbedding,
)
from transformers.models.grounding_dino.modeling_grounding_dino import (
    GroundingDinoSinePositionEmbedding,
)
from transformers.models.mm_grounding_dino.modeling_mm_grounding_dino import (
    MMGroundingDinoSinePositionEmbedding,
)
from transformers.models.omdet_turbo.modeling_omdet_turbo import OmDetTurboHybridEncoder
from transformers.models.rt_detr.modeling_rt_detr import RTDetrAIFILayer
from transformers.models.table_transformer.modeling_table_transformer import (
    TableTransformerSinePositionEmbedding,
)
from transformers.models.vit_mae.modeling_vit_mae import ViTMAEEmbeddings

from tests.record.form import case

LIBRARIES = ["positional-encodings", "torch", "transformers"]
MODELS = "transformers.models"
CPU = torch.device("cpu")

# Classes that compute what DETR's does, each with the normalisation that its model sets.
LIKE_DETR = [
    ("detr", "Detr"),
    ("conditional_detr", "ConditionalDetr"),
    ("maskformer", "MaskFormer"),
    ("mask2former", "Mask2Former"),
    ("oneformer", "OneFormer"),
    ("sam2", "Sam2"),
    ("sam3", "Sam3"),
    ("edgetam", "EdgeTam"),
]
LIKE_RT_DETR = [
    ("rt_detr", "RTDetr"),
    ("rt_detr_v2", "RTDetrV2"),
    ("d_fine", "DFine"),
    ("deimv2", "Deimv2"),
    ("pp_doclayout_v2", "PPDocLayoutV2"),
    ("pp_doclayout_v3", "PPDocLayoutV3"),
    ("pp_doclayout_v4", "PPDocLayoutV4"),
]


def grid(height, width, d_model, cells, layout, first, base=10000):
    return {
        "height": height,
        "width": width,
        "d_model": d_model,
        "cells": cells,
        "layout": layout,
        "first": first,
        "base": base,
    }


def sine_class(module, prefix):
    return getattr(
        importlib.import_module(f"{MODELS}.{module}.modeling_{module}"),
        f"{prefix}SinePositionEmbedding",
    )


def image_rows(table):
    """Channels first, as these classes give it, to one row for each patch."""
    return table[0].flatten(1).T


def table_case(name, source, convention, table, note=""):
    return case(
        name,
        source,
        ["sinusoidal_grid"],
        inputs={"grid": convention},
        outputs={"table": table},
        note=note,
    )


def linear(module):
    return {"weight": module.weight, "bias": module.bias}


@torch.no_grad()
def cases():
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    yield from detr_tables()
    yield from detr_layers()
    yield from with_masks()
    yield from rt_detr()
    yield from columns_first()
    yield from others()


def detr_tables():
    for module, prefix in LIKE_DETR:
        encoding = sine_class(module, prefix)(6, normalize=True)
        yield table_case(
            module,
            f"{MODELS}.{module}.modeling_{module}.{prefix}SinePositionEmbedding",
            grid(2, 3, 12, "edges", "interleaved", "row"),
            image_rows(encoding((1, 12, 2, 3), CPU, torch.float64)),
        )
    for module, prefix, cells, normalize in [
        ("detr", "Detr", "from_one", False),
        ("deformable_detr", "DeformableDetr", "centres", True),
        ("deformable_detr", "DeformableDetr", "from_one", False),
    ]:
        encoding = sine_class(module, prefix)(4, temperature=500, normalize=normalize)
        yield table_case(
            f"{module}, normalize={normalize}",
            f"{MODELS}.{module}.modeling_{module}.{prefix}SinePositionEmbedding",
            grid(3, 2, 8, cells, "interleaved", "row", 500),
            image_rows(encoding((1, 8, 3, 2), CPU, torch.float64)),
        )


def detr_layers():
    config = DetrConfig(d_model=8, attn_implementation="eager")
    attention = DetrSelfAttention(config, hidden_size=8, num_attention_heads=2).double().eval()
    encoding = DetrSinePositionEmbedding(4, normalize=True)
    table = encoding((1, 8, 2, 3), CPU, torch.float64).flatten(2).transpose(1, 2)
    hidden = torch.randn(1, 6, 8, dtype=torch.float64)
    output, weights = attention(hidden, position_embeddings=table)
    yield attention_case(
        "DETR's attention",
        f"{MODELS}.detr.modeling_detr.DetrSelfAttention",
        grid(2, 3, 8, "edges", "interleaved", "row"),
        attention,
        hidden,
        output,
        weights,
    )

    config = DeformableDetrConfig(
        d_model=8,
        encoder_attention_heads=2,
        encoder_ffn_dim=8,
        encoder_n_points=2,
        num_feature_levels=1,
    )
    layer = DeformableDetrEncoderLayer(config).double().eval()
    encoding = sine_class("deformable_detr", "DeformableDetr")(4, normalize=True)
    table = encoding((1, 8, 2, 3), CPU, torch.float64).flatten(2).transpose(1, 2)
    hidden = torch.randn(1, 6, 8, dtype=torch.float64)
    offsets = layer.self_attn.sampling_offsets
    seen = []
    offsets.register_forward_hook(lambda module, args, output: seen.append(output))
    layer(
        hidden,
        attention_mask=None,
        spatial_position_embeddings=table,
        reference_points=torch.full((1, 6, 1, 2), 0.5, dtype=torch.float64),
        spatial_shapes=torch.tensor([[2, 3]]),
        spatial_shapes_list=[(2, 3)],
        level_start_index=torch.tensor([0]),
    )
    yield case(
        "Deformable DETR's sampling offsets",
        f"{MODELS}.deformable_detr.modeling_deformable_detr.DeformableDetrEncoderLayer",
        ["sinusoidal_grid"],
        inputs={
            "grid": grid(2, 3, 8, "centres", "interleaved", "row"),
            "hidden": hidden[0],
            "weight": offsets.weight,
            "bias": offsets.bias,
        },
        outputs={"offsets": seen[0][0]},
        note="the linear layer inside, seen while the whole layer ran",
    )


def attention_case(name, source, convention, attention, hidden, output, weights):
    projections = {
        f"{part}_{key}": value
        for part in ("q", "k", "v", "o")
        for key, value in linear(getattr(attention, f"{part}_proj")).items()
    }
    return case(
        name,
        source,
        ["sinusoidal_grid"],
        inputs={"grid": convention, "hidden": hidden[0], "n_heads": 2, **projections},
        outputs={"weights": weights[0], "output": output[0]},
        note="the table is added before queries and keys, not before values",
    )


def with_masks():
    mask = torch.zeros(1, 3, 4, dtype=torch.int64)
    mask[:, :2, :3] = 1
    encoding = DetrSinePositionEmbedding(4, normalize=True)
    table = encoding((1, 8, 3, 4), CPU, torch.float64, mask=mask)[:, :, :2, :3]
    yield table_case(
        "detr, the real part of a padded image",
        f"{MODELS}.detr.modeling_detr.DetrSinePositionEmbedding",
        grid(2, 3, 8, "edges", "interleaved", "row"),
        image_rows(table),
        note="an image of 2 x 3 patches, padded to 3 x 4",
    )

    pixels, everywhere = torch.zeros(1, 8, 2, 3), torch.ones(1, 2, 3)
    float32 = "float32, as the class counts in that type"
    dino = {"d_model": 8, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    for name, encoding, base in [
        ("dab_detr", DabDetrSinePositionEmbedding(DabDetrConfig(hidden_size=8)), 20),
        ("grounding_dino", GroundingDinoSinePositionEmbedding(GroundingDinoConfig(**dino)), 20),
        (
            "mm_grounding_dino",
            MMGroundingDinoSinePositionEmbedding(MMGroundingDinoConfig(**dino)),
            20,
        ),
        ("table_transformer", TableTransformerSinePositionEmbedding(4, normalize=True), 10000),
    ]:
        yield table_case(
            name,
            f"{MODELS}.{name}.modeling_{name}.{type(encoding).__name__}",
            grid(2, 3, 8, "edges", "interleaved", "row", base),
            image_rows(encoding(pixels, everywhere)),
            note=float32,
        )


def rt_detr():
    for module, prefix in LIKE_RT_DETR:
        encoding = sine_class(module, prefix)(12, temperature=1000)
        yield table_case(
            module,
            f"{MODELS}.{module}.modeling_{module}.{prefix}SinePositionEmbedding",
            grid(2, 3, 12, "from_zero", "concatenated", "row", 1000),
            encoding(width=3, height=2, device=CPU, dtype=torch.float64)[0],
        )

    config = RTDetrConfig(
        encoder_hidden_dim=8,
        encoder_attention_heads=2,
        encoder_ffn_dim=8,
        encoder_layers=1,
        attn_implementation="eager",
    )
    layer = RTDetrAIFILayer(config).double().eval()
    seen = []
    attention = layer.layers[0].self_attn
    attention.register_forward_hook(lambda module, args, output: seen.append(output))
    hidden = torch.randn(1, 8, 2, 3, dtype=torch.float64)
    layer(hidden)
    [(output, weights)] = seen
    yield attention_case(
        "RT-DETR's attention",
        f"{MODELS}.rt_detr.modeling_rt_detr.RTDetrAIFILayer",
        grid(2, 3, 8, "from_zero", "concatenated", "row"),
        attention,
        hidden.flatten(2).transpose(1, 2),
        output,
        weights,
    )

    for height, width in [(3, 3), (2, 3)]:
        yield table_case(
            f"omdet_turbo, {height} rows of {width}",
            f"{MODELS}.omdet_turbo.modeling_omdet_turbo.OmDetTurboHybridEncoder"
            ".build_2d_sincos_position_embedding",
            grid(width, height, 8, "from_zero", "concatenated", "row"),
            OmDetTurboHybridEncoder.build_2d_sincos_position_embedding(
                width, height, 8, dtype=torch.float64
            )[0],
            note="listed column by column, so it is the table of the grid turned on its side",
        )


def columns_first():
    config = ViTMAEConfig(
        hidden_size=12, num_attention_heads=2, image_size=6, patch_size=2, mask_ratio=0.0
    )
    embeddings = ViTMAEEmbeddings(config).eval()
    embeddings.initialize_weights()
    torch.nn.init.normal_(embeddings.cls_token)
    image = torch.randn(1, 3, 6, 6)
    in_order = torch.arange(9.0)[None]  # nothing is masked, and nothing shuffled
    tokens, _, _ = embeddings(image, noise=in_order)
    yield case(
        "MAE's tokens",
        f"{MODELS}.vit_mae.modeling_vit_mae.ViTMAEEmbeddings",
        ["sinusoidal_grid"],
        inputs={
            "grid": grid(3, 3, 12, "from_zero", "concatenated", "column"),
            "class_token": embeddings.cls_token[0],
            "patches": embeddings.patch_embeddings(image)[0],
        },
        outputs={"table": embeddings.position_embeddings[0], "tokens": tokens[0]},
        note="float32; the class token has the row of zeros",
    )

    config = Aimv2VisionConfig(hidden_size=12, image_size=6, patch_size=2, is_native=True)
    embeddings = Aimv2VisionEmbeddings(config).double().eval()
    image = torch.randn(1, 3, 4, 6, dtype=torch.float64)
    patches = embeddings.rms_norm(embeddings.patch_embed(image).flatten(2).transpose(1, 2))
    yield case(
        "AIMv2's tokens",
        f"{MODELS}.aimv2.modeling_aimv2.Aimv2VisionEmbeddings",
        ["sinusoidal_grid"],
        inputs={
            "grid": grid(2, 3, 12, "from_zero", "concatenated", "column"),
            "patches": patches[0],
        },
        outputs={"tokens": embeddings(image)[0]},
    )

    hidden = torch.randn(1, 9, 8)
    yield case(
        "Granite Docling's tokens",
        f"{MODELS}.granite_docling.modeling_granite_docling.GraniteDoclingPositionEmbedding",
        ["sinusoidal_grid"],
        inputs={
            "grid": grid(3, 3, 8, "from_zero", "concatenated", "column"),
            "patches": hidden[0],
        },
        outputs={"tokens": GraniteDoclingPositionEmbedding(8, 3)(hidden)[0]},
        note="float32",
    )


def others():
    hidden = torch.randn(1, 2, 3, 8)
    yield case(
        "positional-encodings, added",
        "positional_encodings.torch_encodings.PositionalEncoding2D",
        ["sinusoidal_grid"],
        inputs={
            "grid": grid(2, 3, 8, "from_zero", "interleaved", "row"),
            "patches": hidden.reshape(6, 8),
        },
        outputs={"tokens": Summer(PositionalEncoding2D(8))(hidden).reshape(6, 8)},
        note="float32",
    )
