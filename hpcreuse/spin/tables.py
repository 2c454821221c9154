"""The tables of `spin`, written by all ranks together: filters, pairs, clusters and their sizes."""

from collections import Counter
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.corpus.clusters import number_clusters
from hpcreuse.corpus.ordering import TableSorter, sort_keys
from hpcreuse.corpus.texts import TextCorpus
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.parallel.components import clustered, connected_components, spanning_edges
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.spread import SpreadArray
from hpcreuse.parallel.world import World
from hpcreuse.spin.verifying import KINDS, Verified
from hpcreuse.store.columns import Column

# Memory of a pair on its way into the table, with its URLs, and of an edge between pages
BYTES_PER_ROW = 2000
BYTES_PER_EDGE = 64


def write_counts(world: World, scratch: Path, names: list[str], counts: list[int], phases: Phases) -> None:
    """Collective. Write the table of the filters: how many pages are left after each."""
    columns: dict[str, Column] = {"filter": Ragged.from_strings([name.encode() for name in names])}
    write_on_root(world, scratch, "filters", columns | {"pages": np.array(counts, np.int64)}, phases)


def write_on_root(world: World, scratch: Path, table: str, columns: dict[str, Column], phases: Phases) -> None:
    """Collective. Write a table of a few rows, which every rank knows, in their order."""
    sorter = TableSorter(world, scratch, "spin", table, 1 << 20)
    if world.root:
        rows = len(next(iter(columns.values())))
        sorter.add(sort_keys(np.arange(rows)), columns)
    sorter.finish(phases)


class PairTable:
    """Takes pairs as they are found; keeps few in memory, and of the graph they make only what joins pages."""

    def __init__(self, corpus: TextCorpus, scratch: Path, memory: int, phases: Phases):
        self.corpus, self.memory, self.phases = corpus, memory, phases
        self.sorter = TableSorter(corpus.world, scratch, "spin", "pairs", memory // 2)
        self.held: list[Verified] = []
        self.counts = np.zeros(len(KINDS), np.int64)
        # Every kind has a graph of its own: page p of kind k is vertex k * pages + p
        self.edges = np.empty(0, np.int64), np.empty(0, np.int64)
        self.most_edges = max(1 << 12, memory // BYTES_PER_EDGE)

    def add(self, pairs: Verified) -> None:
        """Collective. Take pairs of this rank, maybe none."""
        self.counts += np.bincount(pairs.kind, minlength=len(KINDS))
        shift = pairs.kind * self.corpus.pages
        self.edges = np.append(self.edges[0], pairs.a + shift), np.append(self.edges[1], pairs.b + shift)
        if len(self.edges[0]) > self.most_edges:
            self.edges = spanning_edges(*self.edges)
            # What is left joins ever more pages: look again when as much has come again
            self.most_edges = max(self.most_edges, 2 * len(self.edges[0]))
        self.held.append(pairs)
        held = max(self.corpus.world.comm.allgather(sum(len(some.a) for some in self.held)))
        if held > self.memory // BYTES_PER_ROW:
            self._spool()

    def finish(self) -> dict[str, int]:
        """Collective. Write the table in order of URLs; give how many pairs there are of each kind."""
        self._spool()
        self.sorter.finish(self.phases)
        totals = self.corpus.world.comm.allreduce(self.counts).tolist()
        return {f"{name}_pairs": count for name, count in zip(KINDS, totals, strict=True)}

    def _spool(self) -> None:
        """Collective. Look the URLs up and put the rows away."""
        pairs, self.held = Verified.concatenate(self.held), []
        with self.phases("write"):
            urls = list(self.corpus.urls_of(np.concatenate([pairs.a, pairs.b]), self.memory // 8))
            ends = list(zip(urls, [*pairs.a.tolist(), *pairs.b.tolist()], strict=True))
            couples = [sorted(couple) for couple in zip(ends[: len(pairs.a)], ends[len(pairs.a) :], strict=True)]
            keys = [a + b"\0" + b + b"\0" + x.to_bytes(8, "big") + y.to_bytes(8, "big") for (a, x), (b, y) in couples]
            columns: dict[str, Column] = {
                "a": Ragged.from_strings([a for (a, _), _ in couples]),
                "b": Ragged.from_strings([b for _, (b, _) in couples]),
                "similarity": pairs.similarity,
                "mutable": pairs.mutable,
                "kind": Ragged.from_strings([KINDS[kind].encode() for kind in pairs.kind]),
            }
            self.sorter.add(Ragged.from_strings(keys), columns)


def write_clusters(
    corpus: TextCorpus,
    scratch: Path,
    edges: tuple[NDArray[np.int64], NDArray[np.int64]],
    memory: int,
    phases: Phases,
) -> dict[str, int]:
    """Collective. Write the table of clusters, what hangs together by pairs of one kind, and that of their sizes."""
    world, pages = corpus.world, corpus.pages
    with phases("cluster"):
        names = connected_components(world, len(KINDS) * pages, *edges, memory // 8)
        members = clustered(names)
        kinds, member_pages = np.divmod(members, max(1, pages))
        urls = corpus.urls_of(member_pages, memory // 8)
        numbers = number_clusters(names, members, urls)
        sorter = TableSorter(world, scratch, "spin", "clusters", memory // 2)
        kind_names = Ragged.from_strings([KINDS[kind].encode() for kind in kinds])
        columns: dict[str, Column] = {"cluster": numbers, "kind": kind_names, "url": urls}
        sorter.add(sort_keys(numbers, urls, member_pages), columns)
    sorter.finish(phases)
    sizes = count_sizes(names, members, pages)
    write_sizes(world, scratch, sizes, phases)
    return {
        f"{name}_{what}": sum(n * (size if what == "pages" else 1) for (k, size), n in sizes.items() if k == kind)
        for what in ("pages", "clusters")
        for kind, name in enumerate(KINDS)
    }


def count_sizes(names: SpreadArray, members: NDArray[np.int64], pages: int) -> Counter[tuple[int, int]]:
    """Collective. Count the clusters of each kind and size."""
    clusters, counts = np.unique(names.mine[members - names.first], return_counts=True)
    (found, parts), _ = exchange(names.world, [clusters, counts], names.cuts(clusters), names.round_bytes)
    distinct, place = np.unique(found, return_inverse=True)
    sizes = np.zeros(len(distinct), np.int64)
    np.add.at(sizes, place, parts)
    mine = Counter(zip((distinct // max(1, pages)).tolist(), sizes.tolist(), strict=True))
    return sum(names.world.comm.allgather(mine), Counter())


def write_sizes(world: World, scratch: Path, sizes: Counter[tuple[int, int]], phases: Phases) -> None:
    """Collective. Write how many clusters there are of each size, and the share of those no larger (figures 7, 8)."""
    rows = sorted(sizes)
    clusters = np.array([sizes[row] for row in rows], np.int64)
    cumulated = []
    for kind in range(len(KINDS)):
        mine = list(accumulate(sizes[row] for row in rows if row[0] == kind))
        cumulated += [count / mine[-1] for count in mine]
    size = np.array([row[1] for row in rows], np.int64)
    columns: dict[str, Column] = {
        "kind": Ragged.from_strings([KINDS[kind].encode() for kind, _ in rows]),
        "size": size,
        "clusters": clusters,
        "pages": size * clusters,
        "cdf": np.array(cumulated, np.float64),
    }
    write_on_root(world, scratch, "sizes", columns, phases)
