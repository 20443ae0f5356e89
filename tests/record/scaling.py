"""Rotary frequencies, attention factors and query temperatures, as transformers computes them.

`call` holds the name of our function and its arguments. Where there is `each`, one argument takes
several values, and the outputs have a row for each. A case bears the name of the model whose config
it repeats; only that model's own config.json decides what it uses. The rotary classes compute in
float32, so the attention layers, which run in float64, take in cosines, sines and temperatures of
float32.
"""

import importlib
import json
from contextlib import contextmanager

import torch
import transformers
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
MADE_UP = "Made up, for an edge of the rule."
DEFAULT = "The library's default config."
UPSTREAM = "The case of the library's own tests."


def cases():
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    yield from unscaled()
    yield from linear_and_ntk()
    yield from dynamic()
    yield from yarn()
    yield from llama3()
    yield from longrope()
    yield from proportional()
    yield from rotary_forward()
    yield from temperatures()
    yield from attention_layers()


# Frequencies


def frequencies(
    name, model, config, call, *, layer_type=None, pairs=None, each=None, note="", secret=()
):
    """What the rotary class of a model holds once it is built, or gives for several lengths.

    `model` is "module.ConfigClass.RotaryClass". `secret` are keys of rope_scaling that stand in
    `call` already, and are not repeated.
    """
    module, config_name, rotary_name = model.split(".")
    built = getattr(transformers, config_name)(**json.loads(json.dumps(config)))
    source = f"transformers.models.{module}.modeling_{module}.{rotary_name}"
    rotary = getattr(importlib.import_module(source.rpartition(".")[0]), rotary_name)(built)
    prefix = f"{layer_type}_" if layer_type else ""
    if each is None:
        inv_freq = getattr(rotary, f"{prefix}inv_freq")
        factor = getattr(rotary, f"{prefix}attention_scaling", 1.0)
    else:
        rule = ROPE_INIT_FUNCTIONS[built.rope_parameters["rope_type"]]
        [lengths] = each.values()
        results = [rule(built, None, seq_len=length) for length in lengths]
        inv_freq = torch.stack([result[0] for result in results])
        [factor] = {result[1] for result in results}
        source = f"{rule.__module__}.{rule.__qualname__}"
    shown = json.loads(json.dumps(config))
    for key in secret:
        del shown["rope_scaling"][key]
    inputs = {"config_class": config_name, "config": shown}
    inputs |= {"layer_type": layer_type} if layer_type else {}
    inputs |= {"call": call}
    inputs |= {"pairs": pairs} if pairs else {}
    inputs |= {"each": each} if each else {}
    outputs = {"inv_freq": inv_freq, "attention_factor": float(factor)}
    return case(name, source, [call["function"]], inputs=inputs, outputs=outputs, note=note)


def plain(rotary_dim, base):
    return {"function": "rotary_inv_freq", "rotary_dim": rotary_dim, "base": base}


def scaled(rule, width, base, **options):
    """The call of `scale_<rule>`; two of them take the frequencies of that width and base."""
    if rule in ("linear", "llama3"):
        sizes = {"inv_freq_of": [width, base]}
    else:
        sizes = {"head_dim" if rule == "proportional" else "rotary_dim": width, "base": base}
    return {"function": f"scale_{rule}", **sizes, **options}


LLAMA = "llama.LlamaConfig.LlamaRotaryEmbedding"
WIDE = {"hidden_size": 4096, "num_attention_heads": 32}
LLAMA2 = {**WIDE, "max_position_embeddings": 4096, "rope_theta": 10000.0}


