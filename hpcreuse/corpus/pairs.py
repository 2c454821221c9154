"""Pairs of pages, more than the memory may hold: in sorted runs on disk, given back in order and each once."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.store.scratch import ScratchFile, Ticket

BYTES_PER_PAIR = 16
# Rows of a run that are read at a time: many runs are merged with little memory
PIECE = 4096


class Pairs(NamedTuple):
    """Pairs of pages, the smaller first."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]

    @classmethod
    def none(cls) -> "Pairs":
        """Give no pairs."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))

    @classmethod
    def distinct(cls, parts: list["Pairs"]) -> "Pairs":
        """Put pairs together, sorted, each once."""
        a, b = (np.concatenate(column) for column in zip(cls.none(), *parts, strict=True))
        order = np.lexsort((b, a))
        a, b = a[order], b[order]
        new = np.ones(len(a), bool)
        new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
        return cls(a[new], b[new])

    def part(self, first: int, last: int | None = None) -> "Pairs":
        """Give pairs first to last-1."""
        return Pairs(self.a[first:last], self.b[first:last])

    def up_to(self, a: int, b: int) -> int:
        """Tell how many of sorted pairs come before a pair, or are it."""
        first, last = np.searchsorted(self.a, [a, a + 1])
        return int(first + np.searchsorted(self.b[first:last], b, side="right"))


class PairSpool:
    """Takes pairs in any order and number; holds few in memory."""

    def __init__(self, file: ScratchFile, room: int):
        """Begin.

        Args:
            room: bytes of pairs that may be held in memory.
        """
        self._file, self._most = file, max(PIECE, room // BYTES_PER_PAIR)
        self._held: list[Pairs] = []
        self._runs: list[list[Ticket]] = []

    def add(self, pairs: Pairs) -> None:
        """Take pairs; when too many are held, those that differ go to disk as a run."""
        self._held.append(pairs)
        if sum(len(held.a) for held in self._held) <= self._most:
            return
        self._held = [Pairs.distinct(self._held)]
        if len(self._held[0].a) > self._most // 2:
            (run,) = self._held
            self._runs.append([self._file.write(*run.part(n, n + PIECE)) for n in range(0, len(run.a), PIECE)])
            self._held = []

    def batches(self, most: int) -> Iterator[Pairs]:
        """Give all pairs in order, each once, so many at a time, or a few more."""
        waiting: list[Pairs] = []
        for some in self._merged():
            waiting.append(some)
            if sum(len(pairs.a) for pairs in waiting) >= most:
                whole = Pairs.distinct(waiting)
                for first in range(0, len(whole.a), most):
                    yield whole.part(first, first + most)
                waiting = []
        last = Pairs.distinct(waiting)
        for first in range(0, len(last.a), most):
            yield last.part(first, first + most)

    def _merged(self) -> Iterator[Pairs]:
        """Merge the runs: what comes before the end of every piece at hand can be given away."""
        ahead = [list(reversed(run)) for run in self._runs]
        pieces = [Pairs(*self._file.read(run.pop())) for run in ahead]
        pieces.append(Pairs.distinct(self._held))
        ahead.append([])
        while any(ahead):
            ends = [(piece.a[-1], piece.b[-1]) for piece, run in zip(pieces, ahead, strict=True) if run]
            cuts = [piece.up_to(*min(ends)) for piece in pieces]
            yield Pairs.distinct([piece.part(0, cut) for piece, cut in zip(pieces, cuts, strict=True)])
            pieces = [piece.part(cut) for piece, cut in zip(pieces, cuts, strict=True)]
            for number, run in enumerate(ahead):
                if run and not len(pieces[number].a):
                    pieces[number] = Pairs(*self._file.read(run.pop()))
        yield Pairs.distinct(pieces)
