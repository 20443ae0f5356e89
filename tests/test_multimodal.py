"""Positions of text, images and videos: by hand, by property, by a second route, real models."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_ref import mrope_positions
from tests.recorded import each_case, load

BOUNDED = settings(derandomize=True, max_examples=40, deadline=None)

ADVANCES = ["largest", "side"]
every_advance = pytest.mark.parametrize("advance", ADVANCES)

counts = st.integers(1, 5)
texts = st.tuples(st.just("text"), st.integers(0, 6))
images = st.tuples(st.just("image"), counts, counts)
videos = st.one_of(
    st.tuples(st.just("video"), counts, counts, counts),
    st.tuples(st.just("video"), counts, counts, counts, st.sampled_from([0.25, 0.5, 1, 1.5, 50])),
)


# By hand


@every_advance
def test_an_image_between_two_texts(advance):
    """Both continue at 5: the picture is 3 wide and starts at 2."""
    positions = mrope_positions([("text", 2), ("image", 2, 3), ("text", 2)], advance=advance)

    expected = [
        [0, 1, 2, 2, 2, 2, 2, 2, 5, 6],
        [0, 1, 2, 2, 2, 3, 3, 3, 5, 6],
        [0, 1, 2, 3, 4, 2, 3, 4, 5, 6],
    ]
    np.testing.assert_array_equal(positions, expected)
    assert positions.dtype == np.int64


def test_a_tall_image_moves_the_counter_on_by_its_height():
    for advance in ADVANCES:
        positions = mrope_positions([("image", 3, 1), ("text", 1)], advance=advance)

        np.testing.assert_array_equal(positions, [[0, 0, 0, 3], [0, 1, 2, 3], [0, 0, 0, 3]])


def test_the_published_example_of_a_video():
    """3 frames of 2 x 2 patches, 25 tokens a second, 2 seconds a frame: 50 apart, then 101."""
    positions = mrope_positions([("video", 3, 2, 2, 50), ("text", 2)], advance="largest")

    expected = [
        [0, 0, 0, 0, 50, 50, 50, 50, 100, 100, 100, 100, 101, 102],
        [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 101, 102],
        [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 101, 102],
    ]
    np.testing.assert_array_equal(positions, expected)


def test_by_the_side_the_text_after_a_long_video_repeats_positions_of_its_frames():
    positions = mrope_positions([("video", 5, 1, 2), ("text", 2)], advance="side")

    assert positions[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 2, 3]
    largest = mrope_positions([("video", 5, 1, 2), ("text", 2)], advance="largest")
    assert largest[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6]


@every_advance
def test_pe_48_time_is_scaled_before_it_is_cut_to_whole_numbers(advance):
    """Half a second a frame at 2 tokens a second; cut first, every frame would stand at 15."""
    segments = [("text", 15), ("video", 4, 1, 1, 0.5 * 2)]

    positions = mrope_positions(segments, advance=advance)

    assert positions[0, 15:].tolist() == [15, 16, 17, 18]


@pytest.mark.parametrize(
    ("time_step", "expected"),
    [(0.5, [0, 0, 1, 1, 2]), (1.5, [0, 1, 3, 4, 6]), (0.2, [0, 0, 0, 0, 0]), (2, [0, 2, 4, 6, 8])],
)
def test_times_are_rounded_down_frame_by_frame(time_step, expected):
    positions = mrope_positions([("video", 5, 1, 1, time_step)], advance="largest")

    assert positions[0].tolist() == expected


def test_the_time_step_does_not_scale_the_counter():
    """From 1 on: 1 + 0, 1 + 1, 1 + 3; scaled with the frames it would be 1, 3, 4."""
    positions = mrope_positions([("text", 1), ("video", 3, 1, 1, 1.5)], advance="largest")

    assert positions[0].tolist() == [0, 1, 2, 4]


@every_advance
def test_nothing_and_empty_text_have_no_positions(advance):
    for segments in ([], [("text", 0)]):
        positions = mrope_positions(segments, advance=advance)

        assert positions.shape == (3, 0)
        assert positions.dtype == np.int64


@every_advance
def test_the_smallest_video_is_one_token(advance):
    positions = mrope_positions([("video", 1, 1, 1, 7.5), ("text", 1)], advance=advance)

    np.testing.assert_array_equal(positions, [[0, 1]] * 3)


# By property


@BOUNDED
@given(st.lists(texts, max_size=5), st.sampled_from(ADVANCES))
def test_text_alone_is_numbered_as_ever(segments, advance):
    positions = mrope_positions(segments, advance=advance)

    n_tokens = sum(segment[1] for segment in segments)
    np.testing.assert_array_equal(positions, [np.arange(n_tokens)] * 3)


@BOUNDED
@given(st.lists(st.one_of(texts, images), max_size=6))
def test_without_videos_both_rules_agree(segments):
    largest, side = (mrope_positions(segments, advance=advance) for advance in ADVANCES)

    np.testing.assert_array_equal(largest, side)


@BOUNDED
@given(counts, counts, st.sampled_from([0.3, 1, 9]), st.sampled_from(ADVANCES))
def test_an_image_is_a_video_of_one_frame(height, width, time_step, advance):
    around = ("text", 3)

    image = mrope_positions([around, ("image", height, width), around], advance=advance)

    for video in [("video", 1, height, width), ("video", 1, height, width, time_step)]:
        positions = mrope_positions([around, video, around], advance=advance)
        np.testing.assert_array_equal(image, positions)


@BOUNDED
@given(counts, counts, counts, st.sampled_from(ADVANCES))
def test_the_time_step_is_one_if_not_given(frames, height, width, advance):
    plain = ("video", frames, height, width)
    plain, stepped = (
        mrope_positions([video, ("text", 1)], advance=advance) for video in (plain, (*plain, 1.0))
    )

    np.testing.assert_array_equal(plain, stepped)


@BOUNDED
@given(st.lists(st.one_of(texts, images, videos), max_size=6))
def test_with_the_largest_rule_a_segment_starts_above_all_before_it(segments):
    lengths = [n_tokens(segment) for segment in segments]
    positions = mrope_positions(segments, advance="largest")

    parts = np.split(positions, np.cumsum(lengths)[:-1], axis=1) if lengths else []
    parts = [part for part in parts if part.size]
    for before, after in itertools.pairwise(parts):
        assert after.min() == before.max() + 1


def n_tokens(segment):
    kind, *numbers = segment
    return math.prod(numbers[:3]) if kind == "video" else math.prod(numbers)


# By a second route


def one_by_one(segments, advance):
    """A loop over frames, rows and columns, and a list of triples."""
    counter, triples = 0, []
    for kind, *numbers in segments:
        if kind == "text":
            for _ in range(numbers[0]):
                triples.append((counter, counter, counter))
                counter += 1
            continue
        frames, height, width, *rest = numbers if kind == "video" else [1, *numbers]
        step = rest[0] if rest else 1
        patches = [
            (counter + math.floor(step * f), counter + y, counter + x)
            for f in range(frames)
            for y in range(height)
            for x in range(width)
        ]
        triples += patches
        largest = max(max(patch) for patch in patches)
        counter = largest + 1 if advance == "largest" else counter + max(height, width)
    return np.array(triples, np.int64).reshape(-1, 3).T


@BOUNDED
@given(st.lists(st.one_of(texts, images, videos), max_size=6), st.sampled_from(ADVANCES))
def test_one_token_after_another(segments, advance):
    expected = one_by_one(segments, advance)

    np.testing.assert_array_equal(mrope_positions(segments, advance=advance), expected)


# Real models


def segments_of(case):
    return [tuple(segment) for segment in case.inputs["segments"]]


@each_case("mrope", "mrope_positions")
def test_the_position_ids_of_a_real_model(case):
    positions = mrope_positions(segments_of(case), advance=case.inputs["advance"])

    np.testing.assert_array_equal(positions, case.outputs["positions"])


@each_case("mrope", "mrope_positions")
def test_the_other_rule_differs_where_a_video_is_longer_than_its_sides(case):
    [other] = {*ADVANCES} - {case.inputs["advance"]}
    positions = mrope_positions(segments_of(case), advance=other)

    longer = any(
        kind == "video"
        and math.floor((numbers[3:] or [1])[0] * (numbers[0] - 1)) >= max(numbers[1:3])
        for kind, *numbers in segments_of(case)
    )

    assert longer != np.array_equal(positions, case.outputs["positions"])


@each_case("mrope", "mrope_positions")
def test_decoding_goes_on_above_the_largest_position(case):
    """Released code keeps that as a difference to the number of tokens."""
    positions = mrope_positions(segments_of(case), advance=case.inputs["advance"])

    assert positions.max() + 1 - positions.shape[1] == case.outputs["delta"]


def test_the_recorded_sequences_are_these():
    names = [case.name for case in load("mrope") if "segments" in case.inputs]

    assert names == [
        "qwen2_vl position ids",
        "qwen2_5_vl position ids, 0.75 seconds a grid",
        "qwen2_5_vl position ids, 0.5 seconds a grid",
        "qwen2_5_vl position ids, 0.0625 seconds a grid",
        "qwen3_vl position ids",
        "qwen2_5_omni position ids",
    ]


# On bad input


def refused(error, message):
    return pytest.raises(error, match=f"^{re.escape(message)}")


@pytest.mark.parametrize(
    ("segment", "error", "message"),
    [
        (5, TypeError, "segments[1] must be a tuple such as ('text', 5), got 5"),
        ("text", TypeError, "segments[1] must be a tuple such as ('text', 5), got 'text'"),
        (None, TypeError, "segments[1] must be a tuple such as ('text', 5), got None"),
        ((), TypeError, "segments[1] must be a tuple such as ('text', 5), got ()"),
        (
            ("audio", 5),
            ValueError,
            "segments[1][0] must be one of 'text', 'image', 'video', got 'a",
        ),
        ((5, "text"), TypeError, "segments[1][0] must be one of 'text', 'image', 'video', got 5"),
        (("text",), ValueError, "segments[1] must be ('text', n_tokens), got ('text',)"),
        (("text", 1, 2), ValueError, "segments[1] must be ('text', n_tokens), got ('text', 1, 2)"),
        (
            ("image", 2),
            ValueError,
            "segments[1] must be ('image', height, width), got ('image', 2)",
        ),
        (("image", 1, 2, 2), ValueError, "segments[1] must be ('image', height, width), got ('ima"),
        (
            ("video", 2, 2),
            ValueError,
            "segments[1] must be ('video', frames, height, width) or "
            "('video', frames, height, width, time_step), got ('video', 2, 2)",
        ),
        (
            ("video", 2, 2, 2, 1, 1),
            ValueError,
            "segments[1] must be ('video', frames, height, widt",
        ),
        (("text", -1), ValueError, "segments[1] n_tokens must be at least 0, got -1"),
        (("text", 2.0), TypeError, "segments[1] n_tokens must be a whole number (int), got 2.0"),
        (("text", True), TypeError, "segments[1] n_tokens must be a whole number (int), got True"),
        (("text", "ab"), TypeError, "segments[1] n_tokens must be a whole number (int), got 'ab'"),
        (("image", 0, 2), ValueError, "segments[1] height must be at least 1, got 0"),
        (("image", 2, 0), ValueError, "segments[1] width must be at least 1, got 0"),
        (("image", 2, None), TypeError, "segments[1] width must be a whole number (int), got None"),
        (("video", 0, 2, 2), ValueError, "segments[1] frames must be at least 1, got 0"),
        (("video", 2, 0, 2), ValueError, "segments[1] height must be at least 1, got 0"),
        (("video", 2, 2, 0, 1), ValueError, "segments[1] width must be at least 1, got 0"),
        (("video", 2, 2, 2, 0), ValueError, "segments[1] time_step must be above 0, got 0"),
        (("video", 2, 2, 2, -1.5), ValueError, "segments[1] time_step must be above 0, got -1.5"),
        (("video", 2, 2, 2, math.nan), ValueError, "segments[1] time_step must be finite, got nan"),
        (
            ("video", 2, 2, 2, "1"),
            TypeError,
            "segments[1] time_step must be a number (int or float",
        ),
        (
            ("video", 3, 1, 1, 2.0**52),
            ValueError,
            "segments[1] time_step * (frames - 1) must be less than 2**53, "
            "got time_step 4503599627370496.0 with frames 3",
        ),
        (
            ("video", 2**2000, 1, 1, 0.5),
            ValueError,
            "segments[1] time_step * (frames - 1) must be ",
        ),
        (("text", 2**80), ValueError, "axes x tokens must be below 2**58 entries, got axes 3, tok"),
        (("image", 2**40, 2**40), ValueError, "axes x tokens must be below 2**58 entries, got axe"),
        (("video", 2**20, 2**20, 2**20), ValueError, "axes x tokens must be below 2**58 entries"),
    ],
)
def test_a_bad_segment_is_named(segment, error, message):
    with refused(error, message):
        mrope_positions([("text", 1), segment], advance="largest")


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"segments": None}, TypeError, "segments must be a list of tuples, got NoneType"),
        ({"segments": "text"}, TypeError, "segments must be a list of tuples, got str"),
        ({"segments": 3}, TypeError, "segments must be a list of tuples, got int"),
        (
            {"segments": ("text", 5)},
            TypeError,
            "segments[0] must be a tuple such as ('text', 5), got 'text'",
        ),
        ({"advance": "max"}, ValueError, "advance must be one of 'largest', 'side', got 'max'"),
        ({"advance": None}, TypeError, "advance must be one of 'largest', 'side', got None"),
    ],
)
def test_a_bad_argument_is_named(changed, error, message):
    with refused(error, message):
        mrope_positions(**{"segments": [("text", 1)], "advance": "side", **changed})


def test_the_rule_must_be_chosen():
    with pytest.raises(TypeError, match="advance"):
        mrope_positions([("text", 1)])


def test_the_last_time_below_2_to_the_53_is_allowed():
    positions = mrope_positions([("video", 2, 1, 1, 2.0**53 - 1)], advance="largest")

    assert positions[0].tolist() == [0, 2**53 - 1]


def test_numbers_of_numpy_and_lists_for_tuples_will_do():
    segments = [["text", np.int64(2)], ["video", np.uint8(2), 1, 1, np.float32(1.5)]]

    positions = mrope_positions(segments, advance="largest")

    assert positions[0].tolist() == [0, 1, 2, 3]
    assert segments[1][1:4] == [2, 1, 1]


def test_positions_that_float64_cannot_tell_apart_are_refused():
    long = [("video", 2, 1, 1, 2.0**52)] * 2

    with pytest.raises(ValueError, match=r"^segments must have positions below 2\*\*53, got "):
        mrope_positions(long, advance="largest")
    assert mrope_positions(long[:1], advance="largest").max() == 2**52
