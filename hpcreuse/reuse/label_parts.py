"""The inputs of `label`, cut into parts that one rank reads: shards, and slices of labels made before.

A part knows the URLs that its labels may come from. These are numbered over all ranks first; with the numbers it
gives its objects in order of digest, each with the smallest of its sources. Nothing is kept open or in memory:
a rank may have thousands of parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.numbering import Strings
from hpcreuse.reuse.counting import Objects
from hpcreuse.store.labels import Labels
from hpcreuse.store.run import ShardInfo
from hpcreuse.store.shard import Counted, Shard, cut_sorted
from hpcreuse.store.sourced import UNKNOWN, Sourced

# Rows of labels in a part
SLICE_ROWS = 1 << 18


@dataclass(frozen=True)
class Numbers:
    """The numbers of a part's URLs in their order, in a file."""

    path: Path

    def add(self, numbers: NDArray[np.int64]) -> None:
        """Keep the numbers that follow on those kept before."""
        with self.path.open("ab") as file:
            file.write(numbers.tobytes())

    def read(self, first: int = 0, last: int | None = None) -> NDArray[np.int64]:
        """Read them back."""
        return np.fromfile(self.path, np.int64, -1 if last is None else last - first, offset=8 * first)


class Part(Objects[Sourced], Protocol):
    """Objects in order of digest, once the URLs they come from have numbers."""

    @property
    def urls(self) -> Strings:
        """The URLs in order."""

    @property
    def numbers(self) -> Numbers:
        """Where their numbers are kept."""

    def settle(self) -> None:
        """Make use of the numbers of all URLs, which are there now."""


@dataclass(frozen=True)
class ShardUrls:
    """The URLs of a shard's files, in order."""

    info: ShardInfo

    def __len__(self) -> int:
        return self.info.files

    @property
    def string_bytes(self) -> int:
        """How long they are together."""
        return self.info.url_bytes

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the URLs at these places."""
        with Shard.open(self.info.path) as shard:
            return [shard.url_at(place) for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> tuple[int, Ragged]:
        """Read the URLs from low up to, but not with, high; give the place of the first too."""
        with Shard.open(self.info.path) as shard:
            first, last = shard.cut_urls(low, high)
            order = shard.column("files/by_url", first, last).astype(np.int64)
            return first, shard.strings("files/url").take(order)


@dataclass(frozen=True)
class ShardPart:
    """The distinct chunks, or files, of a shard, to be added or taken away."""

    info: ShardInfo
    objects: str
    taken: bool
    numbers: Numbers
    """Of the URLs; after `settle` in the order of the objects instead."""

    @property
    def urls(self) -> ShardUrls:
        """The URLs in order."""
        return ShardUrls(self.info)

    def settle(self) -> None:
        """Find the smallest source of each distinct object."""
        with Shard.open(self.info.path) as shard:
            by_file = np.empty(shard.files, np.int64)
            by_file[shard.column("files/by_url").astype(np.int64)] = self.numbers.read()
            if self.objects == "file":
                found = Sourced.combine([Sourced.of(shard.each_file(), by_file)]).sources
            else:
                found = np.full(self.info.distinct, UNKNOWN)
                np.minimum.at(found, shard.column("chunks/number"), np.repeat(by_file, np.diff(shard.chunk_start)))
        found.tofile(self.numbers.path)

    def __len__(self) -> int:
        return self.info.files if self.objects == "file" else self.info.distinct

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give digests; of files those at these places among all, distinct or not."""
        with Shard.open(self.info.path) as shard:
            if self.objects == "file":
                digests = shard.each_file().digests
                digests = digests[np.lexsort(digests.T[::-1])]
            else:
                digests = shard.file["distinct/digest"]
            return [digests[place].tobytes() for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Sourced:
        """Read the objects from low up to, but not with, high."""
        with Shard.open(self.info.path) as shard:
            if self.objects == "file":
                files = shard.distinct_files()
                first, last = cut_sorted(len(files), lambda place: files.digests[place].tobytes(), low, high)
                counted = Counted(*(column[first:last] for column in files.columns))
            else:
                digests = shard.file["distinct/digest"]
                first, last = cut_sorted(len(digests), lambda place: digests[place].tobytes(), low, high)
                counted = shard.distinct(first, last)
        return Sourced.of(counted, self.numbers.read(first, last), self.taken)


@dataclass(frozen=True)
class LabelUrls:
    """The sources that some rows of labels have, in order."""

    path: Path
    rows: slice

    def __len__(self) -> int:
        with Labels.open(self.path) as labels:
            return len(self.used(labels))

    @property
    def string_bytes(self) -> int:
        """How long they are together."""
        with Labels.open(self.path) as labels:
            used, offsets = self.used(labels), labels.sources.offsets
            return int((offsets[used + 1] - offsets[used]).sum())

    def used(self, labels: Labels) -> NDArray[np.int64]:
        """Give the numbers of the sources that are there."""
        found = np.unique(labels.file["source"][self.rows]).astype(np.int64)
        return found[found > 0]

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the sources at these places."""
        with Labels.open(self.path) as labels:
            used, sources = self.used(labels), labels.sources
            return [sources[used[place]] for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> tuple[int, Ragged]:
        """Read the sources from low up to, but not with, high; give the place of the first too."""
        with Labels.open(self.path) as labels:
            used, sources = self.used(labels), labels.sources
            first, last = cut_sorted(len(used), lambda place: sources[used[place]], low, high)
            return first, sources.take(used[first:last])


@dataclass(frozen=True)
class LabelsPart:
    """Some rows of labels, to be added or taken away."""

    path: Path
    rows: slice
    taken: bool
    numbers: Numbers

    @property
    def urls(self) -> LabelUrls:
        """The sources in order; none of labels that are taken away."""
        return LabelUrls(self.path, slice(0) if self.taken else self.rows)

    def settle(self) -> None:
        """Nothing is to do: numbers are looked up when labels are read."""

    def __len__(self) -> int:
        return int(self.rows.stop - self.rows.start)

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the digests at these places."""
        with Labels.open(self.path) as labels:
            return [labels.file["digest"][self.rows.start + place].tobytes() for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Sourced:
        """Read the labels from low up to, but not with, high."""
        with Labels.open(self.path) as labels:
            digests, start = labels.file["digest"], self.rows.start
            first, last = cut_sorted(len(self), lambda place: digests[start + place].tobytes(), low, high)
            counted = labels.counted(start + first, start + last)
            sources = np.full(len(counted), UNKNOWN)
            if not self.taken:
                own = labels.file["source"][start + first : start + last]
                has = own > 0
                sources[has] = self.numbers.read()[np.searchsorted(self.urls.used(labels), own[has])]
        return Sourced.of(counted, sources, self.taken)
