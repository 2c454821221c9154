"""Rows of a table from all ranks in one order: collected in sorted runs, then a sample sort in passes.

Every row has a key, a byte string that decides its place; rows with equal keys stand in no order that depends on
the ranks only if their keys are distinct, so methods put the number of the page at the end of the key.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.runs import HeldRun, SpooledRun, cost_of, in_order
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.exchange import exchange, exchange_ragged
from hpcreuse.parallel.passes import Passes
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.store import atomic
from hpcreuse.store.columns import Column, Rows, Texts
from hpcreuse.store.findings import TABLES, part_path, write_part
from hpcreuse.store.shard import cut_sorted

# Rows wait in memory until they take one part in so many of it, then on disk
SHARE_HELD = 4


class TableSorter:
    """Takes rows of one table in any order on every rank; `finish` writes them in the order of their keys."""

    def __init__(self, world: World, scratch: Path, method: str, table: str, memory: int):
        """Begin a table of findings that grow in the folder `scratch`."""
        self.world, self.scratch, self.table, self.memory = world, scratch, table, memory
        self.types = {column.name: column.type for column in TABLES[method][table]}
        self.held: list[Rows] = []
        self.held_cost = 0
        self.spooled: list[SpooledRun] = []

    def add(self, keys: Ragged, columns: dict[str, Column]) -> None:
        """Take rows: what fits the memory of a rank several times over."""
        if not len(keys):
            return
        rows = Rows({"key": keys, **{name: columns[name] for name in self.types}})
        self.held.append(rows)
        self.held_cost += cost_of(rows)
        if self.held_cost > self.memory // SHARE_HELD:
            self._spool()

    def _spool(self) -> None:
        """Put the rows that are held on disk, in order."""
        if self.held:
            path = self.scratch / "spool" / f"{self.table}-{self.world.rank:05d}-{len(self.spooled):06d}.h5"
            self.spooled.append(SpooledRun.write(path, {"key": str, **self.types}, self._sorted_held().rows))

    def _sorted_held(self) -> HeldRun:
        rows = Rows.concatenate([self._no_rows(), *self.held])
        self.held, self.held_cost = [], 0
        return HeldRun(in_order(rows))

    def finish(self, phases: Phases) -> int:
        """Collective. Write the rows of all ranks in order, one part per pass and rank; give their number."""
        with phases("sort"):
            if self.spooled:
                self._spool()
            runs: Sequence[HeldRun | SpooledRun] = self.spooled or [self._sorted_held()]
            passes = Passes.plan(self.world, sum(run.cost for run in runs), self.memory, runs)
        total = 0
        for number in range(passes.count):
            rows = self._pass(runs, passes.bounds(number), phases)
            total += len(rows)
            columns = {name: column for name, column in rows.columns.items() if name != "key"}
            with phases("write"):
                write_part(part_path(self.scratch, self.table, passes.range_number(number)), Rows(columns))
            self.world.stop_if_asked()
        for run in self.spooled:
            atomic.remove(run.path)
        count: int = self.world.comm.allreduce(total)
        return count

    def _pass(self, runs: Sequence[HeldRun | SpooledRun], bounds: list[bytes | None], phases: Phases) -> Rows:
        """Collective. Bring the rows in the ranges of one pass to their ranks and sort them there."""
        with phases("read"):
            read = [run.between(bounds[0], bounds[-1]) for run in runs]
        with phases("sort"):
            mine = read[0] if len(read) == 1 else in_order(Rows.concatenate(read))
            if self.world.size == 1:
                return mine
            key = mine.strings("key").__getitem__
            cuts = np.array([0, *(cut_sorted(len(mine), key, *pair)[1] for pair in pairwise(bounds))])
        with phases.together("exchange", self.world):
            received = exchange_rows(self.world, mine, cuts, self.memory // 4)
        with phases("sort"):
            return in_order(received)

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


def sort_keys(*columns: Ragged | NDArray[np.integer]) -> Ragged:
    """Give keys that put rows in the order of columns, the first counting most: strings, or numbers from 0 on."""
    rows = len(columns[0])
    parts: list[Ragged] = []
    for column in columns:
        if isinstance(column, Ragged):
            # Nothing that can follow on a string comes before its end
            parts += [column, Ragged(np.zeros(rows, np.uint8), np.arange(rows + 1))]
        else:
            parts.append(Ragged(column.astype(">u8").view(np.uint8), 8 * np.arange(rows + 1)))
    by_row = np.arange(len(parts) * rows).reshape(len(parts), rows).T.ravel()
    pieces = Ragged.concatenate(parts).take(by_row)
    return Ragged(pieces.values, pieces.offsets[:: len(parts)])


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
