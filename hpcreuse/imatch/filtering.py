"""Which documents of a stream match which prototypes: an exchange by signature, in passes over hash ranges.

Of prototypes with the same signature the one with the smallest URL stands for all: a document matches at most one per
lexicon, however many copies of a prototype there are.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.ordering import TableSorter, exchange_rows, sort_keys
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.imatch.clustering import BYTES_PER_SIGNATURE, begins_group
from hpcreuse.imatch.signing import Signed
from hpcreuse.kernels.ragged import Ragged, sort_order
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.store.columns import Column, Rows

# Memory a prototype's signature takes on top of that: its URL, as a Python string too
BYTES_PER_URL = 200


def find_matches(corpus: TextCorpus, signed: Signed, prototypes: Rows, memory: int, phases: Phases) -> Rows:
    """Collective. Give for this rank's documents the prototypes they match: page, prototype, lexicon.

    Args:
        signed: the signatures of this rank's documents.
        prototypes: this rank's share of the prototypes' signatures.
    """
    world = corpus.world
    with phases("sort"):
        signed = signed.take(np.argsort(signed.left, kind="stable"))
        prototypes = prototypes.take(np.argsort(prototypes.array("left"), kind="stable"))
        cost = BYTES_PER_SIGNATURE * (len(signed.page) + len(prototypes)) + BYTES_PER_URL * len(prototypes)
        ranges = HashRanges.plan(world, cost, memory)
    found = []
    for number in range(ranges.passes):
        part = ranges.within(number, signed.left)
        mine = Signed(*(column[part] for column in signed))
        part = ranges.within(number, prototypes.array("left"))
        known = prototypes.take(np.arange(part.start, part.stop))
        with phases.together("exchange", world):
            columns, _ = exchange(world, list(mine), ranges.cuts(number, mine.left), memory // 4)
            theirs = exchange_rows(world, known, ranges.cuts(number, known.array("left")), memory // 4)
        with phases("match"):
            matches = meet(Signed(*columns), theirs)
            owner = corpus.owner_of(matches.array("page"))
            order = np.argsort(owner, kind="stable")
            cuts = np.searchsorted(owner[order], np.arange(world.size + 1))
        with phases.together("exchange", world):
            found.append(exchange_rows(world, matches.take(order), cuts, memory // 4))
        world.stop_if_asked()
    return Rows.concatenate(found)


def meet(signed: Signed, prototypes: Rows) -> Rows:
    """Give the documents whose signatures are among those of prototypes."""
    urls = list(prototypes.strings("url"))
    # A prototype comes before the documents with its signature, the one with the smallest URL first
    place = np.empty(len(urls), np.int64)
    place[sort_order(urls)] = np.arange(len(urls)) - len(urls)
    known = Signed(place, *(prototypes.array(name) for name in ("lexicon", "left", "right")))
    both = Signed(*(np.concatenate(columns) for columns in zip(known, signed, strict=True)))
    order = np.lexsort((both.page, both.lexicon, both.right, both.left))
    both = both.take(order)
    group = np.cumsum(begins_group(both)) - 1
    first = np.flatnonzero(begins_group(both))
    matched = (both.page >= 0) & (both.page[first][group] < 0)
    prototype = order[first[group[matched]]]
    return Rows(
        {
            "page": both.page[matched],
            "prototype": prototypes.strings("url").take(prototype),
            "lexicon": both.lexicon[matched],
        }
    )


def write_matches(corpus: TextCorpus, sorter: TableSorter, matches: Rows, phases: Phases) -> dict[str, int]:
    """Collective. Write the table of matches: a row for each document and prototype, with the lexicons that agree."""
    world, documents = corpus.world, 0
    with phases("write"):
        rows = in_order(matches)
        pages, lexicons = rows.array("page"), rows.array("lexicon")
        prototypes = list(rows.strings("prototype"))
        for block in corpus.mine:
            first, last = np.searchsorted(pages, [block.page, block.page + len(block)])
            starts = run_starts(pages[first:last], prototypes[first:last]) + first
            urls = corpus.urls(block).take(pages[starts] - block.page)
            names = rows.strings("prototype").take(starts)
            lengths = [end - start for start, end in pairwise([*starts.tolist(), last])]
            listed = Ragged.from_lengths(lexicons[first:last], lengths)
            columns: dict[str, Column] = {"url": urls, "prototype": names, "lexicons": listed}
            sorter.add(sort_keys(urls, pages[starts], names), columns)
            documents += len(np.unique(pages[first:last]))
    return {"matched": world.comm.allreduce(documents), "matches": sorter.finish(phases)}


def in_order(matches: Rows) -> Rows:
    """Sort matches by document, prototype and lexicon."""
    prototypes = list(matches.strings("prototype"))
    place = np.empty(len(prototypes), np.int64)
    # Equal names have equal places: their lexicons decide
    order = sort_order(prototypes)
    same = [b"" if at == 0 else prototypes[order[at - 1]] for at in range(len(order))]
    place[order] = np.cumsum([name != prototypes[at] for name, at in zip(same, order.tolist(), strict=True)])
    return matches.take(np.lexsort((matches.array("lexicon"), place, matches.array("page"))))


def run_starts(pages: NDArray[np.int64], prototypes: list[bytes]) -> NDArray[np.int64]:
    """Tell where in sorted matches another document or prototype begins."""
    new = [
        at == 0 or pages[at] != pages[at - 1] or prototypes[at] != prototypes[at - 1] for at in range(len(prototypes))
    ]
    return np.flatnonzero(new)
