# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""SHA-1 of a page and of its chunks side by side, where the processor has instructions for it."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc

from hpcreuse.kernels._whitespace cimport normalize

cdef extern from "sha1_beside.h" nogil:
    ctypedef struct Sha1:
        pass
    int sha1_is_there()
    void sha1_begin(Sha1 *message, const uint8_t *data, size_t size)
    void sha1_finish(Sha1 *one, Sha1 *other, uint8_t *digest)

DEF WIDTH = 20

if not sha1_is_there():
    raise ImportError("this processor has no SHA instructions")


def page_digests(bytes payload, bytes text, const unsigned int[::1] starts, bint normalized):
    """Do what `_sha.page_digests` does for SHA-1."""
    cdef Py_ssize_t count = starts.shape[0], size = len(text), payload_size = len(payload), i, first, length
    cdef bytes whole = PyBytes_FromStringAndSize(NULL, WIDTH)
    cdef bytes digests = PyBytes_FromStringAndSize(NULL, count * WIDTH)
    cdef bytes lengths = PyBytes_FromStringAndSize(NULL, count * sizeof(unsigned int))
    cdef const uint8_t *begin = <const uint8_t *> PyBytes_AS_STRING(text)
    cdef const uint8_t *data = <const uint8_t *> PyBytes_AS_STRING(payload)
    cdef uint8_t *file_place = <uint8_t *> PyBytes_AS_STRING(whole)
    cdef uint8_t *place = <uint8_t *> PyBytes_AS_STRING(digests)
    cdef unsigned int *length_place = <unsigned int *> PyBytes_AS_STRING(lengths)
    cdef uint8_t *scratch = <uint8_t *> malloc(size + 1) if normalized else NULL
    cdef Sha1 file, chunk
    if normalized and scratch == NULL:
        raise MemoryError
    with nogil:
        sha1_begin(&file, data, payload_size)
        for i in range(count):
            first = starts[i]
            length = (starts[i + 1] if i + 1 < count else size) - first
            length_place[i] = <unsigned int> length
            if normalized:
                sha1_begin(&chunk, scratch, normalize(begin + first, length, scratch))
            else:
                sha1_begin(&chunk, begin + first, length)
            sha1_finish(&chunk, &file, place + i * WIDTH)
        if count == 0:
            sha1_begin(&chunk, data, 0)
        # The last chunk is done: the rest of the file goes alone
        sha1_finish(&file, &chunk, file_place)
    free(scratch)
    return whole, digests, np.frombuffer(lengths, np.uint32)
