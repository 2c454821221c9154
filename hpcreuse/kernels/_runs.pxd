"""Sorted runs of digests with columns of numbers, and a tree of losers that tells which run is next.

Each inner node keeps the run that lost there, so that a run which moves on meets only the losers on its way to the
root. Runs meet by the first 64 bits of their digests; the rest settles ties.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

cdef enum:
    MOST_COLUMNS = 4

cdef struct Run:
    uint64_t key  # of the digest it stands at; the largest there is once it has ended
    uint8_t *digest
    int64_t row
    int64_t rows
    void *columns[MOST_COLUMNS]
    bint wide[MOST_COLUMNS]  # numbers of 64 bits, else of 32


cdef inline int open_run(Run *run, list arrays) except -1:
    """Stand at the beginning of a run: its digests, then its columns."""
    cdef Py_ssize_t j
    run.digest = <uint8_t *> <size_t> arrays[0].ctypes.data
    run.row, run.rows = 0, len(arrays[0])
    for j in range(len(arrays) - 1):
        run.columns[j] = <void *> <size_t> arrays[1 + j].ctypes.data
        run.wide[j] = arrays[1 + j].itemsize == 8
    return 0


cdef inline int64_t get(const Run *run, Py_ssize_t column) noexcept nogil:
    """Read a number of the row the run stands at."""
    if run.wide[column]:
        return (<const int64_t *> run.columns[column])[run.row]
    return (<const uint32_t *> run.columns[column])[run.row]


cdef inline void put(Run *run, Py_ssize_t column, int64_t number) noexcept nogil:
    """Write a number of the row the run stands at."""
    if run.wide[column]:
        (<int64_t *> run.columns[column])[run.row] = number
    else:
        (<uint32_t *> run.columns[column])[run.row] = <uint32_t> number


cdef inline void read_key(Run *run) noexcept nogil:
    """Read the first 8 bytes of the digest as a number that sorts as they do."""
    cdef uint64_t key = 0
    cdef int i
    if run.row == run.rows:
        run.key = <uint64_t> -1
        return
    for i in range(8):
        key = key << 8 | run.digest[i]
    run.key = key


cdef inline bint precedes(const Run *a, const Run *b, Py_ssize_t width) noexcept nogil:
    """Compare runs whose keys are equal; what has ended comes last."""
    if a.row == a.rows or b.row == b.rows:
        return a.row < a.rows
    return memcmp(a.digest, b.digest, width) < 0


cdef inline void climb(const Run *runs, Py_ssize_t *tree, Py_ssize_t count, Py_ssize_t width, Py_ssize_t run) noexcept nogil:
    """Let a run meet the losers above it; the winner of all stands at place 0.

    While the tree, which begins as -1 everywhere, is filled, a run stays where it is the first to come.
    """
    cdef Py_ssize_t node = (run + count) // 2, other
    while node > 0:
        other = tree[node]
        if other < 0:
            tree[node] = run
            return
        if runs[other].key < runs[run].key or (
            runs[other].key == runs[run].key and precedes(&runs[other], &runs[run], width)
        ):
            tree[node], run = run, other
        node = node // 2
    tree[0] = run
