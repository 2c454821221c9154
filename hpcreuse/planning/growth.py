"""How the number of distinct things grows with the number of things: rarefaction inside the sample, Heaps beyond.

The sample is made of units (blocks). A digest found in u of U units is missed by a random choice of k of them with
probability C(U-u, k) / C(U, k): that gives the expected number of distinct digests in any part of the sample
exactly, with copies that stand close together counted as they fall. Beyond the sample it goes on along Heaps' law
D = K n^beta with the slope of the curve's last doubling.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class PerKey(NamedTuple):
    """Of each distinct key how often it occurs, and in how many units."""

    counts: NDArray[np.int64]
    units: NDArray[np.int64]


def per_key(keys: NDArray[np.uint64], unit: NDArray[np.integer]) -> PerKey:
    """Count occurrences of keys, and the units they stand in."""
    order = np.lexsort((unit, keys))
    keys, unit = keys[order], unit[order]
    new_key = np.ones(len(keys), bool)
    new_key[1:] = keys[1:] != keys[:-1]
    new_pair = new_key.copy()
    new_pair[1:] |= unit[1:] != unit[:-1]
    number = np.cumsum(new_key) - 1
    return PerKey(np.bincount(number), np.bincount(number[new_pair]))


@dataclass(frozen=True)
class Growth:
    """Distinct keys as a function of occurrences."""

    occurrences: int
    units: int
    spread: NDArray[np.int64]
    """In how many units a key stands: the values that occur,"""
    keys: NDArray[np.int64]
    """and how many keys have each."""

    @classmethod
    def of(cls, keys: NDArray[np.uint64], unit: NDArray[np.integer], units: int, occurrences: int) -> "Growth":
        """Make it from keys and the unit each stands in; `occurrences` is what the curve goes along."""
        return cls(occurrences, units, *np.unique(per_key(keys, unit).units, return_counts=True))

    @property
    def distinct(self) -> int:
        """How many distinct keys the sample has."""
        return int(self.keys.sum())

    @property
    def beta(self) -> float:
        """Heaps' exponent: the slope of the last doubling of the sample, in logarithms."""
        if self.units < 2 or not self.distinct:
            return 1.0
        return math.log2(self.distinct / self._in_units(self.units / 2))

    def expected(self, occurrences: float) -> float:
        """Give the number of distinct keys to expect among so many occurrences."""
        if occurrences <= 0 or not self.occurrences:
            return 0.0
        part = occurrences / self.occurrences
        if part >= 1:
            return self.distinct * part**self.beta
        units = part * self.units
        return self._in_units(units) if units >= 1 else units * self._in_units(1)

    def _in_units(self, k: float) -> float:
        """Give the expected number of distinct keys in k units chosen at random."""
        missed = np.zeros(len(self.spread))
        rest = self.units - self.spread
        some = rest - k > -1e-9
        log_choose = math.lgamma(self.units + 1) - math.lgamma(self.units - k + 1)
        logs = [math.lgamma(r + 1) - math.lgamma(max(r - k, 0.0) + 1) - log_choose for r in rest[some].tolist()]
        missed[some] = np.exp(logs)
        return float((self.keys * (1 - missed)).sum())
