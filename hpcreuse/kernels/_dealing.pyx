# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Hashes dealt out to ranks: the high half of a hash tells whose it is, the low half is what that rank is told."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import numpy as np


cdef inline uint32_t rank_of(uint64_t number, uint32_t ranks) noexcept nogil:
    """Give the rank that a hash belongs to."""
    return <uint32_t> (number >> 32) % ranks


def deal(const uint64_t[::1] hashes, chosen, uint32_t ranks):
    """Give the low halves of the chosen hashes, those of rank 0 first, and where those of each rank begin and end."""
    cdef Py_ssize_t place, count = hashes.shape[0]
    cdef uint32_t rank
    cdef const uint8_t[::1] is_chosen = chosen.view(np.uint8)
    cuts = np.zeros(ranks + 1, np.int64)
    cdef int64_t[::1] counts = cuts
    with nogil:
        for place in range(count):
            counts[rank_of(hashes[place], ranks) + 1] += is_chosen[place]
    np.cumsum(cuts, out=cuts)
    halves, next_places = np.empty(cuts[ranks], np.uint32), cuts.copy()
    cdef uint32_t[::1] out = halves
    cdef int64_t[::1] next_place = next_places
    with nogil:
        for place in range(count):
            if is_chosen[place]:
                rank = rank_of(hashes[place], ranks)
                out[next_place[rank]] = <uint32_t> hashes[place]
                next_place[rank] += 1
    return halves, cuts


def collect(const uint64_t[::1] hashes, chosen, const int64_t[::1] cuts, const uint8_t[::1] answers):
    """Give for each hash the answer to what was dealt out of it, and 0 for those that were not chosen."""
    cdef Py_ssize_t place, count = hashes.shape[0]
    cdef uint32_t rank, ranks = cuts.shape[0] - 1
    cdef const uint8_t[::1] is_chosen = chosen.view(np.uint8)
    collected, next_places = np.zeros(count, np.uint8), np.array(cuts)
    cdef uint8_t[::1] out = collected
    cdef int64_t[::1] next_place = next_places
    with nogil:
        for place in range(count):
            if is_chosen[place]:
                rank = rank_of(hashes[place], ranks)
                out[place] = answers[next_place[rank]]
                next_place[rank] += 1
    return collected
