"""Rows of a table from all ranks in one order: spooled in sorted runs, then a sample sort in passes.

Every row has a key, a byte string that decides its place; rows with equal keys stand in no order that depends on
the ranks only if their keys are distinct, so methods put the number of the page at the end of the key.
"""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged, sort_order
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.store import atomic, container
from hpcreuse.store.columns import Column, Rows, Texts
from hpcreuse.store.findings import FORMAT, TABLES, VERSION, part_path, read_part, write_part
from hpcreuse.store.shard import cut_sorted

# Memory of a row of a pass beside its bytes on disk: Python strings while sorting, copies on the way
BYTES_PER_ROW = 200
COPIES = 4


@dataclass(frozen=True)
class SpooledRun:
    """Rows in order of their keys, on disk."""

    path: Path
    types: dict[str, Any]
    rows: int
    nbytes: int

    def __len__(self) -> int:
        return self.rows

    def keys(self, places: Sequence[int]) -> list[bytes]:
        """Give the keys at these places."""
        with container.open_container(self.path, FORMAT, VERSION) as file:
            return [container.read_ragged(file, "key", place, place + 1)[0] for place in places]

    def between(self, low: bytes | None, high: bytes | None) -> Rows:
        """Read the rows with keys from low up to, but not with, high."""
        with container.open_container(self.path, FORMAT, VERSION) as file:

            def key(place: int) -> bytes:
                return container.read_ragged(file, "key", place, place + 1)[0]

            first, last = cut_sorted(self.rows, key, low, high)
        return read_part(self.path, self.types, first, last)


class TableSorter:
    """Takes rows of one table in any order on every rank; `finish` writes them in the order of their keys."""

    def __init__(self, world: World, scratch: Path, method: str, table: str, memory: int):
        """Begin a table of findings that grow in the folder `scratch`."""
        self.world, self.scratch, self.table, self.memory = world, scratch, table, memory
        self.types = {column.name: column.type for column in TABLES[method][table]}
        self.runs: list[SpooledRun] = []

    @cached_property
    def _spool(self) -> Path:
        return self.scratch / "spool"

    def add(self, keys: list[bytes], columns: dict[str, Column]) -> None:
        """Take rows: what fits the memory of a rank several times over."""
        if not keys:
            return
        rows = Rows({"key": Ragged.from_strings(keys), **{name: columns[name] for name in self.types}})
        path = self._spool / f"{self.table}-{self.world.rank:05d}-{len(self.runs):06d}.h5"
        write_part(path, rows.take(sort_order(keys)))
        self.runs.append(SpooledRun(path, {"key": str, **self.types}, len(keys), path.stat().st_size))

    def finish(self, phases: Phases) -> int:
        """Collective. Write the rows of all ranks in order, one part per pass and rank; give their number."""
        with phases("sort"):
            cost = sum(COPIES * run.nbytes + BYTES_PER_ROW * run.rows for run in self.runs)
            passes = Passes.plan(self.world, cost, self.memory, self.runs)
        total = 0
        for number in range(passes.count):
            rows = self._pass(passes.bounds(number), phases)
            total += len(rows)
            columns = {name: column for name, column in rows.columns.items() if name != "key"}
            with phases("write"):
                write_part(part_path(self.scratch, self.table, passes.range_number(number)), Rows(columns))
            self.world.stop_if_asked()
        for run in self.runs:
            atomic.remove(run.path)
        count: int = self.world.comm.allreduce(total)
        return count

    def _pass(self, bounds: list[bytes | None], phases: Phases) -> Rows:
        """Collective. Bring the rows in the ranges of one pass to their ranks and sort them there."""
        with phases("read"):
            read = [run.between(bounds[0], bounds[-1]) for run in self.runs]
            mine = Rows.concatenate([self._no_rows(), *read])
        with phases("sort"):
            mine, keys = in_order(mine)
            inner = [bisect.bisect_left(keys, bound) for bound in bounds[1:-1] if bound is not None]
            cuts = np.array([0, *inner, len(keys)])
        with phases.together("exchange", self.world):
            received = exchange_rows(self.world, mine, cuts, self.memory // 4)
        with phases("sort"):
            return in_order(received)[0]

    def _no_rows(self) -> Rows:
        return Rows({name: empty_column(kind) for name, kind in {"key": str, **self.types}.items()})


def empty_column(kind: Any) -> Column:
    """Give a column of no rows."""
    if kind is str:
        return Ragged.from_strings([])
    if kind == list[str]:
        return Texts.from_lengths(Ragged.from_strings([]), [])
    types: dict[Any, Any] = {int: np.int64, float: np.float64, bool: np.bool_}
    if kind in (list[float], list[int]):
        return Ragged.from_lengths(np.empty(0, types[get_args(kind)[0]]), [])
    return np.empty(0, types[kind])


def in_order(rows: Rows) -> tuple[Rows, list[bytes]]:
    """Sort rows by key; give the keys too."""
    keys = list(rows.strings("key"))
    order = sort_order(keys)
    return rows.take(order), [keys[i] for i in order.tolist()]


def exchange_rows(world: World, rows: Rows, cuts: NDArray[np.integer], round_bytes: int) -> Rows:
    """Collective. Send rows cuts[r] to cuts[r + 1] to rank r."""
    send = partial(_exchange_column, world, cuts=cuts, round_bytes=round_bytes)
    return Rows({name: send(column) for name, column in rows.columns.items()})


def _exchange_column(world: World, column: Column, cuts: NDArray[np.integer], round_bytes: int) -> Column:
    if isinstance(column, Texts):
        (lengths,), _ = exchange(world, [column.lengths], cuts, round_bytes)
        return Texts.from_lengths(exchange_ragged(world, column.flat, column.offsets[cuts], round_bytes), lengths)
    if isinstance(column, Ragged):
        return exchange_ragged(world, column, cuts, round_bytes)
    return exchange(world, [column], cuts, round_bytes)[0][0]
