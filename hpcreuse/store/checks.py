"""Is a file of ours as it was written? Its metadata, its version, and every byte of its arrays.

HDF5 checks its own metadata when it reads it, so everything is opened once; arrays are held against the
checksums written with them. Only what passed is looked at for sense (`structure.py`): one flipped bit is one line.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from isal import isal_zlib

from hpcreuse.errors import StoreError
from hpcreuse.store import container, counts, filters, findings, labels, result, shard, structure

BLOCK_BYTES = 4 << 20


@dataclass(frozen=True)
class Kind:
    """A format that files can have."""

    version: int
    structure: Callable[[h5py.File], Iterator[str]]
    advice: str


KINDS = {
    shard.FORMAT: Kind(
        shard.VERSION, structure.of_shard, "remove the file and run the same `hpcreuse hash` again to make it anew"
    ),
    counts.FORMAT: Kind(counts.VERSION, structure.of_piece, "run `hpcreuse discover` with --fresh to count again"),
    labels.FORMAT: Kind(labels.VERSION, structure.of_labels, "make the labels again"),
    filters.FORMAT: Kind(filters.VERSION, structure.of_filter, "make the filter again"),
    result.FORMAT: Kind(result.VERSION, structure.of_part, "run `hpcreuse detect` again"),
    findings.FORMAT: Kind(findings.VERSION, structure.of_findings, "run the same command again"),
}


@dataclass
class Checked:
    """What the check of one file found; without problems, also what identifies its content."""

    path: Path
    format: str
    problems: list[str] = field(default_factory=list)
    bytes: int = 0
    header: dict[str, Any] = field(default_factory=dict)
    seal: tuple[tuple[str, tuple[int, ...], int], ...] = ()
    """Names, shapes and checksums of its arrays: equal for equal content, whoever made it."""

    def add(self, what: str) -> None:
        """Note a problem: one line of file, what is wrong, what to do."""
        self.problems.append(f"{self.path}: {one_line(what)}: {KINDS[self.format].advice}")


def check_file(path: Path, format_name: str) -> Checked:
    """Check one HDF5 file; whatever is wrong with it is told, not raised."""
    checked, kind = Checked(path, format_name), KINDS[format_name]
    try:
        checked.bytes = path.stat().st_size
        with container.open_container(path, format_name, kind.version) as file:
            checked.header = container.read_header(file)
            checked.seal = tuple(_check_arrays(file, checked))
            if not checked.problems:
                for what in kind.structure(file):
                    checked.add(what)
    except StoreError as error:
        message = one_line(str(error)).removeprefix(f"{path} ")
        checked.problems.append(f"{path}: {message} ({kind.advice})")
    except container.DAMAGE as error:
        checked.add(f"is damaged ({error})")
    return checked


def _check_arrays(file: h5py.File, checked: Checked) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Hold every array against its checksum."""
    names: list[str] = []
    file.visit(names.append)
    for name in names:
        try:
            dataset = file[name]
            if not isinstance(dataset, h5py.Dataset):
                continue
            expected = dataset.attrs.get("crc32")
            if expected is None:
                checked.add(f"the array {name} has no checksum")
            elif checksum(dataset) != expected:
                checked.add(f"the array {name} is damaged: it does not fit its checksum")
            yield name, dataset.shape, int(-1 if expected is None else expected)
        except container.DAMAGE as error:
            checked.add(f"the array {name} cannot be read ({error})")


def checksum(dataset: h5py.Dataset) -> int:
    """Give the checksum of an array, read in blocks."""
    running = 0
    row_bytes = max(1, dataset.dtype.itemsize * int(np.prod(dataset.shape[1:], dtype=np.int64)))
    rows = max(1, BLOCK_BYTES // row_bytes)
    for first in range(0, len(dataset), rows):
        running = isal_zlib.crc32(np.ascontiguousarray(dataset[first : first + rows]), running)
    return running


def find_format(path: Path) -> str:
    """Tell which of our formats a file has.

    Raises StoreError when it has none or cannot be read.
    """
    try:
        with h5py.File(path, "r", locking=False) as file:
            found = container.text_of(file, "format")
    except container.DAMAGE as error:
        raise StoreError(
            f"{path}: cannot be read as HDF5 ({one_line(str(error))}): it is damaged or was not made by hpcreuse"
        ) from error
    if found not in KINDS:
        raise StoreError(f"{path}: was not made by this hpcreuse (its format is {found or 'not given'})")
    return found


def one_line(text: str) -> str:
    """Put a message on one line."""
    return " ".join(text.split())
