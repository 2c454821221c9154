"""Ranges of gram hashes: hashes are uniform, so equal ranges hold about as many grams."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class GramRange:
    """The hashes from `low` to `last`."""

    low: int = 0
    last: int = (1 << 64) - 1

    @property
    def share(self) -> float:
        """The share of all hashes that lie in it."""
        return (self.last - self.low + 1) / (1 << 64)

    def cut(self, parts: int) -> list["GramRange"]:
        """Cut it into equal parts."""
        width = self.last - self.low + 1
        lows = [self.low + -(-width * part // parts) for part in range(parts + 1)]
        return [GramRange(low, following - 1) for low, following in itertools.pairwise(lows)]

    def places(self, grams: NDArray[np.uint64]) -> slice:
        """Find what lies in it among sorted grams."""
        low, last = np.array([self.low, self.last], np.uint64)
        return slice(int(np.searchsorted(grams, low)), int(np.searchsorted(grams, last, side="right")))


def cuts(grams: NDArray[np.uint64], ranges: list[GramRange]) -> NDArray[np.int64]:
    """Find where each range begins among sorted grams, and where the last ends."""
    lows = np.array([one.low for one in ranges[1:]], np.uint64)
    return np.concatenate([[0], np.searchsorted(grams, lows), [len(grams)]])
