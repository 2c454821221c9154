"""What a table may be written over: anything but what hpcreuse itself keeps."""

from pathlib import Path

from hpcreuse.errors import StoreError
from hpcreuse.store.tables import is_hdf5

# What says of a folder that it is a run, a result, a study or a report
RECORDS = ("run.json", "result.json", "study.json", "report.json")
# Every record starts so: told by its first bytes, for a damaged one is ours too
MARK, MARK_WITHIN = b'"format": "hpcreuse ', 100


def must_not_be_ours(path: Path) -> None:
    """Refuse to write a table over labels or a record, or into a folder that hpcreuse made."""
    if is_hdf5(path) or is_record(path):
        raise StoreError(f"{path} holds labels or else what hpcreuse needs: choose another file")
    for folder in path.absolute().resolve().parents:
        if any(is_record(folder / name) for name in RECORDS):
            raise StoreError(f"{path} lies in {folder}, which hpcreuse made: choose a file elsewhere")


def is_record(path: Path) -> bool:
    """Tell whether something is a record of hpcreuse, sound or not."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK in file.read(MARK_WITHIN)
