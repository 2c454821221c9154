"""One job at a time writes to a run, to labels or to a result: the second is refused, not mixed in.

The lock is the kernel's (flock), so a job that was killed leaves none behind, whatever file it leaves. The file
says who holds it.
"""

import fcntl
import logging
import os
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

from hpcreuse.errors import StoreError
from hpcreuse.store.atomic import LOCK, cannot_write

log = logging.getLogger(__name__)


def inside(folder: Path) -> Path:
    """Name the lock of a folder that stays where it is: what is above it may not be ours to write to."""
    return folder / f".hpcreuse{LOCK}"


def beside(path: Path) -> Path:
    """Name the lock of what is replaced as a whole."""
    return path.with_name(f".{path.name}{LOCK}")


class Lock:
    """A file that this process holds locked."""

    def __init__(self, path: Path, handle: int):
        self.path, self.handle = path, handle

    @classmethod
    def take(cls, target: Path, path: Path) -> "Lock":
        """Lock the file `path` that stands for `target`.

        Raises StoreError when another job holds it.
        """
        while True:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise StoreError(cannot_write(target, error)) from error
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(handle, 1000).decode("utf-8", "replace").strip()
                os.close(handle)
                raise StoreError(
                    f"{target} is being written by another job ({holder or 'just started'}): wait until it has ended"
                ) from None
            except OSError as error:
                # Lustre knows locks only when mounted so: better go on than refuse every job there
                log.debug("%s cannot be locked (%s): see that no two jobs write to %s at once", path, error, target)
            if _is_there(path, handle):
                break
            # Its holder removed it between our opening and locking
            os.close(handle)
        lock = cls(path, handle)
        lock._sign()
        return lock

    def _sign(self) -> None:
        """Say who holds it; a disk without room for that is found full soon enough."""
        verb = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        started = time.strftime("%Y-%m-%d %H:%M:%S")
        with suppress(OSError):
            os.ftruncate(self.handle, 0)
            text = f"hpcreuse {verb}, process {os.getpid()} on {socket.gethostname()}, since {started}\n"
            os.write(self.handle, text.encode("utf-8", "surrogateescape"))

    def release(self) -> None:
        """Let others have it."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        os.close(self.handle)


def _is_there(path: Path, handle: int) -> bool:
    """Tell whether a path still names the file that was opened."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return False
