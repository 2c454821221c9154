# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Signatures of documents: all subsets of a document's terms hashed in one pass over the terms."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

import numpy as np

cdef uint64_t SEEDS[2]
SEEDS[0], SEEDS[1] = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    """The finaliser of SplitMix64."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


cdef inline uint64_t add(uint64_t* lanes, uint64_t term, uint64_t chosen) noexcept nogil:
    """Put a term into a signature if it is chosen (0 or 1), without a branch: nobody can foresee it."""
    lanes[0] ^= (mix(lanes[0] + term) ^ lanes[0]) & -chosen
    lanes[1] ^= (mix(lanes[1] ^ term) ^ lanes[1]) & -chosen
    return chosen


cdef int choose_spares(const uint32_t[::1] places, Py_ssize_t first, Py_ssize_t last, const int64_t[::1] spare,
                       int least, int64_t* chosen) noexcept nogil:
    """Find the spare terms of a document that come first, in their order; give how many there are."""
    cdef Py_ssize_t place
    cdef int64_t rank
    cdef int known = 0, at
    for place in range(first, last):
        rank = spare[places[place]]
        if rank < 0 or (known == least and rank > chosen[least - 1]):
            continue
        at = known if known < least else least - 1
        while at and chosen[at - 1] > rank:
            chosen[at] = chosen[at - 1]
            at -= 1
        chosen[at] = rank
        known += known < least
    return known


def signatures(const int64_t[::1] starts, const uint32_t[::1] places, const uint64_t[::1] terms,
               const uint64_t[::1] marks, const int64_t[::1] spare, int subsets, int least):
    """Hash the subsets of each document's terms, all in one pass over them.

    Only subsets that turn out too small are gone through again, with spare terms.

    Args:
        starts: where the terms of each document start, and where the last end.
        places: of each term of a document its place in `terms`, rising.
        terms: the different terms, sorted.
        marks: bit k of a term says whether it belongs to subset k.
        spare: the order in which a term is taken into subsets of fewer than `least`; negative when it never is.

    Returns:
        Two 64-bit numbers per document and subset: a hash of the subset's terms in order; and how many these are.
    """
    cdef Py_ssize_t document, place, documents = starts.shape[0] - 1
    cdef int subset, known
    cdef uint64_t mark, term
    cdef int64_t rank
    found = np.empty((documents, subsets, 2), np.uint64)
    counted = np.zeros((documents, subsets), np.int64)
    cdef uint64_t[:, :, ::1] lanes = found
    cdef int64_t[:, ::1] sizes = counted
    cdef int64_t[::1] chosen = np.empty(max(1, least), np.int64)
    for document in range(documents):
        for subset in range(subsets):
            lanes[document, subset, 0], lanes[document, subset, 1] = SEEDS[0], SEEDS[1]
        for place in range(starts[document], starts[document + 1]):
            mark, term = marks[places[place]], terms[places[place]]
            if mark:
                for subset in range(subsets):
                    sizes[document, subset] += add(&lanes[document, subset, 0], term, mark >> subset & 1)

        known = -1
        for subset in range(subsets):
            if sizes[document, subset] >= least:
                continue
            if known < 0:
                known = choose_spares(places, starts[document], starts[document + 1], spare, least, &chosen[0])
            # The last of the spare terms that are needed
            rank = min(<int64_t> known, least - sizes[document, subset])
            if rank == 0:
                continue
            sizes[document, subset] += rank
            rank = chosen[rank - 1]
            lanes[document, subset, 0], lanes[document, subset, 1] = SEEDS[0], SEEDS[1]
            for place in range(starts[document], starts[document + 1]):
                if marks[places[place]] >> subset & 1 or 0 <= spare[places[place]] <= rank:
                    add(&lanes[document, subset, 0], terms[places[place]], 1)
    return found, counted
