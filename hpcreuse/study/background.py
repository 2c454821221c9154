"""The crawl that a site is copied into: hashed and counted by the methods themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.catalog import Catalog
from hpcreuse.crawl.pages import Limits
from hpcreuse.errors import StoreError
from hpcreuse.kernels import digests as dg
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.reuse.counting import count_objects
from hpcreuse.reuse.discovery import my_pieces
from hpcreuse.reuse.hashing import HashJob, hash_crawl
from hpcreuse.store.counts import Histogram, read_piece
from hpcreuse.store.run import Run
from hpcreuse.study.setting import Setting


def as_run(
    world: World,
    inputs: Sequence[str],
    url_prefix: str | None,
    folder: Path,
    options: DigestOptions,
    setting: Setting,
    text: bool = False,
) -> Path:
    """Collective. Take a run as it is, and hash anything else into a run in `folder`.

    Raises StoreError for a run made with other digest options.
    """
    run = world.on_root(_given_run, inputs, options)
    if run is not None:
        return run
    job = HashJob(
        inputs=tuple(inputs),
        run=folder,
        options=options,
        limits=Limits(),
        url_prefix=url_prefix,
        text=text,
        memory=setting.memory,
        progress_seconds=setting.progress_seconds,
        fresh=setting.fresh,
    )
    hash_crawl(world, job)
    return folder


def _given_run(inputs: Sequence[str], options: DigestOptions) -> Path | None:
    path = Path(inputs[0])
    if len(inputs) > 1 or not (path / "run.json").exists():
        return None
    if difference := Run.open(path).options.differences(options):
        raise StoreError(f"the run {path} was hashed with other options ({difference}): give the study the same ones")
    return path


@dataclass(frozen=True)
class Background:
    """How often objects occur in a crawl."""

    counts: NDArray[np.int64]
    """Of the objects that were asked for."""
    histogram: Histogram
    """Of all its objects."""

    @classmethod
    def none(cls, queries: int) -> "Background":
        """Stand for no crawl at all."""
        return cls(np.zeros(queries, np.int64), Histogram.of(np.empty(0, np.int64)))

    @classmethod
    def ask(
        cls, world: World, run: Path, objects: str, queries: dg.Digests, setting: Setting, phases: Phases
    ) -> "Background":
        """Collective. Count a run's objects and look up sorted distinct digests."""
        catalog = Catalog.open(world, run)
        known = count_objects(world, catalog, objects, setting.memory, phases, setting.progress_seconds, unique=True)
        found = np.zeros(len(queries), np.int64)
        for piece in my_pieces(world, known):
            for block in read_piece(piece):
                place = dg.find(queries, block.digests)
                found[place[place >= 0]] = block.counts[place >= 0]
        world.comm.Allreduce(found.copy(), found)
        return cls(found, known.histogram)
