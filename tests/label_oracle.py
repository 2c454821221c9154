"""A slow, obvious second reading of METHODS step 3a beside oracle.py: labels of named content, with their sources.

The source of a label is the bytewise smallest URL of the pages that hold it; a length is that of the shortest
occurrence, -1 when no input knows one.
"""

from collections import Counter
from collections.abc import Iterable

import oracle
from oracle import Row


def label(files: list[Row], chunk_rows: list[Row], min_length: int = 0, objects: str = "chunk") -> list[Row]:
    """The labels table of content whose files and chunks tables these are."""
    rows = chunk_rows if objects == "chunk" else files
    each = [{"digest": r["digest"], "count": 1, "length": r["length"], "source": r["url"]} for r in rows]
    return [row for row in merge(each) if row["length"] >= min_length]


def merge(*tables: Iterable[Row]) -> list[Row]:
    """All labels of several tables: counts added, of lengths and sources that are known the smallest."""
    found: dict[str, Row] = {}
    for row in (row for table in tables for row in table):
        old = found.setdefault(row["digest"], {"digest": row["digest"], "count": 0, "length": -1, "source": ""})
        lengths = [n for n in (old["length"], row["length"]) if n >= 0]
        sources = [url for url in (old["source"], row["source"]) if url]
        old["count"] += row["count"]
        old["length"] = min(lengths, default=-1)
        old["source"] = min(sources, key=str.encode, default="")
    return [found[digest] for digest in sorted(found)]


def subtract(table: list[Row], *others: Iterable[Row]) -> list[Row]:
    """Labels without those that others hold."""
    away = {row["digest"] for other in others for row in other}
    return [row for row in table if row["digest"] not in away]


def matches(files: list[Row], chunk_rows: list[Row], labels: list[Row]) -> list[Row]:
    """The matches table of detection, with sources."""
    source = {row["digest"]: row["source"] for row in labels}
    found = oracle.detect(files, chunk_rows, list(source))["matches"]
    return [{**row, "source": source[row["digest"]]} for row in found]


def check(
    url: str, chunk_rows: list[Row], labels: list[Row], min_length: int = 0, threshold: float = 0.0
) -> dict[str, object]:
    """What `check` says of a page whose rows of the chunks table these are."""
    source = {row["digest"]: row["source"] for row in labels}
    left = [row for row in chunk_rows if row["length"] >= min_length]
    bad = [row["digest"] for row in left if row["digest"] in source]
    counts = Counter(source[digest] for digest in bad if source[digest])
    contains = len(bad) / len(left) if left else 0.0
    return {
        "url": url,
        "chunks": len(left),
        "matched": len(bad),
        "contains": contains,
        "verdict": "copied" if contains > threshold else "clean",
        "sources": sorted(counts, key=lambda page: (-counts[page], page.encode())),
    }
