"""Jobs that go wrong, run the way `hpcreuse` runs its verbs. The first argument says how."""

import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np

from hpcreuse import cli, config
from hpcreuse.commands.shared import SharedOptions
from hpcreuse.errors import CrawlError, StoreError, UsageError
from hpcreuse.parallel.exchange import exchange
from hpcreuse.parallel.sharing import WorkQueue
from hpcreuse.parallel.world import World


def wait_in_exchange(world: World) -> None:
    exchange(world, [np.zeros((world.size, 20), np.uint8)], np.arange(world.size + 1))


def bug(world: World) -> None:
    """The last rank has a bug, the others wait in an exchange."""
    wait_in_exchange(world)
    if world.rank == world.size - 1:
        raise RuntimeError("something is broken here")
    wait_in_exchange(world)


def bug_on_root(world: World) -> None:
    """Rank 0 has a bug in what it does alone, the others wait for it."""
    world.on_root(lambda: [][0])


def bug_in_map(world: World) -> None:
    """One of the items makes a bug."""
    world.map(lambda item: 1 // item, list(range(world.size))[::-1])


def bug_in_queue(world: World) -> None:
    """The rank that gets the first item fails, the others ask for more or wait for all."""
    queue = WorkQueue(world, list(range(5 * world.size)) if world.root else None)
    for item in queue:
        queue.attend(None)
        if item == 0:
            raise RuntimeError("the first item is broken")
        time.sleep(0.01)
    world.wait()


def own_error(world: World) -> None:
    """One rank cannot open its input, the others wait."""
    if world.rank == world.size - 1:
        raise CrawlError("crawl.warc.gz cannot be opened")
    world.wait()


def no_file(world: World) -> None:
    """One rank gets an error from the file system."""
    if world.rank == world.size - 1:
        Path("/nonexistent/shard.h5").read_bytes()
    wait_in_exchange(world)


def shared_error(world: World) -> None:
    """Rank 0 finds something that all must know."""

    def check() -> None:
        raise StoreError("the run is damaged: hash it again")

    world.on_root(check)


def shared_usage(world: World) -> None:
    """Rank 0 finds that the user asks for what does not exist."""

    def check() -> None:
        raise UsageError("there is no such label")

    world.on_root(check)


def stopped(world: World) -> None:
    """One rank is told to stop."""
    if world.rank == world.size - 1:
        os.kill(os.getpid(), signal.SIGUSR1)
    world.stop_if_asked()


WAYS = {
    way.__name__: way
    for way in (bug, bug_on_root, bug_in_map, bug_in_queue, own_error, no_file, shared_error, shared_usage, stopped)
}

if __name__ == "__main__":
    command = ModuleType("failures")
    command.run = lambda world, options, shared: WAYS[options](world)  # type: ignore[attr-defined]
    sys.exit(cli.run(command, sys.argv[1], config.resolve(SharedOptions, {}, {}, None)))
