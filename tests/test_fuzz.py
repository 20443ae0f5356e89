"""Every public function, called with arguments that fit and arguments that do not.

What comes back is a result, or a `ValueError` or `TypeError` that was raised on purpose and names
one of the arguments: never an error from inside NumPy, never a hang, and from good numbers never a
NaN. Good arguments are made from the documentation: the shape that a docstring gives is the shape
that is tried. `make fuzz` tries 20,000 sets of arguments, the everyday tests a share of them.
"""

import ast
import inspect
import linecache
import os
import re
import signal
import types
import typing
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import posenc_ref
from posenc_ref import Rotation

PACKAGE = Path(posenc_ref.__file__).parent
ELSEWHERE = {"read_config"}  # it names keys, not arguments, and reads files: test_config_fuzz.py
FUNCTIONS = sorted(
    name
    for name in posenc_ref.__all__
    if inspect.isfunction(getattr(posenc_ref, name)) and name not in ELSEWHERE
)
EXAMPLES = int(os.environ.get("POSENC_FUZZ", "0")) // len(FUNCTIONS) + 1
SECONDS = 10  # for one call: far more than any of these sizes needs

WIDTHS = {"d_model", "head_dim", "rotary_dim", "rope_dim", "d_bar", "n_buckets"}
SHAPE = re.compile(r"shape\s+`\(([^`]*)\)`")


class _Unprintable:
    def __repr__(self):
        raise RuntimeError("no repr")


def nasty():
    """What a caller may pass by mistake. Counts are small or absurd: between, memory would go."""
    read_only = np.ones((2, 2))
    read_only.flags.writeable = False
    return [
        None, True, 0, -1, 1, 2, 3, 7, 2.0, 0.5, -0.5, 1e308, -1e308, 5e-324,
        float("nan"), float("inf"), -float("inf"), 2**53, 2**60, 2**63, 2**80, -(2**80), 10**400,
        "", "x", b"x", 1j, [], [[]], (), {}, set(), [1, [2]], [[1, 2], [3]], object, range(3),
        np.array(1), np.array([]), np.zeros((0, 3)), np.zeros((3, 0)), np.ones((2, 3, 4)),
        np.ones((1, 1, 1, 1, 1)), np.array([1, "a"], object), np.array([1 + 1j]), np.array(["a"]),
        np.array([np.nan, 1.0]), np.array([[np.inf]]), np.array([2**64 - 1], np.uint64),
        np.array([-(2**63)]), np.array([2**62, 2**62]), np.array([True, False]),
        np.float16(1), np.ones(2, np.float16), np.ones((2, 2), np.longdouble), np.int8(-128),
        np.array([127, -128], np.int8), np.datetime64("2020-01-01"), read_only,
        np.ones((4, 4))[::2], np.ma.masked_array([1.0, 2.0], [True, False]),
        Rotation(np.ones((1, 1)), np.ones((2, 1))), Rotation(None, None),
        np.float32, "float16", _Unprintable(),
    ]  # fmt: skip


def described(function):
    """Argument → its text in the docstring."""
    text = inspect.getdoc(function).split("Args:")[1].split("Returns:")[0]
    pieces = re.split(r"^    (\w+): ", text, flags=re.MULTILINE)[1:]
    return dict(zip(pieces[0::2], map(" ".join, map(str.split, pieces[1::2])), strict=True))


class Sizes(dict):
    """One size for each word of the shapes, so that arguments that name it agree."""

    def __init__(self, draw):
        super().__init__()
        self.draw = draw

    def __missing__(self, name):
        low, high = (1, 3) if name in WIDTHS else (1, 5)
        factor = 2 if name in WIDTHS else 1
        self[name] = factor * self.draw(st.integers(low, high), label=name)
        return self[name]

    def of(self, expression):
        """The size that a shape asks for, such as `n_heads` or `2 * height - 1`."""
        tree = ast.parse(expression.strip(), mode="eval")
        names = {node.id: self[node.id] for node in ast.walk(tree) if isinstance(node, ast.Name)}
        return eval(compile(tree, "shape", "eval"), {"__builtins__": {}}, names)


def reals(*shape):
    """Numbers of a size that parameters have."""
    return lambda sizes: np.random.default_rng(0).random([sizes.of(axis) for axis in shape]) + 0.25


def wholes(*shape, below=2):
    return lambda sizes: (
        np.arange(np.prod(size := [sizes.of(axis) for axis in shape])).reshape(size) % below
    )


