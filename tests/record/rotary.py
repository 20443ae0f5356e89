"""Rotary positions as released classes compute them, and attention layers end to end.

Layers are tiny, with random weights. They run in float64 where the class lets them, with
scaled_dot_product_attention, since the eager forms make their softmax in float32. Cosines and sines
of transformers come from float32 angles in any case; they are recorded, so that what a layer does
with them can be compared to the last digits.
"""

import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import (
    CohereConfig,
    DeepseekV3Config,
    DeepseekV4Config,
    GlmConfig,
    GPTJConfig,
    GPTNeoXConfig,
    LlamaConfig,
    NanoChatConfig,
)
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
from transformers.models.deepseek_v4 import modeling_deepseek_v4 as deepseek_v4
from transformers.models.glm import modeling_glm as glm
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.nanochat import modeling_nanochat as nanochat

from tests.record.form import case

LIBRARIES = ["torch", "transformers", "rotary-embedding-torch"]

APPLY = ["apply_rotary", "rotary_scores"]
SPOTS = [0, 1, 2, 17, 999, 4095, 65_537, 131_071]


def normal(*shape, dtype=torch.float64):
    """Random numbers of few digits, which keep the file small."""
    return (torch.randn(*shape, dtype=torch.float64) * 100).round().div(100).to(dtype)


def seeded(layer, seed):
    """Weights of a size that lets positions matter."""
    torch.manual_seed(seed)
    layer = layer.double().eval()
    for parameter in layer.parameters():
        parameter.data = normal(*parameter.shape) / 2
    return layer


def run_of(config, embedding, n_tokens=6, start=3, **options):
    """Hidden states, and the cosines and sines that the model would hand to its layers."""
    x = normal(1, n_tokens, config.hidden_size)
    positions = torch.arange(start, start + n_tokens)[None]
    return x, positions, embedding(x, positions, **options)


def halves(cos, sin):
    """One entry a pair: released tables hold each twice."""
    n_pairs = cos.shape[-1] // 2
    assert torch.equal(cos[..., :n_pairs], cos[..., n_pairs:])
    return {"cos": cos[0, :, :n_pairs].float(), "sin": sin[0, :, :n_pairs].float()}


def tables():
    configs = {
        "default": {"rope_type": "default", "rope_theta": 500000.0},
        "yarn": {
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": 32.0,
            "original_max_position_embeddings": 4096,
        },
    }
    for name, rope in configs.items():
        config = LlamaConfig(
            hidden_size=32,
            num_attention_heads=2,
            max_position_embeddings=131072,
            rope_parameters=rope,
        )
        embedding = llama.LlamaRotaryEmbedding(config)
        positions = torch.tensor([SPOTS])
        cos, sin = embedding(torch.zeros(1), positions)
        yield case(
            f"llama tables {name}",
            "transformers.models.llama.modeling_llama.LlamaRotaryEmbedding",
            ["rotary_cos_sin"] + (["rotary_inv_freq"] if name == "default" else []),
            inputs={
                "positions": positions[0],
                "rotary_dim": 16,
                "base": rope["rope_theta"],
                "inv_freq": embedding.inv_freq,
                "attention_factor": embedding.attention_scaling,
            },
            outputs=halves(cos, sin),
            note="float32 angles",
        )


def llama_layer():
    config = LlamaConfig(
        hidden_size=16,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        attn_implementation="sdpa",
    )
    layer = seeded(llama.LlamaAttention(config, 0), 1)
    x, positions, (cos, sin) = run_of(config, llama.LlamaRotaryEmbedding(config))
    output, _ = layer(x, (cos, sin), None)
    yield case(
        "llama attention",
        "transformers.models.llama.modeling_llama.LlamaAttention",
        [*APPLY, "convert_rotary_weights", "rotary_cos_sin"],
        inputs={
            "layout": "half",
            "x": x[0],
            "positions": positions[0],
            "inv_freq": llama.LlamaRotaryEmbedding(config).inv_freq,
            **halves(cos, sin),
            "q": layer.q_proj.weight,
            "k": layer.k_proj.weight,
            "v": layer.v_proj.weight,
            "o": layer.o_proj.weight,
            "n_heads": 4,
            "n_kv_heads": 2,
        },
        outputs={"output": output[0]},
        note="causal; two query heads a key head",
    )


