"""Collects the pages of a partition and writes them as a shard."""

from array import array
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged, sort_order
from hpcreuse.store import container
from hpcreuse.store.shard import FORMAT, INDEX_BITS, VERSION
from hpcreuse.store.text_writer import TextWriter

# What a chunk costs while it is collected and, at the end, sorted (measured as peak, not as stored)
BYTES_PER_CHUNK = 140
BYTES_PER_FILE = 500


class ShardWriter:
    """Collects pages in crawl order; `write` sorts their digests and writes the shard."""

    def __init__(self, width: int, text: bool = False):
        self.width = width
        self.text = TextWriter() if text else None
        """Of a run that keeps the words of its pages."""
        self.urls: list[bytes] = []
        self.directories: list[bytes] = []
        self.archives: list[bytes] = []
        self.mimes: list[bytes] = []
        self.offsets = array("q")
        self.lengths = array("q")
        self.chunk_counts = array("q")
        self.file_digests = bytearray()
        self.chunk_digests = bytearray()
        self.chunk_offsets = bytearray()
        self.chunk_lengths = bytearray()
        self.quarantine: list[tuple[bytes, int, bytes, bytes]] = []
        self._string_bytes = 0

    def add_page(self, url: str, directory: str, archive: str, offset: int, length: int, mime: str) -> None:
        """Note a file; `add_digests` must follow."""
        self.urls.append(to_bytes(url))
        self.directories.append(to_bytes(directory))
        self.archives.append(to_bytes(archive))
        self.mimes.append(to_bytes(mime))
        self.offsets.append(offset)
        self.lengths.append(length)
        self._string_bytes += len(url) + len(directory)

    def add_digests(self, file: bytes, chunks: bytes, offsets: NDArray, lengths: NDArray) -> None:
        """Note the digests of the file added last."""
        self.file_digests += file
        self.chunk_counts.append(len(offsets))
        self.chunk_digests += chunks
        self.chunk_offsets += offsets.tobytes()
        self.chunk_lengths += lengths.tobytes()

    def add_quarantined(self, archive: str, offset: int, url: str, reason: str) -> None:
        """Note what could not be read."""
        self.quarantine.append((to_bytes(archive), offset, to_bytes(url), to_bytes(reason)))

    @property
    def nbytes(self) -> int:
        """Estimate the memory that collecting and writing will take."""
        chunks = len(self.chunk_digests) // self.width
        files = len(self.urls) + len(self.quarantine)
        text = self.text.nbytes if self.text else 0
        return chunks * BYTES_PER_CHUNK + files * BYTES_PER_FILE + 3 * self._string_bytes + text

    def write(self, path: Path, header: dict[str, Any]) -> None:
        """Write everything collected as one shard, atomically."""
        with container.create(path, FORMAT, VERSION, header) as file:
            self._write_files(file.create_group("files"))
            for name in ("directories", "archives", "mimes"):
                self._write_distinct_strings(file, name)
            self._write_chunks(file)
            self._write_quarantine(file.create_group("quarantine"))
            if self.text:
                self.text.write(file.create_group("text"))

    def _write_files(self, group: Any) -> None:
        container.write_array(group, "digest", dg.from_bytes(self.file_digests, self.width))
        container.write_ragged(group, "url", Ragged.from_strings(self.urls))
        container.write_array(group, "by_url", sort_order(self.urls).astype(np.uint32))
        container.write_array(group, "offset", np.array(self.offsets, np.int64))
        container.write_array(group, "length", np.array(self.lengths, np.int64))
        starts = np.concatenate([[0], np.cumsum(np.array(self.chunk_counts, np.int64))])
        container.write_array(group, "chunk_start", starts.astype(np.int64))

    def _write_distinct_strings(self, file: Any, name: str) -> None:
        """Write a column of strings with many repeats: the distinct ones, and a number for each file."""
        column: list[bytes] = getattr(self, name)
        distinct = sorted(set(column))
        number = {string: i for i, string in enumerate(distinct)}
        container.write_ragged(file, name, Ragged.from_strings(distinct))
        numbers = np.array([number[string] for string in column], np.uint32)
        singular = {"directories": "directory", "archives": "archive", "mimes": "mime"}[name]
        container.write_array(file["files"], singular, numbers)

    def _write_chunks(self, file: Any) -> None:
        chunks, distinct = file.create_group("chunks"), file.create_group("distinct")
        lengths = np.frombuffer(self.chunk_lengths, np.uint32)
        found = dg.number(dg.from_bytes(self.chunk_digests, self.width), lengths)
        container.write_array(chunks, "number", found.numbers)
        container.write_array(chunks, "offset", np.frombuffer(self.chunk_offsets, np.uint32))
        container.write_array(chunks, "length", lengths)
        container.write_array(distinct, "digest", found.digests)
        container.write_array(distinct, "count", found.counts)
        container.write_array(distinct, "length", found.lengths)
        container.write_array(distinct, "index", prefix_index(found.digests))

    def _write_quarantine(self, group: Any) -> None:
        archives, offsets, urls, reasons = zip(*self.quarantine, strict=True) if self.quarantine else ((),) * 4
        container.write_ragged(group, "archive", Ragged.from_strings(archives))
        container.write_array(group, "offset", np.array(offsets, np.int64))
        container.write_ragged(group, "url", Ragged.from_strings(urls))
        container.write_ragged(group, "reason", Ragged.from_strings(reasons))


def prefix_index(sorted_digests: dg.Digests) -> NDArray[np.int64]:
    """Give the row where each prefix of INDEX_BITS bits starts, and the number of rows at the end."""
    prefixes = dg.prefixes(sorted_digests) >> np.uint64(64 - INDEX_BITS)
    return np.searchsorted(prefixes, np.arange((1 << INDEX_BITS) + 1, dtype=np.uint64)).astype(np.int64)


def to_bytes(text: str) -> bytes:
    """Encode for storage; file names that are not UTF-8 keep their bytes."""
    return text.encode("utf-8", "surrogateescape")
