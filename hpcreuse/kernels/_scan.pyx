# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Where the chunks of a page start: one pass, no Python object per tag."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdlib cimport free, realloc
from libc.string cimport memchr

cdef extern from "find_tag.h" nogil:
    const unsigned char *find_tag(
        const unsigned char *at, const unsigned char *end, unsigned char one, unsigned char other
    )


cdef class TagScanner:
    """Finds delimiter tags: `<name` in any case, followed by one of some characters."""

    cdef bytes names
    cdef unsigned char is_end[256]
    cdef unsigned char is_first[256]
    cdef unsigned char one, other
    """What the names begin with, when these are two letters at most."""
    cdef bint few
    cdef unsigned int *places
    """Where offsets are collected; kept from page to page."""
    cdef Py_ssize_t room

    def __init__(self, tuple tags, bytes tag_ends):
        self.names = b"".join(tag.lower().encode() + b"\0" for tag in tags)
        for i in range(256):
            self.is_end[i] = i in tag_ends
            self.is_first[i] = chr(i).lower() in {tag[0].lower() for tag in tags}
        letters = {ord(tag[0].lower()) for tag in tags}
        self.few = len(letters) <= 2 and all(97 <= letter <= 122 for letter in letters)
        if self.few:
            self.one, self.other = min(letters), max(letters)

    def __dealloc__(self):
        free(self.places)

    def starts(self, bytes page):
        """Give the offsets where chunks start: 0 and every delimiter tag; none in an empty page."""
        cdef const unsigned char *begin = <const unsigned char *> PyBytes_AS_STRING(page)
        cdef const unsigned char *end = begin + len(page)
        cdef const unsigned char *at = begin
        cdef Py_ssize_t count = 0
        while at < end:
            if count == self.room:
                self.grow()
            self.places[count] = <unsigned int> (at - begin)
            count += 1
            at = self.next_tag(at + 1, end)
        return np.frombuffer(PyBytes_FromStringAndSize(<char *> self.places, count * sizeof(unsigned int)), np.uint32)

    cdef int grow(self) except -1:
        cdef void *places = realloc(self.places, (2 * self.room + 1024) * sizeof(unsigned int))
        if places == NULL:
            raise MemoryError
        self.places = <unsigned int *> places
        self.room = 2 * self.room + 1024
        return 0

    cdef const unsigned char *next_tag(self, const unsigned char *at, const unsigned char *end) noexcept:
        """Give the next delimiter tag at or behind a place, else the end."""
        while True:
            if self.few:
                at = find_tag(at, end, self.one, self.other)
            else:
                at = <const unsigned char *> memchr(at, 60, end - at)
            if at == NULL:
                return end
            if at + 1 < end and self.is_first[at[1]] and self.is_tag(at + 1, end):
                return at
            at += 1

    cdef bint is_tag(self, const unsigned char *at, const unsigned char *end) noexcept:
        """Tell whether one of the names stands at a place; names are lower-case, each ended by a zero."""
        cdef const unsigned char *name = <const unsigned char *> PyBytes_AS_STRING(self.names)
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
