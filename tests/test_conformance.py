"""Checking an implementation: our own passes, every usual mistake is named, bad input is told."""

import inspect
import json
import math

import numpy as np
import pytest

import posenc_ref as pe
from posenc_ref import check, vectors
from posenc_ref.conformance import Report
from posenc_ref.mistakes import FLOAT32, MISTAKES, Case
from tests.record_vectors import LARGE, SMALL
from tests.written_mistakes import WRITTEN, buckets, own_rope, own_table, own_yarn, side_by_side

NAMES = list(json.loads(SMALL.read_text("utf-8")))
LARGE_SETS = [json.loads(path.read_text("utf-8")) for path in sorted(LARGE.glob("*-large.json"))]


def rope(layout):
    def turned(x, positions, base, rotary_dim=None):
        inv_freq = pe.rotary_inv_freq(rotary_dim or x.shape[-1], base)
        return pe.apply_rotary(x, pe.rotary_cos_sin(positions, inv_freq), layout=layout)

    return turned


def sinusoidal(**convention):
    return lambda positions, d_model: pe.sinusoidal_at(positions, d_model, **convention)


def linear(rotary_dim, base, factor):
    return pe.scale_linear(pe.rotary_inv_freq(rotary_dim, base), factor=factor).inv_freq


def dynamic(rotary_dim, base, factor, trained_length, seq_len):
    options = {"factor": factor, "trained_length": trained_length, "seq_len": seq_len}
    return pe.scale_dynamic(rotary_dim, base, **options).inv_freq


def yarn(rotary_dim, base, factor, trained_length, beta_fast, beta_slow, truncate):
    options = {"beta_fast": beta_fast, "beta_slow": beta_slow, "truncate": truncate}
    return pe.scale_yarn(rotary_dim, base, factor=factor, trained_length=trained_length, **options)


def yarn_deepseek(factor, mscale, mscale_all_dim):
    cosines = pe.scale_yarn(
        8, 10000.0, factor=factor, trained_length=4096, mscale=mscale, mscale_all_dim=mscale_all_dim
    )
    return cosines.attention_factor, pe.yarn_mscale(factor, mscale_all_dim) ** 2


def longrope(rotary_dim, base, short_factor, long_factor, trained_length, max_length, seq_len):
    return pe.scale_longrope(
        rotary_dim,
        base,
        short_factor=short_factor,
        long_factor=long_factor,
        trained_length=trained_length,
        max_length=max_length,
        seq_len=seq_len,
    )


def llama3(rotary_dim, base, factor, low_freq_factor, high_freq_factor, trained_length):
    return pe.scale_llama3(
        pe.rotary_inv_freq(rotary_dim, base),
        factor=factor,
        low_freq_factor=low_freq_factor,
        high_freq_factor=high_freq_factor,
        trained_length=trained_length,
    ).inv_freq


def proportional(head_dim, base, rotated_fraction, factor):
    return pe.scale_proportional(
        head_dim, base, rotated_fraction=rotated_fraction, factor=factor
    ).inv_freq


def deberta_rows(n_queries, n_keys, span):
    """Read off the scores: the query table counts its rows, and a key of 1 reads them."""
    counted = np.arange(2.0 * span)[:, None]
    zeros, ones = np.zeros((n_queries, 1)), np.ones((n_keys, 1))
    scores = pe.deberta_scores(zeros, ones, None, counted, index="code", max_distance=None)
    return np.round(scores * np.sqrt(2)).astype(int)


# Arguments of a set in order → what the package gives.
OURS = {
    "rope-frequencies": pe.rotary_inv_freq,
    "rope-half": rope("half"),
    "rope-interleaved": rope("interleaved"),
    "rope-partial-half": rope("half"),
    "rope-partial-interleaved": rope("interleaved"),
    "scaling-linear": linear,
    "scaling-ntk": lambda d, base, factor: pe.scale_ntk(d, base, factor=factor).inv_freq,
    "scaling-dynamic": dynamic,
    "scaling-yarn": yarn,
    "scaling-yarn-deepseek": yarn_deepseek,
    "scaling-longrope": longrope,
    "scaling-llama3": llama3,
    "scaling-proportional": proportional,
    "alibi-slopes": pe.alibi_slopes,
    "alibi-bias": pe.alibi_bias,
    "t5-buckets": lambda relative, both, n_buckets, max_distance: pe.t5_buckets(
        relative, bidirectional=both, n_buckets=n_buckets, max_distance=max_distance
    ),
    "deberta-buckets": lambda relative, n_buckets, max_distance: pe.deberta_buckets(
        relative, n_buckets=n_buckets, max_distance=max_distance
    ),
    "deberta-indices": deberta_rows,
    "sinusoidal-interleaved": sinusoidal(),
    "sinusoidal-concatenated": sinusoidal(layout="concatenated"),
    "sinusoidal-tensor2tensor": sinusoidal(layout="concatenated", exponent="tensor2tensor"),
    "sinusoidal-cosine-first": sinusoidal(
        layout="concatenated", exponent="tensor2tensor", order="cos_sin"
    ),
    "positions-from-mask": pe.positions_from_mask,
    "positions-next": pe.next_positions,
    "positions-opt": pe.opt_positions,
    "positions-roberta": lambda ids, padding_idx: pe.offset_positions(ids, padding_idx=padding_idx),
    "packed-positions": pe.packed_positions,
    "packed-segments": pe.packed_segments,
    "grid-positions": pe.grid_positions,
    "relative-positions": pe.relative_positions,
}
EVERY_MISTAKE = [(name, words) for name in MISTAKES for words in MISTAKES[name]]
every_name = pytest.mark.parametrize("name", NAMES)