def unscaled():
    yield frequencies("Llama-2-7B", LLAMA, LLAMA2, plain(128, 1e4))
    changed = {"rope_theta": 5e5, "max_position_embeddings": 8192}
    yield frequencies("Llama-3-8B", LLAMA, LLAMA2 | changed, plain(128, 5e5))
    changed = {"rope_theta": 1e6, "max_position_embeddings": 16384}
    yield frequencies("CodeLlama-7B", LLAMA, LLAMA2 | changed, plain(128, 1e6))
    yield frequencies(
        "Mistral-7B-v0.1",
        "mistral.MistralConfig.MistralRotaryEmbedding",
        {**WIDE, "num_key_value_heads": 8, "rope_theta": 1e4, "max_position_embeddings": 32768},
        plain(128, 1e4),
    )
    yield frequencies(
        "Mixtral-8x7B",
        "mixtral.MixtralConfig.MixtralRotaryEmbedding",
        {"rope_theta": 1e6},
        plain(128, 1e6),
    )
    yield frequencies(
        "Qwen3-8B",
        "qwen3.Qwen3Config.Qwen3RotaryEmbedding",
        {**WIDE, "head_dim": 128, "rope_theta": 1e6, "max_position_embeddings": 40960},
        plain(128, 1e6),
    )
    yield frequencies(
        "Gemma-2-9B",
        "gemma2.Gemma2Config.Gemma2RotaryEmbedding",
        {"head_dim": 256, "rope_theta": 1e4},
        plain(256, 1e4),
    )
    yield frequencies(
        "Gemma-3-4B, local layers",
        "gemma3.Gemma3TextConfig.Gemma3RotaryEmbedding",
        GEMMA3,
        plain(256, 1e4),
        layer_type="sliding_attention",
    )
    yield frequencies(
        "Gemma 4, local layers",
        "gemma4.Gemma4TextConfig.Gemma4TextRotaryEmbedding",
        {},
        plain(256, 1e4),
        layer_type="sliding_attention",
        note=DEFAULT,
    )
    for name, width, heads, rotary_dim in (
        ("GPT-NeoX-20B", 6144, 64, 24),
        ("Pythia-6.9B", 4096, 32, 32),
    ):
        yield frequencies(
            f"{name}, a quarter rotated",
            "gpt_neox.GPTNeoXConfig.GPTNeoXRotaryEmbedding",
            {
                "hidden_size": width,
                "num_attention_heads": heads,
                "rotary_pct": 0.25,
                "rotary_emb_base": 10000,
                "max_position_embeddings": 2048,
            },
            plain(rotary_dim, 1e4),
        )
    partial = {"hidden_size": 2560, "num_attention_heads": 32, "rope_theta": 1e4}
    yield frequencies(
        "Phi-2, 0.4 rotated",
        "phi.PhiConfig.PhiRotaryEmbedding",
        {**partial, "partial_rotary_factor": 0.4},
        plain(32, 1e4),
    )
    yield frequencies(
        "StableLM-3B-4E1T, a quarter rotated",
        "stablelm.StableLmConfig.StableLmRotaryEmbedding",
        {**partial, "partial_rotary_factor": 0.25},
        plain(20, 1e4),
    )
    yield frequencies(
        "Persimmon, half rotated",
        "persimmon.PersimmonConfig.PersimmonRotaryEmbedding",
        {},
        plain(32, 1e4),
        note=DEFAULT,
    )
    yield frequencies(
        "GLM-4, half rotated", "glm.GlmConfig.GlmRotaryEmbedding", {}, plain(64, 1e4), note=DEFAULT
    )
    yield frequencies(
        "Command-R v01",
        "cohere.CohereConfig.CohereRotaryEmbedding",
        {"hidden_size": 8192, "num_attention_heads": 64, "rope_theta": 8e6},
        plain(128, 8e6),
    )
    yield frequencies(
        "Falcon-7B",
        "falcon.FalconConfig.FalconRotaryEmbedding",
        {"hidden_size": 4544, "num_attention_heads": 71},
        plain(64, 1e4),
    )
    for kind, layer_type, base in (
        ("global", "full_attention", 160000.0),
        ("local", "sliding_attention", 1e4),
    ):
        yield frequencies(
            f"ModernBERT-base, {kind} layers",
            "modernbert.ModernBertConfig.ModernBertRotaryEmbedding",
            {},
            plain(64, base),
            layer_type=layer_type,
            note=DEFAULT,
        )
    yield frequencies(
        "OLMo-2",
        "olmo2.Olmo2Config.Olmo2RotaryEmbedding",
        {"rope_theta": 5e5},
        plain(128, 5e5),
    )
    yield frequencies(
        "Starcoder2-3B, a base that is no whole number",
        "starcoder2.Starcoder2Config.Starcoder2RotaryEmbedding",
        {"hidden_size": 3072, "num_attention_heads": 24, "rope_theta": 999999.4420358813},
        plain(128, 999999.4420358813),
    )
    yield frequencies(
        "Qwen3-Next, a quarter rotated",
        "qwen3_next.Qwen3NextConfig.Qwen3NextRotaryEmbedding",
        {},
        plain(64, 1e4),
        note=DEFAULT,
    )
    yield frequencies(
        "MiMo-V2-Flash, global layers, 0.334 rotated",
        "mimo_v2_flash.MiMoV2FlashConfig.MiMoV2FlashRotaryEmbedding",
        {},
        plain(64, 5e6),
        layer_type="full_attention",
        note=DEFAULT,
    )
    yield frequencies(
        "SmolLM3",
        "smollm3.SmolLM3Config.SmolLM3RotaryEmbedding",
        {},
        plain(128, 2e6),
        note=DEFAULT,
    )
    yield frequencies(
        "Qwen2-VL-7B, text",
        "qwen2_vl.Qwen2VLTextConfig.Qwen2VLRotaryEmbedding",
        {
            "hidden_size": 3584,
            "num_attention_heads": 28,
            "rope_theta": 1e6,
            "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
        },
        plain(128, 1e6),
    )
    yield frequencies(
        "Qwen3-VL, text",
        "qwen3_vl.Qwen3VLTextConfig.Qwen3VLTextRotaryEmbedding",
        {
            "rope_theta": 5e6,
            "head_dim": 128,
            "rope_scaling": {
                "rope_type": "default",
                "mrope_section": [24, 20, 20],
                "mrope_interleaved": True,
            },
        },
        plain(128, 5e6),
    )
    yield frequencies(
        "Pixtral, image",
        "pixtral.PixtralVisionConfig.PixtralVisionRotaryEmbedding",
        {},
        plain(64, 1e4),
        pairs=[*range(0, 32, 2), *range(1, 32, 2)],
        note=f"{DEFAULT} Even pairs for the rows first, then odd pairs for the columns.",
    )
    yield frequencies(
        "Qwen2-VL, image",
        "qwen2_vl.Qwen2VLVisionConfig.Qwen2VLVisionRotaryEmbedding",
        {},
        plain(40, 1e4),
        note=f"{DEFAULT} One list for rows and columns, of half the head each.",
    )
    yield frequencies(
        "DINOv3 ViT-B/16",
        "dinov3_vit.DINOv3ViTConfig.DINOv3ViTRopePositionEmbedding",
        {},
        plain(32, 100.0),
        note=f"{DEFAULT} One list for rows and columns, of half the head each.",
    )


