"""The lab: a small GPT by hand, by property, by a second route, while training, on bad input."""

import argparse
import ast
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import posenc_ref
from bench import plays
from posenc_ref.lab import (
    GPT,
    POSITIONS,
    Config,
    Settings,
    Vocabulary,
    corpus,
    estimate_loss,
    experiments,
    generate,
    grammar_text,
    losses_by_place,
    read_text,
    runner,
    tasks,
    text_batches,
    train,
    work,
)
from posenc_ref.lab.cells import run_cell, stretched
from posenc_ref.lab.checkpoint import load
from posenc_ref.lab.command import add_commands, words
from posenc_ref.lab.first_weights import first_weights
from posenc_ref.lab.functions import gelu, normalise
from posenc_ref.lab.intervals import STUDENT, differences, interval
from posenc_ref.lab.optimiser import adamw, clip, learning_rate, no_moments
from posenc_ref.lab.plot import plot
from posenc_ref.lab.progress import Progress
from posenc_ref.lab.report import report
from posenc_ref.lab.results import load_results, missing, values
from posenc_ref.lab.threads import ONE_THREAD

ROOT = Path(__file__).parents[1]
SMALL = {"n_tokens": 7, "d_model": 16, "n_heads": 2, "block": 8}
KINDS = [(positions, causal) for positions in POSITIONS for causal in (True, False)]
EVERY = pytest.mark.parametrize(
    ("positions", "causal"), KINDS, ids=[f"{p} {'decoder' if c else 'encoder'}" for p, c in KINDS]
)


def small(positions="rope", *, seed=0, dtype=np.float64, **settings):
    """A small model whose weights are far from where they start, so that each of them matters."""
    model = GPT(Config(positions=positions, **SMALL | settings), seed=seed, dtype=dtype)
    random = np.random.default_rng(seed)
    return model.with_weights(
        {
            name: (weight + 0.3 * random.standard_normal(weight.shape)).astype(dtype)
            for name, weight in model.weights.items()
        }
    )


def rows(n=8, n_rows=3, seed=0):
    return np.random.default_rng(seed).integers(0, SMALL["n_tokens"], (n_rows, n))


def batches(block=8, batch=4, seed=0):
    tokens = np.random.default_rng(5).integers(0, SMALL["n_tokens"], 500)
    return text_batches(tokens, block=block, batch=batch, seed=seed)


def same(first, second):
    return first.keys() == second.keys() and all(
        np.array_equal(first[name], second[name]) and first[name].dtype == second[name].dtype
        for name in first
    )


# By hand


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_model_that_takes_all_to_be_as_likely_loses_the_logarithm_of_their_number(positions):
    model = small(positions)
    model.weights["tokens"][:] = 0

    assert model.loss(rows(), rows(seed=1)) == pytest.approx(math.log(7), rel=1e-14)


def test_the_loss_counts_what_is_asked_for_only():
    model, ids, targets = small(), rows(), rows(seed=1)
    some = np.where(np.arange(8) < 5, -1, targets)

    losses = model.losses(ids, targets).reshape(3, 8)

    assert model.loss(ids, some) == pytest.approx(losses[:, 5:].mean(), rel=1e-14)
    np.testing.assert_allclose(model.losses(ids, some), losses[:, 5:].ravel(), rtol=1e-14)


def test_gelu_is_nothing_far_below_0_and_the_entry_far_above():
    y, gate = gelu(np.array([-20.0, 0.0, 1.0, 20.0]))

    np.testing.assert_allclose(y, [0, 0, 0.841192, 20], atol=1e-6)  # 0.8412: GELU of 1, tanh form
    np.testing.assert_allclose(gate, [0, 0.5, 0.841192, 1], atol=1e-6)


def test_a_normalised_row_has_mean_0_and_variance_1():
    y, _ = normalise(np.array([[1.0, 3.0], [5.0, 5.0]]), np.array([2.0, 2.0]), np.array([1.0, 0.0]))

    np.testing.assert_allclose(y, [[-1, 2], [1, 0]], atol=2e-5)


def test_the_rate_rises_to_its_height_and_falls_to_a_tenth():
    rates = [learning_rate(step, 1000, 2.0, 10) for step in range(1, 1001)]

    assert np.argmax(rates) in (9, 10)
    assert rates[4] == pytest.approx(1.0, rel=1e-3)
    assert rates[-1] == pytest.approx(0.2)
    assert learning_rate(1, 1000, 2.0, 0) == pytest.approx(2.0, rel=1e-3)


def test_an_interval_of_three_seeds():
    mean, low, high = interval([1, 2, 3])  # their standard deviation is 1

    assert mean == 2
    assert high - mean == mean - low == pytest.approx(4.303 / math.sqrt(3))


@pytest.mark.parametrize("freedom", range(1, len(STUDENT) + 1))
def test_the_numbers_of_students_distribution_leave_a_fortieth_above(freedom):
    """The density, summed from 0 to the number: 0.475 of all lies there."""
    t = np.linspace(0, STUDENT[freedom - 1], 200_001)
    height = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(freedom * math.pi)
    density = height * (1 + t**2 / freedom) ** (-(freedom + 1) / 2)

    assert np.trapezoid(density, t) == pytest.approx(0.475, abs=2e-5)


