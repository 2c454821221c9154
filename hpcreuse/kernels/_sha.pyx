# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""SHA-1 and SHA-256 of many ranges of a page at once, with libcrypto's Init, Update and Final.

The library is the one that Python's own hashlib uses, so that no headers are needed to build this.
"""

import ctypes

from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memmove

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

ctypedef int (*init_function)(void *context) noexcept nogil
ctypedef int (*update_function)(void *context, const void *data, size_t size) noexcept nogil
ctypedef int (*final_function)(unsigned char *digest, void *context) noexcept nogil

# SHA256_CTX has 112 bytes, SHA_CTX 96
DEF CONTEXT_BYTES = 256


cdef struct Hash:
    init_function init
    update_function update
    final_function finish
    int width


def _open_library():
    import _hashlib

    library = ctypes.CDLL(_hashlib.__file__)
    if not hasattr(library, "SHA1_Init"):
        # Starts other programs to find it, on every rank: only if need be
        from ctypes.util import find_library

        library = ctypes.CDLL(find_library("crypto"))
        if not hasattr(library, "SHA1_Init"):
            raise ImportError("no libcrypto to be found")
    return library


cdef uintptr_t _address(library, str name) except 0:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


cdef Hash _hash_named(library, str prefix, int width):
    cdef Hash found
    found.init = <init_function> _address(library, prefix + "_Init")
    found.update = <update_function> _address(library, prefix + "_Update")
    found.finish = <final_function> _address(library, prefix + "_Final")
    found.width = width
    return found


_library = _open_library()
cdef Hash SHA1 = _hash_named(_library, "SHA1", 20)
cdef Hash SHA256 = _hash_named(_library, "SHA256", 32)


def range_digests(const unsigned char[::1] data, const unsigned int[::1] starts, bint normalize, str digest):
    """Hash the ranges that begin at `starts`, each up to the next one, the last up to the end; digests joined.

    With `normalize`, runs of spaces and tabs become one space, CR and LF vanish, and spaces at the ends too.
    """
    cdef Hash hash = SHA1 if digest == "sha1" else SHA256
    cdef Py_ssize_t count = starts.shape[0], size = data.shape[0], i, first, last
    cdef bytes out = PyBytes_FromStringAndSize(NULL, count * hash.width)
    cdef unsigned char *place = <unsigned char *> PyBytes_AS_STRING(out)
    cdef unsigned char context[CONTEXT_BYTES]
    cdef const unsigned char *text = &data[0] if size else NULL
    cdef unsigned char *scratch = NULL
    if normalize:
        scratch = <unsigned char *> malloc(size + 1)
        if scratch == NULL:
            raise MemoryError
    with nogil:
        for i in range(count):
            first = starts[i]
            last = starts[i + 1] if i + 1 < count else size
            hash.init(context)
            if normalize:
                hash.update(context, scratch, _normalize(text + first, last - first, scratch))
            else:
                hash.update(context, text + first, last - first)
            hash.finish(place + i * hash.width, context)
    free(scratch)
    return out


cdef Py_ssize_t _normalize(const unsigned char *text, Py_ssize_t size, unsigned char *out) noexcept nogil:
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
    while length and _is_blank(out[length - 1]):
        length -= 1
    while first < length and _is_blank(out[first]):
        first += 1
    if first:
        memmove(out, out + first, length - first)
    return length - first


cdef inline bint _is_blank(unsigned char c) noexcept nogil:
    return c == 32 or c == 11 or c == 12
