"""Quilts of a run: every page stitched together from others, with its sources (METHODS.md section 2)."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.holding import hold_result
from hpcreuse.corpus.ordering import TableSorter, sort_keys
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.quilt.candidates import cover_candidates
from hpcreuse.quilt.covering import Covered
from hpcreuse.quilt.duplicates import first_of_their_kind
from hpcreuse.quilt.pages import Pages
from hpcreuse.quilt.parameters import Parameters
from hpcreuse.quilt.patches import Survey, survey
from hpcreuse.quilt.servers import UNKNOWN, servers_of
from hpcreuse.store import findings
from hpcreuse.store.columns import Texts
from hpcreuse.store.scratch import ScratchFile

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class QuiltJob:
    """Of which run, by which parameters, to where."""

    run: Path
    out: Path
    parameters: Parameters
    memory: int
    progress_seconds: float


def find_quilts(world: World, job: QuiltJob) -> dict[str, Any]:
    """Collective. Find all quilts of a run and write them; give a summary."""
    with hold_result(world, job.out):
        return find_and_write(world, job)


def find_and_write(world: World, job: QuiltJob) -> dict[str, Any]:
    """Collective. Find into a result that no other job writes."""
    phases = Phases()
    with phases("open"):
        corpus = TextCorpus.open(world, job.run, job.memory)
        scratch = world.on_root(findings.begin, job.out, "quilt")
        pages, servers = open_pages(world, corpus, job.parameters, job.memory)
        warn_of_unknown(world, servers, job.parameters.foreign)
    found = survey(world, pages, job.parameters.k, [job.parameters.m], job.memory, phases, job.progress_seconds)
    waiting = ScratchFile(scratch / "spool" / f"patchwork-{world.rank:05d}")
    covered, count = cover_candidates(
        world, pages, servers, found, job.parameters, job.memory, phases, job.progress_seconds, waiting
    )
    quilts = QuiltRows(world, corpus, scratch, job, phases)
    for one in all_together(world, covered, count):
        quilts.add(one)
    waiting.remove()
    quilts.sorter.finish(phases)
    summary = summarise(world, corpus, pages, found, job.parameters, quilts)
    with phases("write"):
        header = {"run": str(job.run), "run_fingerprint": corpus.catalog.fingerprint, **job.parameters.record()}
        world.on_root(findings.finish, job.out, "quilt", header, summary)
    return {
        "out": str(job.out),
        **job.parameters.record(),
        **summary,
        "passes": found.ranges.passes,
        **phases.summary(world),
    }


def open_pages(
    world: World, corpus: TextCorpus, parameters: Parameters, memory: int
) -> tuple[Pages, NDArray[np.uint64]]:
    """Collective. Give the pages of this rank that take part, and their servers."""
    pages = Pages.all(corpus, memory)
    if parameters.exact_duplicates == "drop":
        pages = pages.only(np.flatnonzero(first_of_their_kind(world, pages, memory // 8)))
    return pages, servers_of(pages, parameters.foreign)


def warn_of_unknown(world: World, servers: NDArray[np.uint64], foreign: str) -> None:
    """Collective. Say how many pages have no server that is known: they take no part in foreign sources."""
    unknown = world.comm.allreduce(int((servers == UNKNOWN).sum())) if foreign != "none" else 0
    if unknown and world.root:
        log.warning(f"{unknown:,} pages have no {foreign}: they have no sources with --foreign {foreign} and are none")


def all_together(world: World, mine: Iterator[Covered], count: int) -> Iterator[Covered]:
    """Collective. Go through batches on all ranks at once; who has no more goes on with empty ones."""
    none, empty = np.empty(0, np.int64), Ragged.from_lengths(np.empty(0, np.int64), [])
    for _ in range(max(world.comm.allgather(count))):
        yield next(mine, Covered(none, none, none, empty, empty))


class QuiltRows:
    """Takes covered pages and keeps the quilts among them as rows of the table."""

    def __init__(self, world: World, corpus: TextCorpus, scratch: Path, job: QuiltJob, phases: Phases):
        self.corpus, self.job, self.phases = corpus, job, phases
        self.sorter = TableSorter(world, scratch, "quilt", "quilts", job.memory)
        self.candidates = self.quilts = self.sources = 0

    def add(self, covered: Covered) -> None:
        """Collective. Take the quilts of a batch."""
        with self.phases("cover"):
            quilts = covered.only(np.flatnonzero(covered.sources.lengths >= self.job.parameters.c))
        with self.phases.together("exchange", self.corpus.world):
            urls = self.corpus.urls_of(np.concatenate([quilts.numbers, quilts.sources.values]), self.job.memory // 8)
        count = len(quilts.numbers)
        own, sources = urls.slice(0, count), urls.slice(count, len(urls))
        shares = quilts.gains.values / np.repeat(quilts.patch_grams, quilts.gains.lengths)
        with self.phases("write"):
            self.sorter.add(
                sort_keys(own, quilts.numbers),
                {
                    "url": own,
                    "grams": quilts.grams,
                    "patch_grams": quilts.patch_grams,
                    "patchfrac": quilts.patch_grams / quilts.grams,
                    "sources": Texts(sources, quilts.sources.offsets),
                    "shares": Ragged(shares, quilts.gains.offsets),
                },
            )
        self.candidates += len(covered.numbers)
        self.quilts += count
        self.sources += len(sources)


def summarise(
    world: World, corpus: TextCorpus, pages: Pages, found: Survey, parameters: Parameters, quilts: QuiltRows
) -> dict[str, Any]:
    """Collective. Add up what was found; nothing of it depends on the number of ranks."""
    mine = np.array([len(pages), found.grams.sum(), quilts.candidates, quilts.quilts, quilts.sources], np.int64)
    taken, occurrences, candidates, count, sources = world.comm.allreduce(mine).tolist()
    return {
        "pages": corpus.pages,
        "exact_duplicates_dropped": corpus.pages - taken,
        "grams": occurrences,
        "distinct_grams": found.distinct,
        "patch_grams": found.patch_grams[parameters.m],
        "candidates": candidates,
        "quilts": count,
        "sources": sources,
        "mean_sources": sources / count if count else 0.0,
    }