def test_differences_are_taken_seed_by_seed():
    assert differences([2, 4, 6], [1, 3, 5]) == (1, 1, 1)


def test_the_answer_of_a_sentence_is_known_from_its_order_alone():
    who = r"the (?:\w+ )?(\w+)"
    form = re.compile(rf"{who} (\w+) {who}\. (?:who (\w+)\? the (\w+)|(\w+) whom\? the (\w+))\.")
    lines = grammar_text(20_000).splitlines()

    for line in lines:
        agent, verb, patient, asked, said, asked_of, said_of = form.fullmatch(line).groups()
        assert agent != patient
        assert (asked or asked_of) == verb
        assert (said, said_of) in ((agent, None), (None, patient))
    assert len(set("\n".join(lines))) == 26
    assert grammar_text(100, seed=1) != grammar_text(100, seed=2)
    assert len(grammar_text(0)) == 0


def test_batches_of_a_text_name_the_next_token_and_depend_on_seed_and_step_alone():
    draw = text_batches(np.arange(50), block=8, batch=4, seed=3)
    ids, targets = draw(7)

    assert ids.shape == targets.shape == (4, 8)
    np.testing.assert_array_equal(targets, ids + 1)
    np.testing.assert_array_equal(draw(7)[0], ids)
    assert not np.array_equal(draw(8)[0], ids)
    assert not np.array_equal(text_batches(np.arange(50), block=8, batch=4, seed=4)(7)[0], ids)
    # The last token is read too: it is the target of the last piece.
    assert {t.max() for t in (draw(step)[1] for step in range(200))} >= {49}


def test_a_play_is_made_plain():
    play = """# Title

## Act I

_Enter two citizens_

**First Citizen**
Before _we_ proceed, hear \u2018me\u2019 speak,'\\--  \nAnd \\[Censorinus,]

**All**

Speak \u2014 speak.
"""

    assert plays.plain(play) == (
        "FIRST CITIZEN:\nBefore we proceed, hear 'me' speak,'--\nAnd [Censorinus,]\n\n"
        "ALL:\nSpeak - speak."
    )


def test_a_text_is_cut_into_nine_tenths_and_one():
    parts = corpus("dog bites man " * 10)

    assert len(parts.training), len(parts.validation) == (126, 14)
    assert parts.vocabulary.decode(parts.training[:9]) == "dog bites"


# By hand: tasks


def shown(task, causal, size=4, n_rows=200):
    """Rows as text: what is read, and what is to be said, with "." where nothing is asked for."""
    known = tasks.vocabulary(task)
    ids, targets = tasks.task_rows(task, size, n_rows, np.random.default_rng(1), causal=causal)
    for read, said in zip(ids, targets, strict=True):
        yield (
            known.decode(read),
            "".join("." if token < 0 else known.characters[token] for token in said),
        )


@pytest.mark.parametrize("task", ["reverse", "copy", "addition"])
def test_an_encoder_finds_the_answer_hidden_and_a_decoder_writes_it(task):
    n = 3 if task == "addition" else 4
    for (read, said), (started, written) in zip(
        shown(task, False, n), shown(task, True, n), strict=True
    ):
        prompt, answer = read.rstrip("_"), said.lstrip(".")
        assert len(read) == len(said) == len(prompt) + len(answer)
        if task == "addition":
            first, second = map(int, prompt[:-1].split("+"))
            assert int(answer[::-1]) == first + second
            assert len(prompt) == 8
        else:
            letters = prompt[:-1]
            assert answer == (letters[::-1] if task == "reverse" else letters)
        assert started == prompt + answer[:-1]
        assert written == "." * (len(prompt) - 1) + answer


@pytest.mark.parametrize("causal", [True, False])
def test_the_previous_character_is_asked_for_at_each_place_but_the_first(causal):
    for read, said in shown("previous", causal):
        assert said == "." + read[:-1]


@pytest.mark.parametrize("causal", [True, False])
def test_two_characters_take_turns_and_some_are_hidden(causal):
    for read, said in shown("alternating", causal, size=9):
        whole = (read[:2] * 5)[:9]
        assert read[0] != read[1]
        assert "_" in read[2:]
        assert read == "".join("_" if s != "." else c for c, s in zip(whole, said, strict=True))
        assert all(s in (".", c) for c, s in zip(whole, said, strict=True))


def test_sizes_of_a_task_are_all_drawn():
    draw = tasks.task_batches("previous", sizes=(3, 5), batch=2, seed=0, causal=True)

    assert {draw(step)[0].shape for step in range(50)} == {(2, 3), (2, 4), (2, 5)}


def test_a_row_is_right_if_all_of_it_is():
    """A model that names the same token everywhere is right where that token is wanted."""
    config = Config(positions="none", n_tokens=8, d_model=16, n_heads=2, causal=False)
    model = GPT(config, seed=0)
    model.weights["final.gain"][:] = 0
    model.weights["final.shift"][:] = 1
    model.weights["tokens"][:] = np.arange(8)[:, None] == 2
    _, targets = tasks.task_rows(
        "previous", 2, 300, np.random.default_rng([4, 2, 300]), causal=False
    )

    found = tasks.score(model, "previous", size=2, n_rows=300, seed=4)

    assert found.characters == found.rows == (targets[:, 1] == 2).mean() > 0


# By property


