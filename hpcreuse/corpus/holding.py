"""While a job writes, no other may write to the same place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hpcreuse.parallel.world import World
from hpcreuse.store.lock import Lock


@contextmanager
def hold(world: World, target: Path, lock_path: Path) -> Iterator[None]:
    """Collective. Hold the lock of what is written; that another job has it is everyone's error."""
    lock = world.on_root_only(Lock.take, target, lock_path)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()
