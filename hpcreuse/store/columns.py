"""Rows of a table as columns: numbers, strings, lists of numbers, lists of strings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged


@dataclass(frozen=True)
class Texts:
    """A list of strings per row: list i is `flat[offsets[i]:offsets[i + 1]]`."""

    flat: Ragged
    offsets: NDArray[np.int64]

    @classmethod
    def from_lengths(cls, flat: Ragged, lengths: NDArray | list[int]) -> "Texts":
        """Pack strings whose lists have these lengths."""
        return cls(flat, Ragged.from_lengths(np.empty(0, np.uint8), lengths).offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of strings in each list."""
        return np.diff(self.offsets)

    def take(self, order: NDArray[np.integer]) -> "Texts":
        """Give the lists at these places, in this order."""
        places = Ragged(np.arange(len(self.flat)), self.offsets).take(order)
        return Texts(self.flat.take(places.values), places.offsets)

    def slice(self, first: int, last: int) -> "Texts":
        """Give the lists first to last-1 without copying the strings."""
        offsets = self.offsets[first : last + 1]
        return Texts(self.flat.slice(offsets[0], offsets[-1]), offsets - offsets[0])

    @property
    def nbytes(self) -> int:
        """Bytes of strings and offsets together."""
        return self.flat.nbytes + self.offsets.nbytes

    @classmethod
    def concatenate(cls, parts: Sequence["Texts"]) -> "Texts":
        """Join several into one, in order."""
        flat = Ragged.concatenate([part.flat for part in parts])
        return cls.from_lengths(flat, np.concatenate([part.lengths for part in parts]))


Column = NDArray | Ragged | Texts


@dataclass(frozen=True)
class Rows:
    """Columns of the same length, by name: arrays, Ragged (strings, or lists of numbers), Texts (lists of strings)."""

    columns: dict[str, Column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def array(self, name: str) -> NDArray:
        """Give a column of numbers."""
        column = self.columns[name]
        assert isinstance(column, np.ndarray)
        return column

    def strings(self, name: str) -> Ragged:
        """Give a column of strings, or of lists of numbers."""
        column = self.columns[name]
        assert isinstance(column, Ragged)
        return column

    def take(self, order: NDArray[np.integer]) -> "Rows":
        """Give the rows at these places, in this order."""
        return Rows({n: c[order] if isinstance(c, np.ndarray) else c.take(order) for n, c in self.columns.items()})

    def slice(self, first: int, last: int) -> "Rows":
        """Give the rows first to last-1 without copying what is in them."""
        columns = self.columns.items()
        return Rows({n: c[first:last] if isinstance(c, np.ndarray) else c.slice(first, last) for n, c in columns})

    @property
    def nbytes(self) -> int:
        """Bytes of all columns together."""
        return sum(column.nbytes for column in self.columns.values())

    @classmethod
    def concatenate(cls, parts: Sequence["Rows"]) -> "Rows":
        """Join rows of the same columns, in order."""
        return cls({name: _join([part.columns[name] for part in parts]) for name in parts[0].columns})


def _join(parts: list[Column]) -> Column:
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)  # type: ignore[arg-type]
    return type(first).concatenate(parts)  # type: ignore[arg-type]