@EVERY
def test_gradients_are_those_of_small_differences(positions, causal):
    model, random = small(positions, causal=causal), np.random.default_rng(1)
    ids, targets = rows(), rows(seed=1)
    targets[0, :3] = -1
    loss, gradients = model.loss_and_gradients(ids, targets)

    assert loss == model.loss(ids, targets)
    assert gradients.keys() == model.weights.keys()
    for name, weight in model.weights.items():
        for _ in range(3):
            place = tuple(int(random.integers(size)) for size in weight.shape)
            kept, losses = weight[place], []
            for step in (1e-5, -1e-5):
                weight[place] = kept + step
                losses.append(model.loss(ids, targets))
            weight[place] = kept
            difference = (losses[0] - losses[1]) / 2e-5
            assert gradients[name][place] == pytest.approx(difference, rel=1e-5, abs=1e-8), name


@pytest.mark.parametrize("settings", [{"scaling": "ntk"}, {"scaling": "linear"}, {"block": 5}])
def test_gradients_of_a_model_that_reads_past_its_length(settings):
    """The last row of a repeated table is read several times, and learns from each."""
    positions = "learned" if "block" in settings else "rope"
    changed = {"past_end": "repeat"} if "block" in settings else {"factor": 3.0}
    model = small(positions, **settings | changed)
    ids, targets = rows(), rows(seed=1)
    _, gradients = model.loss_and_gradients(ids, targets)
    name, place = ("positions", (4, 3)) if positions == "learned" else ("0.qkv", (2, 3))
    weight, losses = model.weights[name], []
    for step in (1e-5, -2e-5):
        weight[place] += step
        losses.append(model.loss(ids, targets))

    assert gradients[name][place] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-5)


def test_all_schemes_start_with_the_same_weights():
    plain = GPT(Config(positions="none", **SMALL), seed=3).weights
    for positions in POSITIONS:
        weights = GPT(Config(positions=positions, **SMALL), seed=3).weights
        assert same({name: weights[name] for name in plain}, plain)
    assert not same(GPT(Config(positions="none", **SMALL), seed=4).weights, plain)


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_decoder_does_not_look_ahead_and_an_encoder_does(positions):
    ids = rows()
    other = ids.copy()
    other[:, 5:] = (other[:, 5:] + 1) % 7

    decoder, encoder = small(positions), small(positions, causal=False)
    before = [model.logits(ids)[:, :5] for model in (decoder, encoder)]
    after = [model.logits(other)[:, :5] for model in (decoder, encoder)]

    np.testing.assert_allclose(after[0], before[0], rtol=0, atol=1e-12)
    assert np.abs(after[1] - before[1]).max() > 1e-3


@pytest.mark.parametrize("positions", POSITIONS)
def test_only_an_encoder_without_positions_takes_words_for_a_bag(positions):
    ids, order = rows(), np.random.default_rng(0).permutation(8)
    for causal in (True, False):
        model = small(positions, causal=causal)
        error = np.abs(model.logits(ids[:, order]) - model.logits(ids)[:, order]).max()
        assert (error < 1e-12) == (positions == "none" and not causal)


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("window", [8, 40])
def test_a_text_written_with_a_cache_is_the_text_written_without(positions, window):
    model = small(positions, past_end="repeat")
    with_cache, without = (
        generate(model, [1, 2, 3], 20, seed=4, window=window, cache=cache)
        for cache in (True, False)
    )

    np.testing.assert_array_equal(with_cache, without)
    assert len(set(with_cache.tolist())) > 2


@pytest.mark.parametrize("positions", POSITIONS)
def test_logits_with_a_cache_are_the_logits_without(positions):
    model, ids, cache = small(positions), rows(), []
    parts = [model.logits(ids[:, part], cache) for part in (slice(3), slice(3, 4), slice(4, 8))]

    np.testing.assert_allclose(np.concatenate(parts, 1), model.logits(ids), rtol=0, atol=1e-12)


def test_a_low_temperature_writes_the_likeliest_token():
    model = small()
    text = generate(model, [1], 6, temperature=1e-3)
    likeliest = [int(model.logits(text[None, : n + 1])[0, -1].argmax()) for n in range(6)]

    np.testing.assert_array_equal(text[1:], likeliest)


def test_tokens_are_drawn_as_often_as_the_model_says():
    model = small("none")
    drawn = [generate(model, [1], 1, seed=seed, temperature=1.0)[1] for seed in range(1000)]
    scores = model.logits([[1]])[0, 0]
    shares = np.exp(scores) / np.exp(scores).sum()

    np.testing.assert_allclose(np.bincount(drawn, minlength=7) / 1000, shares, atol=0.05)


def test_encoding_and_decoding_are_inverse():
    vocabulary = Vocabulary.of("dog bites man é\n")

    assert vocabulary.decode(vocabulary.encode("mé\n dog")) == "mé\n dog"
    assert len(vocabulary) == len(vocabulary.characters) == 14


# By a second route


