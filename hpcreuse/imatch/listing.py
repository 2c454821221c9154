"""The lexicon as a table: its terms spelled out, the most frequent first."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.ordering import TableSorter, exchange_rows, sort_keys
from hpcreuse.imatch.frequencies import documents_of
from hpcreuse.imatch.lexicon import PRIMARY, ROLES, SECONDARY, Band
from hpcreuse.imatch.spooled import Spooled
from hpcreuse.imatch.terms import spellings_of
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.store.columns import Column, Rows

# Memory a term takes while it is listed, with its spelling
BYTES_PER_TERM = 300


def list_terms(texts: Spooled, scratch: Path, band: Band, secondary: bool, memory: int, phases: Phases) -> None:
    """Collective. Write the table `lexicon`: the primary terms, and the secondary ones if wanted."""
    world = texts.corpus.world
    wanted = [PRIMARY, SECONDARY] if secondary else [PRIMARY]
    with phases("list"):
        mine = own_terms(texts, band, wanted)
        ranges = HashRanges.plan(world, BYTES_PER_TERM * len(mine), memory)
    sorter = TableSorter(world, scratch, "imatch", "lexicon", memory)
    for number in range(ranges.passes):
        with phases("list"):
            part = ranges.within(number, hashes_of(mine))
            rows = mine.take(np.arange(part.start, part.stop))
        with phases.together("exchange", world):
            theirs = exchange_rows(world, rows, ranges.cuts(number, hashes_of(rows)), memory // 4)
        with phases("list"):
            add_terms(sorter, one_each(theirs), band)
        world.stop_if_asked()
    sorter.finish(phases)


def own_terms(texts: Spooled, band: Band, wanted: list[int]) -> Rows:
    """Give the terms of this rank's pages that are in the lexicon, each once, sorted by hash."""
    empty = Rows({"hash": np.empty(0, np.uint64), "documents": np.empty(0, np.int64), "term": Ragged.from_strings([])})
    parts = [empty]
    for block in texts.corpus.mine:
        local, documents = texts.terms(block), documents_of(texts, block)
        chosen = np.flatnonzero(np.isin(band.roles(documents), wanted))
        terms = spellings_of(texts.corpus, block, local.numbers[chosen])
        parts.append(Rows({"hash": local.hashes[chosen], "documents": documents[chosen], "term": terms}))
    return one_each(Rows.concatenate(parts))


def hashes_of(rows: Rows) -> NDArray[np.uint64]:
    """Give the hashes of terms."""
    return rows.array("hash")


def one_each(rows: Rows) -> Rows:
    """Keep one row of each term, sorted by hash."""
    return rows.take(np.unique(hashes_of(rows), return_index=True)[1])


def add_terms(sorter: TableSorter, rows: Rows, band: Band) -> None:
    """Put terms into the table, the most frequent first, equally frequent ones in order of spelling."""
    terms, documents = rows.strings("term"), rows.array("documents")
    roles = Ragged.from_strings(role.encode() for role in ROLES).take(band.roles(documents))
    columns: dict[str, Column] = {"term": terms, "documents": documents, "nidf": band.nidf(documents), "role": roles}
    sorter.add(sort_keys(band.documents - documents, terms), columns)