def gpt_neox_layer():
    config = GPTNeoXConfig(
        hidden_size=16,
        num_attention_heads=2,
        attn_implementation="sdpa",
        rope_parameters={
            "rope_type": "default",
            "rope_theta": 10000.0,
            "partial_rotary_factor": 0.5,
        },
    )
    layer = seeded(gpt_neox.GPTNeoXAttention(config, 0), 2)
    embedding = gpt_neox.GPTNeoXRotaryEmbedding(config)
    x, positions, (cos, sin) = run_of(config, embedding)
    output, _ = layer(x, None, position_embeddings=(cos, sin))
    heads = layer.query_key_value.weight.reshape(2, 3, 8, 16)  # of each head: q, k, v
    biases = layer.query_key_value.bias.reshape(2, 3, 8)
    weights = {name: heads[:, i].reshape(16, 16) for i, name in enumerate(["q", "k", "v"])} | {
        f"{name}_bias": biases[:, i].reshape(16) for i, name in enumerate(["q", "k", "v"])
    }
    yield case(
        "gpt_neox attention",
        "transformers.models.gpt_neox.modeling_gpt_neox.GPTNeoXAttention",
        [*APPLY, "convert_rotary_weights", "rotary_cos_sin"],
        inputs={
            "layout": "half",
            "x": x[0],
            "positions": positions[0],
            "inv_freq": embedding.inv_freq,
            **halves(cos, sin),
            **weights,
            "o": layer.dense.weight,
            "o_bias": layer.dense.bias,
            "n_heads": 2,
            "n_kv_heads": 2,
        },
        outputs={"output": output[0]},
        note="causal; the first 4 of 8 features turn",
    )


def gptj_layer():
    config = GPTJConfig(
        n_embd=16,
        n_head=2,
        rotary_dim=4,
        n_positions=32,
        rope_theta=500000.0,
        attn_implementation="sdpa",
    )
    layer = seeded(gptj.GPTJAttention(config, 0), 3)
    torch.manual_seed(13)
    embedding = gptj.GPTJRotaryEmbedding(config)
    x = normal(1, 6, 16)
    positions = torch.arange(3, 9)[None]
    sin, cos = embedding(x, positions)
    result = layer(x, position_embeddings=(sin, cos))
    output = result[0]
    yield case(
        "gptj attention",
        "transformers.models.gptj.modeling_gptj.GPTJAttention",
        [*APPLY, "convert_rotary_weights", "rotary_cos_sin"],
        inputs={
            "layout": "interleaved",
            "x": x[0],
            "positions": positions[0],
            "inv_freq": [1.0, 0.01],
            "cos": cos[0].float(),
            "sin": sin[0].float(),
            "q": layer.q_proj.weight,
            "k": layer.k_proj.weight,
            "v": layer.v_proj.weight,
            "o": layer.out_proj.weight,
            "n_heads": 2,
            "n_kv_heads": 2,
        },
        outputs={"output": output[0]},
        note="causal; the first 4 of 8 features turn; base 10000 whatever the configuration says",
    )


def cohere_layer():
    config = CohereConfig(
        hidden_size=16,
        num_attention_heads=2,
        num_key_value_heads=1,
        use_qk_norm=False,
        attn_implementation="sdpa",
    )
    layer = seeded(cohere.CohereAttention(config, 0), 4)
    embedding = cohere.CohereRotaryEmbedding(config)
    x, positions, (cos, sin) = run_of(config, embedding)
    output, _ = layer(x, (cos, sin), None)
    assert torch.equal(cos[..., 0::2], cos[..., 1::2])
    yield case(
        "cohere attention",
        "transformers.models.cohere.modeling_cohere.CohereAttention",
        [*APPLY, "convert_rotary_weights", "rotary_cos_sin"],
        inputs={
            "layout": "interleaved",
            "x": x[0],
            "positions": positions[0],
            "inv_freq": embedding.inv_freq,
            "cos": cos[0, :, 0::2].float(),
            "sin": sin[0, :, 0::2].float(),
            "q": layer.q_proj.weight,
            "k": layer.k_proj.weight,
            "v": layer.v_proj.weight,
            "o": layer.o_proj.weight,
            "n_heads": 2,
            "n_kv_heads": 1,
            "tolerance": 2e-6,
        },
        outputs={"output": output[0]},
        note="causal; queries and keys are turned in float32, whatever the layer runs in",
    )


