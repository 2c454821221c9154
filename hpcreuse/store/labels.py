"""Labels: the set L of labelled digests, in one HDF5 file that can be pushed to where it is needed.

digest, count, length    sorted by digest, contiguous
source                   number in `sources` of the page a label comes from; number 0 is "none"
sources                  the pages, sorted
histogram/               duplicates, objects
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from hpcreuse.errors import StoreError
from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.options import DigestOptions
from hpcreuse.store import container
from hpcreuse.store.counts import Histogram
from hpcreuse.store.replacing import tell_of_other_settings
from hpcreuse.store.shard import Counted

FORMAT, VERSION = "hpcreuse labels", 1

# Length of a label that came as a bare digest
UNKNOWN_LENGTH = -1


@dataclass
class LabelsWriter:
    """Takes labels in digest order and their sources in order, block by block, so that no process holds all."""

    file: h5py.File
    rows: int = 0
    strings: int = 1
    """How many sources there are so far; the first is "none"."""
    string_bytes: int = 0

    def append(self, labels: Counted, sources: NDArray[np.integer] | None = None) -> None:
        """Add labels that follow those added before; without sources they come from none."""
        numbers = np.zeros(len(labels), np.uint32) if sources is None else sources.astype(np.uint32)
        columns: dict[str, NDArray] = {
            "digest": labels.digests,
            "count": labels.counts,
            "length": labels.lengths,
            "source": numbers,
        }
        for name, column in columns.items():
            self._extend(name, self.rows, column)
        self.rows += len(labels)

    def append_sources(self, sources: Ragged) -> None:
        """Add pages that follow, bytewise, those added before."""
        self._extend("sources", self.string_bytes, sources.values)
        self._extend("sources_offsets", self.strings + 1, sources.offsets[1:] + self.string_bytes)
        self.strings += len(sources)
        self.string_bytes += len(sources.values)

    def _extend(self, name: str, first: int, column: NDArray) -> None:
        dataset = self.file[name]
        dataset[first : first + len(column)] = column
        column = np.ascontiguousarray(column, dataset.dtype)
        dataset.attrs["crc32"] = isal_zlib.crc32(column, dataset.attrs["crc32"])


@contextmanager
def create_labels(
    path: Path,
    header: dict[str, Any],
    total: int,
    width: int,
    histogram: Histogram,
    sources: int = 0,
    source_bytes: int = 0,
) -> Iterator[LabelsWriter]:
    """Create a file of `total` labels from so many sources, atomically.

    The header holds options, objects and provenance.
    """
    earlier: dict[str, Any] = {}
    if path.exists():
        with Labels.open(path) as labels:
            earlier = labels.header
    with container.create(path, FORMAT, VERSION, header) as file:
        for name, shape, dtype in (
            ("digest", (total, width), np.uint8),
            ("count", (total,), np.int64),
            ("length", (total,), np.int64),
            ("source", (total,), np.uint32),
            ("sources", (source_bytes,), np.uint8),
            ("sources_offsets", (sources + 2,), np.int64),
        ):
            file.create_dataset(name, shape, dtype).attrs["crc32"] = 0
        group = file.create_group("histogram")
        container.write_array(group, "duplicates", histogram.duplicates)
        container.write_array(group, "objects", histogram.objects)
        writer = LabelsWriter(file)
        # The first source, "none", is the empty string
        writer._extend("sources_offsets", 0, np.zeros(2, np.int64))
        yield writer
        assert writer.rows == total, "the number of labels was announced wrongly"
        assert (writer.strings, writer.string_bytes) == (sources + 1, source_bytes), "that of sources was"
    tell_of_other_settings(path, earlier, header)


def must_be_replaceable(path: Path) -> None:
    """Refuse to write labels over anything but labels."""
    if not path.exists():
        return
    try:
        with Labels.open(path):
            pass
    except StoreError:
        raise StoreError(f"{path} exists and is not labels of hpcreuse: choose another --out") from None


class Labels:
    """Labels opened for reading."""

    def __init__(self, file: h5py.File):
        self.file = file
        self.header = container.read_header(file)
        self.options = DigestOptions.from_record(self.header["digest_options"])
        self.objects: str = self.header["objects"]

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator["Labels"]:
        """Open a file of labels, checked for format and version."""
        with container.open_container(path, FORMAT, VERSION) as file:
            yield cls(file)

    def __len__(self) -> int:
        return len(self.file["count"])

    def digests(self, first: int = 0, last: int | None = None) -> dg.Digests:
        """Read digests in order."""
        rows: dg.Digests = self.file["digest"][first:last]
        return rows

    @property
    def sources(self) -> Ragged:
        """The pages labels come from, mapped into memory; the first is "none"."""
        return container.map_ragged(self.file, "sources")

    def counted(self, first: int = 0, last: int | None = None) -> Counted:
        """Read labels in order, with counts and lengths."""
        return Counted(*(self.file[name][first:last] for name in ("digest", "count", "length")))


def must_fit(labels: Labels, options: DigestOptions, labels_path: str | Path, run_path: Path) -> None:
    """Refuse labels made with other digest options than the run: they would never match."""
    if difference := labels.options.differences(options):
        raise StoreError(
            f"the labels {labels_path} and the run {run_path} were made with different digest options "
            f"({difference}) and never match: make one of them anew"
        )
