"""The lexicon of a job: saved before, or made from the collection statistics of a corpus."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block
from hpcreuse.imatch.frequencies import count_documents, documents_of
from hpcreuse.imatch.lexicon import PRIMARY, SECONDARY, Band, SavedLexicon, fingerprint, lexicon_id
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.imatch.terms import BlockTerms
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.tallies import Tally


@dataclass(frozen=True)
class Lexicon:
    """Which terms have which role, for the blocks of a job."""

    band: Band
    saved: SavedLexicon | None
    """Else documents were counted, and lie with the blocks."""
    id: str
    primary: int
    """How many terms it has."""
    secondary: int

    def documents(self, texts: Spooled, block: Block, terms: BlockTerms) -> NDArray[np.int64]:
        """Give in how many documents of the collection the terms of a block occur."""
        return self.saved.documents_of(terms.hashes) if self.saved else documents_of(texts, block)


def saved_lexicon(saved: SavedLexicon) -> Lexicon:
    """Take a lexicon from a file."""
    roles = saved.band.roles(saved.documents)
    sizes = (int(np.count_nonzero(roles == role)) for role in (PRIMARY, SECONDARY))
    return Lexicon(saved.band, saved, lexicon_id(saved.band, saved.fingerprint), *sizes)


def corpus_lexicon(collection: Spooled, others: Sequence[Spooled], band: Band, memory: int, phases: Phases) -> Lexicon:
    """Collective. Make a lexicon from the terms of a collection, to be used on others as well."""
    primary = secondary = number = 0

    def add(owned: Tally) -> None:
        nonlocal primary, secondary, number
        roles = band.roles(owned.counts)
        primary += int(np.count_nonzero(roles == PRIMARY))
        secondary += int(np.count_nonzero(roles == SECONDARY))
        number += fingerprint(*owned, band)

    count_documents(collection, others, memory, phases, add)
    totals = collection.corpus.world.comm.allreduce(np.array([primary, secondary]))
    number = sum(collection.corpus.world.comm.allgather(number))
    return Lexicon(band, None, lexicon_id(band, number), *totals.tolist())
