"""Tables of a detection result: files, matches, neighborhoods, summary."""

import heapq
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.fixed import to_fixed
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.store.labels import Labels
from hpcreuse.store.result import MATCH, Result, read_files, read_neighborhoods
from hpcreuse.store.tables import Row, Table, columns, rows_of, text


def files(path: Path) -> Iterator[Row]:
    """Give the rows of `files`, in order of URL."""
    result = Result.open(path)
    bar, least = result.header["file_threshold_fixed"], result.header["min_chunks"]
    for part in result.parts("files"):
        for block in read_files(part):
            contains = block.bad / np.maximum(block.chunks, 1)
            target = (to_fixed(contains) > bar) & (block.chunks >= least)
            yield from rows_of(
                [text(url) for url in block.url],
                block.chunks.tolist(),
                block.bad.tolist(),
                contains.tolist(),
                target.tolist(),
            )


def matches(path: Path) -> Iterator[Row]:
    """Give the rows of `matches`, in order of URL and position."""
    result = Result.open(path)
    with Labels.open(path / "labels.h5") as labels:
        digests, sources = labels.file["digest"], labels.sources
        known: dict[int, tuple[str, str]] = {}
        for url, captures in groupby(_files_with_matches(result), key=lambda pair: pair[0]):
            found = np.concatenate([match for _, match in captures])
            found = found[np.argsort(found["position"], kind="stable")]
            for position, label in found.tolist():
                if label not in known:
                    known[label] = (
                        digests[label].tobytes().hex(),
                        text(sources[labels.file["source"][label]]),
                    )
                yield (text(url), position, *known[label])


def _files_with_matches(result: Result) -> Iterator[tuple[bytes, NDArray]]:
    for part in result.parts("files"):
        for block in read_files(part):
            matched: Ragged = block.matches
            assert matched.values.dtype == MATCH
            for number in np.flatnonzero(matched.lengths).tolist():
                first, last = matched.offsets[number], matched.offsets[number + 1]
                yield block.url[number], matched.values[first:last]


def neighborhoods(path: Path) -> Iterator[Row]:
    """Give the rows of `neighborhoods`, in order of prefix."""
    result = Result.open(path)
    parts = (row for part in result.parts("neighborhoods") for row in _neighborhood_rows(part, result))
    for _, row in heapq.merge(parts, _neighborhood_rows(result.borders, result), key=lambda keyed: keyed[0]):
        yield row


def _neighborhood_rows(part: Path, result: Result) -> Iterator[tuple[bytes, Row]]:
    bar = result.header["neighborhood_threshold_fixed"]
    for block in read_neighborhoods(part):
        prefixes = list(block.prefix)
        rows = rows_of(
            [text(prefix) for prefix in prefixes],
            [prefix.count(b"/") for prefix in prefixes],
            block.files.tolist(),
            block.chunks.tolist(),
            block.bad.tolist(),
            block.badness.tolist(),
            (to_fixed(block.badness) > bar).tolist(),
        )
        yield from zip(prefixes, rows, strict=True)


SUMMARY = columns(
    files=int,
    chunks=int,
    labels=int,
    file_mean=float,
    file_deviation=float,
    file_threshold=float,
    target_files=int,
    neighborhoods=int,
    neighborhood_mean=float,
    neighborhood_deviation=float,
    neighborhood_threshold=float,
    bad_neighborhoods=int,
)


def summary(path: Path) -> Iterator[Row]:
    """Give the one row of `summary`."""
    record = Result.open(path).summary
    yield tuple(record[column.name] for column in SUMMARY)


TABLES = {
    "files": Table(columns(url=str, chunks=int, bad=int, contains=float, target=bool), files),
    "matches": Table(columns(url=str, position=int, digest=str, source=str), matches),
    "neighborhoods": Table(
        columns(prefix=str, depth=int, files=int, chunks=int, bad=int, badness=float, target=bool),
        neighborhoods,
    ),
    "summary": Table(SUMMARY, summary),
}
