# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The labelled chunks of files, in one pass over the chunks."""

from libc.stdint cimport int64_t, uint32_t

import numpy as np


def match_files(const uint32_t[::1] numbers, const int64_t[::1] starts, const int64_t[::1] label_of, stopped,
                const uint32_t[::1] lengths, int64_t min_length):
    """Count the chunks of each file that are not stopped and those that are labelled, and list these.

    Args:
        numbers: of each chunk that of its distinct digest.
        starts: where the chunks of each file start, and where the last end.
        label_of: of each distinct digest its label, or -1.
        stopped: which distinct digests are stop chunks.
        lengths: of each chunk; one below `min_length` is a stop chunk too.

    Returns:
        Of each file how many chunks count and how many are labelled; of each labelled chunk, in order, its position in
        its file, and its label.
    """
    cdef Py_ssize_t files = starts.shape[0] - 1, file
    cdef int64_t chunk, label, first, found = 0
    cdef const unsigned char[::1] stops = np.ascontiguousarray(stopped).view(np.uint8)
    all_chunks, all_bad = np.zeros(files, np.int64), np.zeros(files, np.int64)
    all_positions, all_labels = np.empty(len(numbers), np.uint32), np.empty(len(numbers), np.uint32)
    cdef int64_t[::1] chunks = all_chunks, bad = all_bad
    cdef uint32_t[::1] positions = all_positions, labels = all_labels
    with nogil:
        for file in range(files):
            first = starts[file]
            for chunk in range(first, starts[file + 1]):
                if stops[numbers[chunk]] or (min_length > 0 and lengths[chunk] < min_length):
                    continue
                chunks[file] += 1
                label = label_of[numbers[chunk]]
                if label >= 0:
                    bad[file] += 1
                    positions[found] = chunk - first
                    labels[found] = label
                    found += 1
    return all_chunks, all_bad, all_positions[:found], all_labels[:found]
