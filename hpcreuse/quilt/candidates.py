"""Candidates: pages with enough patch grams. Who else holds these is asked for them alone."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.progress import Progress
from hpcreuse.parallel.world import World
from hpcreuse.quilt.covering import Covered, cover, make_batches
from hpcreuse.quilt.frequencies import count_documents
from hpcreuse.quilt.pages import Pages
from hpcreuse.quilt.parameters import Parameters
from hpcreuse.quilt.patches import Survey
from hpcreuse.quilt.postings import BYTES_PER_POSTING, DOCUMENT, NOT_A_CANDIDATE, Patches, find_postings
from hpcreuse.store.scratch import ScratchFile


def plan_rounds(world: World, pairs: NDArray[np.int64], held: int, passes: int, memory: int) -> int:
    """Collective. Decide in how many rounds the postings of a pass must come.

    Args:
        pairs: of this rank's candidates: documents of all their patch grams.
        held: patch grams of this rank's pages: so many postings it gives at most.
    """
    cost = BYTES_PER_POSTING * max(int(pairs.sum()), held) // passes
    return max(world.comm.allgather(max(1, -(-cost // memory))))


def cover_candidates(
    world: World,
    pages: Pages,
    servers: NDArray[np.uint64],
    found: Survey,
    parameters: Parameters,
    memory: int,
    phases: Phases,
    progress_seconds: float,
    scratch: ScratchFile,
) -> tuple[Iterator[Covered], int]:
    """Collective. Find the sources of all candidates: those of this rank in batches, and how many batches there are.

    Going through the batches is this rank's own business.
    """
    counts = found.patches[parameters.m]
    places = np.flatnonzero(parameters.is_patchy(found.grams, counts.patch_grams))
    pairs = counts.documents[places]
    batches = make_batches(pages.numbers[places], servers[places], pairs, parameters, memory, scratch)
    rounds = plan_rounds(world, pairs, int(counts.patch_grams.sum()), found.ranges.passes, memory)
    parts = found.ranges.finer(rounds)
    documents, candidate_of = documents_of(pages, servers), number_among(places, len(pages))
    progress = Progress("postings", "rounds", parts.passes, progress_seconds if world.root else 0)
    postings = None
    any_candidates = bool(world.comm.allreduce(len(places)))
    for number in range(found.ranges.passes if any_candidates else 0):
        frequencies = found.frequencies or count_documents(
            world, pages, found.k, found.ranges, number, (), memory, phases
        )
        with phases("postings"):
            patches = Patches.of(frequencies, parameters.m, candidate_of)
        del frequencies
        for part in range(number * rounds, (number + 1) * rounds):
            mine = patches.within(parts, part)
            postings = find_postings(world, documents, mine, len(places), parts, part, memory, phases)
            if parts.passes > 1:
                with phases("postings"):
                    batches.put_away(postings)
                postings = None
            progress.update(part + 1)
            world.stop_if_asked()
    progress.finish()
    return cover(batches, postings, found.grams[places], counts.patch_grams[places]), len(batches.spans)


def documents_of(pages: Pages, servers: NDArray[np.uint64]) -> NDArray:
    """Give of each page of this rank what a posting says of it."""
    documents = np.empty(len(pages), DOCUMENT)
    documents["page"], documents["server"] = pages.numbers, servers
    return documents


def number_among(places: NDArray[np.int64], pages: int) -> NDArray[np.int64]:
    """Give of each page its number among the candidates, if it is one."""
    numbers = np.full(pages, NOT_A_CANDIDATE, np.int64)
    numbers[places] = np.arange(len(places))
    return numbers
