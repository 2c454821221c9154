"""Labels while they are made: pieces in order of digest, and pieces of their sources in order of URL, on disk.

Each rank writes the pieces of its own ranges; one then puts them together block by block.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store import container
from hpcreuse.store.counts import Histogram
from hpcreuse.store.labels import create_labels
from hpcreuse.store.shard import Counted
from hpcreuse.store.sourced import Sourced

FORMAT, VERSION = "hpcreuse label piece", 1
BLOCK_ROWS = 1 << 18

# Per source: whether a label has it, and its number among those that have one
BYTES_PER_SOURCE = 9


class Written(NamedTuple):
    """What came of the pieces."""

    labels: int
    sources: int


@dataclass(frozen=True)
class LabelPieces:
    """The pieces in a folder."""

    folder: Path

    def add_sources(self, number: int, urls: Ragged) -> None:
        """Keep the sources of a range of URLs."""
        with container.create(self.folder / f"sources-{number:06d}.h5", FORMAT, VERSION, {}) as file:
            container.write_ragged(file, "sources", urls)

    def add_labels(self, number: int, labels: Sourced) -> None:
        """Keep the labels of a range of digests."""
        with container.create(self.folder / f"labels-{number:06d}.h5", FORMAT, VERSION, {}) as file:
            container.write_array(file, "digest", labels.digests)
            container.write_array(file, "count", labels.counts)
            container.write_array(file, "length", labels.known_lengths)
            container.write_array(file, "source", labels.source_numbers)

    def write(self, out: Path, header: dict[str, Any], width: int, histogram: Histogram, memory: int) -> Written:
        """Put the pieces together; pages that are the source of no label are left out if memory allows to tell."""
        total = sum(len(labels) for labels, _ in self._labels())
        renumber = Renumbering.of(self, memory)
        kept = [(len(block), len(block.values)) for block in self._sources(renumber)]
        sources, source_bytes = (sum(sizes) for sizes in zip((0, 0), *kept, strict=True))
        with create_labels(out, header, total, width, histogram, sources, source_bytes) as writer:
            for labels, numbers in self._labels():
                writer.append(labels, renumber(numbers))
            for block in self._sources(renumber):
                writer.append_sources(block)
        return Written(total, sources)

    def _labels(self) -> Iterator[tuple[Counted, NDArray[np.int64]]]:
        """Read labels in order, with the numbers of their sources."""
        for path in sorted(self.folder.glob("labels-*.h5")):
            with container.open_container(path, FORMAT, VERSION) as file:
                for first in range(0, len(file["count"]), BLOCK_ROWS):
                    rows = slice(first, first + BLOCK_ROWS)
                    columns = [file[name][rows] for name in ("digest", "count", "length", "source")]
                    yield Counted(*columns[:3]), columns[3]

    def _sources(self, renumber: "Renumbering") -> Iterator[Ragged]:
        """Read the sources that are kept, in order."""
        first = 1
        for path in sorted(self.folder.glob("sources-*.h5")):
            with container.open_container(path, FORMAT, VERSION) as file:
                rows = len(file["sources_offsets"]) - 1
                for start in range(0, rows, BLOCK_ROWS):
                    block = container.read_ragged(file, "sources", start, min(start + BLOCK_ROWS, rows))
                    yield renumber.kept(block, first)
                    first += len(block)

    def count_sources(self) -> int:
        """Count all sources."""
        rows = 0
        for path in self.folder.glob("sources-*.h5"):
            with container.open_container(path, FORMAT, VERSION) as file:
                rows += len(file["sources_offsets"]) - 1
        return rows

    def mark_sources(self, used: NDArray[np.bool_]) -> None:
        """Mark the sources that a label has."""
        for _, numbers in self._labels():
            used[numbers] = True


@dataclass(frozen=True)
class Renumbering:
    """Numbers of sources without those that no label has; None leaves all as they are."""

    used: NDArray[np.bool_] | None
    new: NDArray[np.int64] | None

    @classmethod
    def of(cls, pieces: LabelPieces, memory: int) -> "Renumbering":
        """Find out which sources are used, if that fits into the memory."""
        count = pieces.count_sources()
        if count * BYTES_PER_SOURCE > memory // 2:
            return cls(None, None)
        used = np.zeros(count + 1, bool)
        pieces.mark_sources(used)
        used[0] = True
        return cls(used, np.cumsum(used) - 1)

    def __call__(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the new numbers."""
        return numbers if self.new is None else self.new[numbers]

    def kept(self, sources: Ragged, first: int) -> Ragged:
        """Give those of some sources, the first of which has this number, that are used."""
        if self.used is None:
            return sources
        return sources.take(np.flatnonzero(self.used[first : first + len(sources)]))
