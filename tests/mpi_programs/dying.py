"""The real command line, on ranks of which one dies or fails at a given point.

dying.py POINT RANK COMMAND...

    exchange:N      killed (SIGKILL) inside its Nth MPI_Alltoallv: the last rank comes to it a second late, so all
                    others are provably in it
    write:PATTERN   killed when a file whose name fits is written but has not got that name yet
    replace         killed when an earlier result is put aside and the new one has not yet taken its place, on a file
                    system that cannot exchange the two
    phase:NAME      raises an exception when it comes to that phase
"""

import fnmatch
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from mpi4py import MPI

from hpcreuse import cli
from hpcreuse.parallel import phases, world
from hpcreuse.store import atomic

LATE, KILLED_AFTER = 1.0, 0.5


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingComm(MPI.Intracomm):
    """The communicator of all ranks; one of them is killed in one of its exchanges."""

    victim, fatal, calls = -1, 0, 0

    def Alltoallv(self, *arguments: Any) -> None:
        DyingComm.calls += 1
        if DyingComm.calls == self.fatal and self.size > 1:
            if self.rank == self.victim and os.fork() == 0:
                time.sleep(KILLED_AFTER)
                os.kill(os.getppid(), signal.SIGKILL)
                os._exit(0)
            if self.rank == (self.victim + 1) % self.size:
                time.sleep(LATE)
        super().Alltoallv(*arguments)


def in_exchange(victim: int, number: str) -> None:
    DyingComm.victim, DyingComm.fatal = victim, int(number)
    start = world.start_world

    def start_world() -> world.World:
        started = start()
        started.comm = DyingComm(MPI.COMM_WORLD)
        return started

    world.start_world = start_world


def in_write(victim: int, pattern: str) -> None:
    flush = atomic.flush_to_disk

    def flush_to_disk(path: Path) -> None:
        flush(path)
        if MPI.COMM_WORLD.rank == victim and fnmatch.fnmatch(path.name, f".{pattern}.*"):
            die()

    atomic.flush_to_disk = flush_to_disk


def in_replace(victim: int, _: str) -> None:
    replace = Path.replace

    def die_after(path: Path, target: Path) -> Path:
        done = replace(path, target)
        if MPI.COMM_WORLD.rank == victim and target.name.endswith(f".old{atomic.TEMPORARY}"):
            die()
        return done

    Path.replace = die_after  # type: ignore[method-assign,assignment]
    atomic.exchange = lambda path, other: False


def in_phase(victim: int, name: str) -> None:
    enter = phases.Phases.__call__

    def fail(self: phases.Phases, phase: str) -> Any:
        if MPI.COMM_WORLD.rank == victim and phase == name:
            raise RuntimeError(f"a bug in {name}")
        return enter(self, phase)

    phases.Phases.__call__ = fail  # type: ignore[method-assign]


if __name__ == "__main__":
    point, _, detail = sys.argv[1].partition(":")
    points = {"exchange": in_exchange, "write": in_write, "replace": in_replace, "phase": in_phase}
    points[point](int(sys.argv[2]), detail)
    sys.exit(cli.main(sys.argv[3:]))