def answers(name, **changes):
    """A function that gives what the vectors expect, but for the cases named."""
    cases = {repr(Case(**case).arguments()): case for case in vectors(name)["cases"]}

    def answer(*arguments):
        case = cases[repr(list(arguments))]
        return changes.get(case["name"], case["expected"])

    return answer


# By hand


def test_a_report_of_a_passing_function_is_one_line():
    report = check("packed-segments", pe.packed_segments)

    assert report.passed
    assert str(report) == "packed-segments: all 3 cases pass (exact)"
    assert report == Report("packed-segments", 3, 3, "exact", None, None)


def test_a_report_of_another_layout_says_where_what_and_why():
    report = check("rope-half", rope("interleaved"))

    assert not report.passed
    assert (report.n_passed, report.n_cases) == (2, 6)  # position 0, and a single pair
    assert str(report).splitlines() == [
        "rope-half: 4 of 6 cases fail (rtol 0, atol 1e-05)",
        "first mismatch, case 'position 1':",
        "  entry (0, 0) must be -1.984110649, got -1.142639664",
        "  largest error of the case: 0.841",
        "these results fit a known mistake:",
        "  the other layout, interleaved (pairs 2 i and 2 i + 1)",
    ]
    assert report.mismatch.case == "position 1"
    assert report.mismatch.index == (0, 0)
    assert report.mismatch.got == pytest.approx(math.cos(1) - 2 * math.sin(1), abs=1e-14)
    assert report.mismatch.expected == pytest.approx(math.cos(1) - 3 * math.sin(1), abs=1e-14)
    assert report.mismatch.largest_error == pytest.approx(math.sin(1), abs=1e-12)


def test_a_difference_that_fits_no_mistake_is_left_without_a_guess():
    report = check("grid-positions", lambda h, w: np.full((h * w, 2), 7))

    assert report.likely is None
    assert str(report).endswith("no known mistake gives these results")


def test_a_report_is_frozen():
    with pytest.raises(AttributeError):
        check("alibi-slopes", pe.alibi_slopes).passed = False


# Our own


@every_name
def test_the_package_agrees_with_every_set_to_twelve_digits(name):
    report = check(name, OURS[name], rtol=1e-12, atol=1e-9 if "rope" in name else 1e-14)

    assert report.passed, report


@pytest.mark.parametrize("large", LARGE_SETS, ids=lambda large: large["name"])
def test_the_package_agrees_with_the_large_sets(large):
    report = check(large, OURS[large["name"].removesuffix("-large")])

    assert report.passed, report


def test_each_set_has_a_function_of_ours_and_a_list_of_mistakes():
    assert set(NAMES) == OURS.keys() == MISTAKES.keys()
    for name in NAMES:
        assert len(MISTAKES[name]) >= 4, name
        assert max(map(len, MISTAKES[name])) <= 72, name  # a line of a report
        signature = [argument["name"] for argument in vectors(name)["signature"]]
        inspect.signature(OURS[name]).bind(*signature)  # as many arguments as the set has


def test_vectors_are_the_callers_own():
    vectors("alibi-slopes")["cases"].clear()

    assert len(vectors("alibi-slopes")["cases"]) == 7


# Mistakes, planted


@pytest.mark.parametrize(("name", "words"), EVERY_MISTAKE)
def test_a_planted_mistake_is_named(name, words):
    """By its own words: so the cases of a set also tell its mistakes from each other."""
    with np.errstate(all="ignore"):  # some mistakes divide by zero
        report = check(name, MISTAKES[name][words])

    assert not report.passed
    assert report.likely == words


