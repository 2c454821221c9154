"""The arrays of a run as they lie on disk, mapped into memory: one shard at a time, at the speed of the disk."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.digests import Digests
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import container
from hpcreuse.store.shard import Counted, Shard


@dataclass(frozen=True)
class FileArrays:
    """The files of a shard, in order."""

    url: Ragged
    """Byte strings: `url[i]` is one of them."""
    digest: Digests
    """A row of 20 (SHA-1) or 32 bytes (SHA-256) per file."""
    length: NDArray[np.integer]
    offset: NDArray[np.integer]
    """Where its record starts in the archive."""
    chunk_start: NDArray[np.integer]
    """The chunks of file i are those from `chunk_start[i]` up to, but not with, `chunk_start[i + 1]`."""

    def __len__(self) -> int:
        return len(self.length)


@dataclass(frozen=True)
class ChunkArrays:
    """The chunks of a shard, in the order of files and of pages."""

    number: NDArray[np.integer]
    """Which of the distinct digests of the shard it has."""
    offset: NDArray[np.integer]
    """Where it starts in its page."""
    length: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.number)


class ShardView:
    """A shard: arrays are mapped when asked for."""

    def __init__(self, path: Path):
        self.path = path

    @cached_property
    def files(self) -> FileArrays:
        """Its files."""
        with Shard.open(self.path) as shard:
            group = shard.file["files"]
            numbers = (container.map_array(group, name) for name in ("digest", "length", "offset", "chunk_start"))
            return FileArrays(container.map_ragged(group, "url"), *numbers)

    @cached_property
    def chunks(self) -> ChunkArrays:
        """Their chunks."""
        with Shard.open(self.path) as shard:
            return ChunkArrays(*(container.map_array(shard.file["chunks"], n) for n in ("number", "offset", "length")))

    @cached_property
    def distinct(self) -> Counted:
        """The distinct chunk digests, sorted, with how often each occurs in this shard and its shortest length."""
        with Shard.open(self.path) as shard:
            return Counted(*(container.map_array(shard.file["distinct"], n) for n in ("digest", "count", "length")))

    def __repr__(self) -> str:
        return f"<shard {self.path}>"
