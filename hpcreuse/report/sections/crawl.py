"""The crawl itself: files, chunks, types, and what could not be read."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from hpcreuse.report.blocks import FactsBlock, Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given
from hpcreuse.report.wording import plainly
from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.run_tables import quarantine_rows
from hpcreuse.store.shard import Shard
from hpcreuse.store.tables import columns

QUARANTINE = columns(archive=str, offset=int, url=str, reason=str)


@dataclass
class Totals:
    """What the shards of a run add up to."""

    files: int = 0
    chunks: int = 0
    payload: int = 0
    quarantined: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    sources: set[str] = field(default_factory=set)

    def add(self, info: ShardInfo) -> None:
        """Take a shard."""
        self.files += info.files
        self.chunks += info.chunks
        self.payload += info.header["payload_bytes"]
        self.quarantined += info.header["quarantined"]
        self.skipped.update(info.header["skipped"])
        self.sources.add(info.source)


def section(given: Given, book: Book) -> Section:
    """Add the shards of a run up."""
    run, totals = Run.open(given.path), Totals()
    broken: list[tuple] = []
    for path in run.shard_paths():
        info = ShardInfo.read(path)
        totals.add(info)
        if info.header["quarantined"] and len(broken) < book.listed:
            with Shard.open(path) as shard:
                broken += [row for _, row in islice(quarantine_rows(shard), book.listed - len(broken))]
    part = Section(
        f"crawl{given.suffix}",
        f"The crawl{given.of}",
        "What went in: every file is hashed whole, and the textual ones chunk by chunk.",
        [FactsBlock(facts(totals, run))],
    )
    if broken:
        file = book.table(f"quarantine{given.suffix}", QUARANTINE, sorted(broken))
        heads = (Head("archive", "url"), Head("offset", "number"), Head("URL", "url"), Head("why"))
        part.blocks.append(TableBlock("What could not be read", heads, sorted(broken)[: book.top], file))
    return part


def facts(totals: Totals, run: Run) -> list[tuple[str, Any]]:
    """Say how much there is."""
    skipped = totals.skipped.total()
    kinds = f" ({plainly(dict(sorted(totals.skipped.items())))})" if skipped else ""
    return [
        ("files", totals.files),
        ("chunks", totals.chunks),
        ("payload, bytes", totals.payload),
        ("inputs", len(totals.sources)),
        ("records skipped", f"{skipped:,}{kinds}"),
        ("records quarantined", totals.quarantined),
        ("words kept", "yes" if run.text else "no"),
    ]
