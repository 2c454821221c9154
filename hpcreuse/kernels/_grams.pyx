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


cdef inline uint64_t slots_for(int64_t words) noexcept nogil:
    """Give a power of two that leaves at least half of the slots free."""
    cdef uint64_t slots = 64
    while slots < 2 * <uint64_t> words:
        slots *= 2
    return slots


def page_grams(
    const uint32_t[::1] words,
    const int64_t[::1] starts,
    const uint64_t[::1] vocabulary,
    Py_ssize_t k,
    uint64_t low,
    uint64_t last,
    uint64_t[::1] out,
):
    """Hash the grams of pages and write the hashes from `low` to `last`, those of each page once, page by page.

    Args:
        words: places in the vocabulary; those of page i are starts[i] to starts[i + 1].
        vocabulary: 64-bit hashes of words.
        out: has room for as many hashes as there are words.

    Returns:
        How many hashes each page has.
    """
    cdef Py_ssize_t pages = starts.shape[0] - 1, page, found = 0, before
    cdef int64_t place, first, end
    # What the first word of a gram has been multiplied with when the gram is over
    cdef uint64_t oldest = pow(0x9E3779B97F4A7C15, k, 1 << 64)
    cdef uint64_t h, gram, mask, at
    slots = slots_for(np.diff(starts).max(initial=0))
    # A page's grams by the low bits of their hash, each with the number, from 1, of the page that put it there
    seen_hashes, seen_pages = np.empty(slots, np.uint64), np.zeros(slots, np.uint32)
    cdef uint64_t[::1] seen = seen_hashes
    cdef uint32_t[::1] seen_by = seen_pages
    lengths = np.empty(pages, np.int64)
    cdef int64_t[::1] length_out = lengths
    with nogil:
        for page in range(pages):
            first, end, h, before = starts[page], starts[page + 1], 0, found
            # A short page keeps to the first slots, which are in the cache
            mask = slots_for(end - first) - 1
            for place in range(first, end):
                h = h * WEIGHT + vocabulary[words[place]]
                if place - first >= k:
                    h = h - vocabulary[words[place - k]] * oldest
                if place - first < k - 1:
                    continue
                gram = finish(h)
                if gram < low or gram > last:
                    continue
                at = gram & mask
                while seen_by[at] == <uint32_t> (page + 1) and seen[at] != gram:
                    at = (at + 1) & mask
                if seen_by[at] != <uint32_t> (page + 1):
                    seen[at], seen_by[at] = gram, <uint32_t> (page + 1)
                    out[found] = gram
                    found += 1
            length_out[page] = found - before
    return lengths
