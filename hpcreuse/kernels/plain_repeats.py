"""The kernels that look for repeats in plain Python: what the compiled ones must equal."""

import numpy as np
from numpy.typing import NDArray


def may_repeat(numbers: NDArray[np.unsignedinteger], slots: int) -> NDArray[np.bool_]:
    """Tell which numbers share their slot, given by their low bits, with another; all others surely occur once."""
    slot = (numbers & numbers.dtype.type(slots - 1)).astype(np.int64)
    shared: NDArray[np.bool_] = np.bincount(slot, minlength=slots)[slot] > 1
    return shared


def deal(
    hashes: NDArray[np.uint64], chosen: NDArray[np.bool_], ranks: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Give the low halves of the chosen hashes, those of rank 0 first, and where those of each rank begin and end."""
    order, cuts = _dealt(hashes[chosen], ranks)
    return hashes[chosen][order].astype(np.uint32), cuts


def collect(
    hashes: NDArray[np.uint64], chosen: NDArray[np.bool_], cuts: NDArray[np.int64], answers: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Give for each hash the answer to what was dealt out of it, and 0 for those that were not chosen."""
    collected = np.zeros(len(hashes), np.uint8)
    order, _ = _dealt(hashes[chosen], len(cuts) - 1)
    collected[np.flatnonzero(chosen)[order]] = answers
    return collected


def _dealt(hashes: NDArray[np.uint64], ranks: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order hashes by the rank that their high half tells, and find where those of each rank begin and end."""
    rank = (hashes >> np.uint64(32)).astype(np.int64) % ranks
    return np.argsort(rank, kind="stable"), np.cumsum([0, *np.bincount(rank, minlength=ranks).tolist()])