GEMMA3 = {
    "hidden_size": 2560,
    "num_attention_heads": 8,
    "head_dim": 256,
    "max_position_embeddings": 131072,
    "rope_theta": 1e6,
    "rope_local_base_freq": 10000.0,
    "rope_scaling": {"rope_type": "linear", "factor": 8.0},
}


def linear_and_ntk():
    four = {"type": "linear", "factor": 4.0}
    yield frequencies(
        "Vicuna-7B-v1.5-16k",
        LLAMA,
        LLAMA2 | {"rope_scaling": four},
        scaled("linear", 128, 1e4, factor=4.0),
        note="Written with the older key, type.",
    )
    yield frequencies(
        "DeepSeek-Coder-6.7B",
        LLAMA,
        LLAMA2 | {"rope_theta": 1e5, "max_position_embeddings": 16384, "rope_scaling": four},
        scaled("linear", 128, 1e5, factor=4.0),
    )
    yield frequencies(
        "Gemma-3-4B, global layers",
        "gemma3.Gemma3TextConfig.Gemma3RotaryEmbedding",
        GEMMA3,
        scaled("linear", 256, 1e6, factor=8.0),
        layer_type="full_attention",
    )
    yield frequencies(
        "HunYuan, alpha 1000",
        "hunyuan_v1_dense.HunYuanDenseV1Config.HunYuanDenseV1RotaryEmbedding",
        {
            **WIDE,
            "head_dim": 128,
            "rope_theta": 1e4,
            "rope_scaling": {"rope_type": "dynamic", "alpha": 1000.0, "factor": 1.0},
        },
        scaled("ntk", 128, 1e4, factor=1000.0),
        note="The class reads a dynamic rule with an alpha as a fixed NTK rule.",
    )


def dynamic():
    two = {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}
    yield frequencies(
        "Llama-2-7B, dynamic NTK of factor 2",
        LLAMA,
        LLAMA2 | two,
        scaled("dynamic", 128, 1e4, factor=2.0, trained_length=4096),
        each={"seq_len": [100, 4096, 4097, 8192, 16384, 131072]},
        note=MADE_UP,
    )
    ten = {
        "max_position_embeddings": 2048,
        "rope_scaling": {"rope_type": "dynamic", "factor": 10.0},
    }
    yield frequencies(
        "Llama, dynamic NTK of factor 10",
        LLAMA,
        {**WIDE, "max_position_embeddings": 2048, **ten},
        scaled("dynamic", 128, 1e4, factor=10.0, trained_length=2048),
        each={"seq_len": [16384]},
        note=UPSTREAM,
    )


def yarn_rule(**options):
    return {"rope_type": "yarn", "original_max_position_embeddings": 4096, **options}


DEEPSEEK = {
    "hidden_size": 7168,
    "num_attention_heads": 128,
    "qk_rope_head_dim": 64,
    "max_position_embeddings": 163840,
}


