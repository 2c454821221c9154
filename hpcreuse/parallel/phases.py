"""Where the time goes: seconds per phase of a job, over all ranks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hpcreuse.parallel.memory import peak_resident
from hpcreuse.parallel.world import World


class Phases:
    """Adds up the seconds this rank spends in each phase."""

    def __init__(self) -> None:
        self.begin = time.perf_counter()
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Count the time inside to a phase."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - begin)

    def add(self, name: str, seconds: float) -> None:
        """Count seconds to a phase."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def summary(self, world: World) -> dict[str, Any]:
        """Collective. Give the time of the whole, and of each phase the largest and the mean over ranks."""
        everyones = world.comm.allgather((self.seconds, time.perf_counter() - self.begin, peak_resident()))
        names = list(dict.fromkeys(name for seconds, _, _ in everyones for name in seconds))
        return {
            "ranks": world.size,
            "seconds": round(max(total for _, total, _ in everyones), 3),
            "phases": {
                name: {
                    "max": round(max(s.get(name, 0.0) for s, _, _ in everyones), 3),
                    "mean": round(sum(s.get(name, 0.0) for s, _, _ in everyones) / world.size, 3),
                }
                for name in names
            },
            "peak_resident_bytes": max(peak for _, _, peak in everyones),
        }
