"""Sample sort in passes: keys of all ranks, cut into ranges small enough for the memory of a rank.

With P passes and R ranks there are P * R ranges in key order; range p * R + r is sorted by rank r in pass p.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hpcreuse.parallel.splitters import SortedKeys, choose_splitters
from hpcreuse.parallel.world import World

# No pass moves more than this per rank, whatever the memory: counts and displacements stay under 2^31
LARGEST_PASS = 1 << 30


@dataclass(frozen=True)
class Passes:
    """The ranges of all passes."""

    world: World
    count: int
    splitters: list[bytes]

    @classmethod
    def plan(cls, world: World, cost: int, memory: int, runs: Sequence[SortedKeys]) -> "Passes":
        """Collective. Decide how many passes there must be and where the ranges lie.

        Args:
            cost: bytes of memory that this rank's keys with all that hangs on them would take.
            memory: bytes a rank may use.
            runs: this rank's keys.
        """
        whole = world.comm.allreduce(cost)
        smallest = min(world.comm.allgather(memory))
        count = max(1, -(-whole // (world.size * min(smallest, LARGEST_PASS))))
        return cls(world, count, choose_splitters(world, count * world.size, runs))

    def bounds(self, number: int) -> list[bytes | None]:
        """Give the R + 1 bounds of the ranges of a pass; None is the open end on either side."""
        every: list[bytes | None] = [None, *self.splitters, None]
        first = number * self.world.size
        return every[first : first + self.world.size + 1]

    def range_number(self, number: int) -> int:
        """Give the number of this rank's range in a pass."""
        return number * self.world.size + self.world.rank
