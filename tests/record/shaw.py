"""Layers with Shaw's relative position vectors: VITS, SpeechT5, Wav2Vec2-BERT, Granite Speech.

Each is one attention layer in float64 with seeded random weights, run on seeded random tokens.
`weights` are its parameters by their own names. A head is 4 wide, so that 1 / sqrt(head_dim) is
exact.
"""

import torch
from transformers import (
    GraniteSpeechEncoderConfig,
    VitsConfig,
    Wav2Vec2BertConfig,
)
from transformers.models.granite_speech.modeling_granite_speech import (
    GraniteSpeechConformerAttention,
    GraniteSpeechCTCEncoder,
)
from transformers.models.speecht5.modeling_speecht5 import (
    SpeechT5Attention,
    SpeechT5RelativePositionalEncoding,
)
from transformers.models.vits.modeling_vits import VitsAttention
from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
OURS = ["shaw_attention", "shaw_scores"]
D_MODEL, N_HEADS, BATCH = 8, 2, 2


def cases():
    for n_tokens, window in [(3, 4), (7, 2)]:
        yield vits(n_tokens, window)
    for n_tokens, max_length in [(3, 4), (7, 2)]:
        yield speecht5(n_tokens, max_length)
    for n_tokens, left, right in [(4, 6, 5), (7, 3, 1)]:
        yield wav2vec2_bert(n_tokens, left, right)
    yield granite_speech()


def seeded(layer):
    torch.manual_seed(0)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return layer.double().eval()


def tokens(n_tokens):
    torch.manual_seed(1)
    return torch.randn(BATCH, n_tokens, D_MODEL, dtype=torch.float64)


def padding(n_tokens):
    """The second sequence is one token shorter; what is added to scores, as in released code."""
    mask = torch.zeros(BATCH, 1, n_tokens, n_tokens, dtype=torch.float64)
    mask[1, :, :, -1] = torch.finfo(torch.float64).min
    return mask


@torch.no_grad()
def vits(n_tokens, window):
    config = VitsConfig(
        hidden_size=D_MODEL, num_attention_heads=N_HEADS, window_size=window, attention_dropout=0.0
    )
    layer = seeded(VitsAttention(config))
    hidden, mask = tokens(n_tokens), padding(n_tokens)
    output, weights = layer(hidden, attention_mask=mask, output_attentions=True)
    return case(
        f"VITS, {n_tokens} tokens, window {window}",
        "transformers.models.vits.modeling_vits.VitsAttention",
        OURS,
        inputs={
            "model": "vits",
            "hidden": hidden,
            "allowed": mask == 0,
            "n_heads": N_HEADS,
            "weights": layer.state_dict(),
        },
        outputs={"output": output, "attention": weights},
        note="Tables for keys and values; a distance beyond the window adds nothing.",
    )


@torch.no_grad()
def speecht5(n_tokens, max_length):
    layer = seeded(SpeechT5Attention(D_MODEL, N_HEADS))
    relative = seeded(SpeechT5RelativePositionalEncoding(D_MODEL // N_HEADS, max_length))
    hidden, mask = tokens(n_tokens), padding(n_tokens)
    output, weights = layer(
        hidden, attention_mask=mask, position_bias=relative(hidden), output_attentions=True
    )[:2]
    return case(
        f"SpeechT5, {n_tokens} tokens, {max_length} each way",
        "transformers.models.speecht5.modeling_speecht5.SpeechT5Attention",
        OURS,
        inputs={
            "model": "speecht5",
            "hidden": hidden,
            "allowed": mask == 0,
            "n_heads": N_HEADS,
            "max_length": max_length,
            "weights": layer.state_dict() | relative.state_dict(),
        },
        outputs={"output": output, "attention": weights},
        note="With the table of SpeechT5RelativePositionalEncoding, whose rows count query - key.",
    )


@torch.no_grad()
def wav2vec2_bert(n_tokens, left, right):
    config = Wav2Vec2BertConfig(
        hidden_size=D_MODEL,
        num_attention_heads=N_HEADS,
        position_embeddings_type="relative_key",
        left_max_position_embeddings=left,
        right_max_position_embeddings=right,
        attention_dropout=0.0,
        attn_implementation="eager",
    )
    layer = seeded(Wav2Vec2BertSelfAttention(config))
    hidden, mask = tokens(n_tokens), padding(n_tokens)
    output, weights = layer(hidden, attention_mask=mask)
    return case(
        f"Wav2Vec2-BERT, {n_tokens} tokens, {left} left, {right} right",
        "transformers.models.wav2vec2_bert.modeling_wav2vec2_bert.Wav2Vec2BertSelfAttention",
        OURS,
        inputs={
            "model": "wav2vec2_bert",
            "hidden": hidden,
            "allowed": mask == 0,
            "n_heads": N_HEADS,
            "left": left,
            "weights": layer.state_dict(),
        },
        outputs={"output": output, "attention": weights},
        note="Position embeddings of type relative_key.",
    )


@torch.no_grad()
def granite_speech():
    n_tokens = 4
    config = GraniteSpeechEncoderConfig(
        input_dim=D_MODEL,
        hidden_dim=D_MODEL,
        num_heads=N_HEADS,
        dim_head=D_MODEL // N_HEADS,
        context_size=n_tokens,
        max_pos_emb=5,
        num_layers=1,
        output_dim=2,
        dropout=0.0,
    )
    distances = GraniteSpeechCTCEncoder(config).attention_dists
    layer = seeded(GraniteSpeechConformerAttention(config))
    hidden = tokens(n_tokens)
    output = layer(hidden, attention_dists=distances)
    return case(
        f"Granite Speech, one block of {n_tokens} tokens",
        "transformers.models.granite_speech.modeling_granite_speech"
        ".GraniteSpeechConformerAttention",
        ["shaw_attention"],
        inputs={
            "model": "granite_speech",
            "hidden": hidden,
            "n_heads": N_HEADS,
            "layer_norm_eps": layer.pre_norm.eps,
            "weights": layer.state_dict(),
        },
        outputs={"output": output},
        note="Rows count query - key. The layer gives no attention weights.",
    )
