"""Every collective against a plain-Python oracle, on as many ranks as mpiexec starts.

All ranks make the same cases from a seed, so each knows what all others hold: it gives its own share to the
collective and compares what comes back with what plain Python makes of the whole. One launch does all checks,
since 64 interpreters take long to start. Rank 0 prints `ok NAME` or what went wrong where, and
`result NAME HASH` for what must not depend on the number of ranks.
"""

import bisect
import hashlib
import os
import signal
import sys
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hpcreuse.errors import StoreError, UsageError
from hpcreuse.kernels import digests as dg
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.join import SpreadTable
from hpcreuse.parallel.memory import default_budget, node_memory
from hpcreuse.parallel.moments import ONE, Moments, Threshold
from hpcreuse.parallel.numbering import number_strings
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.repeats import may_repeat_anywhere
from hpcreuse.parallel.sharing import WorkQueue, assign
from hpcreuse.parallel.splitters import choose_splitters
from hpcreuse.parallel.world import World, start_world
from hpcreuse.reuse.counting import count_pass
from hpcreuse.store.result import MATCH
from hpcreuse.store.shard import Counted

SEED = 20240229


class Check:
    """Keeps what was wrong on this rank, so that all ranks go on to the next collective."""

    def __init__(self, world: World, name: str):
        self.world = world
        self.name = name
        self.rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
        self.wrong: list[str] = []

    def equal(self, what: str, got: object, want: object) -> None:
        if got != want:
            self.wrong.append(f"rank {self.world.rank}: {what}: got {shorten(got)}, want {shorten(want)}")

    def holds(self, what: str, condition: bool) -> None:
        if not condition:
            self.wrong.append(f"rank {self.world.rank}: {what}")

    def result(self, outcome: object) -> None:
        """Print a hash of something that every number of ranks must agree on."""
        if self.world.root:
            print("result", self.name, hashlib.sha256(repr(outcome).encode()).hexdigest(), flush=True)


def shorten(thing: object) -> str:
    text = repr(thing)
    return text if len(text) < 200 else f"{text[:150]}... ({len(text)} characters)"


# ---- exchange


