"""Does it fit together: the files of a run or a result among themselves, and runs, labels and results?

All of this is on rank 0 and takes what the files said about themselves (`facts.py`); each function gives lines.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.moments import Moments
from hpcreuse.reuse.facts import Findings, PieceFacts, TableFacts
from hpcreuse.store.counts import Histogram
from hpcreuse.store.run import Run, ShardInfo, partitions_of

AGAIN = {
    "run": "run the same `hpcreuse hash` again",
    "counts": "run `hpcreuse discover` with --fresh to count again",
    "labels": "make the labels again",
    "result": "run `hpcreuse detect` again",
}


def run_problems(run: Findings) -> Iterator[str]:
    """Find gaps between shards, shards that do not belong to a run, and counts that are wrong."""
    path, shards = run.place.path, run.shards
    listed: dict[str, str] = run.place.records.get("shards.json", {}).get("shards", {})
    if options := run.place.main.get("digest_options"):
        made = Run(path, DigestOptions.from_record(options))
        for shard in shards:
            yield from _shard_problems(made, shard)
    # What is told already explains a gap
    whole = {shard.path.name for shard in shards}
    told = {source for name, source in listed.items() if name not in whole}
    for source, what in gaps(shards).items():
        if source not in told:
            yield f"{path}: the shards of {source} are not complete ({what}): {AGAIN['run']}"
    for objects, record in _current_counts(run):
        total = sum(shard.chunks if objects == "chunk" else shard.files for shard in shards)
        yield from _counts_problems(run, objects, record, total)


def run_notes(run: Findings) -> Iterator[str]:
    """Mention what is no error: shards of a `hash` that did not end, counts of an earlier state."""
    for shard in run.shards if "shards.json" in run.place.records else []:
        if shard.path.name not in run.place.records["shards.json"]["shards"]:
            yield f"{shard.path}: was made by a `hpcreuse hash` that did not come to its end or is still running"
    current = dict(_current_counts(run))
    for objects in ("chunk", "file"):
        if run.sound and f"counts/{objects}/counts.json" in run.place.records and objects not in current:
            folder = run.place.path / "counts" / objects
            yield f"{folder}: counts an earlier state of the run, the next `hpcreuse discover` counts again"


def _shard_problems(run: Run, shard: ShardInfo) -> Iterator[str]:
    options = DigestOptions.from_record(shard.header["digest_options"])
    if difference := run.options.differences(options):
        yield f"{shard.path}: was hashed with other options than its run ({difference}): move it elsewhere"
    name = run.shard_path(shard.source, shard.number, shard.part).name
    if shard.path.name != name:
        yield f"{shard.path}: holds what belongs into {name}: rename it, or remove it and {AGAIN['run']}"


def gaps(shards: list[ShardInfo]) -> dict[str, str]:
    """Tell of each source that is not complete what is missing."""
    found: dict[str, str] = {}
    place: dict[str, ShardInfo] = {}
    for (source, number), parts in partitions_of(shards).items():
        missing = sorted(set(range(parts[-1].part + 1)) - {shard.part for shard in parts})
        if missing or not parts[-1].last:
            what = f"part {missing[0]}" if missing else f"what follows part {parts[-1].part}"
            found.setdefault(source, f"{what} of the partition at {number} is missing")
        before = place[source].end if source in place else 0
        if parts[-1].begin != before:
            found.setdefault(source, f"{before} to {parts[-1].begin} is missing")
        place[source] = parts[-1]
    for source, last in place.items():
        if not last.final:
            found.setdefault(source, f"what follows {last.end} is missing")
    return found


def _current_counts(run: Findings) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the counts that were made of the run as it is now."""
    for objects in ("chunk", "file"):
        record = run.place.records.get(f"counts/{objects}/counts.json")
        if record and record["run"] == run.fingerprint:
            yield objects, record


def _counts_problems(run: Findings, objects: str, record: dict[str, Any], total: int) -> Iterator[str]:
    folder = run.place.path / "counts" / objects
    pieces: list[PieceFacts] | None = run.facts_in(folder)
    if pieces is None or len(pieces) != record["pieces"]:
        return
    if not in_order([piece.ends for piece in pieces]):
        yield f"{folder}: the pieces do not follow on each other: {AGAIN['counts']}"
    found = Histogram.combine([piece.histogram for piece in pieces])
    said = Histogram(np.array(record["duplicates"], np.int64), np.array(record["objects"], np.int64))
    kept = said if record.get("unique", True) else said.repeated
    if found.duplicates.tolist() != kept.duplicates.tolist() or found.objects.tolist() != kept.objects.tolist():
        yield f"{folder}: the pieces do not add up to the histogram in counts.json: {AGAIN['counts']}"
    occurrences = int((said.duplicates * said.objects).sum())
    if occurrences != total:
        yield f"{folder}: counts {occurrences:,} {objects}s, the run has {total:,}: {AGAIN['counts']}"


