# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Grams of pages: hashes of every k words in a row, rolled over the words."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

import numpy as np

cdef uint64_t WEIGHT = 0x9E3779B97F4A7C15


cdef inline uint64_t finish(uint64_t h) noexcept nogil:
    """Mix all bits of a hash with each other (the finaliser of SplitMix64)."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


def page_grams(const uint64_t[::1] words, const int64_t[::1] starts, Py_ssize_t k, uint64_t low, uint64_t last):
    """Hash the grams of pages and keep the hashes from `low` to `last`; a gram that a page repeats comes again.

    Args:
        words: 64-bit hashes; those of page i are starts[i] to starts[i + 1].

    Returns:
        The hashes, and the page that each is of.
    """
    cdef Py_ssize_t pages = starts.shape[0] - 1, page, found = 0
    cdef int64_t place, first, end
    # What the first word of a gram was multiplied with when the last came in
    cdef uint64_t oldest = pow(0x9E3779B97F4A7C15, k, 1 << 64)
    cdef uint64_t h, gram
    # As many as there are words at most; memory that is not written to costs nothing
    hashes, of_page = np.empty(words.shape[0], np.uint64), np.empty(words.shape[0], np.uint32)
    cdef uint64_t[::1] hash_out = hashes
    cdef uint32_t[::1] page_out = of_page
    with nogil:
        for page in range(pages):
            first, end, h = starts[page], starts[page + 1], 0
            for place in range(first, end):
                h = h * WEIGHT + words[place]
                if place - first >= k:
                    h = h - words[place - k] * oldest
                if place - first >= k - 1:
                    gram = finish(h)
                    if low <= gram <= last:
                        hash_out[found], page_out[found] = gram, <uint32_t> page
                        found += 1
    return hashes[:found], of_page[:found]
