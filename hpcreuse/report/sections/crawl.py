"""The crawl itself: files, chunks, types, and what could not be read."""

from collections import Counter
from itertools import islice

from hpcreuse.report.blocks import FactsBlock, Head, Section, TableBlock
from hpcreuse.report.book import Book
from hpcreuse.report.given import Given
from hpcreuse.report.wording import plainly
from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.run_tables import quarantine_rows
from hpcreuse.store.shard import Shard
from hpcreuse.store.tables import columns

QUARANTINE = columns(archive=str, offset=int, url=str, reason=str)


def section(given: Given, book: Book) -> Section:
    """Add the shards of a run up."""
    run = Run.open(given.path)
    files = chunks = payload = quarantined = 0
    sources: set[str] = set()
    skipped: Counter[str] = Counter()
    broken: list[tuple] = []
    for path in run.shard_paths():
        info = ShardInfo.read(path)
        files, chunks = files + info.files, chunks + info.chunks
        payload += info.header["payload_bytes"]
        quarantined += info.header["quarantined"]
        skipped.update(info.header["skipped"])
        sources.add(info.source)
        if info.header["quarantined"] and len(broken) < book.listed:
            with Shard.open(path) as shard:
                broken += [row for _, row in islice(quarantine_rows(shard), book.listed - len(broken))]
    kinds = f" ({plainly(dict(sorted(skipped.items())))})" if any(skipped.values()) else ""
    part = Section(
        f"crawl{given.suffix}",
        f"The crawl{given.of}",
        "What went in: every file is hashed whole, and the textual ones chunk by chunk.",
        [
            FactsBlock(
                [
                    ("files", files),
                    ("chunks", chunks),
                    ("payload, bytes", payload),
                    ("inputs", len(sources)),
                    ("records skipped", f"{sum(skipped.values()):,}{kinds}"),
                    ("records quarantined", quarantined),
                    ("words kept", "yes" if run.text else "no"),
                ]
            )
        ],
    )
    if broken:
        file = book.table(f"quarantine{given.suffix}", QUARANTINE, sorted(broken))
        heads = (Head("archive", "url"), Head("offset", "number"), Head("URL", "url"), Head("why"))
        part.blocks.append(TableBlock("What could not be read", heads, sorted(broken)[: book.top], file))
    return part
