"""Stepper: the keys of a real config light up and become numbers; the pair layout is no key."""

from math import pi
from typing import Any

import numpy as np

from _figures._configs import GPT_OSS
from _hooks.draw import Frame, text
from posenc_ref import read_config, rotary_inv_freq

KEYS = (
    ("model_type", "gpt_oss"),
    ("head_dim", "64"),
    ("rope_theta", "150000"),
    ("factor", "32"),
    ("original_max_…", "4096"),
    ("max_position_…", "131072"),
    ("layer_types", "12 + 12"),
    ("sliding_window", "128"),
)
TOP, PITCH, HIGH, WIDE = 22, 31, 26, 182
HEIGHT = TOP + len(KEYS) * PITCH + 2
SAYS = 200


def data() -> dict[str, Any]:
    part = read_config(GPT_OSS).part()
    rope, layers = part.ropes[0], part.layers
    assert layers is not None
    plain = rotary_inv_freq(rope.rotary_dim, rope.base)
    assert rope.factor is not None
    divided = np.flatnonzero(np.isclose(rope.inv_freq * rope.factor, plain))
    return {
        "pairs": len(rope.inv_freq),
        "slowest": f"{2 * pi / plain[-1]:,.0f}",
        "divided": [int(divided[0]), int(divided[-1])],
        "factor": f"{rope.factor:g}",
        "attention": f"{rope.attention_factor:.3f}",
        "trained": part.trained_length,
        "extended": part.extended_length,
        "windowed": len(layers.windowed),
        "rotated": len(layers.rotated),
        "window": layers.window,
        "layout": part.layout,
    }


def keys(alt: str, lit: tuple[str, ...]) -> Frame:
    """All the keys, those in question outlined and strong."""
    frame = Frame(alt, HEIGHT)
    frame.put("file", 0, 14, text(4, 0, "config.json", "small"))
    frame.put("means", SAYS, 14, text(0, 0, "what it decides", "small"))
    for index, (key, value) in enumerate(KEYS):
        shown = key in lit
        box = (
            f'<rect class="{"box position" if shown else "slot"}" width="{WIDE}" '
            f'height="{HIGH}" rx="4"/>'
        )
        strength = "small strong" if shown else "small"
        inner = box + text(8, 18, key, strength) + text(WIDE - 8, 18, value, f"{strength} end")
        frame.put(key, 2, TOP + index * PITCH, inner)
    return frame


def frames(data: dict[str, Any]) -> list[Frame]:
    rows = [key for key, _ in KEYS]
    first, last = data["divided"]
    results = {
        "head_dim": f"→ {data['pairs']} pairs",
        "rope_theta": f"→ turns of 6 to {data['slowest']}",
        "factor": f"→ scores × {data['attention']}²",
        "original_max_…": f"→ pairs {first} to {last} ÷ {data['factor']}",
        "max_position_…": f"→ {data['factor']} × {data['trained']}, it fits",
        "layer_types": f"→ all {data['rotated']} layers rotate",
        "sliding_window": f"→ {data['windowed']} see {data['window']} tokens",
        "model_type": f"→ layout: {data['layout']}",
    }

    def frame(alt: str, lit: tuple[str, ...], known: tuple[str, ...]) -> Frame:
        drawn = keys(alt, lit)
        for key in (*known, *lit):
            y = TOP + rows.index(key) * PITCH + 18
            drawn.put(f"{key} means", SAYS - 8, y, text(0, 0, results[key], "small"), enter=key)
        return drawn

    block = ("factor", "original_max_…", "max_position_…")
    layers = ("layer_types", "sliding_window")
    return [
        frame("Eight keys of a config with their values, none of them lit.", (), ()),
        frame(f"The key head_dim is lit, and beside it {data['pairs']} pairs.", ("head_dim",), ()),
        frame(
            f"The key rope_theta is lit, and beside it turns of 6 to {data['slowest']} tokens.",
            ("rope_theta",),
            ("head_dim",),
        ),
        frame(
            f"Three keys are lit: scores are multiplied by {data['attention']} squared, pairs "
            f"{first} to {last} slowed by {data['factor']}, and {data['factor']} times "
            f"{data['trained']} is {data['extended']}.",
            block,
            ("head_dim", "rope_theta"),
        ),
        frame(
            f"Two keys about layers are lit: all {data['rotated']} rotate, {data['windowed']} see "
            f"{data['window']} tokens.",
            layers,
            ("head_dim", "rope_theta", *block),
        ),
        frame(
            f"The key model_type is lit, and beside it the layout: {data['layout']}.",
            ("model_type",),
            ("head_dim", "rope_theta", *block, *layers),
        ),
    ]
