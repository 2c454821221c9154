"""Documents that share a signature under any lexicon, and what hangs together through them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.imatch.signing import Signed, read_signatures
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges

# Memory a signature takes in an exchange: four numbers, sorted and copied on both sides
BYTES_PER_SIGNATURE = 200


def shared_signatures(
    corpus: TextCorpus, scratch: Path, memory: int, phases: Phases
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Collective. Give pairs of pages that share a signature: each page with the first that has the same.

    The pairs of all ranks together connect all that share one.
    """
    world, signed = corpus.world, [read_signatures(scratch, block) for block in corpus.mine]
    ranges = HashRanges.plan(world, BYTES_PER_SIGNATURE * sum(len(s.page) for s in signed), memory)
    firsts, others = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for number in range(ranges.passes):
        with phases("sort"):
            mine = in_range(signed, ranges, number)
        with phases.together("exchange", world):
            cuts = ranges.cuts(number, mine.left)
            columns, _ = exchange(world, [mine.left, mine.right, mine.lexicon, mine.page], cuts, memory // 4)
        with phases("match"):
            first, other = pairs_with_first(*columns)
            firsts.append(first)
            others.append(other)
        world.stop_if_asked()
    return np.concatenate(firsts), np.concatenate(others)


def in_range(signed: list[Signed], ranges: HashRanges, number: int) -> Signed:
    """Take the signatures that a pass deals with, sorted by their first half."""
    left = np.concatenate([np.empty(0, np.uint64), *(s.left for s in signed)])
    order = np.argsort(left, kind="stable")
    order = order[ranges.within(number, left[order])]
    none = np.empty(0, np.int64)
    return Signed(
        np.concatenate([none, *(s.page for s in signed)])[order],
        np.concatenate([none, *(s.lexicon for s in signed)])[order],
        left[order],
        np.concatenate([np.empty(0, np.uint64), *(s.right for s in signed)])[order],
    )


def pairs_with_first(
    left: NDArray[np.uint64], right: NDArray[np.uint64], lexicon: NDArray[np.int64], page: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair each page with the smallest page that has the same signature under the same lexicon."""
    order = np.lexsort((page, lexicon, right, left))
    left, right, lexicon, page = left[order], right[order], lexicon[order], page[order]
    new = np.ones(len(page), bool)
    new[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1]) | (lexicon[1:] != lexicon[:-1])
    first = page[np.flatnonzero(new)[np.cumsum(new) - 1]] if len(page) else page
    return first[~new], page[~new]
