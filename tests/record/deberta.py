"""Layers with disentangled attention, DeBERTa version 1 and 2, and the buckets of version 2.

Each is one attention layer in float64 with seeded random weights, run on seeded random tokens;
`weights` are its parameters by their own names, `positions` the table of distances. Released code
takes the root of (number of terms times head width) in float32; the widths here make it a whole
number, so that nothing is lost.
"""

import torch
from transformers import DebertaConfig, DebertaV2Config
from transformers.models.deberta import modeling_deberta as v1
from transformers.models.deberta_v2 import modeling_deberta_v2 as v2

from tests.record.form import case

LIBRARIES = ["torch", "transformers"]
N_HEADS, BATCH = 2, 2


def cases():
    for n_buckets, max_distance in [(256, 512), (32, 128), (18, 65), (8, 33), (7, 20), (2, 9)]:
        relative = torch.arange(-600, 601) if n_buckets > 18 else torch.arange(-70, 71)
        yield case(
            f"{n_buckets} buckets to {max_distance}",
            "transformers.models.deberta_v2.modeling_deberta_v2.make_log_bucket_position",
            ["deberta_buckets"],
            inputs={
                "first": relative[0],
                "n_buckets": n_buckets,
                "max_distance": max_distance,
            },
            outputs={
                "buckets": v2.make_log_bucket_position(relative, n_buckets, max_distance).long()
            },
            note="Of the whole numbers from `first` to -`first`.",
        )
    both = ["c2p", "p2c"]
    for n_tokens, span in [(1, 4), (4, 6), (7, 3)]:
        yield deberta(n_tokens, span, both)
    yield deberta(6, 3, ["c2p"])
    yield deberta(6, 3, ["p2c"])
    yield deberta_v2(6, 3, both)
    yield deberta_v2(10, 4, both, max_distance=8)
    yield deberta_v2(10, 4, both, max_distance=8, share=True)
    yield deberta_v2(10, 4, ["c2p"], max_distance=8)
    yield deberta_v2(10, 4, ["p2c"], max_distance=8)


def seeded(layer):
    torch.manual_seed(0)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return layer.double().eval()


def width(terms):
    """Of the model: heads of 3 with both terms (root of 9), of 2 with one (root of 4)."""
    return N_HEADS * (3 if len(terms) == 2 else 2)


def tokens(n, d_model):
    torch.manual_seed(1)
    return torch.randn(BATCH, n, d_model, dtype=torch.float64)


def positions(n, d_model):
    torch.manual_seed(2)
    return torch.randn(n, d_model, dtype=torch.float64)


def allowed(n_tokens):
    """The second sequence is one token shorter, and no query but its own sees padding."""
    mask = torch.ones(BATCH, 1, n_tokens, n_tokens, dtype=torch.bool)
    if n_tokens > 1:
        mask[1, :, :, -1] = False
    return mask


@torch.no_grad()
def deberta(n_tokens, span, terms):
    d_model = width(terms)
    config = DebertaConfig(
        hidden_size=d_model,
        num_attention_heads=N_HEADS,
        relative_attention=True,
        max_relative_positions=span,
        pos_att_type=terms,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    layer = seeded(v1.DisentangledSelfAttention(config))
    hidden, table, mask = tokens(n_tokens, d_model), positions(2 * span, d_model), allowed(n_tokens)
    output, weights = layer(
        hidden,
        mask,
        output_attentions=True,
        relative_pos=v1.build_relative_position(hidden, hidden),
        rel_embeddings=table,
    )
    return case(
        f"DeBERTa, {' and '.join(terms)}, {n_tokens} tokens, span {span}",
        "transformers.models.deberta.modeling_deberta.DisentangledSelfAttention",
        ["deberta_scores"],
        inputs={
            "model": "deberta",
            "terms": terms,
            "hidden": hidden,
            "positions": table,
            "max_distance": None,
            "allowed": mask,
            "n_heads": N_HEADS,
            "weights": layer.state_dict(),
        },
        outputs={"output": output, "attention": weights},
    )


@torch.no_grad()
def deberta_v2(n_tokens, span, terms, *, max_distance=None, share=False):
    d_model = width(terms)
    config = DebertaV2Config(
        hidden_size=d_model,
        num_attention_heads=N_HEADS,
        relative_attention=True,
        max_relative_positions=span if max_distance is None else max_distance,
        position_buckets=-1 if max_distance is None else span,
        share_att_key=share,
        pos_att_type=terms,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    layer = seeded(v2.DisentangledSelfAttention(config))
    hidden, table, mask = tokens(n_tokens, d_model), positions(2 * span, d_model), allowed(n_tokens)
    output, weights = layer(hidden, mask, output_attentions=True, rel_embeddings=table)
    buckets = "no buckets" if max_distance is None else f"buckets to {max_distance}"
    return case(
        f"DeBERTa-v2, {' and '.join(terms)}, {n_tokens} tokens, span {span}, {buckets}"
        + (", shared projections" if share else ""),
        "transformers.models.deberta_v2.modeling_deberta_v2.DisentangledSelfAttention",
        ["deberta_scores"],
        inputs={
            "model": "deberta_v2",
            "terms": terms,
            "hidden": hidden,
            "positions": table,
            "max_distance": max_distance,
            "allowed": mask,
            "n_heads": N_HEADS,
            "share": share,
            "weights": layer.state_dict(),
        },
        outputs={"output": output, "attention": weights},
    )
