"""Measure, and write `bench/results.json` (`make bench`).

PyTorch gets huge pages, as NumPy takes them by itself, and everything runs on one thread: these
are set before either is loaded, since both read them once.
"""

import json
import os
import platform
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "THP_MEM_ALLOC_ENABLE": "1",
    "HF_HUB_OFFLINE": "1",
}
LIBRARIES = ["numpy", "torch", "transformers", "rotary-embedding-torch", "positional-encodings"]
RESULTS = Path(__file__).parent / "results.json"


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def rounded(value: object) -> object:
    """Three digits: more would be noise."""
    if isinstance(value, float):
        return float(f"{value:.3g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def main() -> None:
    os.environ.update(SETTINGS)
    import torch

    from bench import biases, lab, rotary, tables

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    groups = []
    for part in (tables.run, rotary.run, biases.run, lab.run, biases.import_time):
        for group in part():
            groups.append(group)
            print(group["name"])
            for row in group["rows"]:
                print("  ", {key: rounded(value) for key, value in row.items()})
    record = {
        "measured": date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, one thread used",
        "python": platform.python_version(),
        "versions": {library: version(library) for library in LIBRARIES},
        "settings": SETTINGS,
        "groups": rounded(groups),
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
