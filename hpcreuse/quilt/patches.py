"""Patch grams of pages: how many of its grams each page shares with some, but not with too many, documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.parallel.world import World
from hpcreuse.quilt.frequencies import BYTES_PER_GRAM, Frequencies, count_documents
from hpcreuse.quilt.pages import Pages


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
    ranges: HashRanges
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


def survey(
    world: World, pages: Pages, k: int, ms: Sequence[int], memory: int, phases: Phases, progress_seconds: float
) -> Survey:
    """Collective. Count the grams and the patch grams of every page, in passes over ranges of grams."""
    ranges = HashRanges.plan(world, BYTES_PER_GRAM * pages.words, memory)
    grams, totals = np.zeros(len(pages), np.int64), np.zeros(1 + len(ms), np.int64)
    patches = {m: PatchCounts.none(len(pages)) for m in ms}
    progress = Progress("grams", "passes", ranges.passes, progress_seconds if world.root else 0)
    for number in range(ranges.passes):
        frequencies = count_documents(world, pages, k, ranges, number, ms, memory, phases)
        totals += frequencies.totals
        with phases("patches"):
            grams += frequencies.of_pages
            add_patches(frequencies, patches)
        progress.update(number + 1)
        world.stop_if_asked()
    progress.finish()
    distinct, *patch_grams = totals.tolist()
    kept = frequencies if ranges.passes == 1 else None
    return Survey(k, ranges, grams, patches, distinct, dict(zip(ms, patch_grams, strict=True)), kept)


def add_patches(frequencies: Frequencies, patches: dict[int, PatchCounts]) -> None:
    """Add up the patch grams of each page, for each m."""
    holders = frequencies.index.holders
    for m, counts in patches.items():
        chosen = np.flatnonzero(frequencies.are_patches(m))
        held, pages = holders.take(chosen), len(counts.patch_grams)
        documents = np.repeat(frequencies.documents[chosen], held.lengths)
        counts.patch_grams[:] += np.bincount(held.values, minlength=pages)
        # Sums of floating point, but of whole numbers below 2^53: exact
        counts.documents[:] += np.bincount(held.values, documents, minlength=pages).astype(np.int64)
