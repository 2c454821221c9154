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
from hpcreuse.quilt.postings import BYTES_PER_POSTING, Held, find_postings
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
    candidates, pairs = pages.only(places), counts.documents[places]
    batches = make_batches(candidates, servers[places], pairs, parameters, memory, scratch)
    rounds = plan_rounds(world, pairs, int(counts.patch_grams.sum()), len(found.passes), memory)
    parts = rounds * len(found.passes)
    progress = Progress("postings", "rounds", parts, progress_seconds if world.root else 0)
    postings, done = None, 0
    for one in found.passes if world.comm.allreduce(len(candidates)) else ():
        frequencies = found.frequencies or count_documents(world, pages, found.k, one, (), memory, phases)
        with phases("postings"):
            patches = Held.of(frequencies.table, found.k, parameters.m, candidates)
        del frequencies
        for part in one.cut(rounds):
            postings = find_postings(world, pages, servers, patches.within(part), part, memory, phases)
            if parts > 1:
                with phases("postings"):
                    batches.put_away(postings)
                postings = None
            done += 1
            progress.update(done)
            world.stop_if_asked()
    progress.finish()
    return cover(batches, postings, found.grams[places], counts.patch_grams[places]), len(batches.batches)
