"""Position tables resized by released code: the embedding layers of vision models of transformers,
run end to end on images of other sizes than the trained one, with random weights; and PyTorch's
interpolate. Layers that resize in float32 whatever the dtype say so in their note.
"""

import torch
from torch.nn.functional import interpolate
from transformers import (
    CLIPVisionConfig,
    DeiTConfig,
    Dinov2Config,
    Dinov2WithRegistersConfig,
    DPTConfig,
    Siglip2VisionConfig,
    ViltConfig,
    ViTConfig,
    ViTMAEConfig,
)
from transformers.models.clip.modeling_clip import CLIPVisionEmbeddings
from transformers.models.deit.modeling_deit import DeiTEmbeddings
from transformers.models.dinov2.modeling_dinov2 import Dinov2Embeddings
from transformers.models.dinov2_with_registers.modeling_dinov2_with_registers import (
    Dinov2WithRegistersEmbeddings,
)
from transformers.models.dpt.modeling_dpt import DPTViTEmbeddings
from transformers.models.glm4v.configuration_glm4v import Glm4vVisionConfig
from transformers.models.glm4v.modeling_glm4v import Glm4vVisionEmbeddings
from transformers.models.hy_v4_vl.configuration_hy_v4_vl import HYV4VLVisionConfig
from transformers.models.hy_v4_vl.modeling_hy_v4_vl import HYV4VLVisionPatchEmbed
from transformers.models.kimi_k25.configuration_kimi_k25 import Kimi_K25VisionConfig
from transformers.models.kimi_k25.modeling_kimi_k25 import Kimi_K25VisionPositionEmbeddings
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLVisionModel
from transformers.models.rf_detr.configuration_rf_detr import RfDetrDinov2Config
from transformers.models.rf_detr.modeling_rf_detr import RfDetrDinov2Embeddings
from transformers.models.sam.configuration_sam import SamVisionConfig
from transformers.models.sam.modeling_sam import SamVisionAttention
from transformers.models.siglip2.modeling_siglip2 import Siglip2VisionEmbeddings
from transformers.models.videoprism.configuration_videoprism import VideoPrismVisionConfig
from transformers.models.videoprism.modeling_videoprism import (
    VideoPrismSpatialEmbeddings,
    VideoPrismTemporalEmbeddings,
)
from transformers.models.vilt.modeling_vilt import ViltEmbeddings
from transformers.models.vit.modeling_vit import ViTEmbeddings
from transformers.models.vit_mae.modeling_vit_mae import ViTMAEDecoder

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
FLOAT32 = "the layer resizes in float32"
SIZES = [(6, 3), (2, 7)]  # in patches; the trained grid is 4 x 4, so each shrinks along one axis
SMALL = {"hidden_size": 3, "image_size": 8, "patch_size": 2, "num_channels": 1}
ONE_LAYER = {"num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 4}


def drawn(module):
    """Every parameter drawn anew, in eighths, so that the record stays short."""
    generator = torch.Generator().manual_seed(0)
    module = module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randint(-16, 17, parameter.shape, generator=generator) / 8)
    return module


def name_of(module):
    return f"{type(module).__module__}.{type(module).__name__}"


def image(height, width):
    """Pixels of an image of so many patches of 2 x 2, one channel."""
    generator = torch.Generator().manual_seed(1)
    pixels = torch.randint(-8, 9, (1, 1, 2 * height, 2 * width), generator=generator)
    return pixels.double() / 8


@torch.no_grad()
def cases():
    yield from torch_interpolate()
    yield from class_token_layers()
    yield from vilt()
    yield from siglip2()
    yield from dynamic_resolution()
    yield from videoprism()
    yield from one_axis()


