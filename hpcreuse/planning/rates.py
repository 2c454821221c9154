"""How fast this machine is: the kernels and the disk the stages use, each timed for a moment.

Every rank measures at the same time, as in a job where all cores are busy; the mean over ranks counts.
"""

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.world import World
from hpcreuse.planning.sample import BlockSample
from hpcreuse.store.counts import read_piece, write_piece
from hpcreuse.store.shard import Counted, Shard
from hpcreuse.store.shard_writer import ShardWriter

ROWS = 200_000
RUNS = 8
STRINGS = 20_000
LOOKS = 50
REPEATS = 3


@dataclass(frozen=True)
class Rates:
    """Seconds per unit of work on one rank, and sizes of empty files."""

    read_byte: float
    """Reading and inflating, per byte of input."""
    hash_byte: float
    """Deciding the type, chunking, hashing and collecting, per byte of payload."""
    shard_chunk: float
    """Sorting and writing a shard, per chunk,"""
    shard_file: float
    """and per shard: the time until the disk has confirmed it."""
    merge_row: float
    """Merging runs of counted digests, per row and doubling of the runs."""
    find_row: float
    """Looking a digest up among labels, per digest."""
    match_chunk: float
    """Bringing labels to chunks and counting them per file, per chunk."""
    sort_string: float
    """Sorting URLs or directories with what hangs on them, per string and doubling."""
    add_up: float
    """Adding a directory to a neighborhood."""
    write_byte: float
    """Writing an HDF5 file up to the disk, per byte."""
    load_byte: float
    """Reading it back; from the cache of the system, if it is there."""
    open_file: float
    """Opening a shard and reading its header."""
    small_read: float
    """Reading one row of an array in a shard."""
    start: float
    """Processor time to start Python, NumPy and MPI."""
    empty_shard: float
    empty_piece: float
    """Bytes of such files with nothing in them."""
    resident: float
    """Memory of a rank before it has done anything."""

    def mean(self, world: World) -> "Rates":
        """Collective. Average over ranks."""
        everyones = world.comm.allgather(asdict(self))
        return Rates(**{f.name: sum(e[f.name] for e in everyones) / world.size for f in fields(self)})


def measure(
    world: World, mine: list[BlockSample], writer: ShardWriter, scratch: Path, started: float, resident: int
) -> Rates:
    """Collective. Measure all rates.

    Args:
        mine: what this rank read of the sample.
        writer: what it hashed of it.
        scratch: a folder on the file system that will hold the run.
    """
    with tempfile.TemporaryDirectory(prefix=".hpcreuse-plan-", dir=scratch) as name:
        folder = Path(name)
        chunks, shard_seconds = len(writer.chunk_digests) // writer.width, timed(write_shard, folder, writer)
        file_seconds = timed(write_shard, folder, ShardWriter(writer.width))
        empty_shard = (folder / "shard.h5").stat().st_size
        open_seconds, read_one_seconds = look_into(folder / "shard.h5")
        random = np.random.default_rng(0)
        counted = some_rows(random, writer.width)
        write_seconds = timed(write_piece, folder, 0, counted)
        piece_bytes = (folder / "piece-00000.h5").stat().st_size
        load_seconds = timed(lambda: list(read_piece(folder / "piece-00000.h5")))
        write_piece(folder, 1, Counted.empty(writer.width))
        empty_piece = (folder / "piece-00001.h5").stat().st_size
    table = counted.digests
    columns = ("read_seconds", "hash_seconds", "timed_bytes", "payload_bytes")
    sums = [sum(getattr(block, name) for block in mine) for name in columns] + [
        max(0.0, shard_seconds - file_seconds),
        chunks,
    ]
    read_seconds, hash_seconds, input_bytes, payload_bytes, shard_seconds, chunks = np.sum(
        world.comm.allgather(sums), axis=0
    ).tolist()
    return Rates(
        read_byte=read_seconds / max(1, input_bytes),
        hash_byte=hash_seconds / max(1, payload_bytes),
        shard_chunk=shard_seconds / max(1, chunks),
        shard_file=file_seconds,
        merge_row=timed(Counted.merge, cut_up(counted)) / (ROWS * math.log2(2 * RUNS)),
        find_row=timed(dg.find, table[::10].copy(), table) / ROWS,
        match_chunk=timed(match, random) / ROWS,
        sort_string=timed(sort_strings, some_strings(random)) / (STRINGS * math.log2(STRINGS)),
        add_up=timed(add_up, some_strings(random)) / (3 * STRINGS),
        write_byte=write_seconds / piece_bytes,
        load_byte=load_seconds / piece_bytes,
        open_file=open_seconds,
        small_read=read_one_seconds,
        start=started,
        empty_shard=empty_shard,
        empty_piece=empty_piece,
        resident=resident,
    ).mean(world)