def yarn():
    yield frequencies(
        "Llama, YaRN of factor 10",
        LLAMA,
        {
            **WIDE,
            "max_position_embeddings": 2048,
            "rope_scaling": {
                "rope_type": "yarn",
                "factor": 10.0,
                "beta_fast": 32,
                "beta_slow": 1,
            },
        },
        scaled("yarn", 128, 1e4, factor=10.0, trained_length=2048),
        note=UPSTREAM,
    )
    yield frequencies(
        "Qwen2.5-7B-Instruct, YaRN of factor 4",
        "qwen2.Qwen2Config.Qwen2RotaryEmbedding",
        {
            "hidden_size": 3584,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "max_position_embeddings": 32768,
            "rope_theta": 1e6,
            "rope_scaling": {
                "type": "yarn",
                "factor": 4.0,
                "original_max_position_embeddings": 32768,
            },
        },
        scaled("yarn", 128, 1e6, factor=4.0, trained_length=32768),
        note="As the model's page says to write it.",
    )
    v3 = "deepseek_v3.DeepseekV3Config.DeepseekV3RotaryEmbedding"
    v2 = "deepseek_v2.DeepseekV2Config.DeepseekV2RotaryEmbedding"
    for name, model, changed, scales, note in (
        ("DeepSeek-V3", v3, {}, {"mscale": 1.0, "mscale_all_dim": 1.0}, ""),
        (
            "DeepSeek-V2",
            v2,
            {"hidden_size": 5120},
            {"mscale": 0.707, "mscale_all_dim": 0.707},
            "",
        ),
        ("YaRN, mscale alone", v3, {}, {"mscale": 1.0, "mscale_all_dim": 0}, MADE_UP),
        ("YaRN, two mscales", v3, {}, {"mscale": 1.0, "mscale_all_dim": 0.8}, MADE_UP),
    ):
        yield frequencies(
            name,
            model,
            {
                **DEEPSEEK,
                **changed,
                "rope_theta": 1e4,
                "rope_scaling": yarn_rule(factor=40, beta_fast=32, beta_slow=1, **scales),
            },
            scaled("yarn", 64, 1e4, factor=40, trained_length=4096, **scales),
            note=note,
        )
    kimi = {"beta_fast": 1.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0}
    yield frequencies(
        "Kimi-K2, equal betas",
        v3,
        {
            **DEEPSEEK,
            "num_attention_heads": 64,
            "max_position_embeddings": 131072,
            "rope_theta": 5e4,
            "rope_scaling": yarn_rule(factor=32.0, **kimi),
        },
        scaled("yarn", 64, 5e4, factor=32.0, trained_length=4096, **kimi),
    )
    yield frequencies(
        "YaRN, no factor",
        LLAMA,
        LLAMA2 | {"max_position_embeddings": 32768, "rope_scaling": yarn_rule(factor=None)},
        scaled("yarn", 128, 1e4, factor=8.0, trained_length=4096),
        note=f"{MADE_UP} The factor is then 32768 / 4096.",
    )
    yield frequencies(
        "YaRN, betas of 0",
        LLAMA,
        LLAMA2 | {"rope_scaling": yarn_rule(factor=8.0, beta_fast=0, beta_slow=0)},
        scaled("yarn", 128, 1e4, factor=8.0, trained_length=4096, beta_fast=32, beta_slow=1),
        note=f"{MADE_UP} They stand for 32 and 1.",
    )
    narrow = {"beta_fast": 5.0, "beta_slow": 5.0, "truncate": False}
    yield frequencies(
        "YaRN, bounds that meet",
        LLAMA,
        LLAMA2 | {"rope_scaling": yarn_rule(factor=8.0, **narrow)},
        scaled("yarn", 128, 1e4, factor=8.0, trained_length=4096, **narrow),
        note=MADE_UP,
    )
    yield frequencies(
        "YaRN, an upper bound beyond the last pair",
        LLAMA,
        {
            **WIDE,
            "head_dim": 64,
            "rope_theta": 1e4,
            "rope_scaling": yarn_rule(factor=4.0)
            | {"original_max_position_embeddings": 131072, "attention_factor": 1.5},
        },
        scaled("yarn", 64, 1e4, factor=4.0, trained_length=131072, attention_factor=1.5),
        note=f"{MADE_UP} It gives its own attention factor too.",
    )
    yield frequencies(
        "gpt-oss-20b, bounds not rounded",
        "gpt_oss.GptOssConfig.GptOssRotaryEmbedding",
        {
            "hidden_size": 2880,
            "num_attention_heads": 64,
            "head_dim": 64,
            "max_position_embeddings": 131072,
            "rope_theta": 150000.0,
            "rope_scaling": yarn_rule(factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False),
        },
        scaled("yarn", 64, 150000.0, factor=32.0, trained_length=4096, truncate=False),
    )


