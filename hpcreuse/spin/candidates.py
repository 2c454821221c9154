"""Pairs of articles that may be similar enough, without looking at all pairs.

Two sets with a Jaccard similarity of t or more share an element among the first |A| - ceil(t |A|) + 1 of each, in any
order that both keep to (prefix filtering). With rare immutables first these prefixes hold the rarest ones: common
immutables are not looked at unless an article has nothing else. Exact: no pair is lost.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block
from hpcreuse.kernels.ragged import Ragged, cut_evenly
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.tallies import Tally
from hpcreuse.spin.articles import Articles

# Memory of an entry of a prefix in an exchange, and of a pair while pairs are made
BYTES_PER_ENTRY = 250
BYTES_PER_PAIR = 100


class Prefixes(NamedTuple):
    """Immutables in prefixes, sorted by hash: whose they are, how many immutables that article has, at which place."""

    hashes: NDArray
    page: NDArray
    size: NDArray
    place: NDArray


class Pairs(NamedTuple):
    """Pairs of pages, the smaller first."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]


def find_candidates(
    articles: Articles, frequencies: dict[Block, Tally], threshold: float, memory: int, phases: Phases
) -> Pairs:
    """Collective. Give the candidate pairs whose smaller page is this rank's, sorted, each once."""
    corpus, world = articles.corpus, articles.corpus.world
    with phases("prefix"):
        mine = join_prefixes([prefixes_of(articles, block, frequencies[block], threshold) for block in corpus.mine])
    ranges = HashRanges.plan(world, BYTES_PER_ENTRY * len(mine.hashes), memory)
    found = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for number in range(ranges.passes):
        part = ranges.within(number, mine.hashes)
        rows = Prefixes(*(column[part] for column in mine))
        with phases.together("exchange", world):
            received, _ = exchange(world, list(rows), ranges.cuts(number, rows.hashes), memory // 4)
        with phases("pair"):
            pairs = meet(Prefixes(*received), threshold, max(1, memory // BYTES_PER_PAIR))
            owner = corpus.owner_of(pairs.a)
            cuts = np.searchsorted(owner, np.arange(world.size + 1))
        with phases.together("exchange", world):
            (a, b), _ = exchange(world, list(pairs), cuts, memory // 4)
        found[0].append(a)
        found[1].append(b)
        world.stop_if_asked()
    with phases("pair"):
        return distinct(np.concatenate(found[0]), np.concatenate(found[1]))


def prefixes_of(articles: Articles, block: Block, frequencies: Tally, threshold: float) -> Prefixes:
    """Give the prefixes of a block's articles; immutables of one article only cannot be shared and are left out."""
    pages, units = articles.read(block)
    sets = units.immutables
    counts = frequencies.counts[np.searchsorted(frequencies.hashes, sets.values)]
    article = np.repeat(np.arange(len(sets)), sets.lengths)
    order = np.lexsort((sets.values, counts, article))
    place = np.arange(len(order)) - np.repeat(sets.offsets[:-1], sets.lengths)
    size = np.repeat(sets.lengths, sets.lengths)
    # Rounding must not shorten a prefix: an element more does no harm
    prefix = size - np.ceil(threshold * size - 1e-9).astype(np.int64) + 1
    kept = (place < prefix) & (counts[order] > 1)
    return Prefixes(sets.values[order][kept], pages[article[kept]], size[kept], place[kept])


def join_prefixes(parts: list[Prefixes]) -> Prefixes:
    """Put prefixes together, sorted by hash."""
    none = Prefixes(np.empty(0, np.uint64), *(np.empty(0, np.int64) for _ in range(3)))
    columns = [np.concatenate(column) for column in zip(none, *parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return Prefixes(*(column[order] for column in columns))


def meet(entries: Prefixes, threshold: float, most: int) -> Pairs:
    """Pair the articles that share an immutable of their prefixes and whose sizes and places allow the threshold."""
    order = np.lexsort((entries.page, entries.size, entries.hashes))
    hashes, page, size, place = (column[order] for column in entries)
    group = np.cumsum(np.concatenate([[0], hashes[1:] != hashes[:-1]]), dtype=np.int64) if len(hashes) else page
    # Within a group sizes rise: who can be a partner of an entry stands right behind it
    shift = np.int64(1) << 32
    largest = np.floor(size / threshold + 1e-9).astype(np.int64)
    last = np.searchsorted(group * shift + size, group * shift + np.minimum(largest, shift - 1), side="right")
    partners = last - np.arange(len(order)) - 1
    pairs = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
    for first, end in cut_evenly(np.concatenate([[0], np.cumsum(partners)]), most):
        i = np.repeat(np.arange(first, end), partners[first:end])
        runs = Ragged.from_lengths(np.empty(0), partners[first:end])
        j = i + 1 + np.arange(len(i)) - np.repeat(runs.offsets[:-1], partners[first:end])
        # What the two can still share: this one, and what comes after it in either
        most_shared = np.minimum(size[i] - place[i], size[j] - place[j])
        needed = threshold / (1 + threshold) * (size[i] + size[j])
        good = (most_shared >= needed - 1e-9) & (page[i] != page[j])
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
