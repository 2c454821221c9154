"""Sources of pages: the greedy cover of their patch grams by other documents (QUILT section 2)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import greedy_covers
from hpcreuse.kernels.ragged import Ragged, cut_evenly
from hpcreuse.quilt.parameters import Parameters, at_least
from hpcreuse.quilt.postings import Postings
from hpcreuse.quilt.servers import UNKNOWN
from hpcreuse.store.scratch import ScratchFile, Ticket

# Memory per pair of patch gram and document while a batch of pages is covered
BYTES_PER_PAIR = 100


@dataclass(frozen=True)
class Patchwork:
    """Of some pages the documents that hold each of their patch grams."""

    documents: Ragged
    """Of each patch gram the numbers of the pages that may be sources."""
    starts: NDArray[np.int64]
    """The patch grams of page i are starts[i] to starts[i + 1]."""

    @classmethod
    def join(cls, parts: list["Patchwork"]) -> "Patchwork":
        """Put together what several ranges of grams gave for the same pages."""
        if len(parts) == 1:
            return parts[0]
        # Grams of all parts page by page: a stable sort by page
        page = np.concatenate([np.repeat(np.arange(len(part.starts) - 1), np.diff(part.starts)) for part in parts])
        documents = Ragged.concatenate([part.documents for part in parts]).take(np.argsort(page, kind="stable"))
        return cls(documents, np.sum([part.starts for part in parts], axis=0))

    def sources(self, least: NDArray[np.int64]) -> tuple[Ragged, Ragged]:
        """Cover the patch grams of each page: its sources, and how many patch grams each covers more."""
        sources, gains, counts = greedy_covers(self.documents.values, self.documents.offsets, self.starts, least)
        return Ragged.from_lengths(sources, counts), Ragged.from_lengths(gains, counts)


@dataclass
class Batches:
    """The candidates of this rank, in batches whose patchwork fits the memory.

    With one range of grams the patchwork of a batch is made when it is covered; with more it waits on disk.
    """

    parameters: Parameters
    numbers: NDArray[np.int64]
    servers: NDArray[np.uint64]
    spans: list[tuple[int, int]]
    """Candidates first to last-1 of each batch."""
    scratch: ScratchFile
    tickets: list[list[Ticket]] = field(default_factory=list)

    def put_away(self, postings: Postings) -> None:
        """Keep what a range of grams gives for each batch."""
        self.tickets = self.tickets or [[] for _ in self.spans]
        for number, tickets in enumerate(self.tickets):
            part = self.patchwork(number, postings)
            tickets.append(self.scratch.write(part.documents.values, part.documents.offsets, part.starts))

    def patchwork(self, number: int, postings: Postings | None) -> Patchwork:
        """Give the patchwork of a batch: from the only postings, or from all that was put away."""
        if postings is None:
            read = (self.scratch.read(ticket) for ticket in self.tickets[number])
            return Patchwork.join([Patchwork(Ragged(values, offsets), starts) for values, offsets, starts in read])
        first, last = self.spans[number]
        documents, starts = postings.of_candidates(first, last)
        numbers, servers = self.numbers[first:last], self.servers[first:last]
        return only_sources(documents, starts, numbers, servers, self.parameters.foreign)


def only_sources(
    documents: Ragged,
    starts: NDArray[np.int64],
    numbers: NDArray[np.int64],
    servers: NDArray[np.uint64],
    foreign: str,
) -> Patchwork:
    """Leave out the page itself, and with `--foreign` what is not known to come from another server."""
    page = np.repeat(np.arange(len(numbers)), np.diff(documents.offsets[starts]))
    listed = documents.values
    may_be = listed["page"] != numbers[page]
    if foreign != "none":
        own = servers[page]
        may_be &= (listed["server"] != own) & (listed["server"] != UNKNOWN) & (own != UNKNOWN)
    kept = np.concatenate([[0], np.cumsum(may_be)])[documents.offsets]
    return Patchwork(Ragged(listed["page"][may_be], kept), starts)


def make_batches(
    numbers: NDArray[np.int64],
    servers: NDArray[np.uint64],
    pairs: NDArray[np.int64],
    parameters: Parameters,
    memory: int,
    scratch: ScratchFile,
) -> Batches:
    """Cut candidates into batches of at most so many pairs of patch gram and document, or of one page."""
    most = max(1, memory // (2 * BYTES_PER_PAIR))
    spans = list(cut_evenly(np.concatenate([[0], np.cumsum(pairs)]), most))
    return Batches(parameters, numbers, servers, spans, scratch)


@dataclass(frozen=True)
class Covered:
    """Pages of this rank with their sources."""

    numbers: NDArray[np.int64]
    grams: NDArray[np.int64]
    patch_grams: NDArray[np.int64]
    sources: Ragged
    gains: Ragged

    def only(self, places: NDArray[np.integer]) -> "Covered":
        """Give some of them."""
        return Covered(
            self.numbers[places],
            self.grams[places],
            self.patch_grams[places],
            self.sources.take(places),
            self.gains.take(places),
        )


def cover(
    batches: Batches, postings: Postings | None, grams: NDArray[np.int64], patch_grams: NDArray[np.int64]
) -> Iterator[Covered]:
    """Cover the candidates batch by batch.

    Args:
        postings: of all grams, when they fit the memory; else everything has been put away.
        grams: of each candidate.
        patch_grams: of each candidate.
    """
    for number, (first, last) in enumerate(batches.spans):
        span = slice(first, last)
        least = at_least(batches.parameters.min_share, patch_grams[span])
        sources, gains = batches.patchwork(number, postings).sources(least)
        yield Covered(batches.numbers[span], grams[span], patch_grams[span], sources, gains)
