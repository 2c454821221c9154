"""The join: which of my digests are in a table that no rank holds alone?

The table is spread over the ranks by digest ranges. Digests go out to the rank that owns their range;
the row number of each in the table, or -1, comes back.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.parallel.exchange import ROUND_BYTES, exchange
from hpcreuse.parallel.world import World


@dataclass(frozen=True)
class LocalTable:
    """A table small enough that every rank holds it: no exchange."""

    digests: dg.Digests

    def find(self, queries: dg.Digests) -> NDArray[np.int64]:
        """Find sorted queries."""
        return dg.find(self.digests, queries)

    def find_distinct(self, queries: dg.Digests) -> NDArray[np.int64]:
        """Find sorted queries of which no two are equal."""
        return dg.find_among(self.digests, queries)


@dataclass(frozen=True)
class SpreadTable:
    """A sorted table of distinct digests of which each rank holds a slice."""

    world: World
    digests: dg.Digests
    first: int
    """Row number of this rank's first digest in the whole table."""
    splitters: dg.Digests
    """The first digest of each rank's slice but the first one's, up to the last rank that has a slice."""
    round_bytes: int = ROUND_BYTES

    @classmethod
    def spread(cls, world: World, digests: dg.Digests, first: int, round_bytes: int = ROUND_BYTES) -> "SpreadTable":
        """Collective. Make it from the slice of each rank, in rank order."""
        heads = world.comm.allgather(digests[0].tobytes() if len(digests) else b"")
        while heads and not heads[-1]:
            heads.pop()
        # A rank with nothing shares its splitter with the next that has something
        for rank in reversed(range(len(heads) - 1)):
            heads[rank] = heads[rank] or heads[rank + 1]
        return cls(world, digests, first, dg.from_bytes(b"".join(heads[1:]), digests.shape[1]), round_bytes)

    def find_distinct(self, queries: dg.Digests) -> NDArray[np.int64]:
        """Collective. Find sorted queries of which no two are equal."""
        return self.find(queries)

    def find(self, queries: dg.Digests) -> NDArray[np.int64]:
        """Collective. Find sorted queries; ranks may bring different numbers of them, or none."""
        cuts = np.full(self.world.size + 1, len(queries), np.int64)
        cuts[0] = 0
        cuts[1 : len(self.splitters) + 1] = dg.cut(queries, self.splitters)
        (asked,), rcounts = exchange(self.world, [queries], cuts, self.round_bytes)
        places = dg.find(self.digests, asked)
        answers = np.where(places >= 0, places + self.first, -1)
        back = np.concatenate([[0], np.cumsum(rcounts)])
        (found,), _ = exchange(self.world, [answers], back, self.round_bytes)
        return found
