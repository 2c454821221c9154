"""Labels on the way to their file: counted digests that know the page they come from."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hpcreuse.store.labels import UNKNOWN_LENGTH
from hpcreuse.store.shard import Counted

# No length, no source: larger than any that is known, so that what is known wins
UNKNOWN = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Sourced(Counted):
    """Counted digests with sources: of several lengths and of several sources the smallest counts."""

    sources: NDArray[np.int64]
    """Numbers of pages in an order of URLs, or UNKNOWN."""
    taken: NDArray[np.int64]
    """1 for what is to be subtracted."""

    REDUCE: ClassVar[str] = "+<<>"

    @classmethod
    def of(cls, counted: Counted, sources: NDArray[np.int64], taken: bool = False) -> Self:
        """Add sources to counted digests; those to be taken away count for nothing."""
        lengths = np.where(counted.lengths == UNKNOWN_LENGTH, UNKNOWN, counted.lengths.astype(np.int64))
        counts = np.zeros(len(counted), np.int64) if taken else counted.counts
        return cls(counted.digests, counts, lengths, sources, np.full(len(counted), taken, np.int64))

    @property
    def known_lengths(self) -> NDArray[np.int64]:
        """The lengths as they are stored."""
        return np.where(self.lengths == UNKNOWN, UNKNOWN_LENGTH, self.lengths)

    @property
    def source_numbers(self) -> NDArray[np.int64]:
        """The sources as they are stored: counted from 1, 0 is none."""
        return np.where(self.sources == UNKNOWN, 0, self.sources + 1)
