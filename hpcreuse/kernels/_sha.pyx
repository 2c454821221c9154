# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""SHA-1 and SHA-256 of pages and of their chunks, without a Python object per chunk."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc

from hpcreuse.kernels._crypto cimport SHA1, SHA256, Hash, digest_of

cdef extern from "sha1_messages.h" nogil:
    ctypedef struct Message:
        const uint8_t *data
        size_t size
        uint8_t *digest
    ctypedef struct Engine:
        pass
    void sha1_messages(const Engine *engine, const Message *first, const Message *end)

cdef extern from "longest_first.h" nogil:
    void longest_first(const Message *messages, size_t count, Message *sorted)
    int is_even(const Message *sorted, size_t count, size_t lanes)

cdef extern from "sha1_two.h" nogil:
    int has_sha()
    const Engine TWO_LANES

cdef extern from "sha1_sixteen.h" nogil:
    int has_512()
    const Engine SIXTEEN_LANES

# A message longer than one such share of all is on its own for long: two lanes are faster (measured)
DEF FAIR_SHARES = 4

ENGINES = [name for name, there in (("AVX-512", has_512()), ("SHA-NI", has_sha()), ("libcrypto", 1)) if there]
"""What can take SHA-1 on this processor, the fastest first."""
ENGINE = ENGINES[0]


def page_digests(list pages, str digest):
    """Hash payloads whole, and the ranges of their texts that begin at `starts`, each up to the next or to the end.

    A page is (payload, text, starts). Gives for each the digest of the payload, those of the ranges joined, and the
    lengths of the ranges. Many pages at once are faster than one by one.
    """
    cdef Py_ssize_t count = 0, most = sum([len(starts) + 1 for _, _, starts in pages])
    cdef Message *messages = <Message *> malloc(2 * most * sizeof(Message) + 1)
    cdef int width = 20 if digest == "sha1" else 32
    if messages == NULL:
        raise MemoryError
    try:
        found = []
        for payload, text, starts in pages:
            file = PyBytes_FromStringAndSize(NULL, width)
            chunks = PyBytes_FromStringAndSize(NULL, len(starts) * width)
            messages[count] = Message(bytes_of(payload), len(payload), bytes_of(file))
            lengths = add_ranges(text, starts, chunks, width, messages + count + 1)
            count += 1 + len(starts)
            found.append((file, chunks, lengths))
        hash_all(messages, count, digest)
        return found
    finally:
        free(messages)


cdef add_ranges(bytes text, const unsigned int[::1] starts, bytes digests, int width, Message *messages):
    """Note the ranges of a text; gives their lengths."""
    cdef Py_ssize_t count = starts.shape[0], size = len(text), i
    cdef bytes lengths = PyBytes_FromStringAndSize(NULL, count * sizeof(unsigned int))
    cdef unsigned int *length = <unsigned int *> bytes_of(lengths)
    for i in range(count):
        length[i] = <unsigned int> ((starts[i + 1] if i + 1 < count else size) - starts[i])
        messages[i] = Message(bytes_of(text) + starts[i], length[i], bytes_of(digests) + i * width)
    return np.frombuffer(lengths, np.uint32)


cdef hash_all(Message *messages, Py_ssize_t count, str digest):
    """Hash all messages; behind them there is room for as many."""
    cdef const Hash *hash = &SHA1 if digest == "sha1" else &SHA256
    cdef const Engine *engine = &TWO_LANES
    cdef Message *sorted = messages + count
    cdef Py_ssize_t i
    if digest != "sha1" or ENGINE == "libcrypto":
        for i in range(count):
            digest_of(hash, messages[i].data, messages[i].size, messages[i].digest)
        return
    longest_first(messages, count, sorted)
    if ENGINE == "AVX-512" and is_even(sorted, count, FAIR_SHARES):
        engine = &SIXTEEN_LANES
    sha1_messages(engine, sorted, sorted + count)


cdef inline uint8_t *bytes_of(bytes data) noexcept:
    return <uint8_t *> PyBytes_AS_STRING(data)
