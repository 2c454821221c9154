"""Ratios that can be added up exactly: `contains` as a fixed-point number in two limbs.

A ratio is high * 2^-30 + low * 2^-60, each limb an integer, so that sums over billions of files neither
overflow nor depend on the order of addition.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LIMB = 30


class Limbs(NamedTuple):
    """Ratios, or sums of ratios, in two limbs."""

    high: NDArray[np.int64]
    low: NDArray[np.int64]


def to_limbs(bad: NDArray[np.int64], chunks: NDArray[np.int64]) -> Limbs:
    """Divide, rounding down at 2^-60; nothing divided by nothing is 0."""
    divisor = np.maximum(chunks, 1)
    high, rest = np.divmod(bad << LIMB, divisor)
    return Limbs(high, (rest << LIMB) // divisor)


def mean_of(sums: Limbs, count: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide sums by how many were added, to within 2^-60 and the rounding of a double."""
    high, rest = np.divmod(sums.high, count)
    low = ((rest << LIMB) + sums.low) // count
    return ((high << LIMB) + low).astype(np.float64) * 2.0 ** -(2 * LIMB)


def ratio(bad: NDArray[np.int64], chunks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide in double precision; nothing divided by nothing is 0."""
    return bad / np.maximum(chunks, 1)
