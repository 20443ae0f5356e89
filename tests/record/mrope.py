"""Multimodal rotary positions of released models.

Attention layers end to end (weights and inputs are small fractions, drawn once from a seed; the
layers run in float64, but the classes compute cosines, sines and the softmax in float32), the
rotation at published widths, and the position ids of token sequences with an image and a video.
"""

import torch
import transformers
from transformers.models.ernie4_5_vl_moe import modeling_ernie4_5_vl_moe as ernie
from transformers.models.glm4v import modeling_glm4v as glm4v
from transformers.models.qwen2_5_omni import modeling_qwen2_5_omni as omni
from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen2_5_vl
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2_vl
from transformers.models.qwen3_vl import modeling_qwen3_vl as qwen3_vl

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
TEXT, IMAGE, VIDEO, VISION_START, VISION_END = 1, 2, 3, 4, 5
SMALL = {"num_attention_heads": 2, "num_key_value_heads": 2, "num_hidden_layers": 1}


def cases():
    torch.manual_seed(21)
    with torch.no_grad():
        yield from _layers()
        yield from _rotations()
        yield from _position_ids()


def _layers():
    config = transformers.Qwen2VLTextConfig(
        hidden_size=32, **SMALL, rope_parameters=_rope([2, 3, 3], rope_theta=100.0)
    )
    yield _layer(
        "qwen2_vl layer",
        qwen2_vl.Qwen2VLAttention,
        qwen2_vl.Qwen2VLRotaryEmbedding,
        config,
        convention={"sections": [2, 3, 3], "order": "chunked", "layout": "half"},
    )
    config = transformers.Qwen3VLTextConfig(
        hidden_size=32, head_dim=16, **SMALL, rope_parameters=_rope([4, 2, 2], rope_theta=100.0)
    )
    yield _layer(
        "qwen3_vl layer",
        qwen3_vl.Qwen3VLTextAttention,
        qwen3_vl.Qwen3VLTextRotaryEmbedding,
        config,
        convention={"sections": [4, 2, 2], "order": "interleaved", "layout": "half"},
        note="queries and keys are normalised before they turn (RMS, weights of 1)",
    )
    config = transformers.Ernie4_5_VLMoeTextConfig(
        hidden_size=32,
        head_dim=16,
        **SMALL,
        use_bias=True,
        rope_parameters=_rope([3, 3, 2], rope_theta=100.0),
    )
    yield _layer(
        "ernie4_5_vl_moe layer",
        ernie.Ernie4_5_VLMoeTextAttention,
        ernie.Ernie4_5_VLMoeTextRotaryEmbedding,
        config,
        convention={"sections": [2, 3, 3], "order": "time_last", "layout": "interleaved"},
        note="the config says [3, 3, 2], for height, width, time",
    )


def _layer(name, attention_class, rotary_class, config, *, convention, note=""):
    config._attn_implementation = "eager"
    layer = attention_class(config, layer_idx=0).double().eval()
    for parameter_name, parameter in layer.named_parameters():
        if "norm" not in parameter_name:
            parameter.copy_(_fractions(*parameter.shape, 2) / 4)
    positions = torch.tensor(
        [
            [0, 1, 2, 2, 2, 2, 2, 2, 5, 6],
            [0, 1, 2, 2, 2, 3, 3, 3, 5, 6],
            [0, 1, 2, 3, 4, 2, 3, 4, 5, 6],
        ]
    )
    hidden = _fractions(positions.shape[1], 32, 2)
    cos_sin = rotary_class(config)(hidden, positions[:, None])
    output, _ = layer(hidden[None], position_embeddings=cos_sin, attention_mask=None)
    projections = {c: getattr(layer, f"{c}_proj") for c in "qkvo"}
    zeros = torch.zeros(32)
    return case(
        name,
        f"{attention_class.__module__}.{attention_class.__name__}",
        ["mrope_cos_sin"],
        inputs={"positions": positions, "base": config.rope_parameters["rope_theta"], **convention}
        | {"normalised": hasattr(layer, "q_norm"), "hidden": hidden, "n_heads": 2}
        | {f"w_{c}": p.weight for c, p in projections.items()}
        | {f"b_{c}": zeros if p.bias is None else p.bias for c, p in projections.items()},
        outputs={"output": output[0]},
        note=note,
    )


