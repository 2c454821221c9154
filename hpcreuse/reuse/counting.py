"""Global counts: how often does each distinct object occur in the whole corpus?

Not distributive: an object may pass a threshold only by what all shards together hold. The distinct digests
of each rank's shards, counted and merged, go to the rank that owns their range, in as many passes over
ranges as the memory asks for (METHODS.md step 3b). Shards are mapped, and what is merged is written once: memory that
a process touches for the first time costs more than the merging. Objects that occur once, most of all, are counted
but not kept, unless they are asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.holding import hold
from hpcreuse.kernels import digests as dg
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.splitters import SortedKeys
from hpcreuse.parallel.world import World
from hpcreuse.store import atomic, lock
from hpcreuse.store import counts as store
from hpcreuse.store.counts import Counts, Histogram
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Counted, Shard

# Peak memory per distinct object of a pass: read, combined, sent, received, combined again
BYTES_PER_OBJECT = 220

C = TypeVar("C", bound=Counted)
C_co = TypeVar("C_co", bound=Counted, covariant=True)


class Objects(SortedKeys, Protocol[C_co]):
    """Distinct objects in order, with how often they occur, readable by range."""

    def between(self, low: bytes | None, high: bytes | None) -> C_co:
        """Read the objects from low up to, but not with, high."""


@dataclass(frozen=True)
class ShardChunks:
    """The distinct chunks of one shard; it is open only while it is read, for a rank may have thousands."""

    info: ShardInfo

    def __len__(self) -> int:
        return self.info.distinct

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the digests at these places."""
        with Shard.open(self.info.path) as shard:
            digests = shard.distinct().digests
        return [digests[place].tobytes() for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Counted:
        """Read the chunks from low up to, but not with, high."""
        with Shard.open(self.info.path) as shard:
            first = 0 if low is None else shard.cut_distinct(_as_splitter(low))[0]
            last = None if high is None else shard.cut_distinct(_as_splitter(high))[0]
            return shard.distinct(first, last)


@dataclass(frozen=True)
class ShardFiles:
    """The files of one shard as objects: few, so counted whenever they are read."""

    info: ShardInfo

    def __len__(self) -> int:
        return self.info.files

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the digests at these places in the order of digests."""
        with Shard.open(self.info.path) as shard:
            digests = shard.column("files/digest")
        order = dg.group(digests).order
        return [digests[order[place]].tobytes() for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Counted:
        """Read the distinct files from low up to, but not with, high."""
        with Shard.open(self.info.path) as shard:
            files = shard.distinct_files()
        return files.slice(*files.cut(low, high))


def _as_splitter(key: bytes) -> dg.Digests:
    return dg.from_bytes(key, len(key))


def count_objects(
    world: World,
    catalog: Catalog,
    objects: str,
    memory: int,
    phases: Phases,
    progress_seconds: float,
    unique: bool,
    fresh: bool = False,
) -> Counts:
    """Collective. Count every distinct chunk or file of a run; counts kept from before are taken unless `fresh`.

    Args:
        unique: whether the objects that occur once must be among those that can be read, not only in the histogram.
    """
    folder = store.counts_folder(catalog.run.path, objects)
    known = None if fresh else world.on_root(store.find_counts, folder, catalog.fingerprint)
    if known is not None and (known.unique or not unique):
        return known
    with hold(world, folder, lock.beside(folder)):
        world.on_root(atomic.remove, folder)
        return count_anew(world, catalog, objects, folder, memory, phases, progress_seconds, unique)


def count_anew(
    world: World,
    catalog: Catalog,
    objects: str,
    folder: Path,
    memory: int,
    phases: Phases,
    progress_seconds: float,
    unique: bool,
) -> Counts:
    """Collective. Count into a folder that no other job writes to."""
    none = no_objects(catalog, objects)
    kind = ShardFiles if objects == "file" else ShardChunks
    runs: list[Objects[Counted]] = [kind(catalog.shards[number]) for number in catalog.mine]
    with phases("sample"):
        passes = Passes.plan(world, BYTES_PER_OBJECT * sum(map(len, runs)), memory, runs)
    progress = Progress("count", "passes", passes.count, progress_seconds if world.root else 0)
    histogram = Histogram.of(np.empty(0, np.int64))
    for number in range(passes.count):
        bounds, least = passes.bounds(number), 1 if unique else 2
        counted, left_out = count_pass(world, bounds, runs, none, memory, phases, least)
        with phases("write"):
            store.write_piece(folder, passes.range_number(number), counted)
        histogram = Histogram.combine([histogram, Histogram.of(counted.counts), Histogram.of_unique(left_out)])
        progress.update(number + 1)
        with phases("wait"):
            world.stop_if_asked()
    progress.finish()
    with phases("reduce"):
        everyones = Histogram.combine(world.comm.allgather(histogram))
        return world.on_root(store.finish, folder, catalog.fingerprint, passes.count * world.size, everyones, unique)


def no_objects(catalog: Catalog, objects: str) -> Counted:
    """Give none, in numbers wide enough for the sums of all: what is sent and written is so."""
    few = sum(shard.chunks for shard in catalog.shards) < 1 << 32
    return Counted(
        dg.empty(catalog.run.options.width),
        np.empty(0, np.uint32 if few else np.int64),
        np.empty(0, np.int64 if objects == "file" else np.uint32),
    )


def count_pass(
    world: World,
    bounds: list[bytes | None],
    runs: Sequence[Objects[C]],
    none: C,
    memory: int,
    phases: Phases,
    least: int = 0,
) -> tuple[C, int]:
    """Collective. Count the objects in the ranges of one pass; each rank gets those of its own range.

    Gives also how many of them occur less than `least` times: they are left out. `none` has the types of the numbers.
    """
    kind, width = type(none), none.digests.shape[1]
    with phases("read"):
        parts = [run.between(bounds[0], bounds[-1]) for run in runs]
    with phases("sort"):
        # What lies in this rank's own range stays in the shards until the end
        kept, leaving = [none], [none]
        for part in parts:
            first, last = part.cut(bounds[world.rank], bounds[world.rank + 1])
            kept.append(part.slice(first, last))
            leaving += [part.slice(0, first), part.slice(last, len(part))]
        sent, _ = kind.merge(leaving)
        inner = dg.from_bytes(b"".join(bound or bytes(width) for bound in bounds[1:-1]), width)
        cuts = np.array([0, *dg.cut(sent.digests, inner), len(sent)])
    with phases.together("exchange", world):
        columns, rcounts = exchange(world, sent.columns, cuts, memory // 4)
    del sent
    with phases("sort"):
        received = kind(*columns)
        rlast = np.cumsum(rcounts)
        kept += [received.slice(first, last) for first, last in zip(rlast - rcounts, rlast, strict=True)]
        return kind.merge(kept, least)
