"""In how many documents of the collection each term occurs: an exchange of distinct terms, in passes over hash ranges.

Every rank brings the terms of its pages with how many of its documents hold them; the rank that owns a range of
hashes adds up and answers. Nobody ever holds all terms.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block, TextCorpus
from hpcreuse.imatch.terms import read_terms, spool_path
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.tallies import Tally, count_over_ranks
from hpcreuse.store.columns import Rows
from hpcreuse.store.findings import read_part, write_part

LOCAL = {"hashes": int, "numbers": int, "documents": int}


@dataclass(frozen=True)
class Collection:
    """What is known of the collection as a whole."""

    documents: int
    """Those that are not ignored."""


def spool_terms(corpus: TextCorpus, scratch: Path, progress: Progress, phases: Phases) -> Collection:
    """Collective. Put the terms of this rank's blocks on disk, and count the documents of all."""
    documents = 0
    for done, block in enumerate(corpus.mine):
        with phases("terms"):
            terms = read_terms(corpus, block)
            documents += int(np.count_nonzero(terms.pages.lengths))
        with phases("write"):
            rows = Rows({"hashes": terms.hashes, "numbers": terms.numbers, "documents": terms.documents})
            write_part(spool_path(scratch, block, "terms"), rows)
        progress.update(done + 1)
    corpus.world.stop_if_asked()
    return Collection(corpus.world.comm.allreduce(documents))


def count_documents(
    corpus: TextCorpus,
    scratch: Path,
    memory: int,
    phases: Phases,
    each_pass: Callable[[Tally], None],
) -> None:
    """Collective. Spool for every block of this rank in how many documents of all its terms occur.

    Args:
        each_pass: is given the terms this rank owns, pass by pass.
    """
    local = [read_part(spool_path(scratch, block, "terms"), LOCAL) for block in corpus.mine]
    tallies = [Tally(rows.array("hashes"), rows.array("documents")) for rows in local]
    totals = count_over_ranks(corpus.world, tallies, memory, phases, each_pass)
    for block, documents in zip(corpus.mine, totals, strict=True):
        write_part(spool_path(scratch, block, "documents"), Rows({"documents": documents}))


def documents_of(scratch: Path, block: Block) -> NDArray[np.int64]:
    """Read back in how many documents of all the terms of a block occur."""
    return read_part(spool_path(scratch, block, "documents"), {"documents": int}).array("documents")
