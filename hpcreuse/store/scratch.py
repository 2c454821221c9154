"""A file that grows while a rank works and is gone afterwards: arrays that do not fit its memory wait there."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
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

    def remove(self) -> None:
        """Throw everything away; what is written next begins a new file."""
        self.path.unlink(missing_ok=True)
        self.size = 0


def _bytes(array: NDArray) -> Any:
    return np.ascontiguousarray(array).data
