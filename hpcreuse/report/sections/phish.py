"""Phish: pages that copy an original and are not its own."""

from collections import Counter
from typing import Any

from hpcreuse.report.blocks import FactsBlock, Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given
from hpcreuse.store.findings import TABLES, export_rows

VERDICTS = {"phish": "phish", "clean": "clean", "own": "on domains of the originals"}
HEADS = (
    Head("URL", "url"),
    Head("chunks", "number"),
    Head("matched", "number"),
    Head("verdict"),
    Head("copied from", "url"),
)


def section(given: Given, book: Book) -> Section:
    """List the pages that matched, phish first."""
    counts: Counter[str] = Counter()
    kept: dict[str, list[Any]] = {"phish": [], "own": []}
    for row in export_rows(given.path, "pages"):
        verdict = row[3]
        counts[verdict] += 1
        # Clean pages match nothing, those of the originals' domains need not
        if row[2] and len(kept[verdict]) < book.listed:
            kept[verdict].append(row)
    matched = [*kept["phish"], *kept["own"]][: book.listed]
    part = Section(
        f"phish{given.suffix}",
        f"Phish{given.of}",
        "Pages that hold chunks of an original and do not stand on its own domains.",
        [
            FactsBlock(
                [
                    *((VERDICTS.get(name, name), counts[name]) for name in sorted(counts)),
                    ("labels of originals", given.summary["labels"]),
                ]
            )
        ],
    )
    if given.summary.get("classes"):
        part.blocks.append(classes(book, given))
    if matched:
        file = book.table(f"phish{given.suffix}", TABLES["phish"]["pages"], matched)
        part.blocks.append(TableBlock("Pages that match", HEADS, matched[: book.top], file))
    return part


def classes(book: Book, given: Given) -> TableBlock:
    """Show table 6 of CCR, where the truth was given: how phish was found, and what was published."""
    published = given.summary.get("published", {})
    rows = [(name, count, str(published.get(name, ""))) for name, count in given.summary["classes"].items()]
    file = book.table(f"phish-classes{given.suffix}", TABLES["phish"]["classes"], (row[:2] for row in rows))
    rates = given.summary["confusion"]
    note = f"{100 * rates['true_positive_rate']:.1f} % found, {100 * rates['false_positive_rate']:.2f} % mistaken."
    return TableBlock(
        "Held against the truth", (Head("class"), Head("pages", "number"), Head("published")), rows, file, note
    )