def glm_layer():
    config = GlmConfig(
        hidden_size=16,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=8,
        attention_bias=False,
        attn_implementation="sdpa",
    )
    layer = seeded(glm.GlmAttention(config, 0), 5)
    embedding = glm.GlmRotaryEmbedding(config)
    x, positions, (cos, sin) = run_of(config, embedding)
    output, _ = layer(x, (cos, sin), None)
    yield case(
        "glm attention",
        "transformers.models.glm.modeling_glm.GlmAttention",
        [*APPLY, "convert_rotary_weights", "rotary_cos_sin"],
        inputs={
            "layout": "interleaved",
            "x": x[0],
            "positions": positions[0],
            "inv_freq": embedding.inv_freq,
            **halves(cos, sin),
            "q": layer.q_proj.weight,
            "k": layer.k_proj.weight,
            "v": layer.v_proj.weight,
            "o": layer.o_proj.weight,
            "n_heads": 2,
            "n_kv_heads": 2,
        },
        outputs={"output": output[0]},
        note="causal; the first 4 of 8 features turn",
    )


def deepseek_v3_layers():
    for interleave in (True, False):
        config = DeepseekV3Config(
            hidden_size=12,
            num_attention_heads=2,
            num_key_value_heads=2,
            q_lora_rank=None,
            kv_lora_rank=6,
            qk_nope_head_dim=3,
            qk_rope_head_dim=4,
            v_head_dim=5,
            rope_interleave=interleave,
            attn_implementation="sdpa",
        )
        layer = seeded(deepseek_v3.DeepseekV3Attention(config, 0), 6)
        embedding = deepseek_v3.DeepseekV3RotaryEmbedding(config)
        x, positions, (cos, sin) = run_of(config, embedding)
        output, _ = layer(x, (cos, sin), None)
        yield case(
            f"deepseek_v3 attention, rope_interleave {interleave}".lower(),
            "transformers.models.deepseek_v3.modeling_deepseek_v3.DeepseekV3Attention",
            ["decoupled_rotary", "rotary_cos_sin"],
            inputs={
                "layout": "interleaved_to_half" if interleave else "half",
                "x": x[0],
                "positions": positions[0],
                "inv_freq": embedding.inv_freq,
                **halves(cos, sin),
                "q": layer.q_proj.weight,
                "kv_a": layer.kv_a_proj_with_mqa.weight,
                "norm": layer.kv_a_layernorm.weight,
                "epsilon": layer.kv_a_layernorm.variance_epsilon,
                "kv_b": layer.kv_b_proj.weight,
                "o": layer.o_proj.weight,
                "n_heads": 2,
                "content_dim": 3,
                "rope_dim": 4,
                "latent_dim": 6,
                "scale": layer.scaling,
            },
            outputs={"output": output[0]},
            note="causal; the norm of the latent vector works in float32",
        )
        q, k = normal(1, 2, 6, 4), normal(1, 1, 6, 4)
        function = "apply_rotary_pos_emb_interleave" if interleave else "apply_rotary_pos_emb"
        turned = getattr(deepseek_v3, function)(q, k, cos, sin)
        yield case(
            f"deepseek_v3 queries and keys, rope_interleave {interleave}".lower(),
            f"transformers.models.deepseek_v3.modeling_deepseek_v3.{function}",
            ["apply_rotary", "undo_rotary"],
            inputs={
                "layout": "interleaved_to_half" if interleave else "half",
                "where": "leading",
                **halves(cos, sin),
                "x": [q[0, 0], q[0, 1], k[0, 0]],
            },
            outputs={"turned": [turned[0][0, 0], turned[0][0, 1], turned[1][0, 0]]},
        )


