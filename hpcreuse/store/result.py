"""The result of detection: a folder that needs neither the run nor the labels to be read.

    RESULT/result.json                     provenance, summary, thresholds; written last
    RESULT/labels.h5                       a copy of the labels that were looked for
    RESULT/files/part-00000.h5             files in order of URL, each with its matches; parts follow on each other
    RESULT/neighborhoods/part-00000.h5     neighborhoods in order of prefix; parts follow on each other
    RESULT/neighborhoods/borders.h5        those whose files lie in several parts, to be merged in

Everything is written to a temporary folder beside it, which takes its place at the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import atomic, container
from hpcreuse.store.lock import Lock, beside
from hpcreuse.store.records import read_record, write_record
from hpcreuse.store.replacing import tell_of_other_settings
from hpcreuse.store.result_record import RECORD, is_made_by, read_result_record
from hpcreuse.store.shard import cut_sorted
from hpcreuse.version import __version__

FORMAT, VERSION = "hpcreuse result", 1
# Records of other methods name theirs
METHOD = "detect"
MATCH = np.dtype([("position", "<u4"), ("label", "<u4")])
BLOCK_ROWS = 1 << 16


@dataclass(frozen=True)
class FileRows:
    """Files with what was found in them."""

    url: Ragged
    number: NDArray[np.int64]
    """Place of the file in the run's table: the way back to archive and offset."""
    chunks: NDArray[np.int64]
    bad: NDArray[np.int64]
    matches: Ragged
    """Of each file the positions of its bad chunks and the labels they match, as MATCH."""

    def __len__(self) -> int:
        return len(self.number)

    def take(self, order: NDArray[np.integer]) -> "FileRows":
        """Give the rows at these places, in this order."""
        return FileRows(
            self.url.take(order),
            self.number[order],
            self.chunks[order],
            self.bad[order],
            self.matches.take(order),
        )

    @classmethod
    def concatenate(cls, parts: list["FileRows"]) -> "FileRows":
        """Join rows, in order."""
        return cls(
            Ragged.concatenate([p.url for p in parts]),
            np.concatenate([p.number for p in parts]),
            np.concatenate([p.chunks for p in parts]),
            np.concatenate([p.bad for p in parts]),
            Ragged.concatenate([p.matches for p in parts]),
        )

    @classmethod
    def empty(cls) -> "FileRows":
        """Give none."""
        none = np.empty(0, np.int64)
        return cls(Ragged.from_strings([]), none, none, none, Ragged.from_lengths(np.empty(0, MATCH), []))


@dataclass(frozen=True)
class NeighborhoodRows:
    """Neighborhoods with their badness."""

    prefix: Ragged
    files: NDArray[np.int64]
    chunks: NDArray[np.int64]
    bad: NDArray[np.int64]
    badness: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.files)


def write_rows(path: Path, rows: FileRows | NeighborhoodRows) -> None:
    """Write one part."""
    with container.create(path, FORMAT, VERSION, {}) as file:
        for field in fields(rows):
            column = getattr(rows, field.name)
            write = container.write_ragged if isinstance(column, Ragged) else container.write_array
            write(file, field.name, column)


def read_files(path: Path) -> Iterator[FileRows]:
    """Read a part of the files in blocks."""
    with container.open_container(path, FORMAT, VERSION) as file:
        for first in range(0, len(file["number"]), BLOCK_ROWS):
            yield read_file_rows(file, first, min(first + BLOCK_ROWS, len(file["number"])))


def read_files_between(path: Path, low: bytes, high: bytes, most: int) -> FileRows:
    """Read the files of a part whose URLs lie from low up to, but not with, high: the first ones, at most so many."""
    with container.open_container(path, FORMAT, VERSION) as file:
        urls = container.map_ragged(file, "url")
        first, last = cut_sorted(len(urls), urls.__getitem__, low, high)
        return read_file_rows(file, first, min(last, first + most))


def read_file_rows(file: h5py.File, first: int, last: int) -> FileRows:
    """Read rows first to last-1 of an open part of the files."""
    return FileRows(
        container.read_ragged(file, "url", first, last),
        file["number"][first:last],
        file["chunks"][first:last],
        file["bad"][first:last],
        container.read_ragged(file, "matches", first, last),
    )


def read_neighborhoods(path: Path) -> Iterator[NeighborhoodRows]:
    """Read a part of the neighborhoods in blocks."""
    with container.open_container(path, FORMAT, VERSION) as file:
        for first in range(0, len(file["files"]), BLOCK_ROWS):
            last = min(first + BLOCK_ROWS, len(file["files"]))
            yield NeighborhoodRows(
                container.read_ragged(file, "prefix", first, last),
                *(file[name][first:last] for name in ("files", "chunks", "bad", "badness")),
            )


def scratch_folder(path: Path) -> Path:
    """Name the temporary folder in which a result grows; the same for all ranks."""
    return path.with_name(f".{path.name}{atomic.TEMPORARY}")


