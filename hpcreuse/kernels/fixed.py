"""Numbers of [0, 1] as integers, so that sums and comparisons are exact."""

import numpy as np
from numpy.typing import NDArray

BITS = 60
ONE = 1 << BITS


def to_fixed(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give values of [0, 1] as multiples of 2^-60."""
    return np.rint(values * float(ONE)).astype(np.int64)
