# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The distinct digests of a shard, in one pass over its digests in order."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

import numpy as np

cdef extern from *:
    void __builtin_prefetch(const void *) nogil

# How far ahead memory is asked for: rows come in the order of digests, so from anywhere
DEF AHEAD = 16


def number_distinct(uint64_t[::1] keys, int bits, const uint8_t[:, ::1] digests, const uint32_t[::1] lengths):
    """Number the distinct digests in order, and bring together what is known of each.

    Args:
        keys: sorted; of each digest its first bits and, in the lowest `bits`, the number of its row; used up.
        lengths: of what the digests were made of.

    Returns:
        The number of each digest; then of each distinct one itself, how often it occurs, and its least length.
    """
    cdef Py_ssize_t rows = digests.shape[0], width = digests.shape[1], first, last
    numbers = np.empty(rows, np.uint32)
    distinct, counts, shortest = np.empty((rows, width), np.uint8), np.empty(rows, np.uint32), np.empty(rows, np.uint32)
    cdef uint32_t[::1] number = numbers, count = counts, least = shortest
    cdef uint8_t[:, ::1] out = distinct
    cdef uint64_t low = (<uint64_t> 1 << bits) - 1
    cdef int64_t found = -1, row
    cdef Py_ssize_t i
    if not rows:
        return numbers, distinct, counts, shortest
    with nogil:
        first = 0
        while first < rows:
            last = first + 1
            while last < rows and keys[last] >> bits == keys[first] >> bits:
                last += 1
            if last - first > 1:
                settle(&keys[first], last - first, low, &digests[0, 0], width)
            for i in range(first, last):
                if i + AHEAD < rows:
                    row = keys[i + AHEAD] & low
                    __builtin_prefetch(&digests[row, 0])
                    __builtin_prefetch(&lengths[row])
                    __builtin_prefetch(&number[row])
                row = keys[i] & low
                if i == first or memcmp(&digests[row, 0], &out[found, 0], width) != 0:
                    found += 1
                    memcpy(&out[found, 0], &digests[row, 0], width)
                    count[found], least[found] = 0, lengths[row]
                number[row] = found
                count[found] += 1
                if lengths[row] < least[found]:
                    least[found] = lengths[row]
            first = last
    return numbers, distinct[: found + 1], counts[: found + 1], shortest[: found + 1]


cdef void settle(uint64_t *keys, Py_ssize_t count, uint64_t low, const uint8_t *digests, Py_ssize_t width) noexcept nogil:
    """Bring together the rows with equal digests, the least digest first; their first bits are equal.

    Nearly always they are equal altogether. Different digests can only be a few, even where somebody made them on
    purpose, but the rows of each may be many.
    """
    cdef Py_ssize_t first = 0, i
    cdef const uint8_t *least
    cdef const uint8_t *digest
    while first < count:
        least = digests + (keys[first] & low) * width
        for i in range(first + 1, count):
            digest = digests + (keys[i] & low) * width
            if memcmp(digest, least, width) < 0:
                least = digest
        for i in range(first, count):
            if memcmp(digests + (keys[i] & low) * width, least, width) == 0:
                keys[first], keys[i] = keys[i], keys[first]
                first += 1
