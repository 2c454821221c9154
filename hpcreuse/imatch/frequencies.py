"""In how many documents of the collection each term occurs: an exchange of distinct terms, in passes over hash ranges.

Every rank brings the terms of its pages with how many of its documents hold them; the rank that owns a range of
hashes adds up and answers. Nobody ever holds all terms.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.tallies import Tally, count_over_ranks
from hpcreuse.store.columns import Rows

DOCUMENTS = {"documents": int}


def spool_terms(texts: Spooled, progress: Progress, phases: Phases) -> int:
    """Collective. Find the terms of this rank's blocks; give how many documents are not ignored, of all."""
    documents = 0
    for block in texts.corpus.mine:
        with phases("terms"):
            documents += int(np.count_nonzero(texts.terms(block).pages.lengths))
        progress.advance()
    texts.corpus.world.stop_if_asked()
    total: int = texts.corpus.world.comm.allreduce(documents)
    return total


def count_documents(
    collection: Spooled,
    others: Sequence[Spooled],
    memory: int,
    phases: Phases,
    each_pass: Callable[[Tally], None],
) -> None:
    """Collective. Keep for every block of this rank in how many documents of the collection its terms occur.

    Args:
        others: texts that are not of the collection and want to know the same.
        each_pass: is given the terms this rank owns, pass by pass.
    """
    asking = [(texts, block) for texts in (collection, *others) for block in texts.corpus.mine]
    tallies = []
    for texts, block in asking:
        with phases("terms"):
            terms = texts.terms(block)
        counts = terms.documents if texts is collection else np.zeros_like(terms.documents)
        tallies.append(Tally(terms.hashes, counts))
    totals = count_over_ranks(collection.corpus.world, tallies, memory, phases, each_pass)
    for (texts, block), documents in zip(asking, totals, strict=True):
        texts.keep(block, "documents", Rows({"documents": documents}))


def documents_of(texts: Spooled, block: Block) -> NDArray[np.int64]:
    """Give in how many documents of the collection the terms of a block occur, once they are counted."""
    return texts.kept(block, "documents", DOCUMENTS).array("documents")
