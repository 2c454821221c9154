"""Informed discovery: the labelled set L is what the user names (METHODS.md step 3a).

Content is hashed into a run as `hash` does it, but for this job alone. All URLs get numbers in their order, so that
the source of a label, the bytewise smallest URL of the pages that hold it, is the smallest number. Then digests go
to the rank that owns their range, as in counting. The rule is associative: merged labels are what all the
content together would have given, however it is cut up.
"""

import hashlib
import logging
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.corpus.holding import hold, tidied
from hpcreuse.crawl.pages import Limits
from hpcreuse.crawl.partitions import plan
from hpcreuse.errors import StoreError
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.numbering import number_strings
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.reuse.counting import count_pass
from hpcreuse.reuse.hashing import HashJob, hash_crawl
from hpcreuse.reuse.label_inputs import Input, Terms, agree, as_labels, sort_out
from hpcreuse.reuse.label_parts import SLICE_ROWS, LabelsPart, Numbers, Part, ShardPart
from hpcreuse.store import atomic, filters, lock, run_tables
from hpcreuse.store.counts import Histogram
from hpcreuse.store.label_pieces import LabelPieces
from hpcreuse.store.labels import Labels, must_be_replaceable
from hpcreuse.store.records import read_record, write_record
from hpcreuse.store.sourced import Sourced

log = logging.getLogger(__name__)

# Peak memory per distinct object of a pass, as in counting, with two columns more
BYTES_PER_OBJECT = 320

QUARANTINED_SHOWN = 20


@dataclass(frozen=True)
class LabelJob:
    """Of what to make labels, by which rules, to where."""

    inputs: tuple[str, ...]
    subtract: tuple[str, ...]
    out: Path
    compact: bool
    """Whether a filter is written instead."""
    options: DigestOptions
    objects: str | None
    min_length: int
    limits: Limits
    url_prefix: str | None
    memory: int
    progress_seconds: float
    fresh: bool


def label(world: World, job: LabelJob) -> dict[str, Any]:
    """Collective. Make labels of what the user names; give a summary."""
    with hold(world, job.out, lock.beside(job.out)), tidied(world, discard, job.out):
        return label_inputs(world, job)


def label_inputs(world: World, job: LabelJob) -> dict[str, Any]:
    """Collective. Make labels that no other job writes."""
    phases = Phases()
    with phases("open"):
        world.on_root(filters.must_be_replaceable if job.compact else must_be_replaceable, job.out)
        inputs, subtract = world.on_root(lambda: (sort_out(job.inputs), sort_out(job.subtract)))
        terms = world.on_root(agree, inputs, subtract, job.options, job.objects)
        scratch = world.on_root(begin, job, inputs)
        # Before anything is hashed: a list that cannot be read is told at once
        added, taken = world.on_root(import_lists, inputs, subtract, terms, scratch)
    with phases("hash"):
        hashed = hash_content(world, job, inputs, scratch)
    with phases("open"):
        parts = open_parts(world, added, taken, terms, scratch)
    pieces = LabelPieces(scratch / "pieces")
    number_sources(world, parts, pieces, job.memory, phases)
    found = collect(world, parts, terms, pieces, job, phases)
    with phases("write"):
        header = {
            "digest_options": terms.options.record(),
            "objects": terms.objects,
            "method": "informed",
            "inputs": list(job.inputs),
            "subtract": list(job.subtract),
            "min_length": job.min_length,
        }
        labels = scratch / "labels.h5" if job.compact else job.out
        written = world.on_root(pieces.write, labels, header, terms.options.width, found.histogram, job.memory)
        if job.compact:
            world.on_root(filters.write_filter, labels, job.out)
        world.on_root(atomic.remove, scratch)
    return {
        "out": str(job.out),
        "objects": terms.objects,
        "inputs": {kind: sum(i.kind == kind for i in inputs) for kind in sorted({i.kind for i in inputs})},
        **hashed,
        "occurrences": int((found.histogram.duplicates * found.histogram.objects).sum()),
        "distinct": int(found.histogram.objects.sum()),
        "too_short": found.too_short,
        "subtracted": found.subtracted,
        "labels": written.labels,
        "compact": job.compact,
        "bytes": world.on_root(lambda: job.out.stat().st_size),
        "sources": written.sources,
        "digest_options": terms.options.record(),
        **phases.summary(world),
    }


def scratch_folder(out: Path) -> Path:
    """Name the folder in which labels grow; the same for all jobs that make them."""
    return out.with_name(f".{out.name}.label{atomic.TEMPORARY}")


def discard(out: Path) -> None:
    """Remove the folder in which labels grow, unless it has content hashed that the next job need not hash again."""
    if not any((scratch_folder(out) / "run" / "shards").glob("*.h5")):
        atomic.remove(scratch_folder(out))


def begin(job: LabelJob, inputs: list[Input]) -> Path:
    """Make the folder in which labels grow; content that the same job hashed before it was stopped is kept."""
    scratch = scratch_folder(job.out)
    state = {"format": "hpcreuse label job", "version": 1, "fingerprint": fingerprint(job, inputs)}
    try:
        before = read_record(scratch / "job.json")
    except (OSError, StoreError):
        before = {}
    if job.fresh or {name: before.get(name) for name in state} != state:
        atomic.remove(scratch)
    for name in ("pieces", "lists", "numbers"):
        atomic.remove(scratch / name)
        (scratch / name).mkdir(parents=True)
    write_record(scratch / "job.json", state)
    return scratch


