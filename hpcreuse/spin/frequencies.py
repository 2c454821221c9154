"""In how many articles each immutable occurs: rare ones come first when articles are compared."""

from collections.abc import Iterator

import numpy as np

from hpcreuse.corpus.candidates import PageSets
from hpcreuse.corpus.spooling import ByPass
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.tallies import BYTES_PER_HASH, Tally, add_up, add_up_over_ranks
from hpcreuse.spin.articles import Articles


def count_articles(articles: Articles, memory: int, phases: Phases) -> Iterator[PageSets]:
    """Collective. Give this rank's articles with their immutables and how many articles of all have each of these."""
    blocks, world = articles.corpus.mine, articles.corpus.world
    ranges = HashRanges.plan(world, BYTES_PER_HASH * articles.immutables, memory)
    local = ByPass(ranges, articles.spool("local"), np.uint64, np.int64)
    totals = ByPass(ranges, articles.spool("totals"), np.int64)
    with phases("count"):
        for place, block in enumerate(blocks):
            local.add_block(place, *np.unique(articles.of_block(block)[1].immutables.values, return_counts=True))
    for number in range(ranges.passes):
        with phases("count"):
            mine = [local.get(place, number) for place in range(len(blocks))]
            added = add_up([hashes for hashes, _ in mine], [counts for _, counts in mine])
        found, _ = add_up_over_ranks(world, ranges, number, added, memory // 4, phases)
        with phases("count"):
            for place, (hashes, _) in enumerate(mine):
                totals.add(place, number, found[np.searchsorted(added.hashes, hashes)])
        world.stop_if_asked()
    return read_counted(articles, local, totals)


def read_counted(articles: Articles, local: ByPass, totals: ByPass) -> Iterator[PageSets]:
    """Read the articles of this rank and their counts back, block by block."""
    for place, block in enumerate(articles.corpus.mine):
        hashes, _ = local.of_block(place)
        (counts,) = totals.of_block(place)
        pages, units = articles.of_block(block)
        yield PageSets(pages, units.immutables, Tally(hashes, counts))
    local.remove()
    totals.remove()
