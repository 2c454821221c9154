"""Rows of a rank that wait on disk, by block of pages and by pass over ranges of hashes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.parallel.ranges import HashRanges
from hpcreuse.store.scratch import ScratchFile, Ticket


class ByPass:
    """Columns of rows, written by block or by pass, whichever is at hand, and read by the other."""

    def __init__(self, ranges: HashRanges, path: Path, *types: type):
        """Begin a file of columns of these types."""
        self.ranges, self.types = ranges, types
        self._file = ScratchFile(path)
        self._tickets: dict[tuple[int, int], Ticket] = {}

    def add_block(self, block: int, hashes: NDArray[np.uint64], *columns: NDArray) -> None:
        """Put the rows of a block away: sorted hashes, and what belongs to them."""
        for number in range(self.ranges.passes):
            part = self.ranges.within(number, hashes)
            self.add(block, number, hashes[part], *(column[part] for column in columns))

    def add(self, block: int, number: int, *columns: NDArray) -> None:
        """Put away what a pass deals with of a block."""
        self._tickets[block, number] = self._file.write(*columns)

    def get(self, block: int, number: int) -> list[NDArray]:
        """Give the columns of a block that a pass deals with."""
        return self._file.read(self._tickets[block, number])

    def of_pass(self, number: int) -> list[NDArray]:
        """Give all columns that a pass deals with, block after block."""
        return self._joined([key for key in self._tickets if key[1] == number])

    def of_block(self, block: int) -> list[NDArray]:
        """Give all columns of a block, pass after pass: in order of hash."""
        return self._joined([key for key in self._tickets if key[0] == block])

    def remove(self) -> None:
        """Throw everything away."""
        self._file.remove()

    def _joined(self, keys: Sequence[tuple[int, int]]) -> list[NDArray]:
        none: list[NDArray] = [np.empty(0, kind) for kind in self.types]
        parts = [none, *(self.get(*key) for key in sorted(keys))]
        return [np.concatenate(column) for column in zip(*parts, strict=True)]
