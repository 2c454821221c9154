"""Phish: pages that copy an original and are not its own."""

from collections import Counter
from itertools import islice
from typing import Any

from hpcreuse.report.blocks import FactsBlock, Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given
from hpcreuse.report.wording import plainly
from hpcreuse.store.findings import TABLES, export_rows

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
    found: dict[str, list[Any]] = {}
    for row in export_rows(given.path, "pages"):
        verdict = row[3]
        counts[verdict] += 1
        kept = found.setdefault(verdict, [])
        if len(kept) < book.listed:
            kept.append(row)
    matched = [row for verdict in sorted(found, key=lambda name: (name != "phish", name)) for row in found[verdict]]
    matched = [row for row in matched if row[2]][: book.listed]
    summary = [(name.replace("_", " "), value) for name, value in given.summary.items() if not isinstance(value, dict)]
    part = Section(
        f"phish{given.suffix}",
        f"Phish{given.of}",
        "Pages that hold chunks of an original and do not stand on its own domains.",
        [FactsBlock([*((f"verdict {name}", counts[name]) for name in sorted(counts))], "Verdicts")],
    )
    if matched:
        file = book.table(f"phish{given.suffix}", TABLES["phish"]["pages"], matched)
        part.blocks.append(TableBlock("Pages that match", HEADS, list(islice(matched, book.top)), file))
    part.blocks.append(FactsBlock([(name, plainly(value)) for name, value in summary], "Summary", folded=True))
    return part
