"""In how many articles each immutable occurs: rare ones come first when articles are compared."""

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.texts import Block
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.tallies import Tally, add_up, add_up_over_ranks
from hpcreuse.spin.articles import Articles

# Memory an immutable takes in an exchange: hash, count and answer, sorted and copied on both sides
BYTES_PER_IMMUTABLE = 160


def count_articles(articles: Articles, memory: int, phases: Phases) -> dict[Block, Tally]:
    """Collective. Give of each block of this rank the immutables with the number of articles that have them."""
    world = articles.corpus.world
    local = {}
    with phases("count"):
        for block in articles.corpus.mine:
            _, units = articles.read(block)
            local[block] = Tally(*np.unique(units.immutables.values, return_counts=True))
    ranges = HashRanges.plan(world, BYTES_PER_IMMUTABLE * sum(len(t.hashes) for t in local.values()), memory)
    totals: dict[Block, list[NDArray[np.int64]]] = {block: [] for block in local}
    for number in range(ranges.passes):
        with phases("count"):
            slices = {block: ranges.within(number, tally.hashes) for block, tally in local.items()}
            hashes = [local[block].hashes[part] for block, part in slices.items()]
            mine = add_up(hashes, [local[block].counts[part] for block, part in slices.items()])
        found, _ = add_up_over_ranks(world, ranges, number, mine, memory // 4, phases)
        for block, asked in zip(slices, hashes, strict=True):
            totals[block].append(found[np.searchsorted(mine.hashes, asked)])
        world.stop_if_asked()
    return {block: Tally(local[block].hashes, np.concatenate(parts)) for block, parts in totals.items()}
