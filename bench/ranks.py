"""Floors that take several ranks; run by limits.py under mpiexec, prints one JSON object on rank 0.

    mpiexec -n 2 python bench/ranks.py RUN --repeats 5

All ranks start each thing together, and the slowest rank's time counts.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import h5py
import measure
import numpy as np
from mpi4py import MPI

from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.world import World, start_world


def together(world: World, work: Callable[[], object]) -> Callable[[], float]:
    """Time something that all ranks begin together, by the last to end."""

    def once() -> float:
        world.comm.Barrier()
        begin = time.perf_counter()
        work()
        return float(world.comm.allreduce(time.perf_counter() - begin, MPI.MAX))

    return once


def read_distinct(paths: Sequence[Path]) -> np.ndarray:
    """Read the distinct digests of shards from disk."""
    parts = [np.empty((0, 20), np.uint8)]
    for path in paths:
        with h5py.File(path, "r", locking=False) as file:
            parts.append(file["distinct/digest"][:])
    return np.concatenate(parts)


def keys_of(digests: np.ndarray) -> np.ndarray:
    """Take the first 8 bytes of each digest as a number."""
    return np.ascontiguousarray(digests[:, :8]).view(">u8").reshape(-1).astype(np.uint64)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    world = start_world()
    mine = sorted((options.run / "shards").rglob("*.h5"))[world.rank :: world.size]
    digests = read_distinct(mine)
    keys = keys_of(digests)

    # What discover exchanges: digests with counts and lengths, in order, cut evenly
    order = np.argsort(keys)
    columns = [digests[order], np.ones(len(keys), np.int64), np.ones(len(keys), np.int64)]
    cuts = np.searchsorted(keys[order], np.arange(world.size + 1) * (2.0**64 / world.size)).astype(np.int64)
    cuts[-1] = len(keys)
    packed = np.empty(36 * len(keys), np.uint8)
    packed[:] = 1
    scounts = np.diff(cuts)
    rcounts = np.empty_like(scounts)
    world.comm.Alltoall(scounts, rcounts)
    received = np.empty(36 * int(rcounts.sum()), np.uint8)
    received[:] = 1
    row = MPI.BYTE.Create_contiguous(36).Commit()

    def alltoall() -> None:
        """The same bytes in one bare call, into memory that is there already."""
        rdisp = np.concatenate([[0], np.cumsum(rcounts)[:-1]])
        world.comm.Alltoallv([packed, (scounts, cuts[:-1]), row], [received, (rcounts, rdisp), row])

    def alltoall_anew() -> None:
        """The same bytes in one bare call, into new memory as any receiver must have it."""
        nonlocal received
        received = np.empty(36 * int(rcounts.sum()), np.uint8)
        alltoall()

    turns = {
        "unique": lambda: np.unique(keys, return_counts=True),
        "read_unique": lambda: np.unique(keys_of(read_distinct(mine)), return_counts=True),
        "read_unique_digests": lambda: np.unique(read_distinct(mine).view("V20").reshape(-1), return_counts=True),
        "alltoall": alltoall,
        "alltoall_anew": alltoall_anew,
        "exchange": lambda: exchange(world, columns, cuts),
    }
    seconds = measure.take_turns({name: together(world, work) for name, work in turns.items()}, options.repeats)
    bytes_sent = world.comm.allreduce(packed.nbytes)
    total = world.comm.allreduce(len(keys))
    if world.root:
        print(json.dumps({"keys": total, "bytes": bytes_sent, "seconds": seconds, "pid": os.getpid()}))


if __name__ == "__main__":
    main()