def torch_interpolate():
    grid = torch.sin(0.7 * torch.arange(24, dtype=torch.float64)).reshape(3, 4, 2)
    options = {
        "bilinear": {"mode": "bilinear"},
        "bilinear_corners": {"mode": "bilinear", "align_corners": True},
        "bilinear_antialias": {"mode": "bilinear", "antialias": True},
        "bicubic": {"mode": "bicubic"},
        "bicubic_antialias": {"mode": "bicubic", "antialias": True},
    }
    for method, option in options.items():
        for size in ((3, 4), (7, 5), (2, 9), (1, 1), (2, 2)):
            yield interpolated(grid, method, size, {"size": size, **option})
    for mode in ("bilinear", "bicubic"):
        for size in ((7, 5), (2, 9), (1, 1), (3, 6), (2, 4)):
            factor = [(new + 0.1) / old for new, old in zip(size, grid.shape, strict=False)]
            options = {"scale_factor": factor, "mode": mode}
            yield interpolated(grid, f"{mode}_offset", size, options)


def interpolated(grid, method, size, options):
    new = interpolate(grid.permute(2, 0, 1)[None], **options)[0].permute(1, 2, 0)
    assert new.shape[:2] == size
    return case(
        f"interpolate, {method} to {size[0]} x {size[1]}",
        "torch.nn.functional.interpolate",
        ["resize_grid"],
        inputs={
            "table": grid.flatten(0, 1),
            "grid": grid.shape[:2],
            "size": size,
            "prefix_tokens": 0,
            "method": method,
        },
        outputs={"table": new.flatten(0, 1)},
    )


def class_token_layers():
    """Layers that put a class token before the patches, and one row for it before the grid."""
    layers = [
        (ViTEmbeddings(ViTConfig(**SMALL)), "bicubic", {"interpolate_pos_encoding": True}, ""),
        (Dinov2Embeddings(Dinov2Config(**SMALL)), "bicubic", {}, FLOAT32),
        (
            Dinov2WithRegistersEmbeddings(
                Dinov2WithRegistersConfig(**SMALL, num_register_tokens=0)
            ),
            "bicubic_antialias",
            {},
            FLOAT32,
        ),
        (
            RfDetrDinov2Embeddings(RfDetrDinov2Config(**SMALL, num_windows=1)),
            "bicubic_antialias",
            {},
            FLOAT32,
        ),
        (DPTViTEmbeddings(DPTConfig(**SMALL)), "bilinear", {}, ""),
    ]
    for layer, method, options, note in layers:
        layer = drawn(layer)
        for size in SIZES:
            patches = layer.patch_embeddings(image(*size))
            result = layer(image(*size), **options)
            embedded = result if torch.is_tensor(result) else result.last_hidden_states
            yield layer_case(
                layer,
                method,
                size,
                table=layer.position_embeddings[0],
                tokens=torch.cat([layer.cls_token[0], patches[0]]),
                embedded=embedded[0],
                prefix_tokens=1,
                note=note,
            )
    layer = drawn(CLIPVisionEmbeddings(CLIPVisionConfig(**SMALL, num_attention_heads=1)))
    for size in SIZES:
        patches = layer.patch_embedding(image(*size)).flatten(2).transpose(1, 2)
        yield layer_case(
            layer,
            "bicubic",
            size,
            table=layer.position_embedding.weight,
            tokens=torch.cat([layer.class_embedding[None], patches[0]]),
            embedded=layer(image(*size), interpolate_pos_encoding=True)[0],
            prefix_tokens=1,
        )
    layer = drawn(DeiTEmbeddings(DeiTConfig(**SMALL)))
    for size in SIZES:
        patches = layer.patch_embeddings(image(*size))
        yield layer_case(
            layer,
            "bicubic",
            size,
            table=layer.position_embeddings[0],
            tokens=torch.cat([layer.cls_token[0], layer.distillation_token[0], patches[0]]),
            embedded=layer(image(*size), interpolate_pos_encoding=True)[0],
            prefix_tokens=2,
            note="a class token and a distillation token",
        )


def layer_case(layer, method, size, *, table, tokens, embedded, prefix_tokens, note=""):
    return case(
        f"{type(layer).__name__}, {size[0]} x {size[1]}",
        name_of(layer),
        ["resize_grid"],
        inputs={
            "table": table,
            "tokens": tokens,
            "size": size,
            "prefix_tokens": prefix_tokens,
            "method": method,
        },
        outputs={"embedded": embedded},
        note=note,
    )


