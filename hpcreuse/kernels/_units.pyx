# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""From words to units, and how much two sets share: loops that arrays of numpy cannot do."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np


def unit_starts(const int64_t[::1] offsets, const uint8_t[::1] lengths):
    """Tell at which words units start, going through each page from its first word.

    Args:
        offsets: where the words of each page start, and where the last end.
        lengths: how many words the longest phrase that starts at a word has; 0 for none.
    """
    marks = np.zeros(lengths.shape[0], np.uint8)
    cdef uint8_t[::1] starts = marks
    cdef Py_ssize_t page
    cdef int64_t at
    for page in range(offsets.shape[0] - 1):
        at = offsets[page]
        while at < offsets[page + 1]:
            starts[at] = 1
            at += lengths[at] if lengths[at] else 1
    return marks.view(bool)


def overlaps(
    const uint64_t[::1] a_values, const int64_t[::1] a_offsets, const int64_t[::1] a_places,
    const uint64_t[::1] b_values, const int64_t[::1] b_offsets, const int64_t[::1] b_places,
):
    """Count what pairs of sets share: set a_places[i] of the first with set b_places[i] of the second.

    Sets are sorted and without repeats.
    """
    shared = np.zeros(a_places.shape[0], np.int64)
    cdef int64_t[::1] counts = shared
    cdef Py_ssize_t pair
    cdef int64_t i, j, i_end, j_end
    for pair in range(a_places.shape[0]):
        i, i_end = a_offsets[a_places[pair]], a_offsets[a_places[pair] + 1]
        j, j_end = b_offsets[b_places[pair]], b_offsets[b_places[pair] + 1]
        while i < i_end and j < j_end:
            if a_values[i] == b_values[j]:
                counts[pair] += 1
                i += 1
                j += 1
            elif a_values[i] < b_values[j]:
                i += 1
            else:
                j += 1
    return shared
