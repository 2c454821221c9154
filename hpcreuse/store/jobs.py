"""Which command made an output, when, and where its time went: kept beside the tables, which do not depend on it.

OUT/jobs.json         of a run, a result or a study: the command, or those that filled a run, the last ones
OUT.jobs.json         of a single file of labels
"""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hpcreuse.errors import StoreError
from hpcreuse.store.records import read_record, write_record
from hpcreuse.store.tables import is_hdf5
from hpcreuse.version import __version__

log = logging.getLogger(__name__)

FORMAT, VERSION, NAME = "hpcreuse jobs", 1, "jobs.json"

# A run grows by one command after the other: so many are remembered
MOST_JOBS = 50

COST = ("ranks", "seconds", "phases", "sent_bytes", "peak_resident_bytes")


def jobs_path(out: Path) -> Path:
    """Name the record of the jobs that made an output."""
    return out / NAME if out.is_dir() else out.with_name(f"{out.name}.{NAME}")


def record_job(out: Path, verb: str, command: str, summary: Mapping[str, Any]) -> None:
    """Write down what a command cost; what cannot be written is no reason to fail when all else is done."""
    job = {
        "verb": verb,
        "command": command,
        "creator": f"hpcreuse {__version__}",
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        **{name: summary[name] for name in COST if name in summary},
    }
    earlier = jobs_of(out) if (out / "run.json").exists() else []
    record = {"format": FORMAT, "version": VERSION, "jobs": [*earlier, job][-MOST_JOBS:]}
    try:
        write_record(jobs_path(out), record, indent=2)
    except (OSError, StoreError) as error:
        log.warning("what the job cost is not kept: %s", error)


def jobs_of(out: Path) -> list[dict[str, Any]]:
    """Give the jobs that made an output, the earliest first; none when it is not known."""
    try:
        record = read_record(jobs_path(out))
    except (OSError, StoreError):
        return []
    if (record.get("format"), record.get("version")) != (FORMAT, VERSION):
        return []
    jobs: list[dict[str, Any]] = record["jobs"]
    return jobs


def is_output(out: Path) -> bool:
    """Tell whether something is a run, a result, labels or a study, and not a table that was exported."""
    if out.is_dir():
        return any((out / name).exists() for name in ("run.json", "result.json", "study.json"))
    return is_hdf5(out)
