"""Global counts: how often does each distinct object occur in the whole corpus?

Not distributive: an object may pass a threshold only by what all shards together hold. The distinct digests
of each rank's shards, counted and combined, go to the rank that owns their range, in as many passes over
ranges as the memory asks for (METHODS.md step 3b).
"""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hpcreuse.kernels import digests as dg
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.reuse.catalog import Catalog
from hpcreuse.reuse.holding import hold
from hpcreuse.store import atomic, lock
from hpcreuse.store import counts as store
from hpcreuse.store.counts import Counts, Histogram
from hpcreuse.store.shard import Counted, Shard

# Peak memory per distinct object of a pass: read, combined, sent, received, combined again
BYTES_PER_OBJECT = 220


@dataclass(frozen=True)
class SortedRun:
    """The distinct objects of one shard, readable by range."""

    shard: Shard
    in_memory: Counted | None

    @classmethod
    def of(cls, shard: Shard, objects: str) -> "SortedRun":
        """Chunks stay on disk until their range is read; files are few and counted at once."""
        return cls(shard, shard.distinct_files() if objects == "file" else None)

    def __len__(self) -> int:
        return len(self.in_memory) if self.in_memory is not None else len(self.shard.file["distinct/count"])

    def key(self, place: int) -> bytes:
        """Give one digest."""
        digests = self.in_memory.digests if self.in_memory is not None else self.shard.file["distinct/digest"]
        key: bytes = digests[place].tobytes()
        return key

    def between(self, low: bytes | None, high: bytes | None) -> Counted:
        """Read the objects from low up to, but not with, high."""
        first = 0 if low is None else self._cut(low)
        last = len(self) if high is None else self._cut(high)
        if self.in_memory is None:
            return self.shard.distinct(first, last)
        rows = slice(first, last)
        return Counted(self.in_memory.digests[rows], self.in_memory.counts[rows], self.in_memory.lengths[rows])

    def _cut(self, key: bytes) -> int:
        splitter = dg.from_bytes(key, len(key))
        if self.in_memory is None:
            return int(self.shard.cut_distinct(splitter)[0])
        return int(dg.cut(self.in_memory.digests, splitter)[0])


def count_objects(
    world: World,
    catalog: Catalog,
    objects: str,
    memory: int,
    phases: Phases,
    progress_seconds: float,
    fresh: bool = False,
) -> Counts:
    """Collective. Count every distinct chunk or file of a run; counts kept from before are taken unless `fresh`."""
    folder = store.counts_folder(catalog.run.path, objects)
    known = None if fresh else world.on_root(store.find_counts, folder, catalog.fingerprint)
    if known is not None:
        return known
    with hold(world, folder, lock.beside(folder)):
        world.on_root(atomic.remove, folder)
        return count_anew(world, catalog, objects, folder, memory, phases, progress_seconds)


def count_anew(
    world: World,
    catalog: Catalog,
    objects: str,
    folder: Path,
    memory: int,
    phases: Phases,
    progress_seconds: float,
) -> Counts:
    """Collective. Count into a folder that no other job writes to."""
    width = catalog.run.options.width
    with ExitStack() as stack:
        with phases("read"):
            shards = [stack.enter_context(Shard.open(catalog.shards[n].path)) for n in catalog.mine]
            runs = [SortedRun.of(shard, objects) for shard in shards]
        with phases("sample"):
            cost = BYTES_PER_OBJECT * sum(map(len, runs))
            passes = Passes.plan(world, cost, memory, [(len(run), run.key) for run in runs])
        progress = Progress("count", "passes", passes.count, progress_seconds if world.root else 0)
        histogram = Histogram.of(np.empty(0, np.int64))
        for number in range(passes.count):
            counted = count_pass(world, passes.bounds(number), runs, width, memory, phases)
            with phases("write"):
                store.write_piece(folder, passes.range_number(number), counted)
            histogram = Histogram.combine([histogram, Histogram.of(counted.counts)])
            progress.update(number + 1)
            world.stop_if_asked()
        progress.finish()
    everyones = Histogram.combine(world.comm.allgather(histogram))
    return world.on_root(store.finish, folder, catalog.fingerprint, passes.count * world.size, everyones)


def count_pass(
    world: World, bounds: list[bytes | None], runs: list[SortedRun], width: int, memory: int, phases: Phases
) -> Counted:
    """Collective. Count the objects in the ranges of one pass; each rank gets those of its own range."""
    with phases("read"):
        parts = [run.between(bounds[0], bounds[-1]) for run in runs]
    with phases("sort"):
        mine = Counted.combine([Counted.empty(width), *parts])
        del parts
        inner = dg.from_bytes(b"".join(bound or bytes(width) for bound in bounds[1:-1]), width)
        cuts = np.concatenate([[0], dg.cut(mine.digests, inner), [len(mine)]])
    with phases("exchange"):
        columns, _ = exchange(world, [mine.digests, mine.counts, mine.lengths], cuts, memory // 4)
    del mine
    with phases("sort"):
        return Counted.combine([Counted(*columns)])
