"""How often hashes occur over all ranks: everyone brings local counts, the owner of a range adds up and answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.world import World


class Tally(NamedTuple):
    """Distinct hashes, sorted, with their counts."""

    hashes: NDArray[np.uint64]
    counts: NDArray[np.int64]


def add_up(hashes: list[NDArray[np.uint64]], counts: list[NDArray[np.int64]]) -> Tally:
    """Add the counts of equal hashes."""
    if not hashes:
        return Tally(np.empty(0, np.uint64), np.empty(0, np.int64))
    distinct, place = np.unique(np.concatenate(hashes), return_inverse=True)
    added = np.zeros(len(distinct), np.int64)
    np.add.at(added, place, np.concatenate(counts))
    return Tally(distinct, added)


def add_up_over_ranks(
    world: World, ranges: HashRanges, number: int, mine: Tally, round_bytes: int, phases: Phases
) -> tuple[NDArray[np.int64], Tally]:
    """Collective. Give the counts over all ranks of the hashes this rank brought, and all of the range it owns.

    Args:
        number: of the pass; the hashes brought lie in its ranges.
    """
    with phases.together("exchange", world):
        (theirs, counts), received = exchange(world, list(mine), ranges.cuts(number, mine.hashes), round_bytes)
    with phases("count"):
        owned = add_up([theirs], [counts])
        answers = owned.counts[np.searchsorted(owned.hashes, theirs)]
    with phases.together("exchange", world):
        (totals,), _ = exchange(world, [answers], np.concatenate([[0], np.cumsum(received)]), round_bytes)
    return totals, owned
