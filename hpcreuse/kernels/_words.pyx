# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Words of a text as numbers: one pass, no Python object per word."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

import numpy as np

from hpcreuse.kernels.letters import word_characters


cdef inline uint64_t finish(uint64_t h) noexcept nogil:
    """Mix all bits of a hash with each other (the finaliser of SplitMix64)."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


cdef inline Py_ssize_t width(const uint8_t *at, uint32_t *character) noexcept nogil:
    """Read one character of valid UTF-8; give how many bytes it has."""
    if at[0] < 0xE0:
        character[0] = (at[0] & 0x1F) << 6 | (at[1] & 0x3F)
        return 2
    if at[0] < 0xF0:
        character[0] = (at[0] & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
        return 3
    character[0] = (at[0] & 0x07) << 18 | (at[1] & 0x3F) << 12 | (at[2] & 0x3F) << 6 | (at[3] & 0x3F)
    return 4


cdef object grown(array, Py_ssize_t size):
    """Give an array of at least twice the room with the same content."""
    larger = np.empty(max(size, 2 * len(array)), np.asarray(array).dtype)
    larger[: len(array)] = array
    return larger


cdef class WordTable:
    """The distinct words seen so far, numbered in the order in which they came."""

    cdef const uint8_t[::1] is_word
    cdef uint64_t count
    cdef uint64_t[::1] hashes
    cdef uint64_t[::1] ends
    """Where the text of each word ends in the blob."""
    cdef uint8_t[::1] blob
    cdef uint32_t[::1] slots
    """A hash table: number + 1 of a word, or 0."""
    cdef uint32_t[::1] numbers
    """Where the numbers of a text are collected; kept from text to text."""

    def __init__(self):
        self.is_word = word_characters()
        self.hashes, self.ends = np.empty(1024, np.uint64), np.zeros(1024, np.uint64)
        self.blob, self.slots = np.empty(1 << 13, np.uint8), np.zeros(1 << 12, np.uint32)
        self.numbers = np.empty(1024, np.uint32)

    def __len__(self):
        return self.count

    @property
    def nbytes(self):
        """Memory taken."""
        return 8 * (len(self.hashes) + len(self.ends)) + len(self.blob) + 4 * len(self.slots)

    def add(self, const uint8_t[::1] text):
        """Give the numbers of the words of a text (valid UTF-8, lower-cased), in order."""
        cdef Py_ssize_t at = 0, begin, count = 0, size = text.shape[0], step = 1
        cdef uint32_t character = 0
        cdef uint64_t h
        while at < size:
            begin, h = at, <uint64_t> 0xCBF29CE484222325
            while at < size:
                if text[at] < 0x80:
                    character, step = text[at], 1
                else:
                    step = width(&text[at], &character)
                if not self.is_word[character]:
                    break
                for _ in range(step):
                    h = (h ^ text[at]) * <uint64_t> 0x100000001B3
                    at += 1
            if at == begin:
                at += step
                continue
            if count == self.numbers.shape[0]:
                self.numbers = grown(self.numbers, 0)
            self.numbers[count] = self.number(&text[begin], at - begin, finish(h))
            count += 1
        return np.array(self.numbers[:count])

    cdef uint32_t number(self, const uint8_t *word, Py_ssize_t size, uint64_t h) except? 0:
        """Find a word, or take it in."""
        cdef uint64_t mask = self.slots.shape[0] - 1, slot = h & mask, begin
        cdef uint32_t known
        while self.slots[slot]:
            known = self.slots[slot] - 1
            if self.hashes[known] == h:
                begin = self.ends[known - 1] if known else 0
                if self.ends[known] - begin == <uint64_t> size and memcmp(&self.blob[begin], word, size) == 0:
                    return known
            slot = (slot + 1) & mask
        self.slots[slot] = <uint32_t> self.count + 1
        self.take_in(word, size, h)
        return <uint32_t> self.count - 1

    cdef int take_in(self, const uint8_t *word, Py_ssize_t size, uint64_t h) except -1:
        """Append a new word."""
        cdef uint64_t begin = self.ends[self.count - 1] if self.count else 0
        if self.count == <uint64_t> self.hashes.shape[0]:
            self.hashes, self.ends = grown(self.hashes, 0), grown(self.ends, 0)
        if begin + size > <uint64_t> self.blob.shape[0]:
            self.blob = grown(self.blob, begin + size)
        memcpy(&self.blob[begin], word, size)
        self.hashes[self.count], self.ends[self.count] = h, begin + size
        self.count += 1
        if 2 * self.count > <uint64_t> self.slots.shape[0]:
            self.spread()
        return 0

    cdef int spread(self) except -1:
        """Give the hash table twice the slots."""
        cdef uint64_t known, slot, mask = 2 * self.slots.shape[0] - 1
        self.slots = np.zeros(mask + 1, np.uint32)
        for known in range(self.count):
            slot = self.hashes[known] & mask
            while self.slots[slot]:
                slot = (slot + 1) & mask
            self.slots[slot] = <uint32_t> known + 1
        return 0

    def vocabulary(self):
        """Give the hashes of all words, their texts back to back, and where each text ends."""
        size = self.ends[self.count - 1] if self.count else 0
        return np.array(self.hashes[: self.count]), np.array(self.blob[:size]), np.array(self.ends[: self.count])
