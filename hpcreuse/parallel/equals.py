"""Which of all ranks' items are the same: each is told the first of its equals."""

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.world import World


def first_of_equals(
    world: World, numbers: NDArray[np.int64], digests: dg.Digests, round_bytes: int
) -> NDArray[np.int64]:
    """Collective. Give for each item the smallest number of all ranks' items with the same digest, maybe its own."""
    prefixes = dg.prefixes(digests)
    order = np.argsort(prefixes, kind="stable")
    cuts = HashRanges(world.size, 1).cuts(0, prefixes[order])
    (theirs, found), received = exchange(world, [digests[order], numbers[order]], cuts, round_bytes)
    smallest = np.empty(len(found), np.int64)
    if len(found):
        groups = dg.group(theirs)
        smallest[groups.order] = np.repeat(np.minimum.reduceat(found[groups.order], groups.starts), groups.lengths)
    (back,), _ = exchange(world, [smallest], np.concatenate([[0], np.cumsum(received)]), round_bytes)
    firsts = np.empty(len(numbers), np.int64)
    firsts[order] = back
    return firsts
