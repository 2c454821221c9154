# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Digests in a sorted table that need not be in memory: few looks at it for each, and none at the rest.

Digests are uniform, so the first guess, by the first 64 bits, is close; the search widens from there.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp

import numpy as np

cdef extern from *:
    """
    static inline unsigned long long share_of(unsigned long long key, unsigned long long rows) {
        return (unsigned long long) (((unsigned __int128) key * rows) >> 64);
    }
    """
    uint64_t share_of(uint64_t key, uint64_t rows) noexcept nogil


def find_sorted(const unsigned char[:, ::1] table, const unsigned char[:, ::1] queries):
    """Give for each query its row in a sorted table of distinct digests, or -1; queries may stand in any order."""
    cdef Py_ssize_t rows = table.shape[0], width = table.shape[1], count = queries.shape[0], i
    found = np.full(count, -1, np.int64)
    cdef int64_t[::1] out = found
    if rows and count:
        with nogil:
            for i in range(count):
                out[i] = find_one(&table[0, 0], rows, width, &queries[i, 0])
    return found


cdef int64_t find_one(const unsigned char *table, int64_t rows, Py_ssize_t width, const unsigned char *key) noexcept nogil:
    cdef uint64_t head = 0
    cdef int64_t low, high, step = 1, middle
    cdef int order
    cdef int i
    for i in range(8):
        head = head << 8 | key[i]
    # The key lies between low and high, both excluded: -1 and rows stand for what is outside
    middle = <int64_t> share_of(head, <uint64_t> rows)
    order = memcmp(table + middle * width, key, width)
    if order == 0:
        return middle
    if order < 0:
        low, high = middle, middle + step
        while high < rows and memcmp(table + high * width, key, width) < 0:
            low, step = high, step * 2
            high = low + step
        if high > rows:
            high = rows
    else:
        high, low = middle, middle - step
        while low >= 0 and memcmp(table + low * width, key, width) > 0:
            high, step = low, step * 2
            low = high - step
        if low < -1:
            low = -1
    if low >= 0 and memcmp(table + low * width, key, width) == 0:
        return low
    while high - low > 1:
        middle = low + (high - low) // 2
        order = memcmp(table + middle * width, key, width)
        if order == 0:
            return middle
        if order < 0:
            low = middle
        else:
            high = middle
    if high < rows and memcmp(table + high * width, key, width) == 0:
        return high
    return -1
