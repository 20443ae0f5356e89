"""Numbers of a config that was read. Result: the frequencies of one layer, for one length."""

from posenc_ref import checks
from posenc_ref.kinds import Frequencies
from posenc_ref.ladders import frequencies_at
from posenc_ref.model_positions import ModelPositions, Part, Rope


def config_frequencies(
    model: ModelPositions, *, part: str = "text", layer: int = 0, seq_len: int | None = None
) -> Frequencies:
    """How fast the pairs of one layer turn.

    Args:
        model: What `read_config` gave.
        part: The stack of layers, such as `"text"`.
        layer: Which layer, counted from 0.
        seq_len: Number of tokens of the text, for the rules that depend on it
            (dynamic NTK, LongRoPE); if not given, a text within the trained length.

    Returns:
        Frequencies in radians per token, float64, shape `(n_pairs,)`, and what
        cosines and sines are multiplied by.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the model has no such part or layer, or the layer is not
            rotated.

    Examples:
        >>> from posenc_ref import config_frequencies, read_config
        >>> model = read_config({"model_type": "llama", "head_dim": 4, "num_hidden_layers": 2})
        >>> config_frequencies(model, layer=1)
        Frequencies(inv_freq=array([1.  , 0.01]), attention_factor=1.0)
    """
    if not isinstance(model, ModelPositions):
        kind = type(model).__name__
        raise TypeError(f"model must be what read_config gives, got {kind}")
    if not isinstance(part, str):
        raise TypeError(f"part must be a word, got {type(part).__name__}")
    chosen = model.part(part)
    rope = rope_of_layer(chosen, layer)
    if seq_len is not None:
        most = checks.EXACT_INTEGERS
        seq_len = checks.whole_number("seq_len", seq_len, at_least=0, at_most=most)
    return frequencies_at(rope.ladder, seq_len)


def rope_of_layer(part: Part, layer: int) -> Rope:
    """The set of frequencies that a layer uses."""
    if not part.ropes:
        raise ValueError(f"part must have a rotation, got {part.name!r}, whose kind is {part.kind}")
    number = checks.whole_number("layer", layer, at_least=0)
    layers = part.layers
    if layers is None:
        return part.ropes[0]
    if number >= layers.n_layers:
        raise ValueError(
            f"layer must be below {layers.n_layers}, the layers there are, got {layer}"
        )
    if number not in layers.rotated:
        what = "attends without positions" if number in layers.attention else "does not attend"
        raise ValueError(f"layer must be one that is rotated, got {layer}, which {what}")
    kind = layers.types[number] if layers.types else "all"
    for rope in part.ropes:
        if rope.applies_to == kind:
            return rope
    return part.ropes[0]
