"""What a model of the lab is: its sizes, and how it knows positions.

One dataclass, checked when it is made, so that nothing later has to ask.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from posenc_ref import checks
from posenc_ref.t5 import t5_buckets

Positions: TypeAlias = Literal[
    "none", "learned", "sinusoidal", "sinusoidal_scaled", "rope", "alibi", "t5"
]
POSITIONS: tuple[Positions, ...] = get_args(Positions)
"""Nothing; two tables, the second raw or scaled; a rotation; two biases."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """The settings of a model.

    Attributes:
        positions: How the model knows positions. `"sinusoidal"` adds the table as it
            is; `"sinusoidal_scaled"` multiplies it by one learned number.
        n_tokens: Different tokens, at least 2.
        block: Tokens in a row while training, at least 1; rows of a learned table.
        d_model: Width of a token vector, a multiple of `n_heads`.
        n_heads: Attention heads in each layer, at least 1.
        n_layers: Layers, at least 1.
        causal: Whether a token attends to the past only, as in a decoder; an
            encoder attends to all.
        past_end: What a learned table gives past its end: `"error"`, or `"repeat"`
            for its last row again.
        start_scale: The learned number of `"sinusoidal_scaled"` at the start.
        base: Of the wavelengths of RoPE and of the sinusoids.
        scaling: How RoPE is stretched: not, `"linear"` or `"ntk"`. May be changed
            after training, see `GPT.changed`.
        factor: How far it is stretched, at least 1.
        n_buckets: Buckets of distances of T5.
        max_distance: Tokens from which on T5 has one bucket for all.

    Raises:
        TypeError: If a setting has the wrong type.
        ValueError: If a setting breaks the rule stated with it.

    Examples:
        >>> from posenc_ref.lab import Config
        >>> Config(positions="rope", n_tokens=26).head_dim
        16
        >>> Config(positions="rope", n_tokens=26, d_model=60, n_heads=8)
        Traceback (most recent call last):
        ValueError: d_model must be a multiple of n_heads, got 60 and 8
    """

    positions: Positions
    n_tokens: int
    block: int = 64
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    causal: bool = True
    past_end: Literal["error", "repeat"] = "error"
    start_scale: float = 0.1
    base: float = 10000.0
    scaling: Literal["none", "linear", "ntk"] = "none"
    factor: float = 1.0
    n_buckets: int = 32
    max_distance: int = 128

    def __post_init__(self) -> None:
        """Check every setting."""
        checks.one_of("positions", self.positions, POSITIONS)
        checks.one_of("past_end", self.past_end, ("error", "repeat"))
        checks.one_of("scaling", self.scaling, ("none", "linear", "ntk"))
        checks.whole_number("n_tokens", self.n_tokens, at_least=2)
        for name in ("block", "d_model", "n_heads", "n_layers"):
            checks.whole_number(name, getattr(self, name), at_least=1)
        checks.flag("causal", self.causal)
        checks.positive_number("start_scale", self.start_scale)
        checks.frequency_base("base", self.base)
        checks.length_factor("factor", self.factor)
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model must be a multiple of n_heads, got {self.d_model} and {self.n_heads}"
            )
        if self.positions.startswith("sinusoidal"):
            checks.even_width("d_model", self.d_model)
        if self.positions == "rope":
            checks.even_width("d_model / n_heads", self.head_dim)
        if self.positions == "t5":
            t5_buckets(
                [0],
                bidirectional=not self.causal,
                n_buckets=self.n_buckets,
                max_distance=self.max_distance,
            )
        self._check_scaling()

    def _check_scaling(self) -> None:
        if self.scaling == "none":
            if self.factor != 1:
                raise ValueError(f"factor must be 1 without a scaling, got {self.factor}")
        elif self.positions != "rope":
            raise ValueError(f"scaling must be 'none' for {self.positions!r}, got {self.scaling!r}")
        elif self.scaling == "ntk" and self.head_dim < 4:
            raise ValueError(f"d_model / n_heads must be at least 4 for 'ntk', got {self.head_dim}")

    @property
    def head_dim(self) -> int:
        """Width of a head."""
        return self.d_model // self.n_heads
