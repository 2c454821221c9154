# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Where delimiter tags stand in a page: one pass with memchr, no Python object per tag."""

from libc.string cimport memchr

import numpy as np


def tag_starts(const unsigned char[::1] payload, tuple tags, const unsigned char[::1] tag_ends):
    """Give the offsets of `<tag` in any case where a character of `tag_ends` follows, as uint32."""
    cdef Py_ssize_t size = payload.shape[0]
    cdef Py_ssize_t count = 0, length
    cdef const unsigned char *begin
    cdef const unsigned char *at
    cdef const unsigned char *end
    cdef unsigned char is_end[256]
    cdef unsigned char is_first[256]
    cdef bytes names = b"\0".join(tag.encode() for tag in tags) + b"\0"
    cdef const unsigned char *name = names
    cdef const unsigned char *name_end = name + len(names)
    cdef Py_ssize_t i
    cdef unsigned int[::1] starts
    if size == 0:
        return np.empty(0, np.uint32)
    for i in range(256):
        is_end[i] = 0
        is_first[i] = 0
    for i in range(tag_ends.shape[0]):
        is_end[tag_ends[i]] = 1
    for tag in tags:
        is_first[ord(tag[0])] = 1
        is_first[ord(tag[0].upper())] = 1
    found = np.empty(64, np.uint32)
    starts = found
    begin = &payload[0]
    at, end = begin, begin + size
    while True:
        at = <const unsigned char *> memchr(at, 60, end - at)
        if at == NULL:
            break
        if at + 1 < end and is_first[at[1]]:
            length = _matches(at + 1, end, name, name_end, is_end)
            if length:
                if count == starts.shape[0]:
                    found = np.concatenate([found, np.empty(count, np.uint32)])
                    starts = found
                starts[count] = <unsigned int> (at - begin)
                count += 1
        at += 1
    return found[:count]


cdef Py_ssize_t _matches(
    const unsigned char *at,
    const unsigned char *end,
    const unsigned char *name,
    const unsigned char *names_end,
    const unsigned char *is_end,
) noexcept nogil:
    """Tell the length of the tag name at a place; names are lower-case, each ended by a zero."""
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
        if name[i] == 0 and at + i < end and is_end[at[i]]:
            return i
        while name[0]:
            name += 1
        name += 1
    return 0
