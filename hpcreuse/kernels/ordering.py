"""Orders of rows by 64-bit keys.

NumPy sorts plain numbers with SIMD, many times faster than it finds an order. So the number of its row takes the place
of the low bits of each key, and one sort brings the order along; what these bits would have told is settled afterwards,
where high bits tie.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


class Groups(NamedTuple):
    """Equal rows brought together: `order[starts[g]:starts[g + 1]]` are the rows of group g, rising."""

    order: Rows
    starts: Rows

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many rows each group has."""
        return np.diff(self.starts, append=len(self.order))


def group_numbers(numbers: NDArray[np.uint64]) -> Groups:
    """Sort numbers that are spread over all 64 bits, as hashes are, and find where each distinct one starts."""
    return group_rows(
        numbers.copy(),
        lambda some, others: numbers[some] != numbers[others],
        lambda rows: np.argsort(numbers[rows], kind="stable"),
    )


def group_rows(
    keys: NDArray[np.uint64], differ: Callable[[Rows, Rows], NDArray[np.bool_]], sort: Callable[[Rows], Rows]
) -> Groups:
    """Sort rows and find where each distinct one starts.

    Args:
        keys: rise as the rows do, but may be equal for different ones; used up.
        differ: tells which of some rows differ from others.
        sort: gives the order of some rows, equal ones as they come; needed where keys clash.
    """
    bits = sort_packed(keys)
    order = (keys & ((np.uint64(1) << bits) - np.uint64(1))).view(np.int64)
    keys >>= bits
    tied = np.flatnonzero(keys[1:] == keys[:-1])
    different = differ(order[tied], order[tied + 1])
    if different.any():
        clashing = _places_of(keys, keys[tied[different]])
        rows = order[clashing]
        order[clashing] = rows[sort(rows)]
        different = differ(order[tied], order[tied + 1])
    first = np.ones(len(order), bool)
    first[tied[~different] + 1] = False
    return Groups(order, np.flatnonzero(first))


def sort_packed(keys: NDArray[np.uint64]) -> np.uint64:
    """Put the number of its row in place of the low bits of each key and sort, all in place; tell how many bits."""
    bits = np.uint64(max(1, len(keys) - 1).bit_length())
    keys &= ~((np.uint64(1) << bits) - np.uint64(1))
    keys |= np.arange(len(keys), dtype=np.uint64)
    keys.sort()
    return bits


def _places_of(ordered: NDArray[np.uint64], values: NDArray[np.uint64]) -> Rows:
    """Find all places of some values among sorted ones."""
    values = np.unique(values)
    first = np.searchsorted(ordered, values)
    lengths = np.searchsorted(ordered, values, side="right") - first
    return np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def order_small(numbers: NDArray[np.integer]) -> Rows:
    """Give the order that sorts numbers, equal ones as they come; the largest times their count must be below 2^63."""
    bits = np.uint64(max(1, len(numbers) - 1).bit_length())
    packed = numbers.astype(np.uint64) << bits
    packed |= np.arange(len(numbers), dtype=np.uint64)
    packed.sort()
    return (packed & ((np.uint64(1) << bits) - np.uint64(1))).view(np.int64)
