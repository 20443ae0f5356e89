"""What a reader of configs gives back: the positions of a model, part by part.

Attributes use this package's names. `to_dict` gives the outward form, in the
words of config files, as the published answers for real configs have it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from posenc_ref.ladders import Ladder


@dataclass(frozen=True)
class Finding:
    """Something in a config that its reader should know."""

    kind: Literal["contradiction", "fallback", "risk", "note"]
    """Two keys disagree; a missing key is filled in; right as written but risky; worth knowing."""

    keys: tuple[str, ...]
    """The keys that it is about."""

    text: str
    """One or two sentences, with the numbers."""

    def __str__(self) -> str:
        """The kind and the text."""
        return f"{self.kind}: {self.text}"


LISTS = ("short_factor", "long_factor")  # in the outward form as frequencies only


@dataclass(frozen=True, eq=False)
class Rope:
    """One set of frequencies, shared by a group of layers."""

    applies_to: str
    """A kind of layer, such as `full_attention`, or `all`."""

    rotary_slice: str
    """Which features of a head turn, in words."""

    ladder: Ladder
    """The rule, the base and the numbers that the frequencies follow from."""

    inv_freq: NDArray[np.float64] = field(repr=False)
    """Radians per token within the trained length, shape `(n_pairs,)`."""

    attention_factor: float
    """What cosines and sines are multiplied by."""

    inv_freq_long: NDArray[np.float64] | None = field(default=None, repr=False)
    """LongRoPE's second list, for texts beyond the trained length."""

    @property
    def rope_type(self) -> str:
        """`default`, `linear`, `ntk`, `dynamic`, `yarn`, `longrope`, `llama3` or `proportional`."""
        return self.ladder.rope_type

    @property
    def base(self) -> float:
        """The number whose powers are the frequencies: `rope_theta`."""
        return self.ladder.base

    @property
    def head_dim(self) -> int:
        """Features of a head, or of its rotary part where that is a vector of its own."""
        return self.ladder.head_dim

    @property
    def rotary_dim(self) -> int:
        """Features that turn."""
        return self.ladder.rotary_dim

    @property
    def factor(self) -> float | None:
        """How many times longer than trained, where the rule has a factor."""
        return self.ladder.factor

    @property
    def trained_length(self) -> int | None:
        """Tokens before extension, where the rule has one: `original_max_position_embeddings`."""
        return self.ladder.trained_length

    def to_dict(self) -> dict[str, Any]:
        """The outward form."""
        frequencies = self.inv_freq.tolist()
        given: dict[str, Any] = {
            "applies_to": self.applies_to,
            "rope_type": self.rope_type,
            "base": self.base,
            "rotary_dim": self.rotary_dim,
            "n_freqs": len(frequencies),
            "attention_factor": self.attention_factor,
        }
        if self.rope_type == "proportional":
            given |= {
                "rotated_pairs": self.rotary_dim // 2,
                "exponent_denominator": self.ladder.head_dim,
            }
        if "factor" in self.ladder.parameters:
            given["factor"] = self.ladder.parameters["factor"]
        if self.trained_length is not None:
            given["original_max_position_embeddings"] = self.trained_length
        given |= {
            key: value
            for key, value in self.ladder.parameters.items()
            if key not in (*given, *LISTS)
        }
        given |= {
            "inv_freq_first3": frequencies[:3],
            "inv_freq_last": frequencies[-1],
            "inv_freq": frequencies,
            "rotary_slice": self.rotary_slice,
        }
        if self.inv_freq_long is not None:
            given["inv_freq_long"] = self.inv_freq_long.tolist()
            given["short_list_until"] = self.trained_length
        return given


@dataclass(frozen=True)
class Layers:
    """Which layers attend, which rotate, which do neither, and how far they see."""

    n_layers: int
    """How many there are; they are counted from 0."""

    attention: tuple[int, ...]
    """Layers that attend; the others are convolutions, state spaces or experts alone."""

    rotated: tuple[int, ...]
    """Layers whose queries and keys are rotated."""

    windowed: tuple[int, ...]
    """Layers that see a window only."""

    window: int | None
    """Tokens that these see."""

    types: tuple[str, ...]
    """The kind of each layer, where kinds differ; else empty."""

    chunk: int | None = None
    """Tokens of a chunk, for layers that attend in chunks."""

    further: Mapping[str, Any] = field(default_factory=dict)
    """What else the model type says of its layers, in the words of the outward form."""

    @property
    def unpositioned(self) -> tuple[int, ...]:
        """Layers that attend without positions."""
        rotated = set(self.rotated)
        return tuple(layer for layer in self.attention if layer not in rotated)

    def _all_or(self, layers: tuple[int, ...]) -> str | list[int]:
        return "all" if layers and len(layers) == self.n_layers else list(layers)

    def to_dict(self) -> dict[str, Any]:
        """The outward form."""
        given: dict[str, Any] = {
            "n": self.n_layers,
            "attention_layers": self._all_or(self.attention),
            "rope": self._all_or(self.rotated),
            "nope": list(self.unpositioned),
            "sliding": self._all_or(self.windowed),
            "window": self.window,
        }
        if self.types:
            given["layer_types"] = {
                name: [i for i, kind in enumerate(self.types) if kind == name]
                for name in dict.fromkeys(self.types)
            }
        if self.chunk is not None:
            given["attention_chunk_size"] = self.chunk
        return given | dict(self.further)