# Arguments whose documentation is for people: what a person would give.
HINTS = {
    "base": [2.0, 10000.0, 500000],
    "model": [posenc_ref.read_config({"model_type": "llama", "num_hidden_layers": 8})],
    "config_frequencies.part": ["text"],
    "layer": [0, 7],
    "factor": [1.0, 2, 8.0],
    "beta_fast": [32.0],
    "beta_slow": [1.0],
    "rotated_fraction": [0.25, 0.5, 1],
    "low_freq_factor": [1.0],
    "high_freq_factor": [1.0, 4.0],
    "trained_length": [64, 4096],
    "max_length": [4096, 131072],
    "token_ids": wholes("2", "T"),
    "lengths": wholes("T", below=3),
    "class_token": [False],
    "positions_from_mask.mask": wholes("2", "T"),
    "next_positions.mask": wholes("2", "T"),
    "opt_positions.mask": wholes("2", "T"),
    "lookup_positions.positions": wholes("T", below=1),
    "query_temperature.positions": wholes("T", below=99),
    "short_factor": reals("rotary_dim // 2"),
    "long_factor": reals("rotary_dim // 2"),
    "mrope_axes.sections": [[2, 1, 1]],
    "mrope_cos_sin.sections": lambda sizes: [sizes["n_pairs"], 0, 0],
    "mrope_positions.segments": [[("text", 2), ("image", 2, 3), ("video", 2, 1, 2, 1.5)], []],
    "resize_grid.table": reals("5", "d"),
    "resize_grid.prefix_tokens": [1],
    "resize_grid.grid": [None, (2, 2)],
    "resize_grid.size": [(3, 2), (2, 2)],
    "resize_window_table.table": reals("15", "n_features"),
    "resize_window_table.size": [(2, 3)],
    "resize_window_table.new_size": [(3, 1), (4, 4)],
    "pretrained_size": [None, (4, 4)],
    "window_bias.table": reals("(2 * height - 1) * (2 * width - 1)", "n_heads"),
    "decomposed_bias.q": reals("2", "8", "head_dim"),
    "decomposed_bias.row_table": reals("3", "head_dim"),
    "decomposed_bias.column_table": reals("7", "head_dim"),
    "decomposed_bias.query_size": [(2, 4)],
    "decomposed_bias.key_size": [(2, 4), (1, 2)],
    "decoupled_rotary.q_content": reals("2", "T", "content_dim"),
    "decoupled_rotary.q_rope": reals("2", "T", "rotary_dim"),
    "decoupled_rotary.k_content": reals("2", "T", "content_dim"),
    "decoupled_rotary.k_rope": reals("T", "rotary_dim"),
    "deberta_scores.q": reals("T", "head_dim"),
    "deberta_scores.k": reals("T + 2", "head_dim"),
    "deberta_scores.key_positions": reals("6", "head_dim"),
    "deberta_scores.query_positions": reals("6", "head_dim"),
    "deberta_scores.max_distance": [None, 50],
    "shaw_scores.q": reals("T", "head_dim"),
    "shaw_scores.k": reals("T + 2", "head_dim"),
    "shaw_scores.key_table": reals("5", "head_dim"),
    "shaw_attention.q": reals("T", "head_dim"),
    "shaw_attention.k": reals("T + 2", "head_dim"),
    "shaw_attention.v": reals("T + 2", "d_v"),
    "shaw_attention.key_table": reals("5", "head_dim"),
    "shaw_attention.value_table": reals("5", "d_v"),
    "left": [None, 2],
    "shaw_attention.mask": [None],
    "transformer_xl_scores.q": reals("T", "head_dim"),
    "transformer_xl_scores.k": reals("T + 2", "head_dim"),
    "transformer_xl_scores.r": reals("T + 2", "head_dim"),
    "u_bias": reals("head_dim"),
    "v_bias": reals("head_dim"),
    "vectors.name": ["rope-half", "t5-buckets"],
    "check.name": ["rope-half", "t5-buckets", posenc_ref.vectors("alibi-slopes")],
    "check.function": [lambda *inputs: 0.0],
    "tupe_scores.from_cls": [0.5],
    "tupe_scores.to_cls": [-0.5],
}


