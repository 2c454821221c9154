"""Pages that are the same byte for byte, each with the first of its kind: only that one takes part in the rest."""

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.world import World


def first_of_equals(world: World, pages: NDArray[np.int64], digests: dg.Digests, round_bytes: int) -> NDArray[np.int64]:
    """Collective. Give for each page the smallest page of all ranks with the same digest, maybe itself."""
    prefixes = dg.prefixes(digests)
    order = np.argsort(prefixes, kind="stable")
    bounds = np.array([(rank << 64) // world.size for rank in range(world.size)], np.uint64)
    cuts = np.append(np.searchsorted(prefixes[order], bounds), len(pages))
    (theirs, found), received = exchange(world, [digests[order], pages[order]], cuts, round_bytes)
    grouped, starts = dg.group(theirs)
    smallest = np.empty(len(found), np.int64)
    if len(found):
        lengths = np.diff(starts, append=len(grouped))
        smallest[grouped] = np.repeat(np.minimum.reduceat(found[grouped], starts), lengths)
    (back,), _ = exchange(world, [smallest], np.concatenate([[0], np.cumsum(received)]), round_bytes)
    firsts = np.empty(len(pages), np.int64)
    firsts[order] = back
    return firsts
