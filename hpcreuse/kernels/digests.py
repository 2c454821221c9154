"""Arrays of digests: sort and find by the 64-bit prefix, settle ties with the rest.

A digest array is a C-contiguous `uint8` array of shape (n, width); its order is bytewise.
NumPy sorts 64-bit keys with SIMD, so the prefix does the work; it never decides: equality is
always on the full digest.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Digests = NDArray[np.uint8]


class Groups(NamedTuple):
    """Equal digests brought together: `order[starts[g]:starts[g + 1]]` are the rows of group g."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]


def empty(width: int) -> Digests:
    """Give an array of no digests."""
    return np.empty((0, width), np.uint8)


def from_bytes(data: bytes | bytearray, width: int) -> Digests:
    """View concatenated digests as a digest array."""
    return np.frombuffer(data, np.uint8).reshape(-1, width)


def prefixes(digests: Digests) -> NDArray[np.uint64]:
    """Read the first 8 bytes of each digest as a number that sorts as the bytes do."""
    row = np.dtype([("head", ">u8"), ("rest", np.void, digests.shape[1] - 8)])
    return np.ascontiguousarray(digests).view(row).reshape(-1)["head"].astype(np.uint64)


def group(digests: Digests) -> Groups:
    """Sort digests, equal ones in the order of their rows, and find where each distinct one starts.

    The row number takes the place of the low bits of the prefix: one sort of plain numbers, which SIMD does many
    times faster than it finds an order, and nothing else to be kept. The bits it takes are settled with the ties.
    """
    packed = prefixes(digests)
    bits = np.uint64(max(1, len(packed) - 1).bit_length())
    rows = (np.uint64(1) << bits) - np.uint64(1)
    packed &= ~rows
    packed |= np.arange(len(packed), dtype=np.uint64)
    packed.sort()
    tied = np.flatnonzero((packed[1:] ^ packed[:-1]) <= rows)
    order = (packed & rows).view(np.int64)
    differs = _differ(digests, order, tied)
    if differs.any():
        order = _settle_ties(digests, packed >> bits, order, packed[tied[differs]] >> bits)
        differs = _differ(digests, order, tied)
    first = np.ones(len(order), bool)
    first[tied[~differs] + 1] = False
    return Groups(order, np.flatnonzero(first))


def _differ(digests: Digests, order: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell where a digest differs from the one behind it in an order."""
    differ: NDArray[np.bool_] = np.any(digests[order[places]] != digests[order[places + 1]], axis=1)
    return differ


def _settle_ties(
    digests: Digests, keys: NDArray[np.uint64], order: NDArray[np.int64], clashing: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Order by the full digest where different digests share a key (only an adversary makes many)."""
    places = np.flatnonzero(np.isin(keys, clashing))
    rows = order[places]
    columns = [digests[rows, j] for j in reversed(range(digests.shape[1]))]
    settled = order.copy()
    settled[places] = rows[np.lexsort(columns)]
    return settled


def find(table: Digests, queries: Digests) -> NDArray[np.int64]:
    """Give for each query its row in a sorted table of distinct digests, or -1."""
    found = np.full(len(queries), -1, np.int64)
    if not len(table) or not len(queries):
        return found
    table_keys, query_keys = prefixes(table), prefixes(queries)
    place = np.searchsorted(table_keys, query_keys)
    open_ = np.flatnonzero(place < len(table))
    # One turn settles all but digests that share their prefix with others
    while len(open_):
        at = place[open_]
        alive = table_keys[at] == query_keys[open_]
        open_, at = open_[alive], at[alive]
        hit = np.all(table[at] == queries[open_], axis=1)
        found[open_[hit]] = at[hit]
        open_ = open_[~hit]
        place[open_] += 1
        open_ = open_[place[open_] < len(table)]
    return found


def find_among(table: Digests, queries: Digests) -> NDArray[np.int64]:
    """Do what `find` does for queries that are sorted and distinct too: the fewer are looked up among the more."""
    if len(queries) <= len(table):
        return find(table, queries)
    places = find(queries, table)
    found = np.full(len(queries), -1, np.int64)
    hit = places >= 0
    found[places[hit]] = np.flatnonzero(hit)
    return found


def cut(sorted_digests: Digests, splitters: Digests) -> NDArray[np.int64]:
    """Find the row where each splitter would stand: rows below it come before, equal ones after."""
    keys = prefixes(sorted_digests)
    places = np.searchsorted(keys, prefixes(splitters), side="left")
    ends = np.searchsorted(keys, prefixes(splitters), side="right")
    for number in np.flatnonzero(ends > places):
        splitter = splitters[number].tobytes()
        low, high = int(places[number]), int(ends[number])
        while low < high:
            middle = (low + high) // 2
            if sorted_digests[middle].tobytes() < splitter:
                low = middle + 1
            else:
                high = middle
        places[number] = low
    return places
