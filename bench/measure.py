"""Timing on a machine that others use too.

Candidates run in turn, once a round, in an order that rotates; a slow spell of the machine then
hits all of them. Reported are the median time, and the median over rounds of the ratio to the
baseline of the same round.
"""

import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Candidates: TypeAlias = dict[str, Callable[[], Any]]


def compare(candidates: Candidates, baseline: str, *, rounds: int = 11) -> list[dict[str, Any]]:
    """Median milliseconds of each, and median ratio to the baseline."""
    names = list(candidates)
    for name in names:
        candidates[name]()
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            gc.disable()
            start = time.perf_counter()
            result = candidates[name]()
            times[name].append(time.perf_counter() - start)
            del result
            gc.enable()
    rows = []
    for name in names:
        ratios = [a / b for a, b in zip(times[name], times[baseline], strict=True)]
        rows.append(
            {
                "name": name,
                "ms": 1000 * statistics.median(times[name]),
                "ratio": statistics.median(ratios),
            }
        )
    return rows


def peak_bytes(work: Callable[[], Any]) -> int:
    """How far resident memory rises while the work runs, results included (Linux only)."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _resident("VmRSS")
    result = work()
    peak = _resident("VmHWM") - before
    del result
    return max(peak, 0)


def _resident(key: str) -> int:
    status = Path("/proc/self/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith(key)]
    return int(line.split()[1]) * 1024