def vilt():
    layer = drawn(ViltEmbeddings(ViltConfig(**SMALL, num_attention_heads=1)))
    for size in SIZES:
        pixels = image(*size)
        patches = layer.patch_embeddings(pixels).flatten(2).transpose(1, 2)[0]
        mask = torch.ones(pixels.shape[0], *pixels.shape[2:], dtype=torch.long)
        embedded, _, (index, _) = layer.visual_embed(pixels, mask, max_image_length=-1)
        order = index[0, :, 0] * size[1] + index[0, :, 1]  # the layer shuffles its patches
        yield layer_case(
            layer,
            "bilinear_corners",
            size,
            table=layer.position_embeddings[0],
            tokens=torch.cat([layer.cls_token[0], patches]),
            embedded=torch.cat([embedded[0, :1], embedded[0, 1:][order.argsort()]]),
            prefix_tokens=1,
            note="the layer shuffles its patches; put back in order here",
        )


def siglip2():
    config = Siglip2VisionConfig(
        hidden_size=3, num_attention_heads=1, num_patches=16, num_channels=1, patch_size=2
    )
    layer = drawn(Siglip2VisionEmbeddings(config))
    for size in [*SIZES, (1, 3)]:
        pixels = torch.arange(size[0] * size[1] * 4).reshape(1, -1, 4).double() % 7
        yield layer_case(
            layer,
            "bilinear_antialias",
            size,
            table=layer.position_embedding.weight,
            tokens=layer.patch_embedding(pixels)[0],
            embedded=layer(pixels, torch.tensor([size]))[0],
            prefix_tokens=0,
            note=FLOAT32,
        )


def dynamic_resolution():
    """Layers that take patches already cut out, with the grid of each image."""
    config = Kimi_K25VisionConfig(
        hidden_size=4, pos_emb_height=4, pos_emb_width=4, num_attention_heads=1
    )
    layer = drawn(Kimi_K25VisionPositionEmbeddings(config))
    for size in SIZES:
        tokens = image(*size)[0, 0].reshape(-1, 4)
        yield layer_case(
            layer,
            "bicubic",
            size,
            table=layer.position_embeddings.flatten(0, 1),
            tokens=tokens,
            embedded=layer(tokens, torch.tensor([[1, *size]])),
            prefix_tokens=0,
            note=FLOAT32,
        )

    layer = drawn(
        Glm4vVisionEmbeddings(
            Glm4vVisionConfig(hidden_size=3, num_heads=1, image_size=8, patch_size=2)
        )
    )
    for size in SIZES:
        n_patches = size[0] * size[1]
        tokens = torch.arange(3 * n_patches).reshape(-1, 3).double() / 8
        at = torch.arange(n_patches)
        yield layer_case(
            layer,
            "bicubic",
            size,
            table=layer.position_embedding.weight,
            tokens=tokens,
            embedded=layer(
                tokens,
                [n_patches],
                torch.tensor([[1, *size]]),
                at // size[1],
                at % size[1],
            ),
            prefix_tokens=0,
            note=f"{FLOAT32}, by grid_sample",
        )

    for mode in ("bilinear", "bicubic"):
        config = HYV4VLVisionConfig(
            hidden_size=3,
            num_attention_heads=1,
            num_channels=1,
            patch_size=2,
            max_image_size=8,
            interpolate_mode=mode,
        )
        layer = drawn(HYV4VLVisionPatchEmbed(config))
        for size in SIZES:
            pixels = image(*size)[0, 0].reshape(-1, 4)
            tokens = layer.patch_embedding(pixels.reshape(-1, 1, 2, 2)).flatten(1)
            result = layer_case(
                layer,
                f"{mode}_offset",
                size,
                table=layer.position_embedding.weight,
                tokens=tokens,
                embedded=layer(pixels, [[1, *size]])[0],
                prefix_tokens=1,
                note=f"{FLOAT32}; the table has a row for a class token, but no patch reads it",
            )
            result["name"] += f", {mode}"
            yield result

    config = Qwen3VLVisionConfig(
        depth=0,
        hidden_size=4,
        num_heads=1,
        in_channels=1,
        patch_size=2,
        temporal_patch_size=1,
        spatial_merge_size=1,
        num_position_embeddings=16,
        out_hidden_size=4,
        deepstack_visual_indexes=[],
    )
    model = drawn(Qwen3VLVisionModel(config))
    for size in SIZES:
        pixels = image(*size)[0, 0].reshape(-1, 4)
        seen = {}
        model.merger.register_forward_pre_hook(lambda _, args, seen=seen: seen.update(x=args[0]))
        model(pixels, grid_thw=torch.tensor([[1, *size]]))
        yield layer_case(
            model,
            "bilinear_corners",
            size,
            table=model.pos_embed.weight,
            tokens=model.patch_embed(pixels),
            embedded=seen["x"],
            prefix_tokens=0,
            note=f"{FLOAT32}; a model without layers, so that embedded is what reaches its merger",
        )


