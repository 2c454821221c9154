"""A filter: labels made small, to be pushed to crawlers. It never misses a label, and rarely takes another for one.

A Bloom filter in segments: the head of a digest chooses the segment, so that labels, which come in order, fill one
segment after the other and a look touches only one. 24 bits a label give one false answer in about 100,000; the
digest itself serves as hash values, since it is uniform.
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
from hpcreuse.store import container
from hpcreuse.store.labels import Labels
from hpcreuse.store.shard import cut_sorted

FORMAT, VERSION = "hpcreuse filter", 1

BITS_PER_LABEL = 24
HASHES = 17
LABELS_PER_SEGMENT = 1 << 16


@dataclass(frozen=True)
class Shape:
    """How a filter is laid out."""

    segments: int
    bits: int
    """Of a segment; a multiple of 8."""

    @classmethod
    def for_labels(cls, count: int) -> "Shape":
        """Choose the layout for so many labels."""
        segments = max(1, -(-count // LABELS_PER_SEGMENT))
        return cls(segments, max(64, -(-BITS_PER_LABEL * count // (8 * segments)) * 8))

    def segment_of(self, digests: dg.Digests) -> NDArray[np.int64]:
        """Tell the segment of each digest: segments follow the order of digests."""
        head = np.ascontiguousarray(digests[:, :4]).view(">u4").reshape(-1).astype(np.uint64)
        return (head * np.uint64(self.segments) >> np.uint64(32)).astype(np.int64)

    def places(self, digests: dg.Digests) -> NDArray[np.int64]:
        """Give the HASHES bits of each digest in its segment, a row for each."""
        words = np.ascontiguousarray(digests[:, 4:20]).view(">u8").astype(np.uint64)
        first, step = words[:, :1] % np.uint64(self.bits), words[:, 1:] % np.uint64(self.bits - 1) + np.uint64(1)
        numbers = np.arange(HASHES, dtype=np.uint64)
        return ((first + step * numbers) % np.uint64(self.bits)).astype(np.int64)

    def first_head(self, segment: int) -> bytes:
        """Give the smallest first four bytes of a digest of a segment."""
        return (-(-(segment << 32) // self.segments)).to_bytes(5, "big")[1:]


def write_filter(labels_path: Path, out: Path) -> None:
    """Write the filter of labels, segment by segment."""
    with Labels.open(labels_path) as labels:
        shape, digests = Shape.for_labels(len(labels)), labels.file["digest"]
        header = {
            **labels.header,
            "labels": len(labels),
            "labels_crc32": int(digests.attrs["crc32"]),
            "hashes": HASHES,
        }
        with container.create(out, FORMAT, VERSION, header) as file:
            bits = file.create_dataset("bits", (shape.segments, shape.bits // 8), np.uint8)
            checksum, first = 0, 0
            for segment in range(shape.segments):
                high = shape.first_head(segment + 1) if segment + 1 < shape.segments else None
                _, last = cut_sorted(len(labels), lambda row: digests[row].tobytes(), None, high)
                marks = np.zeros(shape.bits, bool)
                marks[shape.places(digests[first:last]).ravel()] = True
                row = np.packbits(marks)
                bits[segment] = row
                checksum, first = isal_zlib.crc32(row, checksum), last
            bits.attrs["crc32"] = checksum


def must_be_replaceable(path: Path) -> None:
    """Refuse to write a filter over anything but a filter."""
    if not path.exists():
        return
    try:
        with open_filter(path):
            pass
    except StoreError:
        raise StoreError(f"{path} exists and is not a filter of hpcreuse: choose another --out") from None


@contextmanager
def open_filter(path: Path) -> Iterator[h5py.File]:
    """Open a filter, checked for format and version."""
    with container.open_container(path, FORMAT, VERSION) as file:
        yield file


class Filter:
    """A filter mapped into memory; it needs no open file."""

    def __init__(self, path: Path):
        with open_filter(path) as file:
            self.header: dict[str, Any] = container.read_header(file)
            self.bits: NDArray[np.uint8] = container.map_array(file, "bits")
        segments, row_bytes = self.bits.shape
        self.shape = Shape(segments, 8 * row_bytes)

    def __len__(self) -> int:
        labels: int = self.header["labels"]
        return labels

    def may_hold(self, digests: dg.Digests) -> NDArray[np.bool_]:
        """Tell of each digest whether it may be a label; what is not is none for certain."""
        places = self.shape.places(digests)
        octets = self.bits[self.shape.segment_of(digests)[:, None], places >> 3]
        held: NDArray[np.bool_] = (octets >> (7 - (places & 7)).astype(np.uint8) & 1).all(axis=1)
        return held
