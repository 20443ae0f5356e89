"""Layers with Transformer-XL's relative attention: XLNet and Wav2Vec2-Conformer.

Each is one attention layer in float64 with seeded random weights, run on seeded random tokens;
`weights` are its parameters by their own names, and `table` the rows of distances that the model
makes (in float32, given to the layer in float64). A head is 4 wide, so that 1 / sqrt(head_dim) is
exact. The class of Transformer-XL itself is in these libraries no more.
"""

import torch
from transformers import Wav2Vec2ConformerConfig, XLNetConfig, XLNetModel
from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import (
    Wav2Vec2ConformerRelPositionalEmbedding,
    Wav2Vec2ConformerSelfAttention,
)
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
OURS = ["transformer_xl_scores", "transformer_xl_distances"]
D_MODEL, N_HEADS, BATCH = 8, 2, 2


def cases():
    yield shift()
    for attn_type in ["bi", "uni"]:
        for n_queries, n_keys in [(1, 1), (5, 5), (3, 7)]:
            yield xlnet(n_queries, n_keys, attn_type)
    for n_tokens in [1, 6]:
        yield conformer(n_tokens)


def seeded(layer):
    torch.manual_seed(0)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return layer.double().eval()


def tokens(*shape):
    torch.manual_seed(1)
    return torch.randn(*shape, D_MODEL, dtype=torch.float64)


def shift():
    n_queries, n_keys = 3, 5
    scores = torch.arange(48.0).reshape(1, 2, n_queries, n_keys + n_queries)
    return case(
        "XLNet's shift",
        "transformers.models.xlnet.modeling_xlnet.XLNetRelativeAttention.rel_shift_bnij",
        ["relative_shift"],
        inputs={"scores": scores, "n_keys": n_keys},
        outputs={"shifted": XLNetRelativeAttention.rel_shift_bnij(scores, klen=n_keys)},
        note="Its input has a first column of distance n_keys, which no key has.",
    )


@torch.no_grad()
def xlnet(n_queries, n_keys, attn_type):
    """Both ways, or the past alone with the causal mask that goes with it."""
    config = XLNetConfig(
        vocab_size=8,
        d_model=D_MODEL,
        n_layer=1,
        n_head=N_HEADS,
        d_inner=4,
        attn_type=attn_type,
        dropout=0.0,
    )
    table = XLNetModel(config).relative_positional_encoding(n_queries, n_keys, bsz=BATCH)
    table = table.double()
    layer = seeded(XLNetRelativeAttention(config))
    every = tokens(n_keys, BATCH)  # XLNet's axes: tokens, batch, features
    n_cached = n_keys - n_queries
    masked = torch.zeros(n_queries, n_keys, BATCH, 1, dtype=torch.float64)
    if attn_type == "uni":
        masked += torch.ones(n_queries, n_keys).triu(n_cached + 1)[:, :, None, None]
    masked[:, 0, 1] = 1  # the second sequence is padded at the left
    if not n_cached:
        masked[0, 0, 1] = 0  # as in the model, a token sees itself
    output, _, weights = layer(
        every[n_cached:],
        None,
        masked,
        None,
        table,
        None,
        mems=every[:n_cached],
        output_attentions=True,
    )
    return case(
        f"XLNet, {attn_type}, {n_queries} queries, {n_keys} keys",
        "transformers.models.xlnet.modeling_xlnet.XLNetRelativeAttention",
        OURS,
        inputs={
            "model": "xlnet",
            "causal": attn_type == "uni",
            "hidden": every.transpose(0, 1),
            "n_queries": n_queries,
            "allowed": masked.permute(2, 3, 0, 1) == 0,
            "n_heads": N_HEADS,
            "layer_norm_eps": config.layer_norm_eps,
            "table": table[:, 0],
            "weights": layer.state_dict(),
        },
        outputs={"output": output.transpose(0, 1), "attention": weights.permute(2, 3, 0, 1)},
        note="No segments. The first row of the table is of distance n_keys, which no key has.",
    )


@torch.no_grad()
def conformer(n_tokens):
    config = Wav2Vec2ConformerConfig(
        hidden_size=D_MODEL,
        num_attention_heads=N_HEADS,
        position_embeddings_type="relative",
        max_source_positions=9,
        attention_dropout=0.0,
        attn_implementation="eager",
    )
    hidden = tokens(BATCH, n_tokens)
    table = Wav2Vec2ConformerRelPositionalEmbedding(config)(hidden).double()
    layer = seeded(Wav2Vec2ConformerSelfAttention(config))
    mask = torch.zeros(BATCH, 1, n_tokens, n_tokens, dtype=torch.float64)
    if n_tokens > 1:
        mask[1, :, :, -1] = torch.finfo(torch.float64).min
    output, weights = layer(hidden, attention_mask=mask, relative_position_embeddings=table)
    return case(
        f"Wav2Vec2-Conformer, {n_tokens} tokens",
        "transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer"
        ".Wav2Vec2ConformerSelfAttention",
        OURS,
        inputs={
            "model": "wav2vec2_conformer",
            "causal": False,
            "hidden": hidden,
            "n_queries": n_tokens,
            "allowed": mask == 0,
            "n_heads": N_HEADS,
            "table": table[0],
            "weights": layer.state_dict(),
        },
        outputs={"output": output, "attention": weights},
        note="Position embeddings of type relative.",
    )
