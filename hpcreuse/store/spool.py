"""What detection found in one shard, on disk until it is sorted: so memory does not grow with the crawl."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import container
from hpcreuse.store.result import MATCH

FORMAT, VERSION = "hpcreuse spool", 1


@dataclass(frozen=True)
class Found:
    """What was found in the files of a shard that take part in ratios."""

    file: NDArray[np.int64]
    """Number of the file in its shard, rising."""
    chunks: NDArray[np.int64]
    bad: NDArray[np.int64]
    matches: Ragged

    @property
    def ratios(self) -> NDArray[np.float64]:
        """contains(L, f); 0 for a file that stop chunks left with none."""
        return self.bad / np.maximum(self.chunks, 1)

    @classmethod
    def empty(cls) -> "Found":
        """Give nothing."""
        none = np.empty(0, np.int64)
        return cls(none, none, none, Ragged.from_lengths(np.empty(0, MATCH), []))


def _path(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:06d}.h5"


def write_found(folder: Path, number: int, found: Found) -> None:
    """Spool what was found in a shard."""
    with container.create(_path(folder, number), FORMAT, VERSION, {}) as file:
        for name in ("file", "chunks", "bad"):
            container.write_array(file, name, getattr(found, name))
        container.write_ragged(file, "matches", found.matches)


def read_found(folder: Path, number: int) -> Found:
    """Read it back."""
    with container.open_container(_path(folder, number), FORMAT, VERSION) as file:
        matches = container.read_ragged(file, "matches")
        return Found(file["file"][:], file["chunks"][:], file["bad"][:], matches)
