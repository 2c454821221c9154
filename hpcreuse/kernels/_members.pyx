# cython: language_level=3
"""Whole gzip members inflated in one call each by libdeflate, into a buffer that is kept from member to member.

The library is the one inside the `deflate` package, else the system's.
"""

import deflate._deflate

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc

from hpcreuse.kernels.libraries import Library

ctypedef void *(*new_function)() noexcept nogil
ctypedef void (*free_function)(void *decompressor) noexcept nogil
ctypedef int (*inflate_function)(
    void *decompressor, const void *data, size_t size, void *out, size_t room, size_t *used, size_t *made
) noexcept nogil

_library = Library(deflate._deflate.__file__, "deflate", "libdeflate_gzip_decompress_ex")
cdef new_function new_decompressor = <new_function> <uintptr_t> _library.address("libdeflate_alloc_decompressor")
cdef free_function free_decompressor = <free_function> <uintptr_t> _library.address("libdeflate_free_decompressor")
cdef inflate_function gzip_inflate = <inflate_function> <uintptr_t> _library.address("libdeflate_gzip_decompress_ex")


cdef class MemberInflater:
    """Inflates members that are whole, sound and no larger than `room`."""

    cdef void *decompressor
    cdef unsigned char *out
    cdef size_t room

    def __cinit__(self, size_t room):
        self.room = room
        self.out = <unsigned char *> malloc(room)
        self.decompressor = new_decompressor()
        if self.out == NULL or self.decompressor == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.out)
        if self.decompressor != NULL:
            free_decompressor(self.decompressor)

    def inflate(self, bytes data, Py_ssize_t at, size_t enough):
        """Inflate the members that stand at a place one after the other until their contents are `enough`.

        Gives for each its content and the place behind it; nothing where the first is not whole, is damaged or
        is too large: what to make of that is for a slower reader to say.
        """
        cdef const unsigned char *begin = <const unsigned char *> PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = len(data)
        cdef size_t used = 0, made = 0, sum = 0
        cdef list found = []
        while at < size and sum < enough:
            if gzip_inflate(self.decompressor, begin + at, size - at, self.out, self.room, &used, &made):
                break
            at += used
            sum += made
            found.append((PyBytes_FromStringAndSize(<char *> self.out, made), at))
        return found
