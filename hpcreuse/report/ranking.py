"""The first few of many rows that come in blocks, and histograms of the rest: memory does not grow with the rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Keyed = tuple[tuple[Any, ...], Any]

BINS = 40
"""Of a histogram of shares."""


class Top:
    """The rows with the greatest keys among those seen; of equal keys the first come, first kept."""

    def __init__(self, wanted: int):
        self.wanted = wanted
        self.kept: list[Keyed] = []

    def add(self, found: Sequence[Keyed]) -> None:
        """Take rows with their keys."""
        # Sorting is stable, also backwards
        self.kept = sorted([*self.kept, *found], key=lambda keyed: keyed[0], reverse=True)[: self.wanted]

    def rows(self) -> list[Any]:
        """Give the rows, greatest key first."""
        return [row for _, row in self.kept]


def greatest(wanted: int, *keys: NDArray) -> NDArray[np.int64]:
    """Give the places with the greatest keys, the first key deciding before the next; of equal ones the first."""
    order = np.lexsort([-key for key in reversed(keys)])
    return order[:wanted].astype(np.int64)


def binned(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count shares from 0 to 1 in bins of equal width; the last holds 1 too."""
    places = np.minimum((shares * BINS).astype(np.int64), BINS - 1)
    return np.bincount(places, minlength=BINS)


def bin_rows(counts: NDArray[np.int64]) -> Iterator[tuple[float, float, int]]:
    """Give bins as rows of a table: from, up to, how many."""
    return ((n / BINS, (n + 1) / BINS, count) for n, count in enumerate(counts.tolist()))
