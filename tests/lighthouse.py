"""Lighthouse on the built site, served compressed as a real host does it: `make lighthouse`.

Usage: python -m tests.lighthouse LIGHTHOUSE SITE

One run moves by a few points, so the median of three counts. The exit status is 1 if any page
misses a goal.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from tests.chromium import ARGS, find_chromium
from tests.server import serving

GOALS = {"performance": 92, "accessibility": 100, "best-practices": 100, "seo": 100}
PAGES = {"home": "", "lesson": "lessons/sinusoidal/", "notebook": "examples/d4_by_hand/"}
RUNS = 3


def main(lighthouse, site):
    environment = os.environ | {"CHROME_PATH": str(find_chromium())}
    missed = False
    print(f"{'page':10}", *(f"{name:>15}" for name in GOALS))
    with serving(Path(site)) as base:
        for page, address in PAGES.items():
            runs = [scores(lighthouse, base + address, environment) for _ in range(RUNS)]
            medians = {name: statistics.median(run[name] for run in runs) for name in GOALS}
            print(f"{page:10}", *(f"{median:15}" for median in medians.values()), flush=True)
            missed |= any(medians[name] < goal for name, goal in GOALS.items())
    return 1 if missed else 0


def scores(lighthouse, url, environment):
    """One run, as Lighthouse does it without being told otherwise: on a slow phone."""
    command = [
        *(lighthouse, url, "--quiet", "--output=json"),
        f"--only-categories={','.join(GOALS)}",
        f"--chrome-flags=--headless {' '.join(ARGS)}",
    ]
    report = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    categories = json.loads(report)["categories"]
    return {name: round(100 * categories[name]["score"]) for name in GOALS}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
