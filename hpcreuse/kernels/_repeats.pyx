# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Which numbers may occur more than once? A filter of two bits a slot: nothing is sorted, little memory is touched."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

import numpy as np

ctypedef fused hash_t:
    uint32_t
    uint64_t


def may_repeat(const hash_t[::1] numbers, uint64_t slots):
    """Tell which numbers share their slot, given by their low bits, with another; all others surely occur once.

    Args:
        slots: a power of two.
    """
    cdef Py_ssize_t place, count = numbers.shape[0]
    cdef uint64_t slot, mask = slots - 1
    cdef uint8_t before, shift
    # The low bit of a slot tells that a number came there, the high bit that another did
    table = np.zeros(slots // 4 + 1, np.uint8)
    repeats = np.empty(count, np.uint8)
    cdef uint8_t[::1] seen = table, out = repeats
    with nogil:
        for place in range(count):
            slot = numbers[place] & mask
            shift, before = 2 * (slot & 3), seen[slot >> 2]
            seen[slot >> 2] = before | (1 << shift) | ((before >> shift & 1) << (shift + 1))
        for place in range(count):
            slot = numbers[place] & mask
            out[place] = seen[slot >> 2] >> (2 * (slot & 3) + 1) & 1
    return repeats.view(np.bool_)
