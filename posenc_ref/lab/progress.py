"""How far a run is: a line on a terminal, and nothing anywhere else."""

import sys
import time
from typing import TextIO

WIDTH = 24  # characters of the bar
PAUSE = 0.1  # seconds between two drawings


class Progress:
    """A bar that is drawn over itself, on standard error, if that is a terminal.

    Args:
        label: What is being done; nothing is drawn if not given.
        total: How many steps there are.
        stream: Where to draw; standard error, if not given.
    """

    def __init__(self, label: str | None, total: int, stream: TextIO | None = None) -> None:
        """Draw nothing yet."""
        self.label, self.total = label, total
        self.stream = stream or sys.stderr
        self.on = label is not None and self.stream is not None and self.stream.isatty()
        self.began = time.monotonic()
        self.drawn = 0.0
        self.first: int | None = None

    def show(self, step: int, note: str = "") -> None:
        """Draw the bar at a step, unless it was drawn a moment ago."""
        now = time.monotonic()
        if self.first is None:
            self.first = step - 1  # a run that is taken up does not begin at 0
        if not self.on or (now - self.drawn < PAUSE and step < self.total):
            return
        self.drawn = now
        full = WIDTH * step // self.total
        left = (now - self.began) / max(step - self.first, 1) * (self.total - step)
        bar = "#" * full + "." * (WIDTH - full)
        line = f"{self.label} {bar} {step}/{self.total} {note} {left:.0f} s left"
        self.stream.write(f"\r{line[:79]:<79}")
        self.stream.flush()

    def end(self) -> None:
        """Leave the line."""
        if self.on and self.drawn:
            self.stream.write("\n")
            self.stream.flush()
