"""Small JSON files that say what a folder of ours is: with a checksum, so that damage does not pass for a setting."""

import json
from pathlib import Path
from typing import Any

from isal import isal_zlib

from hpcreuse.errors import StoreError
from hpcreuse.store import atomic

CHECKSUM = "crc32"


def write_record(path: Path, record: dict[str, Any], indent: int | None = None) -> None:
    """Write a record atomically, with the checksum of its content."""
    content = json.loads(json.dumps(record))
    atomic.write_text(path, json.dumps({**content, CHECKSUM: checksum(content)}, indent=indent) + "\n")


def read_record(path: Path) -> dict[str, Any]:
    """Read a record back, with its checksum if it has one.

    Raises FileNotFoundError when there is none, and StoreError when it cannot be read or its checksum is wrong.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path} cannot be read ({error}): damaged, or not made by hpcreuse") from error
    if not isinstance(record, dict):
        raise StoreError(f"{path} was not made by hpcreuse")
    if record.get(CHECKSUM, checksum(record)) != checksum(record):
        raise StoreError(f"{path} is damaged: its content does not fit its checksum")
    return record


def checksum(record: dict[str, Any]) -> int:
    """Give the checksum of a record's content, however it is laid out as text."""
    content = {name: value for name, value in record.items() if name != CHECKSUM}
    return isal_zlib.crc32(json.dumps(content, sort_keys=True).encode())
