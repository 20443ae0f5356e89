"""What the rotary tests share: a query and a key, and recorded layers in our functions."""

import numpy as np

from posenc_ref import Rotation, apply_rotary, attention, causal_mask

# Of the cases: one query and one key of width 8.
Q = [0.1257302211, -0.1321048633, 0.6404226504, 0.1049001172]
Q += [-0.5356693732, 0.3615950549, 1.3040000451, 0.9470809631]
K = [-0.7037352358, -1.265421471, -0.6232744625, 0.0413259793]
K += [-2.3250307746, -0.2187916639, -1.2459109473, -0.7322673547]


def attention_of(case, rotation, layout, *, convert=lambda weight, n_heads: weight):
    """The recorded layer, in our functions."""
    values = case.inputs

    def heads(name, n_heads):
        weight = convert(values[name], n_heads) if name in "qk" else values[name]
        projected = values["x"] @ weight.T
        if f"{name}_bias" in values:
            bias = values[f"{name}_bias"]
            projected = projected + (convert(bias, n_heads) if name in "qk" else bias)
        return projected.reshape(len(projected), n_heads, -1).swapaxes(0, 1)

    n_heads, n_kv_heads = values["n_heads"], values["n_kv_heads"]
    q = apply_rotary(heads("q", n_heads), rotation, layout=layout)
    k = apply_rotary(heads("k", n_kv_heads), rotation, layout=layout)
    k, v = (x.repeat(n_heads // n_kv_heads, axis=0) for x in (k, heads("v", n_kv_heads)))
    n_tokens = q.shape[-2]
    mixed = attention(q, k, v, mask=causal_mask(n_tokens, n_tokens))
    return mixed.swapaxes(0, 1).reshape(n_tokens, -1) @ values["o"].T + values.get("o_bias", 0)


def recorded_rotation(case):
    """Cosines and sines are recorded with the digits that float32 needs."""
    return Rotation(*(case.inputs[name].astype(np.float32) for name in ("cos", "sin")))


def recorded_frequencies(case):
    return case.inputs["inv_freq"].astype(np.float32)
