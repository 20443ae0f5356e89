"""Reference token embeddings and positional encodings in NumPy.

One short function for each thing a scheme produces, grouped here by where the
position enters a transformer: as a table added to the token vectors, as a
rotation of queries and keys, as a bias on the scores, or as a term of the
scores that reads queries and keys. Numbers in, arrays out: no state, no cache.
"""

from posenc_ref.alibi import alibi_bias, alibi_bias_at, alibi_slopes
from posenc_ref.attention import attention, attention_weights, causal_mask, segment_mask
from posenc_ref.axial import axial_rotary, centred_grid_positions
from posenc_ref.config import read_config
from posenc_ref.conformance import check, vectors
from posenc_ref.content import cope_bias, forgetting_bias
from posenc_ref.deberta import deberta_buckets, deberta_scores
from posenc_ref.decomposed import decomposed_bias
from posenc_ref.embedding import embed, tied_logits
from posenc_ref.explain import explain
from posenc_ref.expressions import ConfigError
from posenc_ref.fourier import (
    fourier_features,
    gaussian_fourier_features,
    learnable_fourier_features,
    linear_fourier_features,
)
from posenc_ref.grids import sinusoidal_grid
from posenc_ref.grouped import grouped_positions, rectified_positions
from posenc_ref.kernels import fire_bias, kerple_bias, sandwich_bias
from posenc_ref.kinds import Bias, Frequencies, Rotation, Table
from posenc_ref.learned import lookup_positions, row_column_table
from posenc_ref.longrope import scale_longrope
from posenc_ref.model_positions import ModelPositions
from posenc_ref.models import config_frequencies
from posenc_ref.mrope import mrope_axes, mrope_cos_sin
from posenc_ref.multimodal import mrope_positions
from posenc_ref.polar import polar_inv_freq, polar_scores, polar_vectors
from posenc_ref.positions import (
    grid_positions,
    next_positions,
    offset_positions,
    opt_positions,
    packed_positions,
    packed_segments,
    positions_from_mask,
    relative_positions,
)
from posenc_ref.resizing import resize_grid, resize_table
from posenc_ref.rotary import apply_rotary, rotary_cos_sin, rotary_inv_freq, undo_rotary
from posenc_ref.rotary_decoupled import decoupled_rotary
from posenc_ref.rotary_distances import rotary_scores
from posenc_ref.rotary_weights import convert_rotary_weights, rotary_permutation
from posenc_ref.scaling import (
    scale_dynamic,
    scale_linear,
    scale_llama3,
    scale_ntk,
    scale_proportional,
)
from posenc_ref.shaw import shaw_attention, shaw_scores
from posenc_ref.sinusoidal import (
    sinusoidal_at,
    sinusoidal_inv_freq,
    sinusoidal_shift,
    sinusoidal_table,
)
from posenc_ref.t5 import t5_bias, t5_buckets
from posenc_ref.temperature import query_temperature
from posenc_ref.transformer_xl import (
    relative_shift,
    transformer_xl_distances,
    transformer_xl_scores,
)
from posenc_ref.tupe import tupe_scores
from posenc_ref.windows import (
    continuous_window_bias,
    resize_window_table,
    window_bias,
    window_coordinates,
    window_index,
)
from posenc_ref.xpos import xpos_scales
from posenc_ref.yarn import scale_yarn, yarn_bounds, yarn_mscale

__version__ = "0.1.0"

# The kinds of result
__all__ = ["Bias", "Frequencies", "Rotation", "Table"]
# Positions
__all__ += [
    "centred_grid_positions",
    "grid_positions",
    "grouped_positions",
    "mrope_positions",
    "next_positions",
    "offset_positions",
    "opt_positions",
    "packed_positions",
    "packed_segments",
    "positions_from_mask",
    "rectified_positions",
    "relative_positions",
]
# Token vectors
__all__ += ["embed", "tied_logits"]
# Tables, added to the token vectors
__all__ += [
    "fourier_features",
    "gaussian_fourier_features",
    "learnable_fourier_features",
    "linear_fourier_features",
    "lookup_positions",
    "resize_grid",
    "resize_table",
    "row_column_table",
    "sinusoidal_at",
    "sinusoidal_grid",
    "sinusoidal_inv_freq",
    "sinusoidal_shift",
    "sinusoidal_table",
]
# Rotations of queries and keys
__all__ += [
    "apply_rotary",
    "axial_rotary",
    "convert_rotary_weights",
    "decoupled_rotary",
    "mrope_axes",
    "mrope_cos_sin",
    "rotary_cos_sin",
    "rotary_inv_freq",
    "rotary_permutation",
    "rotary_scores",
    "undo_rotary",
    "xpos_scales",
]
# Frequencies of rotations, scaled for longer texts
__all__ += [
    "scale_dynamic",
    "scale_linear",
    "scale_llama3",
    "scale_longrope",
    "scale_ntk",
    "scale_proportional",
    "scale_yarn",
    "yarn_bounds",
    "yarn_mscale",
]
# Biases, added to the scores
__all__ += [
    "alibi_bias",
    "alibi_bias_at",
    "alibi_slopes",
    "continuous_window_bias",
    "fire_bias",
    "kerple_bias",
    "resize_window_table",
    "sandwich_bias",
    "t5_bias",
    "t5_buckets",
    "window_bias",
    "window_coordinates",
    "window_index",
]
# Terms of the scores, which read queries and keys
__all__ += [
    "cope_bias",
    "deberta_buckets",
    "deberta_scores",
    "decomposed_bias",
    "forgetting_bias",
    "polar_inv_freq",
    "polar_scores",
    "polar_vectors",
    "relative_shift",
    "shaw_attention",
    "shaw_scores",
    "transformer_xl_distances",
    "transformer_xl_scores",
    "tupe_scores",
]
# Attention, which takes arrays and knows no scheme
__all__ += ["attention", "attention_weights", "causal_mask", "query_temperature", "segment_mask"]
# Configs of models
__all__ += ["ConfigError", "ModelPositions", "config_frequencies", "explain", "read_config"]
# Conformance: other implementations, held to published vectors
__all__ += ["check", "vectors"]
