"""Which pages of this rank hold each gram of a range of hashes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import page_grams
from hpcreuse.kernels.ordering import group_numbers
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.quilt.pages import Pages


@dataclass(frozen=True)
class GramIndex:
    """Grams in the order of their hashes."""

    grams: NDArray[np.uint64]
    holders: Ragged
    """Of each gram the places of the pages that hold it, rising."""

    @classmethod
    def of(cls, pages: Pages, k: int, ranges: HashRanges, number: int) -> "GramIndex":
        """Take the grams of this rank's pages that a pass deals with."""
        bounds = ranges.span(number)
        hashes, holders = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
        for places, words in pages.blocks():
            found, page = page_grams(words.values, words.offsets, k, *bounds)
            hashes.append(found)
            holders.append(page + np.uint32(places.start))
        return cls._grouped(np.concatenate(hashes), np.concatenate(holders))

    @classmethod
    def _grouped(cls, hashes: NDArray[np.uint64], holders: NDArray[np.uint32]) -> "GramIndex":
        """Bring equal grams together; pages come in their order."""
        order, starts = group_numbers(hashes)
        holders = holders[order]
        # A page that repeats a gram holds it once
        once = np.ones(len(holders), bool)
        once[1:] = holders[1:] != holders[:-1]
        once[starts] = True
        offsets = np.concatenate([[0], np.cumsum(once)])[np.append(starts, len(once))]
        return cls(hashes[order[starts]], Ragged(holders[once], offsets))

    def __len__(self) -> int:
        return len(self.grams)

    def only(self, chosen: NDArray[np.integer]) -> "GramIndex":
        """Give some of the grams."""
        return GramIndex(self.grams[chosen], self.holders.take(chosen))

    def slice(self, span: slice) -> "GramIndex":
        """Give the grams of a span."""
        return GramIndex(self.grams[span], self.holders.slice(span.start, span.stop))