@pytest.mark.parametrize("large", LARGE_SETS, ids=lambda large: large["name"])
def test_a_mistake_is_named_in_a_large_set_too(large):
    mistakes = MISTAKES[large["name"].removesuffix("-large")]
    with np.errstate(all="ignore"):
        named = [check(large, mistaken).likely == words for words, mistaken in mistakes.items()]

    assert sum(named) > len(named) / 2  # a large set need not tell all of them apart


def coarse(function):
    """The same as a float32 implementation has it: angles too."""

    def rounded(x, positions, base, *rest):
        n = rest[0] if rest else x.shape[-1]
        inv_freq = (base ** -(np.arange(0, n, 2, dtype=np.float32) / np.float32(n))).astype("f4")
        rotation = pe.rotary_cos_sin(positions, inv_freq, dtype="float32", angles="float32")
        return function(x.astype("f4"), rotation)

    return rounded


@pytest.mark.parametrize("name", ["rope-half", "rope-partial-half"])
def test_float32_angles_pass_short_texts_and_are_named_at_far_positions(name):
    report = check(name, coarse(lambda x, turn: pe.apply_rotary(x, turn, layout="half")))

    assert report.mismatch.case.startswith("far")
    assert report.n_passed == report.n_cases - 1
    assert report.likely == FLOAT32


def test_another_mistake_is_seen_through_float32_angles():
    other = coarse(lambda x, turn: pe.apply_rotary(x, turn, layout="interleaved"))

    assert check("rope-half", other).likely == (
        "the other layout, interleaved (pairs 2 i and 2 i + 1)"
    )


def test_float32_angles_of_a_table_are_named():
    def table(positions, d_model):
        speed = (10000.0 ** -(np.arange(0, d_model, 2) / d_model)).astype("f4")
        angle = positions.astype("f4")[:, None] * speed
        return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(len(positions), d_model)

    report = check("sinusoidal-interleaved", table)

    assert report.mismatch.case == "far"
    assert report.likely == FLOAT32


def test_a_mistake_must_explain_the_right_results_too():
    """Negative slopes in one case alone: no, the sign is right in all others."""
    assert (
        check("alibi-slopes", answers("alibi-slopes", **{"2 heads": [-1 / 16, -1 / 256]})).likely
        is None
    )


@pytest.mark.parametrize(
    ("name", "words", "function"), WRITTEN, ids=[f"{name}, {words}" for name, words, _ in WRITTEN]
)
def test_a_mistake_as_people_write_it_is_named(name, words, function):
    assert check(name, function).likely == words


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("rope-half", own_rope()),
        ("rope-partial-interleaved", own_rope(pairs="adjacent")),
        ("scaling-yarn", lambda *given: own_yarn(*given, growth=float)),
        ("t5-buckets", buckets()),
        (
            "sinusoidal-interleaved",
            lambda p, d: own_table(p, d, exponent=lambda i, d: 2 * i / d, columns=side_by_side),
        ),
    ],
)
def test_without_the_slip_the_same_code_passes(name, function):
    report = check(name, function)

    assert report.passed, report


# What a function may give back, and what it may not


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, lambda y: y.astype("f4")])
def test_any_form_that_numpy_reads_will_do(form):
    assert check("rope-half", lambda *a: form(rope("half")(*a))).passed


@pytest.mark.parametrize(
    "form",
    [tuple, list, lambda two: {"attention_factor": two[1], "inv_freq": two[0], "more": 0}],
)
def test_two_results_may_be_a_tuple_a_list_or_named(form):
    assert check("scaling-longrope", lambda *a: form(longrope(*a))).passed


def test_a_result_in_two_parts_is_told_by_its_part():
    report = check("scaling-yarn", lambda *a: (yarn(*a)[0], 1.0))

    assert report.mismatch.problem == "attention_factor must be 1.138629436, got 1"
    assert report.mismatch.index == ()
    assert report.likely == "mscale not at all: the attention factor is 1"


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ([1.0], "the result must have shape (2,), not (1,)"),
        ([[0.0625, 0.00390625]], "the result must have shape (2,), not (1, 2)"),
        (0.0625, "the result must have shape (2,), not ()"),
        (None, "the result is no array of numbers; got NoneType"),
        ("slopes", "the result is no array of numbers; got str"),
        ([[1], [1, 2]], "the result is no array of numbers; got list of 2"),
        ([1j, 2], "the result must hold real numbers; its dtype is complex128"),
        ([True, False], "the result must hold real numbers; its dtype is bool"),
        ([0.0625, math.nan], "entry 1 must be 0.00390625, got nan"),
        ([math.inf, 0.00390625], "entry 0 must be 0.0625, got inf"),
    ],
)
def test_a_result_that_does_not_fit_is_told_plainly(result, problem):
    report = check("alibi-slopes", answers("alibi-slopes", **{"2 heads": result}))

    assert report.n_passed == 6
    assert report.mismatch.problem == problem
    assert report.likely is None


