"""All pairs of documents whose term sets have a cosine of a threshold or more: exact, without comparing all pairs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.candidates import PageSets, find_candidates, in_step
from hpcreuse.corpus.measures import SLACK, Measure
from hpcreuse.corpus.pairs import Pairs
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.imatch.frequencies import documents_of
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.kernels import signatures
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.equals import first_of_equals
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.tallies import Tally

# Memory two documents take while they are compared
BYTES_PER_PAIR = 32 << 10


@dataclass(frozen=True)
class TermSets:
    """This rank's documents; trivial duplicates may be left out."""

    corpus: TextCorpus
    pages: NDArray[np.int64]
    """Sorted."""
    sets: Ragged
    """Of each the hashes of its terms, sorted."""

    @classmethod
    def read(cls, texts: Spooled, round_bytes: int, drop: bool) -> "TermSets":
        """Collective. Read the terms of all documents; of those with the same terms keep the first if told to."""
        corpus = texts.corpus
        pages, sets = [np.empty(0, np.int64)], [Ragged.from_lengths(np.empty(0, np.uint64), [])]
        for block in corpus.mine:
            terms = texts.terms(block)
            documents = np.flatnonzero(terms.pages.lengths)
            chosen = terms.pages.take(documents)
            pages.append(block.page + documents)
            sets.append(Ragged(terms.hashes[chosen.values], chosen.offsets))
        found = cls(corpus, np.concatenate(pages), Ragged.concatenate(sets))
        if not drop:
            return found
        firsts = first_of_equals(corpus.world, found.pages, whole_digests(found.sets), round_bytes)
        kept = np.flatnonzero(firsts == found.pages)
        return cls(corpus, found.pages[kept], found.sets.take(kept))

    def fetch(self, pages: NDArray[np.int64], round_bytes: int) -> Ragged:
        """Collective. Get the sets of pages anywhere, by sorted numbers; ranks may ask for different ones, or none."""
        world = self.corpus.world
        cuts = np.searchsorted(self.corpus.owner_of(pages), np.arange(world.size + 1))
        (asked,), received = exchange(world, [pages], cuts, round_bytes)
        return exchange_ragged(world, self.own(asked), np.concatenate([[0], np.cumsum(received)]), round_bytes)

    def own(self, pages: NDArray[np.int64]) -> Ragged:
        """Get the sets of this rank's pages, by number."""
        return self.sets.take(np.searchsorted(self.pages, pages))

    def by_block(self, texts: Spooled) -> Iterator[PageSets]:
        """Give the sets block by block, with the number of documents that hold each term."""
        for block in self.corpus.mine:
            first, last = np.searchsorted(self.pages, [block.page, block.page + len(block)])
            frequencies = Tally(texts.terms(block).hashes, documents_of(texts, block))
            yield PageSets(self.pages[first:last], self.sets.take(np.arange(first, last)), frequencies)


def whole_digests(sets: Ragged) -> NDArray[np.uint8]:
    """Hash whole sets."""
    terms, places = np.unique(sets.values, return_inverse=True)
    marks, spare = np.ones(len(terms), np.uint64), np.full(len(terms), -1, np.int64)
    found, _ = signatures(sets.offsets, places.astype(np.uint32), terms, marks, spare, 1, 0)
    return np.ascontiguousarray(found[:, 0, :]).view(np.uint8).reshape(-1, 16)


def similar_pairs(texts: Spooled, sets: TermSets, measure: Measure, memory: int, phases: Phases) -> Pairs:
    """Collective. Give the similar pairs whose smaller page is this rank's, sorted."""
    world, entries = texts.corpus.world, measure.entries(len(sets.sets.values), len(sets.pages))
    candidates = find_candidates(texts.corpus, sets.by_block(texts), entries, measure, texts.folder, memory, phases)
    similar = []
    for some in in_step(world, candidates.batches(max(1, memory // BYTES_PER_PAIR)), phases):
        a_pages, a_places = np.unique(some.a, return_inverse=True)
        b_pages, b_places = np.unique(some.b, return_inverse=True)
        with phases.together("exchange", world):
            theirs = sets.fetch(b_pages, memory // 8)
        with phases("compare"):
            similarity = measure.of_pairs(sets.own(a_pages), a_places, theirs, b_places)
            # A cosine of exactly the threshold may come out a rounding error lower
            good = similarity >= measure.threshold - SLACK
            similar.append(Pairs(some.a[good], some.b[good]))
        world.stop_if_asked()
    return Pairs.distinct([Pairs.none(), *similar])
