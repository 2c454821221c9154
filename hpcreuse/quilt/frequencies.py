"""Document frequencies: in how many documents of the whole corpus is each gram?

Each rank counts the grams of its own pages; the distinct ones go, with their counts, to the rank that owns their
range of hashes, and the sum over all ranks comes back. A gram that is on every page of the web is sent once per rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.tallies import Tally, add_up_over_ranks
from hpcreuse.parallel.world import World
from hpcreuse.quilt.index import GramIndex
from hpcreuse.quilt.pages import Pages

# Peak memory per word of a pass: hashes sorted, own index, sent, received and sorted again, the answer both ways
BYTES_PER_GRAM = 112


@dataclass(frozen=True)
class Frequencies:
    """The grams of this rank's pages in one pass, each with its number of documents in the whole corpus."""

    index: GramIndex
    documents: NDArray[np.int64]
    totals: NDArray[np.int64]
    """Of all grams of the corpus in the pass: how many there are, and how many are patch grams for each m."""

    def are_patches(self, m: int) -> NDArray[np.bool_]:
        """Tell which grams are in more than 1 and at most m documents."""
        return are_patches(self.documents, m)


def are_patches(documents: NDArray[np.int64], m: int) -> NDArray[np.bool_]:
    """Tell which numbers of documents are those of patch grams."""
    return (documents > 1) & (documents <= m)


def count_documents(
    world: World,
    pages: Pages,
    k: int,
    ranges: HashRanges,
    number: int,
    ms: Sequence[int],
    memory: int,
    phases: Phases,
) -> Frequencies:
    """Collective. Count in how many documents each gram of a pass is.

    Args:
        ms: what a patch gram may be at most in.
    """
    with phases("count"):
        index = GramIndex.of(pages, k, ranges, number)
    mine = Tally(index.grams, index.holders.lengths)
    documents, owned = add_up_over_ranks(world, ranges, number, mine, memory // 8, phases)
    with phases("count"):
        patches = [np.count_nonzero(are_patches(owned.counts, m)) for m in ms]
        totals = np.array([len(owned.counts), *patches], np.int64)
    return Frequencies(index, documents, world.comm.allreduce(totals))
