"""The shards of a run as a method sees them: all listed on every rank, each read by one."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.sharing import assign
from hpcreuse.parallel.world import World
from hpcreuse.store.run import Run, ShardInfo, fingerprint


@dataclass(frozen=True)
class Catalog:
    """A run's shards in the order of its tables."""

    run: Run
    shards: list[ShardInfo]
    mine: list[int]
    """Numbers of the shards this rank reads."""
    first_file: NDArray[np.int64]
    """Place of each shard's first file in the run's table of files."""

    @classmethod
    def open(cls, world: World, path: Path) -> "Catalog":
        """Collective. Read the headers of all shards, each rank some, and share the shards out."""
        run = world.on_root(Run.open, path)
        found = world.map(ShardInfo.read, world.on_root(run.shard_paths))
        shards = world.on_root(run.in_order, found)
        mine = assign(world, [shard.distinct + shard.files for shard in shards])
        return cls(run, shards, mine, np.cumsum([0] + [shard.files for shard in shards]))

    @property
    def fingerprint(self) -> str:
        """Identify the content of the run."""
        return fingerprint(self.shards)