@EVERY
def test_the_model_is_the_functions_of_the_package_put_together(positions, causal):
    """The forward pass again, from `embed`, `attention` and `tied_logits`, text by text."""
    model = small(positions, causal=causal)
    w, ids, n, d, heads = model.weights, rows(), 8, 16, 2
    mask = posenc_ref.causal_mask(n, n) if causal else None
    rotation, bias, added = None, None, 0.0
    if positions == "learned":
        added = w["positions"]
    elif positions.startswith("sinusoidal"):
        added = posenc_ref.sinusoidal_table(n, d) * w.get("scale", 1)
    elif positions == "rope":
        rotation = posenc_ref.rotary_cos_sin(np.arange(n), posenc_ref.rotary_inv_freq(8))
    elif positions == "alibi":
        bias = posenc_ref.alibi_bias(heads, n, n)
    elif positions == "t5":
        bias = posenc_ref.t5_bias(w["buckets"], n, n, bidirectional=not causal)

    def turn(x):
        return x if rotation is None else posenc_ref.apply_rotary(x, rotation, layout="interleaved")

    def norm(x, name):
        unit = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return unit * w[f"{name}.gain"] + w[f"{name}.shift"]

    for text, found in zip(ids, model.logits(ids), strict=True):
        x = posenc_ref.embed(text, w["tokens"]) + added
        for layer in ("0", "1"):
            parts = (norm(x, f"{layer}.attend") @ w[f"{layer}.qkv"]).reshape(n, 3, heads, 8)
            q, k, v = parts.transpose(1, 2, 0, 3)
            mixed = posenc_ref.attention(turn(q), turn(k), v, bias=bias, mask=mask)
            x = x + mixed.transpose(1, 0, 2).reshape(n, d) @ w[f"{layer}.out"]
            wide = norm(x, f"{layer}.work") @ w[f"{layer}.up"] + w[f"{layer}.up.shift"]
            bent = wide / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)))
            x = x + bent @ w[f"{layer}.down"] + w[f"{layer}.down.shift"]
        expected = posenc_ref.tied_logits(norm(x, "final"), w["tokens"])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_ntk_scaling_is_a_larger_base():
    base = 10000.0 * 4 ** (8 / 6)

    np.testing.assert_allclose(
        small(scaling="ntk", factor=4.0).logits(rows(30)),
        small(base=base).logits(rows(30)),
        rtol=0,
        atol=1e-10,
    )


def test_linear_scaling_puts_tokens_nearer():
    """At factor 2 a text has the scores of the even places of one twice as long."""
    model, ids = small(n_layers=1), rows(4)
    twice = np.repeat(ids, 2, axis=1)  # each token stands twice, which softmax does not see

    stretched = model.changed(scaling="linear", factor=2.0)

    assert np.abs(stretched.logits(ids) - model.logits(ids)).max() > 1e-3
    assert np.abs(model.logits(twice)[:, ::2] - model.logits(ids)).max() > 1e-3
    assert stretched.weights is model.weights


def test_steps_are_those_of_the_paper():
    """Algorithm 2 of Loshchilov and Hutter, one number at a time; no decay of vectors."""
    random = np.random.default_rng(0)
    weights = {"matrix": random.standard_normal((2, 1)), "gain": random.standard_normal(2)}
    numbers = {name: weight.ravel().tolist() for name, weight in weights.items()}
    means, squares = ({name: [0.0, 0.0] for name in weights} for _ in range(2))
    moments = no_moments(weights)
    for step in range(1, 6):
        gradients = {name: random.standard_normal(w.shape) for name, w in weights.items()}
        adamw(weights, gradients, moments, step=step, rate=0.3, weight_decay=0.2)
        for name, gradient in gradients.items():
            for i, g in enumerate(gradient.ravel()):
                means[name][i] = 0.9 * means[name][i] + 0.1 * g
                squares[name][i] = 0.99 * squares[name][i] + 0.01 * g * g
                mean = means[name][i] / (1 - 0.9**step)
                square = squares[name][i] / (1 - 0.99**step)
                decay = 0.2 * numbers[name][i] if name == "matrix" else 0
                numbers[name][i] -= 0.3 * (mean / (math.sqrt(square) + 1e-8) + decay)

    for name, weight in weights.items():
        np.testing.assert_allclose(weight.ravel(), numbers[name], rtol=1e-10)


def test_a_gradient_is_shortened_to_what_is_allowed_and_not_lengthened():
    gradients = {"a": np.array([3.0, 0.0]), "b": np.array([[4.0]])}

    assert clip(gradients, 10.0) == 5
    np.testing.assert_array_equal(gradients["a"], [3, 0])
    assert clip(gradients, 1.0) == 5
    np.testing.assert_allclose(gradients["a"], [0.6, 0])
    np.testing.assert_allclose(gradients["b"], [[0.8]])


# While training


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_model_learns_one_batch_by_heart(positions):
    config = Config(positions=positions, **SMALL | {"d_model": 32})
    batch = batches()(1)

    done = train(GPT(config, seed=0), lambda step: batch, Settings(steps=150, learning_rate=1e-2))

    # Without positions the first tokens of the four pieces tell too little.
    assert done.losses[0] == pytest.approx(math.log(7), abs=0.6)
    assert done.losses[-1] < 0.25
    assert done.finished


def test_training_is_the_same_to_the_bit_and_leaves_the_model_as_it_was():
    model = GPT(Config(positions="t5", **SMALL), seed=0)
    kept = {name: weight.copy() for name, weight in model.weights.items()}
    first, second = (train(model, batches(), Settings(steps=20)) for _ in range(2))

    assert same(first.model.weights, second.model.weights)
    assert first.losses == second.losses
    assert same(model.weights, kept)
    assert not same(train(model, batches(seed=1), Settings(steps=20)).model.weights, kept)