def timed(function: Callable[..., Any], *arguments: Any) -> float:
    """Give the seconds that a call takes: the best of a few, as what else the machine does only adds to it."""
    best = math.inf
    for _ in range(REPEATS):
        begin = time.perf_counter()
        function(*arguments)
        best = min(best, time.perf_counter() - begin)
    return best


def write_shard(folder: Path, writer: ShardWriter) -> None:
    """Write a shard as `hash` does."""
    writer.write(folder / "shard.h5", {})


def look_into(path: Path) -> tuple[float, float]:
    """Give the seconds to open a shard, and to read one row of it."""
    opening = timed(open_shard, path)
    with Shard.open(path) as shard:
        rows = shard.file["distinct/index"]
        return opening, timed(lambda: [rows[number] for number in range(LOOKS)]) / LOOKS


def open_shard(path: Path) -> None:
    """Open a shard and leave it."""
    with Shard.open(path):
        pass


def some_rows(random: np.random.Generator, width: int) -> Counted:
    """Make distinct digests with counts."""
    digests = random.integers(0, 256, (ROWS, width), np.uint8)
    return Counted.combine([Counted(digests, np.ones(ROWS, np.int64), np.ones(ROWS, np.int64))])


def cut_up(counted: Counted) -> list[Counted]:
    """Make runs of rows, of which each has some from everywhere."""
    return [counted.select(np.arange(len(counted)) % RUNS == number) for number in range(RUNS)]


def some_strings(random: np.random.Generator) -> list[bytes]:
    """Make names of directories three levels deep, half of them of the same few sites."""
    return [f"www.example{a % 2000}.org/{b}/{c}/".encode() for a, b, c in random.integers(0, 4000, (STRINGS, 3))]


def match(random: np.random.Generator) -> None:
    """Do to chunks what `detect` does: a stand-in, as methods are not known here."""
    numbers = random.integers(0, ROWS, ROWS)
    label_of, listed = np.full(ROWS, -1, np.int64), np.zeros(ROWS, bool)
    label_of[::10] = 1
    starts = np.arange(0, ROWS + 1, 50)
    stopped = listed[numbers]
    label = np.where(stopped, -1, label_of[numbers])
    for marks in (~stopped, label >= 0, label >= 0):
        running = np.concatenate([[0], np.cumsum(marks)])
        running[starts[1:]] - running[starts[:-1]]
    places = np.flatnonzero(label >= 0)
    np.searchsorted(starts, places, side="right")


def sort_strings(strings: list[bytes]) -> None:
    """Sort strings with their numbers and bring the blob into that order: a stand-in for the sort of files."""
    packed = Ragged.from_strings(strings)
    urls, numbers = list(packed), list(range(len(strings)))
    order = sorted(numbers, key=lambda i: (urls[i], numbers[i]))
    packed.take(np.array(order, np.int64))


def add_up(directories: list[bytes]) -> None:
    """Add rows up by every prefix: a stand-in for the sums over neighborhoods."""
    totals: dict[bytes, list[int]] = {}
    for name in directories:
        place = name.find(b"/") + 1
        while place:
            known = totals.setdefault(name[:place], [0] * 5)
            for column in range(5):
                known[column] += 1
            place = name.find(b"/", place) + 1
