"""Rows of one rank in the order of their keys: in memory, or on disk when they are too many."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.kernels.ragged import sort_order
from hpcreuse.store import container
from hpcreuse.store.columns import Rows
from hpcreuse.store.findings import FORMAT, VERSION, read_part, write_part
from hpcreuse.store.shard import cut_sorted

# Memory of a row that is sorted and sent beside its bytes: Python strings while sorting, copies on the way
BYTES_PER_ROW = 200
COPIES = 4


def cost_of(rows: Rows) -> int:
    """Estimate the memory it takes to sort rows and send them."""
    return COPIES * rows.nbytes + BYTES_PER_ROW * len(rows)


def in_order(rows: Rows) -> Rows:
    """Sort rows by key."""
    return rows.take(sort_order(list(rows.strings("key"))))


@dataclass(frozen=True)
class HeldRun:
    """Rows in order of their keys, in memory."""

    rows: Rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def cost(self) -> int:
        """The memory it takes to send them all."""
        return cost_of(self.rows)

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the keys at these places."""
        keys = self.rows.strings("key")
        return [keys[place] for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Rows:
        """Give the rows with keys from low up to, but not with, high."""
        return self.rows.slice(*cut_sorted(len(self), self.rows.strings("key").__getitem__, low, high))


@dataclass(frozen=True)
class SpooledRun:
    """Rows in order of their keys, on disk."""

    path: Path
    types: dict[str, Any]
    rows: int
    cost: int
    """The memory it takes to send them all."""

    @classmethod
    def write(cls, path: Path, types: dict[str, Any], rows: Rows) -> "SpooledRun":
        """Put rows on disk."""
        write_part(path, rows)
        return cls(path, types, len(rows), cost_of(rows))

    def __len__(self) -> int:
        return self.rows

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the keys at these places."""
        with container.open_container(self.path, FORMAT, VERSION) as file:
            return [container.read_ragged(file, "key", place, place + 1)[0] for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Rows:
        """Read the rows with keys from low up to, but not with, high."""
        with container.open_container(self.path, FORMAT, VERSION) as file:

            def key(place: int) -> bytes:
                return container.read_ragged(file, "key", place, place + 1)[0]

            first, last = cut_sorted(self.rows, key, low, high)
        return read_part(self.path, self.types, first, last)
