"""The real command line, on ranks of which one dies, fails or halts at a given point.

dying.py POINT RANK COMMAND...

    exchange:N      killed (SIGKILL) inside its Nth MPI_Alltoallv: the last rank comes to it a second late, so all
                    others are provably in it
    write:PATTERN   killed when a file whose name fits is written but has not got that name yet
    replace         killed when an earlier result is put aside and the new one has not yet taken its place, on a file
                    system that cannot exchange the two
    phase:NAME      raises an exception when it comes to that phase
    halt:NAME       waits, when it comes to that phase, until somebody tells it to stop; only where a file `halt` lies
                    in the current folder, which it renames to halted-JOB: started again, the command runs through

RANK may be -1: the last.
"""

import fnmatch
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mpi4py import MPI

from hpcreuse import cli
from hpcreuse.parallel import phases, world
from hpcreuse.store import atomic

LATE, KILLED_AFTER = 1.0, 0.5
PATIENCE = 200


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


def when_started(change: Callable[[world.World], None]) -> None:
    """Change the world before anybody uses it."""
    start = world.start_world

    def start_world() -> world.World:
        started = start()
        change(started)
        return started

    world.start_world = start_world


def in_exchange(victim: int, number: str) -> None:
    DyingComm.victim, DyingComm.fatal = victim, int(number)

    def replace(started: world.World) -> None:
        started.comm = DyingComm(MPI.COMM_WORLD)

    when_started(replace)


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


def at_phase(victim: int, name: str, act: Callable[[], None]) -> None:
    """Do something on one rank whenever it comes to a phase."""
    enter = phases.Phases.__call__

    def act_and_enter(self: phases.Phases, phase: str) -> Any:
        if MPI.COMM_WORLD.rank == victim and phase == name:
            act()
        return enter(self, phase)

    phases.Phases.__call__ = act_and_enter  # type: ignore[method-assign]


def in_phase(victim: int, name: str) -> None:
    def fail() -> None:
        raise RuntimeError(f"a bug in {name}")

    at_phase(victim, name, fail)


def in_halt(victim: int, name: str) -> None:
    worlds: list[world.World] = []

    def halt() -> None:
        try:
            Path("halt").rename(f"halted-{os.environ['SLURM_JOB_ID']}")
        except FileNotFoundError:
            return
        end = time.monotonic() + PATIENCE
        while not worlds[0].stopping:
            if time.monotonic() > end:
                raise RuntimeError(f"nobody told rank {victim} to stop within {PATIENCE} s")
            time.sleep(0.01)

    when_started(worlds.append)
    at_phase(victim, name, halt)


if __name__ == "__main__":
    point, _, detail = sys.argv[1].partition(":")
    points = {"exchange": in_exchange, "write": in_write, "replace": in_replace, "phase": in_phase, "halt": in_halt}
    points[point](int(sys.argv[2]) % MPI.COMM_WORLD.size, detail)
    sys.exit(cli.main(sys.argv[3:]))
