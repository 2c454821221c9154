"""Equal digests brought together in plain Python: what compiled kernels must equal, and what serves without them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

REDUCE: dict[str, Callable[[int, int], int]] = {"+": int.__add__, "<": min, ">": max}


def merge_runs(
    runs: Sequence[Sequence[NDArray]], reduce: str, least: int
) -> tuple[NDArray[np.uint8], list[NDArray], int]:
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
    found: dict[bytes, list[int]] = {}
    for digests, *columns in runs:
        for digest, *numbers in zip(digests, *(column.tolist() for column in columns), strict=True):
            key = digest.tobytes()
            known = found.get(key, numbers)
            pairs = zip(reduce, known, numbers, strict=True)
            found[key] = [REDUCE[sign](a, b) for sign, a, b in pairs] if key in found else numbers
    kept = [key for key in sorted(found) if found[key][0] >= least]
    table = np.array([found[key] for key in kept], np.int64).reshape(-1, len(reduce))
    rows = np.frombuffer(b"".join(kept), np.uint8).reshape(-1, runs[0][0].shape[1])
    columns = [column.astype(like.dtype) for column, like in zip(table.T, runs[0][1:], strict=True)]
    return rows, columns, len(found) - len(kept)


def number_distinct(
    keys: NDArray[np.uint64], bits: int, digests: NDArray[np.uint8], lengths: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
    """Number the distinct digests in order, and bring together what is known of each.

    Args:
        keys: sorted; of each digest its first bits and, in the lowest `bits`, the number of its row; not needed here.
        lengths: of what the digests were made of.

    Returns:
        The number of each digest; then of each distinct one itself, how often it occurs, and its least length.
    """
    rows: dict[bytes, list[int]] = {}
    for row, digest in enumerate(digests):
        rows.setdefault(digest.tobytes(), []).append(row)
    numbers = np.empty(len(digests), np.uint32)
    for number, key in enumerate(sorted(rows)):
        numbers[rows[key]] = number
    groups = [rows[key] for key in sorted(rows)]
    return (
        numbers,
        np.frombuffer(b"".join(sorted(rows)), np.uint8).reshape(-1, digests.shape[1]),
        np.array([len(group) for group in groups], np.uint32),
        np.array([lengths[group].min() for group in groups], np.uint32),
    )


def match_files(
    numbers: NDArray[np.uint32],
    starts: NDArray[np.int64],
    label_of: NDArray[np.int64],
    stopped: NDArray[np.bool_],
    lengths: NDArray[np.uint32],
    min_length: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Count the chunks of each file that are not stopped and those that are labelled, and list these.

    Args:
        numbers: of each chunk that of its distinct digest.
        starts: where the chunks of each file start, and where the last end.
        label_of: of each distinct digest its label, or -1.
        stopped: which distinct digests are stop chunks.
        lengths: of each chunk; one below `min_length` is a stop chunk too.

    Returns:
        Of each file how many chunks count and how many are labelled; of each labelled chunk, in order, its position in
        its file, and its label.
    """
    counts = ~(stopped[numbers] | (lengths < min_length))
    chunks, bad, positions, labels = [], [], [], []
    for first, last in pairwise(starts.tolist()):
        here = np.flatnonzero(counts[first:last])
        label = label_of[numbers[first + here]]
        chunks.append(len(here))
        bad.append(np.count_nonzero(label >= 0))
        positions += here[label >= 0].tolist()
        labels += label[label >= 0].tolist()
    return (
        np.array(chunks, np.int64),
        np.array(bad, np.int64),
        np.array(positions, np.uint32),
        np.array(labels, np.uint32),
    )
