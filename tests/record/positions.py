"""Position rows that released embedding classes of transformers read for padded rows of tokens, run
end to end in float64 with tables of random numbers; and learned tables of rows and columns.
"""

import torch
from transformers import Florence2Config, GPT2Config, GPT2LMHeadModel, RobertaConfig
from transformers.models.bart.modeling_bart import BartLearnedPositionalEmbedding
from transformers.models.biogpt.modeling_biogpt import BioGptLearnedPositionalEmbedding
from transformers.models.detr.modeling_detr import DetrLearnedPositionEmbedding
from transformers.models.florence2.modeling_florence2 import (
    Florence2VisionLearnedAbsolutePositionEmbedding2D,
)
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
MASK = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [0, 1, 1, 0, 0]])
PADDED = {1: [[0, 13, 4, 2, 1, 1], [1, 1, 0, 5, 12, 2], [0, 5, 12, 4, 9, 2], [1, 1, 1, 1, 1, 1]]}
PADDED[0] = [[7, 13, 4, 2, 0, 0], [0, 0, 7, 5, 12, 2]]
PADDED[5] = [[7, 13, 5, 2, 5, 5], [5, 5, 7, 1, 12, 2]]


def drawn(module):
    generator = torch.Generator().manual_seed(0)
    module = module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randint(-99, 100, parameter.shape, generator=generator) / 8)
    return module


def name_of(module):
    return f"{type(module).__module__}.{type(module).__name__}"


@torch.no_grad()
def cases():
    yield from masked()
    yield bart()
    yield from roberta()
    yield from m2m_100()
    yield left_padding_of_a_model()
    yield from rows_and_columns()


def masked():
    for cls in (OPTLearnedPositionalEmbedding, BioGptLearnedPositionalEmbedding):
        module = drawn(cls(6, 2))
        yield case(
            cls.__name__,
            name_of(module),
            ["opt_positions", "lookup_positions"],
            inputs={"mask": MASK, "table": module.weight},
            outputs={"vectors": module(MASK), "decoded": module(MASK, cache_length=4)},
            note="decoded: the last token, with four in the cache",
        )


def bart():
    module = drawn(BartLearnedPositionalEmbedding(6, 2))
    return case(
        "BartLearnedPositionalEmbedding",
        name_of(module),
        ["lookup_positions"],
        inputs={"mask": MASK, "table": module.weight},
        outputs={"vectors": module(MASK), "decoded": module(MASK[:, 4:], cache_length=4)},
        note="the class takes no notice of padding",
    )


def roberta():
    for padding_idx, tokens in PADDED.items():
        config = RobertaConfig(
            vocab_size=14,
            hidden_size=3,
            num_attention_heads=1,
            max_position_embeddings=6 + padding_idx + 1,
            type_vocab_size=1,
            pad_token_id=padding_idx,
        )
        module = drawn(RobertaEmbeddings(config))
        yield case(
            f"RobertaEmbeddings, padding {padding_idx}",
            name_of(module),
            ["offset_positions", "lookup_positions", "embed"],
            inputs={
                "token_ids": tokens,
                "padding_idx": padding_idx,
                "table": module.position_embeddings.weight,
                "token_table": module.word_embeddings.weight,
                "type_row": module.token_type_embeddings.weight[0],
                "norm_weight": module.LayerNorm.weight,
                "norm_bias": module.LayerNorm.bias,
                "norm_eps": config.layer_norm_eps,
            },
            outputs={
                "position_ids": module.create_position_ids_from_input_ids(
                    torch.tensor(tokens), padding_idx
                ),
                "embedded": module(torch.tensor(tokens)),
            },
            note="embedded: the layer norm of token, type and position vectors",
        )


def m2m_100():
    for padding_idx, tokens in PADDED.items():
        module = M2M100SinusoidalPositionalEmbedding(6, 8, padding_idx)
        module.weights = torch.nn.Buffer(module.weights.double(), persistent=False)
        yield case(
            f"M2M100SinusoidalPositionalEmbedding, padding {padding_idx}",
            name_of(module),
            ["offset_positions", "sinusoidal_table"],
            inputs={"token_ids": tokens, "padding_idx": padding_idx, "d_model": 8},
            outputs={"vectors": module(torch.tensor(tokens))},
            note="the class makes its table in float32 and sets the row of padding to zero",
        )


def left_padding_of_a_model():
    config = GPT2Config(
        vocab_size=11, n_positions=9, n_embd=4, n_layer=1, n_head=1, eos_token_id=10, pad_token_id=9
    )
    model = drawn(GPT2LMHeadModel(config))
    mask = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 1]])
    tokens = torch.tensor([[9, 9, 3, 1, 4], [2, 6, 5, 0, 1], [9, 8, 3, 2, 1]])
    read = []
    model.transformer.wpe.register_forward_hook(lambda _, ids, rows: read.append((*ids, rows)))
    model.generate(tokens, attention_mask=mask, do_sample=False, min_new_tokens=3, max_new_tokens=3)
    (prompt, vectors), *steps = read
    return case(
        "positions that generate() gives to GPT-2",
        f"{name_of(model)}.generate",
        ["positions_from_mask", "next_positions", "lookup_positions"],
        inputs={"mask": mask, "table": model.transformer.wpe.weight},
        outputs={
            "positions": prompt,
            "vectors": vectors,
            "decoded": [step.flatten() for step, _ in steps],
        },
        note="taken from the position embedding as it ran; padding reads a row that is never used",
    )


def rows_and_columns():
    module = drawn(DetrLearnedPositionEmbedding(2))
    for shape in ((2, 3), (1, 1), (3, 2)):
        yield case(
            f"DetrLearnedPositionEmbedding {shape[0]} x {shape[1]}",
            name_of(module),
            ["row_column_table"],
            inputs={
                "row_table": module.row_embeddings.weight[:5],
                "column_table": module.column_embeddings.weight[:5],
                "size": shape,
            },
            outputs={
                "vectors": module(torch.Size((1, 4, *shape)), "cpu", torch.float64)[0].flatten(1).T
            },
            note="the first 5 of 50 rows of each table",
        )
    config = Florence2Config()
    config.vision_config.max_position_embeddings = 4
    config.vision_config.embed_dim = [5]
    module = drawn(Florence2VisionLearnedAbsolutePositionEmbedding2D(config))
    yield case(
        "Florence2VisionLearnedAbsolutePositionEmbedding2D",
        name_of(module),
        ["row_column_table"],
        inputs={
            "row_table": module.row_embeddings.weight,
            "column_table": module.column_embeddings.weight,
            "size": (4, 3),
        },
        outputs={"vectors": module(torch.zeros(1, 5, 4, 3))[0].flatten(1).T},
        note="an odd width: the column has one feature more",
    )
