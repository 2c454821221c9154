# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Grams of pages in a hash table: k-gram hashes rolled over the words, one memory access per gram.

The home of a gram rises with its hash and what does not find room there stands a little further on, so a table in
order of its slots is almost in order of its hashes; `sort` does the rest, cluster by cluster.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

import numpy as np

cdef extern from *:
    """
    static inline uint64_t high_half(uint64_t a, uint64_t b) { return ((unsigned __int128) a * b) >> 64; }
    #define will_touch(at) __builtin_prefetch(at, 1)
    """
    uint64_t high_half(uint64_t a, uint64_t b) noexcept nogil
    void will_touch(const void *at) noexcept nogil

cdef uint64_t WEIGHT = 0x9E3779B97F4A7C15

cdef enum:
    # Grams looked up at a time: memory answers some dozens at once
    AHEAD = 64
    # Slots after the last home, for what does not find room there
    TAIL = 64
    # Marks of entries: free, put in by hash, and from 2 on the page that had it last
    FREE = 0
    GIVEN = 1


cdef struct Entry:
    uint64_t gram
    uint32_t value
    uint32_t mark


cdef inline uint64_t finish(uint64_t h) noexcept nogil:
    """Mix all bits of a hash with each other (the finaliser of SplitMix64)."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


cdef class GramTable:
    """Grams with hashes from `low` to `last`, each with a number of 32 bits."""

    cdef uint64_t k, low, last, stretch, homes, count
    cdef uint64_t oldest
    """What the first word of a gram was multiplied with."""
    cdef uint32_t mark
    cdef object memory
    cdef Entry *slots
    cdef Entry *end

    def __init__(self, uint64_t k, low, last, Py_ssize_t room):
        """Make an empty table with room for so many grams; it grows when that was too little."""
        self.k, self.low, self.last = k, low, last
        self.stretch = min((1 << 64) // (last - low + 1), (1 << 64) - 1)
        self.oldest = pow(0x9E3779B97F4A7C15, k - 1, 1 << 64)
        self.mark = GIVEN
        self.make_room(room)

    cdef int make_room(self, Py_ssize_t room) except -1:
        cdef Entry[::1] view
        self.homes = max(16, room + room // 2)
        self.memory = np.zeros(self.homes + TAIL, [("gram", np.uint64), ("value", np.uint32), ("mark", np.uint32)])
        view = self.memory
        self.slots, self.end = &view[0], &view[0] + self.homes + TAIL
        self.count = 0
        return 0

    def __len__(self):
        return self.count

    cdef inline Entry *home(self, uint64_t gram) noexcept nogil:
        cdef uint64_t spread = (gram - self.low) * self.stretch
        return self.slots + high_half(spread, self.homes)

    cdef inline Entry *find(self, uint64_t gram) noexcept nogil:
        """Find the slot of a gram, or the free one where it would be; NULL when it ran off the table."""
        cdef Entry *at = self.home(gram)
        while at < self.end:
            if at.mark == FREE or at.gram == gram:
                return at
            at += 1
        return NULL

    cdef Entry *found_or_new(self, uint64_t gram) except NULL:
        """Find the entry of a gram, or take it in with the number 0."""
        cdef Entry *at = self.find(gram)
        while at == NULL or (at.mark == FREE and 5 * self.count >= 4 * self.homes):
            self.grow()
            at = self.find(gram)
        if at.mark == FREE:
            at.gram, at.value, at.mark = gram, 0, GIVEN
            self.count += 1
        return at

    cdef int grow(self) except -1:
        """Give the table twice the room."""
        old = self.memory[self.memory["mark"] != FREE]
        cdef const Entry[::1] entries = old
        cdef Py_ssize_t i
        cdef Entry *at
        self.make_room(2 * self.homes)
        for i in range(entries.shape[0]):
            at = self.found_or_new(entries[i].gram)
            at.value, at.mark = entries[i].value, entries[i].mark
        return 0

    cdef int next_page(self) except -1:
        """Take a mark that no entry has."""
        if self.mark == <uint32_t> 0xFFFFFFFF:
            self.memory["mark"] = np.minimum(self.memory["mark"], GIVEN)
            self.mark = GIVEN
        self.mark += 1
        return 0

    def count_pages(self, const uint64_t[::1] words, const int64_t[::1] starts):
        """Add 1 to the number of each gram of each page; give how many distinct grams of the range each has."""
        cdef Py_ssize_t pages = starts.shape[0] - 1, page
        cdef int64_t at, found, i
        cdef uint64_t rolled
        cdef uint64_t[AHEAD] grams
        cdef int64_t[::1] distinct = np.zeros(pages, np.int64)
        cdef Entry *entry
        for page in range(pages):
            self.next_page()
            at, rolled = starts[page], 0
            while at < starts[page + 1]:
                found = self.roll(words, starts[page], starts[page + 1], &at, &rolled, grams)
                for i in range(found):
                    entry = self.found_or_new(grams[i])
                    if entry.mark != self.mark:
                        entry.mark = self.mark
                        entry.value += entry.value != <uint32_t> 0xFFFFFFFF
                        distinct[page] += 1
        return np.asarray(distinct)

    def of_pages(self, const uint64_t[::1] words, const int64_t[::1] starts, uint32_t least, uint32_t most):
        """List the distinct grams of each page whose number is in the table and within bounds.

        Returns their numbers and hashes, and where those of each page start.
        """
        cdef Py_ssize_t pages = starts.shape[0] - 1, page, listed = 0
        cdef int64_t at, found, i
        cdef uint64_t rolled
        cdef uint64_t[AHEAD] grams
        cdef uint32_t[::1] values = np.empty(1024, np.uint32)
        cdef uint64_t[::1] hashes = np.empty(1024, np.uint64)
        cdef int64_t[::1] firsts = np.zeros(pages + 1, np.int64)
        cdef Entry *entry
        for page in range(pages):
            self.next_page()
            at, rolled = starts[page], 0
            while at < starts[page + 1]:
                found = self.roll(words, starts[page], starts[page + 1], &at, &rolled, grams)
                if listed + found > values.shape[0]:
                    values = np.concatenate([values, np.empty(len(values), np.uint32)])
                    hashes = np.concatenate([hashes, np.empty(len(hashes), np.uint64)])
                for i in range(found):
                    entry = self.find(grams[i])
                    if entry == NULL or entry.mark == FREE or entry.mark == self.mark:
                        continue
                    entry.mark = self.mark
                    if least <= entry.value <= most:
                        values[listed], hashes[listed] = entry.value, grams[i]
                        listed += 1
            firsts[page + 1] = listed
        return np.asarray(values)[:listed], np.asarray(hashes)[:listed], np.asarray(firsts)

    cdef inline int64_t roll(
        self, const uint64_t[::1] words, int64_t first, int64_t last, int64_t *at, uint64_t *rolled, uint64_t *grams
    ) noexcept nogil:
        """Go on in a page until some grams of the range are found or it ends; have memory fetch their homes."""
        cdef int64_t found = 0, place = at[0]
        cdef uint64_t h = rolled[0], gram
        while place < last and found < AHEAD:
            if place - first >= <int64_t> self.k:
                h -= words[place - self.k] * self.oldest
            h = h * WEIGHT + words[place]
            place += 1
            if place - first >= <int64_t> self.k:
                gram = finish(h)
                if self.low <= gram <= self.last:
                    will_touch(self.home(gram))
                    grams[found] = gram
                    found += 1
        at[0], rolled[0] = place, h
        return found

    def add(self, const uint64_t[::1] grams, const uint32_t[::1] values):
        """Add numbers to those of grams; what is not there yet is taken in."""
        cdef Py_ssize_t i, size = grams.shape[0]
        cdef Entry *entry
        for i in range(size):
            if i + AHEAD < size:
                will_touch(self.home(grams[i + AHEAD]))
            entry = self.found_or_new(grams[i])
            if entry.value + values[i] < entry.value:
                entry.value = <uint32_t> 0xFFFFFFFF
            else:
                entry.value += values[i]

    def look_up(self, const uint64_t[::1] grams):
        """Give the numbers of grams, 0 of those that are not there."""
        cdef Py_ssize_t i, size = grams.shape[0]
        cdef uint32_t[::1] values = np.zeros(size, np.uint32)
        cdef Entry *entry
        for i in range(size):
            if i + AHEAD < size:
                will_touch(self.home(grams[i + AHEAD]))
            entry = self.find(grams[i])
            if entry != NULL and entry.mark != FREE:
                values[i] = entry.value
        return np.asarray(values)

    def entries(self):
        """Give all grams in order, and their numbers."""
        self.sort()
        taken = self.memory["mark"] != FREE
        return self.memory["gram"][taken], self.memory["value"][taken]

    def assign(self, const uint32_t[::1] values):
        """Set the numbers of all grams, in order."""
        cdef Entry *at = self.slots
        cdef Py_ssize_t i = 0
        self.sort()
        while at < self.end:
            if at.mark != FREE:
                at.value = values[i]
                i += 1
            at += 1

    cdef void sort(self) noexcept nogil:
        """Bring each cluster of entries into order; every entry stays between its home and a free slot."""
        cdef Entry *at = self.slots + 1
        cdef Entry *to
        cdef Entry moved
        while at < self.end:
            if at.mark != FREE and (at - 1).mark != FREE and (at - 1).gram > at.gram:
                moved, to = at[0], at
                while to > self.slots and (to - 1).mark != FREE and (to - 1).gram > moved.gram:
                    to[0] = (to - 1)[0]
                    to -= 1
                to[0] = moved
            at += 1
