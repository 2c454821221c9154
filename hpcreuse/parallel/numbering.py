"""One number for each distinct string of all ranks, in their order, though no rank holds them all.

Strings go to the rank that owns their range, in as many passes as the memory asks for; their numbers come back.
Numbers compare as the strings do, so that whoever needs the smallest of some strings can work with integers.
"""

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_strings
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.splitters import SortedKeys
from hpcreuse.parallel.world import World

# Memory per string of a pass beside its bytes: as Python strings, in sets, in dictionaries
BYTES_PER_STRING = 600


class Strings(SortedKeys, Protocol):
    """Sorted strings, readable by range; equal ones may stand there several times."""

    @property
    def string_bytes(self) -> int:
        """How long they are together."""

    def between(self, low: bytes | None, high: bytes | None) -> tuple[int, Ragged]:
        """Read the strings from low up to, but not with, high; give the place of the first too."""


@dataclass(frozen=True)
class Numbered:
    """What one pass gives to a rank."""

    range_number: int
    distinct: Ragged
    """The distinct strings of the range that this rank owns."""
    parts: list[tuple[int, NDArray[np.int64]]]
    """For each run of strings the place of the first one numbered in this pass, and the numbers from there on."""


def number_strings(world: World, runs: Sequence[Strings], memory: int, phases: Phases) -> Iterator[Numbered]:
    """Collective. Number the strings of all ranks from 0, pass by pass.

    Args:
        runs: this rank's strings.
    """
    with phases("sample"):
        cost = sum(BYTES_PER_STRING * len(run) + 4 * run.string_bytes for run in runs)
        passes = Passes.plan(world, cost, memory, runs)
    base = 0
    for number in range(passes.count):
        bounds = passes.bounds(number)
        with phases("read"):
            found = [run.between(bounds[0], bounds[-1]) for run in runs]
            mine = sorted({string for _, strings in found for string in strings})
        distinct, numbers = _number_pass(world, mine, bounds, base, memory, phases)
        with phases("sort"):
            number_of = dict(zip(mine, numbers.tolist(), strict=True))
            parts = [(first, np.array([number_of[s] for s in strings], np.int64)) for first, strings in found]
        base += world.comm.allreduce(len(distinct))
        yield Numbered(passes.range_number(number), distinct, parts)


def _number_pass(
    world: World, mine: list[bytes], bounds: list[bytes | None], base: int, memory: int, phases: Phases
) -> tuple[Ragged, NDArray[np.int64]]:
    """Collective. Give the distinct strings of this rank's range, and the numbers of this rank's own strings."""
    inner = [bisect.bisect_left(mine, bound) for bound in bounds[1:-1] if bound is not None]
    cuts = np.array([0, *inner, len(mine)])
    with phases.together("exchange", world):
        received, rcounts = exchange_strings(world, Ragged.from_strings(mine), cuts, memory // 4)
        asked = list(received)
    with phases("sort"):
        distinct = sorted(set(asked))
        first = base + sum(world.comm.allgather(len(distinct))[: world.rank])
        number_of = {string: first + place for place, string in enumerate(distinct)}
        answers = np.array([number_of[string] for string in asked], np.int64)
    with phases.together("exchange", world):
        back = np.concatenate([[0], np.cumsum(rcounts)])
        (numbers,), _ = exchange(world, [answers], back, memory // 4)
    return Ragged.from_strings(distinct), numbers
