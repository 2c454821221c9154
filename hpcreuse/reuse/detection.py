"""Detection: where is L copied, which files are mostly copies? (METHODS.md steps 4 and 5)

Each rank matches its shards one by one and leaves what it finds in a spool. `sorting.py` then
puts the files in order of URL, `neighborhoods.py` adds them up by URL prefix.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse import kernels
from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.holding import hold_result
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.moments import Moments, Threshold
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.reuse.lookup import LabelLookup
from hpcreuse.reuse.neighborhoods import detect_neighborhoods
from hpcreuse.reuse.sorting import sort_files
from hpcreuse.store import result as store
from hpcreuse.store.importing import take_labels
from hpcreuse.store.labels import must_fit
from hpcreuse.store.shard import Shard
from hpcreuse.store.spool import Found, Spool
from hpcreuse.store.stops import StopRule, load_stops

# With no more memory than this, what is found is not kept there
SCARCE = 8 << 20


@dataclass(frozen=True)
class DetectJob:
    """Which run against which labels, by which rules, to where."""

    run: Path
    labels: str
    out: Path
    badness: str
    sigma: float
    file_threshold: float | None
    neighborhood_threshold: float | None
    stop: tuple[str, ...]
    min_length: int
    min_chunks: int
    memory: int
    progress_seconds: float


def detect(world: World, job: DetectJob) -> dict[str, Any]:
    """Collective. Match a run against labels and write the result; give a summary."""
    with hold_result(world, job.out):
        return detect_copies(world, job)


def detect_copies(world: World, job: DetectJob) -> dict[str, Any]:
    """Collective. Detect into a result that no other job writes."""
    phases = Phases()
    with phases("open"):
        catalog = Catalog.open(world, job.run)
        scratch = world.on_root(store.begin, job.out)
        world.on_root(take_labels, job.labels, scratch / "labels.h5", catalog.run.options)
    with LabelLookup.open(world, scratch / "labels.h5", job.memory) as lookup:
        labels = lookup.labels
        with phases("open"):
            world.on_root(must_fit, labels, catalog.run.options, job.labels, job.run)
            rule = world.on_root(load_stops, job.stop, labels.objects, labels.options, job.min_length)
        spool = Spool(scratch / "spool", max(0, job.memory - SCARCE) // 8)
        files, targets = match_shards(world, job, catalog, lookup, rule, spool, phases)
        objects, label_count = labels.objects, len(labels)
        header = provenance(job, catalog, lookup)
    left = job.memory - spool.nbytes
    sort_files(world, catalog, scratch, spool, left, phases)
    neighborhoods = detect_neighborhoods(
        world, catalog, scratch, spool, job.badness, job.sigma, job.neighborhood_threshold, left, phases
    )
    summary = {
        "objects": objects,
        "files": files.moments.count,
        "chunks": files.chunks,
        "bad_chunks": files.bad,
        "labels": label_count,
        "stop_digests": len(rule.digests),
        "file_mean": files.moments.mean,
        "file_deviation": files.moments.deviation,
        "file_threshold": targets.threshold.value,
        "target_files": targets.count,
        **neighborhoods.record(),
    }
    header["file_threshold_fixed"] = targets.threshold.fixed
    header["neighborhood_threshold_fixed"] = neighborhoods.threshold.fixed
    with phases("write"):
        world.on_root(store.finish, job.out, header, summary)
    return {"out": str(job.out), **summary, **phases.summary(world)}


def provenance(job: DetectJob, catalog: Catalog, lookup: LabelLookup) -> dict[str, Any]:
    """Say what a result was made from and how."""
    return {
        "run": str(job.run),
        "run_fingerprint": catalog.fingerprint,
        "labels": job.labels,
        "objects": lookup.labels.objects,
        "labels_header": lookup.labels.header,
        "digest_options": catalog.run.options.record(),
        "badness": job.badness,
        "sigma": job.sigma,
        "file_threshold": job.file_threshold,
        "neighborhood_threshold": job.neighborhood_threshold,
        "stop": list(job.stop),
        "min_length": job.min_length,
        "min_chunks": job.min_chunks,
    }


@dataclass(frozen=True)
class FileStatistics:
    """What all files together say."""

    moments: Moments
    chunks: int
    bad: int


@dataclass(frozen=True)
class Targets:
    """The bar for files, and how many are above it."""

    threshold: Threshold
    count: int


def match_shards(
    world: World,
    job: DetectJob,
    catalog: Catalog,
    lookup: LabelLookup,
    rule: StopRule,
    spool: Spool,
    phases: Phases,
) -> tuple[FileStatistics, Targets]:
    """Collective. Match every shard, spool what was found, and set the threshold over all files."""
    # A spread look-up is an exchange: ranks with fewer shards take part empty-handed
    rounds = max(world.comm.allgather(len(catalog.mine)))
    progress = Progress("detect", "rounds", rounds, job.progress_seconds if world.root else 0)
    moments, chunks, bad, ratios = Moments(), 0, 0, []
    for number in range(rounds):
        shard_number = catalog.mine[number] if number < len(catalog.mine) else None
        if shard_number is not None or lookup.spread:
            found = match_shard(catalog, shard_number, lookup, rule, phases)
            if shard_number is not None:
                with phases("write"):
                    spool.write(shard_number, found)
                # Compact: many files have the same few ratios
                values, counts = np.unique(found.ratios[found.chunks >= job.min_chunks], return_counts=True)
                ratios.append((values, counts))
                moments += Moments.of(found.ratios)
                chunks += int(found.chunks.sum())
                bad += int(found.bad.sum())
        progress.update(number + 1)
        if lookup.spread:
            world.stop_if_asked()
        elif world.stopping:
            # Alone until all have matched theirs: a rank may have hours of shards left
            break
    progress.finish()
    with phases("wait"):
        world.stop_if_asked()
    with phases("reduce"):
        moments = moments.over_all(world)
        if job.file_threshold is None:
            threshold = Threshold.from_moments(moments, job.sigma)
        else:
            threshold = Threshold.at(job.file_threshold)
        above = sum(int(counts[threshold.above(values)].sum()) for values, counts in ratios)
        statistics = FileStatistics(moments, world.comm.allreduce(chunks), world.comm.allreduce(bad))
        return statistics, Targets(threshold, world.comm.allreduce(above))


def match_shard(catalog: Catalog, number: int | None, lookup: LabelLookup, rule: StopRule, phases: Phases) -> Found:
    """Collective if the look-up is spread. Match one shard, or take part with none."""
    width = catalog.run.options.width
    if number is None:
        lookup.find(np.empty((0, width), np.uint8))
        return Found.empty()
    with Shard.open(catalog.shards[number].path) as shard:
        if lookup.labels.objects == "file":
            return match_files(shard, lookup, rule, phases)
        return match_chunks(shard, lookup, rule, phases)


def match_chunks(shard: Shard, lookup: LabelLookup, rule: StopRule, phases: Phases) -> Found:
    """Match the chunks of a shard: of each file how many chunks count, how many are labelled, and which."""
    with phases("read"):
        digests, numbers, lengths = map(shard.mapped, ("distinct/digest", "chunks/number", "chunks/length"))
    with phases("join"):
        label_of = lookup.find_distinct(digests)
    with phases("match"):
        has_chunks = np.flatnonzero(np.diff(shard.chunk_start))
        # Those without chunks have no part: the others follow on each other all the same
        starts = np.append(shard.chunk_start[has_chunks], len(numbers))
        matched = kernels.match_files(numbers, starts, label_of, rule.listed(digests), lengths, rule.min_length)
        return as_found(has_chunks, *matched)


def match_files(shard: Shard, lookup: LabelLookup, rule: StopRule, phases: Phases) -> Found:
    """Match whole files: each counts as one object, at position 0."""
    with phases("read"):
        digests, lengths = shard.column("files/digest"), shard.column("files/length")
    with phases("join"):
        order = np.lexsort(digests.T[::-1])
        label = np.empty(len(digests), np.int64)
        label[order] = lookup.find(np.ascontiguousarray(digests[order]))
    with phases("match"):
        files, starts = np.arange(len(digests)), np.arange(len(digests) + 1)
        numbers, stopped = files.astype(np.uint32), rule.stops(digests, lengths)
        return as_found(files, *kernels.match_files(numbers, starts, label, stopped, numbers, 0))


def as_found(
    file: NDArray[np.int64],
    chunks: NDArray[np.int64],
    bad: NDArray[np.int64],
    positions: NDArray[np.uint32],
    labels: NDArray[np.uint32],
) -> Found:
    """Put down what was matched in some files: the positions of labelled chunks with their labels file by file."""
    matches = np.empty(len(positions), store.MATCH)
    matches["position"], matches["label"] = positions, labels
    return Found(file, chunks, bad, Ragged.from_lengths(matches, bad))
