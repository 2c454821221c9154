"""The files of a result of detection, found by URL, by neighborhood and by label without reading all of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.judge.sampling import describe_label, score
from hpcreuse.store.labels import Labels
from hpcreuse.store.neighborhoods import urls_below
from hpcreuse.store.result import FileRows, Result, read_files, read_files_between
from hpcreuse.store.tables import text

# Of the files below a large neighborhood so many are drawn from; and so many blocks are searched for a label
MOST_BELOW = 20_000
MOST_BLOCKS = 64


@dataclass(frozen=True)
class MatchedFile:
    """A file of a result: its place in the run, and which of its chunks match which label."""

    url: str
    number: int
    chunks: int
    bad: int
    matches: dict[int, int]


class ResultFiles:
    """The table of files of a result, in order of URL."""

    def __init__(self, path: Path):
        self.path, self.result = path, Result.open(path)

    @property
    def whole_files(self) -> bool:
        """Whether whole files were labelled, not chunks."""
        return bool(self.result.header["objects"] == "file")

    def at(self, url: str) -> MatchedFile | None:
        """Give the file with a URL; of several the first."""
        low = url.encode()
        return next((row for row in self._between(low, low + b"\0", 1)), None)

    def below(self, prefix: str, most: int, seed: int) -> list[MatchedFile]:
        """Draw files of a neighborhood at random; those with the most copies come first."""
        rows: list[MatchedFile] = []
        for low, high in urls_below(prefix.encode()):
            rows += self._between(low, high, MOST_BELOW)
        rows.sort(key=lambda row: score(row.url, seed))
        return sorted(rows[:most], key=lambda row: -row.bad)

    def _between(self, low: bytes, high: bytes, most: int) -> Iterator[MatchedFile]:
        for part in self.result.parts("files"):
            yield from matched(read_files_between(part, low, high, most))

    def with_labels(self, labels: set[int], own: str, most: int) -> list[MatchedFile]:
        """Find files of other sites that share labels: each site once, those that share most first.

        Frequent labels are found at once; the search ends after some millions of files.
        """
        asked = np.array(sorted(labels), np.int64)
        best: dict[str, tuple[int, MatchedFile]] = {}
        for searched, block in enumerate(self._blocks()):
            if searched >= MOST_BLOCKS or (len(best) >= most and covers(best, labels)):
                break
            shared = np.isin(block.matches.values["label"], asked)
            counts = np.diff(np.concatenate([[0], np.cumsum(shared)])[block.matches.offsets])
            for place in np.flatnonzero(counts).tolist():
                site = site_of(text(block.url[place]))
                if site != own and counts[place] > best.get(site, (0, None))[0]:
                    (row,) = matched(block.take(np.array([place])))
                    best[site] = (int(counts[place]), row)
        ranked = sorted(best.values(), key=lambda pair: (-len(labels & set(pair[1].matches.values())), pair[1].url))
        return [row for _, row in ranked[:most]]

    def _blocks(self) -> Iterator[FileRows]:
        for part in self.result.parts("files"):
            yield from read_files(part)

    def label(self, number: int) -> dict[str, Any]:
        """Say what is known of a label."""
        with Labels.open(self.path / "labels.h5") as labels:
            return describe_label(labels, number)


def matched(rows: FileRows) -> Iterator[MatchedFile]:
    """Give rows one by one."""
    offsets = rows.matches.offsets.tolist()
    for place, url in enumerate(rows.url):
        found = rows.matches.values[offsets[place] : offsets[place + 1]]
        yield MatchedFile(
            text(url),
            int(rows.number[place]),
            int(rows.chunks[place]),
            int(rows.bad[place]),
            dict(zip(found["position"].tolist(), found["label"].tolist(), strict=True)),
        )


def covers(best: dict[str, tuple[int, MatchedFile]], labels: set[int]) -> bool:
    """Tell whether every label was found in some file."""
    return labels <= {label for _, row in best.values() for label in row.matches.values()}


def site_of(url: str) -> str:
    """Give the host of a URL or of a prefix, for people's eyes."""
    return url.partition("://")[2].partition("/")[0].lower() if "://" in url else url.partition("/")[0]