@pytest.mark.parametrize("positions", ["learned", "rope"])
def test_a_run_stopped_by_ctrl_c_and_taken_up_is_the_run_that_was_not_stopped(positions, tmp_path):
    model, draw, file = GPT(Config(positions=positions, **SMALL)), batches(), tmp_path / "run.npz"
    options = {"measure": lambda m: m.loss(*draw(0)), "measure_at": (5, 10, 20)}

    def interrupting(step):
        if step == 12:
            os.kill(os.getpid(), signal.SIGINT)
        return draw(step)

    whole = train(model, draw, Settings(steps=20), **options)
    stopped = train(model, interrupting, Settings(steps=20), **options, checkpoint=file)
    resumed = train(model, draw, Settings(steps=20), **options, checkpoint=file)
    again = train(model, draw, Settings(steps=20), **options, checkpoint=file)

    assert (stopped.finished, len(stopped.losses)) == (False, 12)
    assert stopped.losses == whole.losses[:12]
    for done in (resumed, again):
        assert done.finished
        assert done.losses == whole.losses
        assert done.measured == whole.measured
        assert same(done.model.weights, whole.model.weights)
    assert resumed.seconds > stopped.seconds > 0
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_second_ctrl_c_ends_a_run_at_once():
    def interrupting(step):
        if step == 3:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        return batches()(step)

    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(small(), interrupting, Settings(steps=5))
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"seed": 1}, "first weights"),
        ({"steps": 21}, "settings"),
        ({"positions": "alibi"}, "config"),
        ({"batch_seed": 1}, "first batch"),
    ],
)
def test_a_checkpoint_is_not_taken_for_that_of_another_run(changed, named, tmp_path):
    def begin(positions="rope", seed=0, steps=20, batch_seed=0):
        model = GPT(Config(positions=positions, **SMALL), seed=seed)
        file = tmp_path / "run.npz"
        return train(model, batches(seed=batch_seed), Settings(steps=steps), checkpoint=file)

    begin()

    with pytest.raises(ValueError, match=f"must be a checkpoint of this run.*another {named}"):
        begin(**changed)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 and no more"])
def test_a_file_that_is_no_checkpoint_is_named(content, tmp_path):
    (tmp_path / "run.npz").write_bytes(content)

    with pytest.raises(ValueError, match=r"run\.npz must be a checkpoint of the lab"):
        load(tmp_path / "run.npz", {})


def test_the_loss_of_a_text_is_the_mean_over_pieces_and_by_place():
    model, text = small(), rows(50, 1)[0]
    expected = [
        model.losses(text[None, a : a + 8], text[None, a + 1 : a + 9]) for a in range(0, 48, 8)
    ]

    np.testing.assert_allclose(losses_by_place(model, text), np.mean(expected, 0), rtol=1e-12)
    assert estimate_loss(model, text) == pytest.approx(np.mean(expected), rel=1e-12)
    assert estimate_loss(model, text, length=1) == pytest.approx(
        model.loss(text[:-1, None], text[1:, None])
    )


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_drawn_on_a_terminal_only():
    for stream, label in ((Terminal(), "rope"), (io.StringIO(), "rope"), (Terminal(), None)):
        bar = Progress(label, 100, stream)
        bar.show(50)
        bar.show(100, "loss 1.000")
        bar.end()
        if label and stream.isatty():
            assert re.search(r"\rrope #{24} 100/100 loss 1.000 0 s left *\n$", stream.getvalue())
            assert max(map(len, re.split("[\r\n]", stream.getvalue()))) < 80
        else:
            assert stream.getvalue() == ""


# Experiments


def tiny(seeds=(0, 1)):
    config = {"d_model": 16, "n_heads": 2, "block": 8, "n_layers": 1}
    common = {"source": "text", "settings": {"steps": 4}, "measure_at": (2, 4)}
    return experiments.Plan("tiny", "Does it run?", seeds, common).of(
        {
            "rope": {"config": config | {"positions": "rope"}, "stretched": ("ntk",), "sample": 5},
            "learned": {"config": config | {"positions": "learned"}},
        }
    )


