"""How far the job is: a line on rank 0 with what is done, the rate and the time left."""

import sys
import time
from typing import TextIO


class Progress:
    """Prints a progress line at most every `seconds`; on a terminal it renews one line."""

    def __init__(self, what: str, unit: str, total: float, seconds: float, stream: TextIO | None = None):
        """Begin.

        Args:
            what: the name of the work, first on the line.
            unit: what is counted: `B` gives sizes, anything else numbers.
            total: how much there is to do, in that unit; 0 when unknown.
            seconds: time between lines; 0 for none at all.
        """
        self.what, self.unit, self.total = what, unit, total
        self.seconds = seconds
        self.stream = stream or sys.stderr
        self.begin = time.monotonic()
        self.renews = self.stream.isatty()
        self.interval = min(seconds, 0.5) if self.renews else seconds
        self.due = self.begin + self.interval
        self.printed = False
        self.done = 0

    def advance(self) -> None:
        """One more is done."""
        self.done += 1
        self.update(self.done)

    def update(self, done: float, note: str = "") -> None:
        """Print a line if one is due."""
        if self.seconds and time.monotonic() >= self.due:
            self.due = time.monotonic() + self.interval
            self._print(done, note)

    def finish(self) -> None:
        """Leave the terminal's line."""
        if self.renews and self.printed:
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def _print(self, done: float, note: str) -> None:
        elapsed = max(time.monotonic() - self.begin, 1e-9)
        rate = done / elapsed
        parts = [self.what, self._amount(done)]
        if self.total:
            parts.append(f"{min(100.0, 100 * done / self.total):3.0f} %")
        parts += [f"{self._amount(rate)}/s", f"{clock(elapsed)} elapsed"]
        if self.total and rate:
            parts.append(f"{clock(max(0.0, (self.total - done) / rate))} left")
        line = "  ".join([*parts, note]).rstrip()
        self.stream.write(f"\r\x1b[K{line}" if self.renews else line + "\n")
        self.stream.flush()
        self.printed = True

    def _amount(self, number: float) -> str:
        return size(number) if self.unit == "B" else f"{number:,.0f} {self.unit}"


def size(number: float) -> str:
    """Write a number of bytes for people."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if abs(number) < 1000 or unit == "TB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if number >= 100 or unit == "B" else f"{number:.1f} {unit}"


def clock(seconds: float) -> str:
    """Write a time span as h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}"