def fingerprint(job: LabelJob, inputs: list[Input]) -> str:
    """Identify the content that is to be hashed as it is now, and how: another job must not find ours."""
    content = [str(found.path) for found in inputs if found.kind == "content"]
    planned = plan(content, job.url_prefix) if content else []
    lines = [f"{part.source}\0{part.number}\0{part.identity}" for part in planned]
    text = "\n".join([repr(job.options), repr(job.limits), *lines])
    return hashlib.sha1(text.encode("utf-8", "surrogateescape")).hexdigest()


def hash_content(world: World, job: LabelJob, inputs: list[Input], scratch: Path) -> dict[str, Any]:
    """Collective. Hash what is content into a run of this job; give what came of it."""
    content = tuple(str(found.path) for found in inputs if found.kind == "content")
    if not content:
        return {}
    run = scratch / "run"
    done = hash_crawl(
        world,
        HashJob(
            inputs=content,
            run=run,
            options=job.options,
            text=False,
            limits=job.limits,
            url_prefix=job.url_prefix,
            memory=job.memory,
            progress_seconds=job.progress_seconds,
            fresh=False,
        ),
    )
    if world.root and done["input_quarantined"]:
        for archive, offset, url, reason in islice(run_tables.quarantine(run), QUARANTINED_SHOWN):
            log.warning("quarantined: %s at %d %s: %s", archive, offset, url, reason)
    names = ("records", "files", "skipped", "quarantined", "input_quarantined", "chunks", "payload_bytes")
    return {name: done[name] for name in names}


def open_parts(world: World, added: list[Input], taken: list[Input], terms: Terms, scratch: Path) -> list[Part]:
    """Collective. Cut runs and labels into parts and take this rank's."""
    parts: list[Part] = []
    for found, away in [*((found, False) for found in added), *((found, True) for found in taken)]:
        if found.kind == "labels":
            rows = world.on_root(count_labels, found.path)
            slices = [slice(first, min(first + SLICE_ROWS, rows)) for first in range(0, rows, SLICE_ROWS)]
            for mine in slices[world.rank :: world.size]:
                parts.append(LabelsPart(found.path, mine, away, numbers_file(world, scratch, len(parts))))
        else:
            catalog = Catalog.open(world, found.path)
            for number in catalog.mine:
                shard, numbers = catalog.shards[number], numbers_file(world, scratch, len(parts))
                parts.append(ShardPart(shard, terms.objects, away, numbers))
    return parts


def import_lists(
    inputs: list[Input], subtract: list[Input], terms: Terms, scratch: Path
) -> tuple[list[Input], list[Input]]:
    """Give what is added and what is taken away as runs and labels: content is hashed, lists are imported."""
    added = [found for found in inputs if found.kind != "content"]
    every = [as_labels(found, n, scratch / "lists", terms) for n, found in enumerate([*added, *subtract])]
    hashed = [Input(scratch / "run", "run")] if len(added) < len(inputs) else []
    return [*hashed, *every[: len(added)]], every[len(added) :]


def count_labels(path: Path) -> int:
    """Tell how many labels a file holds."""
    with Labels.open(path) as labels:
        return len(labels)


def numbers_file(world: World, scratch: Path, part: int) -> Numbers:
    """Name the file in which a part of this rank keeps numbers."""
    return Numbers(scratch / "numbers" / f"rank-{world.rank:05d}-{part:06d}")


def number_sources(world: World, parts: list[Part], pieces: LabelPieces, memory: int, phases: Phases) -> None:
    """Collective. Number all URLs in their order, and tell the parts."""
    for numbered in number_strings(world, [part.urls for part in parts], memory, phases):
        pieces.add_sources(numbered.range_number, numbered.distinct)
        for part, (_, numbers) in zip(parts, numbered.parts, strict=True):
            part.numbers.add(numbers)
        world.stop_if_asked()
    with phases("settle"):
        for part in parts:
            part.settle()


@dataclass(frozen=True)
class Collected:
    """What all inputs together hold, and what of it became no label."""

    histogram: Histogram
    too_short: int
    subtracted: int


def collect(
    world: World, parts: list[Part], terms: Terms, pieces: LabelPieces, job: LabelJob, phases: Phases
) -> Collected:
    """Collective. Bring equal digests together, leave out what is too short or subtracted, and keep the rest."""
    with phases("sample"):
        passes = Passes.plan(world, BYTES_PER_OBJECT * sum(map(len, parts)), job.memory, parts)
    progress = Progress("label", "passes", passes.count, job.progress_seconds if world.root else 0)
    none = Sourced.empty(terms.options.width)
    histogram, too_short, subtracted = Histogram.of(np.empty(0, np.int64)), 0, 0
    for number in range(passes.count):
        found, _ = count_pass(world, passes.bounds(number), parts, none, job.memory, phases)
        found = found.select(found.counts > 0)
        histogram = Histogram.combine([histogram, Histogram.of(found.counts)])
        short, taken = found.lengths < job.min_length, found.taken > 0
        too_short += int(short.sum())
        subtracted += int((taken & ~short).sum())
        with phases("write"):
            pieces.add_labels(passes.range_number(number), found.select(~short & ~taken))
        progress.update(number + 1)
        world.stop_if_asked()
    progress.finish()
    return Collected(
        Histogram.combine(world.comm.allgather(histogram)),
        world.comm.allreduce(too_short),
        world.comm.allreduce(subtracted),
    )
