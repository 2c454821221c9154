# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Where the chunks of a page start: one pass with memchr, no Python object per tag."""

from libc.string cimport memchr

import numpy as np


cdef class TagScanner:
    """Finds delimiter tags: `<name` in any case, followed by one of some characters."""

    cdef bytes names
    cdef unsigned char is_end[256]
    cdef unsigned char is_first[256]
    cdef unsigned int[::1] places
    """Where offsets are collected; kept from page to page."""

    def __init__(self, tuple tags, bytes tag_ends):
        self.names = b"".join(tag.lower().encode() + b"\0" for tag in tags)
        for i in range(256):
            self.is_end[i] = i in tag_ends
            self.is_first[i] = chr(i).lower() in {tag[0].lower() for tag in tags}
        self.places = np.empty(1024, np.uint32)

    def starts(self, const unsigned char[::1] page):
        """Give the offsets where chunks start: 0 and every delimiter tag; none in an empty page."""
        cdef Py_ssize_t size = page.shape[0], count = 0
        cdef const unsigned char *begin
        cdef const unsigned char *at
        cdef const unsigned char *end
        if size == 0:
            return np.empty(0, np.uint32)
        begin = &page[0]
        at, end = begin, begin + size
        self.places[0] = 0
        count = 1
        while True:
            at = <const unsigned char *> memchr(at, 60, end - at)
            if at == NULL:
                break
            if at + 1 < end and self.is_first[at[1]] and at > begin and self.is_tag(at + 1, end):
                if count == self.places.shape[0]:
                    self.places = np.concatenate([self.places, np.empty(count, np.uint32)])
                self.places[count] = <unsigned int> (at - begin)
                count += 1
            at += 1
        return np.array(self.places[:count])

    cdef bint is_tag(self, const unsigned char *at, const unsigned char *end) noexcept:
        """Tell whether one of the names stands at a place; names are lower-case, each ended by a zero."""
        cdef const unsigned char *name = self.names
        cdef const unsigned char *names_end = name + len(self.names)
        cdef Py_ssize_t i
        cdef unsigned char c
        while name < names_end:
            i = 0
            while name[i] and at + i < end:
                c = at[i]
                if 65 <= c <= 90:
                    c += 32
                if c != name[i]:
                    break
                i += 1
            if name[i] == 0 and at + i < end and self.is_end[at[i]]:
                return True
            while name[0]:
                name += 1
            name += 1
        return False
