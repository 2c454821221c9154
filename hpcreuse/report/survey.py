"""One look at all neighborhoods of a result, block by block: histograms, and the worst of them with samples."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpcreuse.kernels.fixed import to_fixed
from hpcreuse.kernels.ragged import Ragged
from hpcreuse.report.ranking import BINS, Top, binned, greatest
from hpcreuse.store.labels import Labels
from hpcreuse.store.neighborhoods import Neighborhood, urls_below
from hpcreuse.store.result import NeighborhoodRows, Result, read_files_between, read_neighborhoods
from hpcreuse.store.tables import text

# Nested neighborhoods often hold the same pages, of which one is enough: so many more are looked at
SPARE = 6
# Of a neighborhood so many files are looked at for samples, and so many shown
LOOKED_AT, SHOWN = 2_000, 3


@dataclass
class Survey:
    """What was seen of the neighborhoods so far."""

    wanted: int
    bar: int
    """The threshold, as results compare it."""
    badness: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, np.int64))
    depths: Counter[int] = field(default_factory=Counter)
    target_depths: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.by_badness, self.by_bad = Top(SPARE * self.wanted), Top(SPARE * self.wanted)

    @classmethod
    def of(cls, result: Result, wanted: int) -> "Survey":
        """Look at all neighborhoods of a result."""
        survey = cls(wanted, result.header["neighborhood_threshold_fixed"])
        for part in [*result.parts("neighborhoods"), result.borders]:
            for block in read_neighborhoods(part):
                survey.add(block)
        return survey

    def add(self, block: NeighborhoodRows) -> None:
        """Take a block of neighborhoods."""
        target = to_fixed(block.badness) > self.bar
        depths = slashes(block.prefix)
        self.badness += binned(block.badness)
        self.depths.update(dict(enumerate(np.bincount(depths).tolist())))
        self.target_depths.update(dict(enumerate(np.bincount(depths[target]).tolist())))
        for top, keys in ((self.by_badness, (block.badness, block.bad)), (self.by_bad, (block.bad, block.badness))):
            places = [place for place in greatest(top.wanted, *keys).tolist() if target[place]]
            top.add([(tuple(key[place] for key in keys), Neighborhood.at(block, place, self.bar)) for place in places])

    def worst(self, top: Top) -> list[Neighborhood]:
        """Give the first of a ranking, those that hold the same pages once, by their shortest prefix."""
        kept: list[Neighborhood] = []
        twins: dict[tuple[Any, ...], list[int]] = {}
        for one in top.rows():
            # Nested ones have the same site
            alike = twins.setdefault((one.prefix.partition(b"/")[0], one.files, one.chunks, one.bad), [])
            twin = next((place for place in alike if one.is_nested(kept[place])), None)
            if twin is None:
                alike.append(len(kept))
                kept.append(one)
            elif len(one.prefix) < len(kept[twin].prefix):
                kept[twin] = one
        return kept[: self.wanted]


def slashes(strings: Ragged) -> NDArray[np.int64]:
    """Count the slashes of each string: the path length of a neighborhood."""
    running = np.concatenate([[0], np.cumsum(strings.values == ord("/"))])
    counts: NDArray[np.int64] = running[strings.offsets[1:]] - running[strings.offsets[:-1]]
    return counts


@dataclass(frozen=True)
class Seen:
    """What a neighborhood looks like: some of its pages, and what was found in them."""

    pages: list[str]
    sources: list[str]
    digests: list[str]
    """The labels found most often."""


def look_into(result: Result, prefix: bytes) -> Seen:
    """Look at the first pages of a neighborhood: those with most bad chunks, and where their labels come from."""
    found: list[tuple[int, str]] = []
    labels: Counter[int] = Counter()
    for part in result.parts("files"):
        for low, high in urls_below(prefix):
            rows = read_files_between(part, low, high, LOOKED_AT)
            found += [(int(rows.bad[n]), text(rows.url[n])) for n in np.flatnonzero(rows.bad).tolist()]
            labels.update(rows.matches.values["label"].tolist())
    found.sort(key=lambda page: (-page[0], page[1]))
    sources, digests = describe_labels(result.path / "labels.h5", labels)
    return Seen([url for _, url in found[:SHOWN]], sources, digests)


def describe_labels(path: Path, labels: Counter[int]) -> tuple[list[str], list[str]]:
    """Give the pages that labels come from and their digests, the most frequent first."""
    with Labels.open(path) as opened:
        numbers = opened.file["source"]
        pages: Counter[int] = Counter()
        for label, count in labels.most_common(1_000):
            pages[int(numbers[label])] += count
        del pages[0]
        digests = [opened.file["digest"][label].tobytes().hex() for label, _ in labels.most_common(SHOWN)]
        return [text(opened.sources[page]) for page, _ in pages.most_common(SHOWN)], digests
