"""What keys alone say of a model whose type is not in the table, or not given."""

from collections.abc import Mapping
from typing import Any

NAMES = {
    "hidden_size": ["n_embd", "d_model", "dim", "model_dim"],
    "num_attention_heads": ["n_head", "n_heads", "num_heads"],
    "num_hidden_layers": ["n_layer", "n_layers", "num_layers"],
    "max_position_embeddings": ["n_positions", "n_ctx", "max_seq_len", "seq_length"],
    "head_dim": ["kv_channels", "qk_rope_head_dim"],
    "rope_theta": ["rotary_emb_base", "rope_base", "rope_embedding_base"],
}
ROTARY = (
    "rope_theta",
    "rope_scaling",
    "rope_parameters",
    "rotary_dim",
    "rotary_pct",
    "rotary_emb_base",
    "rope_base",
    "partial_rotary_factor",
    "rotary",
    "rope_embedding_base",
    "qk_rope_head_dim",
)


def row_from_keys(config: Mapping[str, Any]) -> dict[str, Any]:
    """A row for the reader, made of what is there; its layout is never known."""
    present = {key for key, value in config.items() if value is not None}
    alibi = config.get("alibi") is True or (
        isinstance(config.get("attn_config"), Mapping)
        and config["attn_config"].get("alibi") is True
    )
    if alibi:
        return {
            "kind": "alibi",
            "names": NAMES,
            "facts": {"heads": "$num_attention_heads", "bias_max": ["or", "$alibi_bias_max", 8]},
        }
    if present & {"relative_attention_num_buckets"}:
        return {
            "kind": "t5_bias",
            "names": NAMES,
            "facts": {
                "num_buckets": "$relative_attention_num_buckets",
                "max_distance": ["or", "$relative_attention_max_distance", 128],
                "heads": "$num_attention_heads",
            },
        }
    if present & set(ROTARY) or (config.get("model_type") is None and "head_dim" in present):
        return {
            "kind": "rope",
            "names": NAMES,
            "rotary_dim": "$rotary_dim",
            "partial": ["or", "$partial_rotary_factor", "$rotary_pct"],
            "layer_types": "$layer_types",
            "window": {"size": "$sliding_window"},
        }
    nested = [
        (name, [key], None)
        for key, name in (("text_config", "text"), ("language_config", "text"))
        if isinstance(config.get(key), Mapping)
    ]
    if nested:
        return {"nested": nested[:1]}
    return {"kind": "unknown", "names": NAMES, "facts": {"limit": "$max_position_embeddings"}}
