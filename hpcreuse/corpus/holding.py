"""While a job writes, no other may write to the same place."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hpcreuse.errors import HpcreuseError, Stopped
from hpcreuse.parallel.world import World
from hpcreuse.store import result
from hpcreuse.store.atomic import remove_leftovers
from hpcreuse.store.lock import Lock, beside


@contextmanager
def hold(world: World, target: Path, lock_path: Path) -> Iterator[None]:
    """Collective. Hold the lock of what is written; that another job has it is everyone's error."""
    lock = world.on_root_only(take, target, lock_path)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


@contextmanager
def hold_result(world: World, out: Path) -> Iterator[None]:
    """Collective. Hold the place of a result; a job that is refused leaves nothing there."""
    with hold(world, out, beside(out)), tidied(world, result.discard, out):
        yield


@contextmanager
def tidied(world: World, discard: Callable[[Path], None], path: Path) -> Iterator[None]:
    """Throw away what a job began when it is refused, but not when it was stopped.

    Only once all ranks know of the error: before that they may write on, until the job is aborted.
    """
    try:
        yield
    except HpcreuseError as error:
        if world.root and (error.shared or world.size == 1) and not isinstance(error, Stopped):
            with suppress(OSError):
                discard(path)
        raise


def take(target: Path, lock_path: Path) -> Lock:
    """Take the lock, and remove what a killed job left half written."""
    lock = Lock.take(target, lock_path)
    remove_leftovers(target)
    return lock
