"""Open what hpcreuse made: a run, labels or a result."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from hpcreuse.access.arrays import ShardView
from hpcreuse.access.tables import TableView
from hpcreuse.page.options import DigestOptions
from hpcreuse.store import tables
from hpcreuse.store.findings import FORMAT as FINDINGS_FORMAT
from hpcreuse.store.findings import Findings
from hpcreuse.store.labels import Labels
from hpcreuse.store.result import Result, is_result
from hpcreuse.store.result_record import read_result_record
from hpcreuse.store.run import Run, ShardInfo
from hpcreuse.store.shard import Counted


class Opened:
    """Anything that hpcreuse made: it has tables."""

    def __init__(self, path: Path):
        self.path = path
        self.kind, found = tables.tables_of(path)
        self.tables: tuple[str, ...] = tuple(found)

    def table(self, name: str) -> TableView:
        """Give a table by name; a wrong name is answered by those there are."""
        return TableView(self.path, name)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.path}: {', '.join(self.tables)}>"


class RunView(Opened):
    """A run made by `hpcreuse hash`."""

    def __init__(self, path: Path):
        self._run = Run.open(path)
        super().__init__(path)

    @property
    def options(self) -> DigestOptions:
        """The options that decide its digests."""
        return self._run.options

    @property
    def files(self) -> TableView:
        """url, digest, length, chunks, mime, archive, offset."""
        return self.table("files")

    @property
    def chunks(self) -> TableView:
        """url, position, digest, offset, length."""
        return self.table("chunks")

    @property
    def quarantine(self) -> TableView:
        """What could not be read: archive, offset, url, reason."""
        return self.table("quarantine")

    @cached_property
    def distinct(self) -> Counted:
        """The distinct chunk digests of all shards, sorted: `digests` (rows of bytes), `counts`, shortest `lengths`."""
        return Counted.combine([shard.distinct for shard in self.shards()])

    def shards(self) -> Iterator[ShardView]:
        """Give the shards in the order of the tables; raises StoreError if one is missing."""
        infos = [ShardInfo.read(path) for path in self._run.shard_paths()]
        return (ShardView(info.path) for info in self._run.in_order(infos))


class LabelsView(Opened):
    """Labels made by `hpcreuse discover` or `hpcreuse label`."""

    def __init__(self, path: Path):
        with Labels.open(path) as labels:
            self.options, self.objects, self.header = labels.options, labels.objects, labels.header
            self._rows = len(labels)
        super().__init__(path)

    def __len__(self) -> int:
        return self._rows

    @cached_property
    def counted(self) -> Counted:
        """The labels as arrays, sorted: `digests` (rows of bytes), `counts`, `lengths`."""
        with Labels.open(self.path) as labels:
            return labels.counted()

    @property
    def labels(self) -> TableView:
        """digest, count, length, source."""
        return self.table("labels")

    @property
    def histogram(self) -> TableView:
        """objects, duplicates, occurrences."""
        return self.table("histogram")


class ResultView(Opened):
    """The result of `hpcreuse detect`, or of another method: `quilt`, `imatch`, `spin`, `phish`."""

    def __init__(self, path: Path):
        found: Result | Findings
        if is_result(path) and read_result_record(path).get("format") == FINDINGS_FORMAT:
            found = Findings.open(path)
            self.method = found.method
        else:
            found, self.method = Result.open(path), "detect"
        self.header: dict[str, Any] = found.header
        self.summary: dict[str, Any] = found.summary
        super().__init__(path)

    @property
    def files(self) -> TableView:
        """Of `detect`: url, chunks, bad, contains, target."""
        return self.table("files")

    @property
    def matches(self) -> TableView:
        """Of `detect`: url, position, digest, source; of `imatch --prototypes`: url, prototype, lexicons."""
        return self.table("matches")

    @property
    def neighborhoods(self) -> TableView:
        """Of `detect`: prefix, depth, files, chunks, bad, badness, target."""
        return self.table("neighborhoods")


def open_run(path: str | Path) -> RunView:
    """Open a run."""
    return RunView(Path(path))


def open_labels(path: str | Path) -> LabelsView:
    """Open labels."""
    return LabelsView(Path(path))


def open_result(path: str | Path) -> ResultView:
    """Open the result of `detect` or of another method."""
    return ResultView(Path(path))


def open_any(path: str | Path) -> RunView | LabelsView | ResultView:
    """Open whatever of hpcreuse lies at a path: a run, labels or a result."""
    path = Path(path)
    kind, _ = tables.tables_of(path)
    if kind == "run":
        return RunView(path)
    if kind == "file of labels":
        return LabelsView(path)
    return ResultView(path)
