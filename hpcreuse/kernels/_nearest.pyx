# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The nearest of many 256-bit digests, by the number of bits that differ."""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

cdef extern from *:
    """
    #include <stdint.h>
    #include <limits.h>
    /* The compiler makes two versions and the loader takes the one that the processor can run: counting bits by
       its own instruction is six times as fast (AVX2, which lacks one, is slower than that) */
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
    #define FOR_EACH_PROCESSOR __attribute__((target_clones("popcnt", "default")))
    #else
    #define FOR_EACH_PROCESSOR
    #endif
    #define DIFFER(i) __builtin_popcountll(row[i] ^ query[i])

    FOR_EACH_PROCESSOR
    void hpcreuse_nearest(const uint64_t *query, const uint64_t *row, int64_t first, int64_t last,
                          int32_t *distance, int64_t *place)
    {
        int32_t best = *distance;
        for (int64_t i = first; i < last; i++, row += 4) {
            int32_t bits = DIFFER(0) + DIFFER(1) + DIFFER(2) + DIFFER(3);
            if (bits < best) {
                best = bits;
                *place = i;
            }
        }
        *distance = best;
    }
    """
    void hpcreuse_nearest(const uint64_t *query, const uint64_t *row, int64_t first, int64_t last,
                          int32_t *distance, int64_t *place) nogil

# Rows of the table that are compared with all queries before the next come: as much as the nearest cache holds
DEF TILE = 512


def nearest(queries, table):
    """Give for each 32-byte query the least number of bits in which a row of the table differs, and that row.

    Of rows equally near the first is taken. When the table is empty all bits differ, and the row is -1.
    """
    cdef const uint64_t[:, ::1] asked = np.ascontiguousarray(queries).view(np.uint64).reshape(-1, 4)
    cdef const uint64_t[:, ::1] rows = np.ascontiguousarray(table).view(np.uint64).reshape(-1, 4)
    distances = np.full(len(asked), 256, np.int32)
    places = np.full(len(asked), -1 if not len(rows) else 0, np.int64)
    cdef int32_t[::1] distance = distances
    cdef int64_t[::1] place = places
    cdef int64_t first, last, i
    with nogil:
        for first in range(0, rows.shape[0], TILE):
            last = min(first + TILE, rows.shape[0])
            for i in range(asked.shape[0]):
                hpcreuse_nearest(&asked[i, 0], &rows[first, 0], first, last, &distance[i], &place[i])
    return distances, places