def llama3():
    def rule(factor, low, high, length):
        ours = {"factor": factor, "low_freq_factor": low, "high_freq_factor": high}
        theirs = {"rope_type": "llama3", **ours, "original_max_position_embeddings": length}
        return theirs, {**ours, "trained_length": length}

    theirs, ours = rule(8.0, 1.0, 4.0, 8192)
    changed = {"rope_theta": 5e5, "max_position_embeddings": 131072, "rope_scaling": theirs}
    yield frequencies("Llama-3.1-8B", LLAMA, LLAMA2 | changed, scaled("llama3", 128, 5e5, **ours))
    theirs, ours = rule(32.0, 1.0, 4.0, 8192)
    changed |= {"hidden_size": 2048, "head_dim": 64, "rope_scaling": theirs}
    yield frequencies("Llama-3.2-1B", LLAMA, LLAMA2 | changed, scaled("llama3", 64, 5e5, **ours))
    theirs, ours = rule(16.0, 1.0, 1.0, 8192)
    yield frequencies(
        "Llama-4-Scout, no ramp",
        "llama4.Llama4TextConfig.Llama4TextRotaryEmbedding",
        {
            "hidden_size": 5120,
            "num_attention_heads": 40,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "max_position_embeddings": 10485760,
            "rope_theta": 5e5,
            "rope_scaling": theirs,
        },
        scaled("llama3", 128, 5e5, **ours),
    )
    theirs, ours = rule(10.0, 1, 4, 2048)
    yield frequencies(
        "Llama, its rule with factor 10",
        LLAMA,
        {**WIDE, "max_position_embeddings": 2048, "rope_scaling": theirs},
        scaled("llama3", 128, 1e4, **ours),
        note=UPSTREAM,
    )


def longrope():
    for name, texts in PHI3_FACTORS.items():
        lists = {key: [float(word) for word in text.split()] for key, text in texts.items()}
        yield frequencies(
            name,
            "phi3.Phi3Config.Phi3RotaryEmbedding",
            {
                "hidden_size": 3072,
                "num_attention_heads": 32,
                "max_position_embeddings": 131072,
                "original_max_position_embeddings": 4096,
                "rope_theta": 10000.0,
                "rope_scaling": {"type": "longrope", **lists},
            },
            scaled("longrope", 96, 1e4, trained_length=4096, max_length=131072, **lists),
            each={"seq_len": [4096, 4097]},
            note="The two lists of the call stand in rope_scaling of the config.",
            secret=lists,
        )


def proportional():
    yield frequencies(
        "Gemma 4, global layers",
        "gemma4.Gemma4TextConfig.Gemma4TextRotaryEmbedding",
        {},
        scaled("proportional", 512, 1e6, rotated_fraction=0.25),
        layer_type="full_attention",
        note=DEFAULT,
    )


# Classes in use