def begin(path: Path) -> Path:
    """Make the temporary folder; throws away what a killed job left in it."""
    return begin_folder(path, METHOD, ["files", "neighborhoods", "spool"])


def begin_folder(path: Path, method: str, tables: list[str]) -> Path:
    """Make the temporary folder of the result of any method, with a folder per table."""
    if is_halfway(path):
        put_in_place(path)
    must_be_replaceable(path, method, tables)
    scratch = scratch_folder(path)
    atomic.remove(scratch)
    for name in tables:
        (scratch / name).mkdir(parents=True)
    return scratch


def discard(path: Path) -> None:
    """Remove the temporary folder, unless it is whole and waits for its place."""
    scratch = scratch_folder(path)
    if not (scratch / RECORD).exists():
        atomic.remove(scratch)


def must_be_replaceable(path: Path, method: str, tables: list[str]) -> None:
    """Refuse to write the result of a method over anything but a result of the same."""
    if not path.exists():
        return
    try:
        record = read_record(path / RECORD)
    except (FileNotFoundError, NotADirectoryError):
        record = {}
    except StoreError as error:
        way = "run this again with --fresh, or " if is_made_by(path, method, tables) else ""
        raise StoreError(f"{error}: {way}choose another --out") from error
    if not str(record.get("format")).startswith("hpcreuse "):
        raise StoreError(f"{path} exists and is not a result of hpcreuse: choose another --out")
    made_by = record.get("method", METHOD)
    if made_by != method:
        raise StoreError(f"{path} is a result of `hpcreuse {made_by}`: choose another --out, or remove it")


def finish(path: Path, header: dict[str, Any], summary: dict[str, Any]) -> None:
    """Complete a result and put it in its place."""
    record = {"format": FORMAT, "version": VERSION, "header": header, "summary": summary}
    finish_folder(path, record, ["files", "neighborhoods"])


def finish_folder(path: Path, record: dict[str, Any], tables: list[str]) -> None:
    """Complete any kind of result: count its parts, write its record, put it in its place."""
    scratch = scratch_folder(path)
    atomic.remove(scratch / "spool")
    parts = {table: len(list((scratch / table).glob("part-*.h5"))) for table in tables}
    record = {**record, "creator": f"hpcreuse {__version__}", "parts": parts}
    write_record(scratch / RECORD, record, indent=2)
    earlier = read_record(path / RECORD)["header"] if (path / RECORD).exists() else {}
    put_in_place(path)
    tell_of_other_settings(path, earlier, record["header"])


def old_name(path: Path) -> Path:
    """Name where a result stands that is about to be replaced, on file systems where that takes two steps."""
    return path.with_name(f".{path.name}.old{atomic.TEMPORARY}")


def put_in_place(path: Path) -> None:
    """Let the finished temporary folder take the place of an earlier result, so that one of them is always there."""
    scratch, old = scratch_folder(path), old_name(path)
    if not path.exists():
        scratch.replace(path)
    elif atomic.exchange(scratch, path):
        atomic.remove(scratch)
    else:
        atomic.remove(old)
        path.replace(old)
        scratch.replace(path)
    atomic.remove(old)


def is_halfway(path: Path) -> bool:
    """Tell whether a job was killed just when its result took the place of an earlier one: both are whole."""
    return not path.exists() and old_name(path).exists() and (scratch_folder(path) / RECORD).exists()


def is_result(path: Path) -> bool:
    """Tell whether a path is a result; completes one that was left halfway."""
    if is_halfway(path):
        holding = Lock.take(path, beside(path))
        try:
            put_in_place(path)
        finally:
            holding.release()
    return (path / RECORD).exists()


def all_parts(folder: Path, count: int, method: str) -> list[Path]:
    """List the parts of a table, in order.

    Raises StoreError when one is missing: its rows would be missed in silence.
    """
    found = sorted(folder.glob("part-*.h5"))
    if len(found) != count:
        raise StoreError(f"{folder} has {len(found)} of {count} parts: run `hpcreuse {method}` again")
    return found


@dataclass(frozen=True)
class Result:
    """A result that is complete."""

    path: Path
    header: dict[str, Any]
    summary: dict[str, Any]
    part_counts: dict[str, int]

    @classmethod
    def open(cls, path: Path) -> "Result":
        """Open a result made before."""
        if not is_result(path):
            raise StoreError(f"{path} is not a result: make one with `hpcreuse detect RUN --labels LABELS`")
        record = read_result_record(path)
        if (record.get("format"), record.get("version")) != (FORMAT, VERSION):
            raise StoreError(
                f"{path} has format {record.get('format')} version {record.get('version')}, "
                f"this hpcreuse reads {FORMAT} version {VERSION}: run `hpcreuse detect` again"
            )
        return cls(path, record["header"], record["summary"], record["parts"])

    def parts(self, table: str) -> list[Path]:
        """List the parts of `files` or `neighborhoods`, in order."""
        return all_parts(self.path / table, self.part_counts[table], METHOD)

    @property
    def borders(self) -> Path:
        """The neighborhoods that lie across parts."""
        return self.path / "neighborhoods" / "borders.h5"
