"""A long array of numbers of which each rank holds a slice: read and changed by place, from anywhere.

Every place is asked for once per rank, however often it is wanted: a number that all want costs no more than others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.exchange import ROUND_BYTES, exchange
from hpcreuse.parallel.world import World


@dataclass(frozen=True)
class SpreadArray:
    """The slice of one rank, and how to reach the others."""

    world: World
    length: int
    mine: NDArray[np.int64]
    """Places first to last-1 of the whole."""
    round_bytes: int = ROUND_BYTES

    @classmethod
    def full(cls, world: World, length: int, value: int, round_bytes: int = ROUND_BYTES) -> "SpreadArray":
        """Make one that holds the same number everywhere."""
        first, last = slice_of(world.rank, world.size, length)
        return cls(world, length, np.full(last - first, value, np.int64), round_bytes)

    @classmethod
    def places(cls, world: World, length: int, round_bytes: int = ROUND_BYTES) -> "SpreadArray":
        """Make one that holds its own place everywhere."""
        first, last = slice_of(world.rank, world.size, length)
        return cls(world, length, np.arange(first, last, dtype=np.int64), round_bytes)

    @property
    def first(self) -> int:
        """The place of this rank's first number."""
        return slice_of(self.world.rank, self.world.size, self.length)[0]

    def get(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Collective. Read the numbers at these places; ranks may ask for different ones, or none."""
        wanted, back = np.unique(places, return_inverse=True)
        (asked,), counts = exchange(self.world, [wanted], self.cuts(wanted), self.round_bytes)
        answers = self.mine[asked - self.first]
        (found,), _ = exchange(self.world, [answers], np.concatenate([[0], np.cumsum(counts)]), self.round_bytes)
        return found[back]

    def lower(self, places: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        """Collective. Put the smallest of the values given for a place there, if it is smaller than what it holds."""
        order = np.lexsort((values, places))
        places, values = places[order], values[order]
        smallest = np.flatnonzero(np.diff(places, prepend=-1))
        places, values = places[smallest], values[smallest]
        (at, found), _ = exchange(self.world, [places, values], self.cuts(places), self.round_bytes)
        np.minimum.at(self.mine, at - self.first, found)

    def cuts(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find where the slices of the ranks begin among sorted places."""
        firsts = [slice_of(rank, self.world.size, self.length)[0] for rank in range(self.world.size)]
        return np.append(np.searchsorted(places, firsts), len(places))


def slice_of(rank: int, size: int, length: int) -> tuple[int, int]:
    """Give the first and the last + 1 of the places that a rank holds."""
    return rank * length // size, (rank + 1) * length // size
