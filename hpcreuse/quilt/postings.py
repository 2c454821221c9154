"""Postings: which documents hold the patch grams of the pages that may be quilts?

Only those grams are asked for. Their owner asks every rank that has such a gram for its pages, and gives the list of
each gram to every rank that wants it: at most m documents a gram.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import GramTable
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.quilt.pages import Pages
from hpcreuse.quilt.ranges import GramRange, cuts

# Peak memory per posting of a round: found, sorted, sent, received, sorted again, sent to who wants it
BYTES_PER_POSTING = 120

LARGEST = (1 << 32) - 1

# A document of a posting: its page, and a number for its server
DOCUMENT = np.dtype([("page", np.int64), ("server", np.uint64)])


@dataclass(frozen=True)
class Held:
    """Patch grams in one pass, sorted: those that this rank's pages hold, and those that its candidates want."""

    k: int
    held: NDArray[np.uint64]
    wanted: NDArray[np.uint64]

    @classmethod
    def of(cls, table: GramTable, k: int, m: int, candidates: Pages) -> "Held":
        """Take them from a table of document frequencies."""
        grams, documents = table.entries()
        held = grams[(documents > 1) & (documents <= m)]
        wanted = [np.empty(0, np.uint64)]
        for _, words in candidates.blocks():
            _, hashes, _ = table.of_pages(words.values, words.offsets, 2, m)
            wanted.append(np.unique(hashes))
        return cls(k, held, np.unique(np.concatenate(wanted)))

    def within(self, grams: GramRange) -> "Held":
        """Take those of a range."""
        return Held(self.k, self.held[grams.places(self.held)], self.wanted[grams.places(self.wanted)])


@dataclass(frozen=True)
class Postings:
    """The wanted grams of this rank in one range with the documents that hold them."""

    table: GramTable
    """Numbers the wanted grams from 1."""
    documents: Ragged
    """Of each wanted gram, in the order of the pages."""

    def of_pages(self, pages: Pages) -> Iterator[tuple[slice, Ragged, NDArray[np.int64]]]:
        """List block by block the documents of each patch gram of each page, and where the grams of each page start."""
        for places, words in pages.blocks():
            number, _, starts = self.table.of_pages(words.values, words.offsets, 1, LARGEST)
            yield places, self.documents.take(number.astype(np.int64) - 1), starts


def numbered(k: int, grams: GramRange, members: NDArray[np.uint64]) -> GramTable:
    """Make a table that numbers distinct grams from 1, in the order given."""
    table = GramTable(k, grams.low, grams.last, len(members))
    table.add(members, np.arange(1, len(members) + 1, dtype=np.uint32))
    return table


def find_postings(
    world: World, pages: Pages, servers: NDArray[np.uint64], mine: Held, grams: GramRange, memory: int, phases: Phases
) -> Postings:
    """Collective. Find the documents of all wanted grams in a range."""
    owned = grams.cut(world.size)
    own = owned[world.rank]
    wanted_cuts, held_cuts = cuts(mine.wanted, owned), cuts(mine.held, owned)
    round_bytes = memory // 8
    with phases.together("exchange", world):
        (asked,), askers = exchange(world, [mine.wanted], wanted_cuts, round_bytes)
        (offered,), holders = exchange(world, [mine.held], held_cuts, round_bytes)
    with phases("postings"):
        sought = np.unique(asked)
        place_of = numbered(mine.k, own, sought)
        is_sought = place_of.look_up(offered) > 0
    with phases.together("exchange", world):
        (answers,), _ = exchange(world, [is_sought.astype(np.uint8)], bounds(holders), round_bytes)
    with phases("postings"):
        chosen = mine.held[answers.astype(bool)]
        found = documents_of(pages, servers, numbered(mine.k, grams, chosen), len(chosen))
    with phases.together("exchange", world):
        received = exchange_ragged(world, found, cuts(chosen, owned), round_bytes)
    with phases("postings"):
        merged = merge(received, place_of.look_up(offered[is_sought]), len(sought))
        wanted = merged.take(place_of.look_up(asked).astype(np.int64) - 1)
        del received, found, merged
    with phases.together("exchange", world):
        documents = exchange_ragged(world, wanted, bounds(askers), round_bytes)
    with phases("postings"):
        return Postings(numbered(mine.k, grams, mine.wanted), documents)


def bounds(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give where each rank's share begins, and the end."""
    return np.concatenate([[0], np.cumsum(sizes)])


def documents_of(pages: Pages, servers: NDArray[np.uint64], table: GramTable, count: int) -> Ragged:
    """List the pages of this rank that hold each of the numbered grams."""
    numbers, documents = [np.empty(0, np.uint32)], [np.empty(0, DOCUMENT)]
    for places, words in pages.blocks():
        number, _, starts = table.of_pages(words.values, words.offsets, 1, LARGEST)
        found = np.empty(len(number), DOCUMENT)
        found["page"] = np.repeat(pages.numbers[places], np.diff(starts))
        found["server"] = np.repeat(servers[places], np.diff(starts))
        numbers.append(number)
        documents.append(found)
    return by_number(np.concatenate(numbers), np.concatenate(documents), count)


def merge(lists: Ragged, numbers: NDArray[np.uint32], count: int) -> Ragged:
    """Join lists with the same number; they come in the order of ranks, so the pages of each stay in order."""
    return by_number(np.repeat(numbers, lists.lengths), lists.values, count)


def by_number(numbers: NDArray[np.uint32], values: NDArray, count: int) -> Ragged:
    """Put values with the numbers 1 to count in order; those with equal numbers keep theirs."""
    order = np.argsort(numbers, kind="stable")
    return Ragged.from_lengths(values[order], np.bincount(numbers, minlength=count + 1)[1:])
