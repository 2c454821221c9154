# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The different words of each page, in order: without comparing, by listing the pages of each word."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

import numpy as np


def page_terms(const int64_t[::1] starts, const uint32_t[::1] words, const uint8_t[::1] chosen, int least):
    """Find the different chosen words of each page; none of pages with fewer than `least`.

    Args:
        starts: where the words of each page start, and where the last end.
        words: numbers of words, smaller than there are words to choose from.
        chosen: whether a word counts.

    Returns:
        In how many pages each word was found; where what was found of each page starts, and where the last ends; and
        what was found, rising, as places among the words that were found at all.
    """
    if len(words) and np.max(words) >= len(chosen):
        raise IndexError("a word has a number that no word has")
    cdef Py_ssize_t page, place, at = 0, first, pages = starts.shape[0] - 1
    cdef uint32_t word, number = 0
    counted, ends = np.zeros(chosen.shape[0], np.int64), np.zeros(pages + 1, np.int64)
    listed = np.empty(words.shape[0] + 1, np.uint32)
    cdef int64_t[::1] counts = counted, bounds = ends, seen = np.zeros(chosen.shape[0], np.int64)
    cdef uint32_t[::1] found = listed
    for page in range(pages):
        first = at
        # Written in any case and kept by moving on: whether to keep one cannot be foreseen
        for place in range(starts[page], starts[page + 1]):
            word = words[place]
            found[at] = word
            at += chosen[word] & (seen[word] <= page)
            seen[word] = page + 1
        if at - first < least:
            at = first
        for place in range(first, at):
            counts[found[place]] += 1
        bounds[page + 1] = at

    # The pages of each word; going through them word by word, the words of each page come in order
    cdef int64_t[::1] page_end = np.cumsum(counted) - counted, word_end = ends[:pages].copy()
    cdef uint32_t[::1] holders = np.empty(at, np.uint32)
    for page in range(pages):
        for place in range(bounds[page], bounds[page + 1]):
            word = found[place]
            holders[page_end[word]] = <uint32_t> page
            page_end[word] += 1
    for word in range(<uint32_t> chosen.shape[0]):
        for place in range(page_end[word] - counts[word], page_end[word]):
            page = holders[place]
            found[word_end[page]] = number
            word_end[page] += 1
        number += counts[word] > 0
    return counted, ends, listed[:at].copy()
