"""Clusters of pages as near duplicates and spun articles have them: their sizes, and the largest."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.report.blocks import Head, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.ranking import Top
from hpcreuse.store.findings import Findings
from hpcreuse.store.tables import columns, text

# Of a cluster so many pages are named
NAMED = 3

TABLE = columns(cluster=int, kind=str, pages=int, first=list[str])


@dataclass
class Cluster:
    """A cluster, and its first pages."""

    number: int
    kind: str
    pages: int = 0
    first: list[str] = field(default_factory=list)


def read_clusters(findings: Findings, wanted: int) -> tuple[dict[str, Counter[int]], list[Cluster]]:
    """Go through all clusters: how many there are of each size by kind, and the largest."""
    sizes: dict[str, Counter[int]] = {}
    top = Top(wanted)
    open_cluster: Cluster | None = None

    def close() -> None:
        if open_cluster is not None:
            sizes.setdefault(open_cluster.kind, Counter())[open_cluster.pages] += 1
            if len(top.kept) < wanted or open_cluster.pages > top.kept[-1][0][0]:
                top.add([((open_cluster.pages,), open_cluster)])

    for block in findings.blocks("clusters"):
        numbers, urls, kinds = block.columns["cluster"], block.columns["url"], block.columns.get("kind")
        assert isinstance(numbers, np.ndarray) and isinstance(urls, Ragged)
        # Rows come in the order of clusters: each is a run of them, maybe across blocks
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist() if len(numbers) else []
        for first, last in zip(starts, [*starts[1:], len(numbers)], strict=True):
            number = int(numbers[first])
            if open_cluster is None or open_cluster.number != number:
                close()
                open_cluster = Cluster(number, kinds[first].decode() if isinstance(kinds, Ragged) else "")
            open_cluster.pages += last - first
            room = NAMED - len(open_cluster.first)
            open_cluster.first += [text(urls[row]) for row in range(first, min(last, first + room))]
    close()
    return sizes, top.rows()


def cluster_table(book: Book, name: str, largest: list[Cluster]) -> TableBlock:
    """List the largest clusters."""
    file = book.table(name, TABLE, ((c.number, c.kind, c.pages, c.first) for c in largest))
    has_kinds = any(cluster.kind for cluster in largest)
    heads = (Head("pages", "number"), *((Head("kind"),) if has_kinds else ()), Head("the first of them", "lines"))
    rows = [
        (
            c.pages,
            *((c.kind,) if has_kinds else ()),
            [*c.first, *([f"… and {c.pages - NAMED:,} more"] if c.pages > NAMED else [])],
        )
        for c in largest[: book.top]
    ]
    return TableBlock("The largest clusters", heads, rows, file)
