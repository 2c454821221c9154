"""In how many articles each immutable occurs: rare ones come first when articles are compared."""

from collections.abc import Iterator

import numpy as np

from hpcreuse.corpus.candidates import PageSets
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.tallies import Tally, count_over_ranks
from hpcreuse.spin.articles import Articles


def count_articles(articles: Articles, memory: int, phases: Phases) -> Iterator[PageSets]:
    """Collective. Give this rank's articles with their immutables and how many articles of all have each of these."""
    blocks = articles.corpus.mine
    with phases("count"):
        sets = (articles.read(block)[1].immutables.values for block in blocks)
        local = [Tally(*np.unique(each, return_counts=True)) for each in sets]
    totals = count_over_ranks(articles.corpus.world, local, memory, phases)
    return (
        PageSets(pages, units.immutables, Tally(tally.hashes, counts))
        for tally, counts, (pages, units) in zip(local, totals, map(articles.read, blocks), strict=True)
    )