def videoprism():
    config = VideoPrismVisionConfig(
        hidden_size=3,
        num_attention_heads=1,
        image_size=8,
        num_channels=1,
        tubelet_size=[1, 2, 2],
        num_frames=6,
    )
    layer = drawn(VideoPrismSpatialEmbeddings(config))
    for size in SIZES:
        pixels = image(*size)[None]
        yield layer_case(
            layer,
            "bilinear_antialias",
            size,
            table=layer.position_embeddings[0],
            tokens=layer.patch_embeddings(pixels, interpolate_pos_encoding=True)[0],
            embedded=layer(pixels, interpolate_pos_encoding=True)[0],
            prefix_tokens=0,
        )
    layer = drawn(VideoPrismTemporalEmbeddings(config))
    for n_positions in (9, 4):
        tokens = torch.arange(3 * n_positions).reshape(-1, 3).double() / 8
        yield case(
            f"VideoPrismTemporalEmbeddings, {n_positions} frames",
            name_of(layer),
            ["resize_grid"],
            inputs={
                "table": layer.position_embeddings[0],
                "tokens": tokens,
                "grid": (6, 1),
                "size": (n_positions, 1),
                "prefix_tokens": 0,
                "method": "bilinear_antialias",
            },
            outputs={
                "embedded": layer(
                    tokens[:, None],
                    (1, n_positions, 1, 2, 2),
                    interpolate_pos_encoding=True,
                )[0]
            },
        )


def one_axis():
    config = ViTMAEConfig(**SMALL, **ONE_LAYER, decoder_hidden_size=4, decoder_num_hidden_layers=0)
    layer = drawn(ViTMAEDecoder(config, 16))
    for n_patches in (18, 14):
        yield case(
            f"ViTMAEDecoder, {n_patches} patches",
            f"{name_of(layer)}.interpolate_pos_encoding",
            ["resize_grid"],
            inputs={
                "table": layer.decoder_pos_embed[0],
                "grid": (1, 16),
                "size": (1, n_patches),
                "prefix_tokens": 1,
                "method": "bicubic",
            },
            outputs={"table": layer.interpolate_pos_encoding(torch.zeros(1, n_patches + 1, 4))[0]},
            note="the class resizes the flattened grid along one axis",
        )

    config = SamVisionConfig(hidden_size=2, num_attention_heads=1, image_size=64, patch_size=16)
    layer = drawn(SamVisionAttention(config, 0))
    for n_tokens in (4, 6, 3, 1):
        relative = layer.get_rel_pos(n_tokens, n_tokens, layer.rel_pos_h)
        # Its entry [query, key] reads row query - key + n - 1.
        yield case(
            f"SamVisionAttention, {n_tokens} tokens",
            f"{name_of(layer)}.get_rel_pos",
            ["resize_table"],
            inputs={"table": layer.rel_pos_h, "n_positions": 2 * n_tokens - 1},
            outputs={"table": torch.cat([relative[0].flip(0), relative[1:, 0]])},
        )
    table = torch.sin(0.7 * torch.arange(10, dtype=torch.float64)).reshape(5, 2)
    for n_positions in (5, 12, 3, 1):
        new = interpolate(table.T[None], size=n_positions, mode="linear")[0].T
        yield case(
            f"interpolate, linear to {n_positions}",
            "torch.nn.functional.interpolate",
            ["resize_table"],
            inputs={"table": table, "n_positions": n_positions},
            outputs={"table": new},
        )
