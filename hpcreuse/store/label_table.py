"""All labels in memory, or mapped into it: asked digest by digest, exact, with the pages they come from."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.kernels import find_sorted
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.page.options import DigestOptions
from hpcreuse.store import container
from hpcreuse.store.importing import import_list
from hpcreuse.store.labels import Labels


class LabelTable:
    """All labels: exact, and with sources."""

    exact = True

    def __init__(
        self, options: DigestOptions, objects: str, digests: dg.Digests, sources: NDArray[np.integer], pages: Ragged
    ):
        self.options, self.objects = options, objects
        self.digests, self.source_numbers, self.pages = digests, sources, pages

    @classmethod
    def map(cls, path: Path) -> "LabelTable":
        """Map labels into memory; the file need not stay open."""
        with Labels.open(path) as labels:
            digests = container.map_array(labels.file, "digest")
            return cls(
                labels.options, labels.objects, digests, container.map_array(labels.file, "source"), labels.sources
            )

    @classmethod
    def read(cls, path: Path, options: DigestOptions) -> "LabelTable":
        """Read a list of digests."""
        found = import_list(path, options)
        pages = Ragged.concatenate([Ragged.from_strings([b""]), found.pages])
        return cls(found.options, "chunk", found.labels.digests, found.labels.source_numbers, pages)

    def __len__(self) -> int:
        return len(self.digests)

    def find(self, digests: dg.Digests) -> NDArray[np.int64]:
        """Give for each digest the number of its label, -1 for none."""
        return find_sorted(self.digests, digests)

    def sources(self, labels: NDArray[np.int64]) -> list[bytes]:
        """Give the pages that labels come from, as far as known, those of most labels first, then in order."""
        if not len(labels):
            return []
        numbers, counts = np.unique(self.source_numbers[labels], return_counts=True)
        pairs = zip(numbers.tolist(), counts.tolist(), strict=True)
        ranked = sorted((-count, self.pages[number]) for number, count in pairs if number)
        return [url for _, url in ranked]
