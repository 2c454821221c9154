# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Greedy set cover: of each page, which other pages hold most of what is not covered yet."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np


cdef struct Candidate:
    int64_t gain
    int64_t doc
    int64_t place


cdef inline bint better(Candidate a, Candidate b) noexcept nogil:
    """Tell which covers more; ties go to the smallest number."""
    return a.gain > b.gain or (a.gain == b.gain and a.doc < b.doc)


cdef void sink(Candidate *heap, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Let a candidate sink in the heap until none below is better."""
    cdef Candidate moved = heap[at]
    cdef Py_ssize_t child = 2 * at + 1
    while child < size:
        if child + 1 < size and better(heap[child + 1], heap[child]):
            child += 1
        if not better(heap[child], moved):
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = moved


cdef class Coverer:
    """Room to cover one page at a time."""

    cdef Candidate[::1] heap
    cdef int64_t[::1] slots, place, gain, first, sets
    cdef unsigned char[::1] covered

    def __init__(self, Py_ssize_t pairs, Py_ssize_t sets):
        """Make room for pages with so many pairs of set and document, and so many sets."""
        self.heap = np.empty(pairs, [("gain", np.int64), ("doc", np.int64), ("place", np.int64)])
        self.slots = np.empty(16 << int(pairs).bit_length(), np.int64)
        self.place, self.gain, self.sets = (np.empty(pairs, np.int64) for _ in range(3))
        self.first, self.covered = np.empty(pairs + 1, np.int64), np.empty(sets, np.uint8)

    cdef Py_ssize_t number_docs(self, const int64_t *docs, Py_ssize_t pairs) noexcept nogil:
        """Number the distinct documents in the order they come, count the sets of each; give how many there are."""
        cdef uint64_t mask = 16
        cdef uint64_t slot
        cdef Py_ssize_t i, found = 0
        while mask < <uint64_t> (2 * pairs):
            mask *= 2
        mask -= 1
        for slot in range(mask + 1):
            self.slots[slot] = -1
        for i in range(pairs):
            slot = (<uint64_t> docs[i] * <uint64_t> 0x9E3779B97F4A7C15) >> 20 & mask
            while self.slots[slot] >= 0 and self.heap[self.slots[slot]].doc != docs[i]:
                slot = (slot + 1) & mask
            if self.slots[slot] < 0:
                self.slots[slot] = found
                self.heap[found].doc, self.heap[found].place, self.gain[found] = docs[i], found, 0
                found += 1
            self.place[i] = self.slots[slot]
            self.gain[self.place[i]] += 1
        return found

    cdef void list_sets(self, const int64_t *starts, Py_ssize_t count, Py_ssize_t found) noexcept nogil:
        """Give the sets of each document: the same pairs, the other way round."""
        cdef Py_ssize_t i, s
        self.first[0] = 0
        for i in range(found):
            self.first[i + 1] = self.first[i] + self.gain[i]
        for s in range(count - 1, -1, -1):
            for i in range(starts[s + 1] - starts[0] - 1, starts[s] - starts[0] - 1, -1):
                self.first[self.place[i] + 1] -= 1
                self.sets[self.first[self.place[i] + 1]] = s
        # Each start has moved one document up
        for i in range(found):
            self.first[i] = self.first[i + 1]
            self.first[i + 1] = self.first[i] + self.gain[i]

    cdef Py_ssize_t cover(
        self, const int64_t *docs, const int64_t *starts, Py_ssize_t count, int64_t least, int64_t *taken, int64_t *gains
    ) noexcept nogil:
        """Cover the sets of one page; give how many documents it takes."""
        cdef Py_ssize_t size = self.number_docs(docs, starts[count] - starts[0])
        cdef Py_ssize_t i, j, number = 0
        cdef int64_t at, s
        self.list_sets(starts, count, size)
        for s in range(count):
            self.covered[s] = 0
        for i in range(size):
            self.heap[i].gain = self.gain[i]
        for i in range(size // 2 - 1, -1, -1):
            sink(&self.heap[0], size, i)
        while size and self.heap[0].gain >= least:
            at = self.heap[0].place
            if self.heap[0].gain != self.gain[at]:
                # What it would have covered was covered by others meanwhile
                self.heap[0].gain = self.gain[at]
                sink(&self.heap[0], size, 0)
                continue
            taken[number], gains[number] = self.heap[0].doc, self.gain[at]
            number += 1
            size -= 1
            self.heap[0] = self.heap[size]
            sink(&self.heap[0], size, 0)
            for i in range(self.first[at], self.first[at + 1]):
                s = self.sets[i]
                if not self.covered[s]:
                    self.covered[s] = 1
                    for j in range(starts[s] - starts[0], starts[s + 1] - starts[0]):
                        self.gain[self.place[j]] -= 1
        return number


def greedy_covers(
    const int64_t[::1] docs, const int64_t[::1] starts, const int64_t[::1] pages, const int64_t[::1] least
):
    """Cover the sets of each page, each given by the documents that hold it, by few documents.

    Args:
        docs: numbers of documents, those of set i from starts[i] to starts[i + 1], each once.
        pages: the sets of page i are pages[i] to pages[i + 1].
        least: of each page; documents that would cover fewer sets more than those before do are not taken.

    Returns:
        The documents of all pages in the order they are taken, how many sets each covers more, and how many
        documents each page has.
    """
    sets = np.diff(pages)
    pairs = np.diff(np.asarray(starts)[np.asarray(pages)])
    cdef Coverer coverer = Coverer(max(pairs, default=0) + 1, max(sets, default=0) + 1)
    cdef int64_t[::1] taken = np.empty(len(docs) + 1, np.int64), gains = np.empty(len(docs) + 1, np.int64)
    cdef int64_t[::1] counts = np.zeros(len(sets), np.int64)
    cdef Py_ssize_t page, number = 0
    cdef const int64_t *all_docs = &docs[0] if len(docs) else NULL
    with nogil:
        for page in range(counts.shape[0]):
            counts[page] = coverer.cover(
                all_docs + starts[pages[page]],
                &starts[pages[page]],
                pages[page + 1] - pages[page],
                max(1, least[page]),
                &taken[number],
                &gains[number],
            )
            number += counts[page]
    return np.array(taken[:number]), np.array(gains[:number]), np.asarray(counts)