def rotary_forward():
    """Cosines and sines of whole texts, from classes that choose frequencies by the length."""
    rule = {"factor": 3.0}
    config = transformers.LlamaConfig(
        hidden_size=16,
        num_attention_heads=2,
        max_position_embeddings=32,
        rope_scaling={"rope_type": "dynamic", **rule},
    )
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    name = "transformers.models.llama.modeling_llama.LlamaRotaryEmbedding.forward"
    for length in (20, 33, 47):
        cos, sin = turned(LlamaRotaryEmbedding(config), length)
        yield case(
            f"dynamic NTK, a text of {length}",
            name,
            ["scale_dynamic"],
            inputs={
                "call": scaled("dynamic", 8, 1e4, **rule, trained_length=32, seq_len=length),
                "n_positions": length,
            },
            outputs={"cos": cos, "sin": sin},
        )
    rotary = LlamaRotaryEmbedding(config)
    lengths = [20, 47, 40, 32, 31]
    rows = []
    for length in lengths:
        turned(rotary, length)
        rows.append(rotary.inv_freq.clone())
    yield case(
        "dynamic NTK, one text after another",
        name,
        ["scale_dynamic"],
        inputs={
            "call": scaled("dynamic", 8, 1e4, **rule, trained_length=32),
            "each": {"seq_len": lengths},
        },
        outputs={"inv_freq_kept": torch.stack(rows)},
        note="The class remembers the longest text until one shorter than 32 comes.",
    )

    lists = {"short_factor": [1.0, 1.1, 1.5, 2.5], "long_factor": [1.0, 2.0, 7.5, 32.0]}
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 2}
    lengths = {"max_position_embeddings": 128, "original_max_position_embeddings": 32}
    phi3 = transformers.Phi3Config(
        **sizes, **lengths, pad_token_id=0, rope_scaling={"rope_type": "longrope", **lists}
    )
    from transformers.models.phi3.modeling_phi3 import Phi3RotaryEmbedding

    call = scaled("longrope", 8, 1e4, **lists, trained_length=32, max_length=128)
    for length in (32, 33):
        cos, sin = turned(Phi3RotaryEmbedding(phi3), length)
        yield case(
            f"LongRoPE, a text of {length}",
            "transformers.models.phi3.modeling_phi3.Phi3RotaryEmbedding.forward",
            ["scale_longrope"],
            inputs={"call": {**call, "seq_len": length}, "n_positions": length},
            outputs={"cos": cos, "sin": sin},
        )
    phimoe = transformers.PhimoeConfig(
        **sizes,
        rope_theta=10000.0,
        max_position_embeddings=128,
        rope_scaling={
            "rope_type": "longrope",
            **lists,
            "short_mscale": 1.25,
            "long_mscale": 1.5,
            "original_max_position_embeddings": 32,
        },
    )
    from transformers.models.phimoe.modeling_phimoe import PhimoeRotaryEmbedding

    cos, sin = turned(PhimoeRotaryEmbedding(phimoe), 33)
    yield case(
        "LongRoPE of Phi-3.5-MoE, a text of 33",
        "transformers.models.phimoe.modeling_phimoe.PhimoeRotaryEmbedding.forward",
        ["scale_longrope"],
        inputs={
            "call": {**call, "seq_len": 32, "attention_factor": 1.5},
            "n_positions": 33,
        },
        outputs={"cos": cos, "sin": sin},
        note="The class keeps the short list past 32, and takes its factor from long_mscale.",
    )


def turned(rotary, length):
    """One column for each pair, as the class gives every pair twice."""
    x = torch.zeros(1, dtype=torch.float32)
    cos, sin = rotary(x, torch.arange(length)[None])
    half = cos.shape[-1] // 2
    return cos[0, :, :half], sin[0, :, :half]


def temperatures():
    positions = [0, 1, 15, 16, 17, 31, 32, 33, 1000]
    for model in ("ministral3", "mistral4"):
        name = f"transformers.models.{model}.modeling_{model}"
        function = importlib.import_module(name).get_llama_4_attn_scale
        factors = function(torch.tensor([positions], dtype=torch.int64), 0.25, 16)
        yield case(
            f"query temperature of {model}",
            f"{name}.get_llama_4_attn_scale",
            ["query_temperature"],
            inputs={"positions": positions, "beta": 0.25, "length": 16, "count_from": 0},
            outputs={"factors": factors[0, 0, :, 0]},
        )