def result_problems(result: Findings) -> Iterator[str]:
    """Hold the parts of a result against its summary, its thresholds and its labels."""
    path, record = result.place.path, result.place.main
    files, neighborhoods = result.facts_in(path / "files"), result.facts_in(path / "neighborhoods")
    borders = result.files.get(path / "neighborhoods" / "borders.h5")
    labels = result.files.get(path / "labels.h5")
    if labels and record and not labels.checked.problems:
        if labels.checked.header != record["header"]["labels_header"]:
            yield f"{path / 'labels.h5'}: is not the labels that the result was made with: {AGAIN['result']}"
        largest = max((part.largest_label for part in files or []), default=-1)
        if labels.facts and largest >= labels.facts.rows:
            yield f"{path}: has matches of labels that {path / 'labels.h5'} does not hold: {AGAIN['result']}"
        if labels.facts and labels.facts.rows != record["summary"]["labels"]:
            yield f"{path / 'labels.h5'}: has {labels.facts.rows:,} labels, not {record['summary']['labels']:,}"
    for table, parts in (("files", files), ("neighborhoods", neighborhoods)):
        if parts and not in_order([part.ends for part in parts]):
            yield f"{path / table}: the parts do not follow on each other: {AGAIN['result']}"
    # Sums are worth telling only when everything is there
    if result.sound and record and files is not None and neighborhoods is not None and borders and borders.facts:
        yield from _sums(result, record, add_up(files), add_up([*neighborhoods, borders.facts]))


def _sums(result: Findings, record: dict[str, Any], files: TableFacts, hoods: TableFacts) -> Iterator[str]:
    found = {
        "files": files.rows,
        "chunks": files.chunks,
        "bad_chunks": files.bad,
        "file_mean": files.moments.mean,
        "file_deviation": files.moments.deviation,
        "target_files": files.targets,
        "neighborhoods": hoods.rows,
        "neighborhood_mean": hoods.moments.mean,
        "neighborhood_deviation": hoods.moments.deviation,
        "bad_neighborhoods": hoods.targets,
    }
    for name, value in found.items():
        if record["summary"][name] != value:
            said = record["summary"][name]
            yield f"{result.place.path}: the tables give {name} {value}, result.json says {said}: {AGAIN['result']}"
    sites = (hoods.files, hoods.chunks, hoods.bad)
    if sites != (files.rows, files.chunks, files.bad):
        yield (
            f"{result.place.path}: the neighborhoods do not add up to the files "
            f"({sites} against {(files.rows, files.chunks, files.bad)}): {AGAIN['result']}"
        )


def add_up(parts: list[TableFacts]) -> TableFacts:
    """Add up the parts of a table."""
    names = ("rows", "files", "chunks", "bad", "targets")
    sums = {name: sum(getattr(part, name) for part in parts) for name in names}
    return TableFacts(moments=sum((part.moments for part in parts), Moments()), **sums)


def in_order(ends: list[list[Any]]) -> bool:
    """Tell whether ranges, given by their first and last keys, follow on each other."""
    return all(a[1] < b[0] for a, b in pairwise([pair for pair in ends if pair]))


def between(findings: list[Findings]) -> Iterator[str]:
    """Find what does not fit among a run, labels and a result given together."""
    runs, labels, results = ([f for f in findings if f.place.kind == kind] for kind in ("run", "labels", "result"))
    if len(runs) == 1:
        for other in (*labels, *results):
            yield from _fits_run(runs[0], other)
    if len(labels) == 1:
        for result in results:
            yield from _fits_labels(labels[0], result)


def header_of(found: Findings) -> dict[str, Any]:
    """Give what labels or a result say about how they were made; nothing if that is damaged."""
    if found.place.kind == "result":
        header: dict[str, Any] = found.place.main.get("header", {})
        return header
    (file,) = found.files.values()
    return file.checked.header


def _fits_run(run: Findings, other: Findings) -> Iterator[str]:
    header, kind, path = header_of(other), other.place.kind, other.place.path
    options = run.place.main.get("digest_options")
    if not header or not options:
        return
    theirs = DigestOptions.from_record(header["digest_options"])
    if difference := theirs.differences(DigestOptions.from_record(options)):
        yield (
            f"{path}: does not fit {run.place.path}: made with different digest options ({difference}), they never "
            f"match: {AGAIN[kind]} with this run, or name the run it was made from"
        )
    elif "run_fingerprint" in header and run.sound and header["run_fingerprint"] != run.fingerprint:
        yield (
            f"{path}: was not made from {run.place.path} as it is now but from {header.get('run')}, or the run has "
            f"changed since: {AGAIN[kind]} with this run, or name the run it was made from"
        )


def _fits_labels(labels: Findings, result: Findings) -> Iterator[str]:
    (mine,) = labels.files.values()
    theirs = result.files.get(result.place.path / "labels.h5")
    if theirs is None or mine.checked.problems or theirs.checked.problems:
        return
    if mine.checked.seal != theirs.checked.seal or mine.checked.header != theirs.checked.header:
        yield (
            f"{result.place.path}: was not made with the labels {labels.place.path} as they are now but with "
            f"{header_of(result).get('labels')}: {AGAIN['result']} with these labels, or name those it was made with"
        )
