"""Token embeddings and tied output scores of tiny randomly initialised models of transformers, run
end to end in float64: the first hidden states, and the logits beside the last hidden states.
"""

import torch
from transformers import (
    GemmaConfig,
    GemmaForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    MarianConfig,
    MarianMTModel,
    T5Config,
    T5ForConditionalGeneration,
)
from transformers.models.gemma.modeling_gemma import GemmaTextScaledWordEmbedding

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
TOKENS = torch.tensor([[3, 0, 10, 7, 3], [1, 2, 9, 4, 6]])
VOCABULARY = 11


def drawn(model):
    """Every parameter drawn anew, in eighths, so that the record stays short."""
    generator = torch.Generator().manual_seed(0)
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randint(-8, 9, parameter.shape, generator=generator) / 8)
    return model


def name_of(model):
    return f"{type(model).__module__}.{type(model).__name__}"


@torch.no_grad()
def cases():
    yield gpt2()
    yield gemma()
    yield gemma_in_bfloat16()
    yield from marian()
    yield t5()


def gpt2():
    config = GPT2Config(vocab_size=VOCABULARY, n_positions=6, n_embd=4, n_layer=1, n_head=1)
    model = drawn(GPT2LMHeadModel(config))
    result = model(TOKENS, output_hidden_states=True)
    return case(
        "GPT-2, tied and not scaled",
        name_of(model),
        ["embed", "lookup_positions", "tied_logits"],
        inputs={
            "token_ids": TOKENS,
            "table": model.transformer.wte.weight,
            "position_table": model.transformer.wpe.weight,
            "scale": False,
        },
        outputs={
            "embedded": result.hidden_states[0],
            "hidden": result.hidden_states[-1],
            "logits": result.logits,
        },
        note="embedded holds token and position vectors",
    )


def gemma():
    config = GemmaConfig(
        vocab_size=VOCABULARY,
        hidden_size=6,
        intermediate_size=4,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        head_dim=4,
        pad_token_id=0,
    )
    model = drawn(GemmaForCausalLM(config))
    result = model(TOKENS, output_hidden_states=True)
    return case(
        "Gemma, tied and scaled",
        name_of(model),
        ["embed", "tied_logits"],
        inputs={"token_ids": TOKENS, "table": model.model.embed_tokens.weight, "scale": True},
        outputs={
            "embedded": result.hidden_states[0],
            "hidden": result.hidden_states[-1],
            "logits": result.logits,
        },
        note="the factor is a float32 tensor, rounded before it is widened to float64",
    )


def gemma_in_bfloat16():
    embedding = GemmaTextScaledWordEmbedding(2, 3072, 0, embed_scale=3072**0.5).to(torch.bfloat16)
    embedding.weight.fill_(1)
    return case(
        "Gemma's factor in bfloat16",
        "transformers.models.gemma.modeling_gemma.GemmaTextScaledWordEmbedding",
        ["embed"],
        inputs={"token_ids": [1], "d_model": 3072},
        outputs={"first_entry": embedding(torch.tensor([1]))[0, 0]},
        note="a table of ones, so that every entry is the factor",
    )


def marian():
    config = MarianConfig(
        vocab_size=VOCABULARY,
        d_model=6,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=1,
        decoder_attention_heads=1,
        encoder_ffn_dim=4,
        decoder_ffn_dim=4,
        max_position_embeddings=8,
        scale_embedding=True,
        pad_token_id=10,
        eos_token_id=0,
        decoder_start_token_id=10,
    )
    model = drawn(MarianMTModel(config))
    bias = torch.arange(VOCABULARY) / 8
    model.final_logits_bias.copy_(bias)
    encoder = model.model.encoder
    result = model(TOKENS, decoder_input_ids=TOKENS[:, :3], output_hidden_states=True)
    yield case(
        "Marian, tied and scaled",
        name_of(model),
        ["embed", "tied_logits"],
        inputs={
            "token_ids": TOKENS,
            "table": model.model.shared.weight,
            "position_table": encoder.embed_positions.weight,
            "scale": True,
            "logits_bias": bias,
        },
        outputs={
            "embedded": result.encoder_hidden_states[0],
            "hidden": result.decoder_hidden_states[-1],
            "logits": result.logits,
        },
        note="embedded holds token and position vectors; their table was drawn like the rest",
    )


def t5():
    config = T5Config(
        vocab_size=VOCABULARY,
        d_model=4,
        d_kv=2,
        d_ff=4,
        num_layers=1,
        num_heads=1,
        decoder_start_token_id=0,
    )
    model = drawn(T5ForConditionalGeneration(config))
    result = model(input_ids=TOKENS, decoder_input_ids=TOKENS[:, :3], output_hidden_states=True)
    return case(
        "T5, tied and divided by sqrt(d_model)",
        name_of(model),
        ["embed", "tied_logits"],
        inputs={"token_ids": TOKENS, "table": model.shared.weight, "scale": False},
        outputs={
            "embedded": result.encoder_hidden_states[0],
            "hidden": result.decoder_hidden_states[-1],
            "logits": result.logits,
        },
    )
