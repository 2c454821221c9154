# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""SHA-1 and SHA-256 of a page and of its chunks at once, with libcrypto's Init, Update and Final.

The library is the one that Python's own hashlib uses, so that no headers are needed to build this.
"""

import ctypes

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc

from hpcreuse.kernels._whitespace cimport normalize

try:
    from hpcreuse.kernels._sha_beside import page_digests as sha1_beside
except ImportError:
    sha1_beside = None

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


cdef inline void digest_of(Hash *hash, const unsigned char *data, Py_ssize_t size, unsigned char *out) noexcept nogil:
    cdef unsigned char context[CONTEXT_BYTES]
    hash.init(context)
    hash.update(context, data, size)
    hash.finish(out, context)


def page_digests(bytes payload, bytes text, starts, bint normalized, str digest):
    """Hash a payload whole, and the ranges of its text that begin at `starts`, each up to the next or to the end.

    Gives the digest of the payload, those of the ranges joined, and the lengths of the ranges; with `normalized`
    the whitespace of each range is normalised before it is hashed, its length is that before.
    """
    if sha1_beside is not None and digest == "sha1":
        return sha1_beside(payload, text, starts, normalized)
    cdef Hash hash = SHA1 if digest == "sha1" else SHA256
    cdef const unsigned int[::1] places = starts
    cdef Py_ssize_t count = places.shape[0], size = len(text), payload_size = len(payload), i, first, length
    cdef bytes whole = PyBytes_FromStringAndSize(NULL, hash.width)
    cdef bytes digests = PyBytes_FromStringAndSize(NULL, count * hash.width)
    cdef bytes lengths = PyBytes_FromStringAndSize(NULL, count * sizeof(unsigned int))
    cdef const unsigned char *begin = <const unsigned char *> PyBytes_AS_STRING(text)
    cdef const unsigned char *file = <const unsigned char *> PyBytes_AS_STRING(payload)
    cdef unsigned char *file_place = <unsigned char *> PyBytes_AS_STRING(whole)
    cdef unsigned char *place = <unsigned char *> PyBytes_AS_STRING(digests)
    cdef unsigned int *length_place = <unsigned int *> PyBytes_AS_STRING(lengths)
    cdef unsigned char *scratch = <unsigned char *> malloc(size + 1) if normalized else NULL
    if normalized and scratch == NULL:
        raise MemoryError
    with nogil:
        digest_of(&hash, file, payload_size, file_place)
        for i in range(count):
            first = places[i]
            length = (places[i + 1] if i + 1 < count else size) - first
            length_place[i] = <unsigned int> length
            if normalized:
                digest_of(&hash, scratch, normalize(begin + first, length, scratch), place + i * hash.width)
            else:
                digest_of(&hash, begin + first, length, place + i * hash.width)
    free(scratch)
    return whole, digests, np.frombuffer(lengths, np.uint32)
