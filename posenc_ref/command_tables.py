"""`posenc tables`: the arrays that a model adds or multiplies by, in one file for NumPy."""

import argparse
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from posenc_ref.alibi import alibi_slopes
from posenc_ref.command_io import load, one_line, part_name, say
from posenc_ref.ladders import frequencies_at
from posenc_ref.model_positions import Part
from posenc_ref.models import rope_of_layer
from posenc_ref.rotary import rotary_cos_sin
from posenc_ref.sinusoidal import Exponent, Layout, sinusoidal_table
from posenc_ref.t5 import t5_buckets

MOST_BYTES = 2_000_000_000
NUMBER = 8  # bytes of a float64, and of an int64

LAYOUTS: dict[str, Layout] = {
    "sin half then cos half": "concatenated",
    "sin and cos interleaved": "interleaved",
}
EXPONENTS: dict[str, Exponent] = {"2i/d": "paper", "i/(d/2-1)": "tensor2tensor"}
"""The words of the table of model types, and those of `sinusoidal_table`."""

ONLY = "only RoPE, ALiBi, T5 buckets and sinusoidal tables of a known rule are"

Arrays = dict[str, NDArray[Any]]


class Wanted(NamedTuple):
    """What is to be made, and how many bytes it takes."""

    part: Part
    layer: int
    n_positions: int
    n_bytes: int


def run(options: argparse.Namespace) -> int:
    """Write the file and say what is in it. Exit code 0.

    All is checked before any work: the config, the size, and whether the file is
    there already.
    """
    model = load(options.path)
    out = Path(os.path.realpath(options.out))  # so that a link stays one
    _check_place(out, options.out, force=options.force)
    name = part_name(model, options.part)
    parts = [part for part in model.parts if part.name == name]
    made = [part for part in parts if _row_bytes(part, options.layer)]
    if not made:
        kinds = ", ".join(dict.fromkeys(part.kind for part in parts))
        raise ValueError(f"--part must name what can be written, got {name!r} ({kinds}): {ONLY}")
    if options.layer is not None and not any(part.ropes for part in made):
        raise ValueError(f"--layer must be left out for {name!r}, which is not rotated")
    wanted = [_wanted(part, options.layer, options.seq_len) for part in made]
    for one in wanted:
        _check_size(one)
    arrays: Arrays = {}
    for one in wanted:
        for key, array in arrays_of(one).items():
            arrays[key if key not in arrays else f"{key}_2"] = array
    _write(out, arrays)
    title = f"{options.out}: {name} of {model.model_type or 'a config without model_type'}"
    lines = [one_line(title)]
    lines += [f"  {_about(one)}" for one in wanted]
    lines += [f"  {part.kind}: not written; {ONLY}" for part in parts if part not in made]
    lines += [f"  {key:<18}{array.dtype!s:<10}{array.shape}" for key, array in arrays.items()]
    say("\n".join(lines))
    return 0


def arrays_of(wanted: Wanted) -> Arrays:
    """The arrays of one part, by name, for positions from 0."""
    part, n = wanted.part, wanted.n_positions
    facts = part.facts
    if part.ropes:
        inv_freq, factor = frequencies_at(rope_of_layer(part, wanted.layer).ladder, n)
        cos, sin = rotary_cos_sin(np.arange(n), inv_freq, attention_factor=factor)
        return {"cos": cos, "sin": sin, "inv_freq": inv_freq, "attention_factor": np.array(factor)}
    if part.kind == "alibi":
        slopes = alibi_slopes(facts["heads"], max_bias=float(facts.get("bias_max", 8)))
        distance = np.arange(n)
        return {"slopes": slopes, "distance": distance, "bias": slopes[:, None] * -distance}
    if part.kind == "t5_bias":
        relative = np.arange(1 - n, n)
        buckets = t5_buckets(
            relative,
            bidirectional=facts["bidirectional"],
            n_buckets=facts["num_buckets"],
            max_distance=facts["max_distance"],
        )
        return {"relative": relative, "buckets": buckets}
    table = sinusoidal_table(
        n,
        facts["width"],
        base=facts["base"],
        layout=LAYOUTS[facts["layout"]],
        exponent=EXPONENTS[facts["exponent"]],
        start=facts["first_row_used"],
    )
    return {"table": table}


def _row_bytes(part: Part, layer: int | None) -> int:
    """What one more position takes; 0 where a config tells too little to make anything."""
    facts = part.facts
    if part.ropes:
        return 2 * NUMBER * len(rope_of_layer(part, _layer_of(part, layer)).inv_freq)
    if part.kind == "alibi":
        return NUMBER * (int(facts["heads"]) + 1)
    if part.kind == "t5_bias" and {"bidirectional", "num_buckets", "max_distance"} <= facts.keys():
        return 4 * NUMBER
    if (
        part.kind == "sinusoidal"
        and facts.get("layout") in LAYOUTS
        and facts.get("exponent") in EXPONENTS
        and {"width", "base", "first_row_used"} <= facts.keys()
    ):
        return NUMBER * int(facts["width"])
    return 0


def _layer_of(part: Part, layer: int | None) -> int:
    """The layer that was asked for; else the first that rotates."""
    if layer is not None:
        return layer
    return part.layers.rotated[0] if part.layers and part.layers.rotated else 0


def _wanted(part: Part, layer: int | None, seq_len: int | None) -> Wanted:
    facts = part.facts
    lengths = (
        seq_len,
        part.trained_length,
        facts.get("trained_length"),
        facts.get("usable_positions"),
        facts.get("rows", 0) - facts.get("first_row_used", 0) or None,
    )
    n = next((length for length in lengths if length is not None), None)
    if n is None:
        raise ValueError(f"--seq-len must be given: the config names no length for {part.name!r}")
    return Wanted(part, _layer_of(part, layer), int(n), int(n) * _row_bytes(part, layer))


def _check_size(wanted: Wanted) -> None:
    if wanted.n_bytes > MOST_BYTES:
        most = MOST_BYTES * wanted.n_positions // wanted.n_bytes
        raise ValueError(
            f"--seq-len must be at most {most} here, so that the tables stay below "
            f"{MOST_BYTES / 1e9:g} GB, got {wanted.n_positions}: {wanted.n_bytes / 1e9:.3g} GB"
        )


def _check_place(out: Path, name: str, *, force: bool) -> None:
    if out.exists() and not out.is_file():
        raise ValueError(f"--out must be a file, got {name}, which is something else")
    if out.exists() and not force:
        raise ValueError(f"--out must be a new file (or give --force), got {name}, which is there")
    if not out.parent.is_dir():
        raise ValueError(f"--out must be in a folder that is there, got {name}")


def _about(wanted: Wanted) -> str:
    part, n = wanted.part, wanted.n_positions
    length = f"{n} positions, {max(wanted.n_bytes / 1e6, 0.1):,.1f} MB"
    if not part.ropes:
        return f"{part.kind}: {length}"
    rope = rope_of_layer(part, wanted.layer)
    kind = "" if rope.applies_to == "all" else f" ({rope.applies_to})"
    return f"{rope.rope_type} RoPE of layer {wanted.layer}{kind}: {length}"


def _write(out: Path, arrays: Arrays) -> None:
    """Beside its place first, so that no half of a file is left there."""
    partial = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with partial.open("xb") as file:
            np.savez(file, allow_pickle=False, **arrays)
        os.replace(partial, out)
    finally:
        partial.unlink(missing_ok=True)
