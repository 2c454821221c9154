"""Pairs of pages whose sets may be similar enough, without looking at all pairs.

Two similar sets share an element among the first few of each, in any order that both keep to (prefix filtering; how
few follows from the measure, `measures.py`). With rare elements first these prefixes hold the rarest ones: common
elements are not looked at unless a page has nothing else. Exact: no pair is lost.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.measures import SLACK, Measure
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.kernels.ragged import Ragged, cut_evenly
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.tallies import Tally

# Memory of an entry of a prefix in an exchange, and of a pair while pairs are made
BYTES_PER_ENTRY = 250
BYTES_PER_PAIR = 100


class PageSets(NamedTuple):
    """Pages, each with a set of hashes; and how many pages of all have each hash."""

    pages: NDArray[np.int64]
    sets: Ragged
    frequencies: Tally


class Prefixes(NamedTuple):
    """Hashes in prefixes, sorted: whose they are, how large that page's set is, at which place they stand in it."""

    hashes: NDArray
    page: NDArray
    size: NDArray
    place: NDArray


class Pairs(NamedTuple):
    """Pairs of pages, the smaller first."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]


def find_candidates(
    corpus: TextCorpus, mine: Iterable[PageSets], measure: Measure, memory: int, phases: Phases
) -> Pairs:
    """Collective. Give the candidate pairs whose smaller page is this rank's, sorted, each once.

    Args:
        mine: the sets of this rank's pages, block by block.
    """
    world = corpus.world
    with phases("prefix"):
        prefixes = join_prefixes([prefixes_of(some, measure) for some in mine])
    ranges = HashRanges.plan(world, BYTES_PER_ENTRY * len(prefixes.hashes), memory)
    found = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for number in range(ranges.passes):
        part = ranges.within(number, prefixes.hashes)
        rows = Prefixes(*(column[part] for column in prefixes))
        with phases.together("exchange", world):
            received, _ = exchange(world, list(rows), ranges.cuts(number, rows.hashes), memory // 4)
        with phases("pair"):
            pairs = meet(Prefixes(*received), measure, max(1, memory // BYTES_PER_PAIR))
        with phases.together("exchange", world):
            pairs = pairs_to_owners(corpus, pairs, memory // 4)
        found[0].append(pairs.a)
        found[1].append(pairs.b)
        world.stop_if_asked()
    with phases("pair"):
        return distinct(np.concatenate(found[0]), np.concatenate(found[1]))


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


def join_prefixes(parts: list[Prefixes]) -> Prefixes:
    """Put prefixes together, sorted by hash."""
    none = Prefixes(np.empty(0, np.uint64), *(np.empty(0, np.int64) for _ in range(3)))
    columns = [np.concatenate(column) for column in zip(none, *parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return Prefixes(*(column[order] for column in columns))


def meet(entries: Prefixes, measure: Measure, most: int) -> Pairs:
    """Pair the pages that share a hash of their prefixes and whose sizes and places allow the threshold."""
    order = np.lexsort((entries.page, entries.size, entries.hashes))
    hashes, page, size, place = (column[order] for column in entries)
    group = np.cumsum(np.concatenate([[0], hashes[1:] != hashes[:-1]]), dtype=np.int64) if len(hashes) else page
    # Within a group sizes rise: who can be a partner of an entry stands right behind it
    shift = np.int64(1) << 32
    largest = measure.largest(size)
    last = np.searchsorted(group * shift + size, group * shift + np.minimum(largest, shift - 1), side="right")
    partners = last - np.arange(len(order)) - 1
    pairs = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
    for first, end in cut_evenly(np.concatenate([[0], np.cumsum(partners)]), most):
        i = np.repeat(np.arange(first, end), partners[first:end])
        runs = Ragged.from_lengths(np.empty(0), partners[first:end])
        j = i + 1 + np.arange(len(i)) - np.repeat(runs.offsets[:-1], partners[first:end])
        # What the two can still share: this one, and what comes after it in either
        most_shared = np.minimum(size[i] - place[i], size[j] - place[j])
        good = (most_shared >= measure.needed(size[i], size[j]) - SLACK) & (page[i] != page[j])
        a, b = page[i[good]], page[j[good]]
        pairs = distinct(np.concatenate([pairs.a, np.minimum(a, b)]), np.concatenate([pairs.b, np.maximum(a, b)]))
    return pairs


def distinct(a: NDArray[np.int64], b: NDArray[np.int64]) -> Pairs:
    """Sort pairs and drop repeats."""
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    new = np.ones(len(a), bool)
    new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return Pairs(a[new], b[new])
