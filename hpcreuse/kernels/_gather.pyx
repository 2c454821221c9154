# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Strings of one blob copied back to back in another order."""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy


def gather(const uint8_t[::1] values, const int64_t[::1] starts, const int64_t[::1] offsets, uint8_t[::1] out):
    """Copy string i, which starts at starts[i] in `values`, to offsets[i] up to offsets[i + 1] in `out`.

    Raises IndexError for a string that does not lie in `values`: offsets may come from a damaged file.
    """
    cdef Py_ssize_t string, strings = starts.shape[0]
    cdef int64_t length
    if offsets.shape[0] != strings + 1 or offsets[0] != 0 or offsets[strings] != out.shape[0]:
        raise ValueError("the offsets do not fit the strings")
    for string in range(strings):
        length = offsets[string + 1] - offsets[string]
        if length < 0 or starts[string] < 0 or starts[string] > values.shape[0] - length:
            raise IndexError(f"string {string} is outside of what is there")
        if length:
            memcpy(&out[offsets[string]], &values[starts[string]], length)