def tiny_task():
    changed = {"task": "reverse", "sizes": (2, 3), "batch": 4, "settings": {"steps": 12}}
    config = {"positions": "none", "causal": False, "d_model": 16, "n_heads": 2}
    plan = experiments.Plan("tasks", "Does it run?", (0, 1), {"source": "task"})
    return plan.of({"reverse encoder none": changed | {"config": config}})


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Two tiny experiments, run in one process beside this one; the first in two goes."""
    out = tmp_path_factory.mktemp("lab") / "results.json"
    text = grammar_text(3000)
    runner.run([tiny((0,))], out, text=text, jobs=1)
    results = runner.run([tiny(), tiny_task()], out, text=text, jobs=1)
    return out, results, text


def test_results_are_plain_and_whole(done):
    out, results, text = done
    cells = results["cells"]

    assert json.loads(out.read_text("utf-8")) == load_results(out) == results
    assert list(cells)[:4] == ["tiny/rope/0", "tiny/rope/1", "tiny/learned/0", "tiny/learned/1"]
    rope = cells["tiny/rope/0"]
    assert rope["told"]["config"]["positions"] == "rope"
    assert [row[0] for row in rope["losses"]] == [2, 4]
    assert rope["lengths"].keys() == {"none", "ntk"}
    assert list(rope["lengths"]["none"]) == ["8", "16", "32", "64"]
    assert rope["lengths"]["ntk"]["8"] == rope["lengths"]["none"]["8"]
    assert len(rope["by_place"]) == 4
    assert np.mean(rope["by_place"]) == pytest.approx(rope["lengths"]["none"]["64"], abs=1e-4)
    assert len(rope["sample"]) == 5
    assert cells["tasks/reverse encoder none/1"]["sizes"].keys() == {"3", "6"}
    assert results["texts"]["text"]["characters"] == len(text)
    assert results["machines"][rope["machine"]]["numpy"] == np.__version__
    assert len(values(results, "tiny", "rope", "lengths", "none", "8")) == 2


def test_what_is_there_is_not_run_again(done, tmp_path):
    out, _, text = done
    copy = tmp_path / "results.json"
    copy.write_text(re.sub('"seconds": [0-9.]+', '"seconds": 99', out.read_text("utf-8")), "utf-8")

    again = runner.run([tiny(), tiny_task()], copy, text=text, jobs=1)

    assert {cell["seconds"] for cell in again["cells"].values()} == {99}
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert [path.name for path in out.parent.iterdir()] == ["results.json"]


def test_a_cell_is_measured_as_it_says(done, tmp_path):
    """In this process, and once more from the weights."""
    _, results, text = done
    [cell, *_] = tiny().cells
    found = run_cell(cell, text, checkpoint=tmp_path / "cell.npz")
    parts = corpus(text)
    model = GPT(Config(n_tokens=len(parts.vocabulary), **cell.config), seed=0)
    with np.load(tmp_path / "cell.npz") as saved:
        model = model.with_weights({name: saved[f"weights/{name}"] for name in model.weights})
    tokens = parts.validation[: 64 * ((len(parts.validation) - 1) // 64) + 1]

    kept = results["cells"][cell.key]
    assert {"seconds": 0, **found} | {"seconds": 0} == {
        name: 0 if name == "seconds" else kept[name] for name in found
    }
    for length in (8, 16, 32, 64):
        ntk = model.changed(scaling="ntk", factor=length / 8)
        for scaling, which in (("none", model), ("ntk", ntk)):
            loss = estimate_loss(which, tokens, length=length)
            assert found["lengths"][scaling][str(length)] == pytest.approx(loss, abs=6e-5)


def test_a_cell_of_other_settings_is_missing(done):
    _, results, _ = done
    changed = [cell for cell in tiny().cells if cell.variant == "rope"]
    for cell in changed:
        cell.settings["steps"] = 5

    assert missing(results, [tiny(), tiny_task()]) == []
    assert missing(results, [experiments.Experiment("tiny", "", tuple(changed))]) == changed
    assert [cell.seed for cell in missing(results, [tiny((0, 1, 2))])] == [2, 2]


def test_results_of_another_text_are_not_mixed(done):
    out, _, text = done

    with pytest.raises(ValueError, match="the file holds results of another text"):
        runner.run([tiny((0, 1, 2))], out, text=text + "x")
    with pytest.raises(ValueError, match="text must be given"):
        runner.run([tiny((0, 1, 2))], out)


def test_the_report_has_every_variant_and_80_columns(done):
    _, results, _ = done
    told = report(results)

    assert max(map(len, told.splitlines())) <= 80
    for words_ in ("tiny: 2 seeds", "rope, ntk", "learned", "reverse, encoder", "size 6", "±"):
        assert words_ in told


def test_rope_is_stretched_as_far_as_the_text_is_longer():
    model = small()

    assert stretched(model, "none", 32) is model
    assert stretched(model, "ntk", 32).config.factor == 4
    assert stretched(model, "linear", 8).config.factor == 1


def test_cells_of_the_full_run_have_names_of_their_own_and_good_settings():
    every = [cell for experiment in experiments.full() for cell in experiment.cells]

    assert len({cell.key for cell in every}) == len(every)
    assert {cell.seed for cell in every} == {0, 1, 2}
    for cell in every:
        Config(n_tokens=65, **cell.config)
        Settings(**cell.settings)
        assert json.loads(json.dumps(cell.told())) == cell.told()
        assert cell.key.count("/") == 2
    assert {c.variant for c in every if c.stretched == ("linear", "ntk")} == {"rope"}
    kinds = {cell.variant for cell in every if cell.experiment == "tasks"}
    assert len(kinds) == 5 * 2 * 6


def test_a_plot_puts_points_where_they_belong():
    drawn = plot(
        {"one": [(1, 0.0), (4, 2.0)], "two": [(2, 1.0)]}, x_label="x", y_label="y", doubling=True
    ).splitlines()
    paper = [line[10:].ljust(69) for line in drawn[1:17]]

    assert paper[0][68] == paper[15][0] == "o"
    [middle] = [line for line in paper if "x" in line]
    assert middle.index("x") == 34
    assert drawn[1].split()[0] == "2"
    assert drawn[16].split()[0] == "0"
    assert drawn[-1] == "o one   x two"
    assert max(map(len, drawn)) <= 80


# The command


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    add_commands(parser)
    return parser.parse_args(list(arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "--positions", "rope", "--steps", "5", "--text", "a b.txt"],
        ["smoke"],
        ["full", "--text", "x", "--only", "tasks"],
    ],
)
def test_the_command_starts_itself_again_with_the_same_words(arguments):
    options = parsed(*arguments)

    assert parsed(*words(options)) == options


def lab(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    return subprocess.run(
        [sys.executable, "-m", "posenc_ref.lab", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=clean | environment,
        timeout=600,
    )


def test_the_command_trains_and_draws_and_is_the_same_each_time():
    options = ["--positions=alibi", "--steps=20", "--d-model=16", "--sample=30", "--n-layers=1"]
    first, second = (lab("train", *options) for _ in range(2))

    assert (first.returncode, first.stderr) == (0, "")
    assert re.search(r"^validation loss \d\.\d{3} nats a character$", first.stdout, re.MULTILINE)
    assert "o alibi" in first.stdout
    assert max(map(len, first.stdout.splitlines())) <= 80
    strip = re.compile(r"in \d+\.\d s")
    assert strip.sub("", first.stdout) == strip.sub("", second.stdout)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["train", "--positions=rope", "--text=no-such-file"], "no-such-file: No such file"),
        (["train", "--positions=rope", "--block=20000"], "--block must be below 10"),
        (["train", "--positions=rope", "--d-model=6"], "d_model must be a multiple of n_heads"),
        (["report", "pyproject.toml"], "pyproject.toml must hold results of the lab"),
        (["report", "no-such-file"], "no-such-file: No such file"),
        (["full", "--text=Makefile", "--only=x"], "--only must be one of schemes, sinusoids"),
    ],
)
def test_wrong_usage_is_told_in_one_line(arguments, told):
    done = lab(*arguments, **ONE_THREAD)

    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_smoke_run_shows_the_order_that_is_known(tmp_path):
    """As `make lab-smoke`: 4 schemes, 300 steps on the grammar, seed 0."""
    done = lab("smoke", "--out", str(tmp_path / "smoke.json"))

    assert done.stderr == ""
    assert done.returncode == 0, done.stdout
    found = work.rules(load_results(tmp_path / "smoke.json"))
    assert len(found) == 3
    assert all(holds for _, _, holds in found), found
    assert done.stdout.count("holds: ") == 3


# On bad input

GOOD = {"positions": "rope", **SMALL}


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"positions": "rotary"}, ValueError, "positions must be one of 'none', 'learned', "),
        ({"positions": None}, TypeError, "positions must be one of "),
        ({"n_tokens": 1}, ValueError, "n_tokens must be at least 2, got 1"),
        ({"block": 0}, ValueError, "block must be at least 1, got 0"),
        ({"block": 8.0}, TypeError, "block must be a whole number (int), got 8.0 (float)"),
        ({"n_layers": 0}, ValueError, "n_layers must be at least 1, got 0"),
        ({"n_heads": 3}, ValueError, "d_model must be a multiple of n_heads, got 16 and 3"),
        ({"d_model": 2}, ValueError, "d_model / n_heads must be even and at least 2"),
        (
            {"positions": "sinusoidal", "d_model": 3, "n_heads": 1},
            ValueError,
            "d_model must be even",
        ),
        ({"causal": 1}, TypeError, "causal must be True or False, got 1 (int)"),
        ({"past_end": "stop"}, ValueError, "past_end must be one of 'error', 'repeat', got 'stop'"),
        ({"start_scale": 0}, ValueError, "start_scale must be above 0, got 0"),
        ({"base": 0.1}, ValueError, "base must be at least 1, got 0.1"),
        ({"scaling": "yarn"}, ValueError, "scaling must be one of 'none', 'linear', 'ntk'"),
        ({"scaling": "ntk", "factor": 0.5}, ValueError, "factor must be at least 1"),
        ({"factor": 2.0}, ValueError, "factor must be 1 without a scaling, got 2.0"),
        (
            {"positions": "alibi", "scaling": "ntk"},
            ValueError,
            "scaling must be 'none' for 'alibi', got 'ntk'",
        ),
        (
            {"scaling": "ntk", "d_model": 4},
            ValueError,
            "d_model / n_heads must be at least 4 for 'ntk', got 2",
        ),
        (
            {"positions": "t5", "n_buckets": 5, "causal": False},
            ValueError,
            "n_buckets must be even and at least 4 if bidirectional, got 5",
        ),
        ({"positions": "t5", "max_distance": 9}, ValueError, "max_distance must be above 16"),
    ],
)
def test_a_bad_setting_is_named(changed, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        Config(**GOOD | changed)


@pytest.mark.parametrize("positions", ["learned"])
def test_a_learned_table_ends_unless_it_is_told_to_repeat(positions):
    model, ids = small(positions), rows(9)

    with pytest.raises(
        ValueError, match=r"has 8 rows \(block\), and a text of 9 tokens needs more"
    ):
        model.logits(ids)
    with pytest.raises(ValueError, match="past_end='repeat' reads its last row again"):
        generate(model, [1], 20, window=40)
    with pytest.raises(ValueError, match="has 8 rows"):
        estimate_loss(model, rows(50, 1)[0], length=16)

    longer = model.changed(past_end="repeat").logits(ids)
    np.testing.assert_allclose(longer[:, :8], model.logits(ids[:, :8]), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Vocabulary.of("dog").encode("dig!"), ValueError, "got '!', 'i'"),
        (lambda: Vocabulary.of("dog").decode([3]), ValueError, "ids must be at most 2 everywhere"),
        (lambda: Vocabulary("aa"), ValueError, "characters must be at least two, each once"),
        (lambda: Vocabulary(3), TypeError, "characters must be text, got int"),
        (lambda: corpus(""), ValueError, "characters must be at least two"),
        (
            lambda: text_batches(np.arange(8), block=8, batch=1, seed=0),
            ValueError,
            "the text must be longer than a block of 8 tokens, got 8",
        ),
        (
            lambda: estimate_loss(small(), np.zeros(8, int)),
            ValueError,
            "the text must be longer than 8 tokens (length), got 8",
        ),
        (lambda: small().logits([[7]]), ValueError, "ids must be at most 6 everywhere, got 7"),
        (lambda: small().logits([1, 2]), ValueError, "ids must have shape (batch, n), got (2,)"),
        (lambda: small().logits([[]]), ValueError, "ids must have at least one token"),
        (lambda: small().loss([[1, 2]], [[1]]), ValueError, "targets must have shape (1, 2)"),
        (lambda: small().loss([[1]], [[-2]]), ValueError, "targets must be at least -1"),
        (lambda: small().loss([[1]], [[-1]]), ValueError, "targets must ask for at least one"),
        (lambda: small().changed(block=9, positions="learned"), ValueError, "would need other wei"),
        (lambda: GPT(Config(**GOOD), seed=-1), ValueError, "seed must be at least 0, got -1"),
        (lambda: GPT(Config(**GOOD), dtype=int), ValueError, "dtype must be float32 or float64"),
        (lambda: generate(small(causal=False), [1], 1), ValueError, "model must be a decoder"),
        (lambda: generate(small(), [], 1), ValueError, "ids must have at least one token"),
        (lambda: generate(small(), [1], -1), ValueError, "n_new must be at least 0"),
        (lambda: generate(small(), [1], 1, temperature=0), ValueError, "temperature must be above"),
        (lambda: generate(small(), [1], 1, window=0), ValueError, "window must be at least 1"),
        (lambda: Settings(steps=0), ValueError, "steps must be at least 1, got 0"),
        (lambda: Settings(weight_decay=-1), ValueError, "weight_decay must be at least 0"),
        (lambda: tasks.vocabulary("sort"), ValueError, "task must be one of 'reverse', 'copy'"),
        (
            lambda: tasks.task_batches("copy", sizes=(4, 3), batch=1, seed=0, causal=True),
            ValueError,
            "sizes[1] must be at least 4, got 3",
        ),
        (lambda: interval([1.0]), ValueError, "values must be 2 to 10, got 1"),
        (lambda: interval([1.0, math.nan]), ValueError, "values[1] must be finite, got nan"),
        (lambda: differences([1, 2], [1]), ValueError, "first and second must be as many"),
        (lambda: plot({}, x_label="", y_label=""), ValueError, "curves must have at least one"),
        (lambda: grammar_text(-1), ValueError, "n_characters must be at least 0, got -1"),
        (lambda: report({"cells": {}}), ValueError, "there are no results to report"),
    ],
)
def test_a_bad_argument_is_named(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    (tmp_path / "text").write_bytes(b"dog\xff")

    with pytest.raises(ValueError, match="text must be text in UTF-8, got byte 3"):
        read_text(tmp_path / "text")
    (tmp_path / "text").write_bytes(b"a\r\nb")
    assert read_text(tmp_path / "text") == "a\nb"


# As a part of the package

ROWS = [
    {"config", "functions", "vocabulary", "intervals", "plot", "progress", "memory", "threads"},
    {"schemes"},
    {"first_weights", "layer", "optimiser"},
    {"gpt", "checkpoint"},
    {"generate", "text", "measure"},
    {"train", "tasks"},
    {"experiments"},
    {"cells", "results"},
    {"runner", "report"},
    {"work"},
    {"command"},
]


def test_files_of_the_lab_import_from_the_rows_above():
    row = {name: number for number, names in enumerate(ROWS) for name in names}
    files = {path.stem: path for path in (ROOT / "posenc_ref/lab").glob("[!_]*.py")}
    assert files.keys() == row.keys()
    for name, path in files.items():
        if name == "command":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("posenc_ref.lab"):
                parts = node.module.split(".")[2:] or [alias.name for alias in node.names]
                assert all(row[part] < row[name] for part in parts), (name, node.module)


def test_the_package_is_imported_without_its_lab():
    script = "import sys, posenc_ref; print([m for m in sys.modules if 'posenc_ref.lab' in m])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert run.stdout == "[]\n"


def test_first_weights_are_small():
    weights = first_weights(Config(positions="none", n_tokens=65), 0, np.dtype(np.float32))

    assert weights["tokens"].std() == pytest.approx(0.02, rel=0.05)
    assert weights["0.out"].std() == pytest.approx(0.01, rel=0.05)
    assert (weights["0.work.gain"] == 1).all()
    assert (weights["final.shift"] == 0).all()
