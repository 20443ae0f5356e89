"""Fourier features of the released Perceiver and Segment Anything classes: the features
themselves, and what real layers with random weights make of them."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import PerceiverConfig, Sam2PromptEncoderConfig, SamConfig
from transformers.models.perceiver.modeling_perceiver import (
    PerceiverFourierPositionEncoding,
    PerceiverImagePreprocessor,
    generate_fourier_features,
)
from transformers.models.sam.modeling_sam import SamModel, SamPromptEncoder
from transformers.models.sam2.modeling_sam2 import Sam2PositionalEmbedding

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]


@torch.no_grad()
def cases():
    torch.manual_seed(0)
    yield from perceiver()
    yield from segment_anything()


def perceiver():
    scattered = 2 * torch.rand(1, 4, 3) - 1
    for name, points, n_bands, resolution in [
        ("one coordinate", torch.linspace(-1, 1, 5)[None, :, None], 3, (5,)),
        ("three coordinates", scattered, 4, (8, 5, 224)),
        ("one band", scattered, 1, (8, 5, 224)),
    ]:
        yield case(
            f"Perceiver features, {name}",
            "transformers.models.perceiver.modeling_perceiver.generate_fourier_features",
            ["linear_fourier_features"],
            inputs={"x": points[0], "n_bands": n_bands, "resolution": list(resolution)},
            outputs={"features": generate_fourier_features(points, n_bands, resolution)[0]},
            note="float32, as the function makes its bands in that type",
        )

    encoding = PerceiverFourierPositionEncoding(num_bands=2, max_resolution=(3, 4))
    features = encoding([3, 4], 1, torch.device("cpu"), torch.float32)[0]
    yield case(
        "Perceiver features of a grid",
        "transformers.models.perceiver.modeling_perceiver.PerceiverFourierPositionEncoding",
        ["linear_fourier_features"],
        inputs={"n_bands": 2, "resolution": [3, 4]},
        outputs={"features": features},
        note="float32; the class makes the points itself: -1 .. 1 on each axis, row by row",
    )

    preprocessor = PerceiverImagePreprocessor(
        PerceiverConfig(),
        prep_type="conv1x1",
        spatial_downsample=1,
        in_channels=3,
        out_channels=14,  # the projection wants the width of the features here
        position_encoding_type="fourier",
        fourier_position_encoding_kwargs={"num_bands": 3, "max_resolution": (3, 4)},
        concat_or_add_pos="add",
        project_pos_dim=14,
    ).eval()
    image = torch.randn(1, 3, 3, 4)
    with_positions, _, without_positions = preprocessor(image)
    yield case(
        "Perceiver image input",
        "transformers.models.perceiver.modeling_perceiver.PerceiverImagePreprocessor",
        ["linear_fourier_features"],
        inputs={
            "n_bands": 3,
            "resolution": [3, 4],
            "projection": preprocessor.positions_projection.weight,
            "projection_bias": preprocessor.positions_projection.bias,
            "pixels": without_positions[0],
        },
        outputs={"tokens": with_positions[0]},
        note="float32; a convolution, then features through a linear layer added",
    )


def segment_anything():
    config = SamConfig(
        vision_config={
            "hidden_size": 8,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 64,
            "patch_size": 16,
            "output_channels": 12,
            "num_pos_feats": 6,
            "window_size": 2,
            "global_attn_indexes": [0],
            "mlp_dim": 8,
        },
        prompt_encoder_config={
            "hidden_size": 12,
            "image_size": 64,
            "patch_size": 16,
            "image_embedding_size": 3,
            "mask_input_channels": 4,
        },
        mask_decoder_config={
            "hidden_size": 12,
            "mlp_dim": 8,
            "num_attention_heads": 2,
            "num_hidden_layers": 1,
            "iou_head_hidden_dim": 8,
        },
    )
    model = SamModel(config).double().eval()
    wide = model.get_image_wide_positional_embeddings()[0]
    yield case(
        "Segment Anything, the whole image",
        "transformers.models.sam.modeling_sam.SamModel.get_image_wide_positional_embeddings",
        ["gaussian_fourier_features"],
        inputs={
            "positional_embedding": model.shared_image_embedding.positional_embedding,
            "size": 3,
        },
        outputs={"features": wide.flatten(1).T},
        note="one row for each patch, row by row",
    )

    encoder = SamPromptEncoder(config).double().eval()
    points = torch.tensor([[[[0.0, 0.0], [63.0, 20.0], [31.5, 40.25]]]], dtype=torch.float64)
    labels = torch.tensor([[[1, 0, 1]]])
    sparse, _ = encoder(points, labels, None, None)
    boxes = torch.tensor([[[4.0, 8.0, 40.0, 61.0]]], dtype=torch.float64)
    corners, _ = encoder(None, None, boxes, None)
    yield case(
        "Segment Anything, points and a box",
        "transformers.models.sam.modeling_sam.SamPromptEncoder",
        ["gaussian_fourier_features"],
        inputs={
            "positional_embedding": encoder.shared_embedding.positional_embedding,
            "image_size": 64,
            "points": points[0, 0],
            "labels": labels[0, 0],
            "box": boxes[0, 0],
            "background": encoder.point_embed[0].weight[0],
            "foreground": encoder.point_embed[1].weight[0],
            "top_left": encoder.point_embed[2].weight[0],
            "bottom_right": encoder.point_embed[3].weight[0],
        },
        outputs={"points": sparse[0, 0, :3], "box": corners[0, 0]},
        note="features of the pixel's centre, plus what tells the kind of the prompt",
    )

    embedding = Sam2PositionalEmbedding(Sam2PromptEncoderConfig(hidden_size=8))
    places = torch.rand(1, 2, 3, 2)
    yield case(
        "SAM 2, places from 0 to 1 in float32",
        "transformers.models.sam2.modeling_sam2.Sam2PositionalEmbedding",
        ["gaussian_fourier_features"],
        inputs={"positional_embedding": embedding.positional_embedding, "places": places[0]},
        outputs={"features": embedding(places)[0]},
    )
