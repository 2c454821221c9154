"""Which hashes occur more than once over all ranks? A filter lets those go that surely do not.

Most hashes of a corpus occur once, and what counts and compares them has no use for these. Each rank tells the low
half of every hash it has once to the rank that its high half names, which answers whether somebody told it the like.
That takes 5 bytes a hash and no sort, where counting takes 24 and two. A few hashes pass that do occur once.
"""

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import collect, deal, may_repeat
from hpcreuse.kernels.ordering import group_numbers
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World

# Of a filter: one in so many hashes, or fewer, is taken for one that occurs again; two bits each
SLOTS_PER_HASH = 8


def may_repeat_anywhere(
    world: World, hashes: NDArray[np.uint64], round_bytes: int, phases: Phases
) -> NDArray[np.bool_]:
    """Collective. Tell which of this rank's hashes may have an equal on this rank or another; no other has one."""
    with phases("filter"):
        repeated, told = repeats_here(hashes)
        if world.size == 1:
            return repeated
        halves, cuts = deal(hashes, told, world.size)
    with phases.together("exchange", world):
        (heard,), counts = exchange(world, [halves], cuts, round_bytes)
    with phases("filter"):
        answers = filtered(heard).view(np.uint8)
    with phases.together("exchange", world):
        (back,), _ = exchange(world, [answers], np.concatenate([[0], np.cumsum(counts)]), round_bytes)
    with phases("filter"):
        repeated |= collect(hashes, told, cuts, back).view(np.bool_)
    return repeated


def repeats_here(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which hashes occur more than once on this rank, and which are the first of their like."""
    repeated = filtered(hashes)
    rows = np.flatnonzero(repeated)
    groups = group_numbers(hashes[rows])
    lengths = groups.lengths
    repeated[rows[groups.order]] = np.repeat(lengths > 1, lengths)
    first = np.ones(len(hashes), np.bool_)
    first[rows] = False
    first[rows[groups.order[groups.starts]]] = True
    return repeated, first


def filtered(hashes: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
    """Tell which hashes may occur more than once."""
    return may_repeat(hashes, 1 << (SLOTS_PER_HASH * len(hashes)).bit_length())
