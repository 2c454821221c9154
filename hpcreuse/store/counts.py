"""Global counts of a run's objects, kept so that another threshold needs no new exchange.

RUN/counts/chunk/counts.json       what was counted, how many pieces, the histogram; written last
RUN/counts/chunk/piece-00000.h5    distinct digests in order with count and length; pieces follow on each other

Most objects of a crawl occur once and are never asked for: they are in the histogram, but in the pieces only where
`unique` in counts.json says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
from hpcreuse.store import container
from hpcreuse.store.records import read_record, write_record
from hpcreuse.store.shard import Counted

FORMAT, VERSION = "hpcreuse counts", 1
BLOCK_ROWS = 1 << 18


@dataclass(frozen=True)
class Histogram:
    """How many distinct objects occur how often (the frequency-occurrence table; CCR figures 1, 2, 11)."""

    duplicates: NDArray[np.int64]
    objects: NDArray[np.int64]

    @classmethod
    def of(cls, counts: NDArray[np.integer]) -> "Histogram":
        """Make it from the counts of distinct objects."""
        return cls(*np.unique(counts, return_counts=True))

    @classmethod
    def of_unique(cls, objects: int) -> "Histogram":
        """Make it of so many objects that occur once."""
        return cls.of(np.empty(0, np.int64)) if not objects else cls(np.array([1]), np.array([objects]))

    @property
    def repeated(self) -> "Histogram":
        """Leave out the objects that occur once."""
        return Histogram(self.duplicates[self.duplicates > 1], self.objects[self.duplicates > 1])

    @classmethod
    def combine(cls, parts: list["Histogram"]) -> "Histogram":
        """Add up histograms of different objects."""
        duplicates, place = np.unique(np.concatenate([p.duplicates for p in parts]), return_inverse=True)
        objects = np.zeros(len(duplicates), np.int64)
        np.add.at(objects, place, np.concatenate([p.objects for p in parts]))
        return cls(duplicates, objects)


@dataclass(frozen=True)
class Counts:
    """The global counts of one kind of object."""

    folder: Path
    pieces: int
    distinct: int
    occurrences: int
    histogram: Histogram
    unique: bool
    """Whether the pieces hold objects that occur once."""

    def piece_path(self, number: int) -> Path:
        """Name a piece."""
        return piece_path(self.folder, number)


def counts_folder(run: Path, objects: str) -> Path:
    """Name the folder of the counts of chunks or files."""
    return run / "counts" / objects


def piece_path(folder: Path, number: int) -> Path:
    """Name a piece of the counts."""
    return folder / f"piece-{number:05d}.h5"


def write_piece(folder: Path, number: int, counted: Counted) -> None:
    """Write one piece."""
    with container.create(piece_path(folder, number), FORMAT, VERSION, {}) as file:
        container.write_array(file, "digest", counted.digests)
        container.write_array(file, "count", counted.counts)
        container.write_array(file, "length", counted.lengths)


def read_piece(path: Path) -> Iterator[Counted]:
    """Read a piece in blocks."""
    with container.open_container(path, FORMAT, VERSION) as file:
        for first in range(0, len(file["count"]), BLOCK_ROWS):
            rows = slice(first, first + BLOCK_ROWS)
            yield Counted(file["digest"][rows], file["count"][rows], file["length"][rows])


def finish(folder: Path, fingerprint: str, pieces: int, histogram: Histogram, unique: bool) -> Counts:
    """Mark the counts as complete."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "run": fingerprint,
        "pieces": pieces,
        "unique": unique,
        "duplicates": histogram.duplicates.tolist(),
        "objects": histogram.objects.tolist(),
    }
    write_record(folder / "counts.json", record)
    return _from_record(folder, record)


def find_counts(folder: Path, fingerprint: str) -> Counts | None:
    """Give the counts if they were made of just these shards."""
    try:
        record = read_record(folder / "counts.json")
    except (OSError, StoreError):
        return None
    if (record.get("format"), record.get("version"), record.get("run")) != (FORMAT, VERSION, fingerprint):
        return None
    counts = _from_record(folder, record)
    return counts if all(counts.piece_path(n).exists() for n in range(counts.pieces)) else None


def _from_record(folder: Path, record: dict) -> Counts:
    histogram = Histogram(np.array(record["duplicates"], np.int64), np.array(record["objects"], np.int64))
    occurrences = int((histogram.duplicates * histogram.objects).sum())
    distinct = int(histogram.objects.sum())
    return Counts(folder, record["pieces"], distinct, occurrences, histogram, record.get("unique", True))
