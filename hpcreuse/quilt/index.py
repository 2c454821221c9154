"""Which pages of this rank hold each gram."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import page_grams
from hpcreuse.kernels.ordering import group_numbers
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.quilt.pages import Pages


def grams_of(pages: Pages, k: int, ranges: HashRanges, number: int) -> Ragged:
    """Give of each page of this rank its grams that a pass deals with, each once."""
    # About the share of a pass; memory that is not written to costs nothing
    hashes, lengths, found = np.empty(pages.words // ranges.passes, np.uint64), np.zeros(len(pages), np.int64), 0
    for places, words, vocabulary in pages.blocks():
        hashes = with_room(hashes, found, len(words.values))
        bounds = ranges.span(number)
        lengths[places] = page_grams(words.values, words.offsets, vocabulary, k, *bounds, hashes[found:])
        found += int(lengths[places].sum())
    return Ragged.from_lengths(hashes[:found], lengths)


def with_room(hashes: NDArray[np.uint64], used: int, more: int) -> NDArray[np.uint64]:
    """Give an array with room for more hashes after those that are used."""
    if used + more <= len(hashes):
        return hashes
    larger = np.empty(used + used // 2 + more, np.uint64)
    larger[:used] = hashes[:used]
    return larger


@dataclass(frozen=True)
class GramIndex:
    """Grams in the order of their hashes."""

    grams: NDArray[np.uint64]
    holders: Ragged
    """Of each gram the places of the pages that hold it, rising."""

    @classmethod
    def of(cls, of_pages: Ragged, chosen: NDArray[np.bool_]) -> "GramIndex":
        """Take the chosen ones of the grams of pages."""
        rows = np.flatnonzero(chosen)
        every = of_pages.values[rows]
        held = np.diff(np.searchsorted(rows, of_pages.offsets))
        holder = np.repeat(np.arange(len(of_pages), dtype=np.uint32), held)
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
