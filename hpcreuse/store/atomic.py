"""Files that are either complete or not there: written under a temporary name, flushed, renamed."""

import ctypes
import errno
import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hpcreuse.errors import StoreError

# What a file system answers when the fault lies with the disk, not with the path
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.ESTALE)

# What it answers when a path may not be written, or not as a file
REFUSALS = (errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)

# Linux: rename to a name that exists, which gets the other's in the same step
AT_FDCWD, RENAME_EXCHANGE = -100, 2

TEMPORARY = ".tmp"
LOCK = ".lock"


def temporary_name(path: Path) -> Path:
    """Give a name beside `path` that no other process uses; listings of finished files leave it out."""
    host = socket.gethostname().partition(".")[0]
    return path.with_name(f".{path.name}.{host}-{os.getpid()}{TEMPORARY}")


def remove_leftovers(path: Path) -> None:
    """Remove what killed jobs left of a file; only for who holds its lock."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[^.]*-\d+{re.escape(TEMPORARY)}")
    for other in path.parent.iterdir():
        if name.fullmatch(other.name) and other.is_file():
            other.unlink(missing_ok=True)


def is_temporary(path: Path) -> bool:
    """Tell whether a file holds nothing that a job would miss: half written by one, or its lock."""
    return path.name.startswith(".") and path.suffix in (TEMPORARY, LOCK)


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; on success it takes the place of `path`, on failure it vanishes.

    Raises StoreError when the disk is full or fails, or the path cannot be written.
    """
    scratch = temporary_name(path)
    try:
        with told_of(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield scratch
            flush_to_disk(scratch)
            scratch.replace(path)
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


@contextmanager
def told_of(path: Path) -> Iterator[None]:
    """Say of a path that the user named, not of the temporary one beside it, why it cannot be written."""
    try:
        yield
    except OSError as error:
        own = (path, temporary_name(path), *path.parents)
        refused = error.errno in REFUSALS and error.filename is not None and Path(error.filename) in own
        if refused or error.errno in DISK_ERRORS:
            raise StoreError(cannot_write(path, error)) from error
        raise


def cannot_write(path: Path, error: OSError) -> str:
    """Say why a file cannot be written, and what to do."""
    remedies = {
        errno.ENOSPC: "the disk is full: make room there",
        errno.EDQUOT: "your quota is used up: make room there",
    }
    remedy = remedies.get(error.errno or 0, "mend that")
    return f"{path} cannot be written ({error.strerror}): {remedy}, then run the same command again to go on"


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


def exchange(path: Path, other: Path) -> bool:
    """Let two folders change places in one step; False where the system or the file system cannot do that."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(AT_FDCWD, os.fsencode(path), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(path), None, str(other))
