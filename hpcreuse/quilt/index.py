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
        for places, words, vocabulary in pages.blocks():
            found, page = page_grams(words.values, words.offsets, vocabulary, k, *bounds)
            hashes.append(found)
            holders.append(page + np.uint32(places.start))
        every, holder = np.concatenate(hashes), np.concatenate(holders)
        del hashes, holders
        # Equal grams keep the order of their rows, so the pages of each rise
        groups = group_numbers(every)
        grams = every[groups.order[groups.starts]]
        return cls(grams, Ragged(holder[groups.order], np.append(groups.starts, len(every))))

    def __len__(self) -> int:
        return len(self.grams)

    def only(self, chosen: NDArray[np.integer]) -> "GramIndex":
        """Give some of the grams."""
        return GramIndex(self.grams[chosen], self.holders.take(chosen))

    def slice(self, span: slice) -> "GramIndex":
        """Give the grams of a span."""
        return GramIndex(self.grams[span], self.holders.slice(span.start, span.stop))
