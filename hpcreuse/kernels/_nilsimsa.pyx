# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Nilsimsa digests of many ranges of a page at once: 256 bits in which similar texts differ little."""

from libc.string cimport memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from hpcreuse.kernels.tran import TRAN

# What each byte of a trigram adds to the hash, for each of the eight kinds of trigrams
cdef unsigned char FIRST[8][256]
cdef unsigned char SECOND[8][256]
cdef unsigned char THIRD[8][256]

for _kind in range(8):
    for _byte in range(256):
        FIRST[_kind][_byte] = TRAN[(_byte + _kind) & 255]
        SECOND[_kind][_byte] = TRAN[_byte] * (2 * _kind + 1) & 255
        THIRD[_kind][_byte] = TRAN[_byte ^ TRAN[_kind]]


def range_nilsimsas(const unsigned char[::1] data, const unsigned int[::1] starts):
    """Give the Nilsimsa digests of the ranges that begin at `starts`, each up to the next one; 32 bytes each."""
    cdef Py_ssize_t count = starts.shape[0], size = data.shape[0], i, first, last
    cdef bytes out = PyBytes_FromStringAndSize(NULL, count * 32)
    cdef unsigned char *place = <unsigned char *> PyBytes_AS_STRING(out)
    cdef const unsigned char *text = &data[0] if size else NULL
    cdef unsigned int buckets[256]
    with nogil:
        for i in range(count):
            first = starts[i]
            last = starts[i + 1] if i + 1 < count else size
            memset(buckets, 0, sizeof(buckets))
            _digest(buckets, _hash_trigrams(text + first, last - first, buckets), place + 32 * i)
    return out


cdef inline void _add(unsigned int *buckets, int kind, int a, int b, int c) noexcept nogil:
    buckets[<unsigned char> ((FIRST[kind][a] ^ SECOND[kind][b]) + THIRD[kind][c])] += 1


cdef Py_ssize_t _hash_trigrams(const unsigned char *text, Py_ssize_t size, unsigned int *buckets) noexcept nogil:
    """Count the hashes of all trigrams within windows of five bytes; give how many there are."""
    cdef Py_ssize_t i
    cdef int c, w0, w1, w2, w3
    for i in range(2, size):
        c, w0, w1 = text[i], text[i - 1], text[i - 2]
        _add(buckets, 0, c, w0, w1)
        if i < 3:
            continue
        w2 = text[i - 3]
        _add(buckets, 1, c, w0, w2)
        _add(buckets, 2, c, w1, w2)
        if i < 4:
            continue
        w3 = text[i - 4]
        _add(buckets, 3, c, w0, w3)
        _add(buckets, 4, c, w1, w3)
        _add(buckets, 5, c, w2, w3)
        _add(buckets, 6, w3, w0, c)
        _add(buckets, 7, w3, w2, c)
    return 8 * size - 28 if size > 4 else 4 if size == 4 else 1 if size == 3 else 0


cdef void _digest(const unsigned int *buckets, Py_ssize_t trigrams, unsigned char *out) noexcept nogil:
    """Set the bits of the buckets above the mean; the highest comes first."""
    cdef int i
    memset(out, 0, 32)
    for i in range(256):
        if <Py_ssize_t> buckets[i] * 256 > trigrams:
            out[31 - (i >> 3)] |= <unsigned char> (1 << (i & 7))
