"""By how much each rule lengthens each wavelength: the head of Phi-3, one factor, six answers."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from _figures._configs import PHI_3
from _hooks.style import Colors
from posenc_ref import (
    config_frequencies,
    read_config,
    rotary_inv_freq,
    scale_linear,
    scale_llama3,
    scale_ntk,
    scale_yarn,
)

WIDTH, BASE, FACTOR, TRAINED = 96, 10000.0, 32.0, 4096
NAMES = {
    "linear": "linear",
    "ntk": "NTK",
    "yarn": "YaRN, released",
    "parts": "YaRN, paper’s ramp",
    "llama3": "Llama 3’s",
    "longrope": "LongRoPE, long list",
}


def data() -> dict[str, Any]:
    speeds = rotary_inv_freq(WIDTH, BASE)
    scaled = {
        "linear": scale_linear(speeds, factor=FACTOR),
        "ntk": scale_ntk(WIDTH, BASE, factor=FACTOR),
        "yarn": scale_yarn(WIDTH, BASE, factor=FACTOR, trained_length=TRAINED),
        "parts": scale_yarn(WIDTH, BASE, factor=FACTOR, trained_length=TRAINED, ramp="rotations"),
        "llama3": scale_llama3(
            speeds, factor=FACTOR, low_freq_factor=1, high_freq_factor=4, trained_length=TRAINED
        ),
        "longrope": config_frequencies(read_config(PHI_3), seq_len=TRAINED + 1),
    }
    return {
        "before": (2 * np.pi / speeds).tolist(),
        "longer": {name: (speeds / rule.inv_freq).tolist() for name, rule in scaled.items()},
    }


def draw(fig: Figure, data: dict[str, Any], colors: Colors) -> None:
    ax = fig.subplots()
    for name, label in NAMES.items():
        ax.plot(data["before"], data["longer"][name], label=label)
    ax.axvline(TRAINED, color=colors["ink-2"], lw=0.9, ls="-")
    ax.text(TRAINED * 1.1, 1.06, "trained length", color=colors["ink-2"], fontsize=9)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks([10, 100, 1000, 10000], ["10", "100", "1000", "10,000"])
    ax.set_yticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
    ax.minorticks_off()
    fig.legend(loc="outside lower center", ncols=3, fontsize=8.5, handlelength=2.6)
    ax.set(
        title="One factor, 32: six answers for the middle",
        xlabel="wavelength before, tokens (logarithmic)",
        ylabel="wavelength multiplied by",
        ylim=(0.9, 80),
    )
