"""Merging sorted runs of digests in plain Python: what the compiled kernel must equal, and what serves without it."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

REDUCE: dict[str, Callable[[int, int], int]] = {"+": int.__add__, "<": min, ">": max}


def merge_runs(
    runs: Sequence[Sequence[NDArray]], reduce: str, least: int
) -> tuple[NDArray[np.uint8], list[NDArray[np.int64]], int]:
    """Merge runs of distinct digests, each in order: equal digests become one row.

    Args:
        runs: at least one; of each its digests and its columns of numbers, `uint32` or `int64`.
        reduce: what becomes of the numbers of equal digests, a sign per column: + their sum, < the smallest, > the
            largest.
        least: rows with less than this in the first column are left out.

    Returns:
        The digests, their columns as `int64`, and how many rows were left out.
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
    return rows, list(np.ascontiguousarray(table.T)), len(found) - len(kept)
