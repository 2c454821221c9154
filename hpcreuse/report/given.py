"""What a report is made of: runs, labels, results, findings and studies, told apart by what lies at a path."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpcreuse.errors import StoreError
from hpcreuse.store.jobs import jobs_of
from hpcreuse.store.labels import Labels
from hpcreuse.store.records import read_record
from hpcreuse.store.result import is_result
from hpcreuse.store.result_record import read_result_record
from hpcreuse.store.run import Run, run_candidates
from hpcreuse.store.tables import tables_of
from hpcreuse.study.output import FORMAT as STUDY_FORMAT
from hpcreuse.study.output import RECORD as STUDY_RECORD


@dataclass(frozen=True)
class Given:
    """One path of the command line."""

    path: Path
    kind: str
    """run, labels, result, quilt, imatch, spin, phish or study."""
    number: int
    """How many of its kind precede it."""
    record: dict[str, Any]
    """What it says of itself: options, summary, creator."""

    @property
    def header(self) -> dict[str, Any]:
        """What it was made from, and how."""
        header: dict[str, Any] = self.record.get("header", {})
        return header

    @property
    def summary(self) -> dict[str, Any]:
        """What came out."""
        summary: dict[str, Any] = self.record.get("summary", {})
        return summary

    @property
    def suffix(self) -> str:
        """What tells names of its figures and tables from those of others of its kind."""
        return f"-{self.number + 1}" if self.number else ""

    @property
    def of(self) -> str:
        """What tells its title from those of others of its kind."""
        return f" in {self.path.name}" if self.number else ""

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """The commands that made it, as far as is known."""
        return jobs_of(self.path)


def look_at(paths: Sequence[Path]) -> list[Given]:
    """Tell what lies at each path; the same path twice is one."""
    found: list[Given] = []
    for path in dict.fromkeys(paths):
        kind, record = kind_of(path)
        found.append(Given(path, kind, sum(given.kind == kind for given in found), record))
    return found


def kind_of(path: Path) -> tuple[str, dict[str, Any]]:
    """Tell what lies at a path, and what it says of itself."""
    if (path / STUDY_RECORD).exists():
        record = read_record(path / STUDY_RECORD)
        if record.get("format") != STUDY_FORMAT or not record.get("summary"):
            raise StoreError(f"{path} is a study that did not come to its end: run the same `hpcreuse study` again")
        return "study", record
    if is_result(path):
        record = read_result_record(path)
        return record.get("method", "result"), record
    try:
        kind = tables_of(path)[0]
    except StoreError as error:
        raise StoreError(f"{error}: a report is made of runs, labels, results and studies") from None
    if kind == "run":
        Run.open(path)
        return "run", read_record(path / "run.json")
    with Labels.open(path) as labels:
        return "labels", {"header": labels.header, "creator": labels.file.attrs["creator"].decode()}


def find_run(given: Given, everything: Sequence[Given]) -> Run | None:
    """Find the run that something was made of: among what was given, where it was, or beside."""
    if given.kind == "run":
        return Run.open(given.path)
    name = given.header.get("run")
    if not name:
        return None
    candidates = [
        *(other.path for other in everything if other.kind == "run" and other.path.name == Path(name).name),
        *run_candidates(given.path, name),
    ]
    for path in candidates:
        if (path / "run.json").exists():
            return Run.open(path)
    return None