def test_a_nan_makes_the_largest_error_infinite():
    report = check("alibi-slopes", lambda n: np.full(n, np.nan))

    assert report.n_passed == 0
    assert report.mismatch.largest_error == math.inf


def test_whole_numbers_must_be_whole():
    report = check("packed-positions", lambda lengths: pe.packed_positions(lengths) * 1.0)

    assert report.mismatch.problem == "the result must hold whole numbers; its dtype is float64"


def test_a_result_that_lacks_a_part_is_told():
    report = check("scaling-yarn", lambda *a: yarn(*a)[0])

    assert report.mismatch.problem == (
        "the result must be 2 things, inv_freq, attention_factor; got ndarray"
    )
    assert report.likely is None


def test_a_function_may_spoil_what_it_is_given():
    def spoiling(x, positions, base):
        turned = rope("half")(x, positions, base)
        x[:], positions[:] = 0, 0
        return turned

    assert check("rope-half", spoiling).passed


def test_inputs_are_float64_int64_or_python_numbers():
    seen = []

    check("rope-half", lambda *a: seen.append(a) or a[0])

    x, positions, base = seen[0]
    assert (x.dtype, positions.dtype, type(base)) == (np.float64, np.int64, float)


# Tolerances


def test_a_tolerance_of_ones_own_takes_the_place_of_the_published_one():
    def rounded(n_heads):
        return np.round(pe.alibi_slopes(n_heads), 4)

    assert not check("alibi-slopes", rounded).passed
    assert check("alibi-slopes", rounded, atol=1e-4).passed
    strict = check("alibi-slopes", lambda n: pe.alibi_slopes(n).astype("f4"), rtol=1e-12)
    assert not strict.passed
    assert strict.tolerance == "rtol 1e-12, atol 0"


# Bad input


def test_an_unknown_name_is_answered_with_all_names():
    with pytest.raises(
        ValueError, match="name must be one of 'rope-frequencies', 'rope-half', "
    ) as e:
        vectors("rope")

    assert all(repr(name) in str(e.value) for name in NAMES)


@pytest.mark.parametrize("function", [vectors, lambda name: check(name, len)])
def test_a_name_is_a_string(function):
    with pytest.raises(TypeError, match=r"^name must be "):
        function(3)


def test_a_function_that_cannot_be_called_is_refused_before_any_work():
    with pytest.raises(TypeError, match=r"^function must be callable, got list"):
        check("rope-half", [1])


@pytest.mark.parametrize("option", ["rtol", "atol"])
def test_a_negative_tolerance_is_refused(option):
    with pytest.raises(ValueError, match=f"^{option} must be at least 0, got -1"):
        check("rope-half", rope("half"), **{option: -1})


def test_an_error_of_the_function_names_its_case_and_is_chained():
    def failing(x, positions, base):
        return {}[len(x)]

    with pytest.raises(ValueError, match=r"^function must answer every case; in case") as caught:
        check("rope-half", failing)

    assert "in case 'position 0 turns nothing' it raised KeyError: 1" in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"name": 3},
        {"tolerance": {"rtol": 0}},
        {"tolerance": {"rtol": 0, "atol": -1}},
        {"tolerance": 0.1},
        {"cases": 7},
        {"cases": [{"name": "a", "inputs": {}}]},
        {"cases": [{"name": "a", "inputs": [1], "expected": 1}]},
    ],
    ids=str,
)
def test_a_set_of_another_form_is_refused(spoiled):
    with pytest.raises(ValueError, match=r"^name must be a set of vectors of the published form"):
        check(vectors("alibi-slopes") | spoiled, pe.alibi_slopes)


def test_an_empty_set_is_refused():
    with pytest.raises(ValueError, match=r"\(schema\.json\), got keys \[\]"):
        check({}, len)


def test_a_set_of_ones_own_has_no_known_mistakes():
    own = vectors("alibi-slopes") | {"name": "mine"}

    assert check(own, lambda n: -pe.alibi_slopes(n)).likely is None


def test_a_set_of_the_same_name_with_other_arguments_does_not_break_the_search():
    own = vectors("alibi-slopes") | {"name": "scaling-yarn"}

    assert check(own, lambda n: -pe.alibi_slopes(n)).likely is None
