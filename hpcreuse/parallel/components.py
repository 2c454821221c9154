"""Connected components of a graph whose edges lie anywhere: hook and compress, in a number of rounds that grows with
the logarithm of the largest component.

In each round every tree is a star. A root hooks itself to the neighbouring root that comes first in an order drawn
anew for the round (so that neither chains nor stars nor any other shape is a bad case), then trees are compressed to
stars by pointer jumping, and edges shrink to edges between roots. Equal edges are dropped where they lie: a hub costs
each rank one edge, not one per neighbour.
"""

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.exchange import ROUND_BYTES
from hpcreuse.parallel.spread import SpreadArray
from hpcreuse.parallel.world import World


def connected_components(
    world: World, vertices: int, a: NDArray[np.int64], b: NDArray[np.int64], round_bytes: int = ROUND_BYTES
) -> SpreadArray:
    """Collective. Give for each vertex the smallest vertex of its component.

    Args:
        vertices: their number; vertices are 0 to vertices-1.
        a: one end of each edge that this rank knows of; the edges of all ranks together make the graph.
        b: the other end.
    """
    parent = SpreadArray.places(world, vertices, round_bytes)
    number = 0
    while world.comm.allreduce(len(a)):
        a, b = distinct_edges(a, b)
        hook(parent, a, b, number)
        compress(parent)
        roots = parent.get(np.concatenate([a, b]))
        a, b = roots[: len(a)], roots[len(a) :]
        a, b = a[a != b], b[a != b]
        number += 1
    return name_by_smallest(parent)


def distinct_edges(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Drop edges that are there twice, and loops."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    edges = np.unique(np.stack([low, high], axis=1)[low != high], axis=0)
    return edges[:, 0].copy(), edges[:, 1].copy()


def hook(parent: SpreadArray, a: NDArray[np.int64], b: NDArray[np.int64], number: int) -> None:
    """Collective. Hook every root to the first of its neighbours, if that comes before itself."""
    nobody = np.iinfo(np.int64).max
    best = SpreadArray.full(parent.world, parent.length, nobody, parent.round_bytes)
    ends, others = np.concatenate([a, b]), np.concatenate([b, a])
    best.lower(ends, shuffled(others, number))
    # Who the first is: shuffling has a way back
    own = parent.first + np.arange(len(parent.mine))
    hooks = best.mine < shuffled(own, number)
    parent.mine[hooks] = unshuffled(best.mine[hooks], number)


def compress(parent: SpreadArray) -> None:
    """Collective. Make all trees stars."""
    while True:
        above = parent.get(parent.mine)
        changed = bool((above != parent.mine).any())
        parent.mine[:] = above
        if not parent.world.comm.allreduce(changed):
            return


def name_by_smallest(parent: SpreadArray) -> SpreadArray:
    """Collective. Name each component after its smallest vertex instead of its root."""
    own = parent.first + np.arange(len(parent.mine))
    smallest = SpreadArray.places(parent.world, parent.length, parent.round_bytes)
    smallest.lower(parent.mine, own)
    return SpreadArray(parent.world, parent.length, smallest.get(parent.mine), parent.round_bytes)


def clustered(names: SpreadArray) -> NDArray[np.int64]:
    """Collective. Give the vertices of this rank's slice whose components have more than one vertex."""
    own = names.first + np.arange(len(names.mine))
    alone = SpreadArray.full(names.world, names.length, 1, names.round_bytes)
    joined = names.mine[names.mine != own]
    alone.lower(joined, np.zeros(len(joined), np.int64))
    return own[(names.mine != own) | (alone.mine == 0)]


def spanning_edges(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give as few edges as join what these edges of one rank join; the other ranks need not know."""
    from mpi4py import MPI

    vertices, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    alone = World(MPI.COMM_SELF, 0, 1)
    names = connected_components(alone, len(vertices), places[: len(a)], places[len(a) :]).mine
    joined = np.flatnonzero(names != np.arange(len(names)))
    return vertices[names[joined]], vertices[joined]


# A bijection of the numbers below 2^63 for each round: an odd multiplier and a rotation by xor
_MASK = (1 << 63) - 1
_FACTOR = 0x1E3779B97F4A7C15 | 1
_INVERSE = pow(_FACTOR, -1, 1 << 63)


def shuffled(vertices: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Give each vertex its place in the order of a round."""
    mixed = vertices.astype(np.uint64) ^ np.uint64(number * 0x632BE59BD9B4E019 & _MASK)
    mixed = mixed * np.uint64(_FACTOR) & np.uint64(_MASK)
    mixed ^= mixed >> np.uint64(32)
    return (mixed * np.uint64(_FACTOR) & np.uint64(_MASK)).astype(np.int64)


def unshuffled(places: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Give the vertices back."""
    mixed = places.astype(np.uint64) * np.uint64(_INVERSE) & np.uint64(_MASK)
    mixed ^= mixed >> np.uint64(32)
    mixed = mixed * np.uint64(_INVERSE) & np.uint64(_MASK)
    return (mixed ^ np.uint64(number * 0x632BE59BD9B4E019 & _MASK)).astype(np.int64)
