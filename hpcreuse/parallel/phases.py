"""Where the time goes: seconds per phase of a job, over all ranks.

A phase is what a rank does between two looks at the clock; what lies outside all of them is `other`, so that the
phases of a rank add up to its whole time. Ranks that wait for others before an exchange count that as `wait`:
`exchange` is then the transfer alone, and the largest over the mean of any other phase tells how unevenly the
work is shared out.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hpcreuse.parallel.memory import peak_resident
from hpcreuse.parallel.world import World


class Phase:
    """The seconds of one phase; a context manager of its own kind, since hashing enters two of them per page."""

    __slots__ = ("begin", "seconds")

    def __init__(self) -> None:
        self.begin = self.seconds = 0.0

    def __enter__(self) -> None:
        self.begin = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self.begin


class Phases:
    """Adds up the seconds this rank spends in each phase. Phases follow on each other: none inside another."""

    def __init__(self) -> None:
        self.start_seconds = process_age()
        self.begin = time.perf_counter()
        self.known: dict[str, Phase] = {}

    def __call__(self, name: str) -> Phase:
        """Count the time inside to a phase."""
        phase = self.known.get(name)
        if phase is None:
            phase = self.known[name] = Phase()
        return phase

    @contextmanager
    def together(self, name: str, world: World) -> Iterator[None]:
        """Collective. Count the time inside to a phase that all ranks begin at once, and the waiting before apart."""
        with self("wait"):
            world.wait()
        with self(name):
            yield

    def add(self, name: str, seconds: float) -> None:
        """Count seconds to a phase."""
        self(name).seconds += seconds

    def summary(self, world: World) -> dict[str, Any]:
        """Collective. Give the time of the whole, and of each phase the largest and the mean over ranks."""
        seconds = {name: phase.seconds for name, phase in self.known.items()}
        total = time.perf_counter() - self.begin
        seconds["other"] = max(0.0, total - sum(seconds.values()))
        everyones = world.comm.allgather(
            (seconds, total, self.start_seconds, world.sent_bytes, world.received_bytes, peak_resident())
        )
        phases, totals, starts, sent, received, peaks = zip(*everyones, strict=True)
        names = dict.fromkeys(name for theirs in phases for name in theirs)
        return {
            "ranks": world.size,
            "start_seconds": round(max(starts), 2),
            "seconds": round(max(totals), 3),
            "phases": {name: over_ranks([theirs.get(name, 0.0) for theirs in phases], 3) for name in names},
            "sent_bytes": over_ranks(sent),
            "received_bytes": over_ranks(received),
            "peak_resident_bytes": max(peaks),
        }


def over_ranks(values: Sequence[float], digits: int | None = None) -> dict[str, float]:
    """Give the largest and the mean, to whole numbers or so many digits."""
    return {"max": round(max(values), digits), "mean": round(sum(values) / len(values), digits)}


def process_age() -> float:
    """Tell how long ago this process began: Python, its imports and MPI have been started meanwhile."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, AttributeError, IndexError):
        # Not Linux
        return 0.0