@dataclass(frozen=True)
class Part:
    """One stack of a model: its text, its pictures, its encoder."""

    name: str
    """`text`, `vision`, `audio`, `encoder`, `decoder` or `cross-attention`."""

    kind: str
    """`rope`, `learned`, `sinusoidal`, `alibi`, `t5_bias`, `deberta`, `none` and others."""

    layout: str | None = None
    """How features go in pairs, for a rotation; None where the config cannot tell."""

    head_dim: int | Mapping[str, int] | None = None
    """Features of a head; by kind of layer where kinds differ."""

    ropes: tuple[Rope, ...] = ()
    """One for each group of layers that are rotated alike; empty where nothing is rotated."""

    layers: Layers | None = None
    """Which layers attend and rotate, where the model type tells."""

    softmax_scale: float | None = None
    """What scores are multiplied by before the softmax, where the model type tells."""

    query_dim: int | None = None
    """Features that a query and a key are compared over."""

    trained_length: int | None = None
    """Tokens of the longest text before extension."""

    extended_length: int | None = None
    """Tokens of the longest text after it, where there is an extension and it is known."""

    max_length: int | None = None
    """`max_position_embeddings`, or the model type's key for it, as written."""

    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else the kind has: rows, offsets, slopes, buckets, in the words of the outward form."""

    def to_dict(self) -> dict[str, Any]:
        """The outward form."""
        given: dict[str, Any] = {"part": self.name, "kind": self.kind}
        if self.layout is not None:
            given["layout"] = self.layout
        if self.head_dim is not None:
            head = self.head_dim
            given["head_dim"] = head if isinstance(head, int) else dict(head)
        if self.ropes:
            given["ropes"] = [rope.to_dict() for rope in self.ropes]
        if self.softmax_scale is not None:
            given["softmax_scale"] = self.softmax_scale
            if self.query_dim is not None:
                given["softmax_scale_over_inverse_sqrt_head_dim"] = round(
                    self.softmax_scale * math.sqrt(self.query_dim), 9
                )
        if self.layers is not None:
            given |= {
                "max_position_embeddings": self.max_length,
                "trained_length": self.trained_length,
                "extended_length": self.extended_length,
                "layers": self.layers.to_dict(),
            }
        return given | dict(self.facts)


@dataclass(frozen=True)
class ModelPositions:
    """How a model tells positions apart, read from its config."""

    model_type: str | None
    """As the config has it."""

    known: bool
    """Whether the table of model types has this one; if not, only the keys speak."""

    parts: tuple[Part, ...]
    """The stacks of the model, one kind of position each."""

    warnings: tuple[Finding, ...]
    """What is contradictory, filled in, risky or worth knowing."""

    unknown_keys: tuple[str, ...]
    """Keys that sound like positions, and that nothing here reads."""

    origin: Mapping[str, str]
    """Where each value came from: a key, a default of the library, a rule of the model type."""

    source: str | None = None
    """The released file that shows the rules of this model type."""

    def part(self, name: str = "text") -> Part:
        """The first part of that name.

        Raises:
            ValueError: If the model has no such part.
        """
        for part in self.parts:
            if part.name == name:
                return part
        names = ", ".join(dict.fromkeys(repr(part.name) for part in self.parts))
        raise ValueError(f"part must be one of {names}, got {name!r}")

    def to_dict(self) -> dict[str, Any]:
        """The outward form, ready for JSON."""
        return {
            "model_type": self.model_type,
            "known": self.known,
            "source": self.source,
            "parts": [part.to_dict() for part in self.parts],
            "warnings": [
                {"kind": found.kind, "keys": list(found.keys), "text": found.text}
                for found in self.warnings
            ],
            "unknown_keys": list(self.unknown_keys),
            "origin": dict(self.origin),
        }
