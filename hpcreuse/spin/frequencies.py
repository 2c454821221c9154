"""In how many articles each immutable occurs: rare ones come first when articles are compared."""

import numpy as np

from hpcreuse.corpus.texts import Block
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.tallies import Tally, count_over_ranks
from hpcreuse.spin.articles import Articles


def count_articles(articles: Articles, memory: int, phases: Phases) -> dict[Block, Tally]:
    """Collective. Give of each block of this rank the immutables with the number of articles that have them."""
    blocks = articles.corpus.mine
    with phases("count"):
        sets = (articles.read(block)[1].immutables.values for block in blocks)
        local = [Tally(*np.unique(each, return_counts=True)) for each in sets]
    totals = count_over_ranks(articles.corpus.world, local, memory, phases)
    found = zip(blocks, local, totals, strict=True)
    return {block: Tally(tally.hashes, counts) for block, tally, counts in found}
