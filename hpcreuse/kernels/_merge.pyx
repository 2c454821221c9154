# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Sorted runs of digests become one: each is read once, in order, and nothing but the outcome is written."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from hpcreuse.kernels._losers cimport MOST_COLUMNS, Run, climb, read_key

import numpy as np


def merge_runs(runs, str reduce, int64_t least):
    """Merge runs of distinct digests, each in order: equal digests become one row.

    Args:
        runs: at least one; of each its digests and its columns of numbers, `uint32` or `int64`.
        reduce: what becomes of the numbers of equal digests, a sign per column: + their sum, < the smallest, > the
            largest.
        least: rows with less than this in the first column are left out.

    Returns:
        The digests, their columns as `int64`, and how many rows were left out.
    """
    runs = [[np.ascontiguousarray(array) for array in run] for run in runs]
    cdef Py_ssize_t count = len(runs), width = runs[0][0].shape[1], columns = len(reduce), i, j
    cdef int64_t total = sum([len(run[0]) for run in runs]), rows, left_out = 0
    assert columns <= MOST_COLUMNS, "there is no room for so many columns"
    # One row more than there can be: the next is written before it is known whether it stays
    digests, numbers = np.empty((total + 1, width), np.uint8), np.empty((columns, total + 1), np.int64)
    cdef uint8_t[:, ::1] digest_rows = digests
    cdef int64_t[:, ::1] number_rows = numbers
    cdef bytes signs = reduce.encode()
    cdef const char *sign = signs
    cdef Run *heads = <Run *> malloc(count * sizeof(Run))
    cdef Py_ssize_t *tree = <Py_ssize_t *> malloc(count * sizeof(Py_ssize_t))
    try:
        if heads == NULL or tree == NULL:
            raise MemoryError
        for i in range(count):
            heads[i].digest = <const uint8_t *> <size_t> runs[i][0].ctypes.data
            heads[i].row, heads[i].rows = 0, len(runs[i][0])
            for j in range(columns):
                heads[i].columns[j] = <const void *> <size_t> runs[i][1 + j].ctypes.data
                heads[i].wide[j] = runs[i][1 + j].itemsize == 8
        with nogil:
            rows = merge(heads, tree, count, &digest_rows[0, 0], width, number_rows, sign, least, &left_out)
    finally:
        free(heads)
        free(tree)
    return digests[:rows], list(numbers[:, :rows]), left_out


cdef int64_t merge(Run *heads, Py_ssize_t *tree, Py_ssize_t count, uint8_t *digests, Py_ssize_t width,
                   int64_t[:, ::1] numbers, const char *sign, int64_t least, int64_t *left_out) noexcept nogil:
    """Write the rows and give their number."""
    cdef Py_ssize_t columns = numbers.shape[0], i, j
    cdef Run *head
    cdef int64_t number, row = -1
    cdef uint64_t key = 0
    for i in range(count):
        tree[i] = -1
    for i in range(count):
        read_key(&heads[i])
        climb(heads, tree, count, width, i)
    while heads[tree[0]].row < heads[tree[0]].rows:
        head = &heads[tree[0]]
        if row >= 0 and head.key == key and memcmp(head.digest, digests + row * width, width) == 0:
            for j in range(columns):
                number = number_of(head, j)
                if sign[j] == b"+":
                    numbers[j, row] += number
                elif (number < numbers[j, row]) == (sign[j] == b"<"):
                    numbers[j, row] = number
        else:
            if row >= 0 and numbers[0, row] < least:
                left_out[0] += 1
            else:
                row += 1
            key = head.key
            memcpy(digests + row * width, head.digest, width)
            for j in range(columns):
                numbers[j, row] = number_of(head, j)
        head.row += 1
        head.digest += width
        read_key(head)
        climb(heads, tree, count, width, tree[0])
    if row >= 0 and numbers[0, row] < least:
        left_out[0] += 1
        row -= 1
    return row + 1


cdef inline int64_t number_of(const Run *head, Py_ssize_t column) noexcept nogil:
    if head.wide[column]:
        return (<const int64_t *> head.columns[column])[head.row]
    return (<const uint32_t *> head.columns[column])[head.row]
