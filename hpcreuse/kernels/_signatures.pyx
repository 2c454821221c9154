# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Signatures of documents: all subsets of a document's terms hashed in one pass over the terms."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np

cdef uint64_t SEEDS[2]
SEEDS[0], SEEDS[1] = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    """The finaliser of SplitMix64."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


def signatures(const int64_t[::1] starts, const uint64_t[::1] terms, const uint64_t[::1] marks, int subsets):
    """Hash the subsets of each document's terms.

    Args:
        starts: where the terms of each document start, and where the last end.
        terms: sorted within each document.
        marks: bit k of a term says whether it belongs to subset k.

    Returns:
        Two 64-bit numbers per document and subset: a hash of the subset's terms in order.
    """
    cdef Py_ssize_t document, place, documents = starts.shape[0] - 1
    cdef int subset
    cdef uint64_t left
    found = np.empty((documents, subsets, 2), np.uint64)
    cdef uint64_t[:, :, ::1] lanes = found
    for document in range(documents):
        for subset in range(subsets):
            lanes[document, subset, 0], lanes[document, subset, 1] = SEEDS[0], SEEDS[1]
        for place in range(starts[document], starts[document + 1]):
            left = marks[place]
            subset = 0
            while left and subset < subsets:
                if left & 1:
                    lanes[document, subset, 0] = mix(lanes[document, subset, 0] + terms[place])
                    lanes[document, subset, 1] = mix(lanes[document, subset, 1] ^ terms[place])
                left >>= 1
                subset += 1
    return found
