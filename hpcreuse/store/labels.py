"""Labels: the set L of labelled digests, in one HDF5 file that can be pushed to where it is needed.

digest, count, length    sorted by digest, contiguous
source                   number in `sources` of the page a label comes from; number 0 is "none"
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
from hpcreuse.store.shard import Counted

FORMAT, VERSION = "hpcreuse labels", 1


@dataclass
class LabelsWriter:
    """Takes labels in digest order, block by block, so that no process holds all."""

    file: h5py.File
    rows: int = 0

    def append(self, labels: Counted, sources: NDArray[np.integer] | None = None) -> None:
        """Add labels that follow those added before; without sources they come from none."""
        first, last = self.rows, self.rows + len(labels)
        numbers = np.zeros(len(labels), np.uint32) if sources is None else sources.astype(np.uint32)
        columns = {
            "digest": labels.digests,
            "count": labels.counts,
            "length": labels.lengths,
            "source": numbers,
        }
        for name, column in columns.items():
            dataset = self.file[name]
            dataset[first:last] = column
            dataset.attrs["crc32"] = isal_zlib.crc32(np.ascontiguousarray(column), dataset.attrs["crc32"])
        self.rows = last


@contextmanager
def create_labels(
    path: Path,
    header: dict[str, Any],
    total: int,
    width: int,
    histogram: Histogram,
    sources: list[str] | None = None,
) -> Iterator[LabelsWriter]:
    """Create a file of `total` labels, atomically; the header holds options, objects and provenance."""
    with container.create(path, FORMAT, VERSION, header) as file:
        for name, shape, dtype in (
            ("digest", (total, width), np.uint8),
            ("count", (total,), np.int64),
            ("length", (total,), np.int64),
            ("source", (total,), np.uint32),
        ):
            file.create_dataset(name, shape, dtype).attrs["crc32"] = 0
        strings = [b""] + [source.encode("utf-8", "surrogateescape") for source in sources or []]
        container.write_ragged(file, "sources", Ragged.from_strings(strings))
        group = file.create_group("histogram")
        container.write_array(group, "duplicates", histogram.duplicates)
        container.write_array(group, "objects", histogram.objects)
        writer = LabelsWriter(file)
        yield writer
        assert writer.rows == total, "the number of labels was announced wrongly"


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
        """The pages labels come from; the first is "none"."""
        return container.read_ragged(self.file, "sources")
