"""Files that are either complete or not there: written under a temporary name, flushed, renamed."""

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TEMPORARY = ".tmp"


def temporary_name(path: Path) -> Path:
    """Give a name beside `path` that no other process uses; listings of finished files leave it out."""
    return path.with_name(f".{path.name}.{socket.gethostname()}-{os.getpid()}{TEMPORARY}")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; on success it takes the place of `path`, on failure it vanishes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = temporary_name(path)
    try:
        yield scratch
        flush_to_disk(scratch)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a small text file atomically."""
    with atomic_path(path) as scratch:
        scratch.write_text(text, encoding="utf-8")


def flush_to_disk(path: Path) -> None:
    """Make sure that what was written survives a crash of the node."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
