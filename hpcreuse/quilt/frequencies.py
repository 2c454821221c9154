"""Document frequencies: in how many documents of the whole corpus is each gram?

Each rank counts the grams of its own pages; the distinct ones go, with their counts, to the rank that owns their
range of hashes, and the sum over all ranks comes back. A gram that is on every page of the web is sent once per rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import GramTable
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.quilt.pages import Pages
from hpcreuse.quilt.ranges import GramRange, cuts

# Peak memory per gram of a pass: own table, sent, received, the owner's table, the answer both ways
BYTES_PER_GRAM = 96


@dataclass(frozen=True)
class Frequencies:
    """The grams of this rank's pages in a range of hashes, each with its number of documents in the whole corpus."""

    table: GramTable
    grams_of_page: NDArray[np.int64]
    """How many distinct grams of the range each page of this rank has."""
    totals: NDArray[np.int64]
    """Of all grams of the corpus in the range: how many there are, and how many are patch grams for each m."""


def count_documents(
    world: World, pages: Pages, k: int, grams: GramRange, ms: Sequence[int], memory: int, phases: Phases
) -> Frequencies:
    """Collective. Count in how many documents each gram of a range is.

    Args:
        ms: what a patch gram may be at most in.
    """
    with phases("count"):
        # Uniform hashes: a range has its share of the grams, give or take what chance brings
        expected = pages.words * grams.share
        table = GramTable(k, grams.low, grams.last, int(expected + 4 * expected**0.5) + 16)
        grams_of_page = np.zeros(len(pages), np.int64)
        for places, words in pages.blocks():
            grams_of_page[places] = table.count_pages(words.values, words.offsets)
        own, counts = table.entries()
    if world.size == 1:
        return Frequencies(table, grams_of_page, _totals(counts, ms))
    owned = grams.cut(world.size)
    mine = owned[world.rank]
    with phases.together("exchange", world):
        (received, theirs), sizes = exchange(world, [own, counts], cuts(own, owned), memory // 8)
    del own, counts
    with phases("count"):
        total = GramTable(k, mine.low, mine.last, len(received))
        total.add(received, theirs)
        answers = total.look_up(received)
        totals = _totals(total.entries()[1], ms)
        del total, received, theirs
    with phases.together("exchange", world):
        (back,), _ = exchange(world, [answers], np.concatenate([[0], np.cumsum(sizes)]), memory // 8)
    with phases("count"):
        table.assign(back)
    return Frequencies(table, grams_of_page, world.comm.allreduce(totals))


def _totals(documents: NDArray[np.uint32], ms: Sequence[int]) -> NDArray[np.int64]:
    patches = [np.count_nonzero((documents > 1) & (documents <= m)) for m in ms]
    return np.array([len(documents), *patches], np.int64)
