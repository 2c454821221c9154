# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Sorted runs of digests become one: each is read once, in order, and nothing but the outcome is written."""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, strlen

from hpcreuse.kernels._runs cimport MOST_COLUMNS, Run, climb, get, open_run, put, read_key

import numpy as np


def merge_runs(runs, str reduce, int64_t least):
    """Merge runs of distinct digests, each in order: equal digests become one row.

    Args:
        runs: at least one; of each its digests and its columns of numbers, `uint32` or `int64`.
        reduce: what becomes of the numbers of equal digests, a sign per column: + their sum, < the smallest, > the
            largest.
        least: rows with less than this in the first column are left out.

    Returns:
        The digests, their columns, of the types that the first run has and that must hold them, and how many rows
        were left out.
    """
    runs = [[np.ascontiguousarray(array) for array in run] for run in runs]
    cdef Py_ssize_t count = len(runs), width = runs[0][0].shape[1], i
    cdef int64_t left_out
    assert len(reduce) <= MOST_COLUMNS, "there is no room for so many columns"
    # One row more than there can be: the next is written before it is known whether it stays
    rows = sum([len(run[0]) for run in runs]) + 1
    merged = [np.empty((rows, *array.shape[1:]), array.dtype) for array in runs[0]]
    cdef bytes signs = reduce.encode()
    cdef const char *sign = signs
    cdef Run out
    cdef Run *heads = <Run *> malloc(count * sizeof(Run))
    cdef Py_ssize_t *tree = <Py_ssize_t *> malloc(count * sizeof(Py_ssize_t))
    try:
        if heads == NULL or tree == NULL:
            raise MemoryError
        open_run(&out, merged)
        for i in range(count):
            open_run(&heads[i], runs[i])
        with nogil:
            left_out = merge(heads, tree, count, width, sign, least, &out)
    finally:
        free(heads)
        free(tree)
    digests, *columns = (array[: out.row] for array in merged)
    return digests, columns, left_out


cdef int64_t merge(Run *heads, Py_ssize_t *tree, Py_ssize_t count, Py_ssize_t width, const char *sign, int64_t least,
                   Run *out) noexcept nogil:
    """Write the rows, of which `out` then tells the number, and give how many were left out."""
    cdef Py_ssize_t columns = strlen(sign), i, j
    cdef Run *head
    cdef int64_t number, left_out = 0
    cdef uint64_t key = 0
    cdef bint begun = False
    for i in range(count):
        tree[i] = -1
    for i in range(count):
        read_key(&heads[i])
        climb(heads, tree, count, width, i)
    while heads[tree[0]].row < heads[tree[0]].rows:
        head = &heads[tree[0]]
        if begun and head.key == key and memcmp(head.digest, out.digest, width) == 0:
            for j in range(columns):
                number = get(head, j)
                if sign[j] == b"+":
                    put(out, j, get(out, j) + number)
                elif (number < get(out, j)) == (sign[j] == b"<"):
                    put(out, j, number)
        else:
            if begun:
                left_out += leave(out, width, least)
            begun, key = True, head.key
            memcpy(out.digest, head.digest, width)
            for j in range(columns):
                put(out, j, get(head, j))
        head.row += 1
        head.digest += width
        read_key(head)
        climb(heads, tree, count, width, tree[0])
    if begun:
        left_out += leave(out, width, least)
    return left_out


cdef inline bint leave(Run *out, Py_ssize_t width, int64_t least) noexcept nogil:
    """Go on to the next row, unless this one is to be left out; tell whether it is."""
    if get(out, 0) < least:
        return True
    out.row += 1
    out.digest += width
    return False
