"""The keys of six published configs that bear on the rotation; nothing is added or rounded."""

from typing import Any

LLAMA_3: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}
GPT_OSS: dict[str, Any] = {
    "model_type": "gpt_oss",
    "hidden_size": 2880,
    "num_attention_heads": 64,
    "head_dim": 64,
    "num_hidden_layers": 24,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "sliding_window": 128,
    "max_position_embeddings": 131072,
    "rope_theta": 150000,
    "rope_scaling": {
        "rope_type": "yarn",
        "factor": 32.0,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "truncate": False,
        "original_max_position_embeddings": 4096,
    },
}
DEEPSEEK_R1: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "num_hidden_layers": 61,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "max_position_embeddings": 163840,
    "rope_theta": 10000,
    "rope_scaling": {
        "type": "yarn",
        "factor": 40,
        "beta_fast": 32,
        "beta_slow": 1,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096,
    },
}
PHI_3_SHORT = [
    1.1, 1.1, 1.1, 1.3000000000000003, 1.3500000000000003, 1.3500000000000003, 1.4000000000000004,
    1.5500000000000005, 2.000000000000001, 2.000000000000001, 2.000000000000001,
    2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001,
    2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001,
    2.000000000000001, 2.000000000000001, 2.000000000000001, 2.000000000000001,
    2.0500000000000007, 2.0500000000000007, 2.0500000000000007, 2.0500000000000007,
    2.0500000000000007, 2.0500000000000007, 2.1000000000000005, 2.1000000000000005,
    2.1500000000000004, 2.25, 2.25, 2.25, 2.25, 2.25, 2.3999999999999995, 2.4499999999999993,
    2.499999999999999, 2.6999999999999984, 2.6999999999999984, 2.7499999999999982,
    2.799999999999998, 2.8999999999999977, 3.049999999999997,
]  # fmt: skip
PHI_3_LONG = [
    1.0700000524520874, 1.1200000047683716, 1.149999976158142, 1.4199999570846558,
    1.5699999332427979, 1.7999999523162842, 2.129999876022339, 2.129999876022339,
    3.009999990463257, 5.910000324249268, 6.950000286102295, 9.070000648498535, 9.930000305175781,
    10.710000038146973, 11.130000114440918, 14.609999656677246, 15.409998893737793,
    19.809999465942383, 37.279998779296875, 38.279998779296875, 38.599998474121094,
    40.12000274658203, 46.20000457763672, 50.940006256103516, 53.66000747680664, 54.9373893737793,
    56.89738845825195, 57.28738784790039, 59.98738479614258, 60.86738586425781,
    60.887386322021484, 61.71739196777344, 62.91739273071289, 62.957393646240234,
    63.41739273071289, 63.8173942565918, 63.83739471435547, 63.897396087646484, 63.93739700317383,
    64.06739807128906, 64.11434936523438, 64.12435150146484, 64.15435028076172, 64.19435119628906,
    64.24435424804688, 64.57435607910156, 64.69000244140625, 64.76000213623047,
]  # fmt: skip
PHI_3: dict[str, Any] = {
    "model_type": "phi3",
    "hidden_size": 3072,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096,
    "sliding_window": 262144,
    "rope_theta": 10000.0,
    "rope_scaling": {
        "type": "longrope",
        "short_factor": PHI_3_SHORT,
        "long_factor": PHI_3_LONG,
    },
}
OLMO_3: dict[str, Any] = {
    "model_type": "olmo3",
    "hidden_size": 5120,
    "num_attention_heads": 40,
    "num_hidden_layers": 64,
    "layer_types": [*["sliding_attention"] * 3, "full_attention"] * 16,
    "sliding_window": 4096,
    "max_position_embeddings": 65536,
    "rope_theta": 500000,
    "rope_scaling": {
        "attention_factor": 1.2079441541679836,
        "beta_fast": 32,
        "beta_slow": 1,
        "factor": 8.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "yarn",
    },
}
GEMMA_3: dict[str, Any] = {
    "model_type": "gemma3_text",
    "head_dim": 256,
    "hidden_size": 1152,
    "num_attention_heads": 4,
    "num_hidden_layers": 26,
    "max_position_embeddings": 32768,
    "query_pre_attn_scalar": 256,
    "rope_theta": 1000000,
    "rope_local_base_freq": 10000,
    "rope_scaling": None,
    "sliding_window": 512,
    "sliding_window_pattern": 6,
}
