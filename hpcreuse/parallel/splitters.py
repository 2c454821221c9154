"""Where one rank's range of keys ends and the next one's begins: from samples, so that skew does not matter.

Keys are byte strings (digests, URLs). The ranges are numbered 0 to parts-1 in key order; a key equal to a
splitter belongs to the range above it, so equal keys never part.
"""

import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from hpcreuse.parallel.world import World

# Samples per range: the largest range is then within a few tens of percent of the mean
OVERSAMPLING = 64

# Keys are cut to this length in samples: a splitter may be any string, and a URL may be a megabyte
SAMPLE_BYTES = 512


def sample_places(rows: int, samples: int) -> list[int]:
    """Spread sample places evenly over sorted rows."""
    samples = min(rows, samples)
    return [(2 * i + 1) * rows // (2 * samples) for i in range(samples)]


class SortedKeys(Protocol):
    """A sorted run of keys, of which some can be looked at."""

    def __len__(self) -> int: ...

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the keys at these places."""


def choose_splitters(world: World, parts: int, runs: Sequence[SortedKeys]) -> list[bytes]:
    """Collective. Choose parts-1 splitters that cut all keys of all ranks into ranges of about equal size.

    Args:
        runs: this rank's keys.
    """
    total = world.comm.allreduce(sum(map(len, runs)))
    if parts == 1 or not total:
        return [b""] * (parts - 1)
    wanted = parts * OVERSAMPLING
    mine: list[tuple[bytes, float]] = []
    for run in runs:
        places = sample_places(len(run), -(-len(run) * wanted // total))
        # Each stands for as many keys as there are rows to a sample: many short runs must not outweigh a long one
        mine += [(key[:SAMPLE_BYTES], len(run) / len(places)) for key in (run.keys(places) if places else ())]
    samples = sorted(sample for samples in world.comm.allgather(mine) for sample in samples)
    below = list(accumulate((weight for _, weight in samples), initial=0.0))
    # The sample in which each part's share of the weight ends
    ends = (bisect.bisect_right(below, below[-1] * number / parts) - 1 for number in range(1, parts))
    return [samples[min(end, len(samples) - 1)][0] for end in ends]
