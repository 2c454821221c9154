"""Document frequencies: in how many documents of the whole corpus is each gram?

Most grams are in one document only, and a filter lets them go first. Each rank counts the others on its own pages; the
distinct ones go, with their counts, to the rank that owns their range of hashes, and the sum over all ranks comes back.
A gram that is on every page of the web is sent once per rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.repeats import may_repeat_anywhere
from hpcreuse.parallel.tallies import Tally, add_up_over_ranks
from hpcreuse.parallel.world import World
from hpcreuse.quilt.index import GramIndex, grams_of
from hpcreuse.quilt.pages import Pages

# Peak memory per word of a pass when no gram is let go: hashes of the pages, sorted, own index, sent, received and
# sorted again, the answer both ways
BYTES_PER_GRAM = 120


@dataclass(frozen=True)
class Frequencies:
    """The grams of this rank's pages in one pass that may be in several documents of the whole corpus."""

    of_pages: NDArray[np.int64]
    """How many grams each page has in the pass, those in one document too."""
    index: GramIndex
    documents: NDArray[np.int64]
    """In how many each gram of the index is."""
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
    with phases("grams"):
        of_pages = grams_of(pages, k, ranges, number)
    repeated = may_repeat_anywhere(world, of_pages.values, memory // 8, phases)
    with phases("count"):
        index, lengths = GramIndex.of(of_pages, repeated), of_pages.lengths
        alone = len(repeated) - np.count_nonzero(repeated)
        del of_pages, repeated
    mine = Tally(index.grams, index.holders.lengths)
    documents, owned = add_up_over_ranks(world, ranges, number, mine, memory // 8, phases)
    patches = [np.count_nonzero(are_patches(owned.counts, m)) for m in ms]
    totals = np.array([alone + len(owned.counts), *patches], np.int64)
    return Frequencies(lengths, index, documents, world.comm.allreduce(totals))
