"""Nilsimsa and nearest neighbours in plain Python: what the compiled kernels must equal."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.tran import TRAN

BITS = 256


def range_nilsimsas(data: bytes, starts: NDArray[np.uint32]) -> bytes:
    """Give the Nilsimsa digests of the ranges that begin at `starts`, each up to the next one; 32 bytes each."""
    bounds = [*starts.tolist(), len(data)]
    return b"".join([_nilsimsa(data[first:last]) for first, last in pairwise(bounds)])


def _nilsimsa(text: bytes) -> bytes:
    """Hash every trigram within each window of five bytes to one of 256 buckets; those above the mean are ones."""
    buckets = [0] * BITS
    for place, c in enumerate(text):
        w = text[max(0, place - 4) : place][::-1]
        for number, (a, b, d) in enumerate(_trigrams(c, w)):
            buckets[((TRAN[(a + number) & 255] ^ TRAN[b] * (2 * number + 1)) + TRAN[d ^ TRAN[number]]) & 255] += 1
    mean = sum(buckets) / BITS
    ones = sum(1 << bit for bit in range(BITS) if buckets[bit] > mean)
    return ones.to_bytes(32, "big")


def _trigrams(c: int, w: bytes) -> list[tuple[int, int, int]]:
    """Give the trigrams of a byte with those before it, the nearest first; the order decides their hash."""
    found = []
    if len(w) > 1:
        found += [(c, w[0], w[1])]
    if len(w) > 2:
        found += [(c, w[0], w[2]), (c, w[1], w[2])]
    if len(w) > 3:
        found += [(c, w[0], w[3]), (c, w[1], w[3]), (c, w[2], w[3]), (w[3], w[0], c), (w[3], w[2], c)]
    return found


def nearest(queries: NDArray[np.uint8], table: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give for each 32-byte query the least number of bits in which a row of the table differs, and that row.

    Of rows equally near the first is taken. When the table is empty all bits differ, and the row is -1.
    """
    distances = np.full(len(queries), BITS, np.int32)
    places = np.full(len(queries), -1, np.int64)
    for number, query in enumerate(queries if len(table) else ()):
        differ = np.unpackbits(table ^ query, axis=1).sum(axis=1)
        places[number] = np.argmin(differ)
        distances[number] = differ[places[number]]
    return distances, places
