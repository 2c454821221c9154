"""Spun articles: what filters leave, how similar pairs are, and what hangs together."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.ragged import Ragged
from hpcreuse.report.blocks import FactsBlock, Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.clusters import cluster_table, read_clusters
from hpcreuse.report.given import Given
from hpcreuse.report.ranking import BINS, Top, binned, greatest
from hpcreuse.store.findings import TABLES, Findings, export_rows
from hpcreuse.store.tables import columns, text

KINDS = ("spun", "near", "exact")
SIZES = columns(kind=str, pages=int, clusters=int)
PAIRS = columns(kind=str, pairs=int)


def section(given: Given, book: Book) -> Section:
    """Show all of it."""
    header, summary = given.header, given.summary
    findings = Findings.open(given.path, "spin")
    part = Section(
        f"spun{given.suffix}",
        f"Spun articles{given.of}",
        "Articles rewritten with synonyms: what a dictionary of synonyms does not touch, the immutables, stays. Pairs "
        f"that share at least {header['threshold']:g} of it are looked at word by word.",
        [
            FactsBlock(
                [
                    ("spun pairs", summary["spun_pairs"]),
                    ("spun articles", f"{summary['spun_pages']:,} in {summary['spun_clusters']:,} clusters"),
                    ("near and exact duplicates", f"{summary['near_pairs']:,} and {summary['exact_pairs']:,} pairs"),
                    ("pairs compared", summary["candidates"]),
                    ("dictionary", f"{header['synonyms']}, {summary['entries']:,} entries"),
                ]
            ),
            funnel(given, book),
        ],
    )
    counts, shares, rows = read_pairs(findings, book.listed)
    if counts:
        part.blocks += pairs(given, book, counts, shares)
        file = book.table(f"spun-pairs{given.suffix}", TABLES["spin"]["pairs"], rows)
        heads = (
            Head("one", "url"),
            Head("the other", "url"),
            Head("immutables shared", "bar"),
            Head("mutables", "bar"),
        )
        shown = [row[:4] for row in rows[: book.top]]
        part.blocks.append(TableBlock("Spun pairs that share most", heads, shown, file))
    sizes, largest = read_clusters(findings, book.listed)
    if largest:
        part.blocks.append(draw_clusters(given, book, sizes))
        part.blocks.append(cluster_table(book, f"spun-clusters{given.suffix}", largest))
    return part


def funnel(given: Given, book: Book) -> Any:
    """Draw what each filter leaves."""
    from hpcreuse.report.figures.bars import draw_bars

    rows = list(export_rows(given.path, "filters"))
    book.table(f"spun-filters{given.suffix}", TABLES["spin"]["filters"], rows)
    return book.figure(
        f"spun-filters{given.suffix}",
        lambda: draw_bars([str(row[0]).replace("_", " ") for row in rows], [row[1] for row in rows], "pages"),
        "The filters, one after the other: pages that are left.",
    )


def read_pairs(findings: Findings, wanted: int) -> tuple[Counter[str], dict[str, NDArray[np.int64]], list[tuple]]:
    """Go through all pairs: how many there are of each kind, how similar they are, and the spun ones first."""
    counts: Counter[str] = Counter()
    shares = {kind: np.zeros(BINS, np.int64) for kind in KINDS}
    top = Top(wanted)
    for block in findings.blocks("pairs"):
        found = block.columns
        a, b, kinds = (found[name] for name in ("a", "b", "kind"))
        similarity, mutable = found["similarity"], found["mutable"]
        assert isinstance(a, Ragged) and isinstance(b, Ragged) and isinstance(kinds, Ragged)
        assert isinstance(similarity, np.ndarray) and isinstance(mutable, np.ndarray)
        # Kinds differ in their first letter
        letters = kinds.values[kinds.offsets[:-1]]
        for kind in KINDS:
            mine = letters == ord(kind[0])
            counts[kind] += int(mine.sum())
            shares[kind] += binned(similarity[mine])
        spun = letters == ord("s")
        rows = [
            (text(a[n]), text(b[n]), float(similarity[n]), float(mutable[n]), "spun")
            for n in greatest(wanted, np.where(spun, similarity, -1.0), mutable).tolist()
            if spun[n]
        ]
        top.add([((row[2], row[3]), row) for row in rows])
    return +counts, shares, top.rows()


def pairs(given: Given, book: Book, counts: Counter[str], shares: dict[str, NDArray[np.int64]]) -> list[Any]:
    """Draw pairs by kind, and how similar they are."""
    from hpcreuse.figures.style import KINDS as COLOURS
    from hpcreuse.report.figures.bars import draw_bars
    from hpcreuse.report.figures.shares import draw_shares

    name = f"spun-kinds{given.suffix}"
    book.table(name, PAIRS, ((kind, counts[kind]) for kind in KINDS))
    return [
        book.figure(
            name,
            lambda: draw_bars(KINDS, [counts[kind] for kind in KINDS], "pairs", COLOURS[:3]),
            "Pairs by kind: spun, near duplicates (equal but for what is no word of the text), exact duplicates.",
        ),
        book.figure(
            f"spun-similarity{given.suffix}",
            lambda: draw_shares(shares, "share of immutables that a pair has in common", "pairs"),
            "How similar pairs are.",
        ),
    ]


def draw_clusters(given: Given, book: Book, sizes: dict[str, Counter[int]]) -> Any:
    """Draw the sizes of the clusters."""
    from hpcreuse.report.figures.sizes import draw_sizes

    name = f"spun-sizes{given.suffix}"
    ordered = {kind: sizes[kind] for kind in KINDS if kind in sizes}
    rows = [(kind, size, count) for kind in ordered for size, count in sorted(ordered[kind].items())]
    book.table(name, SIZES, rows)
    return book.figure(
        name,
        lambda: draw_sizes(ordered),
        "Sizes of the clusters by kind: which share of them has at most so many pages.",
    )
