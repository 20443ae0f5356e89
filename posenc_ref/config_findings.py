"""What a reader of a config should know beside its values: each finding with its numbers."""

import math
from collections.abc import Sequence

import numpy as np

from posenc_ref.ladders import trained_frequencies
from posenc_ref.model_positions import Finding, Part, Rope
from posenc_ref.yarn import yarn_bounds

TOLD_FROM = 1e-3  # radians: below it, cosines and sines differ in the fourth decimal at most


def findings(
    parts: Sequence[Part], *, known: bool, model_type: str | None, unknown: Sequence[str]
) -> list[Finding]:
    """Everything that follows from the parts themselves."""
    found: list[Finding] = []
    if not known:
        name = "No model_type is given" if model_type is None else f"{model_type!r} is not known"
        text = (
            f"{name} here, so only the keys speak: what they say is below, and what a class would "
            "add (pair layout, default base, layers without rotation) is not."
        )
        found.append(Finding("fallback", ("model_type",), text))
    for part in parts:
        for rope in part.ropes:
            found += _of_rope(part, rope)
    if unknown:
        names = ", ".join(unknown)
        text = f"Keys that sound like positions and that nothing here reads: {names}."
        if any(key.endswith(".attn_factor") for key in unknown):
            text += (
                " Some engines multiply their own attention factor by attn_factor; transformers "
                "does not read it."
            )
        found.append(Finding("note", tuple(unknown), text))
    return found


def _of_rope(part: Part, rope: Rope) -> list[Finding]:
    return [
        *_ratio(rope),
        *_static(rope),
        *_truncate(rope),
        *_turns(part, rope),
        *_float32(part, rope),
    ]


def _ratio(rope: Rope) -> list[Finding]:
    """The factor against the two lengths."""
    ladder = rope.ladder
    if not (ladder.max_length and "factor" in ladder.parameters and ladder.factor):
        return []
    if rope.rope_type in ("linear", "dynamic"):
        if ladder.factor == 1:
            return []
        text = (
            f"{rope.rope_type} with factor {ladder.factor:g}, and max_position_embeddings is "
            f"{ladder.max_length}: the file does not say whether that counts tokens before or "
            "after the factor. Read here as before."
        )
        return [Finding("risk", ("factor", "max_position_embeddings"), text)]
    if not ladder.trained_length or rope.rope_type not in ("yarn", "llama3", "longrope"):
        return []
    ratio = ladder.max_length / ladder.trained_length
    if ratio == 1 or math.isclose(ratio, ladder.factor):
        return []
    text = (
        f"factor is {ladder.factor:g}, and max_position_embeddings over the original length is "
        f"{ladder.max_length} / {ladder.trained_length} = {ratio:g}. The factor counts."
    )
    keys = ("factor", "max_position_embeddings", "original_max_position_embeddings")
    if rope.rope_type == "llama3":  # the published files of Llama 3.1 and 3.2 are so
        return [Finding("note", keys, text)]
    return [Finding("contradiction", keys, text)]


def _static(rope: Rope) -> list[Finding]:
    if rope.rope_type != "yarn" or rope.factor is None or rope.factor == 1:
        return []
    text = (
        f"YaRN here is static: texts shorter than {rope.trained_length} tokens are read with the "
        f"scaled frequencies and an attention factor of {rope.attention_factor:.4f} too."
    )
    return [Finding("risk", ("rope_type",), text)]


def _truncate(rope: Rope) -> list[Finding]:
    ladder = rope.ladder
    if rope.rope_type != "yarn" or ladder.parameters.get("truncate") is not False:
        return []
    bounds = [
        yarn_bounds(
            ladder.rotary_dim,
            ladder.base,
            trained_length=ladder.trained_length or 2,
            beta_fast=ladder.parameters.get("beta_fast") or 32.0,
            beta_slow=ladder.parameters.get("beta_slow") or 1.0,
            truncate=rounded,
        )
        for rounded in (False, True)
    ]
    (low, high), (floor, ceil) = bounds
    text = (
        f"truncate is false: the ramp runs from pair {low:.2f} to {high:.2f}. An engine that does "
        f"not read it rounds to {floor:g} and {ceil:g}."
    )
    if rope.applies_to != "all":
        text += " transformers 5.24 does not read it inside a block for a kind of layer."
    return [Finding("risk", ("truncate",), text)]


def _of(rope: Rope) -> str:
    """Which layers a sentence is about, where not all of them."""
    return "" if rope.applies_to == "all" else f" ({rope.applies_to})"


def _turns(part: Part, rope: Rope) -> list[Finding]:
    """Pairs that never come round within the trained length."""
    length = part.trained_length
    if not length:
        return []
    trained = trained_frequencies(rope.ladder)
    never = int(np.count_nonzero(trained * length < 2 * np.pi))
    if not never:
        return []
    text = (
        f"{never} of {len(trained)} pairs{_of(rope)} never come round once within {length} "
        "tokens: past that length their angles are new to the model."
    )
    return [Finding("note", ("rope_theta",), text)]


def _float32(part: Part, rope: Rope) -> list[Finding]:
    """How far angles that are computed in float32 stray at the far end."""
    length = part.extended_length or part.max_length
    if not length:
        return []
    error = angle_error(rope.inv_freq, length - 1)
    if error < TOLD_FROM:
        return []
    text = (
        f"Angles in float32 are off by up to {error:.2g} rad at position {length - 1}{_of(rope)}, "
        "as most released code computes them."
    )
    return [Finding("note", ("max_position_embeddings",), text)]


def angle_error(inv_freq: np.ndarray, position: int) -> float:
    """The largest error of position x frequency when both and the product are float32."""
    narrow = np.float32(position) * inv_freq.astype(np.float32)
    return float(np.max(np.abs(narrow.astype(np.float64) - position * inv_freq)))