def attention_layers():
    from transformers.models.deepseek_v2.modeling_deepseek_v2 import DeepseekV2Attention
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention
    from transformers.models.llama4.modeling_llama4 import Llama4TextAttention
    from transformers.models.ministral3 import modeling_ministral3 as ministral3

    for name, config_class, layer_class, weight in (
        ("DeepSeek-V3", transformers.DeepseekV3Config, DeepseekV3Attention, 1.0),
        ("DeepSeek-V2", transformers.DeepseekV2Config, DeepseekV2Attention, 0.707),
        ("DeepSeek without mscale", transformers.DeepseekV3Config, DeepseekV3Attention, 0),
    ):
        config = config_class(
            hidden_size=16,
            num_attention_heads=2,
            q_lora_rank=8,
            kv_lora_rank=8,
            qk_nope_head_dim=128,
            qk_rope_head_dim=64,
            v_head_dim=8,
            rope_scaling=yarn_rule(factor=40.0, mscale=weight, mscale_all_dim=weight),
        )
        yield case(
            f"softmax scale of {name}",
            f"{layer_class.__module__}.{layer_class.__qualname__}",
            ["yarn_mscale"],
            inputs={"factor": 40.0, "mscale_all_dim": weight, "head_dim": 192},
            outputs={"scale": layer_class(config, 0).scaling},
        )

    yield deepseek_layer(DeepseekV3Attention)

    config = transformers.Llama4TextConfig(
        hidden_size=8,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=4,
        num_hidden_layers=1,
        no_rope_layers=[0],
        attn_temperature_tuning=True,
        attn_scale=0.5,
        floor_scale=3,
        attn_implementation="eager",
    )
    layer = randomised(Llama4TextAttention(config, 0))
    x, mask = text(11, 8)
    with torch.no_grad():
        out, weights = layer(x, None, mask)
    yield case(
        "Llama 4, a layer without rotation",
        "transformers.models.llama4.modeling_llama4.Llama4TextAttention",
        ["query_temperature"],
        inputs={
            "temperature": {"beta": 0.5, "length": 3, "count_from": 1},
            "x": x[0],
            **projections(layer),
        },
        outputs={"weights": weights[0], "out": out[0]},
    )

    rule = {"factor": 4.0, "beta_fast": 4.0, "beta_slow": 0.25}
    config = transformers.Ministral3Config(
        hidden_size=8,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        rope_parameters={
            "rope_type": "yarn",
            "rope_theta": 100.0,
            **rule,
            "original_max_position_embeddings": 5,
            "max_position_embeddings": 20,
            "llama_4_scaling_beta": 0.5,
        },
        attn_implementation="eager",
    )
    layer = randomised(ministral3.Ministral3Attention(config, 0))
    x, mask = text(12, 8)
    positions = torch.arange(12)[None]
    embedding = ministral3.Ministral3RotaryEmbedding(config)(x, positions)
    with torch.no_grad():
        out, weights = layer(x, embedding, mask, positions)
    yield case(
        "Ministral 3, a layer with YaRN and temperature",
        "transformers.models.ministral3.modeling_ministral3.Ministral3Attention",
        ["query_temperature", "scale_yarn"],
        inputs={
            "call": scaled("yarn", 8, 100.0, **rule, trained_length=5),
            "temperature": {"beta": 0.5, "length": 5, "count_from": 0},
            "x": x[0],
            **projections(layer),
        },
        outputs={"weights": weights[0], "out": out[0]},
    )


def deepseek_layer(layer_class):
    """Scores of a layer whose softmax carries the mscale, and whose cosines do not."""
    from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3

    rule = {"factor": 40.0, "beta_fast": 4.0, "beta_slow": 0.25}
    rule |= {"mscale": 1.0, "mscale_all_dim": 1.0}
    config = transformers.DeepseekV3Config(
        hidden_size=8,
        num_attention_heads=2,
        num_key_value_heads=2,
        q_lora_rank=None,
        kv_lora_rank=4,
        qk_nope_head_dim=4,
        qk_rope_head_dim=8,
        v_head_dim=4,
        rope_theta=100.0,
        rope_scaling={
            "rope_type": "yarn",
            **rule,
            "original_max_position_embeddings": 16,
        },
        attn_implementation="eager",
    )
    layer = randomised(layer_class(config, 0))
    x, mask = text(10, 8)
    positions = torch.arange(10)[None]
    embedding = deepseek_v3.DeepseekV3RotaryEmbedding(config)(x, positions)
    still = (torch.ones_like(embedding[0]), torch.zeros_like(embedding[1]))
    with torch.no_grad(), watched(deepseek_v3) as seen:
        _, weights = layer(x, embedding, mask)
        layer(x, still, mask)
    query, key = seen[1]  # in the order of features that the layer rotates, and not yet turned
    return case(
        "DeepSeek-V3, a layer with YaRN",
        f"{layer_class.__module__}.{layer_class.__qualname__}",
        ["scale_yarn", "yarn_mscale"],
        inputs={
            "call": scaled("yarn", 8, 100.0, **rule, trained_length=16),
            "n_still": 4,
            "q": query[0],
            "k": key[0],
        },
        outputs={"weights": weights[0]},
        note="Queries and keys are what the same layer gives when cosines are 1 and sines 0.",
    )


@contextmanager
def watched(module):
    """Note down the queries and keys that reach the softmax of a module's layers."""
    attend, seen = module.eager_attention_forward, []

    def attend_and_note(layer, query, key, *args, **kwargs):
        seen.append((query.clone(), key.clone()))
        return attend(layer, query, key, *args, **kwargs)

    module.eager_attention_forward = attend_and_note
    try:
        yield seen
    finally:
        module.eager_attention_forward = attend


def randomised(layer):
    """Weights large enough that the softmax is uneven, and small enough that all keys count."""
    layer = layer.double().eval()
    with torch.no_grad():
        for weight in layer.parameters():
            weight.copy_(torch.randn_like(weight) / 2)
    return layer


def text(length, width):
    x = torch.randn(1, length, width, dtype=torch.float64)
    future = torch.full((length, length), -torch.inf, dtype=torch.float64).triu(1)
    return x, future[None, None]


