"""Mean, deviation and threshold over all ranks, exactly: the same bits for any number of ranks.

Values in [0, 1] are taken as multiples of 2^-60. Their sums, and the sums of their squares, are integers
held in limbs that cannot overflow, so the order of addition does not matter; the threshold is compared as an
integer too. Equal values have a deviation of exactly 0.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.fixed import ONE, to_fixed
from hpcreuse.parallel.world import World

LIMB = 30


@dataclass(frozen=True)
class Moments:
    """Count, sum and sum of squares of fixed-point values, as exact integers."""

    count: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Moments":
        """Take the moments of values in [0, 1]."""
        fixed = to_fixed(values)
        high, low = fixed >> LIMB, fixed & ((1 << LIMB) - 1)
        squares = (
            (_exact_sum(high * high) << (2 * LIMB)) + (_exact_sum(high * low) << (LIMB + 1)) + _exact_sum(low * low)
        )
        return cls(len(fixed), _exact_sum(fixed), squares)

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.count + other.count, self.total + other.total, self.squares + other.squares)

    def over_all(self, world: World) -> "Moments":
        """Collective. Add up the moments of all ranks."""
        return sum(world.comm.allgather(self), Moments())

    @property
    def mean(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / (self.count * ONE) if self.count else 0.0

    @property
    def deviation(self) -> float:
        """The population standard deviation; 0 of nothing."""
        if not self.count:
            return 0.0
        # 64 more bits under the root than a float can hold
        return math.isqrt(self._spread << 128) / ((self.count * ONE) << 64)

    @property
    def _spread(self) -> int:
        """The variance, times (count * 2^60) squared."""
        return self.count * self.squares - self.total * self.total


@dataclass(frozen=True)
class Threshold:
    """A bar that values must be strictly above."""

    value: float
    fixed: int

    @classmethod
    def at(cls, value: float) -> "Threshold":
        """Set the bar at a fixed value."""
        return cls(value, math.floor(Fraction(value) * ONE + Fraction(1, 2)))

    @classmethod
    def from_moments(cls, moments: Moments, sigma: float) -> "Threshold":
        """Set the bar at mean + sigma deviations."""
        if not moments.count:
            return cls(0.0, 0)
        factor = Fraction(str(sigma))
        square = factor.numerator**2 * moments._spread
        # Rounded down, also below zero: whole numbers are above the floor of a bar if they are above the bar
        root = math.isqrt(square)
        if factor < 0:
            root = -root if root * root == square else -root - 1
        fixed = (moments.total * factor.denominator + root) // (moments.count * factor.denominator)
        return cls(moments.mean + sigma * moments.deviation, fixed)

    def above(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which values are above the bar."""
        return to_fixed(values) > self.fixed


def _exact_sum(values: NDArray[np.int64]) -> int:
    """Add up integers up to 2^60 without overflow, for up to 2^33 of them."""
    return (int((values >> LIMB).sum()) << LIMB) + int((values & ((1 << LIMB) - 1)).sum())
