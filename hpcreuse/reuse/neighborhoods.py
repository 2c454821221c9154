"""Neighborhoods: how bad is each URL prefix? (METHODS.md step 6; TR 3.6)

Files are first added up by directory, their deepest neighborhood, on the rank that read them. Directories then
go, sorted, to the rank that owns their range. All directories under a prefix follow on each other in bytewise
order, so a rank can add up every neighborhood that begins and ends inside its range; a site may be cut anywhere.
Neighborhoods that hold the first or the last directory of a range may go on in the next one: these few, at most
as many as paths are deep, are put together at the end.
"""

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.moments import Moments, Threshold
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.reuse.ratios import Limbs, mean_of, ratio, to_limbs
from hpcreuse.store.result import NeighborhoodRows, write_rows
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Shard, cut_sorted
from hpcreuse.store.spool import Spool

# Memory per directory of a pass: its strings and sums as Python objects, and copies on the way
BYTES_PER_DIRECTORY = 900

# What is added up: files, chunks, bad chunks, and contains in two limbs
FILES, CHUNKS, BAD, HIGH, LOW = range(5)
Sums = dict[bytes, list[int]]


@dataclass(frozen=True)
class NeighborhoodStatistics:
    """What all neighborhoods together say."""

    moments: Moments
    threshold: Threshold
    bad: int

    def record(self) -> dict[str, Any]:
        """Give it for a summary."""
        return {
            "neighborhoods": self.moments.count,
            "neighborhood_mean": self.moments.mean,
            "neighborhood_deviation": self.moments.deviation,
            "neighborhood_threshold": self.threshold.value,
            "bad_neighborhoods": self.bad,
        }


