"""Tables of labels: the labels in order of digest, and the frequency-occurrence histogram."""

from collections.abc import Iterator
from pathlib import Path

from hpcreuse.store.labels import Labels
from hpcreuse.store.tables import Row, Table, columns, hex_of, rows_of, text

BLOCK_ROWS = 1 << 16


def labels(path: Path) -> Iterator[Row]:
    """Give the rows of `labels`."""
    with Labels.open(path) as opened:
        sources = opened.sources
        for first in range(0, len(opened), BLOCK_ROWS):
            rows = slice(first, first + BLOCK_ROWS)
            yield from rows_of(
                hex_of(opened.file["digest"][rows]),
                opened.file["count"][rows].tolist(),
                opened.file["length"][rows].tolist(),
                [text(sources[number]) for number in opened.file["source"][rows]],
            )


def histogram(path: Path) -> Iterator[Row]:
    """Give the rows of `histogram`: so many distinct objects with so many duplicates each, together so many."""
    with Labels.open(path) as opened:
        duplicates = opened.file["histogram/duplicates"][:]
        objects = opened.file["histogram/objects"][:]
        yield from rows_of(objects.tolist(), duplicates.tolist(), (objects * duplicates).tolist())


TABLES = {
    "labels": Table(columns(digest=str, count=int, length=int, source=str), labels),
    "histogram": Table(columns(objects=int, duplicates=int, occurrences=int), histogram),
}
