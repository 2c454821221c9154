# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""A space before every tag of a block element, so that the text of a page keeps its words apart."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memchr, memcpy

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from hpcreuse.kernels.plain import BLOCKS

# A small hash table of names; no name of a block element is longer than ten characters, and six bits hold one
cdef enum:
    SLOTS = 512
cdef uint64_t NAMES[SLOTS]


cdef inline uint64_t packed(const uint8_t *name, Py_ssize_t size) noexcept:
    """Write a name of letters and digits, in any case, as a number."""
    cdef uint64_t number = 0
    cdef Py_ssize_t i
    for i in range(size):
        number = number << 6 | ((name[i] & 0x1F) if name[i] >= 65 else 32 + (name[i] & 0x0F))
    return number


cdef inline Py_ssize_t slot_of(uint64_t name) noexcept:
    """Find the slot of a name, or the free one where it would be."""
    cdef Py_ssize_t slot = (name * <uint64_t> 0x9E3779B97F4A7C15) >> 55
    while NAMES[slot] and NAMES[slot] != name:
        slot = (slot + 1) % SLOTS
    return slot


for block in BLOCKS:
    spelled = <bytes> block.encode()
    number = packed(<const uint8_t *> PyBytes_AS_STRING(spelled), len(spelled))
    NAMES[slot_of(number)] = number


cdef inline bint is_alphanumeric(uint8_t c) noexcept:
    return 97 <= c <= 122 or 65 <= c <= 90 or 48 <= c <= 57


def separate_blocks(bytes page):
    """Put a space before every start and end tag of a block element."""
    cdef const uint8_t *begin = <const uint8_t *> PyBytes_AS_STRING(page)
    cdef const uint8_t *end = begin + len(page)
    cdef const uint8_t *at = begin
    cdef const uint8_t *kept = begin
    cdef const uint8_t *name
    cdef const uint8_t *stop
    cdef bytes spaced = PyBytes_FromStringAndSize(NULL, len(page) + page.count(b"<"))
    cdef uint8_t *out = <uint8_t *> PyBytes_AS_STRING(spaced)
    cdef uint8_t *first = out
    while True:
        at = <const uint8_t *> memchr(at, 60, end - at)
        if at == NULL:
            break
        name = at + 2 if at + 1 < end and at[1] == 47 else at + 1
        stop = name
        while stop < end and is_alphanumeric(stop[0]):
            stop += 1
        if 1 <= stop - name <= 10 and NAMES[slot_of(packed(name, stop - name))]:
            memcpy(out, kept, at - kept)
            out += at - kept
            out[0] = 32
            out += 1
            kept = at
        at = stop
    memcpy(out, kept, end - kept)
    return spaced[: out + (end - kept) - first]
