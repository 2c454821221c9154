"""Blind discovery: the labelled set L is what occurs more often than a threshold (METHODS.md step 3b)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.holding import hold
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.reuse.counting import count_objects
from hpcreuse.store import lock
from hpcreuse.store.counts import Counts, Histogram, read_piece
from hpcreuse.store.labels import create_labels, must_be_replaceable
from hpcreuse.store.shard import Counted
from hpcreuse.store.stops import StopRule, load_stops


@dataclass(frozen=True)
class DiscoverJob:
    """Of which run, by which rule, to where."""

    run: Path
    out: Path
    objects: str
    threshold: int | None
    top: int | None
    stop: tuple[str, ...]
    min_length: int
    memory: int
    progress_seconds: float
    fresh: bool


@dataclass(frozen=True)
class Cut:
    """Which counts make a label: all above `above`, and the first `ties` (by digest) of exactly `above`."""

    above: int
    ties: int = 0

    @property
    def unique(self) -> bool:
        """Whether it reaches down to objects that occur once."""
        return self.above + (not self.ties) < 2

    @classmethod
    def top(cls, histogram: Histogram, wanted: int) -> "Cut":
        """Find the cut that takes the `wanted` most frequent objects."""
        taken = 0
        for duplicates, objects in zip(histogram.duplicates[::-1], histogram.objects[::-1], strict=True):
            if taken + objects >= wanted:
                return cls(int(duplicates), wanted - taken)
            taken += int(objects)
        return cls(0)


def discover(world: World, job: DiscoverJob) -> dict[str, Any]:
    """Collective. Count a run's objects, choose the labels and write them; give a summary."""
    with hold(world, job.out, lock.beside(job.out)):
        return discover_labels(world, job)


def discover_labels(world: World, job: DiscoverJob) -> dict[str, Any]:
    """Collective. Discover into labels that no other job writes."""
    phases = Phases()
    with phases("open"):
        world.on_root(must_be_replaceable, job.out)
        catalog = Catalog.open(world, job.run)
        options = catalog.run.options
        rule = world.on_root(load_stops, job.stop, job.objects, options, job.min_length)
    counts = count(world, job, catalog, phases, unique=job.threshold == 0, fresh=job.fresh)
    with phases("select"):
        cut = find_cut(world, job, counts, rule)
    if cut.unique and not counts.unique:
        # More were asked for than occur twice
        counts = count(world, job, catalog, phases, unique=True)
        cut = find_cut(world, job, counts, rule)
    with phases("select"):
        selection = Selection(world, counts, rule, cut, job.memory)
    with phases("write"):
        header = {
            "digest_options": options.record(),
            "objects": job.objects,
            "method": "blind",
            "threshold": job.threshold,
            "top": job.top,
            "stop": list(job.stop),
            "stop_digests": len(rule.digests),
            "min_length": job.min_length,
            "run": str(job.run),
            "run_fingerprint": catalog.fingerprint,
        }
        labels = write_labels(world, job.out, header, selection, options.width, counts.histogram)
    return {
        "out": str(job.out),
        "objects": job.objects,
        "occurrences": counts.occurrences,
        "distinct": counts.distinct,
        "unique": int(counts.histogram.objects[counts.histogram.duplicates == 1].sum()),
        "labels": labels,
        "stop_digests": len(rule.digests),
        "cut_above": cut.above,
        **phases.summary(world),
    }


def count(
    world: World, job: DiscoverJob, catalog: Catalog, phases: Phases, unique: bool, fresh: bool = False
) -> Counts:
    """Collective. Count the objects of the job's kind."""
    return count_objects(
        world, catalog, job.objects, job.memory, phases, job.progress_seconds, unique=unique, fresh=fresh
    )


def find_cut(world: World, job: DiscoverJob, counts: Counts, rule: StopRule) -> Cut:
    """Collective. Turn --threshold or --top into a cut; the top is taken of what stop lists leave."""
    if job.top is None:
        return Cut(job.threshold or 0)
    left = [Histogram.of(block.counts) for block in unstopped(my_pieces(world, counts), rule)]
    mine = Histogram.combine([Histogram.of(np.empty(0, np.int64)), *left])
    return Cut.top(Histogram.combine(world.comm.allgather(mine)), job.top)


def my_pieces(world: World, counts: Counts) -> list[Path]:
    """Share the pieces out in order, so that what one rank selects precedes what the next one does."""
    bounds = [rank * counts.pieces // world.size for rank in (world.rank, world.rank + 1)]
    return [counts.piece_path(number) for number in range(*bounds)]


def unstopped(pieces: list[Path], rule: StopRule) -> Iterator[Counted]:
    """Read counted objects without those that are stopped."""
    for piece in pieces:
        for block in read_piece(piece):
            yield block if rule.is_empty else block.select(~rule.stops(block.digests, block.lengths))


class Selection:
    """This rank's labels in order of digest; read anew each time they are gone through, unless they are few."""

    def __init__(self, world: World, counts: Counts, rule: StopRule, cut: Cut, memory: int):
        """Collective. Find out how many ties lie before this rank's pieces: they go to the smallest digests."""
        self.pieces, self.rule, self.cut = my_pieces(world, counts), rule, cut
        self.room = memory // 8
        self.kept: list[Counted] | None = None
        self.ties_before = 0
        if cut.ties:
            mine = sum(int((block.counts == cut.above).sum()) for block in unstopped(self.pieces, rule))
            self.ties_before = sum(world.comm.allgather(mine)[: world.rank])

    def __iter__(self) -> Iterator[Counted]:
        if self.kept is not None:
            yield from self.kept
            return
        kept, size = [], 0
        for block in self._read():
            size += block.nbytes
            if size <= self.room:
                kept.append(block)
            yield block
        if size <= self.room:
            self.kept = kept

    def _read(self) -> Iterator[Counted]:
        """Select from the pieces on disk."""
        ties_left = self.cut.ties - self.ties_before
        for block in unstopped(self.pieces, self.rule):
            tied = block.counts == self.cut.above
            yield block.select((block.counts > self.cut.above) | (tied & (np.cumsum(tied) <= ties_left)))
            ties_left -= int(tied.sum())


def write_labels(
    world: World, out: Path, header: dict[str, Any], selection: Selection, width: int, histogram: Histogram
) -> int:
    """Collective. Write the labels of all ranks in rank order to one file; rank 0 takes them block by block."""
    sizes = world.comm.allgather([len(block) for block in selection])
    total = sum(map(sum, sizes))
    if world.root:
        with create_labels(out, header, total, width, histogram) as writer:
            for block in selection:
                writer.append(block)
            for rank in range(1, world.size):
                for _ in sizes[rank]:
                    writer.append(world.comm.recv(source=rank))
    else:
        for block in selection:
            world.comm.send(block, dest=0)
    world.wait()
    return total
