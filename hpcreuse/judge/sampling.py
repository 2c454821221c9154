"""A random sample of what was found: the same for a seed on any machine, and a larger one holds the smaller."""

import hashlib
import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.errors import UsageError
from hpcreuse.store.labels import Labels
from hpcreuse.store.records import checksum
from hpcreuse.store.result import Result, read_files
from hpcreuse.store.result_record import read_result_record
from hpcreuse.store.tables import find_table, tables_of, text

# Of a large cluster or quilt so many pages are kept to be looked at
MOST_MEMBERS = 20

KINDS = {
    "result": ("neighborhoods", "files", "chunks"),
    "result of quilt": ("quilts",),
    "result of imatch": ("clusters",),
    "result of spin": ("clusters",),
    "result of phish": ("pages",),
}

Row = dict[str, Any]


@dataclass(frozen=True)
class Item:
    """Something to be judged."""

    key: str
    row: Row


@dataclass(frozen=True)
class Sample:
    """What was drawn, in random order, and how."""

    kind: str
    seed: int
    size: int
    population: int
    identity: int
    """Of the result that it was drawn from."""
    items: tuple[Item, ...]


def kind_of(path: Path, asked: str | None) -> str:
    """Say what of a result is judged: what was asked for, else the first it has."""
    what, _ = tables_of(path)
    if what not in KINDS:
        raise UsageError(f"{path} is a {what}: judge a result of detect, quilt, imatch, spin or phish")
    if asked and asked not in KINDS[what]:
        raise UsageError(f"{path} is a {what} and has no {asked} to judge: it has {', '.join(KINDS[what])}")
    return asked or KINDS[what][0]


def identity_of(path: Path) -> int:
    """Identify a result by the run it was made of and all that was counted: made anew from the same it is the same."""
    record = read_result_record(path)
    return checksum({"run": record["header"].get("run_fingerprint"), "summary": record["summary"]})


def draw(path: Path, kind: str, seed: int, size: int) -> Sample:
    """Draw a sample: the items whose keys, hashed with the seed, come first."""
    drawn = Drawing(seed)
    chosen = heapq.nsmallest(size, drawn.scored(population(path, kind, seed)), key=lambda pair: pair[0])
    return Sample(kind, seed, size, drawn.seen, identity_of(path), tuple(item for _, item in chosen))


class Drawing:
    """Goes through a population once, and counts it."""

    def __init__(self, seed: int):
        self.seed, self.seen = seed, 0

    def scored(self, items: Iterator[Item]) -> Iterator[tuple[tuple[bytes, str], Item]]:
        """Give each item with its place in the random order."""
        last = None
        for item in items:
            # Two captures of one URL stand together and are judged as one
            if item.key != last:
                self.seen += 1
                yield (score(item.key, self.seed), item.key), item
            last = item.key


def score(key: str, seed: int) -> bytes:
    """Hash a key with a seed: no two machines differ in that."""
    return hashlib.blake2b(f"{seed}\0{key}".encode("utf-8", "surrogateescape"), digest_size=12).digest()


def population(path: Path, kind: str, seed: int) -> Iterator[Item]:
    """Give all that could be judged: targets, not what was let pass."""
    if kind == "chunks":
        yield from matched_labels(path)
    elif kind == "clusters":
        yield from clusters(path, seed)
    else:
        for row in rows_of_table(path, kind):
            if row.get("target", True) and row.get("verdict", "phish") == "phish":
                for name in ("sources", "shares"):
                    if name in row:
                        row |= {f"all_{name}": len(row[name]), name: row[name][:MOST_MEMBERS]}
                yield Item(row["prefix"] if kind == "neighborhoods" else row["url"], row)


def rows_of_table(path: Path, name: str) -> Iterator[Row]:
    """Give the rows of a table with their names."""
    table = find_table(path, name)
    names = [column.name for column in table.columns]
    return (dict(zip(names, values, strict=True)) for values in table.rows(path))


def matched_labels(path: Path) -> Iterator[Item]:
    """Give the labels that were found somewhere: of those that the user named most may not be."""
    result = Result.open(path)
    with Labels.open(path / "labels.h5") as labels:
        copies = np.zeros(len(labels), np.int64)
        for part in result.parts("files"):
            for block in read_files(part):
                copies += np.bincount(block.matches.values["label"], minlength=len(labels))
        for label in np.flatnonzero(copies).tolist():
            row = describe_label(labels, label)
            yield Item(row["digest"], {**row, "copies": int(copies[label])})


def describe_label(labels: Labels, label: int) -> Row:
    """Say what is known of a label."""
    return {
        "label": label,
        "digest": labels.file["digest"][label].tobytes().hex(),
        "count": int(labels.file["count"][label]),
        "length": int(labels.file["length"][label]),
        "source": text(labels.sources[labels.file["source"][label]]),
    }


def clusters(path: Path, seed: int) -> Iterator[Item]:
    """Give clusters of near duplicates or spun articles, each with some members at random; exact copies need no eye."""
    for number, rows in groupby(rows_of_table(path, "clusters"), key=lambda row: row["cluster"]):
        members = list(rows)
        kind = members[0].get("kind", "near")
        if kind != "exact":
            urls = [member["url"] for member in members]
            shown = heapq.nsmallest(MOST_MEMBERS, urls, key=lambda url: score(url, seed))
            row = {"cluster": number, "kind": kind, "pages": len(urls), "urls": shown}
            yield Item(f"{kind} {urls[0]}", row)
