"""What the pages of the lab say is what the file of results says."""

import json
from statistics import mean, stdev

import pytest

from _figures import _lab
from posenc_ref.lab.experiments import full
from posenc_ref.lab.results import missing

RAW = json.loads(_lab.RESULTS.read_text("utf-8"))
SEEDS = {
    "low": (1.00, 1.01, 1.02),
    "high": (1.30, 1.31, 1.33),
    "wide": (0.90, 1.00, 1.20),
    "wide and long": (0.91, 0.98, 1.21),
    "falling": (1.00, 1.00, 1.00),
    "falling and long": (0.99, 0.96, 0.99),
}


def test_every_model_of_the_plan_was_trained_as_the_plan_says():
    assert missing(RAW, full()) == []
    assert len(RAW["cells"]) == sum(len(experiment.cells) for experiment in full())


@pytest.mark.parametrize(
    ("variant", "key", "scaling"),
    [
        ("rope", "schemes/rope", "none"),
        ("rope_ntk", "schemes/rope", "ntk"),
        ("t5_near", "schemes/t5_near", "none"),
        ("layers/none 3", "layers/none 3", "none"),
        ("sinusoids/from 0.028", "sinusoids/from 0.028", "none"),
    ],
)
def test_a_loss_is_the_mean_of_the_seeds_in_the_file(variant, key, scaling):
    seeds = [RAW["cells"][f"{key}/{k}"]["lengths"][scaling]["256"] for k in range(3)]

    assert _lab.loss(variant, 256) == pytest.approx(mean(seeds))
    assert _lab.half(variant, 256) == pytest.approx(4.303 * stdev(seeds) / 3**0.5)


def test_a_share_is_the_mean_of_the_seeds_in_the_file():
    seeds = [
        RAW["cells"][f"tasks/copy encoder alibi/{k}"]["sizes"]["12"]["characters"] for k in range(3)
    ]

    assert _lab.right("copy", "encoder", "alibi", double=True) == pytest.approx(mean(seeds))
    assert _lab.lowest("copy", "encoder", "alibi", double=True) == min(seeds)


def test_losses_on_the_way_and_by_place_are_those_in_the_file():
    cells = [RAW["cells"][f"schemes/none/{k}"] for k in range(3)]

    assert _lab.on_the_way("none", 500) == tuple(
        loss for cell in cells for step, _, loss in cell["losses"] if step == 500
    )
    places = [mean(cell["by_place"][4:8]) for cell in cells]
    assert _lab.at_places("none", 64, 128).mean == pytest.approx(mean(places))


@pytest.fixture
def invented(monkeypatch):
    """Three seeds of invented models, twice as long for the long one."""
    monkeypatch.setattr(
        _lab, "by_seed", lambda variant, length=64: SEEDS[variant + " and long" * (length > 64)]
    )


def test_an_order_is_said_only_if_the_interval_of_the_difference_leaves_out_zero(invented):
    assert _lab.above("high", "low")
    assert _lab.above("high", "low", by=0.25)
    assert not _lab.above("high", "low", by=0.31)
    assert not _lab.above("low", "high")
    assert not _lab.level("high", "low")
    assert _lab.level("low", "wide")
    assert not _lab.above("wide", "low")


def test_flat_is_said_only_if_the_whole_interval_is_within(invented):
    assert _lab.flat("wide", 128, within=0.1)
    assert not _lab.flat("wide", 128, within=0.03)
    assert _lab.flat("falling", 128, within=0.07)
    assert not _lab.flat("falling", 128, within=0.03)
    assert not _lab.rises("wide", 128)