def good(draw, name, annotation, text, default, sizes):
    """A value that the documentation invites, as far as one can tell without understanding it."""
    if default is not inspect.Parameter.empty and draw(st.booleans()):
        return default
    choices = typing.get_args(annotation)
    if typing.get_origin(annotation) is typing.Literal:
        return draw(st.sampled_from(choices))
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        if types.NoneType in choices and draw(st.booleans()):
            return None
        literals = [c for c in choices if typing.get_origin(c) is typing.Literal]
        simple = [c for c in choices if c in (int, float, bool)]
        if literals or simple:
            return good(draw, name, (literals + simple)[0], text, inspect.Parameter.empty, sizes)
    if annotation is bool:
        return draw(st.booleans())
    if annotation is int:
        return sizes[name]
    if annotation is float:
        return draw(st.sampled_from([0.5, 1.0, 2.0, 4.0, 10000.0]))
    if "dtype" in name or name == "angles":
        return draw(st.sampled_from([np.float32, np.float64]))
    if annotation is Rotation:
        shape = (sizes["T"], sizes["rotary_dim"] // 2)
        return Rotation(*draw(st.sampled_from([(np.ones(shape), np.zeros(shape))])))
    return array(draw, text, sizes)


def array(draw, text, sizes):
    found = SHAPE.search(text)
    axes = [axis for axis in found[1].split(",") if axis.strip()] if found else ["T"]
    shape = []
    for axis in axes:
        shape += draw(st.sampled_from([(), (2,)])) if axis.strip() == "..." else [sizes.of(axis)]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    if re.search(r"[Mm]ask|\b0 and 1\b|[Bb]ooleans", text):
        return rng.random(shape) < 0.7
    if re.search(r"[Ww]hole numbers|\bids\b|int64|[Ii]ntegers", text):
        return rng.integers(1, 4, shape)
    return rng.random(shape) + 0.25


@st.composite
def calls(draw, name):
    """Arguments by name, and whether all of them are good."""
    function = getattr(posenc_ref, name)
    texts = described(function)
    sizes = Sizes(draw)
    n_nasty = draw(st.sampled_from([0, 0, 1, 1, 1, 2]))
    parameters = inspect.signature(function, eval_str=True).parameters
    spoiled = draw(st.permutations(sorted(parameters)))[:n_nasty]
    arguments = {}
    for key, parameter in parameters.items():
        if key in spoiled:
            arguments[key] = draw(st.sampled_from(nasty()))
        else:
            hint = HINTS.get(f"{name}.{key}", HINTS.get(key))
            if callable(hint):
                arguments[key] = hint(sizes)
            elif hint:
                arguments[key] = draw(st.sampled_from(hint))
            else:
                arguments[key] = good(
                    draw, key, parameter.annotation, texts[key], parameter.default, sizes
                )
    return arguments, not spoiled


def statement_at(path, line):
    """The source of the statement that starts on that line."""
    return linecache.getline(path, line).strip()


def check_refusal(function, error):
    """Raised by a `raise` of the package, and about one of the arguments."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    path, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
    assert Path(path).parent == PACKAGE, f"from inside {path}: {error!r}"
    assert statement_at(path, line).startswith("raise"), f"{path}:{line}: {error!r}"
    first_word = re.match(r"\w+", str(error))
    parameters = list(inspect.signature(function).parameters)
    assert first_word, repr(error)
    assert first_word[0] in parameters, f"{error!r} names none of {parameters}"


def numbers_of(result):
    if isinstance(result, tuple | list):
        return [number for part in result for number in numbers_of(part)]
    array = np.asarray(result)
    return [array] if array.dtype.kind in "biuf" else []  # a report or a dict is no number


def too_slow(*_):
    raise AssertionError(f"no answer within {SECONDS} seconds")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_result_or_an_error_that_names_an_argument(name):
    function = getattr(posenc_ref, name)
    outcomes = {"good": 0, "good refused": 0, "bad refused": 0}

    @settings(
        derandomize=True, max_examples=max(EXAMPLES, 40), deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(calls(name))
    def attempt(call):
        arguments, all_good = call
        before = signal.signal(signal.SIGALRM, too_slow)
        signal.alarm(SECONDS)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("error")
                result = function(**arguments)
        except (TypeError, ValueError) as error:
            check_refusal(function, error)
            outcomes["good refused" if all_good else "bad refused"] += 1
        except MemoryError:  # what is too large for this machine, and says so
            assert not all_good
        else:
            if all_good:
                outcomes["good"] += 1
                for number in numbers_of(result):
                    assert not np.isnan(number).any()
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    attempt()

    # Good arguments are made from the documentation, without understanding it: some do not fit.
    assert 10 * outcomes["good"] >= outcomes["good refused"] + outcomes["good"] > 0, outcomes
    assert outcomes["bad refused"] > 0
