"""Arrays of digests: sort and find by the 64-bit prefix, settle ties with the rest.

A digest array is a C-contiguous `uint8` array of shape (n, width); its order is bytewise.
The prefix does the work (ordering.py); it never decides: equality is always on the full digest.
"""

import bisect
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import number_distinct
from hpcreuse.kernels.ordering import Groups, group_rows, sort_packed

Digests = NDArray[np.uint8]


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
    """Sort digests, equal ones in the order of their rows, and find where each distinct one starts."""
    return group_rows(
        prefixes(digests),
        lambda some, others: np.any(digests[some] != digests[others], axis=1),
        lambda rows: np.lexsort([digests[rows, j] for j in reversed(range(digests.shape[1]))]),
    )


class Numbered(NamedTuple):
    """Digests as numbers of the distinct ones, and what is known of these."""

    numbers: NDArray[np.uint32]
    digests: Digests
    """The distinct ones in order,"""
    counts: NDArray[np.uint32]
    """how often each occurs,"""
    lengths: NDArray[np.uint32]
    """and the least length of what it was made of."""


def number(digests: Digests, lengths: NDArray[np.uint32]) -> Numbered:
    """Number the distinct digests in order."""
    keys = prefixes(digests)
    return Numbered(*number_distinct(keys, int(sort_packed(keys)), digests, lengths))


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
    rows = range(len(sorted_digests))
    return np.array(
        [
            bisect.bisect_left(rows, splitter.tobytes(), key=lambda row: sorted_digests[row].tobytes())
            for splitter in splitters
        ],
        np.int64,
    )
