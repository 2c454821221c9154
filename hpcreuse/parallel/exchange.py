"""The exchange: rows of arrays go from every rank to every rank, in rounds.

Rows are sent as a committed datatype, so counts are rows, not bytes, and stay far under 2^31. What arrives
is written straight to its final place: a round needs no memory beyond what MPI itself takes.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.world import World

ROUND_BYTES = 64 << 20


def exchange(
    world: World, columns: Sequence[NDArray], cuts: NDArray[np.integer], round_bytes: int = ROUND_BYTES
) -> tuple[list[NDArray], NDArray[np.int64]]:
    """Collective. Send rows cuts[r] to cuts[r + 1] of every column to rank r.

    Args:
        columns: arrays with the same number of rows; further dimensions are part of a row.
        cuts: size + 1 rising row numbers.
        round_bytes: how much a rank sends at most in one round; the least of all ranks counts.

    Returns:
        The columns received, the rows of rank 0 first, and how many rows came from each rank.
    """
    from mpi4py import MPI

    scounts = np.diff(cuts).astype(np.int64)
    rcounts = np.empty_like(scounts)
    world.comm.Alltoall(scounts, rcounts)
    # Both ends must cut what passes between them into the same rounds: agree on the most rows and the least bytes
    mine = np.array([scounts.max(), -round_bytes])
    agreed = np.empty_like(mine)
    world.comm.Allreduce(mine, agreed, MPI.MAX)
    rows, round_bytes = int(agreed[0]), -int(agreed[1])
    return [_exchange_column(world, column, cuts, rcounts, rows, round_bytes) for column in columns], rcounts


def exchange_ragged(world: World, strings: Ragged, cuts: NDArray[np.integer], round_bytes: int = ROUND_BYTES) -> Ragged:
    """Collective. Send strings cuts[r] to cuts[r + 1] to rank r."""
    return exchange_strings(world, strings, cuts, round_bytes)[0]


def exchange_strings(
    world: World, strings: Ragged, cuts: NDArray[np.integer], round_bytes: int = ROUND_BYTES
) -> tuple[Ragged, NDArray[np.int64]]:
    """Collective. Send strings cuts[r] to cuts[r + 1] to rank r; give also how many came from each rank."""
    (lengths,), rcounts = exchange(world, [strings.lengths], cuts, round_bytes)
    (values,), _ = exchange(world, [strings.values], strings.offsets[cuts], round_bytes)
    return Ragged.from_lengths(values, lengths), rcounts


def _exchange_column(
    world: World,
    column: NDArray,
    cuts: NDArray[np.integer],
    rcounts: NDArray[np.int64],
    rows: int,
    round_bytes: int,
) -> NDArray:
    """Collective. Exchange one column, of which no two ranks pass more than `rows` between them."""
    from mpi4py import MPI

    column = np.ascontiguousarray(column)
    received = np.empty((int(rcounts.sum()), *column.shape[1:]), column.dtype)
    row_bytes = column.dtype.itemsize * int(np.prod(column.shape[1:], dtype=np.int64))
    sfirst, slast = np.asarray(cuts[:-1], np.int64), np.asarray(cuts[1:], np.int64)
    rlast = np.cumsum(rcounts)
    rfirst = rlast - rcounts

    # A round moves at most `quota` rows between any two ranks
    quota = max(1, round_bytes // max(1, row_bytes * world.size))
    row = MPI.BYTE.Create_contiguous(row_bytes).Commit()
    try:
        for done in range(0, rows, quota):
            sdisp = np.minimum(sfirst + done, slast)
            rdisp = np.minimum(rfirst + done, rlast)
            scount = np.minimum(quota, slast - sdisp)
            rcount = np.minimum(quota, rlast - rdisp)
            world.comm.Alltoallv([column, (scount, sdisp), row], [received, (rcount, rdisp), row])
    finally:
        row.Free()
    world.sent_bytes += row_bytes * int(np.sum(slast - sfirst) - (slast - sfirst)[world.rank])
    world.received_bytes += row_bytes * int(np.sum(rcounts) - rcounts[world.rank])
    return received
