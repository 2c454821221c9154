"""Near duplicates by I-Match: clusters of pages that share a signature."""

from collections import Counter

from hpcreuse.report.blocks import FactsBlock, Section
from hpcreuse.report.book import Book
from hpcreuse.report.clusters import cluster_table, read_clusters
from hpcreuse.report.given import Given
from hpcreuse.report.wording import percent
from hpcreuse.store.findings import Findings
from hpcreuse.store.tables import columns

SIZES = columns(pages=int, clusters=int)


def section(given: Given, book: Book) -> Section:
    """Show the sizes of the clusters, and the largest."""
    from hpcreuse.report.figures.sizes import draw_sizes

    header, summary = given.header, given.summary
    sizes, largest = read_clusters(Findings.open(given.path, "imatch"), book.listed)
    part = Section(
        f"near{given.suffix}",
        f"Near duplicates{given.of}",
        f"Two pages are near duplicates when one of their {header['lexicons'] + 1} signatures agrees, each made of the "
        "page's terms in a lexicon of middling frequency (I-Match with randomised lexicons).",
        [
            FactsBlock(
                [
                    ("clusters", summary["clusters"]),
                    (
                        "pages in them",
                        f"{summary['clustered']:,} ({percent(summary['clustered'], summary['pages'])} of all)",
                    ),
                    ("documents with enough terms", summary["documents"]),
                    ("band of normalised idf", " to ".join(map(str, header["band"]))),
                    ("lexicons", f"1 + {header['lexicons']}, seed {header['seed']}"),
                ]
            )
        ],
    )
    if not largest:
        return part
    every: Counter[int] = sum(sizes.values(), Counter())
    book.table(f"near-sizes{given.suffix}", SIZES, sorted(every.items()))
    part.blocks.append(
        book.figure(
            f"near-sizes{given.suffix}",
            lambda: draw_sizes({"near duplicates": every}),
            "Sizes of the clusters: which share of them has at most so many pages.",
        )
    )
    part.blocks.append(cluster_table(book, f"near-clusters{given.suffix}", largest))
    return part
