"""Which files are there, and which should be: a look at a run, labels or a result as it lies on disk."""

import glob
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpcreuse.errors import StoreError
from hpcreuse.store import atomic, counts, filters, findings, jobs, labels, result, run, shard
from hpcreuse.store.checks import find_format, one_line
from hpcreuse.store.records import CHECKSUM, read_record
from hpcreuse.store.result_record import RECORD, remedy


@dataclass
class Place:
    """What lies at a path."""

    path: Path
    kind: str = ""
    """run, labels, result; or the format of a single file, or nothing that is known."""
    files: list[tuple[Path, str, int]] = field(default_factory=list)
    """HDF5 files with the format they must have and their bytes."""
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The JSON records that are sound, by name."""
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def main(self) -> dict[str, Any]:
        """The record that says what the folder is; empty when it is damaged or missing."""
        return self.records.get(RECORD if self.kind == "findings" else f"{self.kind}.json", {})

    def add_file(self, path: Path, format_name: str) -> None:
        """Note a file that is to be checked."""
        self.files.append((path, format_name, path.stat().st_size))

    def add_record(self, name: str, format_name: str, version: int, advice: str) -> None:
        """Read a JSON record, if it is sound."""
        path = self.path / name
        try:
            record = read_record(path)
        except FileNotFoundError:
            self.problems.append(f"{path}: is missing: {advice}")
            return
        except StoreError as error:
            self.problems.append(f"{path}: {one_line(str(error)).removeprefix(f'{path} ')}: {advice}")
            return
        if (record.get("format"), record.get("version")) != (format_name, version):
            self.problems.append(
                f"{path}: has format {record.get('format')} version {record.get('version')}, this hpcreuse reads "
                f"{format_name} version {version}: use the hpcreuse that wrote it, or {advice}"
            )
        elif CHECKSUM not in record:
            self.problems.append(f"{path}: has no checksum: {advice}")
        else:
            self.records[name] = record


def survey(path: Path) -> Place:
    """Look at what lies at a path."""
    place = Place(path)
    try:
        if (path / "run.json").exists() or (path / "shards").is_dir():
            _survey_run(place)
        elif _is_findings(path):
            _survey_findings(place)
        elif result.is_result(path) or (path / "files").is_dir():
            _survey_result(place)
        elif path.is_file():
            _survey_file(place)
        elif path.exists():
            place.problems.append(f"{path}: is neither a run, nor labels, nor a result of hpcreuse: check the path")
        else:
            place.problems.append(f"{path}: does not exist: check the path")
    except OSError as error:
        place.problems.append(f"{error.filename or path}: cannot be read ({error.strerror}): check permissions")
    return place


def _survey_file(place: Place) -> None:
    try:
        found = find_format(place.path)
    except StoreError as error:
        place.problems.append(f"{error}: make it anew, or check the path")
        return
    place.kind = {labels.FORMAT: "labels", filters.FORMAT: "filter"}.get(found, found)
    place.add_file(place.path, found)
    _note_leftovers(place, place.path.parent.glob(f".{glob.escape(place.path.name)}.*{atomic.TEMPORARY}"))


def _survey_run(place: Place) -> None:
    place.kind, folder = "run", place.path
    place.add_record("run.json", run.FORMAT, run.VERSION, "hash the crawl again into a new run")
    place.add_record("shards.json", run.LISTING_FORMAT, run.VERSION, "run the same `hpcreuse hash` again")
    for path in _entries(place, folder / "shards"):
        if path.suffix == ".h5":
            place.add_file(path, shard.FORMAT)
        else:
            place.problems.append(f"{path}: is no shard: move it elsewhere")
    there = {path.name for path, _, _ in place.files}
    for name, source in place.records.get("shards.json", {}).get("shards", {}).items():
        if name not in there:
            place.problems.append(
                f"{folder / 'shards' / name}: is missing: run `hpcreuse hash {source} --out {folder}` again"
            )
    if not there:
        place.problems.append(f"{folder}: holds no shard: run `hpcreuse hash INPUT... --out {folder}`")
    for path in _entries(place, folder / "counts", needed=False):
        if path.name in ("chunk", "file") and path.is_dir():
            _survey_counts(place, path)
        else:
            place.problems.append(f"{path}: is no part of the counts: move it elsewhere")
    _note_strangers(place, "run.json", "shards.json", "shards", "counts", jobs.NAME)


def _survey_counts(place: Place, folder: Path) -> None:
    advice = "run `hpcreuse discover` with --fresh to count again"
    name = f"counts/{folder.name}/counts.json"
    if not (folder / "counts.json").exists():
        place.notes.append(f"{folder}: is not complete, the next `hpcreuse discover` counts again")
        return
    place.add_record(name, counts.FORMAT, counts.VERSION, advice)
    pieces = place.records.get(name, {}).get("pieces")
    _add_numbered(place, folder, "piece", pieces, counts.FORMAT, advice, {"counts.json"})


def _survey_result(place: Place) -> None:
    place.kind, folder, advice = "result", place.path, "run `hpcreuse detect` again"
    place.add_record(RECORD, result.FORMAT, result.VERSION, remedy(folder))
    for table in ("files", "neighborhoods"):
        count = place.main.get("parts", {}).get(table)
        known = {"borders.h5"} if table == "neighborhoods" else set()
        _add_numbered(place, folder / table, "part", count, result.FORMAT, advice, known)
    for path, format_name in (
        (folder / "neighborhoods" / "borders.h5", result.FORMAT),
        (folder / "labels.h5", labels.FORMAT),
    ):
        if path.exists():
            place.add_file(path, format_name)
        else:
            place.problems.append(f"{path}: is missing: {advice}")
    _note_strangers(place, RECORD, "labels.h5", "files", "neighborhoods", jobs.NAME)
    beside = (result.scratch_folder(folder), folder.with_name(f".{folder.name}.old{atomic.TEMPORARY}"))
    _note_leftovers(place, (path for path in beside if path.exists()))


def _is_findings(path: Path) -> bool:
    """Tell whether something is what a method beside detection found; a damaged record is told elsewhere."""
    try:
        return result.is_result(path) and read_record(path / RECORD).get("format") == findings.FORMAT
    except (FileNotFoundError, NotADirectoryError, StoreError):
        return False


def _survey_findings(place: Place) -> None:
    place.kind, advice = "findings", "run the same command again"
    place.add_record(RECORD, findings.FORMAT, findings.VERSION, remedy(place.path))
    record = place.records.get(RECORD, {})
    for table, count in record.get("parts", {}).items():
        _add_numbered(place, place.path / table, "part", count, findings.FORMAT, advice, set())


def _add_numbered(
    place: Place, folder: Path, word: str, count: int | None, format_name: str, advice: str, known: set[str]
) -> None:
    """Take files that are numbered through; tell which are missing and which do not belong there."""
    found = {path.name: path for path in _entries(place, folder) if path.name not in known}
    numbered = {name for name in found if re.fullmatch(rf"{word}-\d{{5,}}\.h5", name)}
    expected = numbered if count is None else {f"{word}-{number:05d}.h5" for number in range(count)}
    for name in sorted(expected - set(found)):
        place.problems.append(f"{folder / name}: is missing: {advice}")
    for name in sorted(set(found) - expected):
        place.problems.append(f"{found[name]}: is no part of it: move it elsewhere")
    for name in sorted(expected & set(found)):
        place.add_file(found[name], format_name)


def _entries(place: Place, folder: Path, needed: bool = True) -> list[Path]:
    """List a folder without hidden files; temporary ones are noted."""
    if not folder.is_dir():
        if needed:
            place.problems.append(f"{folder}: is missing: make the {place.kind} again")
        return []
    paths = sorted(folder.iterdir())
    _note_leftovers(place, (path for path in paths if path.name.endswith(atomic.TEMPORARY)))
    return [path for path in paths if not path.name.startswith(".")]


def _note_leftovers(place: Place, paths: Iterable[Path]) -> None:
    for path in sorted(paths):
        place.notes.append(f"{path}: was left by a job that was killed, or is being written now")


def _note_strangers(place: Place, *known: str) -> None:
    """Mention what does not belong to the folder but harms nobody there."""
    for path in _entries(place, place.path):
        if path.name not in known:
            place.notes.append(f"{path}: is no part of the {place.kind}")
