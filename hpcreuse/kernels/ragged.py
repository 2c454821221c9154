"""Byte strings of any length as two arrays: one blob and where each string starts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import gather


@dataclass(frozen=True)
class Ragged:
    """Strings back to back: string i is `values[offsets[i]:offsets[i + 1]]`.

    The values may be of any type (bytes of URLs, records of matches); `offsets` has one more entry than strings.
    """

    values: NDArray
    offsets: NDArray[np.int64]

    @classmethod
    def from_strings(cls, strings: Iterable[bytes]) -> "Ragged":
        """Pack byte strings."""
        strings = list(strings)
        return cls.from_lengths(np.frombuffer(b"".join(strings), np.uint8), [len(s) for s in strings])

    @classmethod
    def from_lengths(cls, values: NDArray, lengths: NDArray | list[int]) -> "Ragged":
        """Pack values whose strings have these lengths."""
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(values, offsets)

    @classmethod
    def concatenate(cls, parts: list["Ragged"]) -> "Ragged":
        """Join several into one, in order."""
        return cls.from_lengths(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.lengths for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> bytes:
        return self.values[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        blob = self.values.tobytes()
        bounds = (self.offsets * self.values.itemsize).tolist()
        return (blob[a:b] for a, b in pairwise(bounds))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each string."""
        return np.diff(self.offsets)

    @property
    def nbytes(self) -> int:
        """Bytes of values and offsets together."""
        return self.values.nbytes + self.offsets.nbytes

    def take(self, order: NDArray[np.integer]) -> "Ragged":
        """Give the strings at these places, in this order."""
        # Only of these: the strings may be many, and mapped
        starts = self.offsets[order]
        packed = Ragged.from_lengths(self.values[:0], self.offsets[order + 1] - starts)
        taken = np.empty(packed.offsets[-1], self.values.dtype)
        size, source = taken.itemsize, np.ascontiguousarray(self.values)
        gather(source.view(np.uint8), starts * size, packed.offsets * size, taken.view(np.uint8))
        return Ragged(taken, packed.offsets)

    def slice(self, first: int, last: int) -> "Ragged":
        """Give the strings first to last-1 without copying the values."""
        offsets = self.offsets[first : last + 1]
        return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])


def sort_order(strings: list[bytes]) -> NDArray[np.int64]:
    """Give the order that sorts byte strings; equal ones keep theirs."""
    return np.array(sorted(range(len(strings)), key=strings.__getitem__), np.int64)


def cut_evenly(offsets: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Cut strings into spans, first to last-1, of at most so many values each, or of one string."""
    first, strings = 0, len(offsets) - 1
    while first < strings:
        last = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        last = min(max(last, first + 1), strings)
        yield first, last
        first = last