def projections(layer):
    names = {"w_q": "q_proj", "w_k": "k_proj", "w_v": "v_proj", "w_o": "o_proj"}
    return {ours: getattr(layer, theirs).weight for ours, theirs in names.items()}


# As in the models' config.json: 48 numbers each.
PHI3_FACTORS = {
    "Phi-3-vision-128k, first release": {
        "short_factor": """
            1.05 1.05 1.05 1.1 1.1 1.1 1.2500000000000002 1.2500000000000002 1.4000000000000004
            1.4500000000000004 1.5500000000000005 1.8500000000000008 1.9000000000000008
            2.000000000000001 2.000000000000001 2.000000000000001 2.000000000000001
            2.000000000000001 2.000000000000001 2.000000000000001 2.000000000000001
            2.000000000000001 2.000000000000001 2.000000000000001 2.000000000000001
            2.000000000000001 2.000000000000001 2.000000000000001 2.000000000000001
            2.000000000000001 2.000000000000001 2.000000000000001 2.1000000000000005
            2.1000000000000005 2.2 2.3499999999999996 2.3499999999999996 2.3499999999999996
            2.3499999999999996 2.3999999999999995 2.3999999999999995 2.6499999999999986
            2.6999999999999984 2.8999999999999977 2.9499999999999975 3.049999999999997
            3.049999999999997 3.049999999999997
        """,
        "long_factor": """
            1.0299999713897705 1.0499999523162842 1.0499999523162842 1.0799999237060547
            1.2299998998641968 1.2299998998641968 1.2999999523162842 1.4499999284744263
            1.5999999046325684 1.6499998569488525 1.8999998569488525 2.859999895095825
            3.68999981880188 5.419999599456787 5.489999771118164 5.489999771118164
            9.09000015258789 11.579999923706055 15.65999984741211 15.769999504089355
            15.789999961853027 18.360000610351562 21.989999771118164 23.079999923706055
            30.009998321533203 32.35000228881836 32.590003967285156 35.56000518798828
            39.95000457763672 53.840003967285156 56.20000457763672 57.95000457763672
            59.29000473022461 59.77000427246094 59.920005798339844 61.190006256103516
            61.96000671386719 62.50000762939453 63.3700065612793 63.48000717163086
            63.48000717163086 63.66000747680664 63.850006103515625 64.08000946044922
            64.760009765625 64.80001068115234 64.81001281738281 64.81001281738281
        """,
    },
    "Phi-3.5-mini": {
        "short_factor": """
            1.0 1.0199999809265137 1.0299999713897705 1.0299999713897705 1.0499999523162842
            1.0499999523162842 1.0499999523162842 1.0499999523162842 1.0499999523162842
            1.0699999332427979 1.0999999046325684 1.1099998950958252 1.1599998474121094
            1.1599998474121094 1.1699998378753662 1.2899998426437378 1.339999794960022
            1.679999828338623 1.7899998426437378 1.8199998140335083 1.8499997854232788
            1.8799997568130493 1.9099997282028198 1.9399996995925903 1.9899996519088745
            2.0199997425079346 2.0199997425079346 2.0199997425079346 2.0199997425079346
            2.0199997425079346 2.0199997425079346 2.0299997329711914 2.0299997329711914
            2.0299997329711914 2.0299997329711914 2.0299997329711914 2.0299997329711914
            2.0299997329711914 2.0299997329711914 2.0299997329711914 2.0799996852874756
            2.0899996757507324 2.189999580383301 2.2199995517730713 2.5899994373321533
            2.729999542236328 2.749999523162842 2.8399994373321533
        """,
        "long_factor": """
            1.0800000429153442 1.1100000143051147 1.1399999856948853 1.340000033378601
            1.5899999141693115 1.600000023841858 1.6200000047683716 2.620000123977661
            3.2300000190734863 3.2300000190734863 4.789999961853027 7.400000095367432
            7.700000286102295 9.09000015258789 12.199999809265137 17.670000076293945
            24.46000099182129 28.57000160217285 30.420001983642578 30.840002059936523
            32.590003967285156 32.93000411987305 42.320003509521484 44.96000289916992
            50.340003967285156 50.45000457763672 57.55000305175781 57.93000411987305
            58.21000289916992 60.1400032043457 62.61000442504883 62.62000274658203
            62.71000289916992 63.1400032043457 63.1400032043457 63.77000427246094
            63.93000411987305 63.96000289916992 63.970001220703125 64.02999877929688
            64.06999969482422 64.08000183105469 64.12000274658203 64.41000366210938
            64.4800033569336 64.51000213623047 64.52999877929688 64.83999633789062
        """,
    },
}
