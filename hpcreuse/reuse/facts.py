"""What a sound file says about the whole: taken where the file is checked, put together on rank 0."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hpcreuse.kernels.fixed import to_fixed
from hpcreuse.parallel.moments import Moments
from hpcreuse.store.checks import Checked
from hpcreuse.store.contents import Place
from hpcreuse.store.counts import Histogram, read_piece
from hpcreuse.store.labels import Labels
from hpcreuse.store.result import read_files, read_neighborhoods
from hpcreuse.store.run import ShardInfo, fingerprint


@dataclass(frozen=True)
class FileFindings:
    """What was found in one file."""

    checked: Checked
    facts: Any = None
    """What the file says about the whole, if it is sound."""


@dataclass(frozen=True)
class Findings:
    """What was found at one place."""

    place: Place
    files: dict[Path, FileFindings]

    @property
    def sound(self) -> bool:
        """Whether all files are there and undamaged."""
        return not self.place.problems and not any(file.checked.problems for file in self.files.values())

    @property
    def shards(self) -> list[ShardInfo]:
        """The sound shards of a run, in order."""
        found = [file.facts for file in self.files.values() if isinstance(file.facts, ShardInfo)]
        return sorted(found, key=lambda s: (s.source, s.number, s.part))

    @property
    def fingerprint(self) -> str:
        """What identifies the content of a run."""
        return fingerprint(self.shards)

    def facts_in(self, folder: Path) -> list[Any] | None:
        """Give the facts of the numbered files of a folder, in order; None if one is not sound."""
        paths = sorted((p for p in self.files if p.parent == folder and p.name != "borders.h5"), key=_by_number)
        facts = [self.files[path].facts for path in paths]
        return None if None in facts else facts


def _by_number(path: Path) -> tuple[int, str]:
    return len(path.name), path.name


@dataclass
class PieceFacts:
    """Of a piece of the counts."""

    ends: list[Any] = field(default_factory=list)
    """The first and the last digest; nothing for an empty piece."""
    histogram: Histogram = field(default_factory=lambda: Histogram.of(np.empty(0, np.int64)))


@dataclass
class LabelsFacts:
    """Of labels."""

    rows: int
    occurrences: int
    objects: int


@dataclass
class TableFacts:
    """Of a part of a table of a result."""

    ends: list[Any] = field(default_factory=list)
    """The first and the last key; nothing for an empty part."""
    rows: int = 0
    files: int = 0
    chunks: int = 0
    bad: int = 0
    targets: int = 0
    moments: Moments = Moments()
    largest_label: int = -1


def shard_facts(path: Path) -> ShardInfo:
    """Read what a run's listing keeps of a shard."""
    return ShardInfo.read(path)


def piece_facts(path: Path) -> PieceFacts:
    """Add up a piece of the counts."""
    facts = PieceFacts()
    for block in read_piece(path):
        facts.ends = [*facts.ends[:1], block.digests[0].tobytes(), block.digests[-1].tobytes()]
        facts.ends = [facts.ends[0], facts.ends[-1]]
        facts.histogram = Histogram.combine([facts.histogram, Histogram.of(block.counts)])
    return facts


def labels_facts(path: Path) -> LabelsFacts:
    """Add up the histogram of labels."""
    with Labels.open(path) as opened:
        duplicates, objects = (opened.file[f"histogram/{name}"][:] for name in ("duplicates", "objects"))
        return LabelsFacts(len(opened), int((duplicates * objects).sum()), int(objects.sum()))


def files_facts(path: Path, header: dict[str, Any]) -> TableFacts:
    """Add up a part of the files of a result."""
    facts = TableFacts()
    for block in read_files(path):
        contains = block.bad / np.maximum(block.chunks, 1)
        above = to_fixed(contains) > header["file_threshold_fixed"]
        keys = [(block.url[row], int(block.number[row])) for row in (0, -1 + len(block))]
        facts.ends = [(facts.ends or keys)[0], keys[1]]
        facts.rows += len(block)
        facts.chunks += int(block.chunks.sum())
        facts.bad += int(block.bad.sum())
        facts.targets += int((above & (block.chunks >= header["min_chunks"])).sum())
        facts.moments += Moments.of(contains)
        if len(block.matches.values):
            facts.largest_label = max(facts.largest_label, int(block.matches.values["label"].max()))
    return facts


def neighborhoods_facts(path: Path, header: dict[str, Any]) -> TableFacts:
    """Add up a part of the neighborhoods of a result; files and chunks over sites, which hold every file once."""
    facts = TableFacts()
    for block in read_neighborhoods(path):
        prefixes = list(block.prefix)
        facts.ends = [(facts.ends or prefixes)[0], prefixes[-1]]
        site = np.array([prefix.count(b"/") == 1 for prefix in prefixes])
        facts.rows += len(block)
        facts.files += int(block.files[site].sum())
        facts.chunks += int(block.chunks[site].sum())
        facts.bad += int(block.bad[site].sum())
        facts.targets += int((to_fixed(block.badness) > header["neighborhood_threshold_fixed"]).sum())
        facts.moments += Moments.of(block.badness)
    return facts
