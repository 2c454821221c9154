# cython: language_level=3, boundscheck=False, wraparound=False
"""Whitespace normalisation (CCR 4.4) in one pass."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdlib cimport free, malloc
from libc.string cimport memmove


def normalize_whitespace(bytes data):
    """Make runs of spaces and tabs one space, remove CR and LF, trim the ends, in this order."""
    cdef unsigned char *out = <unsigned char *> malloc(len(data) + 1)
    cdef Py_ssize_t length
    if out == NULL:
        raise MemoryError
    try:
        length = normalize(<const unsigned char *> PyBytes_AS_STRING(data), len(data), out)
        return PyBytes_FromStringAndSize(<char *> out, length)
    finally:
        free(out)


def normalize_ranges(bytes text, const unsigned int[::1] starts):
    """Normalise each range of a text that begins at `starts`; give the ranges joined, and where each begins now."""
    cdef const unsigned char *begin = <const unsigned char *> PyBytes_AS_STRING(text)
    cdef unsigned char *out = <unsigned char *> malloc(len(text) + 1)
    cdef Py_ssize_t count = starts.shape[0], i, end, length = 0
    cdef unsigned int[::1] places = np.empty(count, np.uint32)
    if out == NULL:
        raise MemoryError
    try:
        for i in range(count):
            places[i] = <unsigned int> length
            end = starts[i + 1] if i + 1 < count else len(text)
            length += normalize(begin + starts[i], end - starts[i], out + length)
        return PyBytes_FromStringAndSize(<char *> out, length), np.asarray(places)
    finally:
        free(out)


cdef Py_ssize_t normalize(const unsigned char *text, Py_ssize_t size, unsigned char *out) noexcept nogil:
    """Normalise into `out`, in the order of the rule: runs first, so a newline between two of them keeps both."""
    cdef Py_ssize_t i, length = 0, first = 0
    cdef unsigned char c, before = 0
    for i in range(size):
        c = text[i]
        if c == 32 or c == 9:
            if before != 32 and before != 9:
                out[length] = 32
                length += 1
        elif c != 13 and c != 10:
            out[length] = c
            length += 1
        before = c
    while length and is_blank(out[length - 1]):
        length -= 1
    while first < length and is_blank(out[first]):
        first += 1
    if first:
        memmove(out, out + first, length - first)
    return length - first


cdef inline bint is_blank(unsigned char c) noexcept nogil:
    return c == 32 or c == 11 or c == 12
