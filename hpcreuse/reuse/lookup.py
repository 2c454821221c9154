"""Which label does a digest match? Small sets of labels are held by every rank, large ones spread over all."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels import digests as dg
from hpcreuse.parallel.join import LocalTable, SpreadTable
from hpcreuse.parallel.world import World
from hpcreuse.store.labels import Labels


@dataclass(frozen=True)
class LabelLookup:
    """Collective to use. Finds the label numbers of sorted digests, whatever the size of L."""

    world: World
    labels: Labels
    passes: int
    memory: int
    tables: list[LocalTable | SpreadTable]
    """The table of the only pass, kept; empty when there are several passes and each loads its own."""

    @property
    def spread(self) -> bool:
        """Whether every look-up is an exchange, which all ranks must take part in."""
        return self.passes > 1 or isinstance(self.tables[0], SpreadTable)

    @classmethod
    @contextmanager
    def open(cls, world: World, path: Path, memory: int) -> Iterator["LabelLookup"]:
        """Collective. Open labels and decide by their size how to look them up."""
        world.on_root(_check, path)
        with Labels.open(path) as labels:
            table_bytes = len(labels) * (labels.options.width + 8)
            if table_bytes <= memory // 8:
                yield cls(world, labels, 1, memory, [LocalTable(labels.digests())])
                return
            passes = -(-table_bytes // (world.size * (memory // 4)))
            lookup = cls(world, labels, passes, memory, [])
            if passes == 1:
                lookup.tables.append(lookup._load(0))
            yield lookup

    def find(self, queries: dg.Digests) -> NDArray[np.int64]:
        """Collective if spread. Give the number of the label of each sorted digest, or -1."""
        if self.tables:
            return self.tables[0].find(queries)
        found = np.full(len(queries), -1, np.int64)
        for number in range(self.passes):
            found = np.maximum(found, self._load(number).find(queries))
        return found

    def find_distinct(self, queries: dg.Digests) -> NDArray[np.int64]:
        """Collective if spread. Do the same for sorted digests of which no two are equal."""
        return self.tables[0].find_distinct(queries) if self.tables else self.find(queries)

    def _load(self, number: int) -> SpreadTable:
        """Collective. Load this rank's slice of the labels of one pass."""
        parts, mine = self.passes * self.world.size, number * self.world.size + self.world.rank
        first, last = (place * len(self.labels) // parts for place in (mine, mine + 1))
        return SpreadTable.spread(self.world, self.labels.digests(first, last), first, self.memory // 8)


def _check(path: Path) -> None:
    with Labels.open(path):
        pass
