"""Rotary positions in JAX, held to the published vectors."""

import jax
import jax.numpy as jnp

from posenc_ref import check

jax.config.update("jax_enable_x64", True)


@jax.jit
def rope(x, positions, base):
    width = x.shape[-1]
    steps = jnp.arange(0, width, 2) / width
    angle = positions[:, None] * base**-steps
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    x1, x2 = x[:, 0::2], x[:, 1::2]
    pairs = [x1 * cos - x2 * sin, x2 * cos + x1 * sin]
    return jnp.stack(pairs, -1).reshape(x.shape)


print(check("rope-interleaved", rope))
