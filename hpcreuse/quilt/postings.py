"""Postings: which documents hold the patch grams of the pages that may be quilts?

Only those grams are asked for. Their owner asks every rank that has such a gram for its pages, and gives the list of
each gram to every rank that wants it: at most m documents a gram.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ordering import group_numbers, order_small
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.world import World
from hpcreuse.quilt.frequencies import Frequencies
from hpcreuse.quilt.index import GramIndex

# Peak memory per posting of a round: found, sorted, sent, received, sorted again, sent to who wants it
BYTES_PER_POSTING = 120

# A document of a posting: its page, and a number for its server
DOCUMENT = np.dtype([("page", np.int64), ("server", np.uint64)])

NOT_A_CANDIDATE = -1


@dataclass(frozen=True)
class Patches:
    """Patch grams in one pass: those that this rank's pages hold, and which of them its candidates want."""

    held: GramIndex
    wanted: NDArray[np.bool_]
    candidate_of: NDArray[np.int64]
    """Of each page its number among the candidates, or NOT_A_CANDIDATE."""

    @classmethod
    def of(cls, frequencies: Frequencies, m: int, candidate_of: NDArray[np.int64]) -> "Patches":
        """Take them from document frequencies."""
        held = frequencies.index.only(np.flatnonzero(frequencies.are_patches(m)))
        by_candidates = candidate_of[held.holders.values] != NOT_A_CANDIDATE
        starts = held.holders.offsets[:-1]
        wanted = np.logical_or.reduceat(by_candidates, starts) if len(held) else np.empty(0, bool)
        return cls(held, wanted, candidate_of)

    def within(self, ranges: HashRanges, number: int) -> "Patches":
        """Take those of one range."""
        span = ranges.within(number, self.held.grams)
        return Patches(self.held.slice(span), self.wanted[span], self.candidate_of)

    def by_candidate(self, candidates: int) -> Ragged:
        """List for each candidate its patch grams, by their numbers among the wanted ones."""
        wanted = self.held.holders.take(np.flatnonzero(self.wanted))
        candidate = self.candidate_of[wanted.values]
        kept = candidate != NOT_A_CANDIDATE
        grams, candidate = np.repeat(np.arange(len(wanted)), wanted.lengths)[kept], candidate[kept]
        return Ragged.from_lengths(grams[order_small(candidate)], np.bincount(candidate, minlength=candidates))


@dataclass(frozen=True)
class Postings:
    """The wanted grams of this rank in one range with the documents that hold them."""

    documents: Ragged
    """Of each wanted gram, in the order of the pages."""
    grams: Ragged
    """Of each candidate the numbers of its wanted grams."""

    def of_candidates(self, first: int, last: int) -> tuple[Ragged, NDArray[np.int64]]:
        """List the documents of each patch gram of candidates first to last-1, and where the grams of each start."""
        grams = self.grams.slice(first, last)
        return self.documents.take(grams.values), grams.offsets


def find_postings(
    world: World,
    documents: NDArray,
    mine: Patches,
    candidates: int,
    ranges: HashRanges,
    number: int,
    memory: int,
    phases: Phases,
) -> Postings:
    """Collective. Find the documents of all wanted grams in a range.

    Args:
        documents: of each page of this rank what a posting says of it.
        candidates: how many this rank has.
    """
    round_bytes = memory // 8
    wanted, held = mine.held.grams[mine.wanted], mine.held
    with phases.together("exchange", world):
        (asked,), askers = exchange(world, [wanted], ranges.cuts(number, wanted), round_bytes)
        (offered,), holders = exchange(world, [held.grams], ranges.cuts(number, held.grams), round_bytes)
    with phases("postings"):
        groups = group_numbers(asked)
        sought = asked[groups.order[groups.starts]]
        place = find_all(sought, offered)
    with phases.together("exchange", world):
        (answers,), _ = exchange(world, [(place >= 0).astype(np.uint8)], bounds(holders), round_bytes)
    with phases("postings"):
        chosen = held.only(np.flatnonzero(answers))
        found = Ragged(documents[chosen.holders.values], chosen.holders.offsets)
    with phases.together("exchange", world):
        received = exchange_ragged(world, found, ranges.cuts(number, chosen.grams), round_bytes)
    with phases("postings"):
        # Lists of one gram come in the order of ranks, so its pages stay in order
        of_gram = np.repeat(place[place >= 0], received.lengths)
        merged = Ragged.from_lengths(received.values[order_small(of_gram)], np.bincount(of_gram, minlength=len(sought)))
        number_of = np.empty(len(asked), np.int64)
        number_of[groups.order] = np.repeat(np.arange(len(sought)), groups.lengths)
        answer = merged.take(number_of)
        del received, found, merged
    with phases.together("exchange", world):
        got = exchange_ragged(world, answer, bounds(askers), round_bytes)
    with phases("postings"):
        return Postings(got, mine.by_candidate(candidates))


def find_all(table: NDArray[np.uint64], queries: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Give for each query its place in a sorted table, or -1."""
    if not len(table):
        return np.full(len(queries), -1, np.int64)
    place = np.minimum(np.searchsorted(table, queries), len(table) - 1)
    return np.where(table[place] == queries, place, -1)


def bounds(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give where each rank's share begins, and the end."""
    return np.concatenate([[0], np.cumsum(sizes)])
