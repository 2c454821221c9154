"""What detection found in each shard, until it is sorted: in memory as far as it may, the rest on disk."""

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

    @property
    def nbytes(self) -> int:
        """Bytes of all columns together."""
        return self.file.nbytes + self.chunks.nbytes + self.bad.nbytes + self.matches.nbytes

    @classmethod
    def empty(cls) -> "Found":
        """Give nothing."""
        none = np.empty(0, np.int64)
        return cls(none, none, none, Ragged.from_lengths(np.empty(0, MATCH), []))


class Spool:
    """What one rank found, by shard: memory does not grow with the crawl beyond the room it is given."""

    def __init__(self, folder: Path, room: int):
        self.folder, self.room = folder, room
        self.kept: dict[int, Found] = {}
        self.nbytes = 0
        """Bytes that are kept in memory."""

    def write(self, number: int, found: Found) -> None:
        """Put down what was found in a shard."""
        if self.nbytes + found.nbytes <= self.room:
            self.nbytes += found.nbytes
            self.kept[number] = found
            return
        with container.create(self._path(number), FORMAT, VERSION, {}) as file:
            for name in ("file", "chunks", "bad"):
                container.write_array(file, name, getattr(found, name))
            container.write_ragged(file, "matches", found.matches)

    def read(self, number: int) -> Found:
        """Take it up again."""
        if number in self.kept:
            return self.kept[number]
        with container.open_container(self._path(number), FORMAT, VERSION) as file:
            matches = container.read_ragged(file, "matches")
            return Found(file["file"][:], file["chunks"][:], file["bad"][:], matches)

    def _path(self, number: int) -> Path:
        return self.folder / f"shard-{number:06d}.h5"
