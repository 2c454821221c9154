"""How often hashes occur over all ranks: everyone brings local counts, the owner of a range adds up and answers.

That is done in passes over ranges of hashes, so that no rank ever holds all of them.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ordering import Groups, group_numbers
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.world import World

# Memory a hash takes in an exchange: itself, its count and the answer, sorted and copied on both sides
BYTES_PER_HASH = 160


NO_HASHES, NO_COUNTS = np.empty(0, np.uint64), np.empty(0, np.int64)


class Tally(NamedTuple):
    """Distinct hashes, sorted, with their counts."""

    hashes: NDArray[np.uint64]
    counts: NDArray[np.int64]


def add_up(hashes: list[NDArray[np.uint64]], counts: list[NDArray[np.int64]]) -> Tally:
    """Add the counts of equal hashes."""
    return _grouped(np.concatenate([NO_HASHES, *hashes]), np.concatenate([NO_COUNTS, *counts]))[0]


def _grouped(hashes: NDArray[np.uint64], counts: NDArray[np.int64]) -> tuple[Tally, Groups]:
    """Add the counts of equal hashes; tell also which rows are equal."""
    groups = group_numbers(hashes)
    added = np.add.reduceat(counts[groups.order], groups.starts) if len(hashes) else counts
    return Tally(hashes[groups.order[groups.starts]], added), groups


def add_up_over_ranks(
    world: World, ranges: HashRanges, number: int, mine: Tally, round_bytes: int, phases: Phases
) -> tuple[NDArray[np.int64], Tally]:
    """Collective. Give the counts over all ranks of the hashes this rank brought, and all of the range it owns.

    Args:
        number: of the pass; the hashes brought lie in its ranges.
    """
    if world.size == 1:
        return mine.counts, mine
    with phases.together("exchange", world):
        (theirs, counts), received = exchange(world, list(mine), ranges.cuts(number, mine.hashes), round_bytes)
    with phases("count"):
        owned, groups = _grouped(theirs, counts)
        answers = np.empty(len(theirs), np.int64)
        answers[groups.order] = np.repeat(owned.counts, groups.lengths)
    with phases.together("exchange", world):
        (totals,), _ = exchange(world, [answers], np.concatenate([[0], np.cumsum(received)]), round_bytes)
    return totals, owned


def count_over_ranks(
    world: World,
    mine: Sequence[Tally],
    memory: int,
    phases: Phases,
    each_pass: Callable[[Tally], None] = lambda owned: None,
) -> list[NDArray[np.int64]]:
    """Collective. Give for each tally of this rank the counts of its hashes over all ranks.

    Args:
        each_pass: is given what this rank owns, pass by pass.
    """
    ranges = HashRanges.plan(world, BYTES_PER_HASH * sum(len(tally.hashes) for tally in mine), memory)
    totals: list[list[NDArray[np.int64]]] = [[] for _ in mine]
    for number in range(ranges.passes):
        with phases("count"):
            parts = [ranges.within(number, tally.hashes) for tally in mine]
            hashes = [tally.hashes[part] for tally, part in zip(mine, parts, strict=True)]
            added = add_up(hashes, [tally.counts[part] for tally, part in zip(mine, parts, strict=True)])
        found, owned = add_up_over_ranks(world, ranges, number, added, memory // 4, phases)
        for total, asked in zip(totals, hashes, strict=True):
            total.append(found[np.searchsorted(added.hashes, asked)])
        each_pass(owned)
        world.stop_if_asked()
    return [np.concatenate(total) for total in totals]