@dataclass(frozen=True)
class ShardDirectories:
    """The directories of one shard in order, with the sums over their files; it is open only while it is read."""

    info: ShardInfo
    number: int
    spool: Spool

    def __len__(self) -> int:
        return self.info.directories

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the directories at these places."""
        with Shard.open(self.info.path) as shard:
            return [shard.directories[place] for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> tuple[Ragged, NDArray[np.int64]]:
        """Give the directories from low up to, but not with, high, with their sums."""
        found = self.spool.read(self.number)
        with Shard.open(self.info.path) as shard:
            first, last = cut_sorted(len(self), shard.directories.__getitem__, low, high)
            directory = shard.column("files/directory").astype(np.int64)[found.file]
            names = shard.strings("directories", first, last)
        sums = np.zeros((last - first, 5), np.int64)
        inside = (directory >= first) & (directory < last)
        limbs = to_limbs(found.bad, found.chunks)
        columns = (np.ones_like(found.chunks), found.chunks, found.bad, limbs.high, limbs.low)
        for number, column in enumerate(columns):
            np.add.at(sums[:, number], directory[inside] - first, column[inside])
        return names, sums


def detect_neighborhoods(
    world: World,
    catalog: Catalog,
    scratch: Path,
    spool: Spool,
    badness: str,
    sigma: float,
    fixed_threshold: float | None,
    memory: int,
    phases: Phases,
) -> NeighborhoodStatistics:
    """Collective. Compute the badness of every neighborhood, write them, and find the bad ones."""
    folder = scratch / "neighborhoods"
    moments, values, borders = Moments(), [], []
    runs = [ShardDirectories(catalog.shards[number], number, spool) for number in catalog.mine]
    with phases("sample"):
        passes = Passes.plan(world, BYTES_PER_DIRECTORY * sum(map(len, runs)), memory, runs)
    for number in range(passes.count):
        directories = gather_pass(world, passes.bounds(number), runs, memory, phases)
        with phases("aggregate"):
            inside, open_ = add_up(directories)
            borders.append(open_)
            rows = to_rows(inside, badness)
            moments += Moments.of(rows.badness)
            values.append(np.unique(rows.badness, return_counts=True))
        with phases("write"):
            write_rows(folder / f"part-{passes.range_number(number):05d}.h5", rows)
        with phases("wait"):
            world.stop_if_asked()
    with phases("reduce"):
        shared = to_rows(merge(sums for theirs in world.comm.allgather(borders) for sums in theirs), badness)
        world.on_root(write_rows, folder / "borders.h5", shared)
        moments = moments.over_all(world) + Moments.of(shared.badness)
        if fixed_threshold is None:
            threshold = Threshold.from_moments(moments, sigma)
        else:
            threshold = Threshold.at(fixed_threshold)
        mine = sum(int(counts[threshold.above(ratios)].sum()) for ratios, counts in values)
        bad = world.comm.allreduce(mine) + int(threshold.above(shared.badness).sum())
    return NeighborhoodStatistics(moments, threshold, bad)


def gather_pass(
    world: World, bounds: list[bytes | None], runs: list[ShardDirectories], memory: int, phases: Phases
) -> Sums:
    """Collective. Bring the directories in the ranges of one pass to their ranks, added up."""
    with phases("read"):
        mine = merge(to_sums(*run.between(bounds[0], bounds[-1])) for run in runs)
    with phases("sort"):
        directories = sorted(mine)
        inner = [bisect.bisect_left(directories, bound) for bound in bounds[1:-1] if bound is not None]
        cuts = np.array([0, *inner, len(directories)])
        sums = np.array([mine[directory] for directory in directories], np.int64).reshape(-1, 5)
    with phases.together("exchange", world):
        (received,), rcounts = exchange(world, [sums], cuts, memory // 4)
        names = exchange_ragged(world, Ragged.from_strings(directories), cuts, memory // 4)
    del mine, directories, sums
    with phases("aggregate"):
        bounds_of_rank = np.concatenate([[0], np.cumsum(rcounts)])
        return merge(
            to_sums(names.slice(first, last), received[first:last]) for first, last in pairwise(bounds_of_rank)
        )


def to_sums(directories: Ragged, sums: NDArray[np.int64]) -> Sums:
    """Give sums by directory; those none of whose files take part are left out."""
    return {name: row for name, row in zip(directories, sums.tolist(), strict=True) if row[FILES]}


def merge(parts: Iterable[Sums]) -> Sums:
    """Add up the sums of equal prefixes."""
    total: Sums = {}
    for part in parts:
        for name, row in part.items():
            known = total.get(name)
            total[name] = row if known is None else [a + b for a, b in zip(known, row, strict=True)]
    return total


def add_up(directories: Sums) -> tuple[Sums, Sums]:
    """Add directories up to neighborhoods: those inside the range, and those that may go on beyond it."""
    names = sorted(directories)
    totals: Sums = {}
    for name in names:
        row = directories[name]
        for prefix in prefixes(name):
            known = totals.get(prefix)
            if known is None:
                totals[prefix] = row.copy()
            else:
                for column in range(5):
                    known[column] += row[column]
    border = {prefix for name in names[:1] + names[-1:] for prefix in prefixes(name)}
    return (
        {prefix: row for prefix, row in totals.items() if prefix not in border},
        {prefix: row for prefix, row in totals.items() if prefix in border},
    )


def prefixes(directory: bytes) -> list[bytes]:
    """Give every neighborhood a directory lies in, the site first."""
    found, place = [], directory.find(b"/") + 1
    while place:
        found.append(directory[:place])
        place = directory.find(b"/", place) + 1
    return found


def to_rows(sums: Sums, badness: str) -> NeighborhoodRows:
    """Compute the badness of neighborhoods and put them in order."""
    names = sorted(sums)
    table = np.array([sums[name] for name in names], np.int64).reshape(-1, 5)
    files, chunks, bad = table[:, FILES], table[:, CHUNKS], table[:, BAD]
    if badness == "mean":
        values = mean_of(Limbs(table[:, HIGH], table[:, LOW]), np.maximum(files, 1))
    else:
        values = ratio(bad, chunks)
    return NeighborhoodRows(Ragged.from_strings(names), files, chunks, bad, values)