def deepseek_v4_heads():
    config = DeepseekV4Config(
        hidden_size=16, num_attention_heads=2, head_dim=8, partial_rotary_factor=0.5
    )
    torch.manual_seed(7)
    cos, sin = deepseek_v4.DeepseekV4RotaryEmbedding(config)(
        torch.zeros(1), torch.arange(40, 46)[None], layer_type="main"
    )
    x = normal(1, 2, 6, 8, dtype=torch.float32)
    turned = deepseek_v4.apply_rotary_pos_emb(x, cos, sin)
    back = deepseek_v4.apply_rotary_pos_emb(turned, cos, -sin)
    yield case(
        "deepseek_v4 queries",
        "transformers.models.deepseek_v4.modeling_deepseek_v4.apply_rotary_pos_emb",
        ["apply_rotary", "undo_rotary"],
        inputs={
            "layout": "interleaved",
            "where": "trailing",
            "cos": cos[0],
            "sin": sin[0],
            "x": x[0],
            "tolerance": 1e-6,
        },
        outputs={"turned": turned[0], "back": back[0]},
        note="float32; the last 4 of 8 features turn, and the output of attention turns back",
    )


def nanochat_heads():
    config = NanoChatConfig(hidden_size=16, num_attention_heads=2, num_key_value_heads=2)
    torch.manual_seed(8)
    embedding = nanochat.NanoChatRotaryEmbedding(config)
    _, _, (cos, sin) = run_of(config, embedding)
    x = normal(1, 2, 6, 8)
    turned, _ = nanochat.apply_rotary_pos_emb(x, x, cos, sin)
    yield case(
        "nanochat queries",
        "transformers.models.nanochat.modeling_nanochat.apply_rotary_pos_emb",
        ["undo_rotary"],
        inputs={"layout": "half", "where": "leading", **halves(cos, sin), "x": turned[0]},
        outputs={"turned": x[0]},
        note="turns the other way round, so its result undone the other way round is turned",
    )


def rotary_embedding_torch_heads():
    torch.manual_seed(9)
    embedding = RotaryEmbedding(4, cache_if_possible=False).double()
    q = normal(1, 2, 6, 6)
    turned = embedding.rotate_queries_or_keys(q, offset=5)
    yield case(
        "rotary-embedding-torch queries",
        "rotary_embedding_torch.RotaryEmbedding.rotate_queries_or_keys",
        ["apply_rotary", "undo_rotary", "rotary_cos_sin"],
        inputs={
            "layout": "interleaved",
            "where": "leading",
            "positions": torch.arange(5, 11),
            "inv_freq": embedding.freqs,
            "x": q[0],
        },
        outputs={"turned": turned[0]},
        note="float64 angles of float32 frequencies; the first 4 of 6 features turn",
    )

    previous = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # so that the class makes its scales in float64
    for length in (6, 7):
        embedding = RotaryEmbedding(4, use_xpos=True, cache_if_possible=False).double()
        q, k = normal(1, 2, length, 4), normal(1, 2, length, 4)
        turned_q, turned_k = embedding.rotate_queries_and_keys(q, k)
        yield case(
            f"xpos, {length} tokens",
            "rotary_embedding_torch.RotaryEmbedding.rotate_queries_and_keys",
            ["xpos_scales"],
            inputs={"q": q[0], "k": k[0], "inv_freq": embedding.freqs},
            outputs={
                "q": turned_q[0],
                "k": turned_k[0],
                "scores": turned_q[0] @ turned_k[0].transpose(-1, -2),
            },
            note="positions of the scales are counted from the middle, length // 2",
        )
    torch.set_default_dtype(previous)


def cases():
    """All of them; a seed is set for each."""
    with torch.no_grad():
        torch.manual_seed(0)
        yield from tables()
        yield from llama_layer()
        yield from gpt_neox_layer()
        yield from gptj_layer()
        yield from cohere_layer()
        yield from glm_layer()
        yield from deepseek_v3_layers()
        yield from deepseek_v4_heads()
        yield from nanochat_heads()
        yield from rotary_embedding_torch_heads()
