"""A file that grows while a rank works and is gone afterwards: arrays that do not fit its memory wait there."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hpcreuse.errors import StoreError
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store.atomic import DISK_ERRORS, cannot_write


@dataclass(frozen=True)
class Ticket:
    """Where arrays lie in the file."""

    offset: int
    shapes: tuple[tuple[np.dtype, int], ...]


class ScratchFile:
    """Arrays of one rank on disk."""

    def __init__(self, path: Path):
        """Begin; the file is made by the first write."""
        self.path = path
        self.size = 0

    def write(self, *arrays: NDArray) -> Ticket:
        """Put arrays of one dimension away."""
        ticket = Ticket(self.size, tuple((array.dtype, len(array)) for array in arrays))
        try:
            with self.path.open("ab") as file:
                for array in arrays:
                    file.write(_bytes(array))
                    self.size += array.nbytes
        except OSError as error:
            if error.errno in DISK_ERRORS:
                raise StoreError(cannot_write(self.path, error)) from error
            raise
        return ticket

    def read(self, ticket: Ticket) -> list[NDArray]:
        """Get them back."""
        with self.path.open("rb") as file:
            file.seek(ticket.offset)
            return [np.fromfile(file, dtype, count) for dtype, count in ticket.shapes]

    def map(self, dtype: DTypeLike) -> NDArray:
        """Give everything that was written as one array, mapped: only what is looked at is read."""
        # Nothing cannot be mapped. As a plain array: each look at a memmap makes another one
        return np.asarray(np.memmap(self.path, dtype, "r")) if self.size else np.empty(0, dtype)

    def remove(self) -> None:
        """Throw everything away; what is written next begins a new file."""
        self.path.unlink(missing_ok=True)
        self.size = 0


class ScratchStrings:
    """Strings of numbers of one rank on disk: taken block by block, mapped as a whole."""

    def __init__(self, path: Path, dtype: DTypeLike):
        """Begin with none."""
        self._dtype = np.dtype(dtype)
        self._values, self._ends = ScratchFile(path), ScratchFile(path.with_name(path.name + "-ends"))
        self._ends.write(np.zeros(1, np.int64))

    def append(self, strings: Ragged) -> None:
        """Put strings behind those that are there."""
        end = self._values.size // self._dtype.itemsize
        self._values.write(strings.values)
        self._ends.write(end + strings.offsets[1:])

    def map(self) -> Ragged:
        """Give all strings, mapped."""
        return Ragged(self._values.map(self._dtype), self._ends.map(np.int64))


def _bytes(array: NDArray) -> Any:
    return np.ascontiguousarray(array).data
