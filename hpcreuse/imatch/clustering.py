"""Documents that share a signature under any lexicon, and what hangs together through them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hpcreuse.imatch.signing import Signed
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.world import World

# Memory a signature takes in an exchange: four numbers, sorted and copied on both sides
BYTES_PER_SIGNATURE = 200


def shared_signatures(
    world: World, signed: Signed, memory: int, phases: Phases
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Collective. Give pairs of pages that share a signature: each page with the first that has the same.

    The pairs of all ranks together connect all that share one.
    """
    firsts, others = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for received in met_signatures(world, signed, memory, phases):
        with phases("match"):
            first, other = pairs_with_first(received)
            firsts.append(first)
            others.append(other)
    return np.concatenate(firsts), np.concatenate(others)


def met_signatures(world: World, signed: Signed, memory: int, phases: Phases) -> Iterator[Signed]:
    """Collective. Bring equal signatures of all ranks together, range by range."""
    with phases("sort"):
        signed = signed.take(np.argsort(signed.left, kind="stable"))
        ranges = HashRanges.plan(world, BYTES_PER_SIGNATURE * len(signed.page), memory)
    for number in range(ranges.passes):
        part = ranges.within(number, signed.left)
        with phases.together("exchange", world):
            mine = Signed(*(column[part] for column in signed))
            columns, _ = exchange(world, list(mine), ranges.cuts(number, mine.left), memory // 4)
        yield Signed(*columns)
        world.stop_if_asked()


def begins_group(signed: Signed) -> NDArray[np.bool_]:
    """Tell where in sorted signatures another one begins."""
    new = np.zeros(len(signed.page), bool)
    new[:1] = True
    for column in (signed.left, signed.right, signed.lexicon):
        new[1:] |= column[1:] != column[:-1]
    return new


def in_order(signed: Signed) -> Signed:
    """Sort signatures: equal ones stand together, in the order of their pages."""
    return signed.take(np.lexsort((signed.page, signed.lexicon, signed.right, signed.left)))


def pairs_with_first(signed: Signed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair each page with the smallest page that has the same signature under the same lexicon."""
    signed = in_order(signed)
    new = begins_group(signed)
    first = signed.page[np.flatnonzero(new)[np.cumsum(new) - 1]] if len(signed.page) else signed.page
    return first[~new], signed.page[~new]
