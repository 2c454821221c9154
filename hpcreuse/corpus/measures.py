"""How similar two sets are, and what a threshold of similarity says about their sizes before they are compared."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import overlaps
from hpcreuse.kernels.ragged import Ragged

# Rounding must never rule a pair out: an element more does no harm
SLACK = 1e-9

Sizes = NDArray[np.int64]
Amounts = NDArray[np.floating]


@dataclass(frozen=True)
class Measure(ABC):
    """A similarity of sets with the threshold from which on they count as similar."""

    threshold: float

    @abstractmethod
    def needed(self, a: Sizes, b: Sizes) -> Amounts:
        """Give how many elements sets of these sizes must share to reach the threshold."""

    @property
    @abstractmethod
    def smallest(self) -> float:
        """The size that a set similar to another has at least, as a share of the other's; it shares all of itself."""

    @abstractmethod
    def similarity(self, shared: Sizes, a: Sizes, b: Sizes) -> Amounts:
        """Give the similarity of sets of these sizes that share so many elements."""

    def of_pairs(self, a: Ragged, a_places: Sizes, b: Ragged, b_places: Sizes) -> Amounts:
        """Give the similarity of sets a[a_places] and b[b_places], pair by pair; sets are sorted."""
        shared = overlaps(a.values, a.offsets, a_places, b.values, b.offsets, b_places)
        return self.similarity(shared, a.lengths[a_places], b.lengths[b_places])

    def prefix(self, size: Sizes) -> Sizes:
        """Give how many elements of a set must be looked at: those it could lack in common with a partner, and one."""
        return size - np.ceil(self.smallest * size - SLACK).astype(np.int64) + 1

    def entries(self, elements: int, sets: int) -> int:
        """Give how many elements so many sets with so many elements have in their prefixes at most."""
        return int((1 - self.smallest) * elements) + sets

    def largest(self, size: Sizes) -> Sizes:
        """Give the size of the largest partner."""
        return np.floor(size / self.smallest + SLACK).astype(np.int64)


class Jaccard(Measure):
    """Shared elements as a part of all."""

    @property
    def smallest(self) -> float:
        """See Measure."""
        return self.threshold

    def needed(self, a: Sizes, b: Sizes) -> Amounts:
        """See Measure."""
        shared: Amounts = self.threshold / (1 + self.threshold) * (a + b)
        return shared

    def similarity(self, shared: Sizes, a: Sizes, b: Sizes) -> Amounts:
        """See Measure."""
        similar: Amounts = shared / np.maximum(a + b - shared, 1)
        return similar


class Cosine(Measure):
    """The cosine of the angle between sets taken as vectors of zeros and ones."""

    @property
    def smallest(self) -> float:
        """See Measure."""
        return self.threshold**2

    def needed(self, a: Sizes, b: Sizes) -> Amounts:
        """See Measure."""
        return self.threshold * np.sqrt(a * b)

    def similarity(self, shared: Sizes, a: Sizes, b: Sizes) -> Amounts:
        """See Measure."""
        similar: Amounts = shared / np.sqrt(np.maximum(a * b, 1))
        return similar
