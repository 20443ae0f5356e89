"""Sinusoidal tables of released classes, in float32, and one whole encoder that adds its table.

Left out: tables of odd width, which sinusoidal_table refuses.
"""

from types import SimpleNamespace

import torch
from positional_encodings.torch_encodings import PositionalEncoding1D
from transformers import MarianConfig, XLNetConfig, XLNetModel
from transformers.models.canary import modeling_canary as canary
from transformers.models.fsmt import modeling_fsmt as fsmt
from transformers.models.m2m_100 import modeling_m2m_100 as m2m_100
from transformers.models.marian import modeling_marian as marian
from transformers.models.musicgen import modeling_musicgen as musicgen
from transformers.models.pegasus import modeling_pegasus as pegasus
from transformers.models.pegasus_x import modeling_pegasus_x as pegasus_x
from transformers.models.roformer import modeling_roformer as roformer
from transformers.models.speech_to_text import modeling_speech_to_text as speech_to_text
from transformers.models.timesfm import modeling_timesfm as timesfm
from transformers.models.wav2vec2_conformer import modeling_wav2vec2_conformer as conformer
from transformers.models.whisper import modeling_whisper as whisper
from x_transformers.x_transformers import ScaledSinusoidalEmbedding

from tests.record.form import case

LIBRARIES = ["positional-encodings", "torch", "transformers", "x-transformers"]

N, D = 12, 16
CONCATENATED = {"layout": "concatenated"}
TENSOR2TENSOR = {"layout": "concatenated", "exponent": "tensor2tensor"}
COS_FIRST = {"layout": "concatenated", "exponent": "tensor2tensor", "order": "cos_sin"}
FAIRSEQ = "row 1 belongs to padding and is zero"


def table(source, convention, rows, *, positions=range(N), note=""):
    """The rows that a class made, and the convention that gives them."""
    inputs = {"positions": list(positions), "convention": convention}
    return case(
        source.removeprefix("transformers.models.").removeprefix("positional_encodings."),
        source,
        ["sinusoidal_table", "sinusoidal_at"],
        inputs=inputs,
        outputs={"table": rows},
        note=note,
    )


def cases():
    for module, name in [
        (marian, "MarianSinusoidalPositionalEmbedding"),
        (pegasus, "PegasusSinusoidalPositionalEmbedding"),
        (roformer, "RoFormerSinusoidalPositionalEmbedding"),
    ]:
        rows = getattr(module, name)(N, D).create_weight()
        yield table(f"{module.__name__}.{name}", CONCATENATED, rows)

    rows = m2m_100.M2M100SinusoidalPositionalEmbedding(N, D, padding_idx=1).weights
    source = f"{m2m_100.__name__}.M2M100SinusoidalPositionalEmbedding"
    yield table(source, TENSOR2TENSOR, rows, positions=range(N + 2), note=FAIRSEQ)
    rows = speech_to_text.Speech2TextSinusoidalPositionalEmbedding(N, D, padding_idx=1).weights
    source = f"{speech_to_text.__name__}.Speech2TextSinusoidalPositionalEmbedding"
    yield table(source, TENSOR2TENSOR, rows, positions=range(N + 2), note=FAIRSEQ)
    rows = fsmt.SinusoidalPositionalEmbedding(N, D, padding_idx=1).get_embedding(N, D, 1)
    source = f"{fsmt.__name__}.SinusoidalPositionalEmbedding"
    yield table(source, TENSOR2TENSOR, rows, note=FAIRSEQ)

    rows = musicgen.MusicgenSinusoidalPositionalEmbedding.get_embedding(N, D)
    yield table(f"{musicgen.__name__}.MusicgenSinusoidalPositionalEmbedding", COS_FIRST, rows)
    yield table(f"{whisper.__name__}.sinusoids", TENSOR2TENSOR, whisper.sinusoids(N, D))
    rows = pegasus_x.PegasusXSinusoidalPositionalEmbedding(D)(torch.zeros(1, N, D))[0]
    yield table(
        f"{pegasus_x.__name__}.PegasusXSinusoidalPositionalEmbedding",
        TENSOR2TENSOR,
        rows,
    )
    config = SimpleNamespace(min_timescale=1, max_timescale=10000, hidden_size=D)
    rows = timesfm.TimesFmPositionalEmbedding(config)(seq_length=N)[0]
    yield table(f"{timesfm.__name__}.TimesFmPositionalEmbedding", TENSOR2TENSOR, rows)

    config = SimpleNamespace(max_source_positions=N, hidden_size=D)
    rows = conformer.Wav2Vec2ConformerRelPositionalEmbedding(config)(torch.zeros(1, N, D))[0]
    source = f"{conformer.__name__}.Wav2Vec2ConformerRelPositionalEmbedding"
    yield table(source, {}, rows, positions=range(N - 1, -N, -1))
    config = XLNetConfig(vocab_size=8, d_model=D, n_layer=1, n_head=2, d_inner=8)
    rows = XLNetModel(config).relative_positional_encoding(3, 4)[:, 0]
    source = f"{XLNetModel.__module__}.XLNetModel.relative_positional_encoding"
    yield table(source, CONCATENATED, rows, positions=range(4, -3, -1))

    rows = canary.CanaryPositionalEmbedding(N, D)(torch.arange(N))
    source = f"{canary.__name__}.CanaryPositionalEmbedding"
    yield table(
        source,
        CONCATENATED,
        rows * D**0.5,
        note="recorded times sqrt(d_model), by which the class divides",
    )
    rows = PositionalEncoding1D(D)(torch.zeros(1, N, D))[0]
    yield table("positional_encodings.torch_encodings.PositionalEncoding1D", {}, rows)
    embedding = ScaledSinusoidalEmbedding(D)
    rows = embedding(torch.zeros(1, N, D)).reshape(N, D) / embedding.scale
    source = "x_transformers.x_transformers.ScaledSinusoidalEmbedding"
    yield table(source, CONCATENATED, rows, note="recorded divided by its learned scale")

    torch.manual_seed(0)
    config = MarianConfig(
        vocab_size=11, d_model=D, encoder_layers=0, decoder_layers=0, encoder_attention_heads=2,
        decoder_attention_heads=2, max_position_embeddings=N, scale_embedding=True,
        pad_token_id=10, decoder_start_token_id=10, eos_token_id=0, forced_eos_token_id=None,
    )  # fmt: skip
    encoder = marian.MarianEncoder(config).eval()
    token_ids = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])
    yield case(
        "a Marian encoder without layers: embeddings, scaled, plus the table",
        f"{marian.__name__}.MarianEncoder",
        ["sinusoidal_table", "embed"],
        inputs={"token_ids": token_ids, "table": encoder.embed_tokens.weight},
        outputs={"hidden": encoder(input_ids=token_ids).last_hidden_state},
    )
