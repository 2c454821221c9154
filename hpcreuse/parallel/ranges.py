"""Ranges of 64-bit hashes: hashes are uniform, so equal ranges hold about as many, and no samples are needed.

With P passes and R ranks there are P * R ranges in order; range p * R + r belongs to rank r in pass p.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.passes import LARGEST_PASS
from hpcreuse.parallel.world import World


@dataclass(frozen=True)
class HashRanges:
    """How hashes are shared out over passes and ranks."""

    size: int
    passes: int

    @classmethod
    def plan(cls, world: World, cost: int, memory: int) -> "HashRanges":
        """Collective. Make as many passes as the memory of a rank demands.

        Args:
            cost: bytes of memory that this rank's keys with all that hangs on them would take.
            memory: bytes a rank may use.
        """
        whole = world.comm.allreduce(cost)
        least = min(world.comm.allgather(memory))
        return cls(world.size, max(1, -(-whole // (world.size * min(least, LARGEST_PASS)))))

    def bound(self, number: int) -> int:
        """Give the first hash of a range."""
        return (number << 64) // (self.size * self.passes)

    def span(self, number: int) -> tuple[int, int]:
        """Give the first and the last hash of a pass."""
        return self.bound(number * self.size), self.bound((number + 1) * self.size) - 1

    def finer(self, parts: int) -> "HashRanges":
        """Cut each pass into so many; part i of pass p is pass p * parts + i."""
        return HashRanges(self.size, self.passes * parts)

    def within(self, number: int, hashes: NDArray[np.uint64]) -> slice:
        """Find the part of sorted hashes that a pass deals with."""
        first, last = self.bound(number * self.size), self.bound((number + 1) * self.size)
        return slice(_place(hashes, first), _place(hashes, last))

    def cuts(self, number: int, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Find where the ranges of the ranks begin among the sorted hashes of a pass, and the end."""
        bounds = [self.bound(number * self.size + rank) for rank in range(self.size)]
        return np.array([*(_place(hashes, bound) for bound in bounds), len(hashes)], np.int64)


def _place(hashes: NDArray[np.uint64], bound: int) -> int:
    """Find how many sorted hashes lie below a bound, which may be 2^64."""
    return len(hashes) if bound >> 64 else int(np.searchsorted(hashes, np.uint64(bound)))
