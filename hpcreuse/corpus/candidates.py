"""Pairs of pages whose sets may be similar enough, without looking at all pairs.

Two similar sets share an element among the first few of each, in any order that both keep to (prefix filtering; how
few follows from the measure, `measures.py`). With rare elements first these prefixes hold the rarest ones: common
elements are not looked at unless a page has nothing else. Exact: no pair is lost.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.measures import SLACK, Measure
from hpcreuse.corpus.pairs import Pairs, PairSpool
from hpcreuse.corpus.spooling import ByPass
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.kernels.ragged import Ragged, cut_evenly
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.tallies import Tally
from hpcreuse.parallel.world import World
from hpcreuse.store.scratch import ScratchFile

# Memory of an entry of a prefix in an exchange, and of a pair while pairs are made
BYTES_PER_ENTRY = 250
BYTES_PER_PAIR = 100


class PageSets(NamedTuple):
    """Pages, each with a set of hashes; and how many pages of all have each hash."""

    pages: NDArray[np.int64]
    sets: Ragged
    frequencies: Tally


class Prefixes(NamedTuple):
    """Hashes in prefixes: whose they are, how large that page's set is, at which place they stand in it."""

    hashes: NDArray
    page: NDArray
    size: NDArray
    place: NDArray


def find_candidates(
    corpus: TextCorpus,
    mine: Iterable[PageSets],
    entries: int,
    measure: Measure,
    scratch: Path,
    memory: int,
    phases: Phases,
) -> PairSpool:
    """Collective. Find the candidate pairs whose smaller page is this rank's.

    Args:
        mine: the sets of this rank's pages, block by block.
        entries: how many elements their prefixes have at most (`Measure.entries`).
        scratch: a folder for what waits on disk.
    """
    world = corpus.world
    ranges = HashRanges.plan(world, BYTES_PER_ENTRY * entries, memory)
    waiting = ByPass(ranges, scratch / f"prefixes-{world.rank:05d}", np.uint64, np.int64, np.int64, np.int64)
    with phases("prefix"):
        for place, some in enumerate(mine):
            waiting.add_block(place, *by_hash(prefixes_of(some, measure)))
    found = PairSpool(ScratchFile(scratch / f"candidates-{world.rank:05d}"), memory // 2)
    for number in range(ranges.passes):
        with phases("prefix"):
            rows = by_hash(Prefixes(*waiting.of_pass(number)))
        with phases.together("exchange", world):
            received, _ = exchange(world, list(rows), ranges.cuts(number, rows.hashes), memory // 4)
        meeting = meet(Prefixes(*received), measure, max(1, memory // BYTES_PER_PAIR))
        for pairs in in_step(world, meeting, phases):
            with phases.together("exchange", world):
                owned = pairs_to_owners(corpus, pairs, memory // 4)
            with phases("pair"):
                found.add(owned)
        world.stop_if_asked()
    waiting.remove()
    return found


def in_step(world: World, batches: Iterator[Pairs], phases: Phases) -> Iterator[Pairs]:
    """Collective. Give the batches of this rank, then empty ones until every rank has given its last."""
    while True:
        with phases("pair"):
            pairs = next(batches, None)
        if not world.comm.allreduce(pairs is not None):
            return
        yield Pairs.none() if pairs is None else pairs


def pairs_to_owners(corpus: TextCorpus, pairs: Pairs, round_bytes: int) -> Pairs:
    """Collective. Bring sorted pairs to the rank that has the smaller page."""
    cuts = np.searchsorted(corpus.owner_of(pairs.a), np.arange(corpus.world.size + 1))
    received, _ = exchange(corpus.world, list(pairs), cuts, round_bytes)
    return Pairs(*received)


def prefixes_of(some: PageSets, measure: Measure) -> Prefixes:
    """Give the prefixes of some pages; what only one page has cannot be shared and is left out."""
    sets = some.sets
    counts = some.frequencies.counts[np.searchsorted(some.frequencies.hashes, sets.values)]
    owner = np.repeat(np.arange(len(sets)), sets.lengths)
    order = np.lexsort((sets.values, counts, owner))
    place = np.arange(len(order)) - np.repeat(sets.offsets[:-1], sets.lengths)
    size = np.repeat(sets.lengths, sets.lengths)
    kept = (place < measure.prefix(size)) & (counts[order] > 1)
    return Prefixes(sets.values[order][kept], some.pages[owner[kept]], size[kept], place[kept])


def by_hash(prefixes: Prefixes) -> Prefixes:
    """Sort prefixes by hash."""
    order = np.argsort(prefixes.hashes, kind="stable")
    return Prefixes(*(column[order] for column in prefixes))


def meet(entries: Prefixes, measure: Measure, most: int) -> Iterator[Pairs]:
    """Pair the pages that share a hash of their prefixes and whose sizes and places allow the threshold.

    Args:
        most: how many pairs are made at a time, or all of one entry.
    """
    order = np.lexsort((entries.page, entries.size, entries.hashes))
    hashes, page, size, place = (column[order] for column in entries)
    group = np.cumsum(np.concatenate([[0], hashes[1:] != hashes[:-1]]), dtype=np.int64) if len(hashes) else page
    # Within a group sizes rise: who can be a partner of an entry stands right behind it
    shift = np.int64(1) << 32
    largest = measure.largest(size)
    last = np.searchsorted(group * shift + size, group * shift + np.minimum(largest, shift - 1), side="right")
    partners = last - np.arange(len(order)) - 1
    for first, end in cut_evenly(np.concatenate([[0], np.cumsum(partners)]), most):
        i = np.repeat(np.arange(first, end), partners[first:end])
        runs = Ragged.from_lengths(np.empty(0), partners[first:end])
        j = i + 1 + np.arange(len(i)) - np.repeat(runs.offsets[:-1], partners[first:end])
        # What the two can still share: this one, and what comes after it in either
        most_shared = np.minimum(size[i] - place[i], size[j] - place[j])
        good = (most_shared >= measure.needed(size[i], size[j]) - SLACK) & (page[i] != page[j])
        a, b = page[i[good]], page[j[good]]
        yield Pairs.distinct([Pairs(np.minimum(a, b), np.maximum(a, b))])
