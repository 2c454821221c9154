"""What a result says of itself, RESULT/result.json: how it is read, and what helps when it is damaged."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hpcreuse.errors import StoreError
from hpcreuse.store import atomic
from hpcreuse.store.jobs import jobs_of
from hpcreuse.store.lock import Lock, beside
from hpcreuse.store.records import read_record

RECORD = "result.json"


def read_result_record(path: Path) -> dict[str, Any]:
    """Read the record of a result.

    Raises FileNotFoundError when there is none, and StoreError, which says what to run, when it is damaged.
    """
    try:
        return read_record(path / RECORD)
    except StoreError as error:
        raise StoreError(f"{error}: {remedy(path)}") from error


def remedy(path: Path) -> str:
    """Say how a damaged result is made anew."""
    commands = [job["command"].removesuffix(" --fresh") for job in jobs_of(path)]
    return f"run `{commands[-1]} --fresh`" if commands else "run the command that made it again, with --fresh"


def is_made_by(path: Path, method: str, tables: Iterable[str]) -> bool:
    """Tell whether a folder whose record cannot be read is a result of a method, by what else lies in it."""
    if jobs := jobs_of(path):
        return bool(jobs[-1]["verb"] == method)
    return any(part for table in tables for part in (path / table).glob("part-*.h5"))


def throw_away_damaged(path: Path, method: str, tables: Iterable[str]) -> None:
    """Remove a result of a method if its record is damaged; sound ones stay until the next takes their place."""
    if not (path / RECORD).exists():
        return
    holding = Lock.take(path, beside(path))
    try:
        read_record(path / RECORD)
    except StoreError:
        if is_made_by(path, method, tables):
            atomic.remove(path)
    finally:
        holding.release()
