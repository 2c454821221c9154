"""While a job writes, no other may write to the same place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hpcreuse.parallel.world import World
from hpcreuse.store.atomic import remove_leftovers
from hpcreuse.store.lock import Lock


@contextmanager
def hold(world: World, target: Path, lock_path: Path) -> Iterator[None]:
    """Collective. Hold the lock of what is written; that another job has it is everyone's error."""
    lock = world.on_root_only(take, target, lock_path)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def take(target: Path, lock_path: Path) -> Lock:
    """Take the lock, and remove what a killed job left half written."""
    lock = Lock.take(target, lock_path)
    remove_leftovers(target)
    return lock