class Watched:
    """A communicator that notes the rows of each round on their way to the real one."""

    def __init__(self, comm: Any):
        self.comm = comm
        self.rounds: list[tuple[int, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.comm, name)

    def Alltoallv(self, send: list, receive: list) -> None:
        self.rounds.append((int(np.sum(send[1][0])), int(np.sum(receive[1][0]))))
        self.comm.Alltoallv(send, receive)


def traffic(rng: Generator, size: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Give numbers of rows from each rank (first index) to each rank."""
    some = rng.integers(0, 4, (size, size))
    yield "random", some
    yield "nobody has rows", np.zeros((size, size), np.int64)
    silent = some.copy()
    silent[rng.random(size) < 0.5] = 0
    yield "some ranks send nothing", silent
    deaf = some.copy()
    deaf[:, rng.random(size) < 0.5] = 0
    yield "some ranks receive nothing", deaf
    target = np.zeros((size, size), np.int64)
    target[:, rng.integers(size)] = rng.integers(0, 12, size)
    yield "all to one", target
    source = np.zeros((size, size), np.int64)
    source[rng.integers(size)] = rng.integers(0, 12, size)
    yield "one to all", source
    pair = np.zeros((size, size), np.int64)
    pair[rng.integers(size), rng.integers(size)] = 23
    yield "one to one", pair
    zipf = np.minimum(rng.zipf(1.5, (size, size)), 25) - 1
    yield "skewed", zipf


def random_rows(rng: Generator, rows: int, dtype: np.dtype, shape: tuple[int, ...]) -> NDArray:
    row_bytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(rng.bytes(rows * row_bytes), dtype).reshape(rows, *shape)


COLUMNS = [
    (np.dtype(np.uint8), (20,)),
    (np.dtype(np.int64), ()),
    (MATCH, ()),
    (np.dtype(np.int64), (5,)),
    (np.dtype(np.uint8), ()),
    (np.dtype(">u2"), (3, 2)),
]


def exchange_moves_every_row_to_its_rank(check: Check) -> None:
    world, rng = check.world, check.rng
    for what, counts in traffic(rng, world.size):
        # Rows before the first cut and after the last go nowhere
        before, after = rng.integers(0, 3, (2, world.size))
        cuts = before[:, None] + np.concatenate([np.zeros((world.size, 1), np.int64), counts.cumsum(1)], 1)
        numbers = rng.choice(len(COLUMNS), 3, replace=False)
        columns = [
            [random_rows(rng, int(cuts[rank, -1] + after[rank]), *COLUMNS[n]) for rank in range(world.size)]
            for n in numbers
        ]
        round_bytes = int(rng.choice([1, 50 * world.size, 200 * world.size, 64 << 20]))
        # Nodes may have different amounts of memory
        mine = round_bytes * (1 + world.rank % 3)
        received, rcounts = exchange(world, [c[world.rank] for c in columns], cuts[world.rank], mine)
        me = world.rank
        check.equal(f"{what}: counts", rcounts.tolist(), counts[:, me].tolist())
        for n, column, got in zip(numbers, columns, received, strict=True):
            want = b"".join(column[r][cuts[r, me] : cuts[r, me + 1]].tobytes() for r in range(world.size))
            check.equal(f"{what}: {COLUMNS[n]}, rounds of {round_bytes} bytes", got.tobytes(), want)
            check.equal(f"{what}: dtype", got.dtype, COLUMNS[n][0])
            check.equal(f"{what}: shape", got.shape, (counts[:, me].sum(), *COLUMNS[n][1]))


def exchange_takes_rows_that_are_not_contiguous(check: Check) -> None:
    world = check.world
    whole = np.arange(world.size * world.size * 8).reshape(world.size, world.size, 8)
    (received,), _ = exchange(world, [whole[world.rank, :, ::2]], np.arange(world.size + 1))
    check.equal("rows", received.tolist(), whole[:, world.rank, ::2].tolist())


def exchange_keeps_to_the_bytes_of_a_round(check: Check) -> None:
    world, rng = check.world, check.rng
    counts = rng.integers(0, 15, (world.size, world.size))
    sent, arrived = int(counts[world.rank].sum()), int(counts[:, world.rank].sum())
    cuts = np.concatenate([[0], np.cumsum(counts[world.rank])])
    for round_bytes in (20 * world.size, 60 * world.size + 19):
        watched = Watched(world.comm)
        exchange(World(watched, world.rank, world.size), [np.zeros((sent, 20), np.uint8)], cuts, round_bytes)
        check.equal("rows sent", sum(s for s, _ in watched.rounds), sent)
        check.equal("rows received", sum(r for _, r in watched.rounds), arrived)
        most = max(max(both) for both in watched.rounds) if watched.rounds else 0
        check.holds(f"{most} rows of 20 bytes in a round of {round_bytes}", most * 20 <= round_bytes)
        rounds = world.comm.allgather(len(watched.rounds))
        check.equal("rounds on each rank", set(rounds), {-(-int(counts.max()) // (round_bytes // 20 // world.size))})


def exchange_counts_what_leaves_a_rank_and_what_comes(check: Check) -> None:
    rng, world = check.rng, World(check.world.comm, check.world.rank, check.world.size)
    counts = rng.integers(0, 40, (world.size, world.size))
    cuts = np.concatenate([[0], np.cumsum(counts[world.rank])])
    exchange(world, [np.zeros((cuts[-1], 20), np.uint8), np.zeros(cuts[-1], np.int64)], cuts, 100 * world.size)
    others = np.arange(world.size) != world.rank
    check.equal("sent", world.sent_bytes, 28 * int(counts[world.rank, others].sum()))
    check.equal("received", world.received_bytes, 28 * int(counts[others, world.rank].sum()))
    strings = Ragged.from_strings([b"four"] * world.size)
    exchange_ragged(world, strings, np.arange(world.size + 1))
    sent = 28 * int(counts[world.rank, others].sum()) + (world.size - 1) * (4 + strings.lengths.itemsize)
    check.equal("sent with strings", world.sent_bytes, sent)
    check.equal("summary", Phases().summary(world)["sent_bytes"]["max"], max(world.comm.allgather(sent)))


def exchange_ragged_moves_every_string(check: Check) -> None:
    world, rng = check.world, check.rng
    for what, counts in traffic(rng, world.size):
        counts = np.minimum(counts, max(1, 100 // world.size))
        lengths = [np.where(rng.random(n) < 0.3, 0, rng.integers(0, 30, n)) for n in counts.sum(1)]
        for long in lengths:
            if len(long) and rng.random() < 0.2:
                long[rng.integers(len(long))] = 5000
        strings = [[rng.bytes(int(n)) for n in ours] for ours in lengths]
        cuts = np.concatenate([np.zeros((world.size, 1), np.int64), counts.cumsum(1)], 1)
        round_bytes = int(rng.choice([1000 * world.size, 64 << 20]))
        mine = Ragged.from_strings(strings[world.rank])
        got = exchange_ragged(world, mine, cuts[world.rank], round_bytes)
        want = [s for r in range(world.size) for s in strings[r][cuts[r, world.rank] : cuts[r, world.rank + 1]]]
        check.equal(what, list(got), want)


def exchange_ragged_moves_matches(check: Check) -> None:
    world, rng = check.world, check.rng
    counts = rng.integers(0, 3, (world.size, world.size))
    lengths = [rng.integers(0, 4, n) for n in counts.sum(1)]
    values = [random_rows(rng, int(n.sum()), MATCH, ()) for n in lengths]
    runs = [Ragged.from_lengths(v, n) for v, n in zip(values, lengths, strict=True)]
    cuts = np.concatenate([np.zeros((world.size, 1), np.int64), counts.cumsum(1)], 1)
    got = exchange_ragged(world, runs[world.rank], cuts[world.rank], 16 * world.size)
    me = world.rank
    want = [v.tolist() for r in range(world.size) for v in as_lists(runs[r])[cuts[r, me] : cuts[r, me + 1]]]
    check.equal("matches", [v.tolist() for v in as_lists(got)], want)
    check.equal("dtype", got.values.dtype, MATCH)


def as_lists(strings: Ragged) -> list[NDArray]:
    return [strings.values[a:b] for a, b in pairwise(strings.offsets.tolist())]


# ---- splitters, passes


Runs = list[list[list[bytes]]]
"""Of each rank its sorted runs of keys."""


def deal(rng: Generator, keys: list[bytes], size: int) -> Runs:
    """Give keys to ranks in sorted runs: 0 to 3 runs a rank, some of them empty."""
    owners = [(rank, run) for rank in range(size) for run in range(rng.integers(0, 4))] or [(0, 0)]
    runs: Runs = [[[] for r, _ in owners if r == rank] for rank in range(size)]
    for key, number in zip(keys, rng.integers(0, len(owners), len(keys)), strict=True):
        rank, run = owners[number]
        runs[rank][run].append(key)
    for ours in runs:
        for run_keys in ours:
            run_keys.sort()
    return runs


class Keys(list[bytes]):
    """Sorted keys in memory."""

    def keys(self, places: Sequence[int]) -> list[bytes]:
        return [self[place] for place in places]


def as_runs(runs: list[list[bytes]]) -> list[Keys]:
    return [Keys(run) for run in runs]


def random_digests(rng: Generator, count: int, width: int = 20, clashes: float = 0.0) -> list[bytes]:
    """Give digests; a share of them takes the 64-bit prefix of one before it."""
    keys: list[bytes] = []
    for _ in range(count):
        clash = keys and rng.random() < clashes
        head = keys[rng.integers(len(keys))][:8] if clash else rng.bytes(8)
        keys.append(head + (bytes(width - 9) + rng.bytes(1) if rng.random() < 0.5 else rng.bytes(width - 8)))
    return keys


def zipf_digests(rng: Generator, count: int, clashes: float = 0.0) -> list[bytes]:
    pool = random_digests(rng, max(1, count // 3), clashes=clashes)
    return [pool[min(int(n), len(pool)) - 1] for n in rng.zipf(1.3, count)]


def ranges_of(splitters: Sequence[bytes], keys: Sequence[bytes]) -> Counter[int]:
    return Counter(bisect.bisect_right(splitters, key) for key in keys)


def key_cases(rng: Generator, parts: int) -> Iterator[tuple[str, list[bytes]]]:
    yield "no keys", []
    yield "one key", [b"key"]
    yield "all equal", [b"same"] * (10 * parts)
    yield "fewer keys than ranges", random_digests(rng, max(1, parts // 2))
    yield "Zipf", zipf_digests(rng, 20 * parts)
    yield "one prefix", [b"\0" * 8 + rng.bytes(12) for _ in range(10 * parts)]
    yield "extremes", [b"", b"\0", bytes(20), b"\xff" * 20] * parts
    yield "long and alike", [b"http://host/" + b"x" * 600 + b"%06d" % n for n in range(5 * parts)]


def ranges_cover_all_keys_once(check: Check) -> None:
    world, rng = check.world, check.rng
    for passes in (1, 3):
        parts = passes * world.size
        for what, keys in key_cases(rng, parts):
            runs = deal(rng, keys, world.size)
            # Each of the keys costs 1 byte, and `passes` times as much as all ranks have is there
            mine = sum(map(len, runs[world.rank]))
            memory = max(1, -(-len(keys) // parts))
            plan = Passes.plan(world, mine, memory, as_runs(runs[world.rank]))
            check.equal(f"{what}: passes", plan.count, max(1, -(-len(keys) // (world.size * memory))))
            check.equal(f"{what}: splitters", len(plan.splitters), plan.count * world.size - 1)
            check.equal(f"{what}: order", plan.splitters, sorted(plan.splitters))
            everyones = world.comm.allgather(zlib.crc32(repr(plan.splitters).encode()))
            check.equal(f"{what}: ranks that differ", len(set(everyones)), 1)
            # Every key lies between the bounds of one range only
            seen: Counter[bytes] = Counter()
            for number in range(plan.count):
                bounds = plan.bounds(number)
                check.equal(f"{what}: bounds", len(bounds), world.size + 1)
                for low, high in pairwise(bounds):
                    seen.update(k for k in set(keys) if (low is None or low <= k) and (high is None or k < high))
            check.equal(f"{what}: keys in ranges", seen, Counter(set(keys)))


def ranges_of_distinct_keys_are_balanced(check: Check) -> None:
    world, rng = check.world, check.rng
    cases = {"uniform": random_digests(rng, 100 * world.size)}
    cases["Zipf, combined"] = sorted(set(zipf_digests(rng, 200 * world.size)))
    sites = [b"http://big.example/%08d" % n for n in range(95 * world.size)]
    cases["one huge site"] = sites + [b"http://%s.example/" % rng.bytes(4).hex().encode() for _ in range(world.size)]
    for what, keys in cases.items():
        runs = deal(rng, keys, world.size)
        splitters = choose_splitters(world, world.size, as_runs(runs[world.rank]))
        largest, mean = max(ranges_of(splitters, keys).values()), len(keys) / world.size
        check.holds(f"{what}: largest range {largest}, mean {mean}", largest < 2 * mean)


def many_small_runs_do_not_outweigh_a_large_one(check: Check) -> None:
    world = check.world
    large = [b"large %09d" % n for n in range(500 * world.size)]
    # Each small shard holds one site, and all of them stand before the large one
    small = [[b"a small %06d" % n] for n in range(100 * world.size)][world.rank :: world.size]
    runs = [large, *small] if world.root else small
    splitters = choose_splitters(world, world.size, as_runs(runs))
    keys = [*large, *(b"a small %06d" % n for n in range(100 * world.size))]
    largest, mean = max(ranges_of(splitters, keys).values()), len(keys) / world.size
    check.holds(f"largest range {largest}, mean {mean}", largest < 2 * mean)


def ranges_of_skewed_keys_grow_by_the_commonest_at_most(check: Check) -> None:
    world, rng = check.world, check.rng
    keys = zipf_digests(rng, 100 * world.size)
    runs = deal(rng, keys, world.size)
    splitters = choose_splitters(world, world.size, as_runs(runs[world.rank]))
    largest, commonest = max(ranges_of(splitters, keys).values()), max(Counter(keys).values())
    bound = commonest + 2 * len(keys) / world.size
    check.holds(f"largest range {largest}, commonest key {commonest}", largest <= bound)


# ---- counting


def as_counted(keys: list[bytes], lengths: dict[bytes, int], width: int) -> Counted:
    """Count the keys of one shard; a shard sees lengths of its own, the shortest of all is wanted."""
    counter = sorted(Counter(keys).items())
    return Counted(
        dg.from_bytes(b"".join(k for k, _ in counter), width),
        np.array([n for _, n in counter], np.int64),
        np.array([lengths[k] for k, _ in counter], np.int64),
    )


@dataclass(frozen=True)
class InMemory:
    """Counted objects as a shard would give them."""

    counted: Counted

    def __len__(self) -> int:
        return len(self.counted)

    def keys(self, places: Sequence[int]) -> list[bytes]:
        return [self.counted.digests[place].tobytes() for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Counted:
        keys = [digest.tobytes() for digest in self.counted.digests]
        keep = [(low is None or key >= low) and (high is None or key < high) for key in keys]
        return self.counted.select(np.array(keep, bool))


def count_everything(
    world: World, runs: list[InMemory], memory: int, width: int
) -> tuple[int, list[tuple[bytes, int, int]]]:
    """Collective. Count in passes as `discover` does, and gather all ranges in their order."""
    plan = Passes.plan(world, sum(map(len, runs)), memory, runs)
    rows: list[tuple[bytes, int, int]] = []
    for number in range(plan.count):
        mine, _ = count_pass(world, plan.bounds(number), runs, Counted.empty(width), 200 * world.size, Phases())
        ours = zip([d.tobytes() for d in mine.digests], mine.counts.tolist(), mine.lengths.tolist(), strict=True)
        rows += [row for rank in world.comm.allgather(list(ours)) for row in rank]
    return plan.count, rows


def counts_are_those_of_a_counter(check: Check) -> None:
    world, rng = check.world, check.rng
    width = 20
    cases = [
        ("no keys", [], 1),
        ("all equal", [b"\xff" * width] * 50, 1),
        ("Zipf", zipf_digests(rng, 15 * world.size), 1),
        ("clashing prefixes", zipf_digests(rng, 15 * world.size, 0.5), 1),
        ("clashing prefixes in passes", zipf_digests(rng, 30 * world.size, 0.5), 3),
        ("one prefix", [b"\1" * 8 + bytes(11) + rng.bytes(1) for _ in range(20 * world.size)], 2),
    ]
    for what, keys, passes in cases:
        shards = [run for ours in deal(rng, keys, world.size) for run in ours]
        owners = rng.integers(0, world.size, len(shards))
        lengths = [{key: int(rng.integers(1, 1000)) for key in sorted(set(run))} for run in shards]
        counted = [as_counted(run, own, width) for run, own in zip(shards, lengths, strict=True)]
        runs = [InMemory(part) for part, owner in zip(counted, owners, strict=True) if owner == world.rank]
        shortest = {key: min(own[key] for own in lengths if key in own) for key in set(keys)}
        rows = sum(map(len, counted))
        done, got = count_everything(world, runs, max(1, rows // (passes * world.size)), width)
        check.equal(what, got, [(key, n, shortest[key]) for key, n in sorted(Counter(keys).items())])
        check.holds(f"{what}: {done} passes", done >= passes or not keys)


def counts_do_not_depend_on_the_number_of_ranks(check: Check) -> None:
    world, rng = check.world, check.rng
    shards = [zipf_digests(rng, 60, 0.3) for _ in range(7)]
    runs = [InMemory(as_counted(run, dict.fromkeys(run, 9), 20)) for run in shards]
    mine = [runs[n] for n in assign(world, [len(run) for run in runs])]
    check.result(count_everything(world, mine, 50, 20)[1])


# ---- repeats


def hashes_that_repeat_anywhere_are_never_let_go(check: Check) -> None:
    world, rng = check.world, check.rng
    many = rng.integers(0, 1 << 64, 20_000, np.uint64)
    cases = [
        ("none", many[:0]),
        ("all equal", np.repeat(many[:1], 300)),
        ("all once", many),
        ("some often", np.concatenate([many, np.repeat(many[:9], 200), many[:3000]])),
        ("equal in one half", np.concatenate([many & np.uint64(0xFFFFFFFF), many >> np.uint64(32) << np.uint64(32)])),
    ]
    for what, hashes in cases:
        owner = rng.integers(-1, world.size, len(hashes)) % world.size
        # One rank brings nothing
        owner[owner == world.size - 1] = 0
        mine = hashes[owner == world.rank]
        passed = may_repeat_anywhere(world, mine, int(rng.choice([1000 * world.size, 64 << 20])), Phases())
        counts = Counter(hashes.tolist())
        repeats = np.array([counts[number] > 1 for number in mine.tolist()], bool)
        check.holds(f"{what}: {np.count_nonzero(repeats & ~passed)} are let go", not np.any(repeats & ~passed))
        others = world.comm.allreduce(int(np.count_nonzero(passed & ~repeats)))
        check.holds(f"{what}: {others} others pass", others <= 0.15 * len(hashes) or what == "equal in one half")


# ---- numbering


@dataclass
class Sorted:
    """Sorted strings in memory."""

    strings: list[bytes]

    def __len__(self) -> int:
        return len(self.strings)

    @property
    def string_bytes(self) -> int:
        return sum(map(len, self.strings))

    def keys(self, places: Sequence[int]) -> list[bytes]:
        return [self.strings[place] for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> tuple[int, Ragged]:
        first = 0 if low is None else bisect.bisect_left(self.strings, low)
        last = len(self) if high is None else bisect.bisect_left(self.strings, high)
        return first, Ragged.from_strings(self.strings[first:last])


def strings_are_numbered_in_their_order(check: Check) -> None:
    world, rng = check.world, check.rng
    words = [b"http://%d.example/%s" % (n % 7, b"x" * (n % 5)) for n in range(60)]
    cases = [
        ("none", [], 1),
        ("all equal", [b"same"] * 30, 1),
        ("the empty one too", [b"", b"a", b"", b"b"], 1),
        ("many repeats", words * 3, 1),
        ("in passes", [b"%d" % n for n in rng.integers(0, 10**6, 40 * world.size)], 3),
    ]
    for what, strings, passes in cases:
        shares = [[sorted(run) for run in ours] for ours in deal(rng, strings, world.size)]
        mine = [Sorted(run) for run in shares[world.rank]]
        memory = max(1, 700 * len(strings) // (passes * world.size)) if passes > 1 else 1 << 30
        numbers: list[list[int]] = [[] for _ in mine]
        distinct: list[tuple[int, list[bytes]]] = []
        for numbered in number_strings(world, mine, memory, Phases()):
            distinct.append((numbered.range_number, list(numbered.distinct)))
            for found, (first, values) in zip(numbers, numbered.parts, strict=True):
                check.equal(f"{what}: first", first, len(found))
                found += values.tolist()
        order = {string: number for number, string in enumerate(sorted(set(strings)))}
        check.equal(what, numbers, [[order[string] for string in run.strings] for run in mine])
        ranges = sorted(each for rank in world.comm.allgather(distinct) for each in rank)
        check.equal(f"{what}: distinct", [string for _, some in ranges for string in some], list(order))
        check.holds(f"{what}: passes", len(distinct) >= passes or not strings)


# ---- join


def slices(rng: Generator, rows: int, size: int) -> Iterator[tuple[str, list[int]]]:
    """Give bounds of each rank's slice of a table."""
    yield "even", [rank * rows // size for rank in range(size + 1)]
    yield "random", [0, *np.sort(rng.integers(0, rows + 1, size - 1)).tolist(), rows]
    last = int(rng.integers(1, size + 1))
    yield "empty at the end", [min(rank, last) * rows // last for rank in range(size + 1)]
    first = int(rng.integers(0, size))
    yield "empty at the start", [max(0, rank - first) * rows // (size - first) for rank in range(size + 1)]
    few = sorted(rng.integers(0, rows + 1, 2).tolist())
    yield "empty in the middle", [0, *np.sort(rng.choice([0, *few, rows], size - 1)).tolist(), rows]
    owner = int(rng.integers(0, size))
    yield "one has all", [0] * (owner + 1) + [rows] * (size - owner)


def joins_find_what_a_dict_finds(check: Check) -> None:
    world, rng = check.world, check.rng
    for width, rows in ((20, 5 * world.size + 7), (32, 3), (20, 0), (8, 40)):
        keys = [key[:width] for key in random_digests(rng, rows, max(9, width), clashes=0.5)]
        keys += [bytes(width), b"\xff" * width][: rng.integers(0, 3)] if rows else []
        table = sorted(set(keys))
        numbers = {key: number for number, key in enumerate(table)}
        for what, bounds in slices(rng, len(table), world.size):
            first, last = bounds[world.rank], bounds[world.rank + 1]
            mine = dg.from_bytes(b"".join(table[first:last]), width)
            spread = SpreadTable.spread(world, mine, first, 40 * world.size)
            queries: list[list[bytes]] = []
            for _ in range(world.size):
                ours = [table[n] for n in rng.integers(0, len(table), rng.integers(0, 9))] if table else []
                ours += [key[:-1] + bytes([key[-1] ^ 1]) for key in ours[::2]]
                ours += [rng.bytes(width) for _ in range(rng.integers(0, 4))]
                ours += [bytes(width), b"\xff" * width] if rng.random() < 0.5 else []
                ours += ours[:3]
                queries.append(sorted(ours) if rng.random() < 0.8 else [])
            asked = queries[world.rank]
            got = spread.find(dg.from_bytes(b"".join(asked), width)).tolist()
            check.equal(f"{what}, {len(table)} rows", got, [numbers.get(key, -1) for key in asked])


# ---- moments


def moments_are_exact(check: Check) -> None:
    world, rng = check.world, check.rng
    values = np.concatenate([rng.random(200), rng.integers(0, 9, 300) / 9, [0.0, 1.0, 2.0**-60, 1 - 2.0**-53]])
    for what, some in (("random", values), ("ones", np.ones(97)), ("thirds", np.full(64, 1 / 3)), ("none", values[:0])):
        cuts = [0, *np.sort(rng.integers(0, len(some) + 1, world.size - 1)).tolist(), len(some)]
        moments = Moments.of(some[cuts[world.rank] : cuts[world.rank + 1]]).over_all(world)
        fixed = [round(Fraction(v) * ONE) for v in some.tolist()]
        want = Moments(len(fixed), sum(fixed), sum(v * v for v in fixed))
        check.equal(what, moments, want)
    threshold = Threshold.from_moments(Moments.of(values[world.rank :: world.size]).over_all(world), 1.5)
    # The cases above used up random numbers by the number of ranks; the values came before
    moments = Moments.of(values[world.rank :: world.size]).over_all(world)
    check.result((moments, moments.mean.hex(), moments.deviation.hex(), threshold, threshold.above(values).tolist()))


# ---- world


def map_keeps_the_order(check: Check) -> None:
    world = check.world
    for count in (0, 1, world.size - 1, world.size, 3 * world.size + 1):
        items = [f"item {n}" for n in range(count)]
        got = world.map(lambda item: (item.upper(), world.rank), items)
        check.equal(f"{count} items", [text for text, _ in got], [item.upper() for item in items])
        workers = Counter(rank for _, rank in got)
        check.holds(f"{count} items: {workers}", not workers or max(workers.values()) <= -(-count // world.size))


def root_gives_its_outcome_to_all(check: Check) -> None:
    world = check.world
    calls: list[int] = []

    def work(number: int, *, more: int) -> dict[str, int]:
        calls.append(number)
        return {"sum": number + more, "rank": world.rank}

    check.equal("outcome", world.on_root(work, 40, more=2), {"sum": 42, "rank": 0})
    check.equal("calls", calls, [40] if world.root else [])


def root_gives_its_error_to_all(check: Check) -> None:
    world = check.world

    def fail(error: Exception) -> None:
        raise error

    for error in (StoreError("the run is damaged"), UsageError("no such option")):
        try:
            world.on_root(fail, error)
            check.holds("no error", False)
        except StoreError as caught:
            check.equal("error", (str(caught), caught.exit_code, caught.shared), ("the run is damaged", 1, True))
        except UsageError as caught:
            check.equal("error", (str(caught), caught.exit_code, caught.shared), ("no such option", 2, True))
    check.equal("all go on", world.comm.allreduce(1), world.size)


def budgets_of_a_node_fit_into_it(check: Check) -> None:
    world = check.world
    whole = world.comm.allreduce(default_budget(world))
    check.holds(f"{whole} bytes of {node_memory()}", 0 < whole <= node_memory())


def phases_tell_the_slowest_rank(check: Check) -> None:
    world = check.world
    phases = Phases()
    phases.begin -= 100.0
    phases.add("all", 1.0 + world.rank)
    if world.rank == world.size - 1:
        phases.add("last only", 5.0)
    with phases.together("short", world):
        pass
    summary = phases.summary(world)
    check.equal("ranks", summary["ranks"], world.size)
    mean = round(1.0 + (world.size - 1) / 2, 3)
    check.equal("all", summary["phases"]["all"], {"max": float(world.size), "mean": mean})
    check.equal("last only", summary["phases"]["last only"], {"max": 5.0, "mean": round(5.0 / world.size, 3)})
    check.equal("names", set(summary["phases"]), {"all", "last only", "wait", "short", "other"})
    means = sum(phase["mean"] for phase in summary["phases"].values())
    check.holds(f"phases add up: {means} of {summary['seconds']} s", 100.0 <= means <= summary["seconds"] + 0.01)
    check.holds(f"{summary['start_seconds']} s to start", 0 < summary["start_seconds"] < 3600)


# ---- work sharing


def shares(world: World, count: int) -> list[list[int]]:
    """Collective. Share out numbers and tell who got which."""
    queue = WorkQueue(world, list(range(count)) if world.root else None, news_seconds=0)
    mine: list[int] = []
    for item in queue:
        mine.append(item)
        queue.attend(len(mine))
    return world.comm.allgather(mine)


def every_item_is_handed_out_once(check: Check) -> None:
    world = check.world
    for count in (0, 1, world.size - 1, 5 * world.size + 3):
        everyones = shares(world, count)
        check.equal(f"{count} items", sorted(n for mine in everyones for n in mine), list(range(count)))


def queues_after_each_other_keep_apart(check: Check) -> None:
    world = check.world
    taken: list[list[int]] = []
    for number in range(4):
        queue = WorkQueue(world, [100 * number + n for n in range(2 * world.size)] if world.root else None)
        taken.append([])
        for item in queue:
            taken[-1].append(item)
            queue.attend(None)
            # The first ranks are slow: the others are in the next queue before they have left this one
            time.sleep(0.005 if world.rank < 2 else 0)
    for number in range(4):
        got = sorted(n for mine in world.comm.allgather(taken[number]) for n in mine)
        check.equal(f"queue {number}", got, [100 * number + n for n in range(2 * world.size)])


def news_of_all_reach_the_root(check: Check) -> None:
    world = check.world
    queue = WorkQueue(world, list(range(2 * world.size)) if world.root else None, news_seconds=0)
    reported = None
    for item in queue:
        reported = (world.rank, item)
        queue.attend(reported)
    everyones = world.comm.allgather(reported)
    if world.root:
        want = {rank: news for rank, news in enumerate(everyones) if news is not None}
        check.equal("news", {rank: news for rank, news in queue.news.items() if news is not None}, want)


def whoever_is_free_takes_the_next_item(check: Check) -> None:
    world = check.world
    count = 4 * world.size
    queue = WorkQueue(world, list(range(count)) if world.root else None)
    mine = []
    world.wait()
    for item in queue:
        mine.append(item)
        # The first item takes as long as all others together
        end = time.monotonic() + (1.0 if item == 0 else 0.0)
        queue.attend(None)
        while time.monotonic() < end or (item == 0 and world.root and queue.items and world.size > 1):
            queue.attend(None)
            time.sleep(0.001)
    everyones = world.comm.allgather(mine)
    check.equal("items", sorted(n for ours in everyones for n in ours), list(range(count)))
    if 0 in mine and world.size > 1:
        check.holds(f"who had the long item took {len(mine)} of {count}", len(mine) <= count // 2)


def assignments_cover_all_items_evenly(check: Check) -> None:
    world, rng = check.world, check.rng
    for count in (0, 1, world.size // 2, 7 * world.size):
        costs = np.minimum(rng.zipf(1.3, count), 10**9).tolist()
        mine = assign(world, costs)
        check.equal("again", assign(world, costs), mine)
        everyones = world.comm.allgather(mine)
        check.equal(f"{count} items", sorted(n for ours in everyones for n in ours), list(range(count)))
        # Whoever has the most had the least before its last item
        loads = [sum(costs[n] + 1 for n in ours) for ours in everyones]
        bound = sum(loads) / world.size + max(costs, default=0) + 1
        check.holds(f"loads {shorten(loads)}", max(loads) <= bound)


def a_signal_to_one_rank_stops_all(check: Check) -> None:
    from hpcreuse.errors import Stopped

    world = check.world
    world.stop_if_asked()
    last, count = world.size - 1, 50 * world.size
    queue = WorkQueue(world, list(range(count)) if world.root else None)
    mine = []
    for item in queue:
        mine.append(item)
        if world.rank == last:
            os.kill(os.getpid(), signal.SIGUSR1)
        queue.attend(None)
        time.sleep(0.002)
    everyones = world.comm.allgather(mine)
    done = [n for ours in everyones for n in ours]
    check.equal("items once", len(done), len(set(done)))
    check.holds("no rest", len(done) < count or not everyones[last])
    if world.rank == last:
        os.kill(os.getpid(), signal.SIGUSR1)
    try:
        world.stop_if_asked()
        check.holds("no error", False)
    except Stopped as stopped:
        check.holds(str(stopped), "SIGUSR1" in str(stopped) and "run the same command again" in str(stopped))
        check.equal("exit code", (stopped.exit_code, stopped.shared), (75, True))


CHECKS: tuple[Callable[[Check], None], ...] = (
    exchange_moves_every_row_to_its_rank,
    exchange_takes_rows_that_are_not_contiguous,
    exchange_keeps_to_the_bytes_of_a_round,
    exchange_counts_what_leaves_a_rank_and_what_comes,
    exchange_ragged_moves_every_string,
    exchange_ragged_moves_matches,
    ranges_cover_all_keys_once,
    ranges_of_distinct_keys_are_balanced,
    many_small_runs_do_not_outweigh_a_large_one,
    ranges_of_skewed_keys_grow_by_the_commonest_at_most,
    counts_are_those_of_a_counter,
    counts_do_not_depend_on_the_number_of_ranks,
    hashes_that_repeat_anywhere_are_never_let_go,
    strings_are_numbered_in_their_order,
    joins_find_what_a_dict_finds,
    moments_are_exact,
    map_keeps_the_order,
    root_gives_its_outcome_to_all,
    root_gives_its_error_to_all,
    budgets_of_a_node_fit_into_it,
    phases_tell_the_slowest_rank,
    every_item_is_handed_out_once,
    queues_after_each_other_keep_apart,
    news_of_all_reach_the_root,
    whoever_is_free_takes_the_next_item,
    assignments_cover_all_items_evenly,
    # The last one: a rank that was told to stop stays so
    a_signal_to_one_rank_stops_all,
)


def main(names: Sequence[str]) -> int:
    world = start_world()
    failed = False
    for function in CHECKS:
        if names and function.__name__ not in names:
            continue
        check = Check(world, function.__name__)
        begin = time.monotonic()
        try:
            function(check)
        except BaseException:
            # The others are in a collective and would wait for ever
            print(f"{check.name}: rank {world.rank}: {traceback.format_exc()}", file=sys.stderr, flush=True)
            world.comm.Abort(1)
        wrong = [line for lines in world.comm.allgather(check.wrong[:3]) for line in lines]
        failed |= bool(wrong)
        if world.root:
            for line in wrong[:10]:
                print(f"wrong {check.name}: {line}", flush=True)
            if not wrong:
                print(f"ok {check.name} ({time.monotonic() - begin:.2f} s)", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