def _rotations():
    """Two tokens of a picture, at the widths of published models."""
    sizes = {"hidden_size": 256, **SMALL}
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    for name, rotary_class, config, sections, order, layout in [
        (
            "qwen2_vl",
            qwen2_vl.Qwen2VLRotaryEmbedding,
            transformers.Qwen2VLTextConfig(
                **sizes, rope_parameters=_rope([16, 24, 24], rope_theta=1e6)
            ),
            [16, 24, 24],
            "chunked",
            "half",
        ),
        (
            "qwen2_vl yarn",
            qwen2_vl.Qwen2VLRotaryEmbedding,
            transformers.Qwen2VLTextConfig(
                **sizes, rope_parameters={**_rope([16, 24, 24], rope_theta=1e6), **yarn}
            ),
            [16, 24, 24],
            "chunked",
            "half",
        ),
        (
            "qwen3_vl",
            qwen3_vl.Qwen3VLTextRotaryEmbedding,
            transformers.Qwen3VLTextConfig(
                **sizes, head_dim=128, rope_parameters=_rope([24, 20, 20], rope_theta=5e6)
            ),
            [24, 20, 20],
            "interleaved",
            "half",
        ),
        (
            "ernie4_5_vl_moe",
            ernie.Ernie4_5_VLMoeTextRotaryEmbedding,
            transformers.Ernie4_5_VLMoeTextConfig(
                **sizes, head_dim=128, rope_parameters=_rope([22, 22, 20], rope_theta=5e5)
            ),
            [20, 22, 22],
            "time_last",
            "interleaved",
        ),
        (
            "glm4v",
            glm4v.Glm4vTextRotaryEmbedding,
            transformers.Glm4vTextConfig(
                **sizes,
                rope_parameters={
                    **_rope([8, 12, 12], rope_theta=1e4),
                    "partial_rotary_factor": 0.5,
                },
            ),
            [8, 12, 12],
            "chunked",
            "interleaved",
        ),
    ]:
        rotary = rotary_class(config)
        positions = torch.tensor([[3, 17], [4, 18], [6, 31]])
        cos, sin = (x[0] for x in rotary(torch.zeros(1), positions[:, None]))
        first_of_pair = slice(0, cos.shape[-1] // 2) if layout == "half" else slice(0, None, 2)
        yield case(
            name,
            f"{rotary_class.__module__}.{rotary_class.__name__}",
            ["mrope_cos_sin"],
            inputs={
                "positions": positions,
                # ERNIE's buffer is in the order of axes; the frequencies of all are those of RoPE
                "inv_freq": rotary.inv_freq.sort(descending=True).values,
                "sections": sections,
                "order": order,
                "attention_factor": rotary.attention_scaling,
            },
            outputs={"cos": cos[:, first_of_pair], "sin": sin[:, first_of_pair]},
        )


def _position_ids():
    """Text, a picture of 2 x 3 tokens, text, and a video of 5 frames of 1 x 2 tokens, text."""
    ids = [TEXT] * 3 + [IMAGE] * 6 + [TEXT] * 2 + [VIDEO] * 10 + [TEXT] * 3
    image, video = torch.tensor([[1, 4, 6]]), torch.tensor([[5, 2, 4]])
    segments = [["text", 3], ["image", 2, 3], ["text", 2], ["video", 5, 1, 2], ["text", 3]]
    yield _indexed(
        "qwen2_vl position ids",
        qwen2_vl.Qwen2VLModel,
        _vision_config(transformers.Qwen2VLConfig),
        segments,
        ids,
        image_grid_thw=image,
        video_grid_thw=video,
    )
    for seconds in (0.75, 0.5, 0.0625):
        yield _indexed(
            f"qwen2_5_vl position ids, {seconds} seconds a grid",
            qwen2_5_vl.Qwen2_5_VLModel,
            _vision_config(transformers.Qwen2_5_VLConfig, tokens_per_second=2),
            [*segments[:3], ["video", 5, 1, 2, 2 * seconds], ["text", 3]],
            ids,
            image_grid_thw=image,
            video_grid_thw=video,
            second_per_grid_ts=torch.tensor([seconds]),
        )
    frames = [TEXT] * 3 + [IMAGE] * 6 + ([TEXT] * 4 + [VIDEO] * 2) * 5 + [TEXT]
    yield _indexed(
        "qwen3_vl position ids",
        qwen3_vl.Qwen3VLModel,
        _vision_config(transformers.Qwen3VLConfig),
        [["text", 3], ["image", 2, 3], *[["text", 4], ["image", 1, 2]] * 5, ["text", 1]],
        frames,
        image_grid_thw=image,
        video_grid_thw=video,
        note="each frame of the video is an image, with its timestamp as text before it",
    )
    enclosed = [TEXT] * 2 + [VISION_START] + [IMAGE] * 6 + [VISION_END] + [TEXT]
    enclosed += [VISION_START] + [VIDEO] * 10 + [VISION_END] + [TEXT] * 3
    yield _omni(
        [["text", 3], ["image", 2, 3], ["text", 3], ["video", 5, 1, 2, 1.5], ["text", 4]],
        enclosed,
        image_grid_thw=image,
        video_grid_thw=video,
        second_per_grids=torch.tensor([0.75]),
    )


def _indexed(name, model_class, config, segments, ids, *, note="", **grids):
    with torch.device("meta"):  # no weights: the positions need none
        model = model_class(config)
    ids = torch.tensor([ids])
    kinds = (ids == IMAGE).int() + 2 * (ids == VIDEO).int()
    positions, delta = model.get_rope_index(ids, mm_token_type_ids=kinds, **grids)
    return _positions(name, model_class, segments, positions, delta, "side", note)


def _omni(segments, ids, **grids):
    model_class = omni.Qwen2_5OmniThinkerForConditionalGeneration
    text = {"hidden_size": 32, "intermediate_size": 8, "vocab_size": 8, **SMALL}
    config = transformers.Qwen2_5OmniThinkerConfig(
        text_config=text,
        vision_config={"depth": 1, "hidden_size": 16, "num_heads": 2, "out_hidden_size": 32},
        audio_config={"encoder_layers": 1, "d_model": 16, "encoder_attention_heads": 2},
        image_token_id=IMAGE,
        video_token_id=VIDEO,
        vision_start_token_id=VISION_START,
        position_id_per_seconds=2,
    )
    with torch.device("meta"):
        model = model_class(config)
    positions, delta = model.get_rope_index(torch.tensor([ids]), **grids)
    return _positions(
        "qwen2_5_omni position ids", model_class, segments, positions, delta, "largest", "no audio"
    )


def _positions(name, model_class, segments, positions, delta, advance, note):
    return case(
        name,
        f"{model_class.__module__}.{model_class.__name__}.get_rope_index",
        ["mrope_positions"],
        inputs={"segments": segments, "advance": advance},
        outputs={"positions": positions[:, 0].long(), "delta": int(delta)},
        note=note,
    )


def _vision_config(config_class, **vision):
    text = {"hidden_size": 32, "intermediate_size": 8, "vocab_size": 8, **SMALL}
    return config_class(
        text_config={**text, "head_dim": 16, "pad_token_id": 0},
        vision_config={"depth": 1, "num_heads": 2, **vision},
        image_token_id=IMAGE,
        video_token_id=VIDEO,
        vision_start_token_id=VISION_START,
        vision_end_token_id=VISION_END,
    )


def _rope(sections, *, rope_theta):
    return {"rope_type": "default", "rope_theta": rope_theta, "mrope_section": sections}


def _fractions(*shape_and_parts):
    """Random multiples of 1/parts from -2 to 2: exact in any float, and short in the file."""
    *shape, parts = shape_and_parts
    return torch.randint(-2 * parts, 2 * parts + 1, shape).double() / parts
