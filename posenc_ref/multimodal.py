"""Text, images and videos in one sequence. Result: positions, three for each token.

A counter runs through the sequence. A token of text has its value as time,
height and width, and moves it on by 1. A patch in frame f, row y and column x has

    time   = counter + floor(time_step * f)
    height = counter + y
    width  = counter + x

An image is a video of one frame. So a picture takes up far fewer positions than
it has tokens, and text alone is numbered as ever.

Source: Wang et al. (2024), arXiv:2409.12191, section 2.1 (Qwen2-VL); Bai et al.
(2025), arXiv:2502.13923, section 2.1 (Qwen2.5-VL: the time step). Where the
counter goes after a video is a matter on which releases differ: see `advance`.
"""

from collections.abc import Sequence
from reprlib import repr as short_repr
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from posenc_ref import checks

Advance: TypeAlias = Literal["largest", "side"]
Segment: TypeAlias = (
    tuple[Literal["text"], int]
    | tuple[Literal["image"], int, int]
    | tuple[Literal["video"], int, int, int]
    | tuple[Literal["video"], int, int, int, float]
)

FORMS = {
    "text": "('text', n_tokens)",
    "image": "('image', height, width)",
    "video": "('video', frames, height, width) or ('video', frames, height, width, time_step)",
}


def mrope_positions(segments: Sequence[Segment], *, advance: Advance) -> NDArray[np.int64]:
    """Time, height and width of each token, for `mrope_cos_sin`.

    Qwen2.5-VL counts the time of a video in seconds: its time step is the seconds
    from one grid of patches to the next, times the tokens per second of the
    config. Qwen2-VL has time step 1. Qwen3-VL writes timestamps into the text
    instead: each frame of its videos is an image here, with text in between.
    Qwen3-Omni is left out: it keeps the fractions of its times.

    In all these models the first token that is decoded, and every later one, has
    one position on all three axes, from `positions.max() + 1` on.

    Args:
        segments: One tuple for each stretch of tokens, in order: `("text",
            n_tokens)`, `("image", height, width)`, `("video", frames, height,
            width)` or `("video", frames, height, width, time_step)`. Counts are
            whole numbers, at least 1 (`n_tokens` at least 0), in patches after
            merging, which are tokens. The time step is a number above 0, in
            positions per frame, 1 if not given; time_step * (frames - 1) must
            be less than 2**53.
        advance: Where the counter goes after a video. `"largest"`: to the
            largest position in it, plus 1 (the paper, transformers up to 5.2,
            and Qwen2.5-Omni in 5.24). `"side"`: on by the larger of height and
            width, whatever the number of frames (Qwen2-VL and Qwen2.5-VL in
            transformers 5.24), so that what follows a long video repeats
            positions of its later frames. After images both are the same.

    Returns:
        Three rows of positions (time, height, width) in tokens, int64, shape
        `(3, T)`. Patches go frame by frame, in a frame row by row.

    Raises:
        TypeError: If an argument, or a part of a segment, has the wrong type.
        ValueError: If a segment has none of the forms, or an argument breaks the
            rule stated with it.

    Examples:
        >>> from posenc_ref import mrope_positions
        >>> mrope_positions([("text", 2), ("image", 2, 2), ("text", 2)], advance="largest")
        array([[0, 1, 2, 2, 2, 2, 4, 5],
               [0, 1, 2, 2, 3, 3, 4, 5],
               [0, 1, 2, 3, 2, 3, 4, 5]])
        >>> mrope_positions([("video", 3, 1, 1, 1.5), ("text", 1)], advance="largest")
        array([[0, 1, 3, 4],
               [0, 0, 0, 4],
               [0, 0, 0, 4]])
        >>> mrope_positions([("video", 3, 1, 1, 1.5), ("text", 1)], advance="side")
        array([[0, 1, 3, 1],
               [0, 0, 0, 1],
               [0, 0, 0, 1]])
    """
    if not isinstance(segments, list | tuple):
        raise TypeError(f"segments must be a list of tuples, got {type(segments).__name__}")
    stretches = [_stretch(f"segments[{i}]", segment) for i, segment in enumerate(segments)]
    checks.one_of("advance", advance, ("largest", "side"))
    n_tokens = sum(s if isinstance(s, int) else s.frames * s.height * s.width for s in stretches)
    checks.result_fits(axes=3, tokens=n_tokens)

    counter = 0
    parts = [np.empty((3, 0), np.int64)]
    for stretch in stretches:
        if isinstance(stretch, int):  # text moves along all three axes at once
            parts.append(counter + np.tile(np.arange(stretch), (3, 1)))
            counter += stretch
            continue
        times = np.floor(stretch.time_step * np.arange(stretch.frames)).astype(np.int64)
        axes = (times, np.arange(stretch.height), np.arange(stretch.width))
        patches = np.stack(np.meshgrid(*axes, indexing="ij")).reshape(3, -1)
        parts.append(counter + patches)
        side = max(stretch.height, stretch.width)
        counter += side if advance == "side" else int(patches.max()) + 1
        if counter > checks.EXACT_INTEGERS:
            raise ValueError(f"segments must have positions below 2**53, got {counter - 1}")
    return np.concatenate(parts, axis=1)


class _Patches(NamedTuple):
    frames: int
    height: int
    width: int
    time_step: float


def _stretch(name: str, segment: object) -> int | _Patches:
    """A segment in checked numbers: the count of text tokens, or the grid of patches."""
    if not isinstance(segment, list | tuple) or not segment:
        raise TypeError(f"{name} must be a tuple such as ('text', 5), got {short_repr(segment)}")
    kind, *numbers = segment
    checks.one_of(f"{name}[0]", kind, ("text", "image", "video"))
    if len(numbers) not in {"text": (1,), "image": (2,), "video": (3, 4)}[kind]:
        raise ValueError(f"{name} must be {FORMS[kind]}, got {short_repr(segment)}")
    if kind == "text":
        return checks.whole_number(f"{name} n_tokens", numbers[0], at_least=0)
    if kind == "image":
        numbers = [1, *numbers]
    frames, height, width = (
        checks.whole_number(f"{name} {count}", number, at_least=1)
        for count, number in zip(("frames", "height", "width"), numbers, strict=False)
    )
    time_step = checks.positive_number(f"{name} time_step", numbers[3]) if numbers[3:] else 1.0
    if frames - 1 >= checks.EXACT_INTEGERS / time_step:
        raise ValueError(
            f"{name} time_step * (frames - 1) must be less than 2**53, "
            f"got time_step {time_step} with frames {short_repr(frames)}"
        )
    return _Patches(frames, height, width, time_step)
