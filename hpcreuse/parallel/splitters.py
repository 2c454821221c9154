"""Where one rank's range of keys ends and the next one's begins: from samples, so that skew does not matter.

Keys are byte strings (digests, URLs). The ranges are numbered 0 to parts-1 in key order; a key equal to a
splitter belongs to the range above it, so equal keys never part.
"""

from collections.abc import Callable, Sequence

from hpcreuse.parallel.world import World

# Samples per range: the largest range is then within a few tens of percent of the mean
OVERSAMPLING = 64

# Keys are cut to this length in samples: a splitter may be any string, and a URL may be a megabyte
SAMPLE_BYTES = 512


def sample_places(rows: int, samples: int) -> list[int]:
    """Spread sample places evenly over sorted rows."""
    samples = min(rows, samples)
    return [(2 * i + 1) * rows // (2 * samples) for i in range(samples)]


def choose_splitters(world: World, parts: int, runs: Sequence[tuple[int, Callable[[int], bytes]]]) -> list[bytes]:
    """Collective. Choose parts-1 splitters that cut all keys of all ranks into ranges of about equal size.

    Args:
        runs: this rank's keys as sorted runs: how many keys, and a function that gives the i-th.
    """
    total = world.comm.allreduce(sum(rows for rows, _ in runs))
    if parts == 1 or not total:
        return [b""] * (parts - 1)
    wanted = parts * OVERSAMPLING
    mine = []
    for rows, key in runs:
        share = -(-rows * wanted // total)
        mine += [key(place)[:SAMPLE_BYTES] for place in sample_places(rows, share)]
    samples = sorted(key for keys in world.comm.allgather(mine) for key in keys)
    return [samples[number * len(samples) // parts] for number in range(1, parts)]
