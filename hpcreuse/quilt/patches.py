"""Patch grams of pages: how many of its grams each page shares with some, but not with too many, documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import GramTable
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.quilt.frequencies import BYTES_PER_GRAM, Frequencies, count_documents
from hpcreuse.quilt.pages import Pages
from hpcreuse.quilt.ranges import GramRange


@dataclass(frozen=True)
class PatchCounts:
    """Of each page of this rank, for one m."""

    patch_grams: NDArray[np.int64]
    documents: NDArray[np.int64]
    """The documents of all its patch grams, added up: so many pairs its cover has at most."""

    @classmethod
    def none(cls, pages: int) -> "PatchCounts":
        """Begin with nothing."""
        return cls(np.zeros(pages, np.int64), np.zeros(pages, np.int64))


@dataclass(frozen=True)
class Survey:
    """What one k and several m make of the pages of this rank."""

    k: int
    passes: list[GramRange]
    grams: NDArray[np.int64]
    """Distinct grams of each page of this rank."""
    patches: dict[int, PatchCounts]
    """By m."""
    distinct: int
    """Distinct grams of the whole corpus."""
    patch_grams: dict[int, int]
    """Distinct patch grams of the whole corpus, by m."""
    frequencies: Frequencies | None
    """Kept when one pass was enough."""


def plan_passes(world: World, pages: Pages, memory: int) -> list[GramRange]:
    """Collective. Cut all grams into ranges that fit the memory of every rank."""
    cost = BYTES_PER_GRAM * pages.words
    return GramRange().cut(max(world.comm.allgather(max(1, -(-cost // memory)))))


def survey(
    world: World, pages: Pages, k: int, ms: Sequence[int], memory: int, phases: Phases, progress_seconds: float
) -> Survey:
    """Collective. Count the grams and the patch grams of every page, in passes over ranges of grams."""
    passes = plan_passes(world, pages, memory)
    grams, totals = np.zeros(len(pages), np.int64), np.zeros(1 + len(ms), np.int64)
    patches = {m: PatchCounts.none(len(pages)) for m in ms}
    progress = Progress("grams", "passes", len(passes), progress_seconds if world.root else 0)
    for number, one in enumerate(passes):
        frequencies = count_documents(world, pages, k, one, ms, memory, phases)
        grams += frequencies.grams_of_page
        totals += frequencies.totals
        with phases("patches"):
            add_patches(pages, frequencies.table, patches)
        progress.update(number + 1)
        world.stop_if_asked()
    progress.finish()
    distinct, *patch_grams = totals.tolist()
    kept = frequencies if len(passes) == 1 else None
    return Survey(k, passes, grams, patches, distinct, dict(zip(ms, patch_grams, strict=True)), kept)


def add_patches(pages: Pages, table: GramTable, patches: dict[int, PatchCounts]) -> None:
    """Add up the patch grams of each page that are in a table, for each m."""
    for places, words in pages.blocks():
        documents, _, starts = table.of_pages(words.values, words.offsets, 2, max(patches))
        for m, counts in patches.items():
            within = documents <= m
            counts.patch_grams[places] += sums(within, starts)
            counts.documents[places] += sums(np.where(within, documents, 0), starts)


def sums(values: NDArray, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up the values of each page."""
    return np.diff(np.concatenate([[0], np.cumsum(values, dtype=np.int64)])[starts])
