"""A shard: the files, chunks and distinct digests of one partition of the crawl, in one HDF5 file.

files/       digest, url, archive, offset, length, mime, chunk_start; `by_url`, the order by URL;
             `directory`, the deepest neighborhood of each file as a number in directories
chunks/      in page order: number of its distinct digest, offset, length
distinct/    sorted by digest: digest, count, length; `index`, where each 12-bit prefix starts
directories, archives, mimes    distinct strings, sorted
quarantine/  archive, offset, url, reason
text/        of a run hashed with `--text`: see shard_text.py
"""

import bisect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.kernels import merge_runs
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import container

FORMAT, VERSION = "hpcreuse shard", 1
INDEX_BITS = 12

REDUCE = {"+": np.add, "<": np.minimum, ">": np.maximum}


@dataclass(frozen=True)
class Counted:
    """Distinct digests in order, each with how often it occurs and the length of its shortest occurrence."""

    digests: dg.Digests
    counts: NDArray[np.integer]
    lengths: NDArray[np.integer]

    REDUCE: ClassVar[str] = "+<"
    """What becomes of each column but the first when equal digests meet: their sum, the smallest or the largest."""

    @classmethod
    def empty(cls, width: int) -> Self:
        """Give none."""
        return cls(dg.empty(width), *(np.empty(0, np.int64) for _ in cls.REDUCE))

    @property
    def columns(self) -> list[NDArray]:
        """All columns, the digests first."""
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def combine(cls, parts: list[Self]) -> Self:
        """Bring equal digests together; the list is emptied on the way, so that their memory serves again."""
        pieces = [list(column) for column in zip(*(part.columns for part in parts), strict=True)]
        parts.clear()
        columns = []
        for column in pieces:
            columns.append(np.concatenate(column))
            column.clear()
        order, starts = dg.group(columns[0])
        if not len(order):
            return cls.empty(columns[0].shape[1])
        reduced = [
            REDUCE[sign].reduceat(column[order], starts, dtype=np.int64)
            for sign, column in zip(cls.REDUCE, columns[1:], strict=True)
        ]
        return cls(np.take(columns[0], order[starts], axis=0), *reduced)

    @classmethod
    def merge(cls, runs: list[Self], least: int = 0) -> tuple[Self, int]:
        """Bring equal digests of runs together, in numbers of the types that the first has.

        Tells also how many occur less than `least` times: they are left out.
        """
        digests, columns, left_out = merge_runs([run.columns for run in runs], cls.REDUCE, least)
        return cls(digests, *columns), left_out

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns together."""
        return sum(column.nbytes for column in self.columns)

    def cut(self, low: bytes | None, high: bytes | None) -> tuple[int, int]:
        """Find the rows from low up to, but not with, high."""
        return cut_sorted(len(self), lambda row: self.digests[row].tobytes(), low, high)

    def slice(self, first: int, last: int) -> Self:
        """Give rows first to last-1, without a copy."""
        return type(self)(*(column[first:last] for column in self.columns))

    def select(self, keep: NDArray[np.bool_]) -> Self:
        """Give those marked."""
        rows = np.flatnonzero(keep)
        return type(self)(*(np.take(column, rows, axis=0) for column in self.columns))


class Shard:
    """A shard opened for reading; arrays are read when asked for."""

    def __init__(self, file: h5py.File):
        self.file = file
        self.header: dict[str, Any] = container.read_header(file)

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator["Shard"]:
        """Open a shard, checked for format and version."""
        with container.open_container(path, FORMAT, VERSION) as file:
            yield cls(file)

    @property
    def files(self) -> int:
        """How many files it holds."""
        return len(self.file["files/digest"])

    @property
    def chunks(self) -> int:
        """How many chunks its files have together."""
        return len(self.file["chunks/number"])

    @property
    def width(self) -> int:
        """Bytes of a digest."""
        width: int = self.file["files/digest"].shape[1]
        return width

    @cached_property
    def chunk_start(self) -> NDArray[np.int64]:
        """Where the chunks of each file start in the chunk arrays, and where the last ends."""
        return self.column("files/chunk_start")

    @cached_property
    def urls(self) -> Ragged:
        """The URLs of the files, mapped: most are not looked at."""
        return container.map_ragged(self.file["files"], "url")

    @cached_property
    def directories(self) -> Ragged:
        """The directories, mapped likewise."""
        return container.map_ragged(self.file, "directories")

    @cached_property
    def by_url(self) -> NDArray[np.uint32]:
        """The files in the order of their URLs, mapped likewise."""
        return self.mapped("files/by_url")

    def mapped(self, name: str) -> NDArray:
        """Map one array into memory: whoever goes through it once needs no copy."""
        return container.map_array(self.file, name)

    def column(self, name: str, first: int = 0, last: int | None = None) -> NDArray:
        """Read rows of one array."""
        rows: NDArray = self.file[name][first:last]
        return rows

    def strings(self, name: str, first: int = 0, last: int | None = None) -> Ragged:
        """Read byte strings: `files/url`, `directories`, `archives`, `mimes`."""
        group, _, last_name = name.rpartition("/")
        return container.read_ragged(self.file[group or "/"], last_name, first, last)

    def distinct(self, first: int = 0, last: int | None = None) -> Counted:
        """Give rows of the distinct chunk digests, mapped."""
        return Counted(*(self.mapped(f"distinct/{name}")[first:last] for name in ("digest", "count", "length")))

    def each_file(self) -> Counted:
        """Read the file digests in the order of files, each counted once."""
        return Counted(
            self.column("files/digest"),
            np.ones(self.files, np.int64),
            self.column("files/length").astype(np.int64),
        )

    def distinct_files(self) -> Counted:
        """Count the distinct file digests."""
        return Counted.combine([self.each_file()])

    def url_at(self, place: int) -> bytes:
        """Give the URL at a place in the order of URLs."""
        return self.urls[int(self.by_url[place])]

    def cut_urls(self, low: bytes | None, high: bytes | None) -> tuple[int, int]:
        """Find the places, in the order of URLs, of those from low up to, but not with, high."""
        return cut_sorted(self.files, self.url_at, low, high)

    def cut_distinct(self, splitters: dg.Digests) -> NDArray[np.int64]:
        """Find where splitters fall among the distinct digests, reading only around them."""
        index, digests = self.file["distinct/index"][:], self.file["distinct/digest"]
        places = np.empty(len(splitters), np.int64)
        buckets = (dg.prefixes(splitters) >> np.uint64(64 - INDEX_BITS)).astype(np.int64)
        for number, bucket in enumerate(buckets):
            first, last = index[bucket], index[bucket + 1]
            places[number] = first + dg.cut(digests[first:last], splitters[number : number + 1])[0]
        return places


def cut_sorted(rows: int, key: Callable[[int], bytes], low: bytes | None, high: bytes | None) -> tuple[int, int]:
    """Find the rows with sorted keys from low up to, but not with, high, looking at few of them."""
    first = 0 if low is None else bisect.bisect_left(range(rows), low, key=key)
    last = rows if high is None else bisect.bisect_left(range(rows), high, key=key)
    return first, last
