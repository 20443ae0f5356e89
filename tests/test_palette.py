"""The colours: contrast holds, colour-blind eyes lose no distinction, figures and pages agree."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from _hooks.style import DASHES, SCHEMES, SERIES

CSS = (Path(__file__).parents[1] / "docs/assets/css/site.css").read_text("utf-8")
SELECTORS = {
    "light": r":root,\s*\[data-md-color-scheme=default\]",
    "dark": r"\[data-md-color-scheme=slate\]",
}
GROUNDS = ("paper", "surface", "raised")
WORDS = ("token", "position", "query", "key")

# What protanopia, deuteranopia and tritanopia leave of linear RGB, at full severity:
# Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color
# vision deficiency", table 1.
EYES = {
    "usual": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}

# Linear RGB to OKLab: Ottosson (2020).
RGB_TO_LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
LMS_TO_LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def variables(selector):
    block = re.search(selector + r"\s*\{(.*?)\}", CSS, re.DOTALL)
    return dict(re.findall(r"--pe-([\w-]+): (#[0-9a-f]{6});", block[1]))


COLORS = {scheme: variables(selector) for scheme, selector in SELECTORS.items()}


def linear(color):
    channels = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Ratio of WCAG 2."""
    weights = [0.2126, 0.7152, 0.0722]
    low, high = sorted(float(linear(color) @ weights) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def oklab(rgb):
    return LMS_TO_LAB @ np.cbrt(RGB_TO_LMS @ rgb)


def distance(one, other, eyes):
    """How far apart two colours look, in hundredths of OKLab's unit."""
    seen = [oklab(np.clip(np.array(EYES[eyes]) @ linear(color), 0, 1)) for color in (one, other)]
    return 100 * np.linalg.norm(seen[0] - seen[1])


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_distance_of_black_and_white_is_100_for_all_eyes():
    for eyes in EYES:
        assert distance("#000000", "#ffffff", eyes) == pytest.approx(100, abs=0.1)


def test_both_schemes_name_the_same_colours():
    assert COLORS["light"].keys() == COLORS["dark"].keys()
    assert len(COLORS["light"]) == 19


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("scheme", COLORS)
def test_text_stands_out_from_every_ground(scheme, ground):
    colors = COLORS[scheme]

    for text in ("ink", "ink-2", "link"):
        assert contrast(colors[text], colors[ground]) >= 7, text
    for word in WORDS:
        assert contrast(colors[word], colors[ground]) >= 4.5, word
    assert contrast(colors["edge"], colors[ground]) >= 3


@pytest.mark.parametrize("scheme", COLORS)
def test_marks_stand_out_from_paper(scheme):
    colors = COLORS[scheme]

    for mark in ("other", "fast", "slow", "hi", "lo"):
        assert contrast(colors[mark], colors["paper"]) >= 3, mark


@pytest.mark.parametrize("scheme", COLORS)
def test_a_number_in_a_cell_is_readable_on_every_value(scheme):
    colors = COLORS[scheme]

    for value in ("hi", "mid", "lo", "mark"):
        assert contrast(colors["ink"], colors[value]) >= 4.5, value


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("scheme", COLORS)
def test_every_eye_tells_the_six_series_apart(scheme, eyes):
    for one, other in itertools.combinations(SERIES, 2):
        apart = distance(COLORS[scheme][one], COLORS[scheme][other], eyes)

        assert apart >= 7, (one, other)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("scheme", COLORS)
def test_every_eye_tells_the_ends_of_a_scale_apart(scheme, eyes):
    colors = COLORS[scheme]

    assert distance(colors["hi"], colors["lo"], eyes) >= 15
    assert distance(colors["fast"], colors["slow"], eyes) >= 20


def test_each_series_also_has_a_dash_of_its_own():
    assert len(set(map(str, DASHES))) == len(SERIES)


@pytest.mark.parametrize("scheme", COLORS)
def test_figures_have_the_colours_of_the_pages(scheme):
    for name, color in SCHEMES[scheme].items():
        assert COLORS[scheme][name] == color, name
